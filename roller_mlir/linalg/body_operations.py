# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operations of arith and math bodies may hold: those that every back end and the simulator lower.

One operation of the list has one scalar result. Upstream's simplification makes operations of two results such ones
where only the first is used: of `arith.mulsi_extended` it leaves `arith.muli`.
"""

_ARITH = (
    "addf", "addi", "andi", "bitcast", "ceildivsi", "ceildivui", "cmpf", "cmpi", "convertf", "divf", "divsi", "divui",
    "extf", "extsi", "extui", "floordivsi", "fptosi", "fptoui", "index_cast", "index_castui", "maximumf", "maxnumf",
    "maxsi", "maxui", "minimumf", "minnumf", "minsi", "minui", "mulf", "muli", "negf", "ori", "remf", "remsi", "remui",
    "select", "shli", "shrsi", "shrui", "sitofp", "subf", "subi", "truncf", "trunci", "uitofp", "xori",
)  # fmt: skip
_MATH = (
    "absf", "absi", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clampf", "copysign",
    "cos", "cosh", "ctlz", "ctpop", "cttz", "erf", "erfc", "exp", "exp2", "expm1", "floor", "fma", "fpowi", "isfinite",
    "isinf", "isnan", "log", "log10", "log1p", "log2", "powf", "round", "roundeven", "rsqrt", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc",
)  # fmt: skip

BODY_OPERATIONS = frozenset((*(f"arith.{name}" for name in _ARITH), *(f"math.{name}" for name in _MATH)))
"""All but constants."""

DIVISIONS = frozenset(
    f"arith.{name}" for name in ("divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi")
)
"""Those of integers: undefined for a divisor of 0, those with a sign also for the least number by -1."""

REMEDIES = {
    "math.ipowi": "multiply with arith.muli, or use math.fpowi on floats",
    "math.sincos": "use math.sin and math.cos",
}
"""What to write instead of an operation that bodies may not hold."""
