# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD devices through hip-python (`hip.hip`), in the primary context that torch, cupy and jax use too."""

from importlib import import_module
from typing import Any

from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime.driver.interface import Bindings, DeviceDescription, DeviceFacts, Driver, Setup
from roller_mlir.runtime.errors import BackendError

_WAYS = {"HtoD": "hipMemcpyHostToDevice", "DtoH": "hipMemcpyDeviceToHost", "DtoD": "hipMemcpyDeviceToDevice"}
# Functions that CUDA calls otherwise; the device itself stands for its context.
_NAMES = {
    "DeviceGetCount": "GetDeviceCount",
    "CtxGetCurrent": "GetDevice",
    "CtxSetCurrent": "SetDevice",
    "OccupancyMaxActiveBlocksPerMultiprocessor": "ModuleOccupancyMaxActiveBlocksPerMultiprocessor",
    "MemAlloc": "Malloc",
    "MemFree": "Free",
    "MemsetD8Async": "MemsetAsync",
    "EventCreate": "EventCreateWithFlags",
}
# Where ELF names the version of the ABI (EI_ABIVERSION), what code object version 0 of it would be, and since when the
# loader knows a version ("User Guide for AMDGPU Backend", Code Object V6; ROCm release notes, 6.3).
_ABI_VERSION, _ABI_VERSION_0 = 8, 2
_NEEDS_ROCM = {6: (6, 3)}
# What records of measurements hold beside, by attribute of the device.
_DESCRIBED = {
    "clock_khz": "ClockRate",
    "memory_clock_khz": "MemoryClockRate",
    "memory_bus_bits": "MemoryBusWidth",
    "units": "MultiprocessorCount",
    "shared_bytes_per_unit": "MaxSharedMemoryPerMultiprocessor",
}


class HipDriver(Driver):
    """One AMD device."""

    label, legacy_stream, query_tool = "HIP", 0, ""
    memory_kinds = (10,)

    def __init__(self, ordinal: int = 0) -> None:
        """Find a device.

        Args:
            ordinal: The device's number.

        Raises:
            BackendError: There is no such device, no driver, or no hip-python.
        """
        try:
            package = import_module("hip")
            self._api: Any = package.hip if hasattr(package, "hip") else import_module("hip.hip")  # from 10 on an alias
        except ImportError as error:
            raise BackendError(
                f"back end 'hip' needs hip-python ({error}); install the release of your ROCm: pip install hip-python"
            ) from error
        bindings = Bindings(
            api=self._api,
            prefix="hip",
            word=self._word,
            stream=lambda stream: stream or None,
            attributes=self._api.hipDeviceAttribute_t,
            attribute="hipDeviceAttribute",
            names=_NAMES,
        )
        super().__init__(bindings, ordinal, "ROCm's libamdhip64.so")
        self.handle = self.context = ordinal
        self.facts = self._read_facts()

    def _word(self, status: Any) -> str:
        said = self._api.hipGetErrorString(status)
        text = _text(said[-1] if isinstance(said, tuple) else said)  # older ones (before 10) give no status
        return f"{getattr(status, 'name', 'error')} ({int(status)}: {text})"

    def describe(self) -> DeviceDescription:
        """Return name, driver, memory and clocks."""
        version, properties = int(self.call("DriverGetVersion")), self._read_properties()
        return DeviceDescription(
            name=_text(properties.name),
            driver=f"{version // 10_000_000}.{version % 10_000_000 // 100_000}",
            memory_bytes=int(properties.totalGlobalMem),
            l2_bytes=self.ask_if_known("L2CacheSize"),
            more=self.known(_DESCRIBED),
        )

    def _read_facts(self) -> DeviceFacts:
        ask = self.ask
        return DeviceFacts(
            architecture=_text(self._read_properties().gcnArchName),
            units=ask("MultiprocessorCount"),
            most_threads=ask("MaxThreadsPerBlock"),
            most_block=self.ask_axes("MaxBlockDim"),
            most_grid=self.ask_axes("MaxGridDim"),
            most_shared_bytes=ask("MaxSharedMemoryPerBlock"),
            cooperative=bool(ask("CooperativeLaunch")),
            clusters=False,
        )

    def _read_properties(self) -> Any:
        properties = self._api.hipDeviceProp_t()
        status, *values = self._properties(properties)
        if int(status):
            raise BackendError(f"HIP: hipGetDeviceProperties failed: {self.bindings.word(status)}")
        return values[0] if values else properties

    def _properties(self, properties: Any) -> tuple[Any, ...]:
        """Ask as this release of hip-python wants it: older ones (before 10) fill a record of the caller's."""
        try:
            return self._api.hipGetDeviceProperties(self.ordinal)
        except TypeError:
            return self._api.hipGetDeviceProperties(properties, self.ordinal)

    def image_kinds(self, architecture: str) -> tuple[str, ...]:
        """Return the code object where it is for this device's architecture."""
        return ("hsaco",) if self.facts.architecture.split(":")[0] == architecture.split(":")[0] else ()

    def load_image(self, name: str, image: bytes) -> Any:
        """Load a code object."""
        try:
            return self.call("ModuleLoadData", image)
        except BackendError as error:
            raise BackendError(f"HIP cannot load {name}: {error}{self._code_object(image)}") from error

    def _code_object(self, image: bytes) -> str:
        """Say what the driver does not: that a newer loader would take the code object."""
        if image[:4] != b"\x7fELF" or len(image) <= _ABI_VERSION:
            return ""
        here, version = self.describe().driver, image[_ABI_VERSION] + _ABI_VERSION_0
        need = _NEEDS_ROCM.get(version)
        if need is None or tuple(map(int, here.split("."))) >= need:
            return f"; it is code object version {version}, the driver is of ROCm {here}"
        least = ".".join(map(str, need))
        return (
            f"; it is code object version {version}, which needs ROCm {least} or later, but the driver is of ROCm "
            f"{here}; compile with --code-object 5"
        )

    def allow_shared(self, function: Any, size_bytes: int) -> None:
        """Kernels have all of the device's workgroup memory without being told so."""

    def launch(self, setup: Setup, parameters: int, stream: int) -> None:
        """Start a kernel."""
        shape = (*setup.grid, *setup.block, setup.shared_bytes, stream or None, parameters)
        if setup.cooperative:
            self.call("ModuleLaunchCooperativeKernel", setup.function, *shape)
        else:
            self.call("ModuleLaunchKernel", setup.function, *shape, None)

    def encode_map(self, record: int, described: TensorMap, address: int) -> None:
        """Refuse: AMD's devices have no tensor maps.

        Raises:
            BackendError: Always.
        """
        raise BackendError("HIP has no tensor maps; the kernel is for another vendor's devices")

    def transfer(self, way: str, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy by the one function that takes the way."""
        self.call(
            "MemcpyAsync", target, source, size_bytes, getattr(self._api.hipMemcpyKind, _WAYS[way]), stream or None
        )

    def place_of(self, address: int) -> int | None:
        """Return the device of an address."""
        status, attributes = self._api.hipPointerGetAttributes(address)
        return None if int(status) else int(attributes.device)


def _text(word: Any) -> str:
    return word.split(b"\0")[0].decode(errors="replace") if isinstance(word, bytes) else str(word)
