# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page docs/reference/explain.md: the command, its true output for an example, and every key of its JSON."""

import re
from dataclasses import fields
from inspect import getdoc
from pathlib import Path
from typing import Any

from roller_mlir.compiler.persistent import BlockChoice
from roller_mlir.compiler.source import read_source
from roller_mlir.hal import find_device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.model.cost import roofline
from roller_mlir.model.explain import explanation, trace
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.search import axis_limits
from roller_mlir.plan import Prediction
from roller_mlir.tools.report.explain.operators import read_operators
from roller_mlir.tools.report.explain.schedule import ScheduledOperator, ScheduleExplanation
from roller_mlir.tools.report.explain.text import plain_text

_INTRO = """# roller explain

`roller explain FILE.mlir --target h200` shows how each operator of a function is planned, and why. Every number of a
time is a prediction of the model, none is a measurement.

| section | what it says | ROLLER |
| --- | --- | --- |
| Operator, Tensors | fused loops, index maps, bytes, intensity, the winner's tile on each tensor | 3.1, 3.2 |
| Limits | what of the device the plan must fit into | 3.1 |
| Alignment | sizes that the rules refuse, and what keeps the winner from the next size of each loop | 3.1 |
| Bank padding | the padding that was chosen by counting bank phases, beside the paper's formula | 3.1 |
| Enlargement | each step: traffic Q, footprint F, reuse score, the scores of the other axes | 3.2, Figure 8 |
| Shrunk, Descent, Split | what followed: shrinking, steps along the predicted time, a divided reduction | 3.2 |
| The first K | the best programs and why the first is before the second; which one `roller compile` takes | 3.2 |
| Prediction | seconds were each layer the only limit, and their share of the predicted time | 3.3, Table 2 |
| Roofline | the operator under the roofs of each layer and of the instruction | |

The search is run again and watched, with the same rules and budgets; the path is not guessed from the result. Sizes
listed as refused are powers of two and the extent, up to 256. Where the model prefers instructions for which no code is
generated yet, the output says so, and names the program that `roller compile` takes.

`--html out.html` writes one page that needs nothing beside it: the roofline, a bar per layer for the first two
programs, the tile drawn on each tensor, the enlargement as a curve, and the candidates in a table that sorts.

Options of the construction: `--top-k K`, `--disabled-rule RULE` (also several times), `--no-split`, `--no-join`,
`--no-staged-stores`, `--max-units N`, `--block-threads N`, `--task-threads N`, `--block-registers N`,
`--block-workgroup-bytes N`, `--blocks-per-unit N`, `--instruction FAMILY,...`.
`--op NAME` takes one program. `roller suite SUITE --stage explain` does the same for the operators of a suite.

`roller explain FILE.mlir --persistent` shows the schedule of one persistent kernel of all programs instead: tasks,
blocks, waits and bytes, each number of threads that was planned for with the predicted time, and the tasks, body and
predicted time of each operator.

"""

_RECORDS: tuple[Any, ...] = (
    explanation.Explanation,
    explanation.OperatorFacts,
    explanation.LoopFacts,
    explanation.TensorFacts,
    explanation.TileBox,
    explanation.DeviceLimits,
    explanation.Alignment,
    axis_limits.AxisLimits,
    axis_limits.RuleSizes,
    axis_limits.BankLayout,
    explanation.Path,
    trace.Walk,
    trace.TraceStep,
    trace.Score,
    trace.Stop,
    trace.Capacity,
    trace.Shrink,
    trace.Refinement,
    explanation.StreamScore,
    explanation.SplitFacts,
    explanation.Row,
    explanation.LayerTime,
    Prediction,
    roofline.Roofline,
    roofline.Roof,
)


def explain_page(example: str, device: str) -> str:
    """Return the page.

    Args:
        example: A file of one operator, relative to the current directory.
        device: What it is explained for.
    """
    (operator,) = read_operators(read_source(Path(example)), "h200")
    found = explain(
        operator.expression,
        find_device(device),
        name=operator.name,
        families=FAMILIES,
        source_extents=operator.source_extents,
    )
    command = f"roller explain {example} --target {device}"
    parts = [
        _INTRO,
        f"## Example\n\n```sh\n{command}\n```\n\n```\n{plain_text(found).rstrip()}\n```\n",
        "\n## JSON\n\n`--json` prints an array of one object per operator: `file`, `line` (null where unknown), "
        "`function`, and the keys of `Explanation`; with `--tuning` also `tuned`, the measured plan that the compiler "
        "takes, as a line, or null. Infinity, which JSON has not, is the string `inf`. Loops are "
        "numbered; `d0` is loop 0.\n",
        *(_record(kind) for kind in _RECORDS),
        "\n## JSON of a schedule\n\nWith `--persistent`, `--json` prints one object, of `ScheduleExplanation`.\n",
        *(_record(kind) for kind in (ScheduleExplanation, BlockChoice, ScheduledOperator)),
    ]
    return "".join(parts)


def _record(kind: Any) -> str:
    text = getdoc(kind) or ""
    summary, _, attributes = text.partition("\nAttributes:\n")
    told = {
        name: " ".join(meaning.split())
        for name, meaning in re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", attributes, re.MULTILINE)
    }
    head = f"\n### {kind.__name__}\n\n{' '.join(summary.split())}\n\n"
    if not told:
        return head + ", ".join(f"`{field.name}`" for field in fields(kind)) + ".\n"
    rows = "".join(f"| `{field.name}` | {told[field.name]} |\n" for field in fields(kind))
    return f"{head}| key | meaning |\n| --- | --- |\n{rows}"
