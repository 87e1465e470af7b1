# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The codegen check: the machine code of a kernel against what its plan expects. Never a speed.

What is compared, of one thread unless a task is named:

- "fma": the multiply-adds of the whole kernel, at least those of its IR; of the main loop, whole passes of the plan's
  (compilers unroll whole passes only); a packed instruction counts as two;
- "instruction": where the plan says packed multiply-adds, each is;
- "matrix": the matrix instructions of a subgroup in the whole kernel, at least those of its IR; of the main loop, whole
  passes of the plan's; and no more loads of matrices than these passes have;
- "global", "workgroup": each width that the plan gives an operand occurs, or a wider one: compilers may join accesses,
  and never split them; so does each kind of copy. In the main loop (of copies: the loop around it that holds them) no
  more accesses are narrower than a width of the plan than the plan itself has, and than hold elements that the thread
  does not need, which compilers leave out; 0, where all accesses of the plan are at least so wide and needed;
- "local": no thread has memory of its own: no spills, no stack, no access;
- "registers": so few that as many tasks fit on a unit as the plan says;
- "workgroup_memory": of a task, exactly the plan's;
- "tensor_map", "copies", "descriptor": what Hopper's tensor copies and products take, see `hopper/codegen.py`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from roller_mlir.hal.atoms import atom_family
from roller_mlir.lowering.backend.checks.accesses import LOCAL, SCALAR_LOAD, MemoryAccess, accesses_of
from roller_mlir.lowering.backend.checks.assembly import (
    Listing,
    fma_count,
    fmas_of,
    main_loop_range,
    multiply_add_count,
)
from roller_mlir.lowering.backend.checks.matrix_instructions import is_ptx, matrix_count, pieces
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.mapping.checks.expected_code import (
    ASYNCHRONOUS_COPY,
    GLOBAL_LOAD,
    MATRIX_LOAD,
    TENSOR_COPY,
    WORKGROUP_STORE,
    ExpectedAccess,
    ExpectedCode,
)
from roller_mlir.mapping.resources import tasks_per_unit

KINDS = (
    *("fma", "instruction", "matrix", "global", "workgroup", "local", "registers", "workgroup_memory"),
    *("tensor_map", "copies", "descriptor"),
)
"""What a mismatch can be about."""

_KINDS = {MATRIX_LOAD: "workgroup", ASYNCHRONOUS_COPY: "global", TENSOR_COPY: "global"}
"""Where an access is counted whose own name does not begin with that."""


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """Machine code that does not keep what the plan expects.

    Attributes:
        kind: One of `KINDS`.
        expected: The plan's figure.
        found: That of the machine code.
        message: Both, in words.
    """

    kind: str
    expected: int
    found: int
    message: str


def mismatches(
    expected_code: ExpectedCode | None,
    statistics: KernelStatistics,
    listing: Listing | None,
    *,
    fmas: int = 0,
    matrices: int = 0,
    beside: tuple[int, int] = (0, 0),
) -> tuple[Mismatch, ...]:
    """Compare a kernel with its expected code.

    Args:
        expected_code: the plan's; None for a kernel without a plan, of which only local memory is checked.
        statistics: what the vendor's tools say; what they left out is not checked.
        listing: the machine code, or PTX where there is none; None where nothing could be read.
        fmas: multiply-adds that the kernel's IR expects.
        matrices: matrix instructions, likewise.
        beside: multiplications and additions that the IR has beside.
    """
    found = [*_local(statistics, listing)]
    if listing is not None:
        have = multiply_add_count(listing.instructions, *beside)
        found += _total("fma", "multiply-adds", have, fmas)
        found += _total("matrix", "matrix instructions", matrix_count(listing.instructions), matrices)
    if expected_code is None:
        return tuple(found)
    if listing is not None:
        found += [*_passes(expected_code, listing), *_packed(expected_code, listing)]
        found += [*_matrices(expected_code, listing), *_widths(expected_code, listing)]
    return (*found, *_registers(expected_code, statistics), *_workgroup_memory(expected_code, statistics))


def ptx_workgroup_bytes(ptx: str) -> int:
    """Return the workgroup memory that PTX declares, in bytes; memory given at launch is declared without an extent."""
    return sum(int(found[1]) for found in re.finditer(r"\.shared\s+\.align\s+\d+\s+\.b8\s+[\w$.]+\[(\d+)\]", ptx))


