# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `roller explain --html`: one file without anything beside it, a section for each operator.

The data that it shows stands in it as JSON too, in the element with the id "data".
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.model.explain.explanation import Explanation, TensorFacts
from roller_mlir.plan.records.codec import to_json
from roller_mlir.tools.report.charts import drawing
from roller_mlir.tools.report.explain import tables, words
from roller_mlir.tools.report.explain.charts import roofline_svg, shown_dimensions, tensor_svg, walk_svg
from roller_mlir.tools.report.page import render


def page(file: str, explained: Sequence[tuple[str, Explanation]]) -> str:
    """Return the page.

    Args:
        file: Name of the source.
        explained: Per operator, where it stands and its explanation.
    """
    device = explained[0][1].limits
    with drawing():
        sections = [_section(number, *one) for number, one in enumerate(explained)]
    return render(
        "explain.html",
        title=f"{file} on {device.device}",
        device=device,
        sections=sections,
        tables=tables,
        words=words,
        data=[{"place": place, **_record(one)} for place, one in explained],
    )


def _record(one: Explanation) -> dict[str, Any]:
    record: Any = to_json(one)
    return record


def _section(number: int, place: str, one: Explanation) -> dict[str, Any]:
    """Return what a section shows; the labels of its charts tell them from those of other sections."""
    times = (time or 0.0 for layer in one.layers for time in (layer.seconds, layer.runner_up_seconds))
    line, of = one.roofline, f"of operator {number}"
    return {
        "place": place,
        "one": one,
        "longest": max(one.prediction.seconds, *times),
        "roofline": roofline_svg(line, f"roofline {of}") if line.roofs else None,
        "walks": [walk_svg(walk, f"enlargement, {walk.layer}, {of}") for walk in one.path.walks],
        "tensors": [_tensor(tensor, f"tile of {tensor.name}, {of}") for tensor in one.operator.tensors],
    }


def _tensor(tensor: TensorFacts, label: str) -> dict[str, Any]:
    rows, columns = shown_dimensions(tensor)
    others = [at for at in range(len(tensor.shape)) if at not in (rows, columns)]
    return {"svg": tensor_svg(tensor, label), "rows": rows, "columns": columns, "others": others}
