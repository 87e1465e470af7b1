# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of pages: the page itself, tables, lists of facts, data that a page carries."""

import json
from collections.abc import Sequence
from typing import Any

from roller_mlir.report.page_markup import Content, Markup, element
from roller_mlir.report.page_style import SCRIPT

_CLASSES = {"n": "n", "m": "m", "t": "t", "r": "n rank", "s": None, "w": "w"}


def table(
    head: Sequence[str],
    kinds: str,
    rows: Sequence[Sequence[tuple[Content, object]]],
    *,
    name: str = "",
    sortable: bool = False,
) -> Markup:
    """Return a table.

    Args:
        head: Names of the columns.
        kinds: A letter per column: n number, m tile, r rank, t text, s short text, w text in one line.
        rows: Per cell, what it shows and the value that it is sorted by.
        name: Its class.
        sortable: Whether its columns can be sorted by.
    """

    def title(text: str, kind: str) -> Markup:
        inside: Content = element("button", text, type_="button") if sortable else text
        return element("th", inside, class_="n" if kind in "nr" else None, scope="col")

    lines = [
        element(
            "tr",
            *(
                element("td", shown, class_=_CLASSES[kind], data_v=_value(value) if sortable else None)
                for (shown, value), kind in zip(row, kinds, strict=True)
            ),
            class_="first" if sortable and number == 0 else None,
        )
        for number, row in enumerate(rows)
    ]
    found = element(
        "table",
        element("thead", element("tr", *(title(text, kind) for text, kind in zip(head, kinds, strict=True)))),
        element("tbody", *lines),
        class_=" ".join(part for part in (name, "sortable" if sortable else "") if part) or None,
    )
    return element("div", found, class_="scroll")


def _value(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def plain(rows: Sequence[Sequence[Content]]) -> list[list[tuple[Content, object]]]:
    """Return rows of a table that is not sorted."""
    return [[(cell, cell) for cell in row] for row in rows]


def definitions(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Return pairs of a name and a value as a list."""
    return element("dl", *(part for name, value in pairs for part in (element("dt", name), element("dd", value))))


def data_element(data: Any) -> Markup:
    """Return the data that a page shows as JSON, in an element with the id "data"."""
    text = json.dumps(data, indent=1)
    safe = Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
    return element("script", safe, type_="application/json", id_="data")


def document(title: str, style: str, *body: Content) -> str:
    """Return a page that needs nothing beside it.

    Args:
        title: Of the window.
        style: The style sheet.
        *body: What is in it; the script that sorts tables comes after.
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(style)),
    )
    text = element("html", head, element("body", *body, element("script", Markup(SCRIPT))), lang="en")
    return "<!DOCTYPE html>\n" + text.replace("></meta>", ">") + "\n"
