# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on integers of every width: against Python's whole numbers, and against kernels in the simulator."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, trunc

import numpy as np
import pytest
from body_functions import Array, assert_kernels_agree, body_function, corners, evaluate

CORNERS = corners()
TYPES = ("i1", "i8", "i16", "i32", "i64")

# Exact values of operations on signed numbers, and on unsigned ones; the type's width is the third argument.
SIGNED: dict[str, Callable[[int, int, int], int]] = {
    "addi": lambda a, b, _: a + b,
    "subi": lambda a, b, _: a - b,
    "muli": lambda a, b, _: a * b,
    "maxsi": lambda a, b, _: max(a, b),
    "minsi": lambda a, b, _: min(a, b),
    "andi": lambda a, b, _: a & b,
    "ori": lambda a, b, _: a | b,
    "xori": lambda a, b, _: a ^ b,
}
UNSIGNED: dict[str, Callable[[int, int, int], int]] = {
    "maxui": lambda a, b, _: max(a, b),
    "minui": lambda a, b, _: min(a, b),
}
SIGNED_DIVISIONS: dict[str, Callable[[int, int, int], int]] = {
    "divsi": lambda a, b, _: trunc(Fraction(a, b)),
    "remsi": lambda a, b, _: a - b * trunc(Fraction(a, b)),
    "floordivsi": lambda a, b, _: floor(Fraction(a, b)),
    "ceildivsi": lambda a, b, _: ceil(Fraction(a, b)),
}
UNSIGNED_DIVISIONS: dict[str, Callable[[int, int, int], int]] = {
    "divui": lambda a, b, _: a // b,
    "remui": lambda a, b, _: a % b,
    "ceildivui": lambda a, b, _: ceil(Fraction(a, b)),
}
SHIFTS: dict[str, Callable[[int, int, int], int]] = {
    "shli": lambda a, b, _: a << b,
    "shrsi": lambda a, b, width: (a - (1 << width) if a >> (width - 1) else a) >> b,
    "shrui": lambda a, b, _: a >> b,
}
COUNTS: dict[str, Callable[[int, int], int]] = {
    "ctpop": lambda a, _: a.bit_count(),
    "ctlz": lambda a, width: width - a.bit_length(),
    "cttz": lambda a, width: (a & -a).bit_length() - 1 if a else width,
    "absi": lambda a, width: abs(a - (1 << width) if a >> (width - 1) else a),
}


def unsigned(values: Array) -> list[int]:
    """Return the bits of integers as whole numbers."""
    if values.dtype == np.bool_:
        return [int(value) for value in values]
    return [int(value) for value in values.view(f"u{values.dtype.itemsize}")]


def signed(values: Array) -> list[int]:
    """Return integers as LLVM reads them with a sign."""
    return [-int(value) for value in values] if values.dtype == np.bool_ else [int(value) for value in values]


def pairs(values: Array) -> tuple[Array, Array]:
    """Return every number beside every other."""
    return np.repeat(values, len(values)), np.tile(values, len(values))


def check(kind: str, operations: dict[str, Callable[[int, int, int], int]], read: Callable[[Array], list[int]],
          left: Array, right: Array) -> None:  # fmt: skip
    """Compare the reference with exact values and kernels with the reference, all operations in one body."""
    width = int(kind[1:])
    body = "\n".join(f"    %r{i} = arith.{name} %x0, %x1 : {kind}" for i, name in enumerate(operations))
    text = body_function(body, [kind] * 2, [kind] * len(operations), len(left))
    found = assert_kernels_agree(text, left, right)
    for (name, exact), got in zip(operations.items(), found.outputs, strict=True):
        want = [exact(a, b, width) % (1 << width) for a, b in zip(read(left), read(right), strict=True)]
        assert unsigned(got) == want, name


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", TYPES)
def test_operations_that_are_defined_everywhere(kind: str) -> None:
    left, right = pairs(CORNERS[kind])
    check(kind, SIGNED, signed, left, right)
    check(kind, UNSIGNED, unsigned, left, right)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", TYPES)
