# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows a reduction: for which points a thread computes it, what it waits for, and how often sums are joined."""

from dataclasses import replace

import pytest
from model_expressions import expression, matmul, typed

from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.combine import combination
from roller_mlir.model import ConstructOptions, construct, predict
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.performance import context_of, work_of
from roller_mlir.model.cost.task.tail import spread_candidate
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import RowPass, TensorExpression
from roller_mlir.plan.plan import SYNCHRONOUS
from roller_mlir.plan.rewrite.split import first_expression, join_expression

H200 = find_device("h200")
FLOPS, CYCLES, CHAIN = 10, 30, 25
COLUMNS, DEPTH = 256, 256


def gates(sums: int = 2, columns: int = COLUMNS) -> TensorExpression:
    """Return sums of a row by matrices, and what is made of them and of a bias at each column."""
    weights = [(f"w{number}", (DEPTH, columns), (1, 0)) for number in range(sums)]
    inputs = [("x", (DEPTH,), (1,)), *weights, ("b", (columns,), (0,))]
    made = expression([columns], [DEPTH], inputs, ("y", (columns,), (0,)))
    return replace(
        made,
        flops_per_point=2 * sums,
        fused_multiply_add=False,
        whole=(1,),
        joined_results=sums,
        epilogue_flops=FLOPS,
        epilogue_cycles=CYCLES,
        epilogue_chain=CHAIN,
        tail_apart=True,
        tail_inputs=(sums + 1,),
        tail_exchanges=(sums,),
    )


