# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Full-size plans at small extents: what is kept, what is refused, and a sample that changes from day to day."""

import json
import re
from datetime import date
from math import prod
from typing import Any

import numpy as np
import pytest

from roller_mlir import CompileOptions
from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.suites import Operator, SuiteError, find_suite, function_text
from roller_mlir.evaluation.suites.programs.extents import shrunk_extents
from roller_mlir.evaluation.suites.programs.shrink import ShrunkProgram, read_program, shrink_program
from roller_mlir.evaluation.suites.select import select
from roller_mlir.evaluation.suites.stages.counted import Counted, worst_ratios
from roller_mlir.evaluation.suites.stages.each import Crew
from roller_mlir.evaluation.suites.stages.verify import plan_hash
from roller_mlir.evaluation.suites.stages.verify_all import Sample, verify_pairs
from roller_mlir.hal import find_device
from roller_mlir.lowering.linalg.reader import read_structured
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.lowering.targets.stage import PLANNED
from roller_mlir.model import construct
from roller_mlir.model.cost.performance import predict
from roller_mlir.plan import Access, LinearIndex, Loop, SplitKPartial, TensorExpression
from roller_mlir.plan.extent import Extent
from roller_mlir.plan.rewrite.split import first_expression, first_plan
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.tools.roller import main

TARGETS = ("v100", "a100", "h200", "mi300x")
SAMPLES = 48
BY_ID = {one.id: one for one in find_suite("roller119")}


def shrunk(text: str, target: str = "h200") -> list[ShrunkProgram]:
    planned, _ = lower_until(Source("-", text), target, CompileOptions(), PLANNED)
    with make_context() as context:
        module = parse_module(planned, context)
        return [shrink_program(one, find_device(target), 1 << 26) for one in programs_of(module)]


def test_loops_keep_two_tiles_the_steps_that_fill_the_buffers_and_every_remainder() -> None:
    (one,) = shrunk(function_text(Operator("x", "matmul", "f32", {"M": 5003, "N": 3001, "K": 2051})))
    blocks = [axis.block for axis in one.plan.axes]
    for whole, size, block, tiles in zip(one.extents.whole, one.extents.sizes, blocks, (2, 2, 4), strict=True):
        assert size == tiles * block + whole % block
    assert one.plan.stages == 2 and "tensor<5003x" not in one.planned and "rtile" not in one.linalg


def test_the_plan_is_the_very_same_but_for_extents() -> None:
    parts, join = shrunk(function_text(BY_ID["M1"]))
    for one in (parts, join):
        assert plan_hash(one.plan) == plan_hash(one.whole_plan) and one.plan.axes == one.whole_plan.axes
        assert one.plan.prediction is not None and one.whole_plan.prediction is not None
        assert one.plan.prediction.shared_bytes == one.whole_plan.prediction.shared_bytes
        assert one.plan.prediction.registers == one.whole_plan.prediction.registers
        assert prod(one.extents.sizes) < prod(one.extents.whole) / 100
    assert plan_hash(parts.plan) != plan_hash(join.plan)
    assert parts.plan.part is not None and parts.whole_plan.part is not None
    assert parts.plan.part.extent.static == parts.extents.sizes[3] < parts.whole_plan.part.extent.static


def test_boxes_of_a_raster_are_of_the_extents() -> None:
    (one,) = shrunk(function_text(BY_ID["M6"]), "mi300x")
    assert one.whole_plan.raster and not one.plan.raster
    assert plan_hash(one.plan) == plan_hash(one.whole_plan)


