# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts by matplotlib: PNG, or SVG that takes its colours from the page that it stands in.

The same figure gives the same bytes. matplotlib is imported where something is drawn, and not before.
"""

import io
import logging
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SERIES = (
    *(("#0072b2", "#4c9fe6"), ("#d55e00", "#f08a3c"), ("#009e73", "#2fc79a"), ("#cc79a7", "#e09ac4")),
    *(("#e69f00", "#f2c14e"), ("#444444", "#d0d0d0"), ("#56b4e9", "#9fdcff")),
)
"""Okabe and Ito's palette, which colour-blind readers can tell apart, and tints of the same for dark pages."""

COLOURS = {
    "bg": ("#fcfcfb", "#16181b"),
    "fg": ("#1c1f23", "#e4e6e8"),
    "soft": ("#676d75", "#979da5"),
    "line": ("#e2e3e1", "#2d3135"),
    "card": ("#f4f4f2", "#1e2124"),
    "alarm": ("#b3261e", "#ff8a80"),
    "global": ("#1f77b4", "#62a9de"),
    "l2": ("#2a8f57", "#62c48e"),
    "workgroup": ("#9a4fb0", "#c78ddb"),
    "compute": ("#b87400", "#e3a743"),
    "latency": ("#c0493f", "#e5837a"),
    "launch": ("#868b91", "#8d939a"),
    "join": ("#14858c", "#4fc0c6"),
    "thread": ("#d97a00", "#f0a040"),
    **{f"c{number}": pair for number, pair in enumerate(SERIES)},
}
"""Of pages and of what is drawn on them, each for light and for dark ones; `var(--NAME)` in style sheets."""

_DPI = 160
_NAMES = {light: name for name, (light, _) in COLOURS.items()}
_XLINK = "{http://www.w3.org/1999/xlink}href"


def colour(name: str) -> str:
    """Return what a figure draws with, which `svg` leaves to the page."""
    return COLOURS[name][0]


@contextmanager
def drawing() -> Generator[None]:
    """Draw with our settings, whatever the user's are.

    matplotlib does not tell that it builds a cache of fonts, or that its home cannot be written.
    """
    log = logging.getLogger("matplotlib")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        import matplotlib as mpl

        wanted: Any = {
            "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans"],
            "font.size": 8.5,
            "axes.linewidth": 0.6,
            "axes.edgecolor": colour("soft"),
            "grid.color": colour("line"),
            "text.color": colour("fg"),
            "axes.labelcolor": colour("soft"),
            "axes.labelsize": 8,
            "xtick.color": colour("soft"),
            "ytick.color": colour("soft"),
            "xtick.labelsize": 7.5,
            "ytick.labelsize": 7.5,
            "text.parse_math": False,
            "svg.fonttype": "none",
            "svg.hashsalt": "roller",
        }
        with mpl.rc_context({**mpl.rcParamsDefault, **wanted}):
            yield
    finally:
        log.setLevel(before)


def png(figure: "Figure") -> bytes:
    """Return a picture on white."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None})
    return out.getvalue()


def svg(figure: "Figure", label: str, tips: Mapping[str, Sequence[str]] | None = None) -> Markup:
    """Return a figure as an SVG element to stand in a page.

    Args:
        figure: With colours of `COLOURS`.
        label: What it shows. Charts of one page that differ have labels that differ.
        tips: By the gid of a row of marks, what each mark tells under the pointer.
    """
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(out.getvalue())
    width = float(root.attrib["viewBox"].split()[2])
    for parent in root.iter():
        parent.tag = parent.tag.rpartition("}")[2]
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
        if told := (tips or {}).get(parent.get("id", "")):
            marks = [child for child in parent.iter() if child.tag.endswith("use")]
            for mark, text in zip(marks, told, strict=True):
                ElementTree.SubElement(mark, "title").text = text
    prefix = re.sub(r"\W+", "-", label)
    used = {name for one in root.iter() for value in one.attrib.values() for name in re.findall(r"#([\w-]+)", value)}
    for one in root.iter():
        given = dict(one.attrib)
        one.attrib.clear()
        for key, value in given.items():
            if key == "style":
                value = re.sub(r"#[0-9a-f]{6}", _from_page, value)
            if key == "id":
                if value in used:
                    one.set(key, f"{prefix}-{value}")
            elif key == _XLINK:
                one.set("href", f"#{prefix}-{value[1:]}")
            else:
                one.set(key, value.replace("url(#", f"url(#{prefix}-"))
    style = f"max-width:{width * 96 / 72:.0f}px"
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "class": "chart",
        "role": "img",
        "aria-label": label,
        "style": style,
    }
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _from_page(found: re.Match[str]) -> str:
    name = _NAMES.get(found.group())
    return f"var(--{name})" if name else found.group()
