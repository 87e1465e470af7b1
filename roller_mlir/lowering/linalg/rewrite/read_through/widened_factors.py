# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products read their factors as they were before they are widened, and widen them themselves.

    %a = linalg.generic ins(%x : tensor<8x64xbf16>) outs(... tensor<8x64xf32>) { arith.extf }     // %b of %y likewise
    %c = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x96xf32>) outs(%s : tensor<8x96xf32>)
    // becomes
    %c = linalg.matmul ins(%x, %y : tensor<8x64xbf16>, tensor<64x96xbf16>) outs(%s : tensor<8x96xf32>)

Importers write a linear layer of bf16 so: PyTorch's decomposition of `addmm` computes in f32. The products and sums are
the same ones, but half the bytes are read, and a device whose instructions multiply such factors is seen to have them.
Between may stand reshapes and transposes, which are then of the narrow factor.

Where a product is not best computed by such an instruction, factors stay as they are: each of their elements is
multiplied often, and would be widened as often.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.lowering.linalg.constants import is_known_constant
from roller_mlir.lowering.linalg.group.dispatches import ConstantInputs
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.linalg.reader import is_structured, read_structured
from roller_mlir.lowering.linalg.rewrite.read_through.moves import Move, move_by, moved
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import defining_op, indexing_maps, replace_op

_PRODUCTS = (["arith.mulf", "arith.addf", "linalg.yield"], ["arith.muli", "arith.addi", "linalg.yield"])
_WIDENING = ("arith.extf", "arith.extsi")

Pays = Callable[[TensorExpression, ConstantInputs], bool]
"""Whether a product, of which some inputs are constants, is best computed by an instruction for its element types."""


def read_before_widening(block: ir.Block, kinds: Collection[tuple[str, str]], pays: Pays) -> list[ir.Operation]:
    """Let the products of a block read factors before they are widened; return those that do.

    Args:
        block: Of structured ops on tensors.
        kinds: Element types of factors and of sums that the device's instructions multiply.
        pays: Whether a product of narrow factors is best computed by one of them.
    """
    changed: list[ir.Operation] = []
    for operation in [op.operation for op in block.operations]:
        if not _is_product(operation):
            continue
        factors = [_narrow(value) for value in list(operation.operands)[:2]]
        if any(one is None for one in factors):
            continue
        narrow = {str(one.element) for one in factors if one is not None}
        known = [number for number, one in enumerate(factors) if one is not None and is_known_constant(one.value)]
        constant = ConstantInputs(tuple(known))
        wide = str(ir.RankedTensorType(operation.results[0].type).element_type)
        if len(narrow) == 1 and (*narrow, wide) in kinds and pays(_of_elements(operation, *narrow), constant):
            changed.append(_rewrite(operation, [one for one in factors if one is not None]))
    return changed


@dataclass(frozen=True)
class _Narrow:
    """A factor before it is widened.

    Attributes:
        value: The tensor.
        moves: Reshapes and transposes behind it, the first one first.
    """

    value: ir.Value
    moves: tuple[Move, ...]

    @property
    def element(self) -> ir.Type:
        """Its element type."""
        return ir.RankedTensorType(self.value.type).element_type


def _of_elements(operation: ir.Operation, element: str) -> TensorExpression:
    """Return the expression of a product whose factors were of another type."""
    expression = read_structured(operation).expression
    return replace(expression, inputs=tuple(replace(one, element_type=element) for one in expression.inputs))


def _is_product(operation: ir.Operation) -> bool:
    """Return whether an op sums products of two tensors, as they are."""
    if not is_structured(operation) or len(operation.results) != 1 or len(operation.operands) != 3:
        return False
    block = operation.regions[0].blocks[0]
    body = [op.operation for op in block.operations]
    if [one.name for one in body] not in _PRODUCTS:
        return False
    first, second, total = block.arguments
    return list(body[0].operands) in ([first, second], [second, first]) and set(body[1].operands) == {
        body[0].results[0],
        total,
    }


def _narrow(value: ir.Value) -> _Narrow | None:
    """Return what a tensor is before it is widened."""
    moves: list[Move] = []
    while (operation := defining_op(value)) is not None:
        if (move := move_by(operation)) is not None:
            moves.insert(0, move)
            value = operation.operands[0]
            continue
        return _Narrow(operation.operands[0], tuple(moves)) if _widens(operation) else None
    return None


def _widens(operation: ir.Operation) -> bool:
    """Return whether an op is its only input in a wider type, element by element."""
    if not is_structured(operation) or len(operation.results) != 1 or len(operation.operands) != 2:
        return False
    block = operation.regions[0].blocks[0]
    body = [op.operation for op in block.operations]
    if len(body) != 2 or body[0].name not in _WIDENING or body[0].operands[0] != block.arguments[0]:
        return False
    read, written = indexing_maps(operation)
    return read == written and written.is_permutation


def _rewrite(operation: ir.Operation, factors: list[_Narrow]) -> ir.Operation:
    """Put a product of narrow factors in the place of one, with its name; return it."""
    attributes: dict[str, ir.Attribute] = {name: operation.attributes[name] for name in operation.attributes}
    output = operation.operands[2]
    with ir.InsertionPoint(operation), operation.location:
        inputs = [moved(factor.value, factor.moves) for factor in factors]
        new = ir.Operation.create(
            operation.name,
            results=[output.type],
            operands=[*inputs, output],
            attributes=attributes,
            regions=1,
        )
        kinds = [*(factor.element for factor in factors), ir.RankedTensorType(output.type).element_type]
        block = new.regions[0].blocks.append(*kinds, arg_locs=[operation.location] * len(kinds))
        old: Any = operation.regions[0].blocks[0]
        widen = arith.extf if isinstance(kinds[2], ir.FloatType) else arith.extsi
        with ir.InsertionPoint(block):
            mapped: dict[ir.Value, ir.Value] = {old.arguments[2]: block.arguments[2]}
            for number in range(2):
                mapped[old.arguments[number]] = widen(kinds[2], block.arguments[number])
            for op in old.operations:
                copy_mapped(op.operation, mapped)
    replace_op(operation, *new.results)
    return new
