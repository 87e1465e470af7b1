# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as Markdown. Names out of results are escaped: they are text, never markup."""

import re
from collections.abc import Mapping

from roller_mlir.tools.report.measured.document import Block, Chart, DefinitionList, Document, Note, Tiles
from roller_mlir.tools.report.table import Grid

_SPECIAL = re.compile(r"([\\`*_\[\]|~#$])")


def markdown(document: Document, pictures: Mapping[str, str]) -> str:
    """Return the text of `results.md`.

    Args:
        document: The report.
        pictures: File names of charts, by their keys.
    """
    lines = [f"# {escaped(document.title)}", ""]
    if document.banner:
        lines += [f"> **{escaped(document.banner)}.**", ""]
    for section in document.sections:
        if section.title:
            lines += [f"## {escaped(section.title)}", ""]
        for block in section.blocks:
            found = _block(block, pictures)
            if found:
                lines += [*found, ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    r"""Return text without a meaning in Markdown or HTML.

    >>> escaped("<b>a|b*</b>")
    '&lt;b&gt;a\\|b\\*&lt;/b&gt;'
    """
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", safe)


def _block(block: Block, pictures: Mapping[str, str]) -> list[str]:
    if isinstance(block, Note):
        return [f"**{escaped(block.text)}**" if block.alarm else escaped(block.text)]
    if isinstance(block, (DefinitionList, Tiles)):
        return _table(("", ""), "ss", [(name, value) for name, value in block.pairs])
    if isinstance(block, Chart):
        return [f"![{escaped(block.caption)}]({pictures[block.key]})"] if block.key in pictures else []
    return _grid(block)


def _grid(block: Grid) -> list[str]:
    return _table(block.head, block.kinds, [tuple(cell.text for cell in row) for row in block.rows])


def _table(head: tuple[str, ...], kinds: str, rows: list[tuple[str, ...]]) -> list[str]:
    rule = ["--:" if kind in "nr" else "---" for kind in kinds]
    lines = [[escaped(name) for name in head], rule, *([escaped(text) for text in row] for row in rows)]
    return ["| " + " | ".join(line) + " |" for line in lines]
