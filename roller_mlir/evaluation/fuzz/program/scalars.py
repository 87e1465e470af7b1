# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of random linalg ops: scalar expressions whose spelling follows from the types of their operands.

Operations have names of no type ("add"): the same expression is `arith.addf` on floats and `arith.addi` on integers, so
that a shrinker may change the types of a whole program.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

WIDTHS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1, "index": 64}

# (on floats, on integers); "" where there is none.
BINARY = {
    "add": ("arith.addf", "arith.addi"),
    "sub": ("arith.subf", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli"),
    "div": ("arith.divf", ""),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
    "maxnum": ("arith.maxnumf", "arith.maxsi"),
    "minnum": ("arith.minnumf", "arith.minsi"),
    "and": ("", "arith.andi"),
    "or": ("", "arith.ori"),
    "xor": ("", "arith.xori"),
    "maxu": ("", "arith.maxui"),
    "minu": ("", "arith.minui"),
    **{name: ("", f"arith.{name}i") for name in ("divs", "divu", "rems", "remu", "floordivs", "ceildivs", "ceildivu")},
    **{name: ("", f"arith.{name}i") for name in ("shrs", "shru", "shl")},
}
UNARY = {
    "neg": ("arith.negf", ""),
    "abs": ("math.absf", "math.absi"),
    **{name: (f"math.{name}", "") for name in ("exp", "exp2", "tanh", "erf", "sqrt", "rsqrt", "log", "log1p", "sin")},
    **{name: ("", f"math.{name}") for name in ("ctpop", "ctlz", "cttz")},
    **{name: (f"math.{name}", "") for name in ("floor", "ceil", "cos", "atan", "log2", "expm1")},
}
WHOLE_ONLY = tuple(name for name, (floats, _) in {**BINARY, **UNARY}.items() if not floats)
"""Operations that floats have not."""
# Predicates: of floats ordered, of integers signed.
COMPARISONS = {"gt": ("ogt", "sgt"), "lt": ("olt", "slt"), "ge": ("oge", "sge"), "eq": ("oeq", "eq")}


@dataclass(frozen=True)
class Scalar:
    """A scalar expression.

    Attributes:
        op: "x" (an input, its number in `value`), "acc" (an accumulator, likewise), "constant", "index" (of the loop in
            `value`), "cast", "select" (condition, then, else), "extract" (of the table in `value`, at the parts), a
            comparison, or an arithmetic operation.
        parts: Operands.
        value: See `op`.
        element: Type of a constant, an index, an element or the result of a cast; "" where it follows from the parts.
    """

    op: str
    parts: tuple["Scalar", ...] = ()
    value: float = 0
    element: str = ""


def x(number: int) -> Scalar:
    """Return an input."""
    return Scalar("x", value=number)


def acc(number: int = 0) -> Scalar:
    """Return an accumulator."""
    return Scalar("acc", value=number)


def constant(value: float, element: str) -> Scalar:
    """Return a constant."""
    return Scalar("constant", (), value, element)


def apply(op: str, *parts: Scalar) -> Scalar:
    """Return an operation on expressions."""
    return Scalar(op, parts)


def cast(part: Scalar, element: str) -> Scalar:
    """Return an expression in another type."""
    return Scalar("cast", (part,), element=element)


def is_float(element: str) -> bool:
    """Return whether an element type is a float."""
    return "f" in element


def element_of(scalar: Scalar, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """Return the type of an expression, given the element types of a linalg op's operands."""
    if scalar.op == "x":
        return inputs[int(scalar.value)]
    if scalar.op == "acc":
        return outputs[int(scalar.value)]
    if scalar.element:
        return scalar.element
    if scalar.op in COMPARISONS:
        return "i1"
    return element_of(scalar.parts[1 if scalar.op == "select" else 0], inputs, outputs)


def spell_constant(value: float, element: str) -> str:
    """Return a constant as MLIR's text; infinities are the greatest and least integers where the type has none.

    >>> spell_constant(float("-inf"), "f16"), spell_constant(2, "f32"), spell_constant(float("inf"), "i8")
    ('0xFC00', '2.000000e+00', '127')
    """
    if is_float(element):
        if value in (float("inf"), float("-inf")):
            high, low = {
                "f16": ("0x7C00", "0xFC00"),
                "bf16": ("0x7F80", "0xFF80"),
                "f32": ("0x7F800000", "0xFF800000"),
                "f64": ("0x7FF0000000000000", "0xFFF0000000000000"),
            }[element]
            return high if value > 0 else low
        return f"{value:.6e}" if value == float(f"{value:.6e}") else f"{value:.17e}"
    if element == "i1":
        return "true" if value > 0 else "false"
    most = 2 ** (WIDTHS[element] - 1)
    return str(int(max(-most, min(value, most - 1))))


def arithmetic(op: str, element: str) -> str:
    """Return MLIR's name of an operation on a type; "" where there is none."""
    pair = BINARY.get(op) or UNARY[op]
    return pair[0] if is_float(element) else pair[1]


class BodyText:
    """Writes expressions as operations, each one once."""

    def __init__(self, inputs: Sequence[str], outputs: Sequence[str], tables: Sequence[tuple[str, str]] = ()) -> None:
        """Take the element types of the op's operands, and names and types of the tensors that it extracts from."""
        self._inputs, self._outputs, self._tables = inputs, outputs, tables
        self._names: dict[Scalar, str] = {}
        self.lines: list[str] = []

    def name(self, scalar: Scalar) -> str:
        """Return the name of an expression's value, after writing what it needs."""
        if scalar.op == "x":
            return f"%x{int(scalar.value)}"
        if scalar.op == "acc":
            return f"%acc{int(scalar.value)}"
        if scalar not in self._names:
            self._names[scalar] = self._write(scalar)
        return self._names[scalar]

    def _emit(self, text: str) -> str:
        name = f"%s{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _write(self, scalar: Scalar) -> str:
        kind = element_of(scalar, self._inputs, self._outputs)
        if scalar.op == "constant":
            spelled = spell_constant(scalar.value, kind)
            return self._emit(f"arith.constant {spelled}" + (f" : {kind}" if kind != "i1" else ""))
        if scalar.op == "index":
            return self._convert(self._emit(f"linalg.index {int(scalar.value)} : index"), "index", kind)
        parts = [self.name(part) for part in scalar.parts]
        if scalar.op == "extract":
            table, kind = self._tables[int(scalar.value)]
            return self._emit(f"tensor.extract {table}[{', '.join(parts)}] : {kind}")
        source = element_of(scalar.parts[0], self._inputs, self._outputs)
        if scalar.op == "cast":
            return self._convert(parts[0], source, kind)
        if scalar.op == "select":
            return self._emit(f"arith.select {', '.join(parts)} : {kind}")
        if scalar.op in COMPARISONS:
            predicate = COMPARISONS[scalar.op][0 if is_float(source) else 1]
            return self._emit(f"arith.cmp{'f' if is_float(source) else 'i'} {predicate}, {', '.join(parts)} : {source}")
        if scalar.op == "fma":
            if is_float(kind):
                return self._emit(f"math.fma {', '.join(parts)} : {kind}")
            return self._emit(
                f"arith.addi {self._emit(f'arith.muli {parts[0]}, {parts[1]} : {kind}')}, {parts[2]} : {kind}"
            )
        if scalar.op == "neg" and not is_float(kind):
            return self._emit(f"arith.subi {self._emit(f'arith.constant 0 : {kind}')}, {parts[0]} : {kind}")
        return self._emit(f"{arithmetic(scalar.op, kind)} {', '.join(parts)} : {kind}")

    def _convert(self, name: str, source: str, target: str) -> str:
        if source == target:
            return name
        if source == "index":
            whole = self._emit(f"arith.index_cast {name} : index to {'i32' if is_float(target) else target}")
            return self._convert(whole, "i32", target) if is_float(target) else whole
        if target == "index":
            whole = self._convert(name, source, "i32") if is_float(source) else name
            return self._emit(f"arith.index_cast {whole} : {'i32' if is_float(source) else source} to index")
        if is_float(source) and is_float(target):
            if WIDTHS[source] == WIDTHS[target]:
                return self._convert(self._convert(name, source, "f32"), "f32", target)
            op = "arith.extf" if WIDTHS[source] < WIDTHS[target] else "arith.truncf"
        elif is_float(source):
            op = "arith.fptosi"
        elif is_float(target):
            op = "arith.sitofp"
        else:
            op = "arith.extsi" if WIDTHS[source] < WIDTHS[target] else "arith.trunci"
        return self._emit(f"{op} {name} : {source} to {target}")


def rewrite(scalar: Scalar, change: Callable[[Scalar], Scalar | None]) -> Scalar:
    """Return an expression with every part for which `change` gives another one replaced, outermost first."""
    new = change(scalar)
    if new is not None:
        return new
    return replace(scalar, parts=tuple(rewrite(part, change) for part in scalar.parts))


def subexpressions(scalar: Scalar) -> list[Scalar]:
    """Return an expression and everything inside it, outermost first."""
    return [scalar, *(inner for part in scalar.parts for inner in subexpressions(part))]