def program(expr: TensorExpression, threads: int = 256, depth: int = DEPTH) -> Candidate:
    """Return one whose threads have four columns each, and a part of the depth."""
    staged = (False,) * len(expr.inputs)
    return Candidate((4, depth), (1, threads), (4, 1), (1,), 0, staged, (4, depth // threads), threads)


def work(
    expr: TensorExpression, one: Candidate | None = None, device: str = "h200", *, spread: bool | None = None
) -> CandidateWork:
    context = ProblemContext(expr, machine_of(find_device(device)))
    found = estimate(context, one or program(expr), store=SYNCHRONOUS, spread=spread)
    assert found is not None
    return found.work


def test_a_spread_tail_is_computed_once_a_point() -> None:
    """Of four columns of a thread it has one left."""
    nothing = replace(gates(), epilogue_flops=0, epilogue_cycles=0, epilogue_chain=0, tail_inputs=())
    bare = replace(nothing, inputs=nothing.inputs[:-1], pad_values=nothing.pad_values[:-1])
    for spread, points in ((True, 1), (False, 4)):
        more = work(gates(), spread=spread).tail_issue - work(bare, spread=spread).tail_issue
        assert more == points * (FLOPS + CYCLES) + 2  # the load of a bias, or of a vector of them


def test_a_spread_result_is_stored_once_a_point() -> None:
    """Results that lie at no multiple of a vector are stored one by one: 4 by each thread, or 1."""
    expr = replace(gates(columns=255), tail_inputs=())
    spread, held = (work(expr, spread=spread).tail_issue for spread in (True, False))
    joining = combination(expr.loops, program(expr).axes(), (1,), 32)
    one, other = joining.spread_work(8, 2, 3, 8).issue, joining.work(8, 8, everyone=True).issue
    assert (held - other) - (spread - one) == 3 * (FLOPS + CYCLES + 2)


def test_the_second_stage_of_a_divided_product_has_the_chain_of_its_epilogue() -> None:
    product = replace(matmul(64, 64, 4096), epilogue_flops=FLOPS, epilogue_chain=CHAIN)
    assert first_expression(product, 2, 4, 1024).epilogue_chain == 0
    assert {join_expression(product, 4, joined=joined).epilogue_chain for joined in (True, False)} == {CHAIN}


def test_results_of_matrix_instructions_wait_for_chains_too() -> None:
    product = typed(matmul(64, 64, 64), "f16", "f32")
    (plan,) = construct(product, H200, ConstructOptions(top_k=1, split=False, tile_sizes=(64, 64, 64)))
    assert plan.atom is not None
    waiting = replace(product, epilogue_flops=1, epilogue_chain=1000)
    found = work_of(context_of(waiting, machine_of(H200), plan), plan)
    assert 3000 < found.tail_stalls < 4000


def test_a_construction_spreads_what_can_be_spread() -> None:
    assert work(gates()) == work(gates(), spread=True) != work(gates(), spread=False)
    apart = replace(gates(), tail_apart=False)
    assert work(apart) == work(apart, spread=False)


@pytest.mark.parametrize("threads", [32, 256])
def test_what_no_workgroup_memory_passes_is_not_spread(threads: int) -> None:
    expr = gates()
    one = program(expr, threads)
    joining = combination(expr.loops, one.axes(), one.order, 32)
    found = spread_candidate(ProblemContext(expr, machine_of(H200)), one, joining)
    assert (found is not None) == (threads > 32)
    if found is not None:
        assert (found.threads, found.chunks, found.registers, found.lane) == ((4, 64), (1, 1), (1, 4), None)


def test_what_the_tail_alone_reads_is_loaded_behind_the_sums() -> None:
    """Of 4 columns and a depth of 4 a thread has 4 + 2 * 16 words in front; 9 biases are 36 words, or 9 if spread."""
    expr = gates()
    many = replace(
        expr,
        inputs=(*expr.inputs, *(expr.inputs[-1],) * 8),
        pad_values=(0.0,) * (len(expr.inputs) + 8),
        tail_inputs=tuple(range(3, 12)),
    )
    one = program(many, 64)
    for spread, behind in ((True, 1), (False, 2)):
        found = work(many, one, spread=spread)
        assert (found.load_rounds, found.tail_load_rounds) == (2, behind)
    assert work(replace(many, tail_inputs=()), one, spread=False).load_rounds == 3
    assert work(many, one).cache_bytes == work(replace(many, tail_inputs=()), one).cache_bytes


def test_each_exchange_of_the_code_is_counted() -> None:
    """Four sums that wait together are joined at once; where a reader waits for each, each is joined by itself."""
    expr = gates(4)
    joining = combination(expr.loops, program(expr).axes(), (1,), 32)
    for spread in (True, False):
        one, single, four = (
            work(replace(expr, tail_exchanges=exchanges), spread=spread) for exchanges in ((4,), (1,), (1, 1, 1, 1))
        )
        join = joining.spread_work(4, 1, 3, 8) if spread else joining.work(4, 8, everyone=True)
        assert four.tail_waits == 4 * join.waits > one.tail_waits
        assert four.tail_phases - single.tail_phases == 3 * join.phases
        assert four.tail_issue - single.tail_issue == 3 * join.issue
    assert work(replace(expr, tail_exchanges=()), spread=False) == work(expr, spread=False)


def test_a_spread_exchange_reads_the_points_of_a_thread_alone() -> None:
    expr = gates()
    joining = combination(expr.loops, program(expr).axes(), (1,), 32)
    spread, held = (work(expr, spread=spread) for spread in (True, False))
    one, other = joining.spread_work(8, 2, 3, 8), joining.work(8, 8, everyone=True)
    assert spread.tail_phases - held.tail_phases == one.phases - other.phases
    assert (spread.tail_waits, held.tail_waits) == (one.waits, other.waits)
    assert one.issue < other.issue


def test_a_chain_takes_its_time_however_little_there_is_to_issue() -> None:
    """Of a point: 25 cycles of operations that wait for each other, at 4 cycles each, less the 40 that are issued."""
    assert work(gates(), program(gates(), 64), spread=True).tail_stalls == 4 * CHAIN - (FLOPS + CYCLES)
    assert work(gates(), program(gates(), 256), spread=True).tail_stalls == 4 * CHAIN - 2 * (FLOPS + CYCLES)
    assert work(gates(), spread=False).tail_stalls == 0  # the other points of a thread fill the gaps


def test_stalls_delay_a_task_and_occupy_nobody() -> None:
    machine, one = machine_of(H200), work(gates())
    layers, later = (seconds_by_layer(each, machine) for each in (one, replace(one, tail_stalls=one.tail_stalls + 1e4)))
    assert later["latency"] - layers["latency"] == pytest.approx(1e4 / H200.clock_hz)
    assert {key: value for key, value in layers.items() if key != "latency"} == {
        key: value for key, value in later.items() if key != "latency"
    }


def test_a_product_and_sums_count_their_tails_alike() -> None:
    product = replace(
        matmul(1, COLUMNS, DEPTH),
        epilogue=(replace(gates().inputs[-1], indices=matmul(1, COLUMNS, DEPTH).output.indices[1:]),),
        epilogue_flops=FLOPS,
        epilogue_cycles=CYCLES,
        epilogue_chain=CHAIN,
        tail_apart=True,
    )
    staged = (False, False)
    one = Candidate((1, 4, DEPTH), (1, 1, 256), (1, 4, 1), (2,), 1, staged, (1, 4, 1), 256)
    sums = gates(1)
    for spread in (True, False):
        of_product, of_sums = work(product, one, spread=spread), work(sums, spread=spread)
        bare = replace(product, epilogue=(), epilogue_flops=0, epilogue_cycles=0, epilogue_chain=0)
        without = replace(sums, epilogue_flops=0, epilogue_cycles=0, epilogue_chain=0, tail_inputs=())
        assert of_product.tail_stalls == of_sums.tail_stalls
        assert of_product.tail_load_rounds == of_sums.tail_load_rounds == 1
        assert of_product.tail_issue - work(bare, one, spread=spread).tail_issue == (
            of_sums.tail_issue - work(without, spread=spread).tail_issue
        )


def test_rows_that_a_task_walks_join_each_sum_by_itself() -> None:
    expr = replace(gates(), row_passes=(RowPass((0, 1, 2), 4),))
    one = program(expr, 64, 128)
    walked = work(expr, one)
    single = work(replace(expr, tail_exchanges=(1,)), one)
    assert walked.tail_waits == 2 * single.tail_waits
    bare = replace(expr, epilogue_flops=0, epilogue_cycles=0, epilogue_chain=0, tail_inputs=())
    assert walked.tail_issue - work(bare, one).tail_issue == 4 * (FLOPS + CYCLES) + 2
    assert walked.tail_load_rounds == 1


@pytest.mark.parametrize("name", ["h200", "mi300x"])
def test_the_time_of_a_plan_is_that_of_its_spread(name: str) -> None:
    device = find_device(name)
    for plan in construct(gates(4), device, ConstructOptions(top_k=3)):
        found = predict(gates(4), plan, device)
        assert plan.spread and plan.prediction == found
        assert predict(gates(4), replace(plan, spread=False), device).seconds > found.seconds
