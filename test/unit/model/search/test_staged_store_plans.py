# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which plans store through workgroup memory, what the model counts of stores, and what is refused."""

from dataclasses import replace

import pytest
from model_expressions import expression, matmul, typed

from roller_mlir.hal import find_device
from roller_mlir.mapping.checks.join import joined_problem
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.performance import predict
from roller_mlir.model.cost.task.stores import direct_stores, request_bytes
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search import construct as search
from roller_mlir.model.search.plan_legality import choice_problem
from roller_mlir.passes.rtile.construct import RTileConstruct
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.records.codec import from_json, to_json

H100 = find_device("h100")
POOL = expression(
    [128 * 168, 42, 42],
    [3, 3],
    [("x", (128 * 168, 44, 44), (0, {1: 1, 3: 1}, {2: 1, 4: 1}))],
    ("y", (128 * 168, 42, 42), (0, 1, 2)),
    product=False,
)
HALF = typed(matmul(8192, 1024, 512), "f16", "f16")
TURNED = replace(HALF, output=replace(HALF.output, shape=(1024, 8192), indices=HALF.output.indices[::-1]))


FORCED = {"tile_sizes": (64, 7, 8, 3, 3), "thread_tile": (1, 7, 8, 3, 3)}
"""A thread for each image of the pooling, whose results lie a whole image apart."""


def best(expr: TensorExpression, **asked: object) -> Plan:
    return construct(expr, H100, ConstructOptions(top_k=1, **asked))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(("expr", "asked"), [(POOL, FORCED), (TURNED, {"instructions": ("mma",)})])
def test_results_that_lie_apart_are_staged_where_that_is_faster(
    expr: TensorExpression, asked: dict[str, object]
) -> None:
    staged, direct = (best(expr, staged_stores=may, **asked) for may in (True, False))
    assert (staged.store, direct.store) == ("staged", "synchronous")
    assert staged.prediction is not None and direct.prediction is not None
    assert staged.prediction.seconds < 0.98 * direct.prediction.seconds
    assert not plan_problem(expr, staged)
    assert from_json(Plan, to_json(staged)) == staged
    assert predict(expr, staged, H100) == staged.prediction


def test_neighbours_store_for_themselves() -> None:
    """Rows of a product by threads lie side by side already."""
    assert best(matmul(1024, 1024, 1024), instructions=("fma",)).store == "synchronous"


def test_stores_through_workgroup_memory_can_be_ruled_out() -> None:
    staged = best(POOL, **FORCED)
    problem = choice_problem(POOL, staged, H100, ConstructOptions(staged_stores=False))
    assert problem == "has a plan that stores its results through workgroup memory, which must not be done here"
    assert choice_problem(POOL, staged, H100, ConstructOptions()) == ""
    assert RTileConstruct(device="h100").construct_options().staged_stores
    assert not RTileConstruct(device="h100", records=True).construct_options().staged_stores


def test_a_request_is_half_a_line_at_least() -> None:
    """A line that four bytes are stored to costs half of one that is stored whole; a store costs two loads."""
    machine = machine_of(H100)
    assert (machine.sector_bytes, machine.line_bytes) == (32, 128)
    assert request_bytes(machine, 4, 1) == 2 * 128
    assert request_bytes(machine, 1, 1) == 2 * 64
    assert request_bytes(machine, 32, 32) == 2 * 32 * 64


def test_stores_cost_what_their_lines_do() -> None:
    """Lanes along rows store a line at once, lanes across them touch a line each."""
    expr = expression([1024, 1024], [], [("x", (1024, 1024), (0, 1))], ("y", (1024, 1024), (0, 1)), product=False)
    context = ProblemContext(expr, machine_of(H100))
    along = Candidate((1, 32), (1, 32), (1, 1), (1,), None, (False,), (1, 1), 32)
    across = Candidate((32, 1), (32, 1), (1, 1), (0,), None, (False,), (1, 1), 32)
    costs = [direct_stores(context, one, 32 * 1024, 1) for one in (along, across)]
    assert [one.requests for one in costs] == [2 * 4 * 2**20, 2 * 64 * 2**20]
    assert costs[0].least_requests == costs[0].requests


def refused(expr: TensorExpression, plan: Plan) -> str:
    return plan_problem(expr, replace(plan, store="staged", prediction=None))


def test_what_cannot_be_staged_is_refused() -> None:
    plan = best(POOL)
    bits = replace(POOL, output=replace(POOL.output, element_type="i1"))
    assert "store 'staged' takes whole bytes, but 'y' has elements of one bit" in refused(bits, plan)
    turned = replace(POOL, output=replace(POOL.output, indices=(*POOL.output.indices[:2], POOL.output.indices[1])))
    assert "store 'staged' needs" in refused(turned, plan)
    cpu = construct(matmul(256, 256, 256), find_device("spr"), ConstructOptions(top_k=1))[0]
    assert "store 'staged' is for tasks whose threads store for each other" in refused(matmul(256, 256, 256), cpu)


def test_blocks_that_join_parts_store_directly() -> None:
    expr = matmul(64, 64, 4096)
    plan = best(expr)
    assert plan.split is not None and plan.split.joined
    staged = replace(plan, split=replace(plan.split, join=replace(plan.split.join, store="staged")))
    assert joined_problem(expr, plan) == ""
    assert "joins parts with store 'staged'; a block in which others are made stores directly" in joined_problem(
        expr, staged
    )


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("expr", "device", "staged"),
    [
        (POOL, "h100", False),
        (HALF, "mi300x", True),
        (TURNED, "h100", True),
        (matmul(64, 64, 1 << 16), "mi300x", False),
    ],
)
def test_a_second_search_finds_what_it_finds_by_itself(expr: TensorExpression, device: str, staged: bool) -> None:
    """It takes over what the first one evaluated, of the stages of divided reductions as well."""
    asked, of = ConstructOptions(), find_device(device)
    attempts: list[search._Attempt] = []
    assert search._searched(expr, of, asked, attempts).staged == staged
    known = [search._Attempt(one.context.unstaged(), one.searches) for one in attempts]
    second, alone = (search._searched(expr, of, replace(asked, staged_stores=False), one) for one in (known, []))
    assert [one.plan for one in second.plans] == [one.plan for one in alone.plans]
    assert (second.programs, second.epsilon) == (alone.programs, alone.epsilon)
    assert all(one.plan.store != "staged" for one in second.plans)
