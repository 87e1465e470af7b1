# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA devices through `cuda.bindings.driver`, in the primary context that torch, cupy and jax use too."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from roller_mlir.plan.tensor_map import TensorMap
from roller_mlir.runtime.driver import cuda_architecture, cuda_maps
from roller_mlir.runtime.driver.interface import DeviceDescription, DeviceFacts, Setup
from roller_mlir.runtime.errors import BackendError

_LOG_BYTES = 4096
# What kernels may have without being told so, in bytes (CUDA C++ Programming Guide, "Shared Memory").
_ASSUMED_SHARED_BYTES = 48 << 10
_OUT_OF_MEMORY = 2
_NAME_BYTES = 256
# What records of measurements hold beside, by attribute of the device.
_DESCRIBED = {
    "clock_khz": "CLOCK_RATE",
    "memory_clock_khz": "MEMORY_CLOCK_RATE",
    "memory_bus_bits": "GLOBAL_MEMORY_BUS_WIDTH",
    "units": "MULTIPROCESSOR_COUNT",
    "shared_bytes_per_unit": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "ecc": "ECC_ENABLED",
}


class CudaDriver:
    """One NVIDIA device; implements `driver.Driver`, where the methods are described."""

    label, vendor, legacy_stream, query_tool = "CUDA", "nvidia", 1, "nvidia-smi"
    memory_kinds = (2, 13)

    def __init__(self, ordinal: int = 0) -> None:
        """Retain the primary context of a device.

        Args:
            ordinal: The device's number.

        Raises:
            BackendError: There is no such device, no driver, or no cuda-bindings.
        """
        try:
            self._api: Any = import_module("cuda.bindings.driver")
        except ImportError as error:
            raise BackendError(
                f"back end 'cuda' needs cuda-bindings ({error}); install it: pip install 'cuda-bindings>=12.8'"
            ) from error
        try:
            self._call("cuInit", 0)
        except BackendError:
            raise
        except Exception as error:  # the bindings' own, of several types, where there is no libcuda
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise BackendError(
                f"back end 'cuda' needs NVIDIA's driver (libcuda.so.1), which is not here: {reason}"
            ) from error
        count = int(self._call("cuDeviceGetCount"))
        if not 0 <= ordinal < count:
            raise BackendError(f"back end 'cuda': device {ordinal} is not one of the {count} here")
        self.ordinal = ordinal
        self._device = self._call("cuDeviceGet", ordinal)
        self._context = self._call("cuDevicePrimaryCtxRetain", self._device)
        self.facts = self._read_facts()

    def _call(self, name: str, *arguments: Any) -> Any:
        status, *values = getattr(self._api, name)(*arguments)
        if int(status):
            raise BackendError(f"CUDA: {name} failed: {self._word(status)}")
        return values[0] if values else None

    def _word(self, status: Any) -> str:
        _, name = self._api.cuGetErrorName(status)
        _, text = self._api.cuGetErrorString(status)
        return f"{_text(name)} ({_text(text)})"

    def _ask(self, name: str) -> int:
        attribute = getattr(self._api.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self._call("cuDeviceGetAttribute", attribute, self._device))

    def _ask_if_known(self, name: str) -> int | None:
        try:
            return self._ask(name)
        except (AttributeError, BackendError):  # of other bindings, of another driver
            return None

    def describe(self) -> DeviceDescription:
        """Name, driver, memory and clocks."""
        version = int(self._call("cuDriverGetVersion"))
        more = {name: self._ask_if_known(attribute) for name, attribute in _DESCRIBED.items()}
        return DeviceDescription(
            name=_text(self._call("cuDeviceGetName", _NAME_BYTES, self._device)).split("\0")[0],
            driver=f"{version // 1000}.{version % 1000 // 10}",
            memory_bytes=int(self._call("cuDeviceTotalMem", self._device)),
            l2_bytes=self._ask_if_known("L2_CACHE_SIZE"),
            more={name: value for name, value in more.items() if value is not None},
        )

    def _read_facts(self) -> DeviceFacts:
        ask = self._ask
        axes = "XYZ"
        block = [ask(f"MAX_BLOCK_DIM_{axis}") for axis in axes]
        grid = [ask(f"MAX_GRID_DIM_{axis}") for axis in axes]
        return DeviceFacts(
            architecture=f"sm_{ask('COMPUTE_CAPABILITY_MAJOR')}{ask('COMPUTE_CAPABILITY_MINOR')}",
            units=ask("MULTIPROCESSOR_COUNT"),
            most_threads=ask("MAX_THREADS_PER_BLOCK"),
            most_block=(block[0], block[1], block[2]),
            most_grid=(grid[0], grid[1], grid[2]),
            most_shared_bytes=ask("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            cooperative=bool(ask("COOPERATIVE_LAUNCH")),
            clusters=bool(ask("CLUSTER_LAUNCH")),
        )

    @contextmanager
    def current(self) -> Generator[None]:
        """Make the primary context current."""
        before = self._call("cuCtxGetCurrent")
        if int(before) == int(self._context):
            yield
            return
        self._call("cuCtxSetCurrent", self._context)
        try:
            yield
        finally:
            self._call("cuCtxSetCurrent", before)

    def image_kinds(self, architecture: str) -> tuple[str, ...]:
        """Cubins and PTX that run here."""
        return cuda_architecture.image_kinds(architecture, self.facts.architecture)

    def load_image(self, name: str, image: bytes) -> Any:
        """Load a cubin or PTX; PTX ends with a zero byte for the driver."""
        log, option = bytes(_LOG_BYTES), self._api.CUjit_option  # the bindings want bytes for the driver to write into
        options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        status, module = self._api.cuModuleLoadDataEx(image + b"\0", len(options), options, [log, _LOG_BYTES])
        if int(status):
            said = log.split(b"\0", 1)[0].decode(errors="replace").strip()
            raise BackendError(f"CUDA cannot load {name}: {self._word(status)}" + (f": {said}" if said else ""))
        return module

    def find_function(self, module: Any, name: str) -> Any:
        """Return a kernel of a module."""
        return self._call("cuModuleGetFunction", module, name.encode())

    def allow_shared(self, function: Any, size_bytes: int) -> None:
        """Raise the kernel's limit, where it is above what needs no word."""
        if size_bytes > _ASSUMED_SHARED_BYTES:
            attribute = self._api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self._call("cuFuncSetAttribute", function, attribute, size_bytes)

    def resident_blocks(self, setup: Setup) -> int:
        """Blocks that run at the same time."""
        threads = setup.block[0] * setup.block[1] * setup.block[2]
        name = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        return self.facts.units * int(self._call(name, setup.function, threads, setup.shared_bytes))

    def launch(self, setup: Setup, parameters: int, stream: int) -> None:
        """Start a kernel."""
        if setup.cluster != (1, 1, 1):
            self._launch_clusters(setup, parameters, stream)
            return
        shape = (*setup.grid, *setup.block, setup.shared_bytes, self._api.CUstream(stream), parameters)
        if setup.cooperative:
            self._call("cuLaunchCooperativeKernel", setup.function, *shape)
        else:
            self._call("cuLaunchKernel", setup.function, *shape, 0)

    def _launch_clusters(self, setup: Setup, parameters: int, stream: int) -> None:
        api, names = self._api, self._api.CUlaunchAttributeID
        cluster, together = api.CUlaunchAttribute(), api.CUlaunchAttribute()
        cluster.id = names.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        extents = cluster.value.clusterDim
        extents.x, extents.y, extents.z = setup.cluster
        together.id = names.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        together.value.cooperative = 1
        config = api.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = setup.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = setup.block
        config.sharedMemBytes, config.hStream = setup.shared_bytes, api.CUstream(stream)
        config.attrs = [cluster, together] if setup.cooperative else [cluster]
        config.numAttrs = len(config.attrs)
        self._call("cuLaunchKernelEx", config, setup.function, parameters, 0)

    def encode_map(self, record: int, described: TensorMap, address: int) -> None:
        """Write a tensor map."""
        cuda_maps.encode(record, described, address)

    def allocate(self, size_bytes: int) -> int | None:
        """Return new memory."""
        status, address = self._api.cuMemAlloc(size_bytes)
        if int(status) == _OUT_OF_MEMORY:
            return None
        if int(status):
            raise BackendError(f"CUDA: cuMemAlloc of {size_bytes} B failed: {self._word(status)}")
        return int(address)

    def free(self, address: int) -> None:
        """Give memory back; the driver waits for what uses it."""
        self._call("cuMemFree", address)

    def upload(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy to the device."""
        self._call("cuMemcpyHtoDAsync", target, source, size_bytes, self._api.CUstream(stream))

    def download(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy to the host."""
        self._call("cuMemcpyDtoHAsync", target, source, size_bytes, self._api.CUstream(stream))

    def copy(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy within the device."""
        self._call("cuMemcpyDtoDAsync", target, source, size_bytes, self._api.CUstream(stream))

    def fill(self, address: int, value: int, size_bytes: int, stream: int) -> None:
        """Write a byte all over memory."""
        self._call("cuMemsetD8Async", address, value, size_bytes, self._api.CUstream(stream))

    def place_of(self, address: int) -> int | None:
        """The device of an address."""
        attribute = self._api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        status, ordinal = self._api.cuPointerGetAttribute(attribute, address)
        return None if int(status) else int(ordinal)

    def is_capturing(self, stream: int) -> bool:
        """Whether a stream records a graph."""
        return bool(int(self._call("cuStreamIsCapturing", self._api.CUstream(stream))))

    def wait(self, stream: int, other: int) -> None:
        """Order a stream behind another through an event."""
        event = self._event(timed=False)
        try:
            self._call("cuEventRecord", event, self._api.CUstream(other))
            self._call("cuStreamWaitEvent", self._api.CUstream(stream), event, 0)
        finally:
            self._call("cuEventDestroy", event)

    def synchronize(self, stream: int) -> None:
        """Wait for a stream."""
        self._call("cuStreamSynchronize", self._api.CUstream(stream))

    def make_event(self) -> Any:
        """Return an event that notes times."""
        return self._event(timed=True)

    def record_event(self, event: Any, stream: int) -> None:
        """Queue the event."""
        self._call("cuEventRecord", event, self._api.CUstream(stream))

    def elapsed_s(self, start: Any, stop: Any) -> float:
        """Seconds between two events."""
        self._call("cuEventSynchronize", stop)
        return float(self._call("cuEventElapsedTime", start, stop)) * 1e-3

    def free_event(self, event: Any) -> None:
        """Give an event back."""
        self._call("cuEventDestroy", event)

    def _event(self, *, timed: bool) -> Any:
        flags = self._api.CUevent_flags
        return self._call("cuEventCreate", int(flags.CU_EVENT_DEFAULT if timed else flags.CU_EVENT_DISABLE_TIMING))


def _text(word: Any) -> str:
    return word.decode(errors="replace") if isinstance(word, bytes) else str(word)
