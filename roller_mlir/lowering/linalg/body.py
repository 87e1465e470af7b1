# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar bodies: what a linalg or rtile.compute region does at one point, read without knowing the operator.

The only knowledge of operations here is arithmetic: which combiners have a neutral element, which operations are casts,
and how to evaluate a body on constants, which tells what out-of-range elements may read as.
"""

import math
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from roller_mlir.lowering.linalg.body_operations import OPERATION_COSTS
from roller_mlir.plan.expression import COMBINERS, neutral_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op

CASTS = (
    "arith.extf",
    "arith.truncf",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
    "arith.sitofp",
    "arith.uitofp",
    "arith.fptosi",
    "arith.fptoui",
    "arith.index_cast",
    "arith.index_castui",
    "arith.bitcast",
)
"""Operations that change a number's type only."""

WIDENING = ("arith.extf", "arith.extsi")
"""Casts that keep every number, as matrix instructions do with their factors."""

INDEX = "rtile.index"
"""The position of a point on loop `dim`; bodies call it so whether they stand in linalg or in rtile."""

GATHER = "rtile.gather"
"""The element of a whole tensor, which an argument stands for, at a computed position."""

# Sums of products: the sum, and the product that one instruction computes with it.
_MULTIPLY_ADDS = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli"}

# Operations that LLVM may contract into fused multiply-adds.
CONTRACTIBLE = ("arith.addf", "arith.mulf", "arith.subf")

_EVALUATE: dict[str, Callable[..., Any]] = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.negf": operator.neg,
    "arith.maximumf": max,
    "arith.maxnumf": max,
    "arith.minimumf": min,
    "arith.minnumf": min,
    "math.absf": abs,
    "math.exp": math.exp,
    "math.tanh": math.tanh,
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    # Of these only casts that keep every number as it is.
    "arith.extf": float,
    "arith.extsi": int,
    "arith.sitofp": float,
}
"""Integers are computed as integers: floats have not all of i64."""


@dataclass(frozen=True)
class BodyArgument:
    """A region argument: inputs first, then accumulators."""

    number: int


@dataclass(frozen=True)
class BodyConstant:
    """A constant of the body, as its MLIR attribute."""

    attribute: Any


@dataclass(frozen=True)
class Local:
    """The result of an earlier operation of the body."""

    operation: int


Reference = BodyArgument | BodyConstant | Local


@dataclass(frozen=True)
class BodyOp:
    """One operation of a body: its name, operands, attributes and scalar result type."""

    name: str
    operands: tuple[Reference, ...]
    attributes: dict[str, Any]
    result_type: Any


