# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The folder of a report: what is in it, and how it gets there, whole or not at all."""

import os
import re
import signal
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from roller_mlir.evaluation.measure.records import Results
from roller_mlir.evaluation.measure.report.groups import peer_names
from roller_mlir.evaluation.measure.report.records import Report
from roller_mlir.evaluation.measure.report.results_file import RESULTS_NAME
from roller_mlir.plan.records.codec import to_text
from roller_mlir.tools.console.errors import InputError
from roller_mlir.tools.report.measured.charts import PREDICTION_PICTURE, draw
from roller_mlir.tools.report.measured.markdown import markdown
from roller_mlir.tools.report.measured.page import page
from roller_mlir.tools.report.measured.sections import document_of
from roller_mlir.tools.report.measured.words import date_of

MARKDOWN, PAGE = "results.md", "report.html"
_FOLDER = Path("docs/results")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_PICTURES = re.compile(rf"{re.escape(PREDICTION_PICTURE)}|ratio-[A-Za-z0-9._-]+\.png")


def default_folder(report: Report) -> Path:
    """Return where a report goes: by its date and target; that of a dry run says so."""
    target = re.sub("[^A-Za-z0-9_-]", "_", report.kit.target)[:64] or "unknown"
    return _FOLDER / f"{date_of(report)}-{target}{'-dry-run' if report.dry_run else ''}"


def contents_of(report: Report, results: Results) -> dict[str, bytes]:
    """Return the files of a report by their names."""
    made = document_of(report)
    drawn = draw(report, peer_names(report.items), made)
    texts = {
        MARKDOWN: markdown(made, {key: name for key, (name, _, _) in drawn.items()}),
        PAGE: page(report, made, {key: chart for key, (_, _, chart) in drawn.items()}),
        RESULTS_NAME: to_text(results),
    }
    return {**{name: text.encode() for name, text in texts.items()}, **{name: png for name, png, _ in drawn.values()}}


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write all files or none: under other names first, then renamed, which an interrupt waits for.

    Pictures of an earlier report in the folder that this one has not are removed.

    Raises:
        InputError: A file cannot be written; nothing is left behind.
    """
    made = _make(folder)
    aside = {name: folder / f".{name}.{os.getpid()}.partial" for name in contents}
    done = False
    try:
        for name, content in contents.items():
            _write(aside[name], content, folder / name)
        earlier = (folder / MARKDOWN).is_file() and (folder / PAGE).is_file()
        with _uninterrupted():
            for name, path in aside.items():
                try:
                    path.replace(folder / name)
                except OSError as error:
                    raise _refused(folder / name, error) from None
            done = True
            if earlier:
                _remove_others(folder, contents)
    finally:
        if not done:
            for path in aside.values():
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            for path in made:
                with suppress(OSError):
                    path.rmdir()


def _remove_others(folder: Path, contents: Mapping[str, bytes]) -> None:
    for path in folder.glob("*.png"):
        if _PICTURES.fullmatch(path.name) and path.name not in contents:
            with suppress(OSError):
                path.unlink()


def _make(folder: Path) -> list[Path]:
    """Make a folder and what is above it; return what was made, the innermost first."""
    try:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _refused(folder, error) from None
    return missing


def _write(path: Path, content: bytes, goal: Path) -> None:
    try:
        if goal.is_dir():
            raise IsADirectoryError(21, "is a directory")
        path.write_bytes(content)
    except OSError as error:
        raise _refused(goal, error) from None


def _refused(path: Path, error: Exception) -> InputError:
    reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    return InputError(f"{path} cannot be written: {reason.lower()}")


@contextmanager
def _uninterrupted() -> Generator[None]:
    """Let interrupts wait until the end; a mask would not do, as any thread may be given the signal."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {number: signal.signal(number, lambda got, _: waiting.append(got)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for number in waiting[:1]:
            signal.raise_signal(number)
