# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of an artifact, loaded on a device, and every launch checked."""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from roller_mlir.plan.manifest import Kernel, Launch, Manifest
from roller_mlir.plan.tensor_maps.tensor_map import ADDRESS_BYTES, MAP_BYTES, TensorMap
from roller_mlir.runtime.driver.images import Images
from roller_mlir.runtime.driver.interface import Driver, Graph, Setup
from roller_mlir.runtime.driver.memory import ALIGNMENT_BYTES
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import check_vendor

_MAP_ALIGNMENT_BYTES, _MAP_STRIDE_BYTES = 128, 16
_MAP_ELEMENT_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "i8": 1}
# Tensor maps that are kept, of the latest addresses.
_KEPT_MAPS = 64


@dataclass(frozen=True)
class Parameters:
    """The parameters of a launch: a table of their addresses, and what lies there."""

    table: Any
    keep: Any


class LoadedLaunch:
    """One launch of the list on one device.

    Attributes:
        arguments: Its views.
        note: Which better binary of its kernel the driver refused, and why; "" where it took the best one.
    """

    def __init__(self, driver: Driver, setup: Setup, launch: Launch, maps: Sequence[TensorMap], note: str = "") -> None:
        """Take what does not change from run to run.

        Args:
            driver: The device.
            setup: How the kernel starts.
            launch: The manifest's record.
            maps: Tensor maps that the kernel takes after its buffers.
            note: Of the kernel's binary.
        """
        self._driver, self._setup, self._maps = driver, setup, tuple(maps)
        self.arguments, self.note = launch.arguments, note
        self._records: dict[tuple[TensorMap, int], Any] = {}

    def prepare(self, addresses: Sequence[int]) -> "Parameters":
        """Lay out the parameters, with tensor maps for these addresses.

        Args:
            addresses: Of the kernel's views, in order.

        Raises:
            BackendError: The driver refuses a tensor map.
        """
        cells = (ctypes.c_uint64 * max(len(addresses), 1))(*addresses)
        first = ctypes.addressof(cells)
        places = [first + 8 * number for number in range(len(addresses))]
        records = [self._record(one, addresses[one.argument] + one.offset_bytes) for one in self._maps]
        places += [_aligned(record) for record in records]
        return Parameters((ctypes.c_void_p * max(len(places), 1))(*places), (cells, records))

    def start(self, parameters: "Parameters", stream: int) -> None:
        """Queue the launch; the driver copies the parameters, allocates nothing and waits for nothing."""
        self._driver.launch(self._setup, ctypes.addressof(parameters.table), stream)

    def add_to(self, graph: Graph, parameters: "Parameters", after: Sequence[Any]) -> Any:
        """Add the launch to a graph, behind other nodes of it; return its node."""
        return graph.add_kernel(self._setup, ctypes.addressof(parameters.table), after)

    def _record(self, described: TensorMap, address: int) -> Any:
        key = described, address
        record = self._records.get(key)
        if record is None:
            record = ctypes.create_string_buffer(MAP_BYTES + _MAP_ALIGNMENT_BYTES)
            self._driver.encode_map(_aligned(record), described, address)
            if len(self._records) >= _KEPT_MAPS:
                self._records.clear()
            self._records[key] = record
        return record


