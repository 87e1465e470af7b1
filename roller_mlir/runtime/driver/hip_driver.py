# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD devices through hip-python (`hip.hip`), in the primary context that torch, cupy and jax use too."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from roller_mlir.plan.tensor_map import TensorMap
from roller_mlir.runtime.driver.interface import DeviceDescription, DeviceFacts, Setup
from roller_mlir.runtime.errors import BackendError

_TO_DEVICE, _TO_HOST, _WITHIN = "hipMemcpyHostToDevice", "hipMemcpyDeviceToHost", "hipMemcpyDeviceToDevice"
# Flags of hipEventCreateWithFlags (hip_runtime_api.h).
_TIMED, _UNTIMED = 0, 2
_OUT_OF_MEMORY = 2
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


class HipDriver:
    """One AMD device; implements `driver.Driver`, where the methods are described."""

    label, vendor, legacy_stream, query_tool = "HIP", "amd", 0, ""
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
        try:
            self._call("hipInit", 0)
        except BackendError:
            raise
        except Exception as error:  # the bindings' own, of several types, where there is no libamdhip64
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise BackendError(f"back end 'hip' needs ROCm's libamdhip64.so, which is not here: {reason}") from error
        count = int(self._call("hipGetDeviceCount"))
        if not 0 <= ordinal < count:
            raise BackendError(f"back end 'hip': device {ordinal} is not one of the {count} here")
        self.ordinal = ordinal
        self._kinds = self._api.hipMemcpyKind
        self.facts = self._read_facts()

    def _call(self, name: str, *arguments: Any) -> Any:
        status, *values = getattr(self._api, name)(*arguments)
        if int(status):
            raise BackendError(f"HIP: {name} failed: {self._word(status)}")
        return values[0] if values else None

    @staticmethod
    def _word(status: Any) -> str:
        return f"{getattr(status, 'name', 'error')} ({int(status)})"

    def _ask(self, name: str) -> int:
        attribute = getattr(self._api.hipDeviceAttribute_t, f"hipDeviceAttribute{name}")
        return int(self._call("hipDeviceGetAttribute", attribute, self.ordinal))

    def _ask_if_known(self, name: str) -> int | None:
        try:
            return self._ask(name)
        except (AttributeError, BackendError):  # of other bindings, of another driver
            return None

    def describe(self) -> DeviceDescription:
        """Name, driver, memory and clocks."""
        version, properties = int(self._call("hipDriverGetVersion")), self._read_properties()
        more = {name: self._ask_if_known(attribute) for name, attribute in _DESCRIBED.items()}
        return DeviceDescription(
            name=_text(properties.name),
            driver=f"{version // 10_000_000}.{version % 10_000_000 // 100_000}",
            memory_bytes=int(properties.totalGlobalMem),
            l2_bytes=self._ask_if_known("L2CacheSize"),
            more={name: value for name, value in more.items() if value is not None},
        )

    def _read_facts(self) -> DeviceFacts:
        ask, axes = self._ask, "XYZ"
        block = [ask(f"MaxBlockDim{axis}") for axis in axes]
        grid = [ask(f"MaxGridDim{axis}") for axis in axes]
        return DeviceFacts(
            architecture=_text(self._read_properties().gcnArchName),
            units=ask("MultiprocessorCount"),
            most_threads=ask("MaxThreadsPerBlock"),
            most_block=(block[0], block[1], block[2]),
            most_grid=(grid[0], grid[1], grid[2]),
            most_shared_bytes=ask("MaxSharedMemoryPerBlock"),
            cooperative=bool(ask("CooperativeLaunch")),
            clusters=False,
        )

    def _read_properties(self) -> Any:
        properties = self._api.hipDeviceProp_t()
        status, *values = self._properties(properties)
        if int(status):
            raise BackendError(f"HIP: hipGetDeviceProperties failed: {self._word(status)}")
        return values[0] if values else properties

    def _properties(self, properties: Any) -> tuple[Any, ...]:
        """Ask as this release of hip-python wants it: older ones (before 10) fill a record of the caller's."""
        try:
            return self._api.hipGetDeviceProperties(self.ordinal)
        except TypeError:
            return self._api.hipGetDeviceProperties(properties, self.ordinal)

    @contextmanager
    def current(self) -> Generator[None]:
        """Make the device the current one."""
        before = int(self._call("hipGetDevice"))
        if before == self.ordinal:
            yield
            return
        self._call("hipSetDevice", self.ordinal)
        try:
            yield
        finally:
            self._call("hipSetDevice", before)

    def image_kinds(self, architecture: str) -> tuple[str, ...]:
        """A code object runs on its own architecture."""
        return ("hsaco",) if self.facts.architecture.split(":")[0] == architecture.split(":")[0] else ()

    def load_image(self, name: str, image: bytes) -> Any:
        """Load a code object."""
        try:
            return self._call("hipModuleLoadData", image)
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

    def find_function(self, module: Any, name: str) -> Any:
        """Return a kernel of a module."""
        return self._call("hipModuleGetFunction", module, name.encode())

    def allow_shared(self, function: Any, size_bytes: int) -> None:
        """Kernels have all of the device's workgroup memory without being told so."""

    def resident_blocks(self, setup: Setup) -> int:
        """Blocks that run at the same time."""
        threads = setup.block[0] * setup.block[1] * setup.block[2]
        name = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"
        return self.facts.units * int(self._call(name, setup.function, threads, setup.shared_bytes))

    def launch(self, setup: Setup, parameters: int, stream: int) -> None:
        """Start a kernel."""
        shape = (*setup.grid, *setup.block, setup.shared_bytes, stream or None, parameters)
        if setup.cooperative:
            self._call("hipModuleLaunchCooperativeKernel", setup.function, *shape)
        else:
            self._call("hipModuleLaunchKernel", setup.function, *shape, None)

    def encode_map(self, record: int, described: TensorMap, address: int) -> None:
        """Refuse: AMD's devices have no tensor maps.

        Raises:
            BackendError: Always.
        """
        raise BackendError("HIP has no tensor maps; the kernel is for another vendor's devices")

    def allocate(self, size_bytes: int) -> int | None:
        """Return new memory."""
        status, address = self._api.hipMalloc(size_bytes)
        if int(status) == _OUT_OF_MEMORY:
            return None
        if int(status):
            raise BackendError(f"HIP: hipMalloc of {size_bytes} B failed: {self._word(status)}")
        return int(address)

    def free(self, address: int) -> None:
        """Give memory back; the driver waits for what uses it."""
        self._call("hipFree", address)

    def upload(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy to the device."""
        self._copy(target, source, size_bytes, _TO_DEVICE, stream)

    def download(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy to the host."""
        self._copy(target, source, size_bytes, _TO_HOST, stream)

    def copy(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy within the device."""
        self._copy(target, source, size_bytes, _WITHIN, stream)

    def _copy(self, target: int, source: int, size_bytes: int, kind: str, stream: int) -> None:
        self._call("hipMemcpyAsync", target, source, size_bytes, getattr(self._kinds, kind), stream or None)

    def fill(self, address: int, value: int, size_bytes: int, stream: int) -> None:
        """Write a byte all over memory."""
        self._call("hipMemsetAsync", address, value, size_bytes, stream or None)

    def place_of(self, address: int) -> int | None:
        """The device of an address."""
        status, attributes = self._api.hipPointerGetAttributes(address)
        return None if int(status) else int(attributes.device)

    def is_capturing(self, stream: int) -> bool:
        """Whether a stream records a graph."""
        return bool(int(self._call("hipStreamIsCapturing", stream or None)))

    def wait(self, stream: int, other: int) -> None:
        """Order a stream behind another through an event."""
        event = self._call("hipEventCreateWithFlags", _UNTIMED)
        try:
            self._call("hipEventRecord", event, other or None)
            self._call("hipStreamWaitEvent", stream or None, event, 0)
        finally:
            self._call("hipEventDestroy", event)

    def synchronize(self, stream: int) -> None:
        """Wait for a stream."""
        self._call("hipStreamSynchronize", stream or None)

    def make_event(self) -> Any:
        """Return an event that notes times."""
        return self._call("hipEventCreateWithFlags", _TIMED)

    def record_event(self, event: Any, stream: int) -> None:
        """Queue the event."""
        self._call("hipEventRecord", event, stream or None)

    def elapsed_s(self, start: Any, stop: Any) -> float:
        """Seconds between two events."""
        self._call("hipEventSynchronize", stop)
        return float(self._call("hipEventElapsedTime", start, stop)) * 1e-3

    def free_event(self, event: Any) -> None:
        """Give an event back."""
        self._call("hipEventDestroy", event)


def _text(word: Any) -> str:
    return word.split(b"\0")[0].decode(errors="replace") if isinstance(word, bytes) else str(word)
