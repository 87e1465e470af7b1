# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `explain` says is what the construction did: its tiles, scores, limits and plans, recomputed here."""

from dataclasses import replace
from itertools import pairwise
from math import inf, isclose

import pytest
from model_expressions import matmul, row_sum
from tile_definitions import footprint_bytes, traffic_bytes

from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.explain.explanation import Explanation
from roller_mlir.model.explain.trace import Score, block_problems, register_problems
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.alignment import bank_padding, device_rules
from roller_mlir.model.search.programs.tiled import TiledSearch
from roller_mlir.model.tile import Tile, reuse_score
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.records.codec import to_json

H200 = find_device("h200")


def conv3x3(batch: int, channels: int, filters: int, size: int) -> TensorExpression:
    """Return a 3x3 convolution with a padding of 1 at each side, folded into the load (NCHW)."""

    def index(*terms: int, constant: int = 0) -> LinearIndex:
        return LinearIndex(tuple(int(loop in terms) for loop in range(7)), constant)

    image = (index(0), index(4), index(2, 5, constant=-1), index(3, 6, constant=-1))
    kernel, output = (index(1), index(4), index(5), index(6)), (index(0), index(1), index(2), index(3))
    extents = (batch, filters, size, size)
    return TensorExpression(
        loops=(*map(Loop, extents), Loop(channels, True), Loop(3, True), Loop(3, True)),
        inputs=(
            Access("x", (batch, channels, size, size), "f32", image),
            Access("w", (filters, channels, 3, 3), "f32", kernel),
        ),
        output=Access("y", extents, "f32", output),
        combiner="arith.addf",
        flops_per_point=2,
        pad_values=(0.0, 0.0),
        fused_multiply_add=True,
    )


EXPRESSIONS = {
    "square": matmul(1024, 1024, 1024),
    "ragged": matmul(100, 1000, 300),
    "small": matmul(64, 64, 512),
    "long": matmul(128, 1000, 4032),
    "window": conv3x3(8, 32, 64, 28),
    "sum": row_sum(4096, 1024),
}


@pytest.fixture(scope="module", params=EXPRESSIONS)
def explained(request: pytest.FixtureRequest) -> tuple[TensorExpression, Explanation]:
    expression = EXPRESSIONS[request.param]
    return expression, explain(expression, H200, families=("fma",))


