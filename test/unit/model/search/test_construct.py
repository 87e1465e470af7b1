# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction: every plan can be generated, the right one wins, forced tiles are checked."""

from dataclasses import replace
from math import prod

import pytest
from counted_work import calls
from hypothesis import given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, expressions, matmul

from roller_mlir.hal import Device, device_names, find_device
from roller_mlir.hal.atoms import atom_family
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.mapping.layout.layout import lies_as_stored, staged_layout, steps_of
from roller_mlir.mapping.layout.matrix import matrix_operand
from roller_mlir.mapping.resources import plan_resources
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model import ConstructionError, ConstructOptions, construct, predict
from roller_mlir.model.cost.task.join import hand_over_s
from roller_mlir.model.cost.traffic.layouts import matrix_memory
from roller_mlir.model.machine import machine_of
from roller_mlir.model.search import neighbours
from roller_mlir.plan import Access, LinearIndex, Loop, Plan, TensorExpression
from roller_mlir.plan.plan import ASYNCHRONOUS, SYNCHRONOUS, WORKGROUP
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.plan.rewrite.split import divisible_loops, first_expression, first_plan, join_expression

DEVICES = [device for device in map(find_device, device_names()) if device.vector_bytes is None]
THREADED = [device.name for device in DEVICES]


def check_split(expr: TensorExpression, plan: Plan, device: Device) -> None:
    """Check a divided reduction: both stages are plans of their own, and predicted together."""
    split = plan.split
    assert split is not None
    assert plan.prediction is not None
    assert split.join.prediction is not None
    assert split.loop in divisible_loops(expr)
    first = first_expression(expr, split.loop, split.parts, split.extent)
    one = first_plan(plan)
    check_plan(first, replace(one, prediction=predict(first, one, device)), device)
    check_plan(join_expression(expr, split.parts, joined=split.joined), split.join, device)
    machine, join_s = machine_of(device, plan.max_units), split.join.prediction.seconds
    inside_s = join_s - split.join.prediction.launch_s + hand_over_s(machine)
    assert plan.prediction.seconds_by_layer["join"] == pytest.approx(inside_s if split.joined else join_s)
    assert plan.prediction == predict(expr, plan, device)
    assert from_json(Plan, to_json(plan)) == plan


def check_plan(expr: TensorExpression, plan: Plan, device: Device) -> None:
    """Check everything that the code generator relies on."""
    if plan.split is not None:
        check_split(expr, plan, device)
        return
    assert plan.device == device.name
    assert plan.edge == "mask"
    assert plan.instruction in ("fma", "packed_fma") or plan.atom is not None
    assert not plan_problem(expr, plan)
    assert len(plan.axes) == len(expr.loops)
    assert len(plan.operands) == len(expr.inputs)
    threads = ThreadMap(plan.axes, plan.thread_order, plan.lane_order)  # divisibility and order
    assert plan.threads == threads.threads <= device.max_threads_per_block
    assert plan.threads % device.subgroup_size == 0 or plan.threads == 1
    for loop, axis in zip(expr.loops, plan.axes, strict=True):
        assert axis.block % (axis.threads * axis.chunk) == 0
        if loop.reduction:
            assert axis.threads & (axis.threads - 1) == 0
    for i in expr.reductions():
        windows = any(index.coefficients[i] and len(index.terms()) > 1 for a in expr.inputs for index in a.indices)
        assert not windows or expr.bounds[i] % plan.axes[i].block == 0
    if plan.lane is not None:
        assert plan.axes[plan.lane].chunk in (2, 4)
    counts = [steps_of(loop, axis) for loop, axis in zip(expr.loops, plan.axes, strict=True)]
    assert sorted(plan.unit_order) == [i for i in expr.parallel() if counts[i] > 1]
    assert plan.reduction_order == expr.reductions()
    assert plan.unroll == prod(plan.axes[i].registers for i in expr.reductions())
    staged = [operand.layer == WORKGROUP for operand in plan.operands]
    steps = prod(counts[i] for i in expr.reductions())
    assert plan.stages == (2 if any(staged) and steps > 1 else 1)
    machine = machine_of(device)
    for access, operand, pad in zip(expr.inputs, plan.operands, expr.pad_values, strict=True):
        assert sorted(operand.order) == list(range(len(access.shape)))
        assert operand.pad_value == pad
        if operand.layer == WORKGROUP:
            if plan.atom is None:
                layout, _ = staged_layout(
                    access,
                    expr.loops,
                    plan.axes,
                    plan.thread_order,
                    plan.lane,
                    machine.banks,
                    device.subgroup_size,
                    access_bytes=machine.vector_bytes,
                )
                alone = "async_copy" in device.features and steps == 1 and not pad and not access.gathered
                alone = alone and lies_as_stored(layout, access.element_bytes)
                layout = replace(layout, copy=ASYNCHRONOUS if alone else SYNCHRONOUS)
            else:
                memory = matrix_memory(machine)
                layout = matrix_operand(access, expr.loops, plan.axes, plan.atom, atom_family(plan.instruction), memory)
            assert replace(layout, pad_value=pad) == operand
    resources = plan_resources(expr, plan, device)
    prediction = plan.prediction
    assert prediction is not None
    assert resources.tasks_per_unit >= 1
    assert prediction.registers <= device.max_registers_per_thread
    if plan.atom is None:
        assert prediction.registers == resources.registers
    assert prediction.shared_bytes == resources.workgroup_bytes <= device.max_workgroup_bytes_per_block
    assert prediction.tasks == prod(counts[i] for i in expr.parallel())
    assert prediction.seconds > 0
    assert prediction.saturated in prediction.seconds_by_layer
    assert prediction.global_store_bytes == expr.output.size_bytes
    assert from_json(Plan, to_json(plan)) == plan


