# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of the host as peers: oneDNN, MKL, OpenBLAS, IREE, and ours, checked against numpy and timed in turn."""
