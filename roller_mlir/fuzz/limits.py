# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page docs/limits.md: what is known not to work, and why random programs were refused, counted."""

import datetime
import platform

from roller_mlir.fuzz.campaign import Tally

_KNOWN = """\
# Limits

What is refused, each at its place in the source (`file:line:column`), and what is not modelled.

- Shapes are static, dimensions at least 1, a function is one block without control flow and calls.
- Element types: f32, f16, bf16, f64, i8, i16, i32, i64, i1. Values inside of bodies may also be index.
- Bodies hold operations of `arith` and `math`, and `linalg.index`. Reductions that join accumulator and contribution by
  +, *, min, max, and, or, xor are divided over threads; what any other body says over a reduction loop, such as the
  greatest and its place, one thread computes in order.
- A result is written at loops, each once; it cannot be written at sums of loops (scatter), and nothing is read at
  positions that are data (gather).
- Index expressions are sums of multiples of loops: no `floordiv` or `mod`.
- A `tensor.insert_slice` inserts elements side by side: its strides are 1.
- A plan, a tile or a number of stages that is forced must fit the device and the op, else it is refused.
- The simulator does not model weak memory, the rounding of the vendors' math libraries, or denormals that are flushed.
"""


def limits_page(tally: Tally, command: str) -> str:
    """Return the page.

    Args:
        tally: What became of the cases.
        command: What made it.
    """
    total = sum(tally.statuses.values())
    held = tally.statuses["equal"] + tally.statuses["close"]
    lines = [
        _KNOWN,
        "## Random programs",
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
