# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD's devices as a back end, through hip-python."""

from roller_mlir.runtime.driver.backend import DriverBackend
from roller_mlir.runtime.driver.hip_driver import HipDriver
from roller_mlir.runtime.driver.memory import DEFAULT_CACHE_BYTES


class HipBackend(DriverBackend):
    """Runs code objects (HSACO) on an AMD device."""

    def __init__(self, *, device: int = 0, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        """Open a device.

        Args:
            device: Its number.
            cache_bytes: How much unused memory is kept for later runs at most.

        Raises:
            BackendError: There is no such device, no driver, or no hip-python.
        """
        super().__init__(HipDriver(device), cache_bytes)
