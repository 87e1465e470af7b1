# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operations of arith and math bodies may hold: those that every back end and the simulator lower.

One operation of the list has one scalar result. Those of two results are made such ones before, see
`front_end.spellings.two_results`.
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

OPERATION_COSTS = {
    "arith.divf": 9, "arith.divsi": 20, "arith.divui": 16, "arith.remf": 30, "arith.remsi": 24, "arith.remui": 20,
    "arith.ceildivsi": 24, "arith.ceildivui": 20, "arith.floordivsi": 24,
    "math.acos": 24, "math.acosh": 40, "math.asin": 23, "math.asinh": 40, "math.atan": 19, "math.atan2": 28,
    "math.atanh": 35, "math.cbrt": 16, "math.cos": 20, "math.cosh": 16, "math.erf": 22, "math.erfc": 46, "math.exp": 9,
    "math.exp2": 8, "math.expm1": 22, "math.log": 24, "math.log10": 26, "math.log1p": 27, "math.log2": 26,
    "math.powf": 50, "math.round": 3, "math.rsqrt": 8, "math.sin": 20, "math.sinh": 24, "math.sqrt": 9, "math.tan": 25,
    "math.tanh": 16,
}  # fmt: skip
"""Cycles of a scheduler that an operation of f32 takes where it is more than the one of an addition.

Instructions of the machine code that ptxas 13.0 makes of an element-wise kernel for sm_90, less those of the kernel
with a negation in its place, per element. One of the units for transcendental functions counts 8, which is how long a
subgroup occupies them (CUDA C++ Programming Guide, arithmetic throughput: 16 results per cycle and multiprocessor). Of
divisions, roots, sines and cosines only the path without exceptions counts, an estimate from the same code; those of
integers, `remf`, `atan2` and `powf` are estimates from the length of that code.
"""
