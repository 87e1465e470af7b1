# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as one page without anything beside it, light or dark as its reader's system is."""

from collections.abc import Mapping

from markupsafe import Markup

from roller_mlir.evaluation.measure.report.records import Report
from roller_mlir.tools.report.measured.document import Document
from roller_mlir.tools.report.page import render


def page(report: Report, made: Document, charts: Mapping[str, Markup]) -> str:
    """Return the text of `report.html`.

    Args:
        report: The figures, which the page holds as JSON too, in the element with the id "data".
        made: The same in words.
        charts: By their keys.
    """
    return render("measured.html", title=made.title, document=made, charts=charts, data=report)
