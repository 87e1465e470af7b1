# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a unit holds at a time: the registers that so many tasks leave a thread."""

import pytest

from roller_mlir.hal import find_device
from roller_mlir.mapping.resources import registers_of_tasks, tasks_per_unit


@pytest.mark.parametrize("name", ["v100", "k80", "a100", "h200", "mi50", "mi300x"])
@pytest.mark.parametrize("threads", [32, 64, 96, 128, 256, 512])
def test_registers_of_tasks_are_the_most_with_which_so_many_fit(name: str, threads: int) -> None:
    device = find_device(name)
    for tasks in range(1, 33):
        registers = registers_of_tasks(device, threads, tasks)
        held = tasks_per_unit(device, threads, max(1, registers), 0)
        if registers and tasks <= tasks_per_unit(device, threads, 1, 0):
            assert held >= tasks
            if registers < device.max_registers_per_thread:
                assert tasks_per_unit(device, threads, registers + 1, 0) < tasks
