# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE's llvm-cpu, which shares no code with the reference, agrees with it at the ends of each type."""

from collections.abc import Iterator

import numpy as np
import pytest
from body_functions import Array, body_function, corners, evaluate

from roller_mlir.evaluation.fuzz.oracle.iree_cpu import FunctionCall
from roller_mlir.support.jobs.pool import JobPool

BINARY = (
    "addi", "subi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori",
    "cmpi slt,", "cmpi sle,", "cmpi ugt,", "cmpi uge,",
)  # fmt: skip
DIVISIONS = ("divsi", "remsi", "floordivsi", "ceildivsi", "divui", "remui", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")
COUNTS = ("ctpop", "ctlz", "cttz", "absi")
FLOATS = ("maximumf", "minimumf", "addf", "subf", "mulf", "cmpf olt,", "cmpf ult,", "cmpf one,", "cmpf une,")


class Programs:
    """Functions that go to IREE together: one compilation takes a second."""

    def __init__(self) -> None:
        """Begin with none."""
        self.texts: list[str] = []
        self.calls: list[FunctionCall] = []
        self.wanted: list[tuple[Array, ...]] = []

    def add(self, body: list[str], ins: list[str], outs: list[str], *inputs: Array) -> None:
        """Add a function of one body, and what the reference says of it."""
        text = body_function("\n".join(body), ins, outs, len(inputs[0]))
        self.wanted.append(evaluate(text, *inputs).outputs)
        name = f"f{len(self.texts)}"
        self.texts.append(text.replace("@f(", f"@{name}("))
        self.calls.append(FunctionCall(name, inputs, tuple(ins)))


def integer_programs() -> Programs:
    programs = Programs()
    for kind in ("i1", "i8", "i64"):
        values = corners()[kind]
        left, right = np.repeat(values, len(values)), np.tile(values, len(values))
        results = ["i1" if "cmpi" in name else kind for name in BINARY]
        lines = [f"    %r{i} = arith.{name} %x0, %x1 : {kind}" for i, name in enumerate(BINARY)]
        programs.add(lines, [kind] * 2, results, left, right)
        if kind != "i1":  # IREE computes shifts and divisions of single bits in more bits than one
            fits = (right != 0) & ~((left == values.min()) & (right == -1))
            lines = [f"    %r{i} = arith.{name} %x0, %x1 : {kind}" for i, name in enumerate(DIVISIONS)]
            programs.add(lines, [kind] * 2, [kind] * len(DIVISIONS), left[fits], right[fits])
            amounts = right.view(f"u{right.itemsize}") % np.array(8 * right.itemsize, f"u{right.itemsize}")
            lines = [f"    %r{i} = arith.{name} %x0, %x1 : {kind}" for i, name in enumerate(SHIFTS)]
            programs.add(lines, [kind] * 2, [kind] * len(SHIFTS), left, amounts.view(right.dtype))
            lines = [f"    %r{i} = math.{name} %x0 : {kind}" for i, name in enumerate(COUNTS)]
            programs.add(lines, [kind], [kind] * len(COUNTS), values)
    return programs


def float_programs() -> Programs:
    programs = Programs()
    special = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 3e38], np.float32)  # IREE flushes denormals
    left, right = np.repeat(special, len(special)), np.tile(special, len(special))
    lines = [f"    %r{i} = arith.{name} %x0, %x1 : f32" for i, name in enumerate(FLOATS)]
    programs.add(lines, ["f32"] * 2, ["i1" if "cmpf" in name else "f32" for name in FLOATS], left, right)
    tie = 1 + 2.0**-24
    doubles = np.array([tie, np.nextafter(tie, 2), np.nextafter(tie, 0), -0.0, np.inf, 1e39, 65519.99, 2.0**-126])
    whole = np.array([(1 << 24) + 1, (1 << 54) + (1 << 30) + 1, -(1 << 62) - (1 << 38) - 1, 16777219, -5, 0, 7, -1])
    lines = [
        "    %r0 = arith.truncf %x0 : f64 to f32",
        "    %r1 = arith.sitofp %x1 : i64 to f32",
        "    %r2 = arith.uitofp %x1 : i64 to f32",
        "    %r3 = arith.sitofp %x1 : i64 to f64",
        "    %r4 = arith.bitcast %x0 : f64 to i64",
        "    %n = arith.trunci %x1 : i64 to i8",
        "    %r5 = arith.extui %n : i8 to i32",
        "    %r6 = arith.extsi %n : i8 to i64",
    ]
    programs.add(lines, ["f64", "i64"], ["f32", "f32", "f32", "f64", "i64", "i32", "i64"], doubles, whole)
    return programs


@pytest.fixture(scope="module")
def iree() -> "Iterator[JobPool[tuple[str, list[FunctionCall]], list[list[Array]] | str]]":
    """A process that IREE may take down."""
    with JobPool(1, 120.0, "iree_worker:compile_and_run", lambda how, message: message) as pool:
        yield pool


@pytest.mark.full(every=6)
@pytest.mark.parametrize("make", [integer_programs, float_programs])
def test_iree_agrees(make: object, iree: "JobPool[tuple[str, list[FunctionCall]], list[list[Array]] | str]") -> None:
    assert callable(make)
    programs: Programs = make()
    found = iree.one(("\n".join(programs.texts), programs.calls))
    assert not isinstance(found, str), found
    for text, got, want in zip(programs.texts, found, programs.wanted, strict=True):
        for number, (one, other) in enumerate(zip(got, want, strict=True)):
            np.testing.assert_array_equal(one, other, err_msg=f"result {number} of\n{text}")
            if one.dtype.kind == "f":
                signed = ~np.isnan(other)
                np.testing.assert_array_equal(np.signbit(one)[signed], np.signbit(other)[signed], err_msg=text)
