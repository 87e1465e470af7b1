# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of a device's instructions can compute an expression, and what each asks of the tiles.

Paper: ROLLER sections 3.1 (alignment with the execution unit: tiles of a tensor core are multiples of its shape) and
5.1. The choice follows from the element types, the form of the body and the device's list; no instruction is named
here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from roller_mlir.hal import Device, Instruction
from roller_mlir.hal.atoms import Factors, atom_family
from roller_mlir.hal.atoms.fragments import COLUMN, ROW, AxisShare, Fragments, lane_order, result_shares
from roller_mlir.mapping.checks.tensor_copy_rules import lines_follow, tensor_copy_multiples
from roller_mlir.mapping.whole_matrices import holds_whole_matrices
from roller_mlir.model.instructions.atom import Atom
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.expression import ELEMENT_BYTES

SUMS = ("arith.addf", "arith.addi")

ACCUMULATED_IN_F32 = ("f16", "bf16")
"""Types of results that are summed in f32 and converted at the end."""


@dataclass(frozen=True)
class LoopRoles:
    """What the loops of a contraction are to a matrix instruction.

    Attributes:
        rows: Parallel loops that the first factor alone is indexed by.
        columns: Parallel loops that the second factor alone is indexed by.
        depth: Reduction loops that index both.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    depth: tuple[int, ...]


def roles(expression: TensorExpression) -> LoopRoles | None:
    """Return the loops of a sum of products of two factors, None where a matrix instruction cannot compute it."""
    if not (expression.fused_multiply_add and expression.combiner in SUMS and len(expression.inputs) == 2):
        return None
    if expression.whole or not expression.widens_only:
        return None  # rows that stay in one task are not tiled
    first, second = (access.loops() for access in expression.inputs)
    parallel, reductions = expression.parallel(), expression.reductions()
    found = LoopRoles(
        tuple(loop for loop in parallel if loop in first and loop not in second),
        tuple(loop for loop in parallel if loop in second and loop not in first),
        tuple(loop for loop in reductions if loop in first and loop in second),
    )
    return found if found.rows and found.columns and found.depth else None


def atoms(
    expression: TensorExpression, device: Device, families: tuple[str, ...] = (), *, allow_tf32: bool = False
) -> tuple[Atom, ...]:
    """Return the instructions that can compute an expression, fastest first; one atom per instruction.

    Args:
        expression: The operator.
        device: The device.
        families: Families that may be used; empty for all.
        allow_tf32: Whether factors of type f32 may be rounded to tf32.

    Returns:
        Nothing where the families have no instruction. What no instruction does in one go (element-wise arithmetic,
        products of types that the device must convert) is counted at the rate of the scalar instruction of its type, or
        of f32. Products with a result of f16 or bf16 take matrix instructions that sum in f32.
    """
    return _atoms(expression, device, families, allow_tf32)


@lru_cache(maxsize=256)
def _atoms(
    expression: TensorExpression, device: Device, families: tuple[str, ...], allow_tf32: bool
) -> tuple[Atom, ...]:
    operand, result = _types(expression)
    loops = roles(expression)
    known = [one for one in device.instructions if not atom_family(one.family).vectors]
    wanted = [one for one in known if not families or one.family in families]
    found: list[Atom] = []
    for one in wanted:
        if one.is_matrix:
            if loops is not None and _multiplies(one, operand, result, allow_tf32=allow_tf32):
                atom = _matrix_atom(expression, loops, one)
                pair = _paired(expression, atom, one) if atom_family(one.family).subgroups > 1 else None
                found += [each for each in (atom, pair) if each is not None]
        elif expression.fused_multiply_add and (one.operand_type, one.result_type) == (operand, result):
            found.append(Atom(one))
    if all(atom.is_matrix for atom in found):
        # Where no tile of a matrix fits, or there is none, one thread computes each point.
        scalar = [Atom(one) for one in wanted if not one.is_matrix and one.result_type == result][:1]
        found += scalar or [Atom(one) for one in wanted if one == device.multiply_add]
    return tuple(sorted(found, key=lambda atom: -atom.instruction.flops_per_cycle_per_unit))


def _types(expression: TensorExpression) -> tuple[str, str]:
    """Return the types of the factors, empty where they differ, and of the result."""
    types = {access.element_type for access in expression.inputs} or {expression.output.element_type}
    return (next(iter(types)) if len(types) == 1 else ""), expression.result_type


def _multiplies(one: Instruction, operand: str, result: str, *, allow_tf32: bool) -> bool:
    """Return whether a matrix instruction multiplies such factors and sums as wide as such results need."""
    rounded = allow_tf32 and (operand, one.operand_type) == ("f32", "tf32")
    total = "f32" if result in ACCUMULATED_IN_F32 else result
    known = one.operand_type in atom_family(one.family).factor_types
    return known and (one.operand_type == operand or rounded) and one.result_type == total


def scalar_atom(expression: TensorExpression, device: Device) -> Atom:
    """Return the instruction of one thread that computes an expression: of its types, or f32 FMA."""
    found = [atom for atom in atoms(expression, device) if not atom.is_matrix and atom.points() == 1]
    return found[0] if found else Atom(device.multiply_add)


def atom_of(expression: TensorExpression, device: Device, plan: Plan) -> Atom | None:
    """Return the instruction of a plan on the plan's loops, None where it is a scalar one that the device has not.

    Raises:
        ValueError: The device has no such matrix instruction.
    """
    if plan.atom is None:
        found = [one for one in atoms(expression, device, (plan.instruction,)) if not one.is_matrix]
        return found[0] if found else None
    operand, result = _types(expression)
    m, n, k = plan.atom.shape
    for one in device.instructions:
        if one.family == plan.instruction and _multiplies(one, operand, result, allow_tf32=True):
            (rows, columns, length), widest = one.shape, one.max_shape[1]
            if (m, k) == (rows, length) and n % columns == 0 and n <= widest:
                atom = plan.atom
                extra_axis = -1
                if one.threads > device.subgroup_size and plan.thread_order[0] != atom.row:
                    extra_axis = plan.thread_order[0]
                return _placed(one, (atom.row, atom.column, atom.depth), extra_axis=extra_axis)
    raise ValueError(
        f"'{device.name}' has no instruction of family '{plan.instruction}' and shape {m}x{n}x{k} for {operand} to "
        f"{result}"
    )


def _matrix_atom(expression: TensorExpression, loops: LoopRoles, instruction: Instruction) -> Atom | None:
    """Return the instruction on the longest loops of each role, its lanes' neighbours along the output's if it can.

    A loop shorter than half of the shape leaves most of the matrix unit idle: such an operator takes another
    instruction.
    """
    m, n, k = instruction.shape
    extent = expression.bounds.__getitem__
    # A loop that moves a window is walked in steps that divide it.
    whole = [
        loop
        for loop in loops.depth
        if expression.loops[loop].extent.divisor % k == 0 or not expression.moves_window(loop)
    ]
    if atom_family(instruction.family).factors is Factors.WHOLE:
        loops, whole = _of_whole_matrices(expression, loops, whole)
    if not (whole and loops.rows and loops.columns):
        return None
    depth = max(whole, key=extent)
    last = expression.output.indices[-1].terms() if expression.output.indices else {}
    # The loop along the output's rows comes first: other loops leave its tiles unaligned.
    rows = max(loops.rows, key=lambda loop: (loop in last and 2 * extent(loop) >= n, extent(loop)))
    columns = max(loops.columns, key=lambda loop: (loop in last and 2 * extent(loop) >= n, extent(loop)))
    along_rows = _shares(instruction)[0].chunk > 1
    if (columns if along_rows else rows) in last and (rows if along_rows else columns) not in last:
        rows, columns = columns, rows
    if 2 * extent(rows) < m and extent(columns) >= extent(rows):
        rows, columns = columns, rows  # the transposed product
    if 2 * extent(rows) < m or 2 * extent(columns) < n or 2 * extent(depth) < k:
        return None
    boxes: tuple[tuple[int, int], ...] = ()
    if atom_family(instruction.family).reads_memory:
        found = tensor_copy_multiples(expression, (rows, columns, depth))
        if found is None or any(2 * extent(loop) < size for loop, size in found if loop != depth):
            return None
        boxes = found
    return _placed(instruction, (rows, columns, depth), boxes)


def _of_whole_matrices(
    expression: TensorExpression, loops: LoopRoles, depths: Sequence[int]
) -> tuple[LoopRoles, list[int]]:
    """Return the loops along which both factors' tiles hold whole matrices, with the longest reduction that has such.

    Args:
        expression: The operator.
        loops: Its loops.
        depths: The reduction loops that may be the instruction's.
    """
    first, second = expression.inputs
    for depth in sorted(depths, key=lambda loop: -expression.bounds[loop]):
        rows = tuple(loop for loop in loops.rows if holds_whole_matrices(first, (loop, depth)))
        columns = tuple(loop for loop in loops.columns if holds_whole_matrices(second, (loop, depth)))
        if rows and columns:
            return LoopRoles(rows, columns, loops.depth), [depth]
    return loops, []


def _shares(instruction: Instruction) -> tuple[AxisShare, AxisShare]:
    shares = result_shares(_fragments(instruction).result)
    return shares[ROW], shares[COLUMN]


def _fragments(instruction: Instruction) -> Fragments:
    m, n, k = instruction.shape
    size = ELEMENT_BYTES.get(instruction.operand_type, 4)
    return atom_family(instruction.family).fragments((m, n, k), size)


def _placed(
    instruction: Instruction, loops: tuple[int, int, int], boxes: tuple[tuple[int, int], ...] = (), extra_axis: int = -1
) -> Atom:
    """Return an instruction on its loops.

    Args:
        instruction: The instruction.
        loops: The loops of rows, columns and reduction.
        boxes: Per loop, what a tile must be a multiple of for tensor copies.
        extra_axis: The loop that the subgroups of one instruction run along, -1 for that of its rows.
    """
    rows, columns = _shares(instruction)
    row, column, depth = loops
    names = {ROW: row, COLUMN: column}
    order = tuple(names[one] for one in lane_order(_fragments(instruction).result))
    _, n, k = instruction.shape
    groups = instruction.threads // (rows.lanes * columns.lanes)
    along = groups if extra_axis < 0 else 1
    multiples = ((row, along * rows.tile), (column, n), (depth, k), *boxes)
    if extra_axis >= 0:
        multiples = (*multiples, (extra_axis, groups))
    widths = [size for loop, size in multiples if loop == column]
    return Atom(
        instruction,
        row,
        column,
        depth,
        (rows, columns),
        (rows.lanes * along, columns.lanes),
        (rows.own, max(widths) // columns.lanes),
        k,
        order,
        multiples,
        extra_axis,
    )


def _paired(expression: TensorExpression, found: Atom | None, instruction: Instruction) -> Atom | None:
    """Return `wgmma` with its 64 rows on two loops, 16 of one and 4 of another, where more of its work is useful then.

    28 points of a line of an image are 44 % of 64 rows; 28 points of 28 lines 87 % of 16 points of 4 lines.

    Args:
        expression: The operator.
        found: The instruction with its rows on one loop, None where that cannot be.
        instruction: The instruction.
    """
    loops = roles(expression)
    if loops is None:
        return None
    rows = _shares(instruction)[0].tile
    best = 0.0
    if found is not None:
        best = 1.05 * _useful(expression, found.row, instruction.shape[0]) * _reused(expression, found.column)
    pair: Atom | None = None
    for here, there in ((loops.rows, loops.columns), (loops.columns, loops.rows)):
        column, depth = (max(some, key=lambda loop: expression.bounds[loop]) for some in (there, loops.depth))
        for row in here:
            for extra_axis in here:
                useful = _useful(expression, row, rows) * _useful(expression, extra_axis, instruction.shape[0] // rows)
                useful *= _reused(expression, column)
                if useful <= best or not lines_follow(expression, row, extra_axis, depth):
                    continue
                boxes = tensor_copy_multiples(expression, (row, column, depth))
                if boxes is not None and (column, depth) == _placeable(expression, boxes, column, depth, instruction):
                    best, pair = useful, _placed(instruction, (row, column, depth), boxes, extra_axis)
    return pair


def _placeable(
    expression: TensorExpression, boxes: tuple[tuple[int, int], ...], column: int, depth: int, instruction: Instruction
) -> tuple[int, int] | None:
    """Return the loops of columns and reduction if they are long enough for the instruction and for lines of boxes."""
    _, n, k = instruction.shape
    least = max([n, *(size for loop, size in boxes if loop == column)])
    return (column, depth) if 2 * expression.bounds[column] >= least and 2 * expression.bounds[depth] >= k else None


def _reused(expression: TensorExpression, column: int) -> float:
    """Return how far the columns pay for reading 64 rows from workgroup memory with each instruction."""
    columns = min(256, expression.bounds[column])
    return _useful(expression, column, 8) * columns / (columns + 64)


def _useful(expression: TensorExpression, loop: int, size: int) -> float:
    """Return the share of whole tiles of a size that a loop fills."""
    extent = expression.bounds[loop]
    return extent / (-(-extent // size) * size)
