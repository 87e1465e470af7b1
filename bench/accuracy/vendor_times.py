# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far predictions are from published times of libraries and other kernels: tables of docs/accuracy.md.

DIR of `report.py --vendor DIR` is as of `roller suite vendor-times --data DIR`, which prints the same figures.
"""

from pathlib import Path

from markdown_table import table

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.stages.each import Crew
from roller_mlir.evaluation.suites.stages.vendor import predict_files
from roller_mlir.evaluation.suites.stages.vendor_figures import class_figures, ranking_figures, row_records
from roller_mlir.evaluation.suites.vendor_times.files import read_folder

_CLASSES = (
    *("device", "times of", "class", "times", "median ratio", "median abs(log2)", "Spearman", "within 1.25x"),
    *("within 2x", "worst", "from 0.1 ms on", "their ratio"),
)
_RANKINGS = ("device", "tiles of", "class", "problems", "tiles", "Spearman", "loss of 1", "loss of 10")
_FILES = ("file", "times", "failed", "impossible")


def vendor_tables(data: Path, jobs: int) -> dict[str, str]:
    """Return the tables by name. Raises SuiteError for missing or malformed data, and where an operator is refused."""
    files, _ = read_folder(data)
    predicted, summaries = predict_files(files, crew=Crew(workers=jobs))
    for row in row_records(predicted):
        if "error" in row:
            raise SuiteError(row["error"], file=row["file"], line=row["line"])
    classes = [
        [
            *(one[name] for name in ("device", "source", "class")),
            str(one["count"]),
            f"{one['median_ratio']:.2f}",
            f"{one['median_log2']:.2f}",
            "" if one["spearman"] is None else f"{one['spearman']:.3f}",
            f"{one['within_1_25']:.0%}",
            f"{one['within_2']:.0%}",
            f"{one['worst']:.2f}x",
            str(one["large"]),
            "" if one["large_median_ratio"] is None else f"{one['large_median_ratio']:.2f}",
        ]
        for one in class_figures(predicted)
    ]
    rankings = [
        [
            *(one[name] for name in ("device", "source", "class")),
            *(str(one[name]) for name in ("problems", "tiles")),
            *(f"{one[name]:.3f}" for name in ("spearman", "loss_1", "loss_10")),
        ]
        for one in ranking_figures(predicted)
    ]
    left_out = [
        [str(Path(one.file).relative_to(data)), *map(str, (one.rows, one.failed, one.impossible))]
        for one in summaries
        if one.failed or one.impossible
    ]
    tables = {"classes": (_CLASSES, classes), "rankings": (_RANKINGS, rankings), "failed": (_FILES, left_out)}
    return {f"vendor-{name}": table(header, rows) for name, (header, rows) in tables.items()}
