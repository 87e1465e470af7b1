# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resources and times: worked by hand, monotonic in what they depend on, the cheap estimate close to the prediction."""

from dataclasses import replace
from math import prod

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, expression, matmul, row_sum

from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.combine import combination, combination_bytes
from roller_mlir.mapping.resources import plan_resources, tasks_per_unit
from roller_mlir.model import ConstructOptions, construct, predict
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.performance import context_of, work_of
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.cost.traffic.operands import store_width
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.finish import finish
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.plan import ASYNCHRONOUS, SYNCHRONOUS

H200 = find_device("h200")
CLASSIC = ConstructOptions(top_k=1, tile_sizes=(128, 128, 8), thread_tile=(8, 8, 8))

WORK = CandidateWork(
    tasks=1024,
    steps=512,
    threads=256,
    resident=2,
    math=512,
    issue=576,
    phases=1100,
    load_rounds=0,
    staged=True,
    stages=2,
    tail_issue=32,
    tail_phases=128,
    tail_waits=0,
    cache_bytes=4e9,
    global_bytes=2e8,
)


def test_resources_of_the_classic_tile() -> None:
    """64 accumulators, 2 x 16 fragments, 8 staged, 24 for addressing; A padded to rows of 132, both in two buffers."""
    expr = matmul(4096, 4096, 4096)
    found = plan_resources(expr, construct(expr, H200, CLASSIC)[0], H200)
    assert found.registers == 128
    assert found.workgroup_bytes == 2 * 8 * 132 * 4 + 2 * 8 * 128 * 4
    assert (found.threads, found.tasks_per_unit) == (256, 2)


@pytest.mark.parametrize(
    ("threads", "registers", "workgroup_bytes", "expected"),
    [
        (256, 128, 16640, 2),  # registers: 65536 / (8 x 4096)
        (256, 129, 0, 1),  # rounded up to 136: 65536 / 34816
        (1024, 32, 0, 2),  # threads: 2048 / 1024
        (32, 16, 0, 32),  # blocks
        (128, 32, 100000, 2),  # workgroup memory: 233472 / 101024
        (256, 256, 0, 0),  # more registers than a thread can name
        (2048, 16, 0, 0),
        (128, 16, 300000, 0),
    ],
)
def test_tasks_per_unit(threads: int, registers: int, workgroup_bytes: int, expected: int) -> None:
    assert tasks_per_unit(H200, threads, registers, workgroup_bytes) == expected


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", list(CASES))
def test_the_estimate_agrees_with_the_plan_on_resources(name: str) -> None:
    """Registers are the same; workgroup memory differs by padding only. A kernel that joins parts has those of both."""
    facts = ProblemContext(CASES[name], machine_of(H200))
    for plan in construct(CASES[name], H200, ConstructOptions(top_k=3, join=False)):
        one = estimate(facts, Candidate.of_plan(plan))
        assert one is not None
        assert plan.prediction is not None
        assert one.registers == plan.prediction.registers
        assert one.workgroup_bytes <= plan.prediction.shared_bytes <= 1.7 * one.workgroup_bytes + 128
        assert one.stages == plan.stages


@pytest.mark.parametrize("columns", [128, 129, 130, 132])
def test_the_estimate_and_the_counts_store_alike(columns: int) -> None:
    """Rows of 129 elements are not aligned for vectors: 4 points of a thread are 4 stores, not 1."""
    copied = ("x", (64, columns), (0, 1))
    expr = expression([64, columns], [], [copied], ("y", (64, columns), (0, 1)), product=False)
    program = Candidate((8, 128), (8, 32), (1, 4), (1, 0), 1, (False,), (1, 4), 256)
    one = estimate(ProblemContext(expr, machine_of(H200)), program, store=SYNCHRONOUS)
    assert one is not None
    assert one.work.tail_issue == 2 * 4 // (4 if columns % 4 == 0 else 1)
    assert one.work.tail_issue == 2 * 4 // store_width(expr, program.lane, program.chunks)


