# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the user hands in: a path, text, bytes or a module; what is neither MLIR nor a model is one clear error.

What a front end wrote (`importers.formats`) is linalg from here on.
"""

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.bytecode import BytecodeError, bytecode_to_text
from roller_mlir.compiler.unknown_dialects import parse_with_unknown_dialects
from roller_mlir.importers.formats import import_file, import_text
from roller_mlir.importers.imported import Imported
from roller_mlir.importers.stablehlo import artifacts_inside
from roller_mlir.importers.weights import attach_weights, weights_beside
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic
from roller_mlir.support.foreign.bounded import BoundsError, read_bytes
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.nesting import check_nesting
from roller_mlir.support.source import check_resources

if TYPE_CHECKING:
    from roller_mlir.importers.weights import Weights
    from roller_mlir.runtime import Artifact

MAX_SOURCE_BYTES = 512 << 20
_BYTECODE_MAGIC = b"ML\xefR"


@dataclass(frozen=True)
class Source:
    """A program.

    Attributes:
        name: What diagnostics call it; "-" where it did not come from a file.
        text: MLIR text; of bytecode, what MLIR prints for it; of a model, the linalg that it was brought to.
        weights: Data of resources that the text only names.
        given: The text that places with a line point into, where that is another; "" where there is none.
    """

    name: str
    text: str
    weights: "Weights" = field(default_factory=dict[str, Any])
    given: str | None = None

    @property
    def lines(self) -> str:
        """The text that places with a line point into."""
        return self.text if self.given is None else self.given


def read_source(given: "Imported | ir.Module | str | bytes | PathLike[str]") -> Source:
    """Read a module, text, bytecode, a model or the file at a path.

    A `str` is text if it holds a line break or a brace, and otherwise a path.

    Raises:
        DiagnosedError: The file cannot be read, is empty, or is neither MLIR nor a model that can be imported.
    """
    if isinstance(given, Imported):
        return Source(given.name, given.text, given.weights, given.given)
    if isinstance(given, ir.Module):
        return Source("-", str(given))
    if isinstance(given, bytes):
        return _of_text("-", _decode("-", given))
    if isinstance(given, str) and ("\n" in given or "{" in given):
        return _of_text("-", _check_text("-", given))
    path = Path(given)
    name = str(path)
    imported = import_file(path, name)
    if imported is not None:
        return read_source(imported)
    try:
        if path.is_dir():
            raise _error(name, "cannot be read: it is a directory")
        data = read_bytes(path, MAX_SOURCE_BYTES)
    except BoundsError as error:
        raise _error(name, f"{error} of a source") from None
    except OSError as error:
        reason = reason_of(error)
        raise _error(name, f"cannot be read: {reason}") from None
    except ValueError as error:
        raise _error(name, f"cannot be read: {error}") from None
    return _of_text(name, _decode(name, data), path.parent)


def parse_source(source: Source, context: "ir.Context") -> "ir.Module":
    """Parse a source, without the attributes of other compilers, with the data of its weights.

    Raises:
        DiagnosedError: It is not valid MLIR, or holds operations of dialects that are not known; places carry the file
            name "-".
    """
    module = parse_names(source, context)
    attach_weights(module, source.weights)
    return module


def parse_names(source: Source, context: "ir.Context") -> "ir.Module":
    """Parse a source as `parse_source` does; its module only names the weights, and so is never printed with them."""
    check_nesting(source.text)
    check_resources(source.text)
    return parse_with_unknown_dialects(source.text, context)


def source_of(artifact: "Artifact") -> Source:
    """Return what an artifact was compiled from; its weights lie among the constants."""
    import numpy as np

    manifest = artifact.manifest
    record = manifest.file("constants")
    constants = np.frombuffer(b"" if record is None else artifact.files[record.name], np.uint8)
    weights = {
        one.weight: constants[one.offset_bytes : one.offset_bytes + one.size_bytes]
        for one in manifest.buffers
        if one.role == "constant" and one.weight
    }
    return Source("-", artifact.text("input"), weights)


def _of_text(name: str, text: str, folder: Path | None = None) -> Source:
    imported = import_text(text, name)
    if imported is not None:
        return read_source(imported)
    return Source(name, text, {} if folder is None else weights_beside(text, folder, name))


def _decode(name: str, data: bytes) -> str:
    if data.startswith(_BYTECODE_MAGIC):
        try:
            return bytecode_to_text(data)
        except BytecodeError as error:
            raise _error(name, str(error)) from None
    try:
        return _check_text(name, data.decode())
    except UnicodeDecodeError as error:
        artifacts = artifacts_inside(data)
        if len(artifacts) == 1:
            return _decode(name, artifacts[0])
        if artifacts:
            raise _error(name, f"holds {len(artifacts)} modules; serialize it without vjp_order") from None
        raise _error(name, f"is not UTF-8 at byte {error.start}; a source is MLIR text or MLIR bytecode") from None


def _check_text(name: str, text: str) -> str:
    if not text.strip():
        raise _error(name, "is empty; it must hold a function of linalg ops on tensors")
    if "\0" in text:
        raise _error(name, f"holds NUL at byte {text.index(chr(0))}; a source is MLIR text or MLIR bytecode")
    return text


def _error(name: str, message: str) -> DiagnosedError:
    return DiagnosedError([Diagnostic("error", f"{repr(name) if name != '-' else 'the source'} {message}")])
