# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions as arithmetic on whole vectors, in place of a library's functions, lane by lane.

    %r = math.exp %x : vector<16xf32>      2^n (1 + r + r^2 P(r)), n = x / log 2 to the nearest, r = x - n log 2

Each is for f32 and f64, scalars and vectors, all numbers: infinities, NaN, zeros of both signs, denormal numbers. How
far results are off is measured in docs/reference/math.md. Nothing here asks what the machine is: multiplications,
additions, fused ones, comparisons and shifts of integers are all that is emitted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.backend.math import coefficients
from roller_mlir.lowering.backend.math.operations import constant, emit, find
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import replace_op

_LESS, _GREATER, _GREATER_EQUAL, _EQUAL = 4, 2, 3, 1
"""Ordered predicates of arith.cmpf."""


@dataclass(frozen=True)
class _FloatFunctions:
    """A float type and what is known of its functions.

    Attributes:
        bits: Of a number.
        mantissa: Of them, those behind the point.
        column: Its place in the tables of coefficients.
        zero_exp: Below it exp is 0; just as well any that is smaller.
        infinite_exp: Above it exp is infinite.
        one_tanh: From here on tanh rounds to 1.
        one_erf: From here on erf rounds to 1.
    """

    bits: int
    mantissa: int
    column: int
    zero_exp: float
    infinite_exp: float
    one_tanh: float
    one_erf: float

    @property
    def bias(self) -> int:
        """What is added to exponents."""
        return (1 << (self.bits - self.mantissa - 2)) - 1

    @property
    def rounder(self) -> float:
        """A number whose sum with a small one has that one's nearest integer in its last digits."""
        return 1.5 * 2.0**self.mantissa

    @property
    def one(self) -> int:
        """The bits of 1."""
        return self.bias << self.mantissa


_F32 = _FloatFunctions(32, 23, 0, -104.0, 89.0, 10.0, 4.0)
_F64 = _FloatFunctions(64, 52, 1, -746.0, 710.0, 20.0, 6.0)
_FORMATS = {"f32": _F32, "f64": _F64}
_ROOT_HALF = {"f32": 0x3F3504F3, "f64": 0x3FE6A09E667F3BCD}
"""The bits of the root of 1/2."""
_SMALL_TANH, _SMALL_ERF = 0.625, 1.25


