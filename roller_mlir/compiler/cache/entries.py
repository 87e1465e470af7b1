# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compile cache holds, under which keys, and how it is written down. Entries are data: nothing is executed.

`artifact`: a whole compilation. Its key is of the module as MLIR prints it when all but the function to compile is gone
(names of values, blanks, comments and places are then all the same), the SHA-256 of the weights that it names, the
stage that it is at, every field of the device and of the options, the content of the plan file and of residuals, and
name and content of the tuning data base, which notes name. Weights are not kept: whoever asks for the entry has them.
`binaries`: the kernels of a module, from GPU dialects to machine code, by which other options or programs that lead to
the same kernels are served. Its key is of the module of kernels with their plans and launches, every field of the
device, how far code generation goes, and whether machine code is compared with plans.
Each key is also of the state of the compiler (`cache.versions`).
"""

import hashlib
import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal import Device
from roller_mlir.lowering.backend import KernelBinary, KernelStatistics
from roller_mlir.lowering.backend.checks.quality import Mismatch
from roller_mlir.lowering.backend.child.frames import Message, decode, encode
from roller_mlir.model.residual.file import content_of
from roller_mlir.plan.manifest import Manifest
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.store import sha256
from roller_mlir.support.constants.array_bytes import byte_pieces, stored_bytes
from roller_mlir.support.constants.elements import stored_elements

if TYPE_CHECKING:
    from roller_mlir.importers.weights import Weights

_UNKEYED_OPTIONS = (
    *("plan_file", "tuning", "residual_file", "entry", "tool_timeout_s", "cache", "dump_stages", "override_stages"),
)


@dataclass(frozen=True)
class _Compiled:
    """The fields of a `KernelBinary` that are kept, but for its files."""

    name: str
    statistics: KernelStatistics
    notes: tuple[str, ...]
    mismatches: tuple[Mismatch, ...]


def artifact_name(versions: str, text: str, weights: str, first: str, device: Device, options: CompileOptions) -> str:
    """Return the name of the entry of a compilation.

    Args:
        versions: Digest of the state of the compiler.
        text: The module, the function to compile alone in it.
        weights: From `digest_weights`.
        first: The pass that it needs first.
        device: What it is compiled for.
        options: How.

    Raises:
        OSError: The plan file, the data base or the residuals cannot be read.
    """
    chosen = {key: value for key, value in asdict(options).items() if key not in _UNKEYED_OPTIONS}
    plans = "" if options.plan_file is None else sha256(Path(options.plan_file).read_bytes())
    measured = "" if options.tuning is None else f"{options.tuning} {sha256(Path(options.tuning).read_bytes())}"
    learned = "" if options.residual_file is None else sha256(content_of(options.residual_file))
    chosen_text = _json(to_json(chosen))
    return _name(
        "artifact", versions, text, weights, first, _json(to_json(device)), chosen_text, plans, measured, learned
    )


def binaries_name(versions: str, kernels_ir: str, device: Device, emit: str, gate: bool, code_object: int) -> str:
    """Return the name of the entry of the kernels of a module.

    Args:
        versions: Digest of the state of the compiler.
        kernels_ir: The module of kernels and launches.
        device: What it is compiled for.
        emit: How far, see `compile_kernels`.
        gate: Whether their machine code is compared with their plans.
        code_object: Version of AMD's code objects.
    """
    return _name("binaries", versions, kernels_ir, _json(to_json(device)), f"{emit} {code_object} {gate}")


def encode_artifact(artifact: Artifact) -> bytes:
    """Return an artifact as bytes, without its weights."""
    constants = artifact.manifest.file("constants")
    files = {
        f"file {name}": _without_weights(artifact.manifest, data)
        if constants is not None and name == constants.name
        else data
        for name, data in artifact.files.items()
    }
    return encode(Message(fields={}, blobs={"manifest": artifact.manifest.dumps().encode(), **files}))


def decode_artifact(data: bytes, weights: "Weights") -> Artifact:
    """Return the artifact of these bytes, without the times that it took when it was made.

    Args:
        data: The bytes.
        weights: Those that the artifact has.

    Raises:
        ValueError, LookupError, TypeError: They are none.
    """
    blobs = _decode(data).blobs
    manifest = Manifest.loads(blobs.pop("manifest", b"").decode())
    kernels = tuple(replace(kernel, phases_s={}) for kernel in manifest.kernels)
    files = {name.removeprefix("file "): content for name, content in blobs.items()}
    if sorted(files) != sorted(file.name for file in manifest.files):
        raise ValueError(f"an entry must hold the files of its manifest, but has {sorted(files)}")
    constants = manifest.file("constants")
    if constants is not None:
        files[constants.name] = _with_weights(manifest, files[constants.name], weights)
    return Artifact(replace(manifest, kernels=kernels, phases_s={}), files)


def _without_weights(manifest: Manifest, constants: bytes) -> bytes:
    """Return a constants file without the elements of weights."""
    if not any(one.weight for one in manifest.buffers):
        return constants
    stored = [one for one in manifest.buffers if one.role == "constant" and not one.weight]
    return b"".join(constants[one.offset_bytes : one.offset_bytes + one.size_bytes] for one in stored)


def _with_weights(manifest: Manifest, stored: bytes, weights: "Weights") -> bytes:
    """Return the constants file of which `_without_weights` gave the rest."""
    if not any(one.weight for one in manifest.buffers):
        return stored
    rest, file = io.BytesIO(stored), io.BytesIO()
    for one in (one for one in manifest.buffers if one.role == "constant"):
        file.write(bytes(one.offset_bytes - file.tell()))
        if not one.weight:
            file.write(rest.read(one.size_bytes))
            continue
        elements = stored_elements(stored_bytes(weights[one.weight]), one.element_type, math.prod(one.static_shape))
        if elements is None:
            raise ValueError(f"an entry must fit its weights, but '{one.weight}' has not the size of '{one.name}'")
        for piece in byte_pieces(elements):
            file.write(piece)
    return file.getvalue()


def encode_binaries(binaries: Sequence[KernelBinary]) -> bytes:
    """Return compiled kernels as bytes."""
    records = [to_json(_Compiled(one.name, one.statistics, one.notes, one.mismatches)) for one in binaries]
    files = {f"{number} {role}": data for number, one in enumerate(binaries) for role, data in one.files.items()}
    return encode(Message(fields={"kernels": records}, blobs=files))


def decode_binaries(data: bytes) -> list[KernelBinary]:
    """Return the compiled kernels of these bytes, without the times that they took when they were made.

    Raises:
        ValueError, LookupError, TypeError: They are none.
    """
    message = _decode(data)
    found: list[KernelBinary] = []
    for number, record in enumerate(message.fields["kernels"]):
        begin = f"{number} "
        files = {key.removeprefix(begin): data for key, data in message.blobs.items() if key.startswith(begin)}
        found.append(KernelBinary(files=files, **vars(from_json(_Compiled, record))))
    return found


def _decode(data: bytes) -> Message:
    stream = io.BytesIO(data)

    def read_exactly(count: int) -> bytes:
        part = stream.read(count)
        if len(part) < count:
            raise ValueError("an entry must be whole, but ends early")
        return part

    return decode(read_exactly)


def _name(kind: str, *parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(f"{len(data)}\n".encode())
        digest.update(data)
    return f"{kind}-{digest.hexdigest()}"


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
