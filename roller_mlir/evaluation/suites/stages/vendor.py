# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite "vendor-times": predictions beside published times."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.suites.published.cnnopt_rows import work_seconds
from roller_mlir.evaluation.suites.stages.each import ALONE, LIMIT_S, Crew, on_failure, or_refusal
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile, Measurement
from roller_mlir.hal import Device, find_device
from roller_mlir.hal.catalogue import split_calibration
from roller_mlir.hal.files.calibration import INSTRUCTION_NAMES
from roller_mlir.lowering.targets.stage import PLANNED
from roller_mlir.model.machine import machine_of
from roller_mlir.support.jobs.jobs import in_order, open_jobs

Record = dict[str, Any]


@dataclass(frozen=True)
class Predicted:
    """A measurement with its prediction: seconds, the layer that limits, and why there is none, "" where there is."""

    source: str
    file: str
    measurement: Measurement
    seconds: float
    limit: str = ""
    error: str = ""


@dataclass(frozen=True)
class FileSummary:
    """What became of a file's rows.

    Attributes:
        file: Its path.
        source: What its times are of.
        devices: Of its rows.
        rows: That were predicted.
        refused: Operators that the compiler refuses.
        failed: Launches that failed by the file's own account.
        impossible: Tiles whose time the device's arithmetic alone exceeds: launches that failed unseen.
        too_large: Tiles that do not fit the device.
        unread: Lines that say of what they are in words that are not known.
    """

    file: str
    source: str
    devices: tuple[str, ...]
    rows: int
    refused: int
    failed: int
    impossible: int
    too_large: int
    unread: tuple[tuple[int, str], ...]


def predict_files(
    files: Sequence[MeasuredFile], targets: Mapping[str, str] | None = None, crew: Crew = ALONE
) -> tuple[list[Predicted], list[FileSummary]]:
    """Predict every measurement of some files.

    Args:
        files: As read.
        targets: The devices whose measurements count, by name, each with what to plan for; None for all, as described.
        crew: Who plans the operators.

    Returns:
        What was predicted, in order, and what became of each file.
    """
    wanted = [(file, [one for one in file.measurements if targets is None or one.device in targets]) for file in files]
    every = [one for _, chosen in wanted for one in chosen]
    names = {one.device: one.device if targets is None else targets[one.device] for one in every}
    with TemporaryDirectory() as folder:
        peaks = {name: _peak_target(target, Path(folder)) for name, target in names.items()}
        jobs = {one: (one.text, (peaks if one.at_peak_clock else names)[one.device]) for one in every if not one.work}
        wanted_jobs = list(dict.fromkeys(jobs.values()))
        answers = dict(zip(wanted_jobs, _plans(wanted_jobs, crew), strict=True))
    found: list[Predicted] = []
    summaries: list[FileSummary] = []
    for file, chosen in wanted:
        tiles = [one for one in chosen if one.work is not None]
        possible = [one for one in tiles if one.seconds * peak_flops_per_s(find_device(names[one.device])) >= one.flops]
        timed = [(one, _tile_seconds(one, names[one.device])) for one in possible]
        fitting = [Predicted(file.source, str(file.path), one, seconds) for one, seconds in timed if isfinite(seconds)]
        planned = [_answered(file, one, answers[jobs[one]]) for one in chosen if one.work is None]
        refused = sum(bool(one.error) for one in planned)
        found += [*planned, *fitting]
        summaries.append(
            FileSummary(
                file=str(file.path),
                source=file.source,
                devices=tuple(dict.fromkeys(one.device for one in chosen)),
                rows=len(planned) - refused + len(fitting),
                refused=refused,
                failed=file.failed,
                impossible=len(tiles) - len(possible),
                too_large=len(possible) - len(fitting),
                unread=file.unread,
            )
        )
    return found, summaries


def _peak_target(target: str, folder: Path) -> str:
    """Return a target as it is at its peak clock under any load: with a calibration, where its power allows less.

    A target that has a calibration says itself what it sustains.
    """
    if split_calibration(target)[1] is not None:
        return target
    device = find_device(target)
    slower = [one for one in device.instructions if one.sustained_clock_hz is not None]
    if not slower:
        return target
    path = folder / f"{device.name}.toml"
    text = [f'device = "{device.name}"']
    for one in slower:
        text += ["[[instructions]]", *(f'{key} = "{getattr(one, key)}"' for key in INSTRUCTION_NAMES)]
        clock_hz = one.clock_hz or device.clock_hz
        text += [f'sustained_clock_hz = {{ value = {clock_hz}, source = "the peak, as the times state it" }}']
    path.write_text("\n".join(text) + "\n")
    return f"{target}+{path}"


def _answered(file: MeasuredFile, one: Measurement, answer: Record) -> Predicted:
    seconds, limit, error = answer.get("predicted_s", inf), answer.get("limit", ""), answer.get("error", "")
    return Predicted(file.source, str(file.path), one, seconds, limit, error)


def plan_text(job: tuple[str, str]) -> Record:
    """Return what the compiler's plans for a text are expected to take on a target: `predicted_s`, `limit`; or `error`.

    The times of several kernels add up; the limit is that of the longest.
    """
    text, target = job
    return or_refusal(partial(_plan, text, target))


def _plan(text: str, target: str) -> Record:
    _, plans = lower_until(Source("-", text), target, CompileOptions(cache=False), PLANNED)
    predictions = [plan.prediction for plan in plans.values() if plan.prediction is not None]
    assert len(predictions) == len(plans), "construction predicts"
    longest = max(predictions, key=lambda one: one.seconds)
    return {"predicted_s": sum(one.seconds for one in predictions), "limit": longest.saturated}


def _plans(jobs: Sequence[tuple[str, str]], crew: Crew) -> Iterator[Record]:
    entry = f"{__name__}:{plan_text.__name__}"
    with open_jobs(crew.workers, ray=crew.ray, limit_s=LIMIT_S, entry=entry, on_failure=on_failure) as pool:
        yield from in_order(_told(pool.run(enumerate(jobs)), crew))


def _told(found: Iterable[tuple[int, Record]], crew: Crew) -> Iterator[tuple[int, Record]]:
    for number, answer in found:
        crew.check()
        crew.done(answer)
        yield number, answer


def _tile_seconds(one: Measurement, target: str) -> float:
    assert one.work is not None, "it is a tile"
    machine = machine_of(find_device(target))
    return work_seconds(one.work(machine), machine)


def peak_flops_per_s(device: Device) -> float:
    """Return the operations of f32 per second that a device does without its matrix units."""
    plain = [one for one in device.instructions if one.operand_type == "f32" and not one.is_matrix]
    return max(map(device.peak_flops_per_s, plain))
