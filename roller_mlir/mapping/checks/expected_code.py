# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan expects of its kernel's machine code, to be compared with what the vendor's compiler made of it.

Of one thread: the multiply-adds of one pass of the main loop, and per input the width and the number of the accesses of
one step. Of a subgroup: the matrix instructions of one pass. Of a task: workgroup memory, and registers few enough that
the plan's tasks fit on a unit.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.hal import Device
from roller_mlir.hal.atoms import atom_family
from roller_mlir.mapping.checks.expected_copies import ExpectedProducts, expected_products
from roller_mlir.mapping.checks.expected_matrix import MatrixPass
from roller_mlir.mapping.layout.data_tile import TileDimension, copy_map, tile_copy, tile_dimensions
from roller_mlir.mapping.layout.layout import row_blocks, steps_of
from roller_mlir.mapping.layout.thread_reads import live_offsets
from roller_mlir.mapping.unrolling import rolled_loops
from roller_mlir.plan import Access, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import ASYNCHRONOUS, STAGED, TENSOR, WORKGROUP

GLOBAL_LOAD, WORKGROUP_STORE, WORKGROUP_LOAD = "global load", "workgroup store", "workgroup load"
MATRIX_LOAD, ASYNCHRONOUS_COPY, TENSOR_COPY = "matrix load", "asynchronous copy", "tensor copy"


@dataclass(frozen=True, kw_only=True)
class ExpectedAccess:
    """One kind of access to one input.

    Attributes:
        operand: Number of the input.
        kind: "global load", "workgroup store", "workgroup load", "matrix load", "asynchronous copy", or "tensor copy".
        width_bytes: Bytes of one access of one thread; 0 of a tensor copy, of which no thread has a part.
        count: Accesses of one thread in one step.
        staged: Whether the input goes through workgroup memory; what does not may be the same for all threads.
        partial: How many of these hold elements that the thread does not need, which a compiler may leave out.
    """

    operand: int
    kind: str
    width_bytes: int
    count: int
    staged: bool = True
    partial: int = 0


@dataclass(frozen=True, kw_only=True)
class ExpectedCode:
    """What a plan expects.

    Attributes:
        device: What it is for.
        threads: Threads of a task.
        tasks_per_unit: Tasks that are to fit on a unit, if there are as many; 0 where the plan leaves it to the back
            end.
        registers: Registers of one thread as predicted; 0 without a prediction.
        workgroup_bytes: Workgroup memory of a task; None without a prediction.
        pass_fmas: Multiply-adds of one thread in one pass of the main loop; 0 where the body is no multiply-add.
        most_pass_fmas: The same with all lanes of vectors that lie partly beyond a loop, which compilers may drop.
        loops: Whether there is a main loop.
        only_fmas: Whether the kernel has no arithmetic beside the multiply-adds, so that they can be counted exactly.
        reads_more: Whether the kernel reads tensors beside its inputs, before or after the reduction.
        packed: Whether each instruction multiplies and adds twice.
        family: The plan's family of instructions.
        pass_matrices: Matrix instructions of a subgroup in one pass of the main loop; 0 without them.
        accesses: What each input's tile is moved and read by.
        joins: Whether results, or parts of them, pass workgroup memory beside tiles, outside of the loops that read
            these.
        products: Tensor copies and products of warpgroups; None without them.
    """

    device: Device
    threads: int
    tasks_per_unit: int
    registers: int
    workgroup_bytes: int | None
    pass_fmas: int
    most_pass_fmas: int
    loops: bool
    only_fmas: bool
    reads_more: bool
    packed: bool
    family: str = "fma"
    pass_matrices: int = 0
    accesses: tuple[ExpectedAccess, ...] = ()
    joins: bool = False
    products: ExpectedProducts | None = None


