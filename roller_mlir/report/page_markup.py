# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HTML and SVG elements as text that is escaped where it is made: what is not markup already, is text."""

from html import escape


class Markup(str):
    """Text that is markup."""

    __slots__ = ()


Content = str | int | float | None


def element(name: str, *children: Content, **attributes: Content) -> Markup:
    """Return an element with its children; text is escaped.

    Args:
        name: The tag.
        children: Markup as it is, anything else as text; None is left out.
        attributes: By name; a trailing underscore is dropped, others become hyphens. None is left out.

    >>> element("p", "a < b", class_="note", data_v=2)
    '<p class="note" data-v="2">a &lt; b</p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(
        child if isinstance(child, Markup) else escape(_number(child)) for child in children if child is not None
    )
    return Markup(f"<{name}{given}>{inside}</{name}>")


def join(parts: "list[Markup]") -> Markup:
    """Return elements one after the other."""
    return Markup("".join(parts))


def _number(value: Content) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