class _Numbers:
    """Arithmetic on values of one type at the insertion point."""

    def __init__(self, kind: Any) -> None:
        """Prepare the arithmetic of a float type, or of a vector of it."""
        self.kind = kind
        vector = isinstance(kind, ir.VectorType)
        element = str(ir.VectorType(kind).element_type if vector else kind)
        self.format, self.element = _FORMATS[element], element
        integer, bit = (ir.IntegerType.get_signless(n) for n in (self.format.bits, 1))
        shape = ir.VectorType(kind).shape if vector else None
        self.integers = integer if shape is None else ir.VectorType.get(shape, integer)
        self.conditions = bit if shape is None else ir.VectorType.get(shape, bit)
        self._integer = integer

    def number(self, value: float) -> Any:
        return constant(self.kind, value)

    def integer(self, value: int) -> Any:
        attribute: Any = ir.IntegerAttr.get(self._integer, value)
        if self.integers != self._integer:
            attribute = ir.DenseElementsAttr.get_splat(self.integers, attribute)
        return emit("arith.constant", [], self.integers, {"value": attribute})

    def add(self, a: Any, b: Any) -> Any:
        return emit("arith.addf", [a, b], self.kind)

    def sub(self, a: Any, b: Any) -> Any:
        return emit("arith.subf", [a, b], self.kind)

    def mul(self, a: Any, b: Any) -> Any:
        return emit("arith.mulf", [a, b], self.kind)

    def div(self, a: Any, b: Any) -> Any:
        return emit("arith.divf", [a, b], self.kind)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return emit("math.fma", [a, b, c], self.kind)

    def size(self, a: Any) -> Any:
        return emit("math.absf", [a], self.kind)

    def signed(self, a: Any, sign: Any) -> Any:
        return emit("math.copysign", [a, sign], self.kind)

    def integers_of(self, name: str, a: Any, b: Any) -> Any:
        return emit(f"arith.{name}", [a, b], self.integers)

    def bits(self, a: Any) -> Any:
        return emit("arith.bitcast", [a], self.integers)

    def of_bits(self, a: Any) -> Any:
        return emit("arith.bitcast", [a], self.kind)

    def where(self, predicate: int, a: Any, b: Any, yes: Any, no: Any) -> Any:
        """Return one value where two numbers compare, another elsewhere and where one of them is NaN."""
        number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), predicate)
        condition = emit("arith.cmpf", [a, b], self.conditions, {"predicate": number})
        return emit("arith.select", [condition, yes, no], yes.type)

    def polynomial(self, table: Sequence[Sequence[float]], x: Any) -> Any:
        """Return a polynomial by Horner's rule."""
        *rest, last = table[self.format.column]
        value = self.number(last)
        for one in reversed(rest):
            value = self.fma(value, x, self.number(one))
        return value

    def clamped(self, x: Any, low: float | None, high: float) -> Any:
        """Return a number within bounds, or NaN."""
        above = self.number(high)
        x = self.where(_GREATER, x, above, above, x)
        if low is None:
            return x
        below = self.number(low)
        return self.where(_LESS, x, below, below, x)

    def power_of_two(self, n: Any) -> Any:
        """Return 2^n of integers in the range of normal numbers."""
        raised = self.integers_of("addi", n, self.integer(self.format.bias))
        return self.of_bits(self.integers_of("shli", raised, self.integer(self.format.mantissa)))

    def nearest(self, x: Any, factor: float) -> tuple[Any, Any]:
        """Return the integer that is nearest to a product, as a number and as one of integers; any where it is NaN."""
        rounder = self.number(self.format.rounder)
        shifted = self.fma(x, self.number(factor), rounder)
        integer = self.integers_of("subi", self.bits(shifted), self.bits(rounder))
        return self.sub(shifted, rounder), integer

    def reduced(self, x: Any) -> tuple[Any, Any]:
        """Return n, as integers, and x - n log 2, for n = x / log 2 to the nearest."""
        number, integer = self.nearest(x, _PER_LOG2)
        column = self.format.column
        rest = self.fma(number, self.number(-coefficients.LOG2_UPPER[column]), x)
        return integer, self.fma(number, self.number(-coefficients.LOG2_LOWER[column]), rest)

    def exp_less_one(self, r: Any) -> Any:
        """Return exp r - 1 of what `reduced` leaves."""
        return self.fma(self.mul(r, r), self.polynomial(coefficients.EXP, r), r)

    def scaled(self, x: Any, n: Any) -> Any:
        """Return x 2^n, rounded once, also where 2^n is no normal number."""
        half = self.integers_of("shrsi", n, self.integer(1))
        other = self.integers_of("subi", n, half)
        return self.mul(self.mul(x, self.power_of_two(half)), self.power_of_two(other))

    def exp_within(self, x: Any) -> Any:
        """Return exp x where neither its result nor a power of two beside it leaves the normal numbers."""
        n, r = self.reduced(x)
        power = self.power_of_two(n)
        return self.fma(self.exp_less_one(r), power, power)


_PER_LOG2 = 1.4426950408889634


def _exp(m: _Numbers, x: Any) -> Any:
    n, r = m.reduced(m.clamped(x, m.format.zero_exp, m.format.infinite_exp))
    return m.scaled(m.add(m.exp_less_one(r), m.number(1.0)), n)


def _exp2(m: _Numbers, x: Any) -> Any:
    x = m.clamped(x, m.format.zero_exp * _PER_LOG2, m.format.infinite_exp * _PER_LOG2)
    number, n = m.nearest(x, 1.0)
    fraction, column = m.sub(x, number), m.format.column
    upper = m.mul(fraction, m.number(coefficients.LOG2_UPPER[column]))
    r = m.fma(fraction, m.number(coefficients.LOG2_LOWER[column]), upper)
    return m.scaled(m.add(m.exp_less_one(r), m.number(1.0)), n)


def _expm1(m: _Numbers, x: Any) -> Any:
    """Return 2 (2^(n-1) (exp r - 1) + 2^(n-1) - 1/2)."""
    n, r = m.reduced(m.clamped(x, -2 * m.format.one_tanh, m.format.infinite_exp))
    power = m.power_of_two(m.integers_of("subi", n, m.integer(1)))
    half = m.fma(m.exp_less_one(r), power, m.sub(power, m.number(0.5)))
    tiny = m.number(2.0 ** (5 - m.format.bias))
    return m.where(_LESS, m.size(x), tiny, x, m.mul(half, m.number(2.0)))


def _log(m: _Numbers, x: Any) -> Any:
    least, raised = m.number(2.0 ** (1 - m.format.bias)), m.format.mantissa + 2
    normal = m.where(_LESS, x, least, m.mul(x, m.number(2.0**raised)), x)
    lowered = m.where(_LESS, x, least, m.number(float(-raised)), m.number(0.0))
    k, f = _parted(m, normal)
    found = _log_of_parts(m, m.add(k, lowered), f, None)
    return _log_at_ends(m, x, found)


