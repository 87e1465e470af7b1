# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite vendor-times`: predictions beside the published times of a folder of measurements."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.console.output import TableData, print_json, print_line, print_tables

if TYPE_CHECKING:
    from roller_mlir.evaluation.suites.stages.vendor import FileSummary

Record = dict[str, Any]


def vendor_times(arguments: argparse.Namespace) -> int:
    """Predict what the files of a folder have times of; return the exit code."""
    from roller_mlir.evaluation.suites.stages.vendor import predict_files
    from roller_mlir.evaluation.suites.stages.vendor_figures import class_figures, ranking_figures, row_records
    from roller_mlir.evaluation.suites.vendor_times.files import read_folder
    from roller_mlir.hal import find_device
    from roller_mlir.tools.commands.suite.jobs import crew_of, exit_code
    from roller_mlir.tools.console.interrupt import check
    from roller_mlir.tools.console.targets import given_target, targets_of

    targets = {find_device(one).name: one for one in targets_of(arguments)} if given_target(arguments) else None
    files, others = read_folder(Path(arguments.data), check)
    chosen = [one for file in files for one in file.measurements if targets is None or one.device in targets]
    total = len({(one.text, one.device) for one in chosen if one.work is None})
    with crew_of(arguments, total, "plan") as crew:
        predicted, summaries = predict_files(files, targets, crew)
    rows = row_records(predicted)
    classes, rankings = class_figures(predicted), ranking_figures(predicted)
    if arguments.json:
        files_said = [asdict(one) for one in summaries]
        unknown = [str(path) for path in others]
        print_json(
            {"classes": classes, "rankings": rankings, "files": files_said, "other_files": unknown, "rows": rows}
        )
    else:
        _print(classes, rankings, summaries, others)
    for row in rows:
        if "error" in row and not arguments.json:
            print_error(f"roller: error: {row['file']}:{row['line']}: {row['error']}")
    return exit_code(rows)


_CLASSES = (
    *("device", "source", "class", "times", "ratio", "|log2|", "Spearman", "in 1.25x", "in 2x", "worst"),
    *("from 0.1 ms", "ratio"),
)
_RANKINGS = ("device", "source", "class", "problems", "tiles", "Spearman", "loss of 1", "loss of 10")
_FILES = ("file", "source", "devices", "rows", "refused", "failed", "impossible", "too large", "not understood")


def _print(
    classes: Sequence[Record], rankings: Sequence[Record], files: "Sequence[FileSummary]", others: Sequence[Path]
) -> None:
    title = "Predicted over published times, medians: of a library by our plan for the operator, of a tile by itself"
    tables: list[TableData] = [(title, _CLASSES, [_class_row(one) for one in classes])]
    if rankings:
        title = "Tiles of one problem ranked by prediction: medians over the problems"
        tables.append((title, _RANKINGS, [_ranking_row(one) for one in rankings]))
    tables.append(("Files, and launches that failed, which are left out", _FILES, [_file_row(one) for one in files]))
    print_tables(tables)
    for one in files:
        for line, words in one.unread:
            print_line(f"{one.file}:{line}: not understood, left out: {words}")
    if others:
        print_line(f"no files of measurements by their names: {', '.join(map(str, others))}")


def _class_row(one: Record) -> tuple[str, ...]:
    return (
        *(one[name] for name in ("device", "source", "class")),
        str(one["count"]),
        f"{one['median_ratio']:.2f}",
        f"{one['median_log2']:.2f}",
        _optional(one["spearman"], 3),
        f"{one['within_1_25']:.0%}",
        f"{one['within_2']:.0%}",
        f"{one['worst']:.2f}x",
        str(one["large"]),
        _optional(one["large_median_ratio"], 2),
    )


def _ranking_row(one: Record) -> tuple[str, ...]:
    return (
        *(one[name] for name in ("device", "source", "class")),
        *(str(one[name]) for name in ("problems", "tiles")),
        *(f"{one[name]:.3f}" for name in ("spearman", "loss_1", "loss_10")),
    )


def _file_row(one: "FileSummary") -> tuple[str, ...]:
    counts = (one.rows, one.refused, one.failed, one.impossible, one.too_large, len(one.unread))
    return (Path(one.file).name, one.source, ", ".join(one.devices) or "-", *map(str, counts))


def _optional(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