@pytest.mark.full(every=44)
@pytest.mark.parametrize("device", DEVICES, ids=[device.name for device in DEVICES])
@pytest.mark.parametrize("name", list(CASES))
def test_scope(name: str, device: Device) -> None:
    plans = construct(CASES[name], device, ConstructOptions(top_k=4))
    assert plans
    for plan in plans:
        check_plan(CASES[name], plan, device)


@pytest.mark.full
@QUICK
@given(expressions(), st.sampled_from(THREADED))
def test_any_expression_on_any_device(expr: TensorExpression, name: str) -> None:
    device = find_device(name)
    plans = construct(expr, device, ConstructOptions(top_k=6))
    assert 1 <= len(plans) <= 6
    assert len({repr(replace(plan, prediction=None)) for plan in plans}) == len(plans)
    seconds = [plan.prediction.seconds for plan in plans if plan.prediction]
    assert seconds == sorted(seconds)
    for plan in plans:
        check_plan(expr, plan, device)


@pytest.mark.parametrize("size", [2048, 4096, 16384])
@pytest.mark.parametrize("name", ["h100", "h200"])
def test_large_matmul_gets_the_classic_tile(size: int, name: str) -> None:
    """128x128x8, 256 threads of 8x8 points in chunks of 4, double-buffered, 128 registers, two tasks a unit."""
    plan = construct(matmul(size, size, size), find_device(name), ConstructOptions(top_k=1))[0]
    assert [axis.registers for axis in plan.axes] == [8, 8, 8]
    assert [axis.block for axis in plan.axes] == [128, 128, 8]
    assert [axis.threads for axis in plan.axes] == [16, 16, 1]
    assert [axis.chunk for axis in plan.axes] == [4, 4, 1]
    assert (plan.thread_order, plan.lane, plan.stages, plan.unroll) == ((1, 0), 1, 2, 8)
    assert plan.prediction
    assert plan.prediction.registers == 128
    assert plan.prediction.tasks_per_unit == 2
    assert plan.prediction.saturated == "compute"


@pytest.mark.parametrize("size", [3072, 5120, 6144, 8192])
def test_large_matmul_gets_the_classic_thread_tile(size: int) -> None:
    """Where 128x128 leaves the last round of tasks half empty, half the tile wins, with the same 8x8 points per
    thread."""
    device, expr = find_device("h200"), matmul(size, size, size)
    plan = construct(expr, device, ConstructOptions(top_k=1))[0]
    classic = construct(expr, device, ConstructOptions(tile_sizes=(128, 128, 8), thread_tile=(8, 8, 8)))[0]
    assert [axis.registers for axis in plan.axes][:2] == [8, 8]
    assert plan.prediction
    assert classic.prediction
    assert plan.prediction.seconds <= classic.prediction.seconds <= 1.11 * plan.prediction.seconds


