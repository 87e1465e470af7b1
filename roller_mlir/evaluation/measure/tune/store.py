# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds records to a tuning data base: merged with what is there, written whole or not at all, by one process at a time.

Processes that add at once wait for each other by a lock on the file itself, so that none loses what another has added.
As each writes a new file and renames it, whoever gets the lock looks whether the file still is the one of that name.
"""

import fcntl
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from roller_mlir.plan.files.tuning import (
    MOST_BYTES,
    TuningError,
    TuningRecord,
    merged,
    parse_tuning,
    read_tuning,
    text_of,
)
from roller_mlir.support.foreign.reasons import reason_of


def check_file(path: str | PathLike[str]) -> None:
    """Check that records can be added, as far as that is known before; what is not there is not made.

    Raises:
        TuningError: The file cannot be read or written, a line of it is no record, or its folder is not there.
    """
    file = Path(os.path.realpath(path))
    if file.exists():
        read_tuning(path)
    if not file.parent.is_dir():
        raise TuningError(f"{path}: cannot be written: its folder is not there; make it first")
    if not os.access(file.parent, os.W_OK | os.X_OK) or (file.exists() and not os.access(file, os.W_OK)):
        raise TuningError(f"{path}: cannot be written: permission denied")


def add_records(path: str | PathLike[str], records: Sequence[TuningRecord]) -> dict[str, TuningRecord]:
    """Add records to a data base, which is made if it is not there; of each key the fastest record stays.

    Args:
        path: The file.
        records: What is new.

    Returns:
        What stood there before, by key, of the keys of the new records.

    Raises:
        TuningError: The file cannot be read or written, or a line of it is no record; it is unchanged then.
    """
    file = Path(os.path.realpath(path))
    try:
        with _locked(file) as descriptor:
            content = _read(descriptor, str(path))
            known = {key: found.record for key, found in parse_tuning(content, str(path)).items()}
            text = text_of(merged(known.values(), records)).encode()
            if text != content:
                _replace(file, text, stat.S_IMODE(os.fstat(descriptor).st_mode))
    except OSError as error:
        raise TuningError(f"{path}: cannot be written: {reason_of(error)}") from None
    return {record.key: known[record.key] for record in records if record.key in known}


@contextmanager
def _locked(file: Path) -> Generator[int]:
    """Yield a descriptor of the file, made if it is not there, that nobody else has locked and that has this name."""
    while True:
        made = not file.exists()
        if not made and not file.is_file():
            raise OSError(0, "it is no file")
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not _has_name(descriptor, file):
                continue
            try:
                yield descriptor
            except BaseException:
                if made and not os.fstat(descriptor).st_size and _has_name(descriptor, file):
                    file.unlink()
                raise
            return
        finally:
            os.close(descriptor)


def _has_name(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


def _read(descriptor: int, name: str) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > MOST_BYTES:
        raise TuningError(f"{name}: has {size} B; a tuning data base may have {MOST_BYTES} B")
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        return stream.read()


def _replace(file: Path, text: bytes, mode: int) -> None:
    aside = file.with_name(f".{file.name}.{os.getpid()}.partial")
    try:
        with aside.open("wb") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        aside.chmod(mode)
        aside.replace(file)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