def _aligned(record: Any) -> int:
    return -(-ctypes.addressof(record) // _MAP_ALIGNMENT_BYTES) * _MAP_ALIGNMENT_BYTES


def load_kernels(driver: Driver, manifest: Manifest, files: Mapping[str, bytes]) -> dict[int, LoadedLaunch]:
    """Load what the launch list names, in the device's context, which is current.

    Returns:
        Each launch of a kernel, by its number in the list.

    Raises:
        BackendError: The artifact is for another device, or a launch asks for more than this one has.
    """
    check_vendor(driver.back_end, manifest)
    images = Images(driver, manifest, files)
    launches: dict[int, LoadedLaunch] = {}
    for number, launch in enumerate(manifest.launches):
        if not launch.kernel:
            continue
        kernel = manifest.kernel(launch.kernel)
        _check_launch(driver, launch)
        _check_maps(launch, kernel)
        function, note = images.function(kernel)
        setup = Setup(
            function=function,
            grid=launch.static_grid,
            block=launch.block,
            shared_bytes=launch.dynamic_workgroup_bytes,
            cooperative=launch.cooperative,
            dependent=launch.dependent,
            cluster=launch.cluster,
        )
        if launch.cooperative:
            _check_cooperative(driver, launch, setup)
        launches[number] = LoadedLaunch(driver, setup, launch, kernel.tensor_maps, note)
    return launches


def _check_launch(driver: Driver, launch: Launch) -> None:
    facts, subject = driver.facts, f"kernel {launch.kernel!r}"
    where = f"device {driver.ordinal} ({facts.architecture})"
    if any(one > most for one, most in zip(launch.static_grid, facts.most_grid, strict=True)):
        raise BackendError(f"{subject} needs a grid of {launch.static_grid}, but {where} has at most {facts.most_grid}")
    if launch.cluster != (1, 1, 1) and not facts.clusters:
        raise BackendError(f"{subject} needs clusters of {launch.cluster} blocks, which {where} does not offer")
    threads = prod(launch.block)
    if threads > facts.most_threads or any(
        one > most for one, most in zip(launch.block, facts.most_block, strict=True)
    ):
        raise BackendError(
            f"{subject} needs blocks of {launch.block} threads, but {where} has at most {facts.most_block} and "
            f"{facts.most_threads} in all"
        )
    if launch.dynamic_workgroup_bytes > facts.most_shared_bytes:
        raise BackendError(
            f"{subject} needs {launch.dynamic_workgroup_bytes} B of workgroup memory, but {where} has "
            f"{facts.most_shared_bytes} B"
        )


def _check_cooperative(driver: Driver, launch: Launch, setup: Setup) -> None:
    subject = f"kernel {launch.kernel!r}"
    if not driver.facts.cooperative:
        raise BackendError(f"{subject} needs all blocks at the same time, which device {driver.ordinal} does not offer")
    blocks, resident = prod(launch.static_grid), driver.resident_blocks(setup)
    if blocks > resident:
        raise BackendError(
            f"{subject} needs {blocks} blocks at the same time, but device {driver.ordinal} runs {resident} of them; "
            "compile for this device"
        )


def _check_maps(launch: Launch, kernel: Kernel) -> None:
    """Hold tensor maps to the driver's rules and to the views that they are of."""
    for number, one in enumerate(kernel.tensor_maps):
        subject = f"kernel {kernel.name!r}: tensor map {number}"
        if one.argument >= len(launch.arguments):
            raise BackendError(f"{subject} is of argument {one.argument}, but there are {len(launch.arguments)}")
        view, size = launch.arguments[one.argument], _MAP_ELEMENT_BYTES[one.element]
        if any(stride % _MAP_STRIDE_BYTES for stride in one.strides):
            raise BackendError(f"{subject} needs strides in multiples of {_MAP_STRIDE_BYTES} B, but has {one.strides}")
        if view.offset_bytes % ADDRESS_BYTES:
            raise BackendError(
                f"{subject} needs an array at a multiple of {ADDRESS_BYTES} B, but it begins at "
                f"{view.offset_bytes} B of {view.buffer!r}"
            )
        steps = (*one.strides, size)
        last = sum((extent - 1) * step for extent, step in zip(one.static_extents, steps, strict=True))
        end = one.offset_bytes + last + size
        if end > view.size_bytes:
            raise BackendError(f"{subject} ends at {end} B of argument {one.argument}, which has {view.size_bytes} B")


def check_buffers(manifest: Manifest, constants_bytes: int) -> None:
    """Hold the buffers to what memory here offers.

    Raises:
        BackendError: A buffer is not aligned as it says, or is nowhere.
    """
    listed = {*manifest.inputs, *manifest.outputs}
    for buffer in manifest.buffers:
        subject = f"{manifest.function!r}: {buffer.role} {buffer.name!r}"
        if buffer.role in ("input", "output"):
            if buffer.name not in listed:
                raise BackendError(f"{subject} is not among the function's {buffer.role}s, so nobody gives it")
        elif buffer.offset_bytes % buffer.alignment_bytes:
            raise BackendError(
                f"{subject} must begin at a multiple of {buffer.alignment_bytes} B, but begins at {buffer.offset_bytes}"
            )
        if buffer.role != "input" and buffer.alignment_bytes > ALIGNMENT_BYTES:
            raise BackendError(
                f"{subject} needs an alignment of {buffer.alignment_bytes} B; memory here is aligned to "
                f"{ALIGNMENT_BYTES} B"
            )
        if buffer.role == "constant" and buffer.offset_bytes + buffer.size_bytes > constants_bytes:
            raise BackendError(f"{subject} lies outside of the constants, which have {constants_bytes} B")
