# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR text of MLIR's LLVM (24) made readable for llvmlite's LLVM (22).

LLVM 24 prints a floating-point constant as the shortest decimal that gives it (`1.000000e-01`), as bits
(`f0x3EAAAAAB`), or by name (`+inf`, `-qnan`, `+nan(0x1)`, `+snan(0x1)`). LLVM 22 takes a decimal only where it is
exact in the constant's type, and none of the others; so each constant is rewritten as bits, in the spelling of LLVM
22: `0x` and the bits of the *double* for float and double, `0xH` for half, `0xR` for bfloat. The type is the one last
named before the constant on its line, which holds for every place where a constant can stand:

    %5 = select i1 %4, float -inf, float %3     ->  %5 = select i1 %4, float 0xFFF0000000000000, float %3
    %6 = phi half [ %5, %1 ], [ +qnan, %2 ]     ->  %6 = phi half [ %5, %1 ], [ 0xH7E00, %2 ]

AMD's `llvm.amdgcn.make.buffer.rsrc.p7.p1.i32` has a size of 32 bits, which LLVM 22's intrinsic of that name never has:
it becomes a plain function, `amdgcn.make.buffer.rsrc.p7.p1.i32`. What a function does with denormals, strings say:

    denormal_fpenv(float: preservesign)         ->  "denormal-fp-math-f32"="preserve-sign,preserve-sign"
