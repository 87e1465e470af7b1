# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published times of others' tiles as samples, with what the model says of each."""

from collections.abc import Iterable, Iterator

from roller_mlir.evaluation.measure.train.training_set import TrainingSample
from roller_mlir.evaluation.suites.published.tile_prediction import tile_prediction
from roller_mlir.evaluation.suites.stages.vendor import peak_flops_per_s
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile
from roller_mlir.hal import find_device
from roller_mlir.model.machine import machine_of


def published_samples(files: Iterable[MeasuredFile]) -> Iterator[TrainingSample]:
    """Yield the tiles in files of measurements that ran, as samples; what is no tile is left out."""
    for file in files:
        for one in file.measurements:
            if one.work is None or one.tile is None:
                continue
            machine = machine_of(find_device(one.device))
            device = machine.device
            work = one.work(machine)
            if work is None or one.seconds * peak_flops_per_s(device) < one.flops:
                continue
            said = tile_prediction(work, one.tile, machine)
            yield TrainingSample(
                kind=one.kind,
                family=device.architecture,
                device=one.device,
                source=file.source,
                problem=one.problem,
                terms=said.terms,
                predicted_s=said.seconds,
                measured_s=one.seconds,
            )
