# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counted part of the page docs/reference/limits.md: why random programs were refused, and how many held."""

import datetime
import platform

from roller_mlir.evaluation.fuzz.campaign import CampaignTally

_COUNTED = "## Random programs"


def limits_page(tally: CampaignTally, command: str, before: str = "") -> str:
    """Return the page: what stood before the counted part of it, and that part anew.

    Args:
        tally: What became of the cases.
        command: What made it.
        before: The page as it was; empty where there was none.
    """
    total = sum(tally.statuses.values())
    held = tally.statuses["equal"] + tally.statuses["close"]
    lines = [
        before.split(_COUNTED)[0].rstrip("\n") + "\n" if before else "# Limits\n",
        _COUNTED,
        "",
        f"{datetime.date.today().isoformat()}, {platform.machine()}, Python {platform.python_version()}; made by",
        f"`{command}`.",
        "",
        f"{total} cases: {held} give what numpy gives ({tally.statuses['equal']} to the bit), "
        f"{tally.statuses['refused']} are refused, {len(tally.failures)} fail.",
        "",
        "| refused because of | cases | an example | reproduce |",
        "|---|---:|---|---|",
    ]
    rows = sorted(tally.refusals.items(), key=lambda one: (-one[1][0], one[0]))
    lines += [f"| {reason} | {count} | {_cell(text)} | `{command}` |" for reason, (count, command, text) in rows]
    lines += ["", "| kind of program | cases | give what numpy gives |", "|---|---:|---:|"]
    lines += [f"| {name} | {tried} | {good} |" for name, (tried, good) in sorted(tally.kinds.items())]
    lines += ["", "| type among its tensors | cases | give what numpy gives |", "|---|---:|---:|"]
    lines += [f"| {name} | {tried} | {good} |" for name, (tried, good) in sorted(tally.types.items())]
    lines += ["", "| instructions of a kernel | cases that ran | give what numpy gives |", "|---|---:|---:|"]
    lines += [f"| {name} | {tried} | {good} |" for name, (tried, good) in sorted(tally.instructions.items())]
    if tally.failures:
        lines += ["", "| fails | reproduce | how |", "|---|---|---|"]
        records = [failure.record() for failure in tally.failures]
        lines += [f"| {one['status']} | `{one['reproduce']}` | {_cell(one['message'])} |" for one in records]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.split("\n")[0].replace("|", "\\|")
