# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the runner's process and torch share: torch works on the bench's device, and what nobody holds is given back."""

import weakref
from types import SimpleNamespace
from typing import Any, cast

import pytest

from roller_mlir.evaluation.measure.runner.devices import Bench
from roller_mlir.evaluation.measure.runner.processes import shared_device
from roller_mlir.evaluation.measure.runner.processes.shared_device import free_memory, use_with_torch
from roller_mlir.evaluation.measure.runner.sim_bench import SimBench


class Held:
    """Memory that only a cycle holds."""

    def __init__(self) -> None:
        self.cycle = self


def test_what_only_a_cycle_holds_is_given_back_each_time() -> None:
    for _ in range(3):
        held = weakref.ref(Held())
        free_memory(SimBench())
        assert held() is None


def test_torch_works_on_the_device_of_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[int] = []
    here = [True]
    torch: Any = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: here[0], set_device=chosen.append))
    monkeypatch.setattr(shared_device, "import_torch", lambda: torch)
    bench = cast(Bench, SimpleNamespace(driver=SimpleNamespace(ordinal=2)))
    use_with_torch(SimBench())  # which has no device
    assert chosen == []
    use_with_torch(bench)
    here[0] = False  # torch for the host only
    use_with_torch(bench)
    assert chosen == [2]
