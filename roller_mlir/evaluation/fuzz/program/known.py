# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of the values of a random program: how large they are, and whether they are exact.

A result whose reference and kernel must agree to the bit is `same`: whole numbers that the type holds, and what only
moves or picks from such. Where that holds equality is asked for, elsewhere the bound of the reference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log

from roller_mlir.evaluation.fuzz.program.scalars import COMPARISONS, WHOLE_ONLY, Scalar, element_of, is_float

# Whole numbers up to here are exact in a type.
EXACT = {
    "f64": 2**53,
    "f32": 2**24,
    "f16": 2**11,
    "bf16": 2**8,
    "tf32": 2**11,
    "i64": 2**53,
    "i32": 2**31,
    "i16": 2**15,
    "i8": 2**7,
    "i1": 1,
    "index": 2**53,
}
# Beyond this an f16 overflows, and an exponential is no test of anything.
LARGEST = {"f64": 1e30, "f32": 1e20, "f16": 2e4, "bf16": 1e20}


class RejectedError(Exception):
    """What was drawn is no good test (too large, or its numbers overflow); another is drawn."""


@dataclass(frozen=True)
class Info:
    """What is known of a value.

    Attributes:
        bound: No element is larger in magnitude.
        same: Whether the reference and every correct kernel have the very same bits.
        whole: Whether all elements are whole numbers.
        most: No element is larger, where that is less than the bound.
    """

    bound: float
    same: bool = True
    whole: bool = True
    most: float = float("inf")

    @property
    def top(self) -> float:
        """What no element is larger than."""
        return min(self.bound, self.most)


def settle(info: Info, element: str) -> Info:
    """Return what is left of `same` in a type: whole numbers beyond what it holds are rounded."""
    if is_float(element):
        return replace(info, same=info.same and (not info.whole or info.bound <= EXACT[element]))
    return replace(info, same=info.same, whole=True, bound=min(info.bound, EXACT[element]))


def reduce_info(op: str, point: Info, start: Info, count: int, element: str) -> Info:
    """Return what is known of a reduction of `count` points."""
    same, whole = point.same and start.same, point.whole and start.whole
    if op == "add":
        info = Info(start.bound + count * point.bound, same and whole, whole)
    elif op == "mul":
        bound = max(start.bound, 1.0) * exp(min(count * log(max(point.bound, 1.0)), 300.0))
        info = Info(bound, same and whole, whole)
    else:
        info = Info(max(start.bound, point.bound), same, whole)
    if not is_float(element):
        info = replace(info, bound=min(info.bound, EXACT[element]))
    return settle(info, element)


def judge(
    scalar: Scalar,
    inputs: Sequence[Info],
    outputs: Sequence[Info],
    elements: tuple[Sequence[str], Sequence[str]],
    points: int,
    tables: Sequence[Info] = (),
) -> Info:
    """Return what is known of a scalar expression.

    Raises:
        RejectedError: It jumps where its argument is not exact, so that a rounding error is an error of any size, or
            values on the way may be too large for their type.
    """
    if scalar.op == "x":
        return inputs[int(scalar.value)]
    if scalar.op == "acc":
        return outputs[int(scalar.value)]
    if scalar.op == "index":
        return settle(Info(float(points)), scalar.element)
    if scalar.op == "constant":
        whole = scalar.value == round(scalar.value) if abs(scalar.value) < float("inf") else True
        return settle(Info(min(abs(scalar.value), 1e9), True, whole, most=scalar.value), scalar.element)
    parts = [judge(part, inputs, outputs, elements, points, tables) for part in scalar.parts]
    kind = element_of(scalar, elements[0], elements[1])
    same, whole = all(part.same for part in parts), all(part.whole for part in parts)
    bound = max(part.bound for part in parts)
    if scalar.op in COMPARISONS or scalar.op in ("floor", "ceil"):
        if not same:
            raise RejectedError(f"{scalar.op} of a value that is not exact")
        return Info(1.0 if scalar.op in COMPARISONS else bound + 1, True, True)
    if scalar.op == "extract":
        if not all(part.same for part in parts):
            raise RejectedError("a position that is not exact")
        return tables[int(scalar.value)]
    if scalar.op == "select":
        return Info(max(p.bound for p in parts[1:]), same, all(p.whole for p in parts[1:]))
    if scalar.op == "cast":
        if (
            not is_float(kind)
            and not (same and whole and bound < EXACT[kind])
            and is_float(element_of(scalar.parts[0], elements[0], elements[1]))
        ):
            raise RejectedError("a cast to an integer of what is no whole number")
        rounds = is_float(kind) and not (whole and bound <= EXACT[kind])
        # What is rounded twice, over f32 on its way to a narrow type, may differ in the last bit.
        twice = rounds and element_of(scalar.parts[0], elements[0], elements[1]) in ("f64", "i64", "i32")
        return Info(bound, same and not twice, whole)
    if scalar.op in WHOLE_ONLY:
        return Info(EXACT[kind], same, whole)
    if scalar.op in ("max", "min", "maxnum", "minnum", "neg", "abs"):
        tops = [part.top for part in parts]
        most = min(tops) if scalar.op in ("min", "minnum") else max(tops) if scalar.op == "max" else float("inf")
        return Info(bound, same, whole, most)
    joined = Info(bound, same, whole, max(part.top for part in parts))
    info = _arithmetic(scalar.op, parts, joined)
    if info.bound > LARGEST.get(kind, float("inf")):
        raise RejectedError(f"values up to {info.bound} in {kind}")
    return settle(info, kind)


def _arithmetic(op: str, parts: Sequence[Info], joined: Info) -> Info:
    """Return what is known of an operation that rounds; `joined` is what its operands have in common."""
    exact = replace(joined, same=joined.same and joined.whole, most=float("inf"))
    rounded = replace(joined, same=False, whole=False)
    if op in ("add", "sub"):
        return replace(exact, bound=sum(part.bound for part in parts))
    if op == "mul":
        return replace(exact, bound=parts[0].bound * parts[1].bound)
    if op == "fma":
        return replace(exact, bound=parts[0].bound * parts[1].bound + parts[2].bound)
    if op in ("exp", "exp2", "expm1"):
        if joined.most > 12:
            raise RejectedError("an exponential of a large value")
        return replace(rounded, bound=max(1.0, 2.72**joined.most), most=float("inf"))
    rounded = replace(rounded, most=float("inf"))
    if op in ("tanh", "erf", "sin", "cos", "rsqrt"):
        return replace(rounded, bound=1.0)
    if op == "div":
        return replace(rounded, bound=parts[0].bound)
    return replace(rounded, bound=joined.bound + 1)