def _local(statistics: KernelStatistics, listing: Listing | None) -> list[Mismatch]:
    spilled, stack = statistics.spill_bytes or 0, statistics.stack_bytes or 0
    accesses = 0 if listing is None else sum(one.kind == LOCAL for one in accesses_of(listing.instructions))
    if not (spilled or stack or accesses):
        return []
    text = f"a thread has {stack} B of local memory, {spilled} B of spills and {accesses} accesses to it, the plan none"
    return [Mismatch(kind="local", expected=0, found=max(spilled, stack, accesses), message=text)]


def _total(kind: str, what: str, have: int, expected: int) -> list[Mismatch]:
    if have >= expected:
        return []
    text = f"the kernel has {have} {what}, its IR expects {expected}"
    return [Mismatch(kind=kind, expected=expected, found=have, message=text)]


def _main_part(expected_code: ExpectedCode, listing: Listing) -> tuple[tuple[int, int] | None, tuple[str, ...]]:
    """Return the main loop and what is in it; None and all instructions of a kernel without one."""
    loop = main_loop_range(listing) if expected_code.loops else None
    return loop, listing.instructions if loop is None else listing.instructions[loop[0] : loop[1] + 1]


def _passes(expected_code: ExpectedCode, listing: Listing) -> list[Mismatch]:
    each, most = expected_code.pass_fmas, expected_code.most_pass_fmas
    if not each:
        return []
    loop, inside = _main_part(expected_code, listing)
    have = fma_count(inside)
    if loop and not have:  # all passes were unrolled
        loop, have = None, fma_count(listing.instructions)
    exact = loop is not None or expected_code.only_fmas
    passes = max(1, -(-have // most)) if exact else 1
    wanted = each * passes
    if expected_code.loops and loop is None and passes > 1:
        wanted -= each - 1  # the first step may reach over the reduction's end, where compilers see that nothing lies
    if have >= wanted:
        return []
    where = "the main loop" if loop else "the kernel"
    text = f"{where} has {have} fused multiply-adds, the plan expects {wanted}"
    text += f" in {passes} passes" if passes > 1 else ""
    return [Mismatch(kind="fma", expected=each, found=have, message=text)]


def _packed(expected_code: ExpectedCode, listing: Listing) -> list[Mismatch]:
    if not (expected_code.packed and expected_code.pass_fmas):
        return []
    counts = [fmas_of(name) for name in _main_part(expected_code, listing)[1]]
    have, packed = sum(counts), sum(count for count in counts if count > 1)
    if have == packed:
        return []
    text = f"{packed} of {have} fused multiply-adds are in packed instructions, the plan expects all"
    return [Mismatch(kind="instruction", expected=have, found=packed, message=text)]


def _matrices(expected_code: ExpectedCode, listing: Listing) -> list[Mismatch]:
    if not expected_code.pass_matrices:
        return []
    machine_code = not any(map(is_ptx, listing.instructions))
    each = expected_code.pass_matrices * pieces(
        expected_code.family, expected_code.device.architecture, machine_code=machine_code
    )
    loop, inside = _main_part(expected_code, listing)
    if not matrix_count(inside):  # all passes were unrolled
        loop, inside = None, listing.instructions
    have = matrix_count(inside)
    passes = max(1, -(-have // each))
    where = "the main loop" if loop else "the kernel"
    if have < each * passes and (loop is not None or passes == 1):
        text = f"{where} has {have} matrix instructions, the plan expects {each * passes}"
        text += f" in {passes} passes" if passes > 1 else ""
        return [Mismatch(kind="matrix", expected=each * passes, found=have, message=text)]
    expected = passes * sum(one.count for one in expected_code.accesses if one.kind == MATRIX_LOAD)
    loads = sum(one.kind == MATRIX_LOAD for one in accesses_of(inside))
    if not expected or loads <= expected:
        return []
    text = f"{where} has {loads} loads of matrices, the plan expects {expected}"
    return [Mismatch(kind="matrix", expected=expected, found=loads, message=text)]


def _widths(expected_code: ExpectedCode, listing: Listing) -> list[Mismatch]:
    found: list[Mismatch] = []
    everywhere = list(accesses_of(listing.instructions))
    for kind in dict.fromkeys(one.kind for one in expected_code.accesses):
        expected = [one for one in expected_code.accesses if one.kind == kind]
        there = [one.width_bytes for one in everywhere if one.kind == kind]
        scalar = kind == GLOBAL_LOAD and any(one.kind == SCALAR_LOAD for one in everywhere)
        missing = _missing([one for one in expected if one.staged or not scalar], there)
        if missing is not None:
            found.append(missing)
            continue
        region = _region(expected_code, listing, kind)
        if region is None and kind == GLOBAL_LOAD and expected_code.reads_more:
            continue
        if region is None and kind == WORKGROUP_STORE and atom_family(expected_code.family).is_opaque:
            continue  # results pass workgroup memory, too
        if region is None and kind.startswith("workgroup") and expected_code.joins:
            continue  # so do results, or parts of them
        inside = everywhere if region is None else region
        narrower = _narrower(expected, [one.width_bytes for one in inside if one.kind == kind])
        if narrower is not None:
            found.append(narrower)
    return found


def _missing(expected: Sequence[ExpectedAccess], widths: Sequence[int]) -> Mismatch | None:
    """Return the first width that does not occur."""
    for one in expected:
        if max(widths, default=-1) < one.width_bytes:
            widest = f"the widest is {max(widths)} B" if widths else "there is none"
            width = f" of {one.width_bytes} B" if one.width_bytes else ""
            article = "an" if one.kind[0] == "a" else "a"
            text = f"input {one.operand} has {article} {one.kind}{width} in the plan, {widest}"
            return _mismatch(one, max(widths, default=0), text)
    return None


def _narrower(expected: Sequence[ExpectedAccess], widths: Sequence[int]) -> Mismatch | None:
    """Return the widest width of the plan below which there are more accesses than the plan has.

    The code may hold several passes: as many as the bytes of all accesses are those of one pass.
    """
    once = sum(one.width_bytes * one.count for one in expected)
    if not once:
        return None  # tensor copies have no width
    passes = max(1, -(-sum(widths) // once))
    for one in sorted(expected, key=lambda one: -one.width_bytes):
        allowed = passes * sum(
            other.partial if other.width_bytes >= one.width_bytes else other.count for other in expected
        )
        have = sum(width < one.width_bytes for width in widths)
        if have > allowed:
            text = f"{have} {one.kind}s are narrower than the {one.width_bytes} B of input {one.operand} in the plan"
            return _mismatch(one, min(widths), f"{text}, which has {allowed} such" if allowed else text)
    return None


def _mismatch(one: ExpectedAccess, found: int, message: str) -> Mismatch:
    return Mismatch(
        kind=_KINDS.get(one.kind, one.kind.split()[0]), expected=one.width_bytes, found=found, message=message
    )


def _region(expected_code: ExpectedCode, listing: Listing, kind: str) -> list[MemoryAccess] | None:
    """Return the accesses of the main loop, or of the smallest loop around it that holds some of a kind.

    None where no loop does, as in a kernel of one step.
    """
    main = main_loop_range(listing) if expected_code.loops else None
    if main is not None:
        around = [loop for loop in listing.loops if loop[0] <= main[0] and main[1] <= loop[1]]
        for first, last in sorted(around, key=lambda loop: loop[1] - loop[0]):
            inside = list(accesses_of(listing.instructions[first : last + 1]))
            if any(one.kind == kind for one in inside):
                return inside
    return None


def _registers(expected_code: ExpectedCode, statistics: KernelStatistics) -> list[Mismatch]:
    used, device = statistics.registers, expected_code.device
    if used is None or not expected_code.tasks_per_unit:
        return []
    # Registers that only moves can address count like others when they are given out.
    whole = replace(device, max_registers_per_thread=max(used, device.max_registers_per_thread))
    fitting = tasks_per_unit(whole, expected_code.threads, used, statistics.shared_bytes or 0)
    if fitting >= expected_code.tasks_per_unit:
        return []
    text = (
        f"with {used} registers ({expected_code.registers} predicted) {fitting} tasks of "
        f"{expected_code.threads} threads fit on a unit of {device.name}, "
        f"the plan expects {expected_code.tasks_per_unit}"
    )
    return [Mismatch(kind="registers", expected=expected_code.tasks_per_unit, found=fitting, message=text)]


def _workgroup_memory(expected_code: ExpectedCode, statistics: KernelStatistics) -> list[Mismatch]:
    expected, found = expected_code.workgroup_bytes, statistics.shared_bytes
    if expected is None or found is None or expected == found:
        return []
    text = f"a task has {found} B of workgroup memory, the plan expects {expected} B"
    return [Mismatch(kind="workgroup_memory", expected=expected, found=found, message=text)]
