# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module of IREE says of itself: its functions, and the artifacts whose images it holds.

Images lie in a module as they are, so that an artifact is known by its bytes: no list beside the module can be stale.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from roller_mlir.downstream.iree.tools import INSTALL_RUNTIME, IreeError
from roller_mlir.lowering.targets.family import image_roles
from roller_mlir.plan.extent import as_extents
from roller_mlir.plan.manifest import Buffer, ElementType
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.store import MANIFEST_NAME
from roller_mlir.support.foreign.bounded import BoundsError, read_bytes
from roller_mlir.support.foreign.reasons import reason_of

MOST_BYTES = 8 << 30
_DECLARATION = re.compile(r"func @[^(]*\((?P<inputs>.*)\) -> \((?P<outputs>.*)\)")
_TENSOR = re.compile(rf"%(\w+): tensor<((?:\d+x)*)({'|'.join(NUMPY_TYPES)})>")


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function that programs may call.

    Attributes:
        name: Without "@".
        inputs: Its arguments; None: the module does not say, or one is no tensor of static shape.
        outputs: Its results, likewise.
    """

    name: str
    inputs: tuple[Buffer, ...] | None
    outputs: tuple[Buffer, ...] | None


@dataclass(frozen=True)
class ModuleFile:
    """A `.vmfb`.

    Attributes:
        path: Where it lies.
        data: Its bytes.
        functions: What programs may call, in its order.
    """

    path: Path
    data: bytes
    functions: tuple[Function, ...]

    @staticmethod
    def open(path: Path) -> "ModuleFile":
        """Read a module.

        Raises:
            IreeError: It cannot be read, is no module of this version, or there is no runtime of IREE to ask.
        """
        try:
            data = read_bytes(path, MOST_BYTES)
        except (BoundsError, OSError) as error:
            said = reason_of(error)
            raise IreeError(f"{path} cannot be read: {said}") from None
        try:
            from iree import runtime
        except ImportError:
            raise IreeError(f"IREE's runtime is not installed; {INSTALL_RUNTIME}") from None
        try:
            module: Any = runtime.VmModule.copy_buffer(runtime.VmInstance(), data)
        except (ValueError, RuntimeError) as error:
            said = str(error).split(";")[-1].strip() or "it is not valid"
            raise IreeError(f"{path} is no module of IREE: {said}") from None
        found = [
            _function(name, module.lookup_function(name).reflection.get("iree.abi.declaration", ""))
            for name in module.function_names
            if not name.startswith("__") and "$" not in name
        ]
        return ModuleFile(path, data, tuple(found))

    def function(self, name: str | None) -> Function:
        """Return a function; without a name, the only one.

        Raises:
            IreeError: There is none of that name, or several to choose from.
        """
        known = ", ".join(one.name for one in self.functions) or "none"
        found = [one for one in self.functions if name in (None, one.name)]
        if len(found) != 1:
            what = f"has no function '{name}', but {known}" if name else f"has the functions {known}; name one"
            raise IreeError(f"{self.path} {what}")
        return found[0]

    def holds(self, artifact: Artifact) -> bool:
        """Return whether the module has an image of one of an artifact's kernels."""
        files = {kernel.files[kind] for kernel in artifact.kernels for kind in image_roles() if kind in kernel.files}
        return any(artifact.files[name].rstrip(b"\0") in self.data for name in files)

    def artifacts(self, places: Sequence[Path] = ()) -> dict[Path, Artifact]:
        """Return artifacts of which it has images, by folder.

        Args:
            places: Artifacts, or folders of artifacts; where none is given, the module's own folder, and
                `NAME.artifacts` beside `NAME.vmfb`.

        Raises:
            IreeError: A place that is given holds no artifact of which the module has an image.
            ArtifactError: An artifact cannot be read.
        """
        if not places:
            beside = (self.path.parent, self.path.with_suffix(".artifacts"))
            return {folder: one for place in beside for folder, one in _artifacts(place) if self.holds(one)}
        found: dict[Path, Artifact] = {}
        for place in places:
            known = dict(_artifacts(place))
            held = {folder: one for folder, one in known.items() if self.holds(one)}
            if not held:
                raise IreeError(
                    f"{self.path} holds no image of {place}"
                    if known
                    else f"{place} is no artifact, nor a folder of them"
                )
            found |= held
        return found


def _artifacts(place: Path) -> Iterable[tuple[Path, Artifact]]:
    """Return the artifact at a place, or those in a folder."""
    files = [place / MANIFEST_NAME] if (place / MANIFEST_NAME).is_file() else sorted(place.glob(f"*/{MANIFEST_NAME}"))
    for file in files:
        yield file.parent, Artifact.load(file.parent)


def _function(name: str, declaration: str) -> Function:
    """Read `sync func @mlp(%input0: tensor<64x784xf32>) -> (%output0: tensor<64x10xf32>)`."""
    found = _DECLARATION.search(declaration)
    inputs = _tensors(found["inputs"], "input") if found else None
    outputs = _tensors(found["outputs"], "output") if found else None
    return Function(name=name, inputs=inputs, outputs=outputs)


def _tensors(text: str, role: Literal["input", "output"]) -> tuple[Buffer, ...] | None:
    found = [_TENSOR.fullmatch(part) for part in text.split(", ")] if text else []
    tensors = tuple(
        Buffer(
            name=one[1],
            role=role,
            shape=as_extents(map(int, one[2].split("x")[:-1])),
            element_type=cast("ElementType", one[3]),
        )
        for one in found
        if one is not None
    )
    return tensors if len(tensors) == len(found) else None
