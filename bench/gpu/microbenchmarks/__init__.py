# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Micro-benchmarks of a device: `probes_for` writes and compiles the kernels (in `kernels/`) that a kit takes along.

`roller_mlir.evaluation.measure.runner.probes` runs them where the device is;
`roller_mlir.evaluation.measure.calibration` reads the times.
"""