@pytest.mark.full(every=6)
def test_candidates_are_the_plans_of_the_construction(explained: tuple[TensorExpression, Explanation]) -> None:
    expression, found = explained
    plans = construct(expression, H200)
    assert [row.block for row in found.candidates] == [tuple(a.block for a in plan.axes) for plan in plans]
    assert [row.seconds for row in found.candidates] == [plan.prediction.seconds for plan in plans if plan.prediction]
    assert found.prediction == plans[0].prediction
    (taken,) = construct(expression, H200, ConstructOptions(top_k=1, instructions=("fma",)))
    assert found.compiled_rank is not None and taken == plans[found.compiled_rank - 1]
    assert found.tail == pytest.approx(1 - found.prediction.waves / -(-found.prediction.waves // 1))


@pytest.mark.full(every=2)
def test_the_walk_goes_from_the_smallest_tile_to_the_program(explained: tuple[TensorExpression, Explanation]) -> None:
    expression, found = explained
    if found.path.kind == "streaming":
        return
    registers, blocks = found.path.walks
    assert set(registers.steps[0].tile) == {1}
    sector = machine_of(H200).sector_bytes
    for step in blocks.steps:
        assert step.traffic == traffic_bytes(expression, step.tile, sector, output=False)
        assert step.footprint == footprint_bytes(expression, step.tile, output=False)
    for walk in found.path.walks:
        for before, after in pairwise(walk.steps):
            assert after.axis is not None and after.score is not None
            changed = [loop for loop, size in enumerate(after.tile) if size != before.tile[loop]]
            assert changed == [after.axis] and after.tile[after.axis] > before.tile[after.axis]
            assert after.score == reuse_score(before.traffic - after.traffic, after.footprint - before.footprint)
            assert list(after.others) == sorted(after.others, key=lambda one: -one.score)
        assert walk.yielded <= walk.fitting <= walk.looked_at
    end = registers.steps[-1].tile, blocks.steps[-1].tile
    for shrink in found.path.shrinks:
        assert 2 * shrink.blocks[shrink.axis] == end[1][shrink.axis]
        end = shrink.registers, shrink.blocks
    if found.path.descent:
        first, last = found.path.descent[0], found.path.descent[-1]
        assert (first.registers, first.blocks) == end
        # The last one may be a neighbour that only its layouts make the best.
        for before, after in pairwise(found.path.descent[:-1]):
            assert after.seconds < before.seconds or after.split != before.split
        end = last.registers, last.blocks
    winner = found.candidates[0]
    assert end[1] == winner.block
    for loop in expression.parallel():
        assert end[0][loop] == winner.thread[loop]


@pytest.mark.parametrize("name", ["square", "ragged", "window"])
def test_what_does_not_fit_has_a_reason_and_what_fits_has_none(name: str) -> None:
    expression = EXPRESSIONS[name]
    facts = ProblemContext(expression, machine_of(H200), atoms(expression, H200)[0])
    search = TiledSearch(facts, device_rules(H200, 0.5, facts.atom))
    seen: list[tuple[Tile, bool]] = []
    preferred, _ = search.register_tiles(lambda _, larger, fits: seen.append((larger, fits)))
    assert seen and all(bool(register_problems(search, tile)) != fits for tile, fits in seen)
    refused = 0
    for registers in (*preferred, tuple(search.smallest)):
        seen.clear()
        search.block_tiles(registers, lambda _, larger, fits: seen.append((larger, fits)))
        assert all(bool(block_problems(search, registers, tile)) != fits for tile, fits in seen)
        refused += sum(not fits for _, fits in seen)
    assert refused


def test_stops_name_the_capacity(explained: tuple[TensorExpression, Explanation]) -> None:
    _, found = explained
    for walk in found.path.walks:
        assert [stop.axis for stop in walk.stops] == list(range(len(found.operator.loops)))
        for stop in walk.stops:
            assert all(one.need > one.limit for one in stop.limits)
            assert all(f"needs {one.need:g}" in stop.why for one in stop.limits)


def test_a_stream_has_a_constant_reuse_score() -> None:
    found = explain(row_sum(4096, 1024), H200)
    assert found.path.kind == "streaming" and not found.path.walks
    assert {one.score for one in found.path.scores} == {0.0}
    assert found.path.chosen is not None and "threads" in found.path.chosen


def test_each_axis_says_what_keeps_it(explained: tuple[TensorExpression, Explanation]) -> None:
    expression, found = explained
    for axis, loop in zip(found.alignment.axes, expression.loops, strict=True):
        assert (axis.limit == "extent") == (
            axis.block >= loop.extent.static
            or (found.split is not None and axis.block >= found.split.extent and loop.reduction)
        )
        assert axis.padding == pytest.approx((-loop.extent.static % axis.block) / loop.extent.static)
        assert axis.why
        assert axis.threads * axis.thread == axis.block
        for rule in axis.rules:
            assert not set(rule.allowed) & set(rule.refused)
        if axis.limit == "prediction":
            assert axis.next_size is not None and axis.next_size > axis.block and axis.next_seconds is not None


def test_window_steps_divide_and_rows_are_whole_transactions() -> None:
    found = explain(EXPRESSIONS["window"], H200)
    rules = {rule.rule: rule for rule in found.alignment.axes[6].rules}
    assert rules["window"].refused == (2, 4) and set(rules["window"].allowed) == {1, 3}
    rows = {rule.rule: rule for rule in found.alignment.axes[3].rules}["memory-transaction"]
    assert rows.asks == "rows in whole 32 B: y in 8s" and rows.refused == (1, 2, 4)
    image = found.operator.tensors[0]
    assert image.index_map == "(d0, d4, d2 + d5 - 1, d3 + d6 - 1)"
    block = found.candidates[0].block
    assert image.tile.task_halo[2:] == tuple(2 if block[d] < 28 else 0 for d in (2, 3))


def test_bank_padding_stands_beside_the_formula(explained: tuple[TensorExpression, Explanation]) -> None:
    _, found = explained
    for bank in found.alignment.banks:
        size = bank.element_bytes
        assert bank.paper_pad == -(-bank_padding(bank.row * size, bank.fragment * size, 32, 4) // size)
        assert bank.phases is not None and bank.unpadded_phases is not None and bank.phases <= bank.unpadded_phases


def test_no_roof_is_broken(explained: tuple[TensorExpression, Explanation]) -> None:
    expression, found = explained
    line = found.roofline
    assert line.predicted_flops_per_s == pytest.approx(expression.flops / found.prediction.seconds)
    assert line.peak_flops_per_s == H200.peak_flops_per_s(H200.instruction("fma"))
    for roof in line.roofs:
        assert 0 < roof.share <= 1
        assert isclose(roof.share, line.predicted_flops_per_s / roof.bound_flops_per_s)


def test_shares_are_of_the_predicted_time(explained: tuple[TensorExpression, Explanation]) -> None:
    _, found = explained
    assert {one.layer: one.seconds for one in found.layers} == found.prediction.seconds_by_layer
    assert all(one.share == one.seconds / found.prediction.seconds for one in found.layers)
    saturated = max((one for one in found.layers if one.layer not in ("launch", "join")), key=lambda one: one.seconds)
    assert saturated.layer == found.prediction.saturated


def test_a_split_is_shown_with_its_second_stage() -> None:
    found = explain(EXPRESSIONS["long"], H200)
    assert found.split is not None and found.candidates[0].split == found.split.parts > 1
    assert found.split.axis == 2 and found.split.parts * found.split.extent >= 4032
    whole = explain(EXPRESSIONS["long"], H200, ConstructOptions(split=False))
    assert whole.split is None and whole.prediction.seconds > found.prediction.seconds


def test_a_program_of_the_search_without_staged_stores_is_explained() -> None:
    """The descent of the usual search passes results through workgroup memory, and never comes to the best program."""
    plain = conv3x3(128, 512, 512, 7)
    image = tuple(LinearIndex(one.coefficients) for one in plain.inputs[0].indices)
    halves = plain.with_accesses(lambda access: Access(access.name, access.shape, "f16", access.indices))
    inputs = (Access("x", (128, 512, 9, 9), "f16", image), halves.inputs[1])
    explained = explain(replace(halves, inputs=inputs, accumulator_type="f32"), find_device("h100"))
    assert explained.path.walks and explained.path.walks[0].stops


def test_options_are_said() -> None:
    options = ConstructOptions(top_k=3, max_units=16, disabled_rules=("memory-bank", "tensor-shape"))
    found = explain(EXPRESSIONS["square"], H200, options)
    assert found.limits.units == 16 and found.limits.device_units == 132
    assert found.alignment.disabled == ("memory-bank", "tensor-shape")
    assert "tensor-shape" not in {rule.rule for axis in found.alignment.axes for rule in axis.rules}
    assert len(found.candidates) == 3
    with pytest.raises(ValueError, match="without forced tiles"):
        explain(EXPRESSIONS["square"], H200, ConstructOptions(tile_sizes=(64, 64, 8)))


def test_what_no_code_is_generated_for_is_said() -> None:
    found = explain(EXPRESSIONS["square"], H200)
    assert found.compiled_rank is None and found.compiled_note == "no code is generated"
    ipu = explain(matmul(64, 64, 64), find_device("ipu-gc2"), families=("fma",))
    assert ipu.compiled_rank is None and "no code for it" in ipu.compiled_note


def test_an_infinite_score_is_data_too() -> None:
    assert to_json(Score(axis=0, size=2, score=inf, fits=True)) == {"axis": 0, "size": 2, "score": "inf", "fits": True}
