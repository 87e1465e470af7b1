# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The register tile of a matrix instruction: an rtile.compute done by the lanes of a subgroup together.

Everything else of a task (copies, masks, epilogues, stores) is as for threads that compute alone: a result lies in the
registers that `ThreadBox` says, and becomes an instruction's fragment only inside the reduction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from roller_mlir.dialects.rtile import ComputeOp
from roller_mlir.hal.atoms import Family, atom_family
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW, Fragment, Fragments
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes, vector_type
from roller_mlir.lowering.codegen.builder.thread_box import ThreadBox
from roller_mlir.lowering.linalg.body import CASTS, Body, BodyArgument, Local, Reference
from roller_mlir.mapping.thread_map import live_registers
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True)
class Matrix:
    """The matrix instruction of a compute.

    Attributes:
        operation: The compute.
        family: The record of its family.
        shape: Rows, columns and reduction length.
        loops: Loop of the box by dimension ("m", "n", "k").
        box: The box.
        first: Number of the input that gives the rows.
        second: Number of the input that gives the columns.
        factor: Element type of both.
        sum: Element type in which products are summed.
        fragments: Which lane holds what.
    """

    operation: ir.Operation
    family: Family
    shape: tuple[int, int, int]
    loops: dict[str, int]
    box: ThreadBox = field(repr=False)
    first: int
    second: int
    factor: ir.Type
    sum: ir.Type
    fragments: Fragments

    @cached_property
    def steps(self) -> dict[str, int]:
        """Registers of a thread that one instruction takes along rows and columns."""
        return {d: self.box.axes[self.loops[d]].tile // self.box.axes[self.loops[d]].lanes for d in (ROW, COLUMN)}

    @cached_property
    def atoms(self) -> list[dict[int, int]]:
        """One {parallel loop: first register} per instruction of a reduction point."""
        width = {self.loops[d]: count for d, count in self.steps.items()}
        parallel = [loop for loop, bound in enumerate(self.box.loops) if not bound.reduction]
        box = self.box
        runs = [live_registers(box.axes[i], box.loops[i])[:: width.get(i, 1)] for i in parallel]
        return [dict(zip(parallel, registers, strict=True)) for registers in product(*runs)]

    def keys(self, atom: dict[int, int]) -> list[int]:
        """Return which of the box's values make up an instruction's result, in the order of the fragment."""
        result, width = self.fragments.result, self.box.width
        found: list[int] = []
        for element in range(0, result.count, width):
            inner = _registers(result, element)
            key = dict(atom)
            for dimension, register in inner.items():
                key[self.loops[dimension]] += register
            found.append(self.box.keys.index(key))
        return found


def _registers(result: Fragment, element: int) -> dict[str, int]:
    """Return the registers of an element along rows and columns, relative to the instruction's first ones."""
    found: dict[str, int] = {}
    places: dict[str, int] = {}
    for dimension, count, _ in result.elements:
        element, digit = divmod(element, count)
        place = places.get(dimension, 1)
        found[dimension] = found.get(dimension, 0) + digit * place
        places[dimension] = place * count
    return found


def matrix_of(view: ComputeOp, box: ThreadBox, body: Body, maps: Sequence[Sequence[LinearIndex]]) -> Matrix | None:
    """Return the matrix instruction of a compute; None where each thread computes by itself.

    Refuses a compute that is not a sum of products of two inputs.
    """
    attribute = view.matrix_instruction
    if attribute is None or atom_family(attribute.family).vectors:
        return None
    row, column, depth = attribute.loops
    factors = product_factors(body)
    if factors is None or len(view.results) != 1:
        fail(view, "a matrix instruction computes sums of products of two inputs, but the body is something else")
    used = [{loop for index in maps[number] for loop in index.terms()} for number in factors]
    ordered = factors if row in used[0] else factors[::-1]
    one, other = (used[factors.index(number)] for number in ordered)
    if row not in one or column not in other or row in other or column in one or depth not in one & other:
        fail(
            view,
            f"a matrix instruction needs one input with loops {row} and {depth} and another with {column} and {depth}, "
            f"but the inputs have {sorted(one)} and {sorted(other)}",
        )
    factor = body.types[factors[0]]
    if body.types[factors[1]] != factor:
        fail(view, f"a matrix instruction has factors of one type, but got {factor} and {body.types[factors[1]]}")
    result = body.types[body.inputs]
    is_float = isinstance(factor, (ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type))
    total = ir.F32Type.get() if is_float and element_bytes(result) < 4 else result
    family = atom_family(attribute.family)
    try:
        fragments = family.fragments(attribute.shape, element_bytes(factor))
    except ValueError as error:
        fail(view, f"the instruction of the compute is none: {error}")
    if box.width > 1 and (
        not fragments.result.elements or _lane_dimension(fragments, box, attribute.loops) != box.lane
    ):
        fail(view, f"lane {box.lane} is not the loop along which a lane of {family.name} holds neighbours")
    loops = {ROW: row, COLUMN: column, DEPTH: depth}
    return Matrix(
        operation=view.operation,
        family=family,
        shape=attribute.shape,
        loops=loops,
        box=box,
        first=ordered[0],
        second=ordered[1],
        factor=factor,
        sum=total,
        fragments=fragments,
    )


def _lane_dimension(fragments: Fragments, box: ThreadBox, loops: tuple[int, int, int]) -> int | None:
    dimension, count, _ = fragments.result.elements[0]
    return {ROW: loops[0], COLUMN: loops[1]}[dimension] if count % box.width == 0 else None


def product_factors(body: Body) -> tuple[int, int] | None:
    """Return the two inputs whose product the body adds to its only accumulator, None for any other body."""
    contribution = body.contribution()
    if not isinstance(contribution, Local) or body.combiner() not in ("arith.addf", "arith.addi"):
        return None
    op = body.ops[contribution.operation]
    found = [_argument(body, reference) for reference in op.operands]
    if op.name not in ("arith.mulf", "arith.muli") or len(found) != 2:
        return None
    first, second = found
    return (first, second) if first is not None and second is not None and first != second else None


def _argument(body: Body, reference: Reference) -> int | None:
    """Return the input that a value is, or is cast from."""
    while isinstance(reference, Local):
        op = body.ops[reference.operation]
        if op.name not in CASTS:
            return None
        (reference,) = op.operands
    return reference.number if isinstance(reference, BodyArgument) and reference.number < body.inputs else None


def convert(context: TaskContext, value: ir.Value, element: ir.Type) -> ir.Value:
    """Return a float scalar or vector in another type; integers are of one type already."""
    shape = ir.VectorType(value.type).shape if isinstance(value.type, ir.VectorType) else None
    own = ir.VectorType(value.type).element_type if shape is not None else value.type
    if own == element:
        return value
    kind = vector_type(element, shape[0] if shape is not None else 1)
    if shape is not None and shape[0] == 1:
        kind = ir.VectorType.get([1], element)
    name = "arith.truncf" if element_bytes(element) < element_bytes(own) else "arith.extf"
    return context.emit.op(name, [value], kind)
