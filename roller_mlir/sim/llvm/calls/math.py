# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of NVIDIA's libdevice (`__nv_*`) and AMD's ocml (`__ocml_*`), by the host function that computes the same.

The host's results are correct to an ulp or two, as the GPU libraries' are; bits may differ. What is not in the table is
refused.
"""

import re

_ONE = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp10"),
    *("exp2", "expm1", "fabs", "floor", "lgamma", "log", "log10", "log1p", "log2", "nearbyint", "rint", "round"),
    *("sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc"),
)
_TWO = ("atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "pow", "remainder")
_FAST = ("cosf", "exp10f", "expf", "log10f", "log2f", "logf", "powf", "sinf", "tanf", "tanhf")
_QUESTIONS = {"isnan": "fcmp uno {0} %x, 0.0", "isinf": "fcmp oeq {0} %m, {1}", "isfinite": "fcmp one {0} %m, {1}"}
_NVIDIA_QUESTIONS = {
    "isnanf": ("isnan", "float"),
    "isnand": ("isnan", "double"),
    "isinff": ("isinf", "float"),
    "isinfd": ("isinf", "double"),
    "finitef": ("isfinite", "float"),
    "isfinited": ("isfinite", "double"),
}
_INFINITY = "0x7FF0000000000000"

HOST_FUNCTIONS = {**dict.fromkeys(_ONE, 1), **dict.fromkeys(_TWO, 2), "fma": 3}
"""Functions that the host has by the same name, and how many operands they take."""

_OURS = ("rsqrt", "rcbrt", "powi", "pown", "ldexp")


def _split(name: str) -> tuple[str, str] | None:
    """Return base name and LLVM type of a library function.

    >>> _split("__nv_expf"), _split("__nv_fast_expf"), _split("__ocml_tanh_f16"), _split("__nv_sqrt")
    (('exp', 'float'), ('exp', 'float'), ('tanh', 'half'), ('sqrt', 'double'))
    """
    if found := re.fullmatch(r"__ocml_(?:native_)?(\w+?)(?:_r[tnzp]e?)?_f(16|32|64)", name):
        return found[1], {"16": "half", "32": "float", "64": "double"}[found[2]]
    base = name.removeprefix("__nv_")
    if base.startswith("fast_"):
        base = base.removeprefix("fast_")
        return (base[:-1], "float") if base in _FAST else None
    if base in _NVIDIA_QUESTIONS:
        return _NVIDIA_QUESTIONS[base]
    if base in HOST_FUNCTIONS or base in _OURS:
        return base, "double"
    return (base[:-1], "float") if base.endswith("f") else None


def math_text(name: str) -> str | None:
    """Return the definition of a library function as LLVM IR, None for one that is not known."""
    parts = _split(name)
    if parts is None:
        return None
    base, kind = parts
    wide = "double" if kind == "double" else "float"
    letter = "" if kind == "double" else "f"
    if base in HOST_FUNCTIONS:
        arity = HOST_FUNCTIONS[base]
        body = f"  %r = call {wide} @{base}{letter}({', '.join(f'{wide} %{n}' for n in 'xyz'[:arity])})\n"
        return _define(name, kind, wide, body, arity)
    if base in ("rsqrt", "rcbrt"):
        body = f"  %s = call {wide} @{base[1:]}{letter}({wide} %x)\n  %r = fdiv {wide} 1.0, %s\n"
        return _define(name, kind, wide, body, 1)
    if base in ("powi", "pown") and kind != "half":
        body = f"  %e = sitofp i32 %n to {wide}\n  %r = call {wide} @pow{letter}({wide} %x, {wide} %e)\n"
        return f"define internal {wide} @{name}({wide} %x, i32 %n) alwaysinline {{\n{body}  ret {wide} %r\n}}\n"
    if base == "ldexp" and kind != "half":
        body = f"  %r = call {wide} @ldexp{letter}({wide} %x, i32 %n)\n"
        return f"define internal {wide} @{name}({wide} %x, i32 %n) alwaysinline {{\n{body}  ret {wide} %r\n}}\n"
    if base in _QUESTIONS and kind != "half":
        bits = kind.replace("float", "f32").replace("double", "f64")
        body = f"  %m = call {wide} @llvm.fabs.{bits}({wide} %x)\n"
        body += f"  %c = {_QUESTIONS[base].format(wide, _INFINITY)}\n  %r = zext i1 %c to i32\n"
        return f"define internal i32 @{name}({wide} %x) alwaysinline {{\n{body}  ret i32 %r\n}}\n"
    return None


def _define(name: str, kind: str, wide: str, body: str, arity: int) -> str:
    names = "xyz"[:arity]
    if kind == wide:
        operands = ", ".join(f"{kind} %{n}" for n in names)
        return f"define internal {kind} @{name}({operands}) alwaysinline {{\n{body}  ret {kind} %r\n}}\n"
    operands = ", ".join(f"{kind} %h{n}" for n in names)
    widened = "".join(f"  %{n} = fpext {kind} %h{n} to {wide}\n" for n in names)
    narrow = f"  %h = fptrunc {wide} %r to {kind}\n  ret {kind} %h\n"
    return f"define internal {kind} @{name}({operands}) alwaysinline {{\n{widened}{body}{narrow}}}\n"


def host_declarations(text: str) -> str:
    """Return declarations of the host functions that definitions call."""
    found = sorted(set(re.findall(r"call (float|double) @(\w+|llvm\.fabs\.\w+)\(([^)]*)\)", text)))
    typed = [(kind, name, re.sub(r" %\w+", "", operands)) for kind, name, operands in found]
    return "".join(sorted({f"declare {kind} @{name}({operands})\n" for kind, name, operands in typed}))
