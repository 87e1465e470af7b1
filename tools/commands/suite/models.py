# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite rammer6`: whole models, each as one persistent kernel, one after the other."""

import argparse
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.console.output import print_json, print_line, print_tables, seconds

if TYPE_CHECKING:
    from roller_mlir.evaluation.suites.models import Model

Record = dict[str, Any]
_Work = Callable[["Model"], Record]
_SHOWN_S = 0.05
"""A phase is a row of its own where it takes a model so long."""


def run_models(arguments: argparse.Namespace) -> int:
    """Take the models that the arguments name through a stage; return the exit code."""
    from roller_mlir.evaluation.suites.models import make_model
    from roller_mlir.evaluation.suites.stages.each import or_refusal
    from roller_mlir.evaluation.suites.stages.models import model_record
    from roller_mlir.support.progress import progress
    from roller_mlir.tools.commands.suite.jobs import exit_code
    from roller_mlir.tools.console.interrupt import check
    from roller_mlir.tools.console.targets import device_of

    stage: str = arguments.stage or "schedule"
    device = device_of(arguments)
    device.require_compiles()
    models = [make_model(name, arguments.batch or 1, arguments.scale or 1) for name in _chosen(arguments.only)]
    work = _work(stage, arguments, models)
    records: list[Record] = []
    with progress(len(models), stage) as step:
        for model in models:
            check()
            records.append({**model_record(model), **or_refusal(partial(work, model))})
            step(failed="error" in records[-1] or records[-1].get("matches") is False)
    if arguments.json:
        print_json(records)
    else:
        _print_records(stage, device.name, records)
    return exit_code(records)


