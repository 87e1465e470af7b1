# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two files of a kit, `index.json` (a `Kit`) and `artifacts.zip`, read as a stranger's; `kit.writer` writes them.

The archive holds `artifacts/NAME/manifest.json`, `blobs/SHA-256` (a file of an artifact, once however many have it) and
`sources/ID.mlir` where a reference by numpy is wanted. It is never unpacked to disk: an artifact is read in memory,
every size checked before decompression and every blob checked against its manifest. Entries are stored or deflated; a
reader of other methods would have to trust them with its memory.
"""

import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from roller_mlir.evaluation.measure.records import KIT_SCHEMA, Kit
from roller_mlir.plan.manifest import MAX_MANIFEST_BYTES, Manifest
from roller_mlir.plan.records.codec import CodecError, from_json
from roller_mlir.runtime.artifact import Artifact
from roller_mlir.runtime.errors import ArtifactError
from roller_mlir.runtime.store import check_constants, sha256
from roller_mlir.support.foreign.bounded import read_json

INDEX, ARCHIVE = "index.json", "artifacts.zip"
MAX_INDEX_BYTES = 128 << 20
MAX_BLOBS_BYTES = 1 << 30
"""What the files of one artifact may have in all."""
MAX_SOURCE_BYTES = 16 << 20
MAX_ENTRIES = 1 << 17
LONGEST_NAME = 200

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*", re.ASCII)

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_READING = (OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)


class KitError(ArtifactError):
    """A kit cannot be read; the message names the file."""


def plain_name(name: str, longest: int = LONGEST_NAME) -> bool:
    """Return whether a name may stand in an archive: words of letters, digits and _.+- parted by slashes.

    >>> [plain_name(name) for name in ("roller119/C0/f32", "../up", "/root", "a//b")]
    [True, False, False, False]
    """
    return len(name) <= longest and _NAME.fullmatch(name) is not None


def check_kit(kit: Kit) -> None:
    """Check what the types of a kit do not say.

    Raises:
        CodecError: Of another schema; an id, rank or name twice; an item without candidates; a name that is not plain.
    """
    if kit.schema != KIT_SCHEMA:
        raise CodecError(f"schema: this release reads version {KIT_SCHEMA}, but got {kit.schema!r}")
    ids: set[str] = set()
    for place, name in [
        *((f"items[{index}].id", item.id) for index, item in enumerate(kit.items)),
        *((f"probes[{index}].name", probe.name) for index, probe in enumerate(kit.probes)),
    ]:
        if not plain_name(name):
            raise CodecError(f"{place}: must be words of letters, digits and _.+- parted by slashes, but got {name!r}")
        if name in ids:
            raise CodecError(f"{place}: names must be unique, but {name!r} occurs twice")
        ids.add(name)
    for index, item in enumerate(kit.items):
        ranks = [candidate.rank for candidate in item.candidates]
        if not ranks or ranks != sorted(set(ranks)):
            raise CodecError(f"items[{index}].candidates: there must be some, ranks ascending, but got ranks {ranks}")
    for probe in kit.probes:
        if probe.baseline and probe.baseline not in {other.name for other in kit.probes}:
            raise CodecError(f"probe {probe.name!r}: its baseline {probe.baseline!r} is no probe")


def artifact_names(kit: Kit) -> tuple[str, ...]:
    """Return the names of the artifacts that a kit speaks of, each once, in its order."""
    names = [candidate.artifact for item in kit.items for candidate in item.candidates]
    return tuple(dict.fromkeys([*names, *(probe.artifact for probe in kit.probes)]))


class KitFiles:
    """Reads a kit; a context manager.

    Attributes:
        kit: The index.
        sha256: Of the index, by which results are known to be of this kit.
    """

    kit: Kit
    sha256: str

    def __init__(self, folder: Path) -> None:
        """Read the index, and the archive's directory.

        Raises:
            KitError: One of the files is missing, damaged, too large or of another schema, or they do not fit together.
        """
        self._path = folder / ARCHIVE
        index = _read_whole(folder / INDEX, MAX_INDEX_BYTES)
        self.sha256 = sha256(index)
        self.kit = _parse_index(folder / INDEX, index)
        try:
            self._zip = zipfile.ZipFile(self._path)
        except _READING as error:
            raise self._wrong("", _reason(error)) from error
        try:
            self._entries = self._directory()
            for name in artifact_names(self.kit):
                if f"artifacts/{name}/manifest.json" not in self._entries:
                    raise self._wrong("", f"it lacks artifact {name!r}, of which {INDEX} speaks; pack it again")
        except KitError:
            self._zip.close()
            raise

    def __enter__(self) -> "KitFiles":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def artifact(self, name: str, most_bytes: int = MAX_BLOBS_BYTES) -> Artifact:
        """Read an artifact and verify every file against its SHA-256.

        Args:
            name: As in the index.
            most_bytes: What its files may have in all.

        Raises:
            ArtifactError: There is none of this name, or it is damaged or too large.
        """
        where = f"artifacts/{name}/manifest.json"
        try:
            manifest = Manifest.loads(self._read(where, MAX_MANIFEST_BYTES).decode())
        except CodecError as error:
            raise self._wrong(where, str(error)) from error
        except UnicodeDecodeError as error:
            raise self._wrong(where, "not UTF-8 text") from error
        size = sum(file.size_bytes for file in manifest.files)
        if size > most_bytes:
            raise self._wrong(where, f"its files have {size} B, which is above the limit of {most_bytes} B")
        files: dict[str, bytes] = {}
        for file in manifest.files:
            data = self._read(f"blobs/{file.sha256}", file.size_bytes)
            if len(data) != file.size_bytes or sha256(data) != file.sha256:
                raise self._wrong(
                    where, f"{file.name} is damaged: its SHA-256 is not {file.sha256[:16]}...; copy it again"
                )
            files[file.name] = data
        check_constants(f"kit: {self._path}: {name!r}", manifest, files)
        return Artifact(manifest, files)

    def source(self, item: str) -> str | None:
        """Return the MLIR text of an item, None where the kit has none.

        Raises:
            KitError: It is damaged or too large.
        """
        where = f"sources/{item}.mlir"
        if where not in self._entries:
            return None
        try:
            return self._read(where, MAX_SOURCE_BYTES).decode()
        except UnicodeDecodeError as error:
            raise self._wrong(where, "not UTF-8 text") from error

    def _directory(self) -> Mapping[str, zipfile.ZipInfo]:
        entries: dict[str, zipfile.ZipInfo] = {}
        listed = self._zip.infolist()
        if len(listed) > MAX_ENTRIES:
            raise self._wrong("", f"it has {len(listed)} entries, which is above the limit of {MAX_ENTRIES}")
        for entry in listed:
            if entry.filename in entries:
                raise self._wrong(entry.filename, "it occurs twice")
            if not plain_name(entry.filename, 2 * LONGEST_NAME):
                raise self._wrong(entry.filename, "its name is not plain")
            if entry.compress_type not in _METHODS or entry.flag_bits & 1:
                raise self._wrong(entry.filename, "it is neither stored nor deflated, or it is encrypted")
            entries[entry.filename] = entry
        return entries

    def _read(self, name: str, most_bytes: int) -> bytes:
        entry = self._entries.get(name)
        if entry is None:
            raise self._wrong(name, "there is no such entry")
        if entry.file_size > most_bytes:
            raise self._wrong(name, f"it has {entry.file_size} B, which is above the {most_bytes} B that it may have")
        try:
            with self._zip.open(entry) as stream:
                return stream.read(most_bytes + 1)
        except _READING as error:
            raise self._wrong(name, _reason(error)) from error

    def _wrong(self, name: str, reason: str) -> KitError:
        where = f"{self._path}: {name[:LONGEST_NAME]!r}" if name else str(self._path)
        return KitError(f"cannot read kit: {where}: {reason}")


def open_kit(folder: Path) -> KitFiles:
    """Open a kit; see `KitFiles`.

    Raises:
        KitError: One of its files is missing, damaged, too large or of another schema, or they do not fit together.
    """
    return KitFiles(folder)


def _parse_index(path: Path, content: bytes) -> Kit:
    try:
        kit = from_json(Kit, read_json(content))
        check_kit(kit)
    except (ValueError, RecursionError) as error:
        raise KitError(f"cannot read kit: {path}: {error}") from error
    return kit


def _read_whole(path: Path, most_bytes: int) -> bytes:
    try:
        with open(path, "rb") as stream:
            content = stream.read(most_bytes + 1)
    except OSError as error:
        raise KitError(f"cannot read kit: {path}: {_reason(error)}") from error
    if len(content) > most_bytes:
        raise KitError(f"cannot read kit: {path}: it has more than the limit of {most_bytes} B")
    return content


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error) or type(error).__name__
