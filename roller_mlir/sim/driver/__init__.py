# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator as a CUDA and a HIP device, for programs that know nothing of it: driver libraries and their server."""

from roller_mlir.sim.driver.session import simulated_device

__all__ = ["simulated_device"]
