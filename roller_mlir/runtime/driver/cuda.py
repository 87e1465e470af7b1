# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA devices through `cuda.bindings.driver`, in the primary context that torch, cupy and jax use too."""

from importlib import import_module
from typing import Any

from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime.driver import cuda_architecture, cuda_maps
from roller_mlir.runtime.driver.cuda_graph import CudaGraph
from roller_mlir.runtime.driver.interface import Bindings, DeviceDescription, DeviceFacts, Driver, Setup
from roller_mlir.runtime.errors import BackendError

_LOG_BYTES = 4096
# What kernels may have without being told so, in bytes (CUDA C++ Programming Guide, "Shared Memory").
_ASSUMED_SHARED_BYTES = 48 << 10
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


class CudaDriver(Driver):
    """One NVIDIA device."""

    label, legacy_stream, query_tool = "CUDA", 1, "nvidia-smi"
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
        bindings = Bindings(
            api=self._api,
            prefix="cu",
            word=self._word,
            stream=self._api.CUstream,
            attributes=self._api.CUdevice_attribute,
            attribute="CU_DEVICE_ATTRIBUTE_",
        )
        super().__init__(bindings, ordinal, "NVIDIA's driver (libcuda.so.1)")
        self.handle = self.call("DeviceGet", ordinal)
        self.context = self.call("DevicePrimaryCtxRetain", self.handle)
        self.facts = self._read_facts()

    def _word(self, status: Any) -> str:
        _, name = self._api.cuGetErrorName(status)
        _, text = self._api.cuGetErrorString(status)
        return f"{_text(name)} ({_text(text)})"

    def describe(self) -> DeviceDescription:
        """Return name, driver, memory and clocks."""
        version = int(self.call("DriverGetVersion"))
        return DeviceDescription(
            name=_text(self.call("DeviceGetName", _NAME_BYTES, self.handle)).split("\0")[0],
            driver=f"{version // 1000}.{version % 1000 // 10}",
            memory_bytes=int(self.call("DeviceTotalMem", self.handle)),
            l2_bytes=self.ask_if_known("L2_CACHE_SIZE"),
            more=self.known(_DESCRIBED),
        )

    def _read_facts(self) -> DeviceFacts:
        ask = self.ask
        return DeviceFacts(
            architecture=f"sm_{ask('COMPUTE_CAPABILITY_MAJOR')}{ask('COMPUTE_CAPABILITY_MINOR')}",
            units=ask("MULTIPROCESSOR_COUNT"),
            most_threads=ask("MAX_THREADS_PER_BLOCK"),
            most_block=self.ask_axes("MAX_BLOCK_DIM_"),
            most_grid=self.ask_axes("MAX_GRID_DIM_"),
            most_shared_bytes=ask("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            cooperative=bool(ask("COOPERATIVE_LAUNCH")),
            clusters=bool(ask("CLUSTER_LAUNCH")),
        )

    def image_kinds(self, architecture: str) -> tuple[str, ...]:
        """Return the cubins and PTX that run here."""
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

    def allow_shared(self, function: Any, size_bytes: int) -> None:
        """Raise the kernel's limit, where it is above what needs no word."""
        if size_bytes > _ASSUMED_SHARED_BYTES:
            attribute = self._api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.call("FuncSetAttribute", function, attribute, size_bytes)

    def launch(self, setup: Setup, parameters: int, stream: int) -> None:
        """Start a kernel."""
        if setup.cluster != (1, 1, 1):
            self._launch_clusters(setup, parameters, stream)
            return
        shape = (*setup.grid, *setup.block, setup.shared_bytes, self._api.CUstream(stream), parameters)
        if setup.cooperative:
            self.call("LaunchCooperativeKernel", setup.function, *shape)
        else:
            self.call("LaunchKernel", setup.function, *shape, 0)

    def make_graph(self) -> CudaGraph:
        """Return an empty graph."""
        return CudaGraph(self._api, self.call, self.context)

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
        self.call("LaunchKernelEx", config, setup.function, parameters, 0)

    def encode_map(self, record: int, described: TensorMap, address: int) -> None:
        """Write a tensor map."""
        cuda_maps.encode(record, described, address)

    def transfer(self, way: str, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy by the function of that way."""
        self.call(f"Memcpy{way}Async", target, source, size_bytes, self._api.CUstream(stream))

    def place_of(self, address: int) -> int | None:
        """Return the device of an address."""
        attribute = self._api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        status, ordinal = self._api.cuPointerGetAttribute(attribute, address)
        return None if int(status) else int(ordinal)


def _text(word: Any) -> str:
    return word.decode(errors="replace") if isinstance(word, bytes) else str(word)
