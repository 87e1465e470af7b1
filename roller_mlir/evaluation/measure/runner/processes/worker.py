# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process that uses the device: takes steps from its standard input, and says on its standard output what came.

One JSON object a line, either way. In: a step. Out: {"machine": ...} once, then for each step {"doing": who, "rank": n}
as often as that changes, and {"outcome": ..., "well": whether the device still works}. Whatever libraries print goes to
the standard error. It ends when its input does, and dies with the process that started it.
"""

import os
from collections.abc import Callable
from pathlib import Path

from roller_mlir.evaluation.measure.kit.files import open_kit
from roller_mlir.evaluation.measure.runner.devices import Bench, open_device
from roller_mlir.evaluation.measure.runner.processes.channels import say, take_channels, tie_to
from roller_mlir.evaluation.measure.runner.steps import Step
from roller_mlir.evaluation.measure.runner.work import LostDeviceError, StepWorker
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.runtime.errors import ArtifactError, BackendError
from roller_mlir.support.foreign.bounded import read_json

_LOST = 3


def worker_main(
    folder: Path,
    on: str,
    device: int,
    samples: int,
    parent: int,
    open_bench: Callable[[str, int], Bench] = open_device,
) -> int:
    """Do steps until there are no more.

    Args:
        folder: The kit.
        on: Back end.
        device: Its number.
        samples: Rounds of a timing.
        parent: Process that started this one.
        open_bench: Opens the device.
    """
    asked, channel = take_channels()
    tie_to(parent)
    try:
        with open_kit(folder) as kit:
            bench = open_bench(on, device)
            work = StepWorker(kit, bench, lambda who, rank=0: say(channel, doing=who, rank=rank), samples)
            say(channel, machine=to_json(bench.machine()))
            for line in asked:
                outcome = work.do(from_json(Step, read_json(line)))
                say(channel, outcome=to_json(outcome), well=work.is_well())
    except (ArtifactError, BackendError) as error:
        say(channel, error=str(error))
        return 1
    except LostDeviceError:
        os._exit(_LOST)  # an orderly end would ask the device for things
    except BrokenPipeError:
        return 1
    return 0
