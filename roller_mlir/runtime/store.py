# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts on disk: written whole or not at all, read with every hash verified.

Writing fills a sibling directory, syncs it, and renames it into place; an older artifact is moved aside first and
removed only after the rename. Whatever interrupts the writing (an error, Ctrl-C) leaves what was there before.
"""

import errno
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path

from roller_mlir.plan.manifest import MAX_MANIFEST_BYTES, Manifest
from roller_mlir.plan.records.codec import CodecError
from roller_mlir.runtime.errors import ArtifactError

MANIFEST_NAME = "manifest.json"
MAX_ARTIFACT_BYTES = 16 << 30
"""What an artifact's files may have in all, unless the reader says otherwise."""


def sha256(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def check_target(path: str | PathLike[str]) -> None:
    """Check early that an artifact may be written to `path`; `write_artifact` checks again.

    Raises:
        ArtifactError: The parent is no directory, or something else than an artifact is there.
    """
    target = Path(path)
    try:
        if not target.name or target.name == ".." or "\0" in target.name:
            raise ArtifactError(f"cannot write artifact '{path}': it must be named like a new directory")
        if not target.parent.is_dir():
            raise ArtifactError(f"cannot write artifact '{path}': its parent is not a directory; make it first")
        if not os.access(target.parent, os.W_OK):
            raise ArtifactError(f"cannot write artifact '{path}': its parent directory is not writable")
        if os.path.lexists(target) and not _replaceable(target):
            raise ArtifactError(
                f"cannot write artifact '{path}': something that is no artifact is there; choose another name"
            )
    except (OSError, ValueError) as error:
        raise ArtifactError(f"cannot write artifact '{path}': {_reason(error)}") from error


def write_artifact(path: str | PathLike[str], manifest: Manifest, files: Mapping[str, bytes]) -> None:
    """Write manifest and files as the directory `path`.

    Raises:
        ArtifactError: It cannot be written; what was there before is unchanged.
    """
    check_target(path)
    target = Path(path)
    size = sum(len(data) for data in files.values())
    staging = partial_path(target)
    try:
        staging.mkdir()
        for name, data in files.items():
            _write_file(staging / name, data)
        _write_file(staging / MANIFEST_NAME, manifest.dumps().encode())
        _sync_directory(staging)
        _publish(staging, target)
    except OSError as error:
        raise ArtifactError(f"cannot write artifact '{path}' ({size} B): {_reason(error)}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def partial_path(target: Path) -> Path:
    """Return where a directory is filled before it is renamed, known before it is made: an interrupt cannot lose it."""
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.partial")


def read_artifact(path: str | PathLike[str], most_bytes: int = MAX_ARTIFACT_BYTES) -> tuple[Manifest, dict[str, bytes]]:
    """Read the directory `path`.

    Args:
        path: The directory. Nothing outside of it is read, and no link in it is followed.
        most_bytes: What its files may have in all; of each no more is read than the manifest says.

    Returns:
        The manifest and the content of every file it lists.

    Raises:
        ArtifactError: It is missing, damaged, too large, or of another schema version.
    """
    directory = Path(path)
    try:
        if not directory.is_dir():
            kind = "not a directory" if directory.exists() else "no such directory"
            raise ArtifactError(f"cannot read artifact '{path}': {kind}")
        text = _read_file(directory / MANIFEST_NAME, MAX_MANIFEST_BYTES)
        if len(text) > MAX_MANIFEST_BYTES:
            raise CodecError(f"has more than the limit of {MAX_MANIFEST_BYTES} B")
        manifest = Manifest.loads(text.decode())
        size = sum(file.size_bytes for file in manifest.files)
        if size > most_bytes:
            raise ArtifactError(
                f"cannot read artifact '{path}': its files have {size} B, which is above the limit of {most_bytes} B"
            )
        files: dict[str, bytes] = {}
        for file in manifest.files:
            data = _read_file(directory / file.name, file.size_bytes)
            if len(data) != file.size_bytes or sha256(data) != file.sha256:
                raise ArtifactError(
                    f"cannot read artifact '{path}': {file.name} is damaged: its SHA-256 is not the manifest's "
                    f"{file.sha256[:16]}...; compile it again"
                )
            files[file.name] = data
    except CodecError as error:
        raise ArtifactError(f"cannot read artifact '{path}': {MANIFEST_NAME}: {error}") from error
    except UnicodeDecodeError as error:
        raise ArtifactError(f"cannot read artifact '{path}': {MANIFEST_NAME}: not UTF-8 text") from error
    except OSError as error:
        name = Path(error.filename).name if error.filename else "it"
        raise ArtifactError(f"cannot read artifact '{path}': {name}: {_reason(error)}") from error
    check_constants(f"artifact '{path}'", manifest, files)
    return manifest, files


def check_constants(subject: str, manifest: Manifest, files: Mapping[str, bytes]) -> None:
    """Check that every constant lies within the constants file.

    Raises:
        ArtifactError: One does not; the message names the subject.
    """
    record = manifest.file("constants")
    available = len(files[record.name]) if record else 0
    for buffer in manifest.buffers:
        if buffer.role == "constant" and buffer.offset_bytes + buffer.size_bytes > available:
            raise ArtifactError(f"cannot read {subject}: constant {buffer.name!r} lies outside the constants file")


def _replaceable(target: Path) -> bool:
    """Return whether `target` is an empty directory or an artifact, so that overwriting it loses nothing else."""
    if target.is_symlink() or not target.is_dir():
        return False
    names = set(os.listdir(target))
    if not names:
        return True
    if MANIFEST_NAME not in names:
        return False
    try:
        manifest = Manifest.loads(_read_file(target / MANIFEST_NAME, MAX_MANIFEST_BYTES).decode())
    except (CodecError, UnicodeDecodeError):
        return False
    return names <= {MANIFEST_NAME, *(file.name for file in manifest.files)}


def _publish(staging: Path, target: Path) -> None:
    """Rename `staging` to `target`, an older artifact there giving way."""
    if not target.exists():
        os.rename(staging, target)
    else:
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
        try:
            os.rename(target, aside)
            os.rename(staging, target)
        finally:
            if target.exists():
                shutil.rmtree(aside, ignore_errors=True)
            else:
                os.rename(aside, target)
    with suppress(OSError):
        _sync_directory(target.parent)


def _write_file(path: Path, data: bytes) -> None:
    with open(path, "xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _read_file(path: Path, most_bytes: int) -> bytes:
    """Read a regular file, following no link and never more than one byte beyond `most_bytes`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return stream.read(most_bytes + 1)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(error: Exception) -> str:
    """Return an error's reason in a few words."""
    if isinstance(error, OSError) and error.strerror:
        hint = "; free some and compile again" if error.errno == errno.ENOSPC else ""
        return error.strerror[0].lower() + error.strerror[1:] + hint
    return str(error)