def test_divisions_at_the_ends_of_a_type_and_with_all_signs(kind: str) -> None:
    left, right = pairs(CORNERS[kind])
    least = min(signed(CORNERS[kind]))
    divides = np.array([b != 0 for b in unsigned(right)])
    check(kind, UNSIGNED_DIVISIONS, unsigned, left[divides], right[divides])
    overflows = np.array([a == least and b == -1 for a, b in zip(signed(left), signed(right), strict=True)])
    check(kind, SIGNED_DIVISIONS, signed, left[divides & ~overflows], right[divides & ~overflows])


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", TYPES)
def test_shifts_by_less_than_the_width(kind: str) -> None:
    width = int(kind[1:])
    amounts = np.array(sorted({0, 1 % width, width // 2, width - 1})).astype(CORNERS[kind].dtype)
    left, right = np.repeat(CORNERS[kind], len(amounts)), np.tile(amounts, len(CORNERS[kind]))
    check(kind, SHIFTS, unsigned, left, right)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", TYPES)
def test_bits_are_counted_in_the_width_of_the_type(kind: str) -> None:
    width, values = int(kind[1:]), CORNERS[kind]
    body = "\n".join(f"    %r{i} = math.{name} %x0 : {kind}" for i, name in enumerate(COUNTS))
    found = assert_kernels_agree(body_function(body, [kind], [kind] * len(COUNTS), len(values)), values)
    for (name, exact), got in zip(COUNTS.items(), found.outputs, strict=True):
        assert unsigned(got) == [exact(a, width) % (1 << width) for a in unsigned(values)], name


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", TYPES)
def test_comparisons_with_and_without_sign(kind: str) -> None:
    left, right = pairs(CORNERS[kind])
    names = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    body = "\n".join(f"    %r{i} = arith.cmpi {name}, %x0, %x1 : {kind}" for i, name in enumerate(names))
    found = assert_kernels_agree(body_function(body, [kind] * 2, ["i1"] * len(names), len(left)), left, right)
    relations = {"eq": int.__eq__, "ne": int.__ne__, "lt": int.__lt__, "le": int.__le__, "gt": int.__gt__}
    relations["ge"] = int.__ge__
    for name, got in zip(names, found.outputs, strict=True):
        read = unsigned if name[0] == "u" else signed
        relation = relations[name[-2:]]
        assert got.tolist() == [relation(a, b) for a, b in zip(read(left), read(right), strict=True)], name


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", TYPES)
def test_results_of_twice_the_width(kind: str) -> None:
    width, (left, right) = int(kind[1:]), pairs(CORNERS[kind])
    body = f"""    %r0, %r1 = arith.mulsi_extended %x0, %x1 : {kind}
    %r2, %r3 = arith.mului_extended %x0, %x1 : {kind}
    %r4, %r5 = arith.addui_extended %x0, %x1 : {kind}, i1
    %r6, %r7 = arith.subui_extended %x0, %x1 : {kind}, i1"""
    outs = [kind] * 4 + [kind, "i1"] * 2
    found = evaluate(body_function(body, [kind] * 2, outs, len(left)), left, right).outputs
    low, high = (1 << width) - 1, width
    products = [a * b for a, b in zip(signed(left), signed(right), strict=True)]
    plain = list(zip(unsigned(left), unsigned(right), strict=True))
    assert unsigned(found[0]) == unsigned(found[2]) == [p & low for p in products]
    assert unsigned(found[1]) == [(p >> high) & low for p in products]
    assert unsigned(found[3]) == [(a * b) >> high for a, b in plain]
    assert unsigned(found[4]) == [(a + b) & low for a, b in plain]
    assert found[5].tolist() == [a + b > low for a, b in plain]
    assert unsigned(found[6]) == [(a - b) & low for a, b in plain]
    assert found[7].tolist() == [a < b for a, b in plain]


@pytest.mark.full(every=2)
@pytest.mark.parametrize("source", TYPES)
def test_conversions_between_widths_and_to_floats(source: str) -> None:
    values, width, body, outs = CORNERS[source], int(source[1:]), [], []
    for target in (*TYPES, "index"):
        if target == "index":
            for op in ("index_cast", "index_castui"):
                number = len(outs)
                body += [f"    %i{number} = arith.{op} %x0 : {source} to index"]
                body += [f"    %r{number} = arith.index_cast %i{number} : index to i64"]
                outs.append("i64")
        elif target != source:
            for op in ("extsi", "extui") if int(target[1:]) > width else ("trunci",):
                body.append(f"    %r{len(outs)} = arith.{op} %x0 : {source} to {target}")
                outs.append(target)
    for target in ("f32", "f64"):
        for op in ("sitofp", "uitofp"):
            body.append(f"    %r{len(outs)} = arith.{op} %x0 : {source} to {target}")
            outs.append(target)
    found = assert_kernels_agree(body_function("\n".join(body), [source], outs, len(values)), values)
    assert found.outputs[-1].tolist() == [float(a) for a in unsigned(values)]
    assert found.outputs[-2].tolist() == [float(a) for a in signed(values)]


REDUCTION = """func.func @f(%a: tensor<3x5xi1>) -> tensor<3xi1> {{
  %s = arith.constant {start}
  %e = tensor.empty() : tensor<3xi1>
  %i = linalg.fill ins(%s : i1) outs(%e : tensor<3xi1>) -> tensor<3xi1>
  %r = linalg.reduce {{ arith.{name} }} ins(%a : tensor<3x5xi1>) outs(%i : tensor<3xi1>) dimensions = [1]
  return %r : tensor<3xi1>
}}"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("name", "start", "expected"),
    [
        ("addi", "false", np.logical_xor.reduce),
        ("muli", "true", np.logical_and.reduce),
        ("maxsi", "true", np.logical_and.reduce),
        ("minsi", "false", np.logical_or.reduce),
        ("maxui", "false", np.logical_or.reduce),
        ("minui", "true", np.logical_and.reduce),
    ],
)
def test_reductions_of_single_bits(name: str, start: str, expected: Callable[..., Array]) -> None:
    a = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], np.bool_)
    found = assert_kernels_agree(REDUCTION.format(name=name, start=start), a)
    assert found.outputs[0].tolist() == expected(a, axis=1).tolist()
