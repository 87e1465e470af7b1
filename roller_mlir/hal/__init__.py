# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices as data: what a device is (`spec`), and those described in `devices/*.toml`. No MLIR and no live device.

Paper: ROLLER sections 3.1 and 4.
"""

from roller_mlir.hal.catalogue import DEFAULT_TARGET, device_file, device_files, device_names, find_device
from roller_mlir.hal.describe import Table, describe, device_table
from roller_mlir.hal.errors import DeviceError
from roller_mlir.hal.files.calibration import calibrated, parse_calibration
from roller_mlir.hal.files.loader import load_device, parse_device
from roller_mlir.hal.files.template import template
from roller_mlir.hal.model_constants import ModelConstants
from roller_mlir.hal.spec import FEATURES, REGISTER_BYTES, Device, Instruction, MemoryLayer, Override
from roller_mlir.hal.vector_constants import VectorConstants

__all__ = [
    "DEFAULT_TARGET",
    "FEATURES",
    "REGISTER_BYTES",
    "Device",
    "DeviceError",
    "Instruction",
    "MemoryLayer",
    "ModelConstants",
    "Override",
    "Table",
    "VectorConstants",
    "calibrated",
    "describe",
    "device_file",
    "device_files",
    "device_names",
    "device_table",
    "find_device",
    "load_device",
    "parse_calibration",
    "parse_device",
    "template",
]
