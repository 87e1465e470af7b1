# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `roller` prints: tables for people, JSON for machines; and how it writes a file of text."""

import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from roller_mlir.foreign.printable import printable
from roller_mlir.support.standard_output import writing_output

# A file or a pipe has no width of its own; wide enough that no table is cut.
_PIPE_WIDTH = 160

TableData = tuple[str, Sequence[str], Iterable[Sequence[str]]]


def print_json(data: Any) -> None:
    """Print data as indented JSON on one stream of text."""
    with writing_output():
        json.dump(data, sys.stdout, indent=1, default=str)
        sys.stdout.write("\n")


def print_tables(tables: Iterable[TableData]) -> None:
    """Print tables of (title, header, rows)."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from roller_mlir.console.printable import PrintableConsole

    with writing_output():
        terminal = sys.stdout.isatty()
    console = PrintableConsole(width=None if terminal else _PIPE_WIDTH, highlight=False, markup=False)
    for title, header, rows in tables:
        table = Table(
            title=Text(title) if title else None,
            title_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
            show_header=any(header),
        )
        for name in header:
            table.add_column(name, overflow="fold")
        for row in rows:
            table.add_row(*row)
        with writing_output():
            console.print(table)


def print_line(text: str) -> None:
    """Print a line of plain text."""
    with writing_output():
        sys.stdout.write(printable(text) + "\n")


def print_bytes(data: bytes) -> None:
    """Write bytes as they are."""
    with writing_output():
        sys.stdout.buffer.write(data)


def seconds(value: float) -> str:
    """Format a time with three digits.

    >>> seconds(0.01234), seconds(4.5e-06), seconds(2.0)
    ('12.3 ms', '4.5 us', '2 s')
    """
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: under another name first.

    Raises:
        InputError: It cannot be written.
    """
    from roller_mlir.console.errors import InputError

    aside = path.with_name(f".{path.name}.partial")
    try:
        aside.write_bytes(content if isinstance(content, bytes) else content.encode())
        aside.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
