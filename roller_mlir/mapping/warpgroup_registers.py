# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who holds the registers of a block whose last warpgroup copies while the others compute by `wgmma`.

Registers are granted in eights, 240 at most (PTX ISA, `setmaxnreg`); a block starts with as many for every thread.
"""

from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS, WARPGROUP_THREADS

OTHER_REGISTERS = 26
"""What ptxas wants beside accumulators: of one instruction at the launch (C7602), of all in a thread that computes."""

_REGISTER_GRANULE = 8
_MOST_REGISTERS = 240


def launch_registers(consumers: int, tasks_per_unit: int, registers_per_unit: int) -> int:
    """Return the registers with which each thread of a block starts.

    Args:
        consumers: Threads that compute.
        tasks_per_unit: Blocks that share a unit's registers.
        registers_per_unit: 32-bit registers of a unit.

    >>> launch_registers(256, 1, 65536), launch_registers(128, 3, 65536)
    (168, 80)
    """
    each = registers_per_unit // tasks_per_unit // (consumers + PRODUCER_THREADS)
    return min(each // _REGISTER_GRANULE * _REGISTER_GRANULE, _MOST_REGISTERS)


def role_registers(consumers: int, tasks_per_unit: int, registers_per_unit: int) -> tuple[int, int] | None:
    """Return the registers of a thread that copies and of one that computes; None where all have as many as can be.

    A block starts with the same number for each thread; then the producer gives some of its own away.

    Args:
        consumers: Threads that compute.
        tasks_per_unit: Blocks that share a unit's registers.
        registers_per_unit: 32-bit registers of a unit.

    >>> role_registers(256, 1, 65536), role_registers(384, 1, 65536), role_registers(128, 4, 65536)
    ((40, 232), (32, 160), (24, 104))
    """
    groups = consumers // WARPGROUP_THREADS
    each = launch_registers(consumers, tasks_per_unit, registers_per_unit)
    # Small shares leave room for few accumulators; what is enough to copy is then all that a producer keeps.
    producer = 24 if each <= 64 else 32 if groups > 2 else 40
    if each == _MOST_REGISTERS or each <= producer:
        return None
    share = (each * (groups + 1) - producer) // groups // _REGISTER_GRANULE * _REGISTER_GRANULE
    return producer, min(share, _MOST_REGISTERS)


def grant_problem(count: int, launched: int, *, more: bool) -> str:
    """Return why a warpgroup cannot have a number of registers a thread from now on, or an empty string.

    Args:
        count: The number.
        launched: Registers of each thread at the launch.
        more: Whether the warpgroup takes registers; it gives some away otherwise.

    >>> grant_problem(24, 168, more=True)
    'increases registers to 24 a thread, which has 168 from the launch'
    >>> grant_problem(232, 168, more=True)
    ''
    """
    if count < launched if more else count > launched:
        return f"{'in' if more else 'de'}creases registers to {count} a thread, which has {launched} from the launch"
    return ""


def register_problem(
    consumers: int, tasks_per_unit: int, registers_per_unit: int, columns: int, accumulators: int
) -> str:
    """Return why a block's registers do not suffice, or an empty string.

    Args:
        consumers: Threads that compute.
        tasks_per_unit: Blocks that share a unit's registers.
        registers_per_unit: 32-bit registers of a unit.
        columns: Columns of an instruction.
        accumulators: Of a thread that computes, 32 bits each.

    >>> register_problem(256, 1, 65536, 256, 128)
    ''
    >>> register_problem(128, 5, 65536, 64, 32)
    'starts with 48 registers a thread, wgmma of 64 columns needs 58'
    """
    first = launch_registers(consumers, tasks_per_unit, registers_per_unit)
    roles = role_registers(consumers, tasks_per_unit, registers_per_unit)
    needed = columns // 2 + OTHER_REGISTERS
    if first < needed:
        return f"starts with {first} registers a thread, wgmma of {columns} columns needs {needed}"
    later, needed = first if roles is None else roles[1], accumulators + OTHER_REGISTERS
    return f"has {later} registers a thread that computes, its accumulators need {needed}" if later < needed else ""