def _chosen(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the models that one of the patterns names; all without patterns.

    Raises:
        SuiteError: A pattern names none.
    """
    from roller_mlir.evaluation.suites import SuiteError
    from roller_mlir.evaluation.suites.models import RAMMER6

    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in RAMMER6):
            raise SuiteError(f"no model is '{pattern}'; give names, or patterns of them: {', '.join(RAMMER6)}")
    return tuple(name for name in RAMMER6 if not patterns or any(fnmatchcase(name, one) for one in patterns))


def _work(stage: str, arguments: argparse.Namespace, models: "Sequence[Model]") -> _Work:
    """Return a stage as a function of a model."""
    from roller_mlir.compiler import CompileOptions
    from roller_mlir.evaluation.suites.stages.compile import ARTIFACTS
    from roller_mlir.evaluation.suites.stages.models import compile_model, run_model, schedule_model
    from roller_mlir.model.options import ChoiceOptions
    from roller_mlir.rammer.options import GraphOptions, PlacingOptions
    from roller_mlir.tools.commands.suite.jobs import saver
    from roller_mlir.tools.console.targets import target_of

    target = target_of(arguments)
    asked = {**ChoiceOptions.values_of(arguments), **PlacingOptions.values_of(arguments)}
    options = CompileOptions(persistent=True, **asked)
    if stage == "schedule":
        graphs = GraphOptions(**GraphOptions.values_of(arguments))
        return partial(schedule_model, target=target, options=options, graphs=graphs)
    if stage == "run":
        return partial(run_model, target=target, options=options)
    if arguments.output is None:
        return partial(compile_model, target=target, options=options)
    save = saver(Path(arguments.output), [model.name for model in models], None)

    def compile_and_save(model: "Model") -> Record:
        record = compile_model(model, target, options, keep=True)
        save(record)
        assert ARTIFACTS not in record, "an artifact is written, not printed"
        return record

    return compile_and_save


def _print_records(stage: str, device: str, records: Sequence[Record]) -> None:
    good = [record for record in records if "error" not in record]
    if good:
        title, header, row = _TABLES[stage]
        tables = [(title.format(device=device), header, [row(record) for record in good])]
        if stage == "schedule":
            tables.append((_COMPARED, ("id", *_BASELINES, "over the least"), [_compared_row(one) for one in good]))
            tables.append((_GAINS, ("id", *GAINS), [_gains_row(one) for one in good]))
        if any("phases_s" in record for record in good):
            tables.append(_phases(good))
        print_tables(tables)
        if stage == "schedule":
            print_line(_COMPARED_NOTE)
        for record in good:
            for note in record.get("notes", ()):
                if note.startswith("kernel '"):
                    print_line(f"{record['id']}: {note}")
        wrong = [record["id"] for record in good if record.get("matches") is False]
        if stage == "run":
            print_line(f"do not match numpy: {', '.join(wrong)}" if wrong else "all match numpy")
    for record in records:
        if "error" in record:
            print_error(f"roller: error: {record['id']}: {record['error']}")


def _phases(records: Sequence[Record]) -> tuple[str, Sequence[str], list[Sequence[str]]]:
    """Return a table of where the time goes: a row a phase, a column a model."""
    names = dict.fromkeys(name for record in records for name in record["phases_s"] if name != "total")
    times = {name: [record["phases_s"].get(name, 0.0) for record in records] for name in names}
    rows: list[Sequence[str]] = [
        (name, *map(seconds, spent)) for name, spent in times.items() if max(spent) >= _SHOWN_S
    ]
    return "Time of the phases", ("phase", *(record["id"] for record in records)), rows


def _schedule_row(record: Record) -> Sequence[str]:
    return (
        record["id"],
        *(str(record[name]) for name in ("operators", "programs", "bodies", "tasks", "blocks", "threads", "waits")),
        seconds(record["makespan_s"]),
        seconds(record["bound_s"]),
        f"{record['utilisation']:.0%}",
        seconds(record["schedule_s"]),
    )


def _compared_row(record: Record) -> Sequence[str]:
    times = ("-" if record[name] is None else seconds(record[name]) for name in _BASELINES.values())
    over = [f"{record['makespan_s'] / record[least]:.2f}" for least in ("bound_s", "home_bound_s")]
    return (record["id"], *times, " / ".join(over if record["kept_slices"] else over[:1]))


def _gains_row(record: Record) -> Sequence[str]:
    return (record["id"], *(f"{record[over] / record[one]:.2f}" for over, one in GAINS.values()))


def _compile_row(record: Record) -> Sequence[str]:
    (kernel,) = record["kernels"]
    said = (kernel[name] for name in ("registers", "spill_bytes", "shared_bytes"))
    return (record["id"], seconds(record["compile_s"]), *("-" if one is None else str(one) for one in said))


def _run_row(record: Record) -> Sequence[str]:
    return (
        record["id"],
        str(record["results"]),
        seconds(record["compile_s"]),
        seconds(record["run_s"]),
        "within bounds" if record["matches"] else "differs",
        f"{record['max_error']:.2f}",
    )


_COMPARED = "Predicted times: operators as kernels of their own, launched or as a CUDA graph, and as one kernel"
_BASELINES = {
    "launches": "launches_s",
    "graph in a line": "line_s",
    "graph": "graph_s",
    "ahead": "dependent_s",
    "bounded graph": "bounded_s",
    "ahead ": "bounded_dependent_s",
    "barriers": "waves_s",
    "in front": "front_s",
    "none kept": "plain_s",
    "persistent": "makespan_s",
    "at least": "bound_s",
}
_COMPARED_NOTE = (
    "ahead: with programmatic dependent launches, where the device has them; bounded: of the kernels of the schedule, "
    "for their shares; over the least: where weights stay, also of schedules that keep them where this one does"
)
_GAINS = "Predicted gains: of the choice of kernels (in a graph), of one kernel (over a graph of the same), of all"
GAINS = {
    "kernels": ("graph_s", "bounded_s"),
    "one kernel": ("bounded_s", "front_s"),
    "early loads": ("front_s", "plain_s"),
    "kept weights": ("plain_s", "makespan_s"),
    "over the graph": ("graph_s", "makespan_s"),
    "over launches": ("launches_s", "makespan_s"),
}
"""Of a record, which predicted time is divided by which."""

_TABLES: dict[str, tuple[str, Sequence[str], Callable[[Record], Sequence[str]]]] = {
    "schedule": (
        "Models as one persistent kernel each for {device}; times of a run predicted by the model (not measured)",
        (
            *("id", "operators", "programs", "bodies", "tasks", "blocks", "threads", "waits", "makespan"),
            *("at least", "busy", "scheduled in"),
        ),
        _schedule_row,
    ),
    "compile": (
        "Models as one persistent kernel each for {device}; registers, spills and memory as the vendor's tools say",
        ("id", "compile", "registers", "spills (B)", "workgroup (B)"),
        _compile_row,
    ),
    "run": (
        "Run in the simulator as compiled for {device}, each as one persistent kernel",
        ("id", "results", "compile", "simulator", "against numpy", "error of permitted"),
        _run_row,
    ),
}