@QUICK
@given(
    st.tuples(*[st.sampled_from([1, 2, 3, 4, 8, 32, 64])] * 2),
    st.permutations([0, 1]),
    st.sampled_from(["v100", "h200", "mi300x"]),
)
@example((3, 8), [0, 1], "h200")
@example((3, 32), [0, 1], "h200")
def test_the_estimate_joins_as_the_plan_does(threads: tuple[int, int], order: list[int], name: str) -> None:
    """3 threads of a row stand between those of a column, over which no shuffle by powers of two reaches."""
    expr, device = row_sum(192, 4096), find_device(name)
    loops = tuple(loop for loop in order if threads[loop] > 1)
    program = Candidate(threads, threads, (1, 1), loops, None, (False,), (1, 1), prod(threads))
    one = estimate(ProblemContext(expr, machine_of(device)), program, resident=1)
    found = combination(expr.loops, program.axes(), loops, device.subgroup_size)
    assert one is not None
    assert one.work.tail_waits == len(found.shuffles) + (2 if found.across else 0)
    assert one.workgroup_bytes == combination_bytes(expr.loops, program.axes(), loops, device.subgroup_size, 4)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", list(CASES))
def test_the_candidate_of_a_plan_is_the_one_that_it_came_from(name: str) -> None:
    facts = ProblemContext(CASES[name], machine_of(H200))
    plan = construct(CASES[name], H200, ConstructOptions(top_k=1))[0]
    one = estimate(facts, Candidate.of_plan(plan))
    assert one is not None
    again = Candidate.of_plan(finish(facts, one))
    assert again == one.candidate
    assert (again.registers, again.thread_count) == (one.candidate.registers, plan.threads)
    assert again.axes() == plan.axes


def test_fma_issue_share() -> None:
    """On 32 lanes a scheduler the other instructions count: 512 of 576 issue slots are FMAs."""
    machine = machine_of(H200)
    assert machine.math_cycles == 1.0
    flops = 2 * WORK.tasks * WORK.steps * WORK.threads * WORK.math
    seconds = seconds_by_layer(WORK, machine)["compute"]
    peak = H200.peak_flops_per_s(H200.instruction("fma"))
    # 1024 tasks on 132 units: 8 rounds where 7.76 would do; 4 subgroups a scheduler fill all but 0.3^4 of the slots.
    expected = 512 / 576 * 1024 / 132 / 8 * (1 - 0.3**4)
    assert flops / seconds / peak == pytest.approx(expected, rel=0.01)
    assert machine_of(find_device("v100")).math_cycles == 2.0


@QUICK
@given(
    st.sampled_from(["tasks", "steps", "math", "issue", "phases", "cache_bytes", "global_bytes", "tail_issue"]),
    st.floats(1.0, 10.0),
)
def test_more_work_takes_no_less_time(field: str, factor: float) -> None:
    machine = machine_of(H200)
    more = replace(WORK, **{field: int(getattr(WORK, field) * factor)})
    assert total_seconds(seconds_by_layer(more, machine)) >= total_seconds(seconds_by_layer(WORK, machine)) - 1e-12