def test_odd_matmul_gets_vectors_where_rows_allow() -> None:
    expr = matmul(1000, 1000, 1020)
    plan = construct(expr, find_device("h200"), ConstructOptions(tile_sizes=(128, 128, 8), thread_tile=(8, 8, 8)))[0]
    assert [operand.vector for operand in plan.operands] == [4, 4]
    plan = construct(
        matmul(1023, 1023, 1021), find_device("h200"), ConstructOptions(tile_sizes=(128, 128, 8), thread_tile=(8, 8, 8))
    )[0]
    assert [operand.vector for operand in plan.operands] == [1, 1]


@pytest.mark.parametrize("name", ["matrix_vector", "row_sum", "full_sum"])
def test_row_reductions_run_along_the_rows(name: str) -> None:
    plan = construct(CASES[name], find_device("h200"), ConstructOptions(top_k=1))[0]
    columns = len(CASES[name].loops) - 1
    assert plan.thread_order[0] == columns
    assert plan.axes[columns].threads >= 8
    assert all(operand.layer != WORKGROUP for operand in plan.operands)


def test_column_reductions_run_along_the_columns() -> None:
    plan = construct(CASES["column_sum"], find_device("h200"), ConstructOptions(top_k=1))[0]
    assert plan.lane == 0
    assert plan.thread_order[0] == 0
    assert plan.axes[0].threads * plan.axes[0].chunk >= 32


def test_transposes_are_staged_and_copies_are_not() -> None:
    device = find_device("h200")
    transposed = construct(CASES["transpose"], device, ConstructOptions(top_k=1))[0]
    assert transposed.operands[0].layer == WORKGROUP
    assert transposed.stages == 1
    plain = construct(CASES["bias"], device, ConstructOptions(top_k=1))[0]
    assert all(operand.layer != WORKGROUP for operand in plain.operands)


def test_small_operators_fill_the_device() -> None:
    """1024 x 1024 x 1024 gives 64 tasks of 128x128, too few for 132 units: tiles shrink."""
    plan = construct(matmul(1024, 1024, 1024), find_device("h200"), ConstructOptions(top_k=1))[0]
    assert plan.prediction
    assert plan.prediction.tasks >= 120


def test_k_programs_where_the_shape_allows_it() -> None:
    for size in (64, 100, 1000, 4096):
        assert len(construct(matmul(size, size, size), find_device("v100"))) == 10


@pytest.mark.full
@QUICK
@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 300))
def test_construction_is_repeatable(m: int, n: int, k: int) -> None:
    expr, device = matmul(m, n, k), find_device("a100-80")
    assert construct(expr, device, ConstructOptions(top_k=2)) == construct(expr, device, ConstructOptions(top_k=2))


