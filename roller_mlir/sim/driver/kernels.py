# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that a simulated device runs, found by the image that a program loads: of artifacts, and of others.

An image of an artifact is known by its hash; one of others by its kernels, whose LLVM IR must be given (`foreign`).
Each launch of an artifact's kernel is compared with those of the artifact. What differs is the error of the launch:
grid, block, workgroup memory, how its blocks go together, alignment and extent of arguments, tensor maps.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from math import gcd

from roller_mlir.hal import Device, DeviceError, find_device
from roller_mlir.plan.manifest import BufferView, Kernel, Launch
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES, TensorMap
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.driver.cuda_maps import DATA_TYPES, PROMOTE_128, SWIZZLES
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import backend_of_vendor
from roller_mlir.runtime.sequence import LaunchReport
from roller_mlir.sim.driver.foreign import ForeignKernel, ForeignTexts
from roller_mlir.sim.driver.images import ImageError, kernels_of
from roller_mlir.sim.driver.launches import MismatchError, Shape
from roller_mlir.sim.driver.memory import MappedMemory
from roller_mlir.sim.launcher import SimulatorBackend

_ADDRESS_BYTES = 8
_IMAGES = ("ptx", "cubin", "hsaco")
"""What CUDA and HIP load, which are simulated; drivers of other targets are not."""


class KnownKernel:
    """A kernel of an artifact.

    Attributes:
        source: What the artifact is called.
    """

    def __init__(
        self, source: str, artifact: Artifact, kernel: Kernel, backend: SimulatorBackend, *, assume_resident: bool
    ) -> None:
        """Take its launches."""
        self._assume_resident = assume_resident
        self.source = source
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
        if self._assume_resident and launch.cooperative:
            shape = replace(shape, cooperative=True)
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
        """Return the alignment that a kernel may rely on: its buffer's, as far as the view's offset keeps it."""
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


class UnknownImageError(Exception):
    """An image that none of the given artifacts and LLVM IR describe; the message says what is missing."""


class KnownKernels:
    """The kernels of several artifacts, and of others whose LLVM IR is given.

    Attributes:
        devices: The simulated device of each driver library ("cuda", "hip") for which there are artifacts, or that is
            asked for.
    """

    def __init__(
        self,
        artifacts: Mapping[str, Artifact],
        *,
        level: str,
        timeout_s: float,
        assume_resident: bool = False,
        llvm: Mapping[str, str] | None = None,
        target: str = "",
    ) -> None:
        """Take artifacts.

        Args:
            artifacts: By a name for messages.
            level: What is executed of them; see `SimulatorBackend`.
            assume_resident: Whether kernels whose blocks wait for each other may be launched as others are.
            timeout_s: After which a launch is given up.
            llvm: LLVM IR of other compilers' kernels, by the names of its files.
            target: A device that programs see, too; "" for those of the artifacts only.

        Raises:
            BackendError: One cannot be simulated, has no binaries, or is for a device that does not go with others.
        """
        self.devices: dict[str, Device] = {}
        self._images: dict[str, dict[str, KnownKernel]] = {}
        self._foreign, self._timeout_s = ForeignTexts(llvm or {}), timeout_s
        if target:
            self._take_device("--target", target)
        for name, artifact in artifacts.items():
            self._take_device(name, artifact.manifest.device.name)
            backend = SimulatorBackend(level=level, timeout_s=timeout_s)
            backend.open(artifact.manifest, artifact.files)
            launched = {one.kernel for one in artifact.manifest.launches}
            for kernel in artifact.kernels:
                files = [kernel.files[kind] for kind in _IMAGES if kind in kernel.files]
                if not files:
                    raise BackendError(f"{name}: kernel '{kernel.name}' has no binary; compile it with binaries")
                if kernel.name in launched:
                    known = KnownKernel(name, artifact, kernel, backend, assume_resident=assume_resident)
                    for file in files:
                        self._images.setdefault(image_digest(artifact.files[file]), {}).setdefault(kernel.name, known)

    def _take_device(self, name: str, wanted: str) -> None:
        try:
            device = find_device(wanted)
        except DeviceError as error:
            raise BackendError(f"{name}: its device cannot be simulated: {error}") from None
        library = backend_of_vendor(device.vendor)
        if library is None:
            raise BackendError(f"{name}: no driver library is known for devices of {device.vendor}")
        if self.devices.setdefault(library, device) != device:
            raise BackendError(
                f"{name} is for {device.name}, but the simulated device is {self.devices[library].name}; a driver has "
                "one, so run them one after the other"
            )

    def find_image(self, image: bytes, library: str) -> "Mapping[str, KnownKernel | ForeignKernel]":
        """Return the kernels of an image.

        Args:
            image: As a program loads it.
            library: The driver library that it loads it with.

        Raises:
            UnknownImageError: It is of none of the artifacts, and has kernels whose LLVM IR is not given.
            BackendError: LLVM IR that is given is not clear, or of another kernel.
        """
        known = self._images.get(image_digest(image))
        if known is not None:
            return known
        subject = f"no artifact holds this image of {len(image)} B (SHA-256 {image_digest(image)[:16]}...)"
        try:
            kernels = kernels_of(image)
        except ImageError as error:
            raise UnknownImageError(f"{subject}, and {error}") from None
        if not kernels:
            raise UnknownImageError(f"{subject}, and it has no kernels")
        return {name: self._foreign_kernel(subject, name, sizes, library) for name, sizes in kernels.items()}

    def _foreign_kernel(self, subject: str, name: str, sizes: tuple[int, ...] | None, library: str) -> ForeignKernel:
        found = self._foreign.find(name)
        if found is None:
            raise UnknownImageError(
                f"{subject}, nor is LLVM IR of its kernel '{name}' given; give the one that it is of, or the LLVM IR, "
                "to the simulated driver"
            )
        file, text = found
        return ForeignKernel(
            name, text, file, sizes, library=library, device=self.devices[library], timeout_s=self._timeout_s
        )


def image_digest(image: bytes) -> str:
    """Return the hash of an image; zero bytes at its end, which PTX has for some drivers, do not matter."""
    return sha256(image.rstrip(b"\0")).hexdigest()
