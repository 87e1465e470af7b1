# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operator class in every element type equals numpy: whole numbers exactly, others within the tolerance."""

from dataclasses import replace

import pytest

import roller_mlir
from roller_mlir import CompileOptions

from ..devices.test_each_device import SIMULATED, run_and_compare
from .typed_chains import matmul_bias_relu, softmax
from .typed_programs import INTEGERS, Typed, generic, largest_product, named_matmul, programs, reduction

TYPES = (
    Typed("f16", "f16"),
    Typed("bf16", "bf16"),
    Typed("f64", "f64"),
    Typed("i32", "i32"),
    Typed("f16", "f32"),
    Typed("bf16", "f32"),
    Typed("i8", "i32"),
)
ALL_TYPES = (*TYPES, Typed("i8", "i8"), Typed("f32", "f64"), Typed("i8", "f32"))
CLASSES = tuple(programs(TYPES[0]))


def check(text: str, device: str, *, exact: bool = True, join: bool = True) -> int:
    """Compile, run on whole and on other numbers, and compare; return the number of programs.

    Args:
        text: The function.
        device: What to compile for.
        exact: Whether whole numbers give whole numbers, so that they must be equal where nothing rounds.
        join: Whether the parts of a divided reduction may be joined in the same kernel.
    """
    artifact = roller_mlir.compile(text, target=device, options=replace(SIMULATED, join=join))
    for comparison in run_and_compare(artifact):
        assert comparison.equal or not exact or comparison.permitted, comparison
        assert comparison.matches, comparison
    if any(artifact.manifest.buffer(name).element_type.startswith(("f", "b")) for name in artifact.manifest.inputs):
        for comparison in run_and_compare(artifact, values="normal"):
            assert comparison.matches, comparison
    return sum(len(kernel.plans()) for kernel in artifact.kernels)


@pytest.mark.full(each=["t"])
@pytest.mark.parametrize("t", TYPES, ids=str)
@pytest.mark.parametrize("name", CLASSES)
def test_equal_to_numpy(t: Typed, name: str) -> None:
    check(programs(t)[name], "h200")


@pytest.mark.full(each=["name"])
@pytest.mark.parametrize("t", ALL_TYPES, ids=str)
@pytest.mark.parametrize("name", ["matmul", "strided convolution", "row sum", "maximum of all"])
def test_equal_to_numpy_on_subgroups_of_64(t: Typed, name: str) -> None:
    check(programs(t)[name], "mi300x")


@pytest.mark.full
@pytest.mark.parametrize("join", [False, True])
@pytest.mark.parametrize("t", TYPES, ids=str)
def test_reductions_divided_over_tasks(t: Typed, join: bool) -> None:
    """The second stage joins partial results of the accumulator's type."""
    assert check(named_matmul(t, 24, 40, 16384), "h200", join=join) == 2
    programs = check(largest_product(t, 24, 40, 4096), "h200", join=join)
    assert programs == 2 or t.result not in INTEGERS, "the partial maxima of integers start from the smallest number"


@pytest.mark.full(each=["element"])
@pytest.mark.parametrize("kind", ["minsi", "maxui", "minui", "andi", "ori", "xori", "muli"])
@pytest.mark.parametrize("element", ["i8", "i32"])
def test_integer_combiners_start_from_their_neutral_element(kind: str, element: str) -> None:
    start = {"minsi": 100, "maxui": 3, "minui": 100, "andi": -1, "ori": 0, "xori": 5, "muli": 1}[kind]
    body = f"%r = arith.{kind} %acc, %x0 : {element}"
    check(generic((5, 333), ("a, b", "a"), body, (element, element), str(start)), "h200")


@pytest.mark.full(every=8)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize(
    ("source", "accumulator", "out"),
    [
        ("f16", "f32", "f16"),
        ("bf16", "f32", "bf16"),
        ("f16", "f16", "f16"),
        ("i8", "i32", "i8"),
        ("i8", "i32", "f32"),
        ("f64", "f64", "f64"),
    ],
)
def test_epilogues_with_casts(source: str, accumulator: str, out: str, device: str) -> None:
    assert check(matmul_bias_relu(Typed(source, accumulator), out), device) == 1


@pytest.mark.full(every=20)
@pytest.mark.parametrize(
    "t", [Typed("f16", "f32"), Typed("bf16", "f32"), Typed("bf16", "bf16"), Typed("f64", "f64")], ids=str
)
@pytest.mark.parametrize("columns", [200, 197])
def test_softmax(t: Typed, columns: int) -> None:
    check(softmax(t, columns), "h200", exact=False)


def test_one_body_of_several_types() -> None:
    """f16 and i8 inputs, an f64 scale, an f32 result."""
    body = """%w = arith.extf %x0 : f16 to f32
    %v = arith.sitofp %x1 : i8 to f32
    %t = arith.truncf %x2 : f64 to f32
    %p = arith.mulf %w, %v : f32
    %q = arith.mulf %p, %t : f32
    %r = arith.addf %acc, %q : f32"""
    check(generic((21, 33, 50), ("a, c", "c, b", "b", "a, b"), body, ("f16", "i8", "f64", "f32"), "0.0"), "h200")


def test_wide_lanes_are_several_accesses() -> None:
    """8 neighbours of f16 are read at once; their 8 doubles are written 2 at a time."""
    body = "%r = arith.extf %x0 : f16 to f64"
    check(generic((64, 256), ("a, b", "a, b"), body, ("f16", "f64"), None), "h200")


@pytest.mark.full(every=21)
@pytest.mark.parametrize("t", TYPES, ids=str)
@pytest.mark.parametrize("device", ["v100", "h200", "mi300x"])
def test_binaries_are_made(t: Typed, device: str) -> None:
    text = programs(t)["matmul"].replace("@f", "@product") + reduction(t, (40, 61), "a", "max").replace("@f", "@row")
    for entry in ("product", "row"):
        artifact = roller_mlir.compile(text, target=device, options=CompileOptions(entry=entry))
        for kernel in artifact.kernels:
            assert {"hsaco", "cubin"} & set(kernel.files) or kernel.notes, "without ptxas the artifact says so"
            assert not kernel.statistics.spill_bytes