def _log1p(m: _Numbers, x: Any) -> Any:
    """Return the logarithm of u, with what u = 1 + x loses by rounding, divided by u."""
    one, zero = m.number(1.0), m.number(0.0)
    u = m.add(x, one)
    whole = m.sub(u, one)
    lost = m.add(m.sub(one, m.sub(u, whole)), m.sub(x, whole))
    k, f = _parted(m, u)
    f = m.where(_EQUAL, k, zero, x, f)
    found = _log_of_parts(m, k, f, m.where(_EQUAL, k, zero, zero, m.div(lost, u)))
    tiny = m.number(2.0 ** (-m.format.mantissa - 2))
    return m.where(_LESS, m.size(x), tiny, x, _log_at_ends(m, u, found))


def _parted(m: _Numbers, x: Any) -> tuple[Any, Any]:
    """Return k and f of a normal number 2^k (1 + f), 1 + f between the roots of 1/2 and of 2."""
    one, mantissa, root = m.format, m.format.mantissa, _ROOT_HALF[m.element]
    shifted = m.integers_of("addi", m.bits(x), m.integer(one.one - root))
    k = m.integers_of("subi", m.integers_of("shrsi", shifted, m.integer(mantissa)), m.integer(one.bias))
    digits = m.integers_of("andi", shifted, m.integer((1 << mantissa) - 1))
    f = m.sub(m.of_bits(m.integers_of("addi", digits, m.integer(root))), m.number(1.0))
    return emit("arith.sitofp", [k], m.kind), f


def _log_of_parts(m: _Numbers, k: Any, f: Any, more: Any) -> Any:
    """Return (k log 2 + f) - f^2 / 2 + s (f^2 / 2 + z P(z)) + more, for s = f / (2 + f), z = s^2."""
    column = m.format.column
    s = m.div(f, m.add(f, m.number(2.0)))
    z = m.mul(s, s)
    half_square = m.mul(m.mul(f, f), m.number(0.5))
    rest = m.fma(z, m.polynomial(coefficients.LOG, z), half_square)
    lower = m.number(coefficients.LOG2_LOWER[column])
    small = m.fma(s, rest, m.mul(k, lower) if more is None else m.fma(k, lower, more))
    return m.fma(k, m.number(coefficients.LOG2_UPPER[column]), m.sub(f, m.sub(half_square, small)))


def _log_at_ends(m: _Numbers, x: Any, found: Any) -> Any:
    """Return a logarithm of x, what it is of infinity, of 0 and of negative numbers."""
    infinite, zero = m.number(float("inf")), m.number(0.0)
    found = m.where(_EQUAL, x, infinite, infinite, found)
    found = m.where(_GREATER_EQUAL, x, zero, found, m.number(float("nan")))
    return m.where(_EQUAL, x, zero, m.number(float("-inf")), found)


def _tanh(m: _Numbers, x: Any) -> Any:
    """Return x + x z P(z) near 0, 1 - 2 / (exp 2|x| + 1) elsewhere."""
    size, z = m.size(x), m.mul(x, x)
    near = m.fma(m.mul(size, z), m.polynomial(coefficients.TANH, z), size)
    double = m.mul(m.clamped(size, None, m.format.one_tanh), m.number(2.0))
    one, two = m.number(1.0), m.number(2.0)
    far = m.sub(one, m.div(two, m.add(m.exp_within(double), one)))
    return m.signed(m.where(_LESS, size, m.number(_SMALL_TANH), near, far), x)


def _erf(m: _Numbers, x: Any) -> Any:
    """Return x + x P(z) near 0, 1 - exp Q(|x|) elsewhere."""
    size, z, end = m.size(x), m.mul(x, x), m.format.one_erf
    near = m.fma(size, m.polynomial(coefficients.ERF, z), size)
    offset = m.sub(m.clamped(size, None, end), m.number((_SMALL_ERF + end) / 2))
    far = m.sub(m.number(1.0), m.exp_within(m.polynomial(coefficients.ERFC, offset)))
    return m.signed(m.where(_LESS, size, m.number(_SMALL_ERF), near, far), x)


FUNCTIONS: dict[str, Callable[[_Numbers, Any], Any]] = {
    "math.exp": _exp,
    "math.exp2": _exp2,
    "math.expm1": _expm1,
    "math.log": _log,
    "math.log1p": _log1p,
    "math.tanh": _tanh,
    "math.erf": _erf,
}
"""What emits each function, given its argument."""


def expand_functions(root: Any) -> int:
    """Put arithmetic in place of the functions inside an operation that are known here.

    Args:
        root: Operations of f32 and f64; others are computed in f32 before (`operations.prepare_math`).

    Returns:
        How many there were.
    """
    found = find(root, FUNCTIONS)
    for op in found:
        with ir.InsertionPoint(op), op.location:
            replace_op(op, FUNCTIONS[op.name](_Numbers(op.results[0].type), op.operands[0]))
    return len(found)