def test_a_whole_row_may_be_a_register_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Averages of 3x3 windows of 43008 images of 21 x 21: no doubling is near 21, three tiles of 8 leave an eighth."""
    size, pad = 21, LinearIndex((0, 1, 0, 1, 0), -1)
    image = Access(
        "x", (43008, size, size), "f32", (LinearIndex((1, 0, 0, 0, 0)), pad, LinearIndex((0, 0, 1, 0, 1), -1))
    )
    places = (LinearIndex((1, 0, 0, 0, 0)), LinearIndex((0, 1, 0, 0, 0)), LinearIndex((0, 0, 1, 0, 0)))
    output = Access("y", (43008, size, size), "f32", places)
    loops = (Loop(43008), Loop(size), Loop(size), Loop(3, True), Loop(3, True))
    pooling = TensorExpression(loops, (image,), output, "arith.addf", 2, (0.0,))
    plan = construct(pooling, find_device("h200"), ConstructOptions(top_k=1))[0]
    assert plan.axes[2].block == plan.axes[2].registers == size
    monkeypatch.setattr(neighbours, "MAX_WHOLE_EXTENT", 0)
    before = construct(pooling, find_device("h200"), ConstructOptions(top_k=1))[0]
    assert plan.prediction is not None and before.prediction is not None
    assert before.axes[2].registers < size
    assert plan.prediction.seconds < 0.9 * before.prediction.seconds


def test_forced_tiles_keep_their_sizes() -> None:
    expr, device = matmul(300, 300, 300), find_device("mi300x")
    for options in (
        ConstructOptions(tile_sizes=(64, 64, 16)),
        ConstructOptions(thread_tile=(4, 4, 8)),
        ConstructOptions(tile_sizes=(64, 64, 16), thread_tile=(4, 4, 16), stages=1),
    ):
        for plan in construct(expr, device, options):
            blocks = tuple(axis.block for axis in plan.axes)
            own = tuple(axis.registers for axis in plan.axes)
            assert options.tile_sizes in ((), blocks)
            assert options.thread_tile in ((), own)
            assert options.stages in (0, plan.stages)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ConstructOptions(tile_sizes=(64, 64)), "has 2 size(s), the 512x512x512 loop nest needs 3"),
        (ConstructOptions(thread_tile=(8,)), "thread-tile=8 has 1 size(s)"),
        (
            ConstructOptions(tile_sizes=(64, 64, 8), thread_tile=(8, 7, 8)),
            "has 7 points on loop 1, which must divide the 64",
        ),
        (
            ConstructOptions(tile_sizes=(512, 512, 64), thread_tile=(16, 16, 64)),
            "tile 512x512x64 (f32, 2 stages) needs 524288 B of workgroup memory, 'h200' has 232448 B; lower tile-sizes",
        ),
        (
            ConstructOptions(tile_sizes=(128, 128, 8), thread_tile=(2, 2, 8)),
            "needs 4096 threads per block, 'h200' has 1024; raise thread-tile",
        ),
        (
            ConstructOptions(tile_sizes=(128, 128, 8), thread_tile=(16, 32, 8)),
            "needs 512 accumulators and their fragments in each of 32 threads, 'h200' has 255 registers",
        ),
        (
            ConstructOptions(tile_sizes=(24, 24, 8), thread_tile=(3, 3, 8)),
            "needs 64 threads",
        ),
        (ConstructOptions(tile_sizes=(10, 10, 8), thread_tile=(1, 1, 8)), "runs them in multiples of 32"),
        (
            ConstructOptions(tile_sizes=(64, 64, 24), thread_tile=(8, 8, 8)),
            "splits reduction loop 2 over 3 threads, joining needs a power of two",
        ),
        (ConstructOptions(tile_sizes=(64, 64, 512), stages=2), "2 stages need at least 2 steps"),
        (ConstructOptions(tile_sizes=(7, 7, 7)), "cannot be spread over threads"),
    ],
)
def test_forced_tiles_that_cannot_be(options: ConstructOptions, message: str) -> None:
    if message == "needs 64 threads":
        assert construct(matmul(512, 512, 512), find_device("h200"), options)[0].threads == 64
        return
    with pytest.raises(ConstructionError) as caught:
        construct(matmul(512, 512, 512), find_device("h200"), options)
    assert message in str(caught.value)


def test_forced_window_steps_divide() -> None:
    with pytest.raises(ConstructionError, match="walks window loop 4 in steps of 2, which must divide its extent 3"):
        construct(CASES["conv"], find_device("h200"), ConstructOptions(tile_sizes=(1, 8, 8, 32, 2, 3, 8)))


def test_too_little_workgroup_memory_for_any_tile() -> None:
    tiny = replace(
        find_device("h200"),
        max_workgroup_bytes_per_block=512,
        static_workgroup_bytes=512,
    )
    with pytest.raises(
        ConstructionError,
        match=r"no aligned tile .* fits: 8x8x8 in 2 stages needs 1024 B of workgroup memory, .* has 512 B",
    ):
        construct(matmul(512, 512, 512), tiny)


@pytest.mark.parametrize(
    "values", [{"top_k": 0}, {"tile_sizes": (0, 1)}, {"thread_tile": (-1,)}, {"stages": 9}, {"epsilon": -0.5}]
)
def test_options_are_checked(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="but got"):
        ConstructOptions(**values)


def test_prediction_on_another_device_is_another() -> None:
    expr = matmul(4096, 4096, 4096)
    plan = construct(expr, find_device("v100"), ConstructOptions(top_k=1))[0]
    assert plan.prediction
    assert predict(expr, plan, find_device("h200")).seconds < predict(expr, plan, find_device("v100")).seconds


def test_construction_is_quick() -> None:
    """As many calls as a machine does in some milliseconds, warm; the measured figure is in the documentation."""
    device = find_device("h200")
    assert min(calls(lambda k=k: construct(matmul(1024, 1024, k), device)) for k in (1024, 1088, 1152)) < 170_000