"""

import functools
import re
from dataclasses import dataclass
from fractions import Fraction

_CONSTANT = re.compile(
    r"""(?<![\w.%@$+-])(?:
        [+-]?f0x[0-9A-Fa-f]+
      | [+-](?:inf|qnan|s?nan\(0x[0-9A-Fa-f]+\))
      | [+-]?[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?
    )(?![\w.])""",
    re.VERBOSE,
)
_TYPE = re.compile(r"(?<![\w.%@$-])(half|bfloat|float|double)\b")
_NARROW_BUFFER = re.compile(r"@llvm\.(amdgcn\.make\.buffer\.rsrc\.p\d+\.p\d+\.i32)\b")
_DENORMALS = re.compile(r"\bdenormal_fpenv\(([^)]*)\)")
_DENORMAL_MODES = {"preservesign": "preserve-sign", "positivezero": "positive-zero"}
_ASSEMBLY = re.compile(r'^(.* call .*\basm (?:sideeffect )?"[^"]*\.aligned\b.*\))(.*)$', re.MULTILINE)
_GROUP = re.compile(r"^attributes #(\d+)", re.MULTILINE)
_STRING = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class _BinaryFormat:
    """An IEEE-like binary format: bits of the exponent, and of the fraction without the leading one."""

    exponent_bits: int
    fraction_bits: int

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    def sign(self, negative: bool) -> int:
        return int(negative) << (self.exponent_bits + self.fraction_bits)

    def encode(self, value: Fraction, negative: bool) -> int:
        """Return the bits of the nearest number, ties to even.

        >>> hex(_FORMATS["float"].encode(Fraction("0.1"), False))
        '0x3dcccccd'
        >>> hex(_FORMATS["half"].encode(Fraction("0.5"), True))
        '0xb800'
        """
        magnitude = abs(value)
        if not magnitude:
            return self.sign(negative)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if magnitude < Fraction(2) ** exponent:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)  # below: subnormal
        scaled = round(magnitude / Fraction(2) ** (exponent - self.fraction_bits))
        # A fraction that rounds up to the next power of two carries into the exponent, as it should.
        bits = ((exponent + self.bias - 1) << self.fraction_bits) + scaled
        return min(bits, self.infinity) | self.sign(negative)

    def special(self, name: str, payload: str | None, negative: bool) -> int:
        quiet = 1 << (self.fraction_bits - 1)
        if name == "inf":
            fraction = 0
        elif payload is None:
            fraction = quiet
        else:
            fraction = int(payload, 16) | (0 if name.startswith("snan") else quiet)
        return self.infinity | fraction | self.sign(negative)

    def decode(self, bits: int) -> tuple[Fraction | None, int, bool]:
        """Return the value (None: infinite or not a number), the fraction's bits and the sign."""
        negative = bool(bits >> (self.exponent_bits + self.fraction_bits))
        exponent = (bits >> self.fraction_bits) & ((1 << self.exponent_bits) - 1)
        fraction = bits & ((1 << self.fraction_bits) - 1)
        if exponent == (1 << self.exponent_bits) - 1:
            return None, fraction, negative
        whole = fraction if exponent == 0 else fraction + (1 << self.fraction_bits)
        return Fraction(whole) * Fraction(2) ** (max(exponent, 1) - self.bias - self.fraction_bits), fraction, negative


_FORMATS = {
    "half": _BinaryFormat(5, 10),
    "bfloat": _BinaryFormat(8, 7),
    "float": _BinaryFormat(8, 23),
    "double": _BinaryFormat(11, 52),
}


def _spell(kind: str, bits: int) -> str:
    if kind == "half":
        return f"0xH{bits:04X}"
    if kind == "bfloat":
        return f"0xR{bits:04X}"
    if kind == "float":
        value, fraction, negative = _FORMATS["float"].decode(bits)
        double = _FORMATS["double"]
        wide = fraction << (double.fraction_bits - _FORMATS["float"].fraction_bits)
        bits = double.infinity | wide | double.sign(negative) if value is None else double.encode(value, negative)
    return f"0x{bits:016X}"


@functools.lru_cache(maxsize=4096)
def _rewrite(kind: str, text: str) -> str:
    """Return LLVM 22's spelling of one constant of LLVM 24.

    >>> _rewrite("float", "-inf"), _rewrite("half", "+inf"), _rewrite("float", "f0x3EAAAAAB")
    ('0xFFF0000000000000', '0xH7C00', '0x3FD5555560000000')
    """
    form = _FORMATS[kind]
    negative = text.startswith("-")
    plain = text.lstrip("+-")
    if plain.startswith("f0x"):
        return _spell(kind, int(plain[3:], 16) | form.sign(negative))
    if plain[0].isdigit():
        return _spell(kind, form.encode(Fraction(plain), negative))
    match = re.fullmatch(r"(inf|qnan|s?nan)(?:\(0x([0-9A-Fa-f]+)\))?", plain)
    assert match is not None, text
    return _spell(kind, form.special(match[1], match[2], negative))


def _denormal_strings(match: re.Match[str]) -> str:
    """Return LLVM 22's spelling: results and operands, of all types and of float."""
    found: list[str] = []
    for part in match[1].split(","):
        kind, _, modes = part.rpartition(":")
        given, _, taken = (_DENORMAL_MODES.get(one.strip(), one.strip()) for one in modes.partition("|"))
        found.append(f'"denormal-fp-math{"-f32" if kind.strip() else ""}"="{given},{taken or given}"')
    return " ".join(found)


def to_llvm_22(text: str) -> str:
    """Rewrite an LLVM IR module, see this module's documentation.

    Args:
        text: what MLIR's translation gives.

    Raises:
        ValueError: a constant stands on a line that names no floating-point type.
    """
    text = _DENORMALS.sub(_denormal_strings, _NARROW_BUFFER.sub(r"@\1", text))

    def replace(match: re.Match[str]) -> str:
        start = text.rfind("\n", 0, match.start()) + 1
        before = _STRING.sub("", text[start : match.start()])
        if '"' in before or ";" in before:  # inside a string, or in a comment
            return match[0]
        kinds = _TYPE.findall(before)
        if not kinds:
            line = text[start:].split("\n", 1)[0].strip()
            raise ValueError(f"a floating-point constant must follow its type, but got '{match[0]}' in: {line}")
        return _rewrite(kinds[-1], match[0])

    return _CONSTANT.sub(replace, text)


def mark_convergent(text: str) -> str:
    """Say of inline assembly that all threads of a subgroup must reach together that they must.

    MLIR's translation does not say it. Without it LLVM may move such a call behind a branch that only some threads
    take, or make two of it. PTX calls these instructions `.aligned`.

    Args:
        text: what MLIR's translation gives.
    """
    number = max((int(found[1]) for found in _GROUP.finditer(text)), default=-1) + 1
    marked, count = _ASSEMBLY.subn(rf"\1 #{number}\2", text)
    return f"{marked}\nattributes #{number} = {{ convergent nounwind }}\n" if count else text
