# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The calibration file that the times of a kit's micro-benchmarks (`bench/gpu/microbenchmarks`) become."""