@QUICK
@given(st.integers(1, 4000))
def test_rounds_over_units(tasks: int) -> None:
    """Time moves in whole tasks of the busiest unit."""
    machine = machine_of(H200)
    now = seconds_by_layer(replace(WORK, tasks=tasks), machine)["compute"]
    full = seconds_by_layer(replace(WORK, tasks=-(-tasks // 132) * 132), machine)["compute"]
    assert now == full


@pytest.mark.full
@QUICK
@given(st.sampled_from(["matmul", "row_sum", "transpose", "conv"]), st.floats(1.0, 8.0))
def test_faster_memory_is_no_slower(name: str, factor: float) -> None:
    expr = matmul(300, 300, 300) if name == "matmul" else CASES[name]
    plan = construct(expr, H200, ConstructOptions(top_k=1))[0]
    layers = tuple(
        replace(
            layer,
            bandwidth_bytes_per_s=layer.bandwidth_bytes_per_s * factor,
            sustained_bandwidth_bytes_per_s=None,
            latency_s=(layer.latency_s or 0.0) / factor,
        )
        if layer.name != "register" and layer.bandwidth_bytes_per_s
        else layer
        for layer in H200.layers
    )
    quick = replace(H200, layers=layers)
    assert predict(expr, plan, quick).seconds <= predict(expr, plan, H200).seconds + 1e-12


@pytest.mark.parametrize("sizes", [(64, 128, 256, 512, 1024, 2048, 4096)])
def test_larger_matmuls_take_longer(sizes: tuple[int, ...]) -> None:
    times: list[float] = []
    for size in sizes:
        prediction = construct(matmul(size, size, size), H200, ConstructOptions(top_k=1))[0].prediction
        assert prediction is not None
        times.append(prediction.seconds)
    assert times == sorted(times)


def test_streams_are_limited_by_memory() -> None:
    """A 64 MB sum reaches 90 % of the bandwidth once the launch is paid."""
    expr = row_sum(4096, 4096)
    prediction = construct(expr, H200, ConstructOptions(top_k=1))[0].prediction
    assert prediction is not None
    assert prediction.saturated == "global"
    bandwidth = machine_of(H200).global_bytes_per_s
    assert expr.inputs[0].size_bytes / (prediction.seconds - machine_of(H200).launch_s) > 0.9 * bandwidth


def pooling(element_type: str = "f32", pad: float = 0.0) -> TensorExpression:
    """Sums of 3 x 3 windows of 43008 images of 21 x 21, padded."""
    loops = (Loop(43008), Loop(21), Loop(21), Loop(3, True), Loop(3, True))
    windows = (
        LinearIndex((1, 0, 0, 0, 0)),
        LinearIndex((0, 1, 0, 1, 0), -1),
        LinearIndex((0, 0, 1, 0, 1), -1),
    )
    points = tuple(LinearIndex(tuple(int(i == d) for i in range(5))) for d in range(3))
    images = Access("x", (43008, 21, 21), element_type, windows)
    return TensorExpression(loops, (images,), Access("y", (43008, 21, 21), "f32", points), "arith.addf", 1, (pad,))


@pytest.mark.parametrize(
    ("device", "expr", "copy", "waits"),
    [
        ("h100", pooling(), ASYNCHRONOUS, 1),
        ("v100", pooling(), SYNCHRONOUS, 6),
        ("h100", pooling(pad=-1.0), SYNCHRONOUS, 6),
        ("h100", pooling("f16"), SYNCHRONOUS, 6),
    ],
    ids=["asynchronous", "old device", "pad", "f16"],
)
def test_a_task_waits_for_its_tile_as_often_as_its_code(
    device: str, expr: TensorExpression, copy: str, waits: int
) -> None:
    """64 x 9 x 10 elements by 64 threads are 90 loads of one element each: 6 trips of 15, or one wait for all."""
    forced = ConstructOptions(top_k=1, tile_sizes=(64, 7, 8, 3, 3), thread_tile=(1, 7, 8, 3, 3))
    (plan,) = construct(expr, find_device(device), forced)
    assert plan.copies == (copy,)
    work = work_of(context_of(expr, machine_of(find_device(device)), plan), plan)
    assert work.copy_rounds == waits
    found = estimate(ProblemContext(expr, machine_of(find_device(device))), Candidate.of_plan(plan))
    assert found is not None and found.work.copy_rounds == waits


def test_waiting_for_copies_takes_time() -> None:
    alone = replace(WORK, stages=1, steps=1)
    one, six = (seconds_by_layer(replace(alone, copy_rounds=rounds), machine_of(H200))["latency"] for rounds in (1, 6))
    assert six > one