def test_a_last_part_that_is_shorter_stays_shorter() -> None:
    """Parts of 24 points of 100: the last one lacks 20, of which 4 are left where a part has 16 points."""
    device = find_device("h200")
    index = [LinearIndex((1, 0, 0)), LinearIndex((0, 1, 0)), LinearIndex((0, 0, 1))]
    a = Access("a", (32, 100), "f32", (index[0], index[2]))
    b = Access("b", (100, 64), "f32", (index[2], index[1]))
    c = Access("c", (32, 64), "f32", (index[0], index[1]))
    loops = (Loop(32), Loop(64), Loop(100, True))
    whole = TensorExpression(loops, (a, b), c, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)
    plan = construct(whole, device, None)[0]
    from dataclasses import replace

    from roller_mlir.plan import AxisPlan, SplitK

    axes = (*plan.axes[:2], AxisPlan(block=4))
    plan = replace(plan, axes=axes, stages=2, split=SplitK(loop=2, parts=Extent(5), extent=Extent(24), join=plan))
    first = replace(first_plan(plan), part=SplitKPartial(loop=2, parts=Extent(5), extent=Extent(24)))
    found = shrunk_extents(first_expression(whole, 2, 5, 24), first, 1 << 26)
    assert found.sizes[0] == 3 and found.sizes[3] == 16
    assert found.part == SplitKPartial(loop=2, parts=3, extent=16)
    # 5 * 24 - 100 = 20 points are missing; whole tiles of 4 go until fewer than a part are left.
    assert found.dropped == 8
    assert found.index(LinearIndex((24, 0, 0, 1))) == LinearIndex((16, 0, 0, 1))


def test_points_beyond_the_limit_leave_one_tile_and_the_remainder() -> None:
    (expression,), plan = _expressions(BY_ID["M5"])
    free = shrunk_extents(expression, plan, 1 << 40)
    tight = shrunk_extents(expression, plan, 1)
    assert free.reduced == () and tight.sizes == free.sizes  # no remainders, so that two tiles stay
    odd, plan = _expressions(Operator("x", "matmul", "f32", {"M": 5003, "N": 3001, "K": 2051}))
    tight = shrunk_extents(odd[0], plan, 1)
    assert tight.reduced == (0, 1)
    assert tight.sizes[:2] == tuple(axis.block + odd[0].bounds[i] % axis.block for i, axis in enumerate(plan.axes[:2]))


def _expressions(operator: Operator) -> Any:
    planned, _ = lower_until(Source("-", function_text(operator)), "h200", CompileOptions(), PLANNED)
    with make_context() as context:
        module = parse_module(planned, context)
        read = [read_program(one) for one in programs_of(module)]
        return [root.expression for root, _ in read], read[0][1]


def test_a_shrunk_program_reads_as_its_extents_say() -> None:
    for operator in ("C0", "D0", "P4", "R2", "C20"):
        for one in shrunk(function_text(BY_ID[operator])):
            with make_context() as context:
                module = parse_module(one.planned, context)
                (program,) = programs_of(module)
                root, plan = read_program(program)
                assert tuple(loop.extent.static for loop in root.expression.loops) == one.extents.sizes
                assert predict(root.expression, plan, find_device("h200")) == plan.prediction
                assert read_structured(root.operation).expression == root.expression


def test_what_cannot_be_shrunk_is_said() -> None:
    text = function_text(Operator("x", "matmul", "f32", {"M": 4096, "N": 4096, "K": 4096}))
    twice = text.replace("%b: tensor<4096x4096xf32>)", "%unused: tensor<4096x4096xf32>)").replace(
        "(%a, %b :", "(%a, %a :"
    )
    try:
        found = shrunk(twice)
    except SuiteError as error:
        assert "one tensor is read in two ways" in str(error)
    else:
        assert {size for one in found for size in one.extents.sizes} == {found[0].extents.sizes[0]}


