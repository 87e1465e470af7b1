# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is undefined is found and named, and random inputs avoid it where they can."""

from pathlib import Path

import numpy as np
import pytest
from body_functions import body_function

from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.evaluation.reference.draws import Drawn, defined_inputs
from roller_mlir.evaluation.reference.undefined import Undefined, looking_for_undefined
from roller_mlir.plan.manifest import Buffer
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.tools import roller

EXTENT = 64


def found_in(body: str, ins: list[str], outs: list[str], *inputs: np.ndarray) -> list[Undefined]:
    with make_context() as context, looking_for_undefined() as log:
        evaluate_function(parse_module(body_function(body, ins, outs, len(inputs[0])), context), "f", inputs)
    return list(log.findings())


def draw(body: str, ins: list[str], outs: list[str], kind: str = "integers", seed: int = 0) -> Drawn:
    buffers = [Buffer(name=f"a{i}", role="input", element_type=one, shape=(EXTENT,)) for i, one in enumerate(ins)]
    with make_context() as context:
        module = parse_module(body_function(body, ins, outs, EXTENT), context)
        return defined_inputs(module, "f", buffers, seed, kind)


@pytest.mark.parametrize("name", ["divsi", "remsi", "floordivsi", "ceildivsi"])
def test_a_signed_division_is_undefined_twice(name: str) -> None:
    left, right = np.array([-128, -128, 5, 127], np.int8), np.array([-1, 1, 0, -1], np.int8)
    found = found_in(f"    %r0 = arith.{name} %x0, %x1 : i8", ["i8"] * 2, ["i8"], left, right)
    assert [(one.why, one.points) for one in found] == [("divides by 0", 1), ("divides the least i8 by -1", 1)]
    assert {one.operation for one in found} == {f"arith.{name}"}
    assert str(found[0]) == f"'arith.{name}' at -:7:11 divides by 0 once"


@pytest.mark.parametrize("name", ["divui", "remui", "ceildivui"])
def test_an_unsigned_division_is_undefined_by_0(name: str) -> None:
    left, right = np.array([-128, -128, 5], np.int8), np.array([-1, 1, 0], np.int8)
    found = found_in(f"    %r0 = arith.{name} %x0, %x1 : i8", ["i8"] * 2, ["i8"], left, right)
    assert [(one.why, one.points) for one in found] == [("divides by 0", 1)]


@pytest.mark.parametrize("name", ["shli", "shrsi", "shrui"])
def test_a_shift_is_undefined_by_the_width(name: str) -> None:
    left, right = np.array([1, 1, 1, 1], np.int8), np.array([0, 7, 8, -1], np.int8)
    found = found_in(f"    %r0 = arith.{name} %x0, %x1 : i8", ["i8"] * 2, ["i8"], left, right)
    assert [(one.why, one.points) for one in found] == [("shifts by the width of its type or more", 2)]


@pytest.mark.parametrize(
    ("name", "target", "points"), [("fptosi", "i8", 5), ("fptoui", "i8", 4), ("fptosi", "i64", 2), ("fptoui", "i1", 5)]
)
def test_a_conversion_is_undefined_where_the_number_does_not_fit(name: str, target: str, points: int) -> None:
    values = np.array([np.nan, np.inf, 128.5, -128.9, -0.9, 300.0, 0.0, -129.0], np.float32)
    if name == "fptoui":
        values = np.array([np.nan, -np.inf, 255.9, 256.0, -0.9, -1.0, 0.0, 1.5], np.float32)
    found = found_in(f"    %r0 = arith.{name} %x0 : f32 to {target}", ["f32"], [target], values)
    assert [one.points for one in found] == [points]
    assert found[0].why == f"converts a number that {target} cannot hold"


