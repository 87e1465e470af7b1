# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of devices: descriptions and calibrations in TOML, read, and a description to start from."""
