# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's devices as a back end, through cuda-bindings."""

from roller_mlir.runtime.driver.backend import DriverBackend
from roller_mlir.runtime.driver.cuda_driver import CudaDriver
from roller_mlir.runtime.driver.memory import DEFAULT_CACHE_BYTES


class CudaBackend(DriverBackend):
    """Runs PTX and cubins on an NVIDIA device."""

    def __init__(self, *, device: int = 0, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        """Open a device.

        Args:
            device: Its number.
            cache_bytes: How much unused memory is kept for later runs at most.

        Raises:
            BackendError: There is no such device, no driver, or no cuda-bindings.
        """
        super().__init__(CudaDriver(device), cache_bytes)
