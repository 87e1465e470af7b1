# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Micro-benchmarks of a device, and the calibration file that their times become.

`probes_for` writes and compiles the kernels (in `kernels/`), `roller_mlir.measure.runner.probes` runs them where the
device is, `measured` and `calibration_toml` read the results.
"""
