# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile time of each kernel of a suite, source to binary in a warm process, as lines of a Markdown table."""

import statistics
from collections.abc import Sequence
from typing import Any

from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.stages.compile import compile_operator, warm_up

HEAD = """
## Over the suite `{suite}`

Milliseconds from the text of each of its {count} operators to its binaries, for each kernel (an operator whose
reduction is divided has two), every operator once; as `roller suite {suite} --stage compile` prints them.

| target | kernels | median | worst | of |
|---|---:|---:|---:|---|"""


def suite_lines(suite: str, targets: Sequence[str]) -> list[str]:
    """Return the section of a suite."""
    operators = find_suite(suite)
    lines = [HEAD.format(suite=suite, count=len(operators))]
    for target in targets:
        warm_up(target)
        records: list[dict[str, Any]] = [compile_operator(operator, target) for operator in operators]
        each = [(record["kernel_s"], record["id"]) for record in records for _ in record["kernels"]]
        worst, name = max(each)
        middle = statistics.median(seconds for seconds, _ in each)
        lines.append(f"| {target} | {len(each)} | {1e3 * middle:.0f} | {1e3 * worst:.0f} | {name} |")
    return lines