def expected_code_of(expression: TensorExpression, plan: Plan, device: Device) -> ExpectedCode:
    """Return what a plan for an expression expects of its kernel on a device."""
    prediction = plan.prediction
    matrix = MatrixPass.of(expression, plan) if plan.atom is not None else None
    rolled = matrix.rolled if matrix is not None else _rolled(expression, plan)
    steps = prod(steps_of(loop, plan.axes[i]) for i, loop in enumerate(expression.loops) if loop.reduction)
    walked = expression.walks_rows([axis.block for axis in plan.axes])
    accesses: list[ExpectedAccess] = []
    for number, (access, operand) in enumerate(zip(expression.inputs, plan.operands, strict=True)):
        if access.shape and matrix is None:
            accesses += _accesses(expression, plan, rolled, number, access, operand)
        elif access.shape and matrix is not None:
            accesses += _matrix_accesses(matrix, number, access, operand, device)
    resident = plan.tasks_per_unit or 0
    if prediction is not None:
        resident = min(resident, -(-prediction.tasks // device.units))
    return ExpectedCode(
        device=device,
        threads=plan.threads,
        tasks_per_unit=resident,
        registers=prediction.registers if prediction is not None else 0,
        workgroup_bytes=prediction.shared_bytes if prediction is not None else None,
        pass_fmas=_pass_fmas(expression, plan, rolled, None),
        most_pass_fmas=_pass_fmas(expression, plan, rolled, plan.lane),
        loops=steps > 1 or bool(rolled) or walked,
        only_fmas=matrix is None
        and not (expression.epilogue or expression.epilogue_flops or any(expression.prologue_flops)),
        reads_more=bool(expression.epilogue)
        or expression.accumulates
        or any(access.gathered for access in expression.inputs),
        packed=atom_family(plan.instruction).points > 1 and all(_by_lanes(a, plan) for a in expression.inputs),
        family=plan.instruction,
        pass_matrices=matrix.instructions if matrix is not None else 0,
        accesses=tuple(accesses),
        joins=walked or plan.store == STAGED,
        products=expected_products(expression, plan),
    )


def _rolled(expression: TensorExpression, plan: Plan) -> frozenset[int]:
    reductions = [i for i, loop in enumerate(expression.loops) if loop.reduction]
    runs = {i: plan.axes[i].registers // plan.axes[i].chunk for i in reductions}
    inner = {i: 1 if i == plan.lane else plan.axes[i].chunk for i in reductions}
    return rolled_loops(reductions, runs, inner, plan.unroll)


def _pass_fmas(expression: TensorExpression, plan: Plan, rolled: frozenset[int], lane: int | None) -> int:
    """Return the multiply-adds of one pass: the points that may lie in range for some thread of some task.

    Along the loop `lane` whole vectors count.
    """
    if not expression.fused_multiply_add or expression.result_type not in ("f32", "f64"):
        return 0
    if plan.atom is not None:
        return 0  # matrix instructions multiply and add
    if len(expression.inputs) < 2:
        return 0  # products with a constant are made once for all sums that take them
    if any(access.gathered for access in expression.inputs):
        return 0  # points that read at one position make equal products
    used = {loop for access in expression.inputs for loop in access.loops()}
    if any(axis.registers > 1 and loop not in used for loop, axis in enumerate(plan.axes)):
        return 0  # equal products are made once
    points = [
        axis.chunk if i in rolled else len(live_offsets(loop, axis, vector=i == lane))
        for i, (loop, axis) in enumerate(zip(expression.loops, plan.axes, strict=True))
    ]
    return prod(points)


def _accesses(
    expression: TensorExpression, plan: Plan, rolled: frozenset[int], number: int, access: Access, operand: OperandPlan
) -> list[ExpectedAccess]:
    dimensions = tile_dimensions(access, [axis.block for axis in plan.axes])
    size, inner = access.element_bytes, operand.order[-1]

    def expected(kind: str, width: int, count: int, partial: int = 0) -> ExpectedAccess:
        staged = operand.layer == WORKGROUP
        return ExpectedAccess(
            operand=number, kind=kind, width_bytes=width * size, count=count, staged=staged, partial=partial
        )

    width = operand.fragment_vector if operand.layer == WORKGROUP else operand.vector
    reads, partial = _reads(dimensions, expression, plan, rolled, inner, width)
    if operand.layer != WORKGROUP:
        return [expected(GLOBAL_LOAD, operand.vector, reads, partial)]
    tile = tile_dimensions(access, row_blocks(expression, plan.axes))
    rounds = copy_map([d.extent for d in tile], operand.vector, plan.threads).rounds
    if operand.copy == ASYNCHRONOUS:
        copies = expected(ASYNCHRONOUS_COPY, operand.vector, rounds)
        return [copies, expected(WORKGROUP_LOAD, operand.fragment_vector, reads, partial)]
    return [
        expected(GLOBAL_LOAD, operand.vector, rounds),
        expected(WORKGROUP_STORE, operand.store_vector, rounds * (operand.vector // operand.store_vector)),
        expected(WORKGROUP_LOAD, operand.fragment_vector, reads, partial),
    ]


def _matrix_accesses(
    matrix: MatrixPass, number: int, access: Access, operand: OperandPlan, device: Device
) -> list[ExpectedAccess]:
    def expected(kind: str, width_bytes: int, count: int) -> ExpectedAccess:
        return ExpectedAccess(operand=number, kind=kind, width_bytes=width_bytes, count=count)

    if operand.copy == TENSOR:
        return [expected(TENSOR_COPY, 0, 1)]
    size = access.element_bytes
    tile = [dimension.extent for dimension in tile_dimensions(access, [axis.block for axis in matrix.plan.axes])]
    copy = tile_copy(tile, operand, matrix.plan.threads)
    found = [expected(GLOBAL_LOAD, operand.vector * size, copy.rounds * copy.depth)]
    if operand.copy == ASYNCHRONOUS:
        found = [expected(ASYNCHRONOUS_COPY, operand.vector * size, copy.rounds)]
    else:
        stores = copy.rounds * copy.depth * operand.vector // operand.store_vector
        found.append(expected(WORKGROUP_STORE, operand.store_vector * size, stores))
    reads = matrix.reads(access, operand, device.features)
    if reads is not None:
        kind = MATRIX_LOAD if reads.matrices else WORKGROUP_LOAD
        found += [expected(kind, width, count) for width, count in reads.widths.items()]
    return found


def _reads(
    dimensions: Sequence[TileDimension],
    expression: TensorExpression,
    plan: Plan,
    rolled: frozenset[int],
    inner: int,
    width: int,
) -> tuple[int, int]:
    """Return how many vectors of a tile a thread reads in a pass, and how many of them it needs in part only."""
    elements = {(0,) * len(dimensions)}
    for loop in {loop for dimension in dimensions for loop in dimension.coefficients}:
        steps = [dimension.coefficients.get(loop, 0) for dimension in dimensions]
        offsets = live_offsets(expression.loops[loop], plan.axes[loop], vector=False)
        if loop in rolled:
            offsets = offsets[: plan.axes[loop].chunk]
        elements = {
            tuple([at + k * offset for at, k in zip(place, steps, strict=True)])
            for place in elements
            for offset in offsets
        }
    vectors = Counter((*at[:inner], at[inner] // width, *at[inner + 1 :]) for at in elements)
    return len(vectors), sum(count < width for count in vectors.values())


def _by_lanes(access: Access, plan: Plan) -> bool:
    """Return whether a tile's elements at the lanes of a vector are one element, or an aligned vector."""
    lane = plan.lane
    if lane is None:
        return False
    moved = [index for index in access.indices if index.coefficients[lane]]
    return not moved or (len(moved) == 1 and len(moved[0].terms()) == 1)
