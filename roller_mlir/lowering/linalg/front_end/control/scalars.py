# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars that linalg ops take are computed where they are needed: in the bodies, from the tensors that hold them.

    %s = tensor.extract %t[] : tensor<f32>
    %h = arith.mulf %s, %c : f32
    linalg.fill ins(%h : f32) outs(%e)
    // becomes
    linalg.generic ins(%t : tensor<f32>) outs(%e) { ^bb0(%s: f32, %o: f32): yield arith.mulf %s, %c }

So no kernel is made for scalar arithmetic, and each task reads the scalar once. Refused: constant positions outside of
the tensor.
"""

from typing import Any

from roller_mlir.lowering.linalg.accepted_input import BODY_DIALECTS, compiled_functions
from roller_mlir.lowering.linalg.front_end.indexed.positions import check_position, shape_of
from roller_mlir.lowering.linalg.generic import bodiless_generic, iterators_of
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, erase_unread, indexing_maps, replace_op

EXTRACT = "tensor.extract"
_Element = tuple[Any, tuple[int, ...]]


def sink_scalars(module: ir.Module) -> None:
    """Rewrite the linalg ops of a module that take scalars which are no constants."""
    for function in compiled_functions(module):
        for op in list(function.entry_block.operations):
            if is_structured(op.operation) and indexing_maps(op.operation):
                _sink(op.operation)
        erase_unread(function.entry_block, lambda op: op.name == EXTRACT or op.name.split(".")[0] in BODY_DIALECTS)


def _sink(operation: Any) -> None:
    taken = [v for v in operation.operands if not isinstance(v.type, ir.ShapedType) and not _is_constant(v)]
    scalars = list(dict.fromkeys([*taken, *_captured(operation)]))
    elements: dict[_Element, None] = {}
    if not scalars or not all(_collect(value, elements) for value in scalars):
        return  # the check of what is accepted names what is left
    maps = indexing_maps(operation)
    loops, results = maps[0].n_dims, len(operation.results)
    kept = [n for n, value in enumerate(operation.operands) if value not in scalars]
    inputs = [n for n in kept if n < len(operation.operands) - results]
    constant = [[ir.AffineConstantExpr.get(i) for i in indices] for _, indices in elements]
    with ir.InsertionPoint(operation), operation.location:
        new = bodiless_generic(
            [operation.operands[n] for n in inputs] + [source for source, _ in elements],
            list(operation.operands)[len(operation.operands) - results :],
            [maps[n] for n in inputs] + [ir.AffineMap.get(loops, 0, c) for c in constant] + maps[len(maps) - results :],
            iterators_of(operation, maps),
        )
    old = operation.regions[0].blocks[0]
    kinds = [old.arguments[n].type for n in inputs]
    kinds += [ir.RankedTensorType(source.type).element_type for source, _ in elements]
    outputs = list(old.arguments)[len(maps) - results :]
    kinds += [argument.type for argument in outputs]
    block = new.regions[0].blocks.append(*kinds, arg_locs=[operation.location] * len(kinds))
    mapping: dict[Any, Any] = dict(zip((old.arguments[n] for n in inputs), block.arguments, strict=False))
    at = dict(zip(elements, list(block.arguments)[len(inputs) :], strict=False))
    mapping.update(zip(outputs, list(block.arguments)[len(inputs) + len(elements) :], strict=True))
    with ir.InsertionPoint(block):
        for value in scalars:
            _clone_tree(value, mapping, at)
        for n, value in enumerate(operation.operands):
            if value in scalars:
                mapping[old.arguments[n]] = mapping[value]
        for inner in old.operations:
            copy_mapped(inner.operation, mapping)
    replace_op(operation, *new.results)


def _captured(operation: Any) -> list[Any]:
    """Return the values, no constants, that the body takes from outside of the op."""
    block = operation.regions[0].blocks[0]
    inside = {result for inner in block.operations for result in inner.operation.results} | set(block.arguments)
    used = [value for inner in block.operations for value in inner.operation.operands]
    return [value for value in used if value not in inside and not _is_constant(value)]


def _collect(value: Any, elements: dict[_Element, None]) -> bool:
    """Gather the elements of tensors that a scalar is computed from; return whether that is all it needs."""
    operation = defining_op(value)
    if operation is None:
        return False
    if operation.name == EXTRACT:
        found = _element(operation)
        if found is not None:
            elements[found] = None
        return found is not None
    is_arithmetic = operation.name.split(".")[0] in BODY_DIALECTS and not operation.regions
    return is_arithmetic and all(_collect(operand, elements) for operand in operation.operands)


def _element(extract: Any) -> _Element | None:
    """Return the tensor and the position of a `tensor.extract` at constants."""
    source, *indices = extract.operands
    if not all(_is_constant(index) for index in indices):
        return None
    position = tuple(ir.IntegerAttr(defining_op(index).attributes["value"]).value for index in indices)
    check_position(extract, shape_of(source), position)
    return source, position


def _clone_tree(value: Any, mapping: dict[Any, Any], at: dict[_Element, Any]) -> None:
    if value in mapping:
        return
    operation = defining_op(value)
    if operation.name == EXTRACT:
        element = _element(operation)
        assert element is not None
        mapping[value] = at[element]
        return
    for operand in operation.operands:
        _clone_tree(operand, mapping, at)
    copy_mapped(operation, mapping)


def _is_constant(value: Any) -> bool:
    return defining_op(value, "arith.constant") is not None
