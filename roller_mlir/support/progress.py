# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bar that shows how far many jobs are: on standard error where that is a terminal, and nothing elsewhere.

with progress(len(jobs), "compile") as step:
    for key, answer in pool.run(jobs):
        step(failed="error" in answer)
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Task


class ProgressStep(Protocol):
    """Tells that one more is done."""

    def __call__(self, *, failed: bool = False) -> None:
        """Count one; `failed` counts it among the failures too."""
        ...


@contextmanager
def progress(total: int, title: str) -> Generator[ProgressStep, None, None]:
    """Show a bar while the block runs: done and total, time so far, time to go, jobs per second, failures.

    Args:
        total: How many there are; a single one has no bar.
        title: What is done, in a word or two.

    Yields:
        What is called as each one is done.
    """
    if total < 2 or not _is_terminal():
        yield _say_nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TimeElapsedColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Jobs per second, and how many failed."""

        def render(self, task: "Task") -> Text:
            failed: int = task.fields["failed"]
            text = Text(_rate(task.completed, task.elapsed or 0.0), style="dim")
            return text.append(f"  {failed} failed", style="bold red") if failed else text

    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), Rate())
    console = Console(stderr=True, highlight=False)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(title, total=total, failed=0)
        failures = 0

        def step(*, failed: bool = False) -> None:
            nonlocal failures
            failures += failed
            bar.update(task, advance=1, failed=failures)

        yield step


def _say_nothing(*, failed: bool = False) -> None:
    """Count nothing."""


def _rate(done: float, elapsed_s: float) -> str:
    """Return how fast it goes.

    >>> _rate(0, 3.0), _rate(30, 10.0), _rate(5, 10.0)
    ('', '3.0/s', '30.0/min')
    """
    if not done or elapsed_s <= 0:
        return ""
    rate = done / elapsed_s
    return f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"


def _is_terminal() -> bool:
    stream = sys.stderr
    try:
        return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    except ValueError:  # it is closed
        return False
