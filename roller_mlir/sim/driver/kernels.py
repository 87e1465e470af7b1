# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that a simulated device runs: those of artifacts, found by the hash of the image that a program loads.

Each launch is compared with those of the artifact. What differs is the error of the launch: grid, block,
workgroup memory, how its blocks go together, alignment and extent of arguments, tensor maps.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import gcd

from roller_mlir.hal import Device, DeviceError, find_device
from roller_mlir.plan.manifest import BufferView, Kernel, Launch
from roller_mlir.plan.tensor_map import MAP_BYTES, TensorMap
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.driver.cuda_maps import DATA_TYPES, PROMOTE_128, SWIZZLES
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import backend_of_vendor
from roller_mlir.runtime.sequence import LaunchReport
from roller_mlir.sim.driver.memory import MappedMemory
from roller_mlir.sim.launcher import SimulatorBackend

IMAGES = ("cubin", "ptx", "hsaco")
"""Kinds of files of a kernel that driver libraries load."""
_ADDRESS_BYTES = 8


class MismatchError(Exception):
    """A program does not launch a kernel as its artifact says; the message names each difference."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How a program launches a kernel; see `plan.manifest.Launch`."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    dynamic_workgroup_bytes: int
    cooperative: bool
    cluster: tuple[int, ...]

    @staticmethod
    def of(launch: Launch) -> "Shape":
        """Return how an artifact launches a kernel."""
        return Shape(
            grid=launch.static_grid,
            block=launch.block,
            dynamic_workgroup_bytes=launch.dynamic_workgroup_bytes,
            cooperative=launch.cooperative,
            cluster=launch.cluster,
        )

    def differences(self, planned: "Shape") -> list[str]:
        """Say in what this one is not as it was planned."""
        return [
            f"{name.replace('_', ' ')} is {given}, not {wanted}"
            for name, given in vars(self).items()
            if given != (wanted := getattr(planned, name))
        ]


class KnownKernel:
    """A kernel of an artifact."""

    def __init__(self, artifact: Artifact, kernel: Kernel, backend: SimulatorBackend) -> None:
        """Take its launches."""
        self._manifest, self._kernel, self._backend = artifact.manifest, kernel, backend
        self._launches = [one for one in artifact.manifest.launches if one.kernel == kernel.name]

    @property
    def parameter_bytes(self) -> tuple[int, ...]:
        """Size of each parameter: pointers, then tensor maps."""
        return (_ADDRESS_BYTES,) * len(self._launches[0].arguments) + (MAP_BYTES,) * len(self._kernel.tensor_maps)

    def launch(self, shape: Shape, values: bytes, memory: MappedMemory) -> LaunchReport:
        """Run the kernel to its end.

        Args:
            shape: How.
            values: Its parameters, one behind the other.
            memory: The device's.

        Raises:
            MismatchError: The artifact launches it otherwise.
            BackendError: The kernel did something wrong, or did not end.
        """
        count = len(self._launches[0].arguments)
        addresses = struct.unpack_from(f"<{count}Q", values)
        maps = values[count * _ADDRESS_BYTES :]
        found = [(self._differences(one, shape, addresses, maps, memory), one) for one in self._launches]
        differences, launch = min(found, key=lambda one: len(one[0]))
        if differences:
            raise MismatchError(
                f"kernel '{self._kernel.name}' of '{self._manifest.function}' is not launched as planned: "
                + "; ".join(differences)
            )
        arguments = [
            (view, memory.view(address, view.size_bytes))
            for view, address in zip(launch.arguments, addresses, strict=True)
        ]
        return self._backend.launch(launch, arguments)

    def _differences(
        self, launch: Launch, shape: Shape, addresses: Sequence[int], maps: bytes, memory: MappedMemory
    ) -> list[str]:
        found = shape.differences(Shape.of(launch))
        for number, (view, address) in enumerate(zip(launch.arguments, addresses, strict=True)):
            alignment = self._alignment_bytes(view)
            if address % alignment:
                found.append(f"argument {number} is at {address:#x}, which is no multiple of {alignment} B")
            if fault := memory.fault(address, view.size_bytes):
                found.append(f"argument {number}: {fault}")
        for number, described in enumerate(self._kernel.tensor_maps):
            given = maps[number * MAP_BYTES :][:MAP_BYTES]
            if given != _encoded(described, addresses[described.argument] + described.offset_bytes):
                found.append(f"tensor map {number} is not that of argument {described.argument}")
        return found

    def _alignment_bytes(self, view: BufferView) -> int:
        """What a kernel may rely on: the buffer begins at a multiple of its alignment, the view at an offset."""
        return gcd(self._manifest.buffer(view.buffer).alignment_bytes, view.offset_bytes)


def _encoded(described: TensorMap, address: int) -> bytes:
    """Return the record that the library makes: `struct map` of cuda.c."""
    rank = len(described.extents)

    def padded(values: Sequence[int], count: int) -> list[int]:
        return [*reversed(values), *[0] * (count - len(values))]

    return struct.pack(
        "<4B4xQ4Q15I",
        DATA_TYPES[described.element],
        rank,
        SWIZZLES[described.swizzle],
        PROMOTE_128,
        address,
        *padded(described.strides, 4),
        *padded(described.static_extents, 5),
        *padded(described.box, 5),
        *padded(described.steps, 5),
    ).ljust(MAP_BYTES, b"\0")


class KnownKernels:
    """The kernels of several artifacts.

    Attributes:
        devices: The simulated device of each driver library ("cuda", "hip") for which there are artifacts.
    """

    def __init__(self, artifacts: Mapping[str, Artifact], *, level: str, timeout_s: float) -> None:
        """Take artifacts.

        Args:
            artifacts: By a name for messages.
            level: What is executed; see `SimulatorBackend`.
            timeout_s: After which a launch is given up.

        Raises:
            BackendError: One cannot be simulated, has no binaries, or is for a device that does not go with others.
        """
        self.devices: dict[str, Device] = {}
        self._images: dict[str, dict[str, KnownKernel]] = {}
        for name, artifact in artifacts.items():
            self._take_device(name, artifact)
            backend = SimulatorBackend(level=level, timeout_s=timeout_s)
            backend.open(artifact.manifest, artifact.files)
            launched = {one.kernel for one in artifact.manifest.launches}
            for kernel in artifact.kernels:
                files = [kernel.files[kind] for kind in IMAGES if kind in kernel.files]
                if not files:
                    raise BackendError(f"{name}: kernel '{kernel.name}' has no binary; compile it with binaries")
                if kernel.name in launched:
                    known = KnownKernel(artifact, kernel, backend)
                    for file in files:
                        self._images.setdefault(image_digest(artifact.files[file]), {}).setdefault(kernel.name, known)

    def _take_device(self, name: str, artifact: Artifact) -> None:
        record = artifact.manifest.device
        library = backend_of_vendor(record.vendor)
        try:
            device = find_device(record.name)
        except DeviceError as error:
            raise BackendError(f"{name}: its device cannot be simulated: {error}") from None
        if library is None:
            raise BackendError(f"{name}: no driver library is known for devices of {record.vendor}")
        if self.devices.setdefault(library, device) != device:
            raise BackendError(
                f"{name} is for {device.name}, but another artifact is for {self.devices[library].name}; a driver has "
                "one simulated device, so run them one after the other"
            )

    def find_image(self, image: bytes) -> Mapping[str, KnownKernel]:
        """Return the kernels of an image.

        Raises:
            KeyError: It is of none of the artifacts.
        """
        return self._images[image_digest(image)]


def image_digest(image: bytes) -> str:
    """Return the hash of an image; zero bytes at its end, which PTX has for some drivers, do not matter."""
    return sha256(image.rstrip(b"\0")).hexdigest()
