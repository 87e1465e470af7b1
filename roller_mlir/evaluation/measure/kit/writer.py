# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the two files of a kit, see `kit.files`: what a device needs not is left out, and each file is there once."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from roller_mlir.evaluation.measure.kit.files import ARCHIVE, INDEX, artifact_names, check_kit, plain_name
from roller_mlir.evaluation.measure.records import Kit
from roller_mlir.lowering.targets.family import image_roles
from roller_mlir.plan.records.codec import CodecError, JsonValue, to_json
from roller_mlir.runtime.artifact import Artifact

# The oldest date that the format knows: contents decide the archive's bytes, not the hour.
_DATE = (1980, 1, 1, 0, 0, 0)
# Of an archive's directory: each entry beside its name, and the end.
_ENTRY_BYTES, _END_BYTES = 46, 22


def stripped(artifact: Artifact, *, simulator: bool = False) -> Artifact:
    """Return an artifact without the files that a device needs not, and without the times of its compilation.

    Args:
        artifact: Any; a driver compiles its PTX where it is older than the cubin.
        simulator: Whether to keep what a dry run needs beside.
    """
    keep = {*image_roles(), "library", "constants", *(("kernels",) if simulator else ())}
    manifest = artifact.manifest
    kernels = tuple(
        replace(kernel, files={role: name for role, name in kernel.files.items() if role in keep}, phases_s={})
        for kernel in manifest.kernels
    )
    named = {name for kernel in kernels for name in kernel.files.values()}
    binaries = {name for kernel in manifest.kernels for name in kernel.files.values()}
    files = tuple(
        file for file in manifest.files if file.name in named or (file.role in keep and file.name not in binaries)
    )
    manifest = replace(manifest, kernels=kernels, files=files, phases_s={})
    return Artifact(manifest, {file.name: artifact.files[file.name] for file in files})


class KitWriter:
    """Writes a kit's archive and index into an empty folder; a context manager. Whoever makes it renames the folder.

    Attributes:
        size_bytes: Of the archive so far.
    """

    def __init__(self, folder: Path) -> None:
        """Begin an archive.

        Raises:
            OSError: It cannot be written.
        """
        self._folder = folder
        self._file: BinaryIO = open(folder / ARCHIVE, "xb")  # noqa: SIM115 - closed in __exit__
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._written: set[str] = set()
        self._directory_bytes = _END_BYTES

    def __enter__(self) -> "KitWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.fp = None  # what is not finished is thrown away: no directory is written, to a full disk perhaps
        self._file.close()

    @property
    def size_bytes(self) -> int:
        """Bytes of the archive so far, its directory included."""
        return self._file.tell() + self._directory_bytes

    def add(self, name: str, artifact: Artifact) -> None:
        """Add an artifact as it is; see `stripped`.

        Raises:
            ValueError: The name is not plain, or taken.
            OSError: It cannot be written.
        """
        if not plain_name(name):
            raise ValueError(f"the name of an artifact must be plain, but got {name!r}")
        for file in artifact.manifest.files:
            if f"blobs/{file.sha256}" not in self._written:
                self._put(f"blobs/{file.sha256}", artifact.files[file.name])
        text = json.dumps(to_json(artifact.manifest), separators=(",", ":"), allow_nan=False)
        self._put(f"artifacts/{name}/manifest.json", text.encode())

    def add_source(self, item: str, text: str) -> None:
        """Add the MLIR text of an item, for a reference by numpy.

        Raises:
            ValueError: The id is not plain, or it has a source already.
            OSError: It cannot be written.
        """
        if not plain_name(item):
            raise ValueError(f"the id of an item must be plain, but got {item!r}")
        self._put(f"sources/{item}.mlir", text.encode())

    def finish(self, kit: Kit) -> int:
        """Close the archive and write the index.

        Returns:
            Bytes of both.

        Raises:
            CodecError: The kit breaks a rule, or speaks of an artifact that was not added.
            OSError: They cannot be written.
        """
        check_kit(kit)
        for name in artifact_names(kit):
            if f"artifacts/{name}/manifest.json" not in self._written:
                raise CodecError(f"the index speaks of artifact {name!r}, which was not added")
        self._zip.close()
        self._file.flush()
        size = self._file.tell()
        index = index_bytes(kit)
        (self._folder / INDEX).write_bytes(index)
        return size + len(index)

    def _put(self, name: str, data: bytes) -> None:
        if name in self._written:
            raise ValueError(f"an archive holds each name once, but got {name!r} again")
        entry = zipfile.ZipInfo(name, _DATE)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self._zip.writestr(entry, data)
        self._written.add(name)
        self._directory_bytes += _ENTRY_BYTES + len(name)


def index_bytes(kit: Kit) -> bytes:
    """Return a kit as JSON, a line for each item, probe and thing that was skipped."""
    data = to_json(kit)
    assert isinstance(data, dict)
    fields: list[str] = []
    for key, value in data.items():
        if isinstance(value, list) and value:
            lines = ",\n".join(_compact(one) for one in value)
            fields.append(f'"{key}":[\n{lines}\n]')
        else:
            fields.append(f'"{key}":{_compact(value)}')
    return ("{\n" + ",\n".join(fields) + "\n}\n").encode()


def _compact(value: JsonValue) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
