# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a task's predicted time may pass before its waits are over."""

from dataclasses import replace
from math import inf

import pytest
from model_expressions import matmul

from roller_mlir.hal import find_device
from roller_mlir.model.cost.early import EarlyBytes, early_share
from roller_mlir.model.cost.performance import context_of, work_of
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.search.best_plan import best_plan
from roller_mlir.plan import Plan, TensorExpression

WEIGHTS = 256 * 256 * 4


def _product(name: str) -> tuple[TensorExpression, Plan, Machine, EarlyBytes]:
    """Return a row by a matrix of 256 x 256, its plan, and what its tasks bring early of the matrix."""
    device = find_device(name)
    expression = matmul(1, 256, 256)
    plan = best_plan(expression, device, ConstructOptions(block_threads=256, split=False))
    machine = machine_of(device)
    tasks = work_of(context_of(expression, machine, plan), plan).tasks
    return expression, plan, machine, EarlyBytes(task_bytes=WEIGHTS // tasks, tensor_bytes=WEIGHTS, words=16)


@pytest.mark.parametrize("name", ["v100", "a100", "h200", "mi300x"])
def test_weights_are_a_good_part_of_a_row_by_a_matrix(name: str) -> None:
    expression, plan, machine, weights = _product(name)
    assert early_share(expression, plan, machine, []) == 0
    whole = early_share(expression, plan, machine, [weights])
    half = early_share(expression, plan, machine, [replace(weights, task_bytes=weights.task_bytes // 2, words=8)])
    assert 0.1 < half <= whole < 1


def test_what_is_left_takes_no_less_than_the_first_tile() -> None:
    """Behind the waits another task's result comes from the last cache, whatever has come before."""
    expression, plan, machine, weights = _product("h200")
    everything = replace(weights, task_bytes=2**40, tensor_bytes=2**40)
    share = early_share(expression, plan, machine, [everything])
    assert plan.prediction is not None
    left_s = (1 - share) * (plan.prediction.seconds - plan.prediction.launch_s)
    assert machine.cache_latency / machine.device.clock_hz < left_s < inf
