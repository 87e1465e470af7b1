# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The emitter: linear index expressions, loops and conditions as IR, with common subexpressions shared by scope."""

from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.loops.attributes import LOOP_ANNOTATION, ROLLED
from roller_mlir.mapping.index import UNLIMITED, Linear, Symbol
from roller_mlir.support.bindings import arith, ir, scf

_NO_UNROLLING = "#llvm.loop_annotation<unroll = <disable = true>>"


@dataclass(frozen=True)
class Within:
    """That all values between two ends lie in a dimension, which interval arithmetic may not prove.

    Attributes:
        low: The lower end.
        high: The upper end, inclusive.
        extent: Of the dimension.
    """

    low: Linear
    high: Linear
    extent: int

    def proves(self, index: Linear, extent: int) -> bool:
        """Return whether an index lies in a dimension of some extent if this holds."""
        above, below = index + self.low * -1, self.high + index * -1
        return self.extent <= extent and above.range()[0] >= 0 and below.range()[0] >= 0


class Emitter:
    """Emits at the insertion point. A value is reused only where it dominates: inside the scope that made it."""

    def __init__(self) -> None:
        self._scopes: list[dict[Hashable, ir.Value]] = [{}]
        self._given: tuple[Within, ...] = ()
        self.index_type = ir.IndexType.get()

    # Scopes ---------------------------------------------------------------------------------------------------------

    def cached(self, key: Hashable, build: Callable[[], ir.Value]) -> ir.Value:
        """Return the value built for `key` in an enclosing scope, or build it here."""
        for scope in reversed(self._scopes):
            if key in scope:
                return scope[key]
        value = build()
        self._scopes[-1][key] = value
        return value

    @contextmanager
    def scope(self, block: ir.Block) -> Generator[None]:
        """Emit at the end of a block, in a scope of its own."""
        self._scopes.append({})
        try:
            with ir.InsertionPoint(block):
                yield
        finally:
            self._scopes.pop()

    # Operations -----------------------------------------------------------------------------------------------------

    def op(
        self,
        name: str,
        operands: Sequence[ir.Value],
        result: ir.Type,
        attributes: dict[str, ir.Attribute] | None = None,
    ) -> ir.Value:
        """Emit an operation of one result."""
        return ir.Operation.create(
            name, results=[result], operands=list(operands), attributes=attributes or {}
        ).results[0]

    def extract(self, vector: ir.Value, lane: int) -> ir.Value:
        """Return a lane of a vector."""
        element = ir.VectorType(vector.type).element_type
        return self.op("vector.extract", [vector], element, {"static_position": ir.DenseI64ArrayAttr.get([lane])})

    def binary(self, name: str, left: Any, right: Any) -> ir.Value:
        """Return the result of an operation of two index values."""
        return self.cached((name, left, right), lambda: self.op(name, [left, right], self.index_type))

    def constant(self, value: int) -> ir.Value:
        """Return an index constant."""
        return self.cached(("constant", value), lambda: arith.constant(self.index_type, value))

    def typed_constant(self, attribute: Any) -> ir.Value:
        """Return a constant of an attribute's type."""
        return self.cached(("typed", attribute), lambda: arith.constant(attribute.type, attribute))

    def index(self, linear: Linear) -> ir.Value:
        """Return the value of a linear expression."""
        total: ir.Value | None = None
        for symbol, factor in linear.terms.items():
            total = self._add(total, self._multiply(symbol, factor))
        if total is None:
            return self.constant(linear.constant)
        return total if linear.constant == 0 else self._add(total, self.constant(linear.constant))

    def symbol(self, name: str, linear: Linear) -> Symbol:
        """Return a linear expression as one symbol of the same range and divisibility."""
        low, high = linear.range()
        return Symbol(name, low, high, min(linear.divisor(), UNLIMITED), self.index(linear))

    def divide(self, symbol: Symbol, size: int) -> tuple[Symbol, Symbol]:
        """Return quotient and remainder of a symbol that is not negative."""
        zero = Symbol("0", 0, 0, UNLIMITED, None)
        if symbol.low == symbol.high:  # a constant, which needs no SSA value and may have none
            quotient, remainder = divmod(symbol.low, size)
            return Symbol(str(quotient), quotient, quotient), Symbol(str(remainder), remainder, remainder)
        if size == 1:
            return symbol, zero
        if symbol.high < size:
            return zero, symbol
        divisor = self.constant(size)
        whole = self.binary("arith.divui", symbol.value, divisor)
        rest = self.binary("arith.remui", symbol.value, divisor)
        return (
            Symbol(f"{symbol.name}/{size}", 0, symbol.high // size, 1, whole),
            Symbol(f"{symbol.name}%{size}", 0, size - 1, 1, rest),
        )

    def delinearize(self, symbol: Symbol, sizes: Sequence[int]) -> list[Symbol]:
        """Split a symbol into digits of the given sizes, fastest first; the last digit is what remains."""
        digits: list[Symbol] = []
        for size in sizes[:-1]:
            symbol, digit = self.divide(symbol, size)
            digits.append(digit)
        return [*digits, symbol] if sizes else digits

    def poison(self, kind: ir.Type) -> ir.Value:
        """Return a value that nothing may depend on, to be overwritten or ignored."""
        return self.op("ub.poison", [], kind, {"value": ir.Attribute.parse("#ub.poison")})

    def digits(self, linear: Linear, sizes: Sequence[int]) -> list[Linear]:
        """Split a linear expression that is not negative into digits, as `delinearize` does a symbol.

        What is known of a digit stays known: of t + 34 with t < 2 the digits for a size of 32 are t + 2 and 1.
        """
        found: list[Linear] = []
        for size in sizes[:-1]:
            whole = Linear({s: k // size for s, k in linear.terms.items() if k % size == 0}, linear.constant // size)
            part = Linear({s: k for s, k in linear.terms.items() if k % size}, linear.constant % size)
            low, high = part.range()
            if low < 0 or high >= size:
                quotient, remainder = self.divide(self.symbol("vector", linear), size)
                whole, part = Linear.of(quotient), Linear.of(remainder)
            found.append(part)
            linear = whole
        return [*found, linear] if sizes else found

    # Conditions -----------------------------------------------------------------------------------------------------

    def compare(self, predicate: str, left: ir.Value, right: ir.Value) -> ir.Value:
        """Compare two index values ("slt", "sge", "ult", "eq")."""
        kind = getattr(arith.CmpIPredicate, predicate)
        return self.cached(("cmp", predicate, left, right), lambda: arith.cmpi(kind, left, right))

    def both(self, left: ir.Value | None, right: ir.Value | None) -> ir.Value | None:
        """Return the conjunction of two optional conditions; None means true."""
        if left is None or right is None:
            return left if right is None else right
        return self.cached(("and", left, right), lambda: arith.andi(left, right))

    def proves(self, index: Linear, extent: int) -> bool:
        """Return whether an index surely lies in a dimension: by interval arithmetic, or by what is given."""
        low, high = index.range()
        return (low >= 0 and high < extent) or any(one.proves(index, extent) for one in self._given)

    def inside(self, indices: Sequence[Linear], shape: Sequence[int]) -> ir.Value | None:
        """Return the condition that indices lie inside a shape; None where that is proven."""
        condition: ir.Value | None = None
        for index, extent in zip(indices, shape, strict=True):
            if self.proves(index, extent):
                continue
            value, (low, high) = self.index(index), index.range()
            if high < extent:
                test = self.compare("sge", value, self.constant(0))
            else:
                test = self.compare("ult" if low < 0 else "slt", value, self.constant(extent))
            condition = self.both(condition, test)
        return condition

    def clamped(self, index: Linear, extent: int) -> ir.Value:
        """Return the nearest index that lies in a dimension, which is the index itself where it does."""
        value, (low, high) = self.index(index), index.range()
        if self.proves(index, extent):
            return value
        if low < 0:
            value = self.binary("arith.maxsi", value, self.constant(0))
        return value if high < extent else self.binary("arith.minsi", value, self.constant(extent - 1))

    @contextmanager
    def given(self, facts: Sequence[Within]) -> Generator[None]:
        """Take it that some facts hold, in what is emitted meanwhile: a branch whose condition they are."""
        around, self._given = self._given, (*self._given, *facts)
        try:
            yield
        finally:
            self._given = around

    # Control flow ---------------------------------------------------------------------------------------------------

    def loop(
        self,
        low: int,
        high: int,
        initial: Sequence[ir.Value],
        body: Callable[[Symbol, list[ir.Value]], Sequence[ir.Value]],
        *,
        rolled: bool = False,
    ) -> list[ir.Value]:
        """Emit a loop from low to high that carries values; no loop at all when it has no trip.

        The counter has 32 bits: comparing 64 takes a GPU two instructions, each step of every thread. A `rolled` loop
        is one that compilers must not unroll, since its steps together would need more registers than there are.
        """
        if high <= low:
            return list(initial)
        i32 = ir.IntegerType.get_signless(32)
        bounds = [self.typed_constant(ir.IntegerAttr.get(i32, value)) for value in (low, high, 1)]
        loop = scf.ForOp(*bounds, iter_args=list(initial))
        with self.scope(loop.body):
            step = self.op("arith.index_castui", [loop.induction_variable], self.index_type)
            symbol = Symbol("step", low, high - 1, 1, step)
            scf.YieldOp(list(body(symbol, list(loop.inner_iter_args))))
        if rolled:
            loop.operation.attributes[LOOP_ANNOTATION] = ir.Attribute.parse(_NO_UNROLLING)
            around: Any = loop.operation
            while around is not None and around.name not in ("gpu.func", "builtin.module"):
                around = around.parent
            if around is not None:
                around.attributes[ROLLED] = ir.UnitAttr.get()
        return list(loop.results_)

    def loop_between(
        self,
        bounds: tuple[ir.Value, ir.Value],
        most: int,
        initial: Sequence[ir.Value],
        body: Callable[[Symbol, list[ir.Value]], Sequence[ir.Value]],
    ) -> list[ir.Value]:
        """Emit a loop between two index values, which are known to lie between 0 and `most`, that carries values."""
        i32 = ir.IntegerType.get_signless(32)
        low, high = (self.op("arith.index_cast", [one], i32) for one in bounds)
        loop = scf.ForOp(low, high, self.typed_constant(ir.IntegerAttr.get(i32, 1)), iter_args=list(initial))
        with self.scope(loop.body):
            step = self.op("arith.index_castui", [loop.induction_variable], self.index_type)
            scf.YieldOp(list(body(Symbol("step", 0, most - 1, 1, step), list(loop.inner_iter_args))))
        return list(loop.results_)

    def branch(
        self,
        condition: ir.Value,
        types: Sequence[ir.Type],
        then: Callable[[], Sequence[ir.Value]],
        otherwise: Callable[[], Sequence[ir.Value]] | None = None,
    ) -> list[ir.Value]:
        """Emit a condition with results, or without results and without an else."""
        branch = scf.IfOp(condition, list(types), has_else=otherwise is not None)
        with self.scope(branch.then_block):
            scf.YieldOp(list(then()))
        if otherwise is not None:
            assert branch.else_block is not None
            with self.scope(branch.else_block):
                scf.YieldOp(list(otherwise()))
        return list(branch.results_)

    def when(self, condition: ir.Value | None, then: Callable[[], Sequence[ir.Value]]) -> None:
        """Emit what happens under a condition; None means always."""
        if condition is None:
            then()
        else:
            self.branch(condition, [], then)

    # Private --------------------------------------------------------------------------------------------------------

    def _multiply(self, symbol: Symbol, factor: int) -> ir.Value:
        value: Any = symbol.value
        return value if factor == 1 else self.binary("arith.muli", value, self.constant(factor))

    def _add(self, left: ir.Value | None, right: ir.Value) -> ir.Value:
        return right if left is None else self.binary("arith.addi", left, right)
