# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of a device's instructions can compute an expression, and what each asks of the tiles.

Paper: ROLLER sections 3.1 (alignment with the execution unit: tiles of a tensor core are multiples of its shape) and
5.1. The choice follows from the element types, the form of the body and the device's list; no instruction is named
here.
"""

from dataclasses import dataclass
from functools import lru_cache

from roller_mlir.hal import Device, Instruction
from roller_mlir.plan import TensorExpression

SUMS = ("arith.addf", "arith.addi")


@dataclass(frozen=True)
class Roles:
    """What the loops of a contraction are to a matrix instruction.

    Attributes:
        rows: Parallel loops that the first factor alone is indexed by.
        columns: Parallel loops that the second factor alone is indexed by.
        depth: Reduction loops that index both.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    depth: tuple[int, ...]


@dataclass(frozen=True)
class Atom:
    """An instruction applied to loops of an expression: the smallest tile of a group of threads.

    Attributes:
        instruction: The instruction.
        row: Loop of its rows, -1 for an instruction of one thread.
        column: Loop of its columns, -1 likewise.
        depth: Reduction loop of its reduction length, -1 likewise.
        lanes: Threads along rows and columns.
        own: Results of one thread along rows and columns.
        length: Reduction points of one instruction.
    """

    instruction: Instruction
    row: int = -1
    column: int = -1
    depth: int = -1
    lanes: tuple[int, int] = (1, 1)
    own: tuple[int, int] = (1, 1)
    length: int = 1

    @property
    def is_matrix(self) -> bool:
        """Whether a matrix unit executes it."""
        return self.instruction.is_matrix

    @property
    def reads_memory(self) -> bool:
        """Whether the instruction takes its factors from workgroup memory, without fragments in registers."""
        return self.instruction.family == "wgmma"

    def points(self, columns: int = 0) -> int:
        """Return the points of the loop nest that one instruction computes for one thread.

        Args:
            columns: Columns of one thread's tile, up to which the instruction is taken as wide as it exists.
        """
        if not self.is_matrix:
            return 2 if self.instruction.family == "packed_fma" else 1
        widest = self.instruction.max_shape[1] // self.lanes[1]
        return self.own[0] * max(self.own[1], min(columns, widest)) * self.length

    def cycles_per_point(self, device: Device) -> float:
        """Return for how many cycles of one scheduler a subgroup's points of the loop nest, one a thread, occupy it.

        H200: 256 flops per cycle and unit of FMA are 32 lanes for each of 4 schedulers: 1 cycle for 32 threads.
        """
        clock = (self.instruction.clock_hz or device.clock_hz) / device.clock_hz
        lanes = self.instruction.flops_per_cycle_per_unit * clock / 2 / device.schedulers_per_unit
        return device.subgroup_size / lanes


def roles(expression: TensorExpression) -> Roles | None:
    """Return the loops of a sum of products of two factors, None where a matrix instruction cannot compute it."""
    if not (expression.fused_multiply_add and expression.combiner in SUMS and len(expression.inputs) == 2):
        return None
    first, second = (access.loops() for access in expression.inputs)
    parallel, reductions = expression.parallel(), expression.reductions()
    found = Roles(
        tuple(loop for loop in parallel if loop in first and loop not in second),
        tuple(loop for loop in parallel if loop in second and loop not in first),
        tuple(loop for loop in reductions if loop in first and loop in second),
    )
    return found if found.rows and found.columns and found.depth else None


def atoms(expression: TensorExpression, device: Device, families: tuple[str, ...] = ()) -> tuple[Atom, ...]:
    """Return the instructions that can compute an expression, fastest first; one atom per instruction.

    Args:
        expression: The operator.
        device: The device.
        families: Families that may be used; empty for all.

    Returns:
        Nothing where the families have no instruction. What no instruction does in one go (element-wise arithmetic,
        products of types that the device must convert) is counted at the rate of the scalar instruction of its type, or
        of f32.
    """
    return _atoms(expression, device, families)


@lru_cache(maxsize=256)
def _atoms(expression: TensorExpression, device: Device, families: tuple[str, ...]) -> tuple[Atom, ...]:
    types = {access.element_type for access in expression.inputs} or {expression.output.element_type}
    operand, result = (next(iter(types)) if len(types) == 1 else ""), expression.result_type
    loops = roles(expression)
    wanted = [one for one in device.instructions if not families or one.family in families]
    found: list[Atom] = []
    for one in wanted:
        if one.is_matrix:
            if loops is not None and (one.operand_type, one.result_type) == (operand, result):
                atom = _matrix_atom(expression, loops, one, device)
                if atom is not None:
                    found.append(atom)
        elif expression.fused_multiply_add and (one.operand_type, one.result_type) == (operand, result):
            found.append(Atom(one))
    if all(atom.is_matrix for atom in found):
        # Where no tile of a matrix fits, or there is none, one thread computes each point.
        scalar = [Atom(one) for one in wanted if not one.is_matrix and one.result_type == result][:1]
        found += scalar or [Atom(one) for one in wanted if one.family == "fma" and one.operand_type == "f32"][:1]
    return tuple(sorted(found, key=lambda atom: -atom.instruction.flops_per_cycle_per_unit))


def scalar_atom(expression: TensorExpression, device: Device) -> Atom:
    """Return the instruction of one thread that computes an expression: of its types, or f32 FMA."""
    found = [atom for atom in atoms(expression, device) if not atom.is_matrix and atom.points() == 1]
    return found[0] if found else Atom(device.instruction("fma"))


def _matrix_atom(expression: TensorExpression, loops: Roles, instruction: Instruction, device: Device) -> Atom | None:
    """Return the instruction on the longest loops of each role, its columns on the output's contiguous one if it can.

    A loop shorter than half of the shape leaves most of the matrix unit idle: such an operator takes another
    instruction.
    """

    def extent(loop: int) -> int:
        return expression.loops[loop].extent

    m, n, k = instruction.shape
    last = expression.output.indices[-1].terms() if expression.output.indices else {}
    # The loop along the output's rows comes first: other loops leave its tiles unaligned.
    rows = max(loops.rows, key=lambda loop: (loop in last and 2 * extent(loop) >= n, extent(loop)))
    columns = max(loops.columns, key=lambda loop: (loop in last and 2 * extent(loop) >= n, extent(loop)))
    if rows in last and columns not in last:
        rows, columns = columns, rows
    # A loop that moves a window is walked in steps that divide it.
    whole = [loop for loop in loops.depth if extent(loop) % k == 0 or not expression.moves_window(loop)]
    if not whole:
        return None
    depth = max(whole, key=extent)
    if 2 * extent(rows) < m and extent(columns) >= extent(rows):
        rows, columns = columns, rows  # the transposed product
    if 2 * extent(rows) < m or 2 * extent(columns) < n or 2 * extent(depth) < k:
        return None
    # NVIDIA's results lie two neighbours a thread, four threads a row; AMD's a column a thread.
    across = n if device.vendor == "amd" else 4
    down = instruction.threads // across
    if m % down or n % across:
        return None
    return Atom(instruction, rows, columns, depth, (down, across), (m // down, n // across), k)
