# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages that need nothing beside them, made of the templates in `templates`; what is no markup is escaped."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from roller_mlir.plan.records.codec import to_json
from roller_mlir.tools.console.output import seconds
from roller_mlir.tools.report.charts import COLOURS


def render(template: str, *, data: Any, **shown: Any) -> str:
    """Return a page.

    Args:
        template: Name of a template that extends `page.html`.
        data: What the page shows, as records; it holds them as JSON in the element with the id "data".
        **shown: What the template names.
    """
    loader = PackageLoader("roller_mlir.tools.report")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["seconds"] = seconds
    return made.get_template(template).render(data=to_json(data), colours=COLOURS, **shown)
