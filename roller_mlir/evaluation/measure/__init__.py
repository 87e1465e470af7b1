# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring on a device: candidates are packed into a kit, run where the device is, and their results brought back."""