@dataclass(frozen=True)
class Body:
    """A scalar body.

    Attributes:
        inputs: Number of arguments that are inputs; the rest are accumulators.
        ops: The operations in order.
        yielded: What is yielded, one reference an output.
        types: Type of each argument.
    """

    inputs: int
    ops: tuple[BodyOp, ...]
    yielded: tuple[Reference, ...]
    types: tuple[Any, ...]

    def reads(self, argument: int) -> bool:
        """Return whether the body uses an argument."""
        return argument in self._used

    @cached_property
    def _used(self) -> frozenset[int]:
        """Arguments that ops or yields use."""
        references = (*(reference for op in self.ops for reference in op.operands), *self.yielded)
        return frozenset(reference.number for reference in references if isinstance(reference, BodyArgument))

    @property
    def said(self) -> Hashable:
        """What tells it from others."""
        ops = tuple((op.name, op.operands, tuple(op.attributes.items()), op.result_type) for op in self.ops)
        return self.inputs, ops, self.yielded, self.types

    def gathered(self) -> frozenset[int]:
        """Return the arguments that stand for whole tensors, which the body reads at computed positions."""
        tables = [op.operands[0] for op in self.ops if op.name == GATHER]
        return frozenset(table.number for table in tables if isinstance(table, BodyArgument))

    def combiner(self) -> str | None:
        """Return the operation that joins the only accumulator with the point's contribution, if it has that form."""
        op = self._combining_op()
        return op.name if op else None

    def combiners(self) -> tuple[str, ...] | None:
        """Return the operation of each accumulator, None where one has not that form or needs another accumulator."""
        ops = [self._combining_op_of(number) for number in range(len(self.yielded))]
        return tuple(op.name for op in ops if op is not None) if None not in ops else None

    def neutral(self, number: int = 0) -> float | None:
        """Return what a combiner leaves its accumulator as it is with, None without a combiner."""
        op = self._combining_op_of(number)
        return None if op is None else neutral_of(op.name, str(op.result_type))

    def contribution(self) -> Reference | None:
        """Return what the combiner adds to the accumulator at one point."""
        op = self._combining_op()
        if op is None:
            return None
        return next(r for r in op.operands if r != BodyArgument(self.inputs))

    def product(self) -> tuple[Reference, Reference] | None:
        """Return the factors where the body is accumulator + a * b, of floats or of integers; they may be casts."""
        value, product = self.contribution(), _MULTIPLY_ADDS.get(self.combiner() or "")
        if not isinstance(value, Local):
            return None
        op = self.ops[value.operation]
        uses = sum(other.operands.count(value) for other in self.ops) + self.yielded.count(value)
        if op.name != product or uses != 1:
            return None
        return op.operands[0], op.operands[1]

    def widens_only(self) -> bool:
        """Return whether the factors of a product are two inputs as they are, or widened with their sign."""
        factors = self.product()
        if factors is None:
            return False
        inputs: list[Reference] = []
        for factor in factors:
            op = self.ops[factor.operation] if isinstance(factor, Local) else None
            inputs.append(factor if op is None or op.name not in WIDENING else op.operands[0])
        return all(isinstance(one, BodyArgument) for one in inputs) and inputs[0] != inputs[1]

    @property
    def operations(self) -> int:
        """Arithmetic operations of one point; casts are free."""
        return sum(op.name.split(".")[0] in ("arith", "math") and op.name not in CASTS for op in self.ops)

    @property
    def cycles_beyond(self) -> int:
        """Cycles of a scheduler that one point takes beyond one for each of its operations."""
        return sum(OPERATION_COSTS.get(op.name, 1) - 1 for op in self.ops)

    def ready(self, arguments: Sequence[int]) -> list[int]:
        """Return after how many cycles each output is there, if each operation waits for its operands alone.

        Args:
            arguments: The same of each argument.
        """
        at: list[int] = []

        def of(reference: Reference) -> int:
            if isinstance(reference, BodyArgument):
                return arguments[reference.number]
            return at[reference.operation] if isinstance(reference, Local) else 0

        for op in self.ops:
            takes = 0 if op.name in CASTS else OPERATION_COSTS.get(op.name, 1)
            at.append(max(map(of, op.operands), default=0) + takes)
        return list(map(of, self.yielded))

    def pad_value(self) -> float | None:
        """Return a value v such that reading v for every input makes each contribution neutral, if one is known.

        That of acc + a * b is 0 and that of max(acc, x) is -inf; acc + exp(x) has none, nor has acc + x beside
        max(acc', x).
        """
        wanted: list[tuple[Reference, float]] = []
        for number in range(len(self.yielded)):
            op = self._combining_op_of(number)
            neutral = None if op is None else neutral_of(op.name, str(op.result_type))
            if op is None or neutral is None:
                return None
            wanted.append((next(r for r in op.operands if r != BodyArgument(self.inputs + number)), neutral))
        for candidate in dict.fromkeys((0.0, *(neutral for _, neutral in wanted))):
            if all(self._evaluate(value, candidate) == neutral for value, neutral in wanted):
                return candidate
        return None

    def on_constant(self, value: float) -> float | None:
        """Return what the body yields where every argument is a number, None where that is not known."""
        return self._evaluate(self.yielded[0], value)

    def _combining_op(self) -> BodyOp | None:
        return self._combining_op_of(0) if len(self.yielded) == 1 else None

    def _combining_op_of(self, number: int) -> BodyOp | None:
        """Return the op that combines an accumulator; nothing else may use either, nor it another accumulator."""
        accumulator, yielded = BodyArgument(self.inputs + number), self.yielded[number]
        if not isinstance(yielded, Local) or self.yielded.count(yielded) != 1:
            return None
        op = self.ops[yielded.operation]
        if op.name not in COMBINERS or op.operands.count(accumulator) != 1:
            return None
        if op.name == "arith.mulf" and isinstance(op.result_type, ir.F16Type):
            return None  # a partial product soon passes 65504: 0 times infinity is not the 0 of the products in order
        others = sum(other.operands.count(accumulator) + other.operands.count(yielded) for other in self.ops)
        return op if others == 1 else None

    def _evaluate(self, reference: Reference, argument: float) -> float | None:
        if isinstance(reference, BodyArgument):
            known = reference.number < self.inputs and _holds(self.types[reference.number], argument)
            return _number_of(self.types[reference.number], argument) if known else None
        if isinstance(reference, BodyConstant):
            known = isinstance(reference.attribute, ir.FloatAttr | ir.IntegerAttr)
            return reference.attribute.value if known else None
        op = self.ops[reference.operation]
        operands = [self._evaluate(operand, argument) for operand in op.operands]
        if op.name not in _EVALUATE or None in operands:
            return None
        try:
            value = _EVALUATE[op.name](*operands)
        except (OverflowError, ValueError):
            return None
        return value if _holds(op.result_type, value) and not math.isnan(value) else None


