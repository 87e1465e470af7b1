# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building `linalg.generic` ops from maps, with a body that is a function or that is filled in later."""

from collections.abc import Callable, Sequence
from typing import Any

from roller_mlir.dialects.rtile.compute import iterator_name
from roller_mlir.lowering.linalg.affine import loops_in
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.values import number_attribute


def generic(
    inputs: Sequence[Any],
    output: Any,
    maps: Sequence[Sequence[int | ir.AffineExpr] | None],
    body: Callable[..., Any],
    *,
    loops: int,
) -> Any:
    """Build a `linalg.generic` of one result at the insertion point; loops that the output lacks are reductions.

    Args:
        inputs: Tensors.
        output: The tensor that the result starts from.
        maps: Per input, then for the output, the loops that index its dimensions, or expressions of loops; None for all
            loops in order.
        body: From the elements of the inputs and of the output, all values, to what is yielded.
        loops: How many there are.
    """
    given: list[Sequence[Any]] = [range(loops) if each is None else each for each in maps]
    kinds = ["parallel" if loop in given[-1] else "reduction" for loop in range(loops)]
    affine_maps = [
        ir.AffineMap.get(loops, 0, [ir.AffineDimExpr.get(one) if isinstance(one, int) else one for one in each])
        for each in given
    ]
    operation = bodiless_generic(inputs, [output], affine_maps, kinds)
    elements = [ir.RankedTensorType(value.type).element_type for value in (*inputs, output)]
    block = operation.regions[0].blocks.append(*elements, arg_locs=[operation.location] * len(elements))
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(*block.arguments)])
    return operation.results[0]


def bodiless_generic(
    inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], maps: Sequence[ir.AffineMap], kinds: Sequence[str]
) -> ir.Operation:
    """Build a `linalg.generic` with an empty region at the insertion point.

    Args:
        inputs: Tensors or scalars.
        outputs: The tensors that the results start from.
        maps: Of the inputs, then of the outputs.
        kinds: "parallel" or "reduction", one a loop.
    """
    return ir.Operation.create(
        "linalg.generic",
        results=[value.type for value in outputs],
        operands=[*inputs, *outputs],
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
            "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{k}>") for k in kinds]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(outputs)]),
        },
        regions=1,
    )


def copy_body(operation: ir.Operation, new: ir.Operation) -> None:
    """Give an op the body of another, which keeps its own."""
    clone: Any = operation.clone()
    clone.operation.regions[0].blocks[0].append_to(new.regions[0])
    clone.operation.erase()


def iterators_of(operation: ir.Operation, maps: Sequence[ir.AffineMap]) -> tuple[str, ...]:
    """Return what each loop is: as the op says, or a reduction where an output lacks the loop."""
    if "iterator_types" in operation.attributes:
        return tuple(iterator_name(attribute) for attribute in operation.attributes["iterator_types"])
    outputs = maps[len(maps) - len(operation.results) :]
    written = [{loop for result in m.results for loop in loops_in(result)} for m in outputs]
    parallel = set.intersection(*written) if written else set[int]()
    return tuple("parallel" if loop in parallel else "reduction" for loop in range(maps[0].n_dims))


def empty_like(kind: Any) -> Any:
    """Build a tensor of a type and unspecified content at the insertion point."""
    ranked = ir.RankedTensorType(kind)
    return tensor.empty(list(ranked.shape), ranked.element_type)


def filled(kind: Any, scalar: Any) -> Any:
    """Build a fill of a new tensor of a type with a constant at the insertion point."""
    return linalg.fill(arith.constant(ir.RankedTensorType(kind).element_type, scalar), outs=[empty_like(kind)])


def with_element(kind: Any, element: Any) -> Any:
    """Return a type of the same shape, a scalar or a tensor, with another element type."""
    return ir.RankedTensorType.get(list(kind.shape), element) if isinstance(kind, ir.RankedTensorType) else element


def constant_like(kind: Any, value: float) -> Any:
    """Build a constant of a type at the insertion point: a number, or a tensor of static shape full of it."""
    if not isinstance(kind, ir.RankedTensorType):
        return arith.constant(kind, number_attribute(kind, value))
    return arith.constant(kind, ir.DenseElementsAttr.get_splat(kind, number_attribute(kind.element_type, value)))
