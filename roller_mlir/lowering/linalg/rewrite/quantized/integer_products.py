# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of dequantized factors are products of integers, which are scaled behind their sum.

    %a = linalg.generic ins(%q : tensor<8x64xi8>) outs(... f32) { (extui %q - 131) * 0.02 }    // %b of %w, by channel
    %c = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x96xf32>) outs(%s : tensor<8x96xf32>)
    // becomes
    %x = linalg.generic ins(%q) { xori %q, -128 }                        // signed: 128 less, as is its zero point
    %p = linalg.matmul ins(%x, %w : tensor<8x64xi8>, tensor<64x96xi8>) outs(0 : tensor<8x96xi32>)
    %c = linalg.generic ins(%p, sums, scales, %s) { (%p - 3 * sum of %w along k) * scale + %s }

That is how quantizers write models (`QuantizeLinear` and `DequantizeLinear` of ONNX around each operator,
`MatMulInteger` behind `DynamicQuantizeLinear`, linalg's own quantized products), and how runtimes read them. Sums of a
constant's integers are constants, those of other factors are made beside the product. Sums of integers are exact, where
those of rounded products are not; such that may pass 32 bits stay as they are. Padding reads as the zero point.

Where the product of integers is not best computed by an instruction of the device, factors stay as they are.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from roller_mlir.lowering.linalg.generic import empty_like, filled, generic, iterators_of, with_element
from roller_mlir.lowering.linalg.group.dispatches import ConstantInputs
from roller_mlir.lowering.linalg.moved_constants import MovedConstants, loops_read
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured, read_structured
from roller_mlir.lowering.linalg.rewrite.quantized.dequantized import (
    AtRunTime,
    Dequantized,
    Known,
    dequantized_factors,
)
from roller_mlir.lowering.linalg.rewrite.quantized.scaled_sums import AlongResult, Number, ScaledSums, Zero
from roller_mlir.lowering.linalg.rewrite.read_through.moves import moved
from roller_mlir.lowering.linalg.rewrite.read_through.widened_factors import Pays
from roller_mlir.support.bindings import arith, ir, linalg
from roller_mlir.support.values import defining_op, indexing_maps, replace_op

_HALF, _MOST = 128, (1 << 31) - 1


def multiply_integers(block: ir.Block, kinds: Collection[tuple[str, str]], pays: Pays) -> list[ir.Operation]:
    """Let the products of a block multiply the integers that their factors are made of; return the new products.

    Args:
        block: Of structured ops on tensors.
        kinds: Element types of factors and of sums that the device's instructions multiply.
        pays: Whether a product of integers is best computed by one of them.
    """
    if ("i8", "i32") not in kinds:
        return []
    rewrite = _Rewrite(block)
    changed = [rewrite.product(operation, pays) for operation in [op.operation for op in block.operations]]
    rewrite.sign_readers()
    return [one for one in changed if one is not None]


@dataclass(frozen=True)
class _Factor:
    """A factor of a product.

    Attributes:
        made: What it is made of.
        map: By which the product reads it.
        zero: Its zero point where its integers have signs, None for 0.
    """

    made: Dequantized
    map: ir.AffineMap
    zero: Zero | None


class _Rewrite:
    """Rewrites the products of one block.

    Args:
        block: Of a function.
    """

    def __init__(self, block: ir.Block) -> None:
        self._constants = MovedConstants(block)
        self._signed: dict[ir.Value, ir.Value] = {}

    def product(self, operation: ir.Operation, pays: Pays) -> ir.Operation | None:
        """Rewrite an op, if it is such a product; return the product of integers."""
        if not _reduces(operation):
            return None
        maps = indexing_maps(operation)
        found = dequantized_factors(operation, self._constants)
        factors = [factor for number, one in found if (factor := _factor(one, maps[number])) is not None]
        if len(factors) < 2 or _is_plain(operation, factors):
            return None
        largest = _points_of(operation) * prod(_largest(one.made) for one in factors)
        if largest > _MOST or self._scales(operation, factors) is None:
            return None
        with ir.InsertionPoint(operation), operation.location:
            integers = [self._integers(one) for one in factors]
            new = _product_of(operation, integers, [one.map for one in factors])
            known = ConstantInputs(tuple(n for n, one in enumerate(integers) if self._constants.knows(one)))
            paid = pays(read_structured(new).expression, known)
            scaled = self._scaled(operation, factors, integers) if paid else None
            if scaled is None:
                new.erase()
                return None
            result = scaled.built(new.results[0], operation.results[0].type)
        replace_op(operation, result)
        return new

    def sign_readers(self) -> None:
        """Let who reads integers without sign read those with signs, so that one of both is stored."""
        for value, signed in self._signed.items():
            maker, users = defining_op(value), [use.owner.operation for use in value.uses]
            if not list(signed.uses) or maker is None or not all(map(is_structured, (maker, *users))):
                continue
            for user in users:
                if user.results[0] == signed:
                    continue
                with ir.InsertionPoint(user), user.location:
                    back = _flipped(signed)
                for number, operand in enumerate(user.operands):
                    if operand == value:
                        user.operands[number] = back

    def _integers(self, factor: _Factor) -> ir.Value:
        """Return the factor's integers with signs, moved as it is; build what is not there yet."""
        value = factor.made.integers
        if _wants_signs(factor.made):
            if value not in self._signed:
                self._signed[value] = self._with_signs(value)
            value = self._signed[value]
        padding = ir.IntegerAttr.get(ir.IntegerType.get_signless(8), 0 if factor.zero is None else factor.zero.number)
        return moved(value, factor.made.moves, padding)

    def _with_signs(self, value: ir.Value) -> ir.Value:
        """Return numbers without sign less 128, which have one."""
        if self._constants.knows(value):
            array = self._constants.elements(value) ^ np.int8(-_HALF)
            return self._constants.made(array, ir.RankedTensorType(value.type).element_type)
        maker = defining_op(value)
        if maker is None:
            return _flipped(value)
        with ir.InsertionPoint.after(maker):
            return _flipped(value)

    def _scales(self, operation: ir.Operation, factors: Sequence[_Factor]) -> Any:
        """Return constants by which sums are multiplied, of the result's rank; None where f32 has none such."""
        result, written = ir.RankedTensorType(operation.results[0].type), loops_read(indexing_maps(operation)[-1])
        floats, known = isinstance(result.element_type, ir.FloatType), np.ones([1] * result.rank)
        if len(written) != result.rank:
            return None
        for factor in factors:
            scale = factor.made.scale
            if (scale is not None) != floats:
                return None
            if isinstance(scale, Known):
                along = _along_output(scale.array, factor.map, written)
                if along is None:
                    return None
                known = known * along.astype(np.float32)
        sizes, held = np.abs(known), np.finfo(np.float32)
        return known if ((sizes == 0) | ((sizes >= held.tiny) & (sizes <= held.max))).all() else None

    def _scaled(
        self, operation: ir.Operation, factors: Sequence[_Factor], integers: Sequence[ir.Value]
    ) -> ScaledSums | None:
        """Return what makes the product's result of sums of integers, None where that is not known how."""
        result = ir.RankedTensorType(operation.results[0].type)
        scaled = ScaledSums(result.rank, self._constants)
        (first, second), (y, z) = factors, (one.zero for one in factors)
        if y is not None:
            sums = self._sums(operation, second, integers[1], scaled)
            if sums is None:
                return None
            scaled.lessen(y, sums)
        if z is not None:
            sums = self._sums(operation, first, integers[0], scaled)
            if sums is None:
                return None
            scaled.lessen(z, sums, y, _points_of(operation))
        if isinstance(result.element_type, ir.FloatType):
            known = scaled.constant(self._scales(operation, factors).astype(np.float32), result.element_type)
            later = [one.made.scale for one in factors if isinstance(one.made.scale, AtRunTime)]
            scaled.scale([known, *(scaled.element(AlongResult(one.tensor, ())) for one in later)])
        elif result.element_type != ir.IntegerType.get_signless(32):
            scaled.widen(result.element_type)
        start = operation.operands[len(operation.operands) - 1]
        constant = fill_constant(start)
        if constant is None or constant.value != 0:
            scaled.add(start)
        return scaled

    def _sums(self, operation: ir.Operation, factor: _Factor, integers: ir.Value, scaled: ScaledSums) -> Number | None:
        """Return sums of a factor's integers along the reduction, None where it is read by more than loops."""
        maps, loops, i32 = indexing_maps(operation), loops_read(factor.map), ir.IntegerType.get_signless(32)
        written = loops_read(maps[-1])
        reduced = {loop for loop, kind in enumerate(iterators_of(operation, maps)) if kind != "parallel"}
        if not reduced <= set(loops) or len(set(loops)) != len(loops):
            return None
        kept = [dimension for dimension, loop in enumerate(loops) if loop not in reduced]
        if self._constants.knows(factor.made.integers):
            array = self._constants.elements(factor.made.integers)
            array = array ^ np.int8(-_HALF) if _wants_signs(factor.made) else array
            for move in factor.made.moves:
                if move.pads:
                    return None
                array = move.of_array(array)
            axes = tuple(dimension for dimension in range(len(loops)) if dimension not in kept)
            along = _along_output(array.sum(axes, dtype=np.int32, keepdims=True), factor.map, written)
            return scaled.constant(along, i32)
        shape = [ir.RankedTensorType(integers.type).shape[dimension] for dimension in kept]
        start = filled(ir.RankedTensorType.get(shape, i32), 0)
        sums = generic(
            [integers], start, [None, kept], lambda x, sum_: arith.addi(sum_, arith.extsi(i32, x)), loops=len(loops)
        )
        return scaled.element(AlongResult(sums, tuple(written.index(loops[dimension]) for dimension in kept)))


def _factor(made: Dequantized, read: ir.AffineMap) -> _Factor | None:
    """Return a factor, None where its zero point is not one number, or padding cannot read as it."""
    beyond = _HALF if made.unsigned else 0
    if isinstance(made.zero, AtRunTime):
        return _Factor(made, read, Zero(-beyond, made.zero))
    array = (np.array([0]) if made.zero is None else made.zero.array) - beyond
    number = int(array.flat[0])
    padded = any(move.pads for move in made.moves)
    if np.ptp(array) or (padded and not -_HALF <= number < _HALF):
        return None
    return _Factor(made, read, Zero(number) if number else None)


def _wants_signs(made: Dequantized) -> bool:
    """Return whether integers are stored without sign; those that are flipped when they are read have one."""
    return bool(made.unsigned) and not made.flipped


def _largest(made: Dequantized) -> int:
    """Return the size of the largest difference of a factor's integers to its zero point."""
    ends = {True: (0, 255), False: (-_HALF, _HALF - 1)}
    zeros = (0, 0)
    if isinstance(made.zero, AtRunTime):
        zeros = ends[bool(made.zero.unsigned)]
    elif made.zero is not None:
        zeros = int(made.zero.array.min()), int(made.zero.array.max())
    least, most = ends[bool(made.unsigned)]
    return max(most - zeros[0], zeros[1] - least)


def _reduces(operation: ir.Operation) -> bool:
    """Return whether an op reduces tensors to f32, or to integers of 32 or 64 bits."""
    if not is_structured(operation) or len(operation.results) != 1:
        return False
    element = str(ir.RankedTensorType(operation.results[0].type).element_type)
    return element in ("f32", "i32", "i64") and "reduction" in iterators_of(operation, indexing_maps(operation))


def _is_plain(operation: ir.Operation, factors: Sequence[_Factor]) -> bool:
    """Return whether a product multiplies integers already, with signs and to 32 bits."""
    as_they_are = all(one.zero is None and not one.made.unsigned and one.made.scale is None for one in factors)
    kinds = [ir.RankedTensorType(value.type).element_type for value in list(operation.operands)[:2]]
    return as_they_are and [str(kind) for kind in kinds] == ["i8", "i8"] and len(operation.operands) == 3


def _points_of(operation: ir.Operation) -> int:
    """Return how many products a result adds up."""
    return prod(loop.extent.bound for loop in read_structured(operation).expression.loops if loop.reduction)


def _along_output(array: Any, read: ir.AffineMap, written: Sequence[int]) -> Any:
    """Return what is said along a factor's dimensions along the output's, None where these are no loops of it."""
    if array.size == 1:
        return array.reshape([1] * len(written))
    found: dict[int, int] = {}
    for dimension, (extent, index) in enumerate(zip(array.shape, read.results, strict=True)):
        if extent > 1:
            loop = ir.AffineDimExpr(index).position if isinstance(index, ir.AffineDimExpr) else -1
            if loop not in written or loop in found:
                return None
            found[loop] = dimension
    alone = [dimension for dimension in range(array.ndim) if dimension not in found.values()]
    ordered = array.transpose([*(found[loop] for loop in written if loop in found), *alone])
    return ordered.reshape([array.shape[found[loop]] if loop in found else 1 for loop in written])


def _flipped(value: ir.Value) -> ir.Value:
    """Build the exclusive or of integers of 8 bits with -128 at the insertion point."""
    kind = ir.RankedTensorType(value.type)

    def body(x: Any, _: Any) -> Any:
        return arith.xori(x, arith.constant(kind.element_type, -_HALF))

    return generic([value], empty_like(kind), [None, None], body, loops=kind.rank)


def _product_of(operation: ir.Operation, integers: Sequence[ir.Value], maps: Sequence[ir.AffineMap]) -> ir.Operation:
    """Build the product of integers of 8 bits whose sums begin at 0; of two operands with the name of the other one."""
    i32 = ir.IntegerType.get_signless(32)
    kind = with_element(ir.RankedTensorType(operation.results[0].type), i32)

    def body(first: Any, second: Any, sum_: Any) -> Any:
        return arith.addi(sum_, arith.muli(arith.extsi(i32, first), arith.extsi(i32, second)))

    if len(operation.operands) != 3:
        read = [*(list(m.results) for m in maps), loops_read(indexing_maps(operation)[-1])]
        return defining_op(generic(integers, filled(kind, 0), read, body, loops=maps[0].n_dims))
    attributes: dict[str, ir.Attribute] = {name: operation.attributes[name] for name in operation.attributes}
    new = ir.Operation.create(
        operation.name, results=[kind], operands=[*integers, filled(kind, 0)], attributes=attributes, regions=1
    )
    kinds = [*(ir.RankedTensorType(one.type).element_type for one in integers), i32]
    block = new.regions[0].blocks.append(*kinds, arg_locs=[operation.location] * 3)
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(*block.arguments)])
    return new
