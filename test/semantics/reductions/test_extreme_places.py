# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places of largest and smallest values in rows, against a loop over each row, as the op is written."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.targets.stage import NORMALISED

Rows = NDArray[Any]


def text(
    join: str, compare: str, low: str, element: str = "f32", *, place: str = "i64", turned: bool = False, none: int = 0,
    columns: int = 70, ins: str = "(i, j)", loop: int = 1, outs: str = "(i)", shape: str = "5x{}", rows: str = "5x",
) -> str:  # fmt: skip
    """Return a function of the extreme value of each row and its place; the value is selected where nothing joins."""
    one, two = ("%value, %in", "%in, %value") if turned else ("%in, %value", "%value, %in")
    value = f"{join} {two} : {element}" if join else f"arith.select %takes, %in, %value : {element}"
    kinds = '"reduction", "parallel"' if loop == 0 else '"parallel", "reduction"'
    source, result, where = (
        f"tensor<{shape.format(columns)}x{element}>",
        f"tensor<{rows}{element}>",
        f"tensor<{rows}{place}>",
    )
    return f"""func.func @f(%x: {source}) -> ({result}, {where}) {{
  %low = arith.constant {low} : {element}
  %none = arith.constant {none} : {place}
  %e = tensor.empty() : {result}
  %g = tensor.empty() : {where}
  %o = linalg.fill ins(%low : {element}) outs(%e : {result}) -> {result}
  %q = linalg.fill ins(%none : {place}) outs(%g : {where}) -> {where}
  %r:2 = linalg.generic {{
    indexing_maps = [affine_map<(i, j) -> {ins}>, affine_map<(i, j) -> {outs}>, affine_map<(i, j) -> {outs}>],
    iterator_types = [{kinds}]
  }} ins(%x : {source}) outs(%o, %q : {result}, {where}) {{
  ^bb0(%in: {element}, %value: {element}, %place: {place}):
    %at = linalg.index {loop} : index
    %number = arith.index_cast %at : index to {place}
    %takes = {compare}, {one} : {element}
    %new = {value}
    %there = arith.select %takes, %number, %place : {place}
    linalg.yield %new, %there : {element}, {place}
  }} -> ({result}, {where})
  return %r#0, %r#1 : {result}, {where}
}}"""


def walked(x: Rows, takes: Callable[[Any, Any], bool], low: float, none: int = 0, *, join: bool) -> tuple[Rows, Rows]:
    """Return the value and the place of each row, one step after the other; a NaN is joined, or passed over."""
    values, places = np.full(len(x), low, x.dtype), np.full(len(x), none)
    for row, line in enumerate(x):
        for place, one in enumerate(line):
            if takes(one, values[row]):
                values[row], places[row] = one, place
            elif join and np.isnan(one):
                values[row] = one
    return values, places


def floats() -> Rows:
    """Return rows with equal values, infinities and zeros of both signs; the last two have numbers that are none."""
    x = np.random.default_rng(0).integers(-3, 4, (5, 70)).astype(np.float32)
    x[1] = -np.inf
    x[2, 60:] = np.inf
    x[3, :] = np.nan
    x[4, :3] = -np.inf, np.nan, -np.inf
    x[4, 3:] = -np.inf
    return x


def results(program: str, x: Rows, device: str, on: str = "sim") -> tuple[Rows, Rows]:
    """Return what a program gives."""
    artifact = compile_source(Source("-", program), device, CompileOptions(binaries=on == "cpu", cache=False))
    value, place = artifact.run(x, on=on)
    return value, place


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("device", ["h200", "mi300x", "host"])
def test_values_that_are_selected_pass_over_what_is_no_number(device: str, turned: bool) -> None:
    """All rows, those of NaNs and of nothing above the start too: the place is then the one that rows start from."""
    x = floats()
    for compare, low, takes in (
        ("olt" if turned else "ogt", "0xFF800000", np.greater),
        ("ogt" if turned else "olt", "0x7F800000", np.less),
    ):
        start = -np.inf if takes is np.greater else np.inf
        program = text("", f"arith.cmpf {compare}", low, turned=turned, none=-7)
        found = results(program, x, device, "cpu" if device == "host" else "sim")
        for got, wanted in zip(found, walked(x, takes, start, -7, join=False), strict=True):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("join", ["maximumf", "maxnumf"])
