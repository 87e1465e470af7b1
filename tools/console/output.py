# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `roller` prints: tables for people, JSON for machines; and how it writes files."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.support.foreign.printable import printable
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.standard_output import writing_output

if TYPE_CHECKING:
    import numpy as np

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

    from roller_mlir.tools.console.printable import PrintableConsole

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


def make_folder(folder: Path) -> None:
    """Make a folder and what is above it, where they are not there.

    Raises:
        InputError: It cannot be made.
    """
    from roller_mlir.tools.console.errors import InputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {reason_of(error)}") from None


def check_place(path: Path) -> None:
    """Refuse a file that cannot be written before the work for it, not after.

    Raises:
        InputError: Its folder is not there or not to be written to, or it is a folder itself.
    """
    from roller_mlir.tools.console.errors import InputError

    folder, reason = path.absolute().parent, ""
    if path.is_dir():
        reason = "is a directory"
    elif not folder.is_dir():
        reason = f"there is no folder {path.parent}"
    elif not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        reason = "permission denied"
    if reason:
        raise InputError(f"{path} cannot be written: {reason}")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: under another name first. A device or a pipe is written to, not replaced.

    Raises:
        InputError: It cannot be written.
    """
    from roller_mlir.tools.console.errors import InputError

    aside = path.with_name(f".{path.name}.partial")
    data = content if isinstance(content, bytes) else content.encode()
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        aside.write_bytes(data)
        aside.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {reason_of(error)}") from None
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def write_arrays(folder: Path, arrays: "Sequence[np.ndarray[Any, Any]]") -> None:
    """Write arrays as output0.npy and so on, all or none: all are written aside before the first takes its name.

    Raises:
        InputError: They cannot be written.
    """
    import io

    import numpy as np

    from roller_mlir.tools.console.errors import InputError

    made = not folder.exists()
    aside: list[Path] = []
    try:
        folder.mkdir(exist_ok=True)
        for index, array in enumerate(arrays):
            content = io.BytesIO()
            np.save(content, array)
            aside.append(folder / f".output{index}.npy.partial")
            aside[-1].write_bytes(content.getvalue())
        for index, path in enumerate(aside):
            path.replace(folder / f"output{index}.npy")
    except OSError as error:
        raise InputError(f"cannot write results to {folder}: {reason_of(error)}") from None
    finally:
        for path in aside:
            path.unlink(missing_ok=True)
        if made and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