def test_every_result_of_an_op_is_shrunk() -> None:
    """Two products with one factor in common, as horizontal fusion writes them."""
    (one,) = shrunk("""
        #a = affine_map<(i, j, k) -> (i, k)>
        #b = affine_map<(i, j, k) -> (k, j)>
        #c = affine_map<(i, j, k) -> (i, j)>
        func.func @twice(%a: tensor<4096x640xf32>, %b: tensor<640x640xf32>, %c: tensor<640x640xf32>)
            -> (tensor<4096x640xf32>, tensor<4096x640xf32>) {
          %zero = arith.constant 0.0 : f32
          %empty = tensor.empty() : tensor<4096x640xf32>
          %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096x640xf32>) -> tensor<4096x640xf32>
          %0:2 = linalg.generic {indexing_maps = [#a, #b, #b, #c, #c],
              iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%a, %b, %c : tensor<4096x640xf32>, tensor<640x640xf32>, tensor<640x640xf32>)
              outs(%init, %init : tensor<4096x640xf32>, tensor<4096x640xf32>) {
          ^bb0(%x: f32, %y: f32, %z: f32, %s: f32, %t: f32):
            %1 = arith.mulf %x, %y : f32
            %2 = arith.addf %s, %1 : f32
            %3 = arith.mulf %x, %z : f32
            %4 = arith.addf %t, %3 : f32
            linalg.yield %2, %4 : f32, f32
          } -> (tensor<4096x640xf32>, tensor<4096x640xf32>)
          return %0#0, %0#1 : tensor<4096x640xf32>, tensor<4096x640xf32>
        }""")
    rows, columns, terms = one.extents.sizes
    assert rows < 4096
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (rows, terms)).astype(np.float32)
    b, c = (rng.integers(-4, 5, (terms, columns)).astype(np.float32) for _ in range(2))
    found = compile_source(Source("-", one.planned), "h200", CompileOptions()).run(a, b, c, on="sim")
    assert [np.array_equal(result, a @ factor) for result, factor in zip(found, (b, c), strict=True)] == [True, True]


def test_gathers_are_not_shrunk() -> None:
    text = """
        func.func @rows(%table: tensor<65536x512xf32>, %at: tensor<1024xi32>) -> tensor<1024x512xf32> {
          %empty = tensor.empty() : tensor<1024x512xf32>
          %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%at : tensor<1024xi32>) outs(%empty : tensor<1024x512xf32>) {
          ^bb0(%position: i32, %out: f32):
            %row = arith.index_cast %position : i32 to index
            %column = linalg.index 1 : index
            %element = tensor.extract %table[%row, %column] : tensor<65536x512xf32>
            linalg.yield %element : f32
          } -> tensor<1024x512xf32>
          return %0 : tensor<1024x512xf32>
        }"""
    with pytest.raises(SuiteError, match="reads a tensor at positions from data"):
        shrunk(text)


def test_every_operator_comes_once_in_all_samples() -> None:
    operators = find_suite("roller119")
    taken = [Sample(number=i, of=SAMPLES).take(operators, TARGETS) for i in range(SAMPLES)]
    for sample in taken:
        assert {one.kind for one, _ in sample} == {one.kind for one in operators}
        assert {target for _, target in sample} == set(TARGETS)
    everything = {(one.id, target) for sample in taken for one, target in sample}
    assert everything == {(one.id, target) for one in operators for target in TARGETS}
    with pytest.raises(ValueError, match="a sample is I/N with I from 0 to N - 1, but got 3/3"):
        Sample(number=3, of=3)


@pytest.mark.full
def test_several_processes_say_the_same_in_order_and_one_that_dies_takes_nobody_along() -> None:
    operators = select(find_suite("roller119"), ("R3", "P7"))
    unknown = Operator("x", "no class", "f32")
    pairs = [(operators[0], "h200"), (unknown, "h200"), (operators[1], "mi300x")]
    records = list(verify_pairs(pairs, CompileOptions(), crew=Crew(workers=2)))
    assert [(record["id"], record["target"]) for record in records] == [(one.id, target) for one, target in pairs]
    assert [record.get("matches") for record in records] == [True, None, True]
    assert records[1]["error"].startswith("bug: ")
    (alone,) = verify_pairs(pairs[2:], CompileOptions())
    assert {key: value for key, value in alone.items() if not key.endswith("_s")} == {
        key: value for key, value in records[2].items() if not key.endswith("_s")
    }


def test_ratios() -> None:
    rows = [Counted("f", "shared_load_phases", 400, 200), Counted("f", "shared_store_phases", 100, 400)]
    assert worst_ratios(rows) == {"bytes_exact": True, "sectors_ratio": 1.0, "phases_ratio": 0.25}
    assert worst_ratios([Counted("f", "global_load_sectors", 63, 9)])["sectors_ratio"] == 1.0
    assert worst_ratios([Counted("f", "global_load_sectors", 64, 0)])["sectors_ratio"] == float("inf")
    assert not worst_ratios([Counted("f", "global_load_bytes", 4, 8)])["bytes_exact"]


