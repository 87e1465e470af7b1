# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of residuals, as `roller train` writes them: JSON, read within bounds; the package's and a user's own."""

from functools import lru_cache
from os import PathLike
from pathlib import Path

from roller_mlir.model.residual.residual import Residual
from roller_mlir.plan.records.codec import CodecError, from_json
from roller_mlir.support.foreign.bounded import BoundsError, read_bytes, read_json
from roller_mlir.support.foreign.reasons import reason_of

MOST_BYTES = 16 << 20
_SHIPPED = Path(__file__).parent / "shipped"


class ResidualError(ValueError):
    """A file holds no residual; the message names the file and the path of the value."""


def read_residual(path: str | PathLike[str]) -> Residual:
    """Read a residual.

    Raises:
        ResidualError: The file cannot be read, or holds none.
    """
    try:
        return from_json(Residual, read_json(read_bytes(path, MOST_BYTES)))
    except OSError as error:
        raise ResidualError(f"{path}: cannot be read: {reason_of(error)}") from None
    except (BoundsError, CodecError) as error:
        raise ResidualError(f"{path}: {error}") from None


def usual_name(kind: str, family: str) -> str:
    """Return the usual name of the file of a residual: letters, digits and dashes of its class, and its family.

    >>> usual_name("RS kernel, stride 2", "sm_70")
    'rs-kernel-stride-2.sm_70.json'
    """
    words = "".join(letter if letter.isalnum() else " " for letter in kind.lower()).split()
    return f"{'-'.join(words)}.{family}.json"


def find_residual(kind: str, family: str, path: str | PathLike[str] | None = None) -> Residual | None:
    """Return the residual of a class on a family of devices, whether it counts or not; None where there is none.

    Args:
        kind: The class.
        family: The architecture of the device.
        path: A file of a user's, or a folder of files with their usual names, which come before the package's; None for
            none.

    Raises:
        ResidualError: The file is not there, or holds no residual, or one of a folder is of another class.
    """
    own = None if path is None else _found(Path(path), kind, family)
    return own or _shipped(kind, family)


def content_of(path: str | PathLike[str]) -> bytes:
    """Return what a file of a user's holds, or all files of a folder, to tell one from another.

    Raises:
        OSError: It cannot be read.
    """
    place = Path(path)
    return b"".join(one.read_bytes() for one in (sorted(place.glob("*.json")) if place.is_dir() else [place]))


def _found(place: Path, kind: str, family: str) -> Residual | None:
    """Return the residual of a class in a file or a folder, None where there is none of it."""
    folder = place.is_dir()
    file = place / usual_name(kind, family) if folder else place
    try:
        status = file.stat()
    except OSError as error:
        if folder:
            return None
        raise ResidualError(f"{file}: cannot be read: {reason_of(error)}") from None
    found = _read(file, status.st_mtime_ns, status.st_size)
    if (found.kind, found.family) == (kind, family):
        return found
    if folder:
        raise ResidualError(f"{file}: must be of '{kind}' on {family}, but is of '{found.kind}' on {found.family}")
    return None


@lru_cache(maxsize=64)
def _shipped(kind: str, family: str) -> Residual | None:
    """Return the package's own residual of a class, whose files nobody writes while it runs; None without one."""
    return _found(_SHIPPED, kind, family)


@lru_cache(maxsize=64)
def _read(file: Path, _changed: int, _size: int) -> Residual:
    """Return the residual in a file, which is read again when it was written again."""
    return read_residual(file)
