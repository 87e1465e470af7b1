# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Train residuals, which correct predictions by what was measured, and judge whether they help.

roller train results.json -o residuals                      of what a kit's runner brought back
roller train --data DIR --only 'train_*' -o residuals       of times that others published, as suite vendor-times reads
roller train results.json --json                            only judge, write nothing
roller compile matmul.mlir --residual-file residuals        and use them

A residual is a hundred small trees over the model's terms and the tile, for a class of operators on the devices of one
architecture. It counts only where cross-validation by problem is for it: on problems that the trees did not see, both
the mean loss of the first choice and the mean number of trials to 95 % get better, each beyond its 90 % bootstrap
interval. Else the file says why it does not, and nothing changes. Training needs scikit-learn
(pip install 'roller-mlir[train]'); predictions need numpy alone. Exit code 1 where no residual counts.
"""

import argparse
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from roller_mlir.plan.records.codec import to_json, to_text
from roller_mlir.tools.console.arguments import patterns
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import make_folder, print_json, print_line, print_tables, write_whole

if TYPE_CHECKING:
    from roller_mlir.evaluation.measure.train.training_set import TrainingSample
    from roller_mlir.model.residual.residual import Gain, Residual


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("results", nargs="*", metavar="RESULTS", help="results.json of a runner, or its folder")
    parser.add_argument("--data", metavar="DIR", help="folder of published times of tiles, as of suite vendor-times")
    parser.add_argument(
        "--only", type=patterns, default=(), metavar="NAME,...", help="--data: files whose names match; by default all"
    )
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for a file of each class and architecture")
    parser.add_argument("--json", action="store_true", help="print JSON, an array of one object per class")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.evaluation.measure.report.results_file import ResultsError
    from roller_mlir.evaluation.measure.train.training import train
    from roller_mlir.evaluation.measure.train.training_set import TrainError, training_sets
    from roller_mlir.evaluation.suites.errors import SuiteError

    if not arguments.results and arguments.data is None:
        raise UsageError("name results of a kit's runner, or a folder of published times with --data DIR")
    if arguments.only and arguments.data is None:
        raise UsageError("--only goes with --data")
    try:
        sets = training_sets(_samples(arguments))
        if not sets:
            raise TrainError("there is nothing to learn from: no problem has candidates enough with valid times")
        found = [train(one, check) for one in sets]
    except (TrainError, SuiteError, ResultsError) as error:
        raise InputError(str(error)) from None
    files = _write(found, Path(arguments.output)) if arguments.output is not None else [None] * len(found)
    if arguments.json:
        print_json([_record(one, file) for one, file in zip(found, files, strict=True)])
    else:
        _print(found)
        for file in files:
            if file is not None:
                print_line(f"wrote {file}")
    return 0 if any(one.counts for one in found) else 1


def _samples(arguments: argparse.Namespace) -> "list[TrainingSample]":
    from roller_mlir.evaluation.measure.report.results_file import read_results
    from roller_mlir.evaluation.measure.train.measured_samples import measured_samples
    from roller_mlir.evaluation.measure.train.published_samples import published_samples
    from roller_mlir.evaluation.suites.vendor_times.files import read_folder

    found = list(measured_samples([(path, read_results(path)) for path in dict.fromkeys(arguments.results)]))
    if arguments.data is not None:
        files, _ = read_folder(Path(arguments.data), check)
        chosen = [
            file
            for file in files
            if not arguments.only or any(fnmatchcase(file.path.name, one) for one in arguments.only)
        ]
        if not chosen:
            names = ", ".join(sorted({file.path.name for file in files}))
            raise InputError(f"{arguments.data}: no file is {' or '.join(arguments.only)}; there are {names}")
        found += published_samples(chosen)
    return found


def _write(found: "Sequence[Residual]", folder: Path) -> list[Path]:
    from roller_mlir.model.residual.file import usual_name

    make_folder(folder)
    files = [folder / usual_name(one.kind, one.family) for one in found]
    for file, one in zip(files, found, strict=True):
        write_whole(file, to_text(one))
    return files


def _record(one: "Residual", file: Path | None) -> dict[str, object]:
    return {
        "kind": one.kind,
        "family": one.family,
        "devices": list(one.devices),
        "sources": list(one.sources),
        "counts": one.counts,
        "reason": one.verdict.reason,
        "verdict": to_json(one.verdict),
        "file": None if file is None else str(file),
    }


_HEADER = ("class", "architecture", "problems", "candidates", "loss of the first choice", "trials to 95 %", "counts")


def _print(found: "Sequence[Residual]") -> None:
    rows = [
        (
            one.kind,
            one.family,
            str(one.verdict.problems),
            str(one.verdict.candidates),
            _gain(one.verdict.loss),
            _gain(one.verdict.trials),
            "yes" if one.counts else "no",
        )
        for one in found
    ]
    title = "Residuals, judged on problems that they were not trained on: means, and 90 % intervals of what is gained"
    print_tables([(title, _HEADER, rows)])
    for one in found:
        if not one.counts:
            print_line(f"'{one.kind}' on {one.family} is off: {one.verdict.reason}")


def _gain(one: "Gain | None") -> str:
    return "-" if one is None else f"{one.before:.3f} to {one.after:.3f} ({one.low:.3f} to {one.high:.3f})"
