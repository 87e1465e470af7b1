# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Micro-benchmarks of a device: `probes_for` writes and compiles the kernels (in `kernels/`) that a kit takes along.

`roller_mlir.measure.runner.probes` runs them where the device is; `roller_mlir.measure.calibration` reads the times.
"""