def test_values_that_are_joined(join: str) -> None:
    """A row with a NaN may have its place from any order of its steps; the value is the NaN, or the largest beside."""
    x = floats()
    value, place = results(text(f"arith.{join}", "arith.cmpf ogt", "0xFF800000"), x, "h200")
    wanted, at = walked(x, np.greater, -np.inf, join=join == "maximumf")
    np.testing.assert_array_equal(value, wanted)
    numbers = ~np.isnan(x).any(axis=1)
    assert numbers.sum() == 3
    np.testing.assert_array_equal(place[numbers], at[numbers])


@pytest.mark.parametrize("device", ["h200", "host"])
@pytest.mark.parametrize(
    ("join", "compare", "takes"), [("maxsi", "sgt", np.greater), ("minsi", "slt", np.less), ("", "sgt", np.greater)]
)
def test_integers_and_a_start_within_their_range(join: str, compare: str, takes: Any, device: str) -> None:
    x = np.random.default_rng(1).integers(-9, 9, (5, 70), np.int32)
    x[0], x[1] = -9, 8
    program = text(join and f"arith.{join}", f"arith.cmpi {compare}", "4", "i32", place="i32", none=3)
    found = results(program, x, device, "cpu" if device == "host" else "sim")
    for got, wanted in zip(found, walked(x, takes, 4, 3, join=False), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize(("read", "ops"), [(0, 1), (1, 3)])
def test_one_of_both_is_read(read: int, ops: int, device: str) -> None:
    """Where that is the value there is no place."""
    kind, x = ("tensor<5xf32>", "tensor<5xi64>")[read], floats()[:3]
    x = np.concatenate([x, x[:2]])
    program = text("arith.maximumf", "arith.cmpf ogt", "0xFF800000")
    program = program.replace("-> (tensor<5xf32>, tensor<5xi64>) {\n  %low", f"-> {kind} {{\n  %low")
    program = program.replace("return %r#0, %r#1 : tensor<5xf32>, tensor<5xi64>", f"return %r#{read} : {kind}")
    kept, _ = lower_until(Source("-", program), device, CompileOptions(), NORMALISED)
    assert kept.count("linalg.generic") == ops and ("xi64>" in kept) == read
    artifact = compile_source(Source("-", program), device, CompileOptions(binaries=False, cache=False))
    np.testing.assert_array_equal(artifact.run(x)[0], walked(x, np.greater, -np.inf, join=True)[read])


@pytest.mark.parametrize("columns", [1, 33, 4099])
def test_columns_and_single_rows(columns: int) -> None:
    x = np.random.default_rng(2).integers(-99, 99, (columns, 5)).astype(np.float32)
    program = text(
        "arith.maximumf",
        "arith.cmpf ogt",
        "0xFF800000",
        columns=columns,
        ins="(i, j)",
        loop=0,
        outs="(j)",
        shape="{}x5",
    )
    value, place = results(program, x, "h200")
    np.testing.assert_array_equal(value, x.max(axis=0))
    np.testing.assert_array_equal(place, x.argmax(axis=0))


@pytest.mark.parametrize(
    ("join", "compare"),
    [("maximumf", "oge"), ("maximumf", "ugt"), ("maximumf", "olt"), ("minimumf", "ogt"), ("addf", "ogt")],
)
def test_what_is_no_extreme_stays_one_op(join: str, compare: str) -> None:
    """The last of equal values, one that a NaN takes, and values that do not go with their places."""
    program = text(f"arith.{join}", f"arith.cmpf {compare}", "0xFF800000")
    kept, _ = lower_until(Source("-", program), "h200", CompileOptions(), NORMALISED)
    assert kept.count("linalg.generic") == 1
    shared, _ = lower_until(
        Source("-", text("arith.maximumf", "arith.cmpf ogt", "0xFF800000")), "h200", CompileOptions(), NORMALISED
    )
    assert shared.count("linalg.generic") == 3


def numbered(compare: str, low: str, element: str = "f32") -> str:
    """Return a function of the extreme value of each row and the least of the numbers beside it, as JAX writes it."""
    kind, same = ("f", "oeq") if element == "f32" else ("i", "eq")
    none = f"%none = arith.cmpf une, %value, %value : {element}\n    %stays = arith.ori %more, %none : i1"
    return f"""func.func @f(%x: tensor<5x70x{element}>, %n: tensor<5x70xi32>) -> (tensor<5x{element}>, tensor<5xi32>) {{
  %low = arith.constant {low} : {element}
  %zero = arith.constant 3 : i32
  %e = tensor.empty() : tensor<5x{element}>
  %g = tensor.empty() : tensor<5xi32>
  %o = linalg.fill ins(%low : {element}) outs(%e : tensor<5x{element}>) -> tensor<5x{element}>
  %q = linalg.fill ins(%zero : i32) outs(%g : tensor<5xi32>) -> tensor<5xi32>
  %r:2 = linalg.generic {{
    indexing_maps = [
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>
    ],
    iterator_types = ["parallel", "reduction"]
  }} ins(%x, %n : tensor<5x70x{element}>, tensor<5x70xi32>) outs(%o, %q : tensor<5x{element}>, tensor<5xi32>) {{
  ^bb0(%in: {element}, %number: i32, %value: {element}, %place: i32):
    %more = arith.cmp{kind} {compare}, %value, %in : {element}
    {none if element == "f32" else "%stays = arith.ori %more, %more : i1"}
    %equal = arith.cmp{kind} {same}, %value, %in : {element}
    %less = arith.cmpi slt, %place, %number : i32
    %same = arith.andi %equal, %less : i1
    %keeps = arith.ori %stays, %same : i1
    %new = arith.select %stays, %value, %in : {element}
    %there = arith.select %keeps, %place, %number : i32
    linalg.yield %new, %there : {element}, i32
  }} -> (tensor<5x{element}>, tensor<5xi32>)
  return %r#0, %r#1 : tensor<5x{element}>, tensor<5xi32>
}}"""


def walked_numbers(x: Rows, numbers: Rows, beats: Callable[[Any, Any], bool], low: float) -> tuple[Rows, Rows]:
    """Return the value and the number of each row, one step after the other."""
    values, places = np.full(len(x), low, x.dtype), np.full(len(x), 3, np.int32)
    for row, line in enumerate(x):
        for one, number in zip(line, numbers[row], strict=True):
            stays = beats(values[row], one) or values[row] != values[row]
            keeps = stays or (values[row] == one and places[row] < number)
            values[row], places[row] = (values[row] if stays else one), (places[row] if keeps else number)
    return values, places


@pytest.mark.parametrize("device", ["h200", "mi300x", "host"])
@pytest.mark.parametrize("rising", [True, False])
def test_places_that_are_read(rising: bool, device: str) -> None:
    """Numbers in rising order give the first of equal values and the first NaN; others the least of their numbers."""
    x = floats()
    x[3, :5] = 1.0
    numbers = np.tile(np.arange(70, dtype=np.int32), (5, 1))
    if not rising:
        numbers = np.random.default_rng(5).integers(-9, 9, (5, 70), np.int32)
        x[3:] = 2.0  # which of several NaNs counts depends on the order
    for compare, low, beats, start in (
        ("ogt", "0xFF800000", np.greater, -np.inf),
        ("olt", "0x7F800000", np.less, np.inf),
        ("ogt", "1.0", np.greater, 1.0),
    ):
        artifact = compile_source(
            Source("-", numbered(compare, low)), device, CompileOptions(binaries=device == "host", cache=False)
        )
        assert len(artifact.kernels) <= 3
        found = artifact.run(x, numbers, on="cpu" if device == "host" else "sim")
        for got, wanted in zip(found, walked_numbers(x, numbers, beats, start), strict=True):
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(("compare", "beats"), [("sgt", np.greater), ("slt", np.less)])
def test_integers_whose_places_are_read(compare: str, beats: Any) -> None:
    rng = np.random.default_rng(6)
    x, numbers = rng.integers(-4, 5, (5, 70), np.int32), rng.integers(-9, 9, (5, 70), np.int32)
    text = numbered(compare, "2", "i32")
    kept, _ = lower_until(Source("-", text), "h200", CompileOptions(), NORMALISED)
    assert kept.count("linalg.generic") == 3
    artifact = compile_source(Source("-", text), "h200", CompileOptions(binaries=False, cache=False))
    for got, wanted in zip(artifact.run(x, numbers), walked_numbers(x, numbers, beats, 2), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("une, %value, %value", "une, %in, %in"),
        ("slt, %place, %number", "sgt, %place, %number"),
        ("select %keeps, %place, %number", "select %stays, %place, %number"),
        ("select %stays, %value, %in", "select %more, %value, %in"),
        ("oeq, %value, %in", "ogt, %value, %in"),
        ("cmpf ogt, %value, %in", "cmpf oge, %value, %in"),
    ],
)
def test_other_ways_to_choose_stay_one_op(old: str, new: str) -> None:
    text = numbered("ogt", "0xFF800000")
    assert old in text
    kept, _ = lower_until(Source("-", text.replace(old, new)), "h200", CompileOptions(), NORMALISED)
    assert kept.count("linalg.generic") == 1
