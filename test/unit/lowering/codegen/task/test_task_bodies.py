# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Task bodies may follow each other in one kernel: what one leaves in workgroup memory never harms the next."""

import numpy as np
import pytest
from kernel_cases import MULTIPLY_ADD, SUM, axis, expand, generic, integers, plan, run_loops

from roller_mlir.lowering.codegen import kernel
from roller_mlir.lowering.codegen.task.task import TaskBuilder

MATMUL = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]


class Twice(TaskBuilder):
    """Builds each body twice."""

    def build(self, program, task) -> None:
        super().build(program, task)
        super().build(program, task)


@pytest.mark.full(each=["steps"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("steps", [1, 2])
def test_staged_reductions(monkeypatch: pytest.MonkeyPatch, seed: int, steps: int) -> None:
    shapes = [(32, 8 * steps), (8 * steps, 32)]
    make = plan([axis(32, 8, 4), axis(32, 16, 2), axis(8)], (1, 0), 1, (0, 1), stages=2)
    loops = expand(generic(MATMUL, "ppr", shapes, (32, 32), MULTIPLY_ADD), make)
    monkeypatch.setattr(kernel, "TaskBuilder", Twice)
    a, b = integers(shapes)
    np.testing.assert_array_equal(run_loops(loops, [a, b], (32, 32), seed=seed), a @ b)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 8))])
def test_joined_reductions(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    source = generic(["(i, k) -> (i, k)", "(i, k) -> (i)"], "pr", [(4, 600)], (4,), SUM)
    loops = expand(source, plan([axis(2), axis(256, 256)], (1,), None, ()))
    monkeypatch.setattr(kernel, "TaskBuilder", Twice)
    (a,) = integers([(4, 600)])
    np.testing.assert_array_equal(run_loops(loops, [a], (4,), seed=seed), a.sum(1))