def verified(capsys: Any, *arguments: str) -> list[dict[str, Any]]:
    command = ["suite", *arguments, "--stage", "verify", "--target", ",".join(TARGETS)]
    print("roller", *command)  # pytest shows it when something fails
    code = main([*command, "--json"])
    shown = capsys.readouterr().out
    print(re.match(r".*", shown)[0])
    records = json.loads(shown[shown.index("[") :])
    wrong = [(r["id"], r["target"], r.get("error", r.get("max_error"))) for r in records if not r.get("matches")]
    assert code == 0 and not wrong, wrong
    assert all(record["bytes_exact"] for record in records)
    return records


@pytest.mark.full
def test_todays_sample_of_the_suite(capsys: Any) -> None:
    records = verified(capsys, "roller119", "--sample", f"{date.today().toordinal() % SAMPLES}/{SAMPLES}")
    assert {record["class"] for record in records} == {one.kind for one in BY_ID.values()}
    assert {record["target"] for record in records} == set(TARGETS)
    assert all(record["equal"] or record["class"] == "avg_pool2d" for record in records)


@pytest.mark.full
@pytest.mark.parametrize("samples", [24, pytest.param(8, marks=pytest.mark.full)])
def test_todays_sample_of_the_awkward_shapes(samples: int, capsys: Any) -> None:
    """Each on one device: a sixth of the 60, and with --full half of them; others tomorrow."""
    records = verified(capsys, "shapes60", "--sample", f"{date.today().toordinal() % samples}/{samples}")
    assert len(records) >= 224 // samples and not any(record["shrunk"] for record in records)


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["C0", "D0"])
def test_counted_transactions_of_a_convolution_and_a_depthwise_one(name: str, target: str, capsys: Any) -> None:
    """What the simulator counts lies within 5 % of what the plan says, loads and stores together, on plain cores."""
    plain = ["--instruction", "fma,packed_fma"]
    assert main(["suite", "roller119", "--only", name, "--stage", "verify", "--target", target, "--json", *plain]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    apart: dict[str, float] = {}
    for unit in ("sectors", "phases", "bytes"):
        rows = [row for row in record["counted"] if row["quantity"].endswith(unit)]
        counted, planned = (sum(row[key] for row in rows) for key in ("counted", "planned"))
        apart[unit] = abs(counted - planned) / planned
    assert apart["bytes"] == 0.0 and max(apart.values()) <= 0.05, apart


@pytest.mark.full
def test_the_best_plans_of_an_operator_are_verified_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["suite", "shapes60", "--target", "h200", "--only", "mm-f16-odd", "--stage", "verify", "--top-k", "3"]
    assert main([*command, "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["id"], record["target"], record["dtype"]) == ("mm-f16-odd", "h200", "f16")
    assert record["matches"] and record["programs"] == 3
    assert [one["rank"] for one in record["candidates"]] == [0, 1, 2]
    assert all(one["matches"] and one["bytes_exact"] for one in record["candidates"])
    assert main(command) == 0
    out = capsys.readouterr().out
    assert all(f"mm-f16-odd.{rank} " in out for rank in range(3)) and "3 plans verified" in out


def test_a_wrong_candidate_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    taken: list[Any] = []

    def one_is_refused(*_: Any, **__: Any) -> dict[str, Any]:
        taken.append(None)
        if len(taken) == 2:
            raise SuiteError("this one is not", file="", line=0)
        return {"matches": True, "equal": True}

    monkeypatch.setattr("roller_mlir.evaluation.measure.tune.candidate_stage.verify_operator", one_is_refused)
    command = ["suite", "shapes60", "--only", "mm-f16-odd", "--stage", "verify", "--top-k", "3", "--json"]
    assert main(command) == 1
    (record,) = json.loads(capsys.readouterr().out)
    assert not record["matches"] and "this one is not" in record["candidates"][1]["error"]
