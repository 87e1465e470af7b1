# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page docs/verification.md from what the verification found."""

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]

HEAD = """# Verification in the simulator

{date}, {machine}, {jobs} processes. Made by

    python bench/verification/table.py --date {date} --jobs {jobs}

which does what these do, and writes this page from `bench/verification/results.json`:

    roller suite roller119 --target v100,a100,h200,mi300x --stage verify --jobs 2
    roller suite shapes60 --target v100,a100,h200,mi300x --stage verify --jobs 2

Each operator is planned at full size. The plan that is best by the model is compiled and executed by the simulator, as
our kernels and as the LLVM IR that goes to the vendor's back end: threads in a shuffled order, memory poisoned, every
access checked. Both have to give numpy's result. An operator of more than 2^23 points keeps its plan and gets smaller
extents: along every loop at most two whole tiles and the remainder that it has at full size, of a reduction stages + 2
steps and the residue, windows whole. Extents change by whole tiles, so that vector widths, masks and residues are those
of full size; a hash of the plan, without its prediction and the points of a part, is compared between both. A reduction
that is divided over tasks is two programs, each run so.

*equal*: bit for bit numpy's result on integers. Average pooling multiplies by 1/9 and the like, which rounds; it is
within tolerance. *error*: the largest error on normally distributed numbers, as a share of what is permitted,
4 epsilon (8 + sqrt(n)) for sums of n. *bytes*: of how many the bytes that the simulator counted, loads and stores of
global and of workgroup memory, are the plan's to the byte. *sectors*, *phases*: counted over planned, of all operators
of the row together, and in parentheses the operator that is furthest from it; sectors are 32 bytes of global memory,
phases passes of the banks of workgroup memory. Nothing here is a speed.
"""


def page(results: dict[str, Any]) -> str:
    """Return the page."""
    text = [HEAD.format(**{key: results[key] for key in ("date", "machine", "jobs")})]
    suites = results["suites"]
    for name, title, by in (
        ("roller119", "The 119 operators of ROLLER, f32", "class"),
        ("shapes60", "60 awkward shapes, as they are", "dtype"),
    ):
        rows: list[Row] = suites[name]
        text += [f"## {title}", "", _sentence(rows, results["seconds"][name]), "", *_table(rows, by), ""]
        text += _refused(rows)
    return "\n".join(text).rstrip() + "\n"


def _sentence(rows: Sequence[Row], seconds: float) -> str:
    good = [row for row in rows if "error" not in row]
    wrong = [f"{row['id']} on {row['target']}" for row in good if not row["matches"]]
    verdict = f"{len(wrong)} do not match numpy: {', '.join(wrong)}" if wrong else "all match numpy"
    reduced = [f"{row['id']} on {row['target']}" for row in good if row["reduced"]]
    whole = sum(not row["shrunk"] for row in good)
    return (
        f"{len(rows)} plans in {seconds / 60:.0f} minutes, {len(rows) - len(good)} refused, {verdict}. "
        f"{whole} ran as they are. Fewer than two whole tiles: {', '.join(reduced) or 'none'}."
    )


def _table(rows: Sequence[Row], by: str) -> list[str]:
    lines = [
        f"| {by} | target | operators | equal | within tolerance | error | bytes | sectors | phases |",
        "|---|---|---:|---:|---:|---:|---:|---|---|",
    ]
    groups = list(dict.fromkeys(row[by] for row in rows if by in row))
    for group in groups:
        for target in dict.fromkeys(row["target"] for row in rows):
            found = [row for row in rows if row.get(by) == group and row["target"] == target and "error" not in row]
            if found:
                lines.append(_line(group, target, found))
    return lines


def _line(group: str, target: str, rows: Sequence[Row]) -> str:
    equal = sum(row["equal"] for row in rows)
    near = sum(row["matches"] and not row["equal"] for row in rows)
    exact = sum(row["bytes_exact"] for row in rows)
    error = max(row["error_share"] for row in rows)
    cells = [group, target, str(len(rows)), str(equal), str(near), f"{error:.2f}", f"{exact} of {len(rows)}"]
    return f"| {' | '.join([*cells, _ratio(rows, 'sectors'), _ratio(rows, 'phases')])} |"


def _ratio(rows: Sequence[Row], unit: str) -> str:
    counted, planned = (sum(row["moved"][unit][i] for row in rows) for i in (0, 1))
    if not counted:
        return "-"
    together = counted / max(1, planned)
    worst = max(rows, key=lambda row: max(row[unit], 1 / row[unit]) if row[unit] else float("inf"))
    return f"{together:.3f} ({worst[unit]:.2f} {worst['id']})"


def _refused(rows: Sequence[Row]) -> list[str]:
    refused = [f"- {row['id']} on {row['target']}: {row['error']}" for row in rows if "error" in row]
    return ["Refused:", "", *refused, ""] if refused else []