def _number_of(kind: Any, value: float) -> float:
    """Return a number that a type holds as one of its own: an integer or a float."""
    return int(value) if isinstance(kind, ir.IntegerType) else float(value)


def _holds(kind: Any, value: float) -> bool:
    """Return whether a type holds a number: floats hold all that are asked for here, infinities included."""
    if not isinstance(kind, ir.IntegerType):
        return True
    half = 1 << (ir.IntegerType(kind).width - 1)
    return math.isfinite(value) and value == int(value) and -half <= value < half


class UnknownValueError(ValueError):
    """A body uses a value that is neither an argument, a constant nor an earlier result."""


def read_body(block: ir.Block, inputs: int) -> Body:
    """Read the block of a linalg op or an rtile.compute; a difference from the accumulator becomes a sum.

    Args:
        block: The region's block, its terminator last.
        inputs: How many of its arguments are inputs.

    Raises:
        UnknownValueError: See there.
    """
    known: dict[ir.Value, Reference] = {a: BodyArgument(i) for i, a in enumerate(block.arguments)}
    ops: list[BodyOp] = []

    def reference(value: ir.Value) -> Reference:
        if value in known:
            return known[value]
        constant = defining_op(value, "arith.constant")
        if constant is not None:
            return BodyConstant(constant.attributes["value"])
        raise UnknownValueError(f"body uses {value}, which is no argument, constant or earlier result of it")

    *inner, terminator = list(block.operations)
    yields = list(terminator.operation.operands)
    for op in inner:
        operation = op.operation
        if operation.name == "arith.constant":
            known[operation.results[0]] = BodyConstant(operation.attributes["value"])
            continue
        if len(operation.results) != 1 or len(operation.regions):
            raise UnknownValueError(f"body holds '{operation.name}', which has no single scalar result")
        name = INDEX if operation.name == "linalg.index" else operation.name
        operands = [reference(value) for value in operation.operands]
        attributes, kind = dict(operation.attributes.items()), operation.results[0].type
        if name == "arith.subf" and _is_accumulator_of(operands[0], inputs, operation.results[0], yields):
            # What canonicalization makes of accumulator + -x; a sum like any other, to the last bit.
            ops.append(BodyOp("arith.negf", (operands[1],), attributes, kind))
            name, operands = "arith.addf", [operands[0], Local(len(ops) - 1)]
        ops.append(BodyOp(name, tuple(operands), attributes, kind))
        known[operation.results[0]] = Local(len(ops) - 1)
    yielded = tuple(reference(value) for value in yields)
    return Body(inputs, tuple(ops), yielded, tuple(argument.type for argument in block.arguments))


def gathered_arguments(operation: ir.Operation) -> frozenset[int]:
    """Return the operands of a linalg op that its body reads at computed positions."""
    if not operation.regions or not operation.regions[0].blocks:
        return frozenset()
    inner = [op.operation for op in operation.regions[0].blocks[0].operations]
    return frozenset(ir.BlockArgument(op.operands[0]).arg_number for op in inner if op.name == GATHER)


def _is_accumulator_of(reference: Reference, inputs: int, result: ir.Value, yields: Sequence[ir.Value]) -> bool:
    """Return whether a reference is the accumulator for which a result is yielded."""
    number = reference.number - inputs if isinstance(reference, BodyArgument) else -1
    return 0 <= number < len(yields) and yields[number] == result