AVOIDABLE = {
    "a divisor": ("%r0 = arith.divsi %x0, %x1 : i32", ["i32", "i32"], "i32"),
    "a remainder": ("%r0 = arith.remui %x0, %x1 : i8", ["i8", "i8"], "i8"),
    "a divisor that is cast and squared": (
        "%w = arith.extsi %x1 : i8 to i32\n %s = arith.muli %w, %w : i32\n %r0 = arith.divsi %x0, %s : i32",
        ["i32", "i8"],
        "i32",
    ),
    "a difference": ("%d = arith.subi %x1, %x0 : i32\n %r0 = arith.divsi %x0, %d : i32", ["i32", "i32"], "i32"),
    "an amount": ("%r0 = arith.shli %x0, %x1 : i8", ["i8", "i8"], "i8"),
    "an unsigned conversion": ("%r0 = arith.fptoui %x0 : f32 to i8", ["f32"], "i8"),
    "an unsigned conversion of the negative": (
        "%n = arith.negf %x0 : bf16\n %r0 = arith.fptoui %n : bf16 to i32",
        ["bf16"],
        "i32",
    ),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kind", ["integers", "normal"])
@pytest.mark.parametrize("name", AVOIDABLE)
def test_random_inputs_avoid_what_is_undefined(name: str, kind: str) -> None:
    body, ins, out = AVOIDABLE[name]
    drawn = draw(body, ins, [out], kind)
    assert not drawn.undefined
    assert drawn.inputs[-1].std() > 0 or name == "a difference", "they still differ from each other"
    again = draw(body, ins, [out], kind)
    assert all((one == other).all() for one, other in zip(drawn.inputs, again.inputs, strict=True))


SIDES = """    %zero = arith.constant 0 : i32
    %c = arith.cmpi sge, %x1, %zero : i32
    %r0 = scf.if %c -> (i32) {
      %i = arith.divsi %x0, %x1 : i32
      scf.yield %i : i32
    } else {
      %d = arith.cmpi eq, %x0, %zero : i32
      %n = scf.if %d -> (i32) {
        scf.yield %x1 : i32
      } else {
        %m = arith.remsi %x1, %x0 : i32
        scf.yield %m : i32
      }
      %s = arith.shli %n, OTHER : i32
      scf.yield %s : i32
    }"""


@pytest.mark.parametrize(("other", "points"), [("%zero", {"divsi": 1}), ("%x1", {"divsi": 1, "shli": 3})])
def test_a_side_of_a_condition_is_undefined_where_it_is_taken(other: str, points: dict[str, int]) -> None:
    left, right = np.array([5, 0, 7, 0, 2], np.int32), np.array([2, -6, -6, 0, -9], np.int32)
    found = found_in(SIDES.replace("OTHER", other), ["i32"] * 2, ["i32"], left, right)
    assert {one.operation.removeprefix("arith."): one.points for one in found} == points


def test_a_side_that_no_point_takes_is_not_evaluated() -> None:
    drawn = draw(SIDES.replace("OTHER", "%zero"), ["i32"] * 2, ["i32"])
    assert not drawn.undefined and drawn.inputs[1].max() > 0
    assert found_in(SIDES.replace("OTHER", "%zero"), ["i32"] * 2, ["i32"], *np.array([[0, 0], [1, 2]], np.int32)) == []


def test_arguments_that_feed_nothing_undefined_stay_as_they_were() -> None:
    drawn = draw("%r0 = arith.divsi %x0, %x1 : i32", ["i32", "i32"], ["i32"])
    assert drawn.inputs[0].min() < 0 < drawn.inputs[0].max() and drawn.inputs[1].min() == 1
    divided = draw("%c = arith.constant 3 : i32\n %r0 = arith.divsi %x0, %c : i32", ["i32"], ["i32"])
    assert divided.inputs[0].min() < 0 < divided.inputs[0].max()


def test_what_cannot_be_avoided_is_told() -> None:
    body = "%z = arith.subi %x1, %x1 : i32\n %r0 = arith.divsi %x0, %z : i32"
    (found,) = draw(body, ["i32", "i32"], ["i32"]).undefined
    assert str(found) == f"'arith.divsi' at -:8:8 divides by 0 at {EXTENT} points"


DIVISION = """func.func @f(%a: tensor<8x16xi32>, %b: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %e = tensor.empty() : tensor<8x16xi32>
  %r = linalg.div ins(%a, %b : tensor<8x16xi32>, tensor<8x16xi32>) outs(%e : tensor<8x16xi32>) -> tensor<8x16xi32>
  return %r : tensor<8x16xi32>
}"""


def test_the_command_draws_divisors_that_are_not_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "division.mlir"
    path.write_text(DIVISION)
    assert roller.main(["run", str(path), "--target", "h200", "--random", "--check"]) == 0
    assert "result matches numpy (equal" in capsys.readouterr().out


def test_the_command_names_what_is_undefined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "division.mlir"
    path.write_text(DIVISION)
    np.save(tmp_path / "a.npy", np.full((8, 16), 7, np.int32))
    np.save(tmp_path / "b.npy", np.zeros((8, 16), np.int32))
    given = ["--input", str(tmp_path / "a.npy"), "--input", str(tmp_path / "b.npy")]
    assert roller.main(["run", str(path), "--target", "h200", *given, "--check"]) == 1
    out = capsys.readouterr().out
    assert "does not match" not in out
    assert "result cannot be compared with numpy" in out
    assert "the program has undefined behaviour on these inputs" in out
    assert "'arith.divsi' at" in out and ":3:8 divides by 0 at 128 points" in out
