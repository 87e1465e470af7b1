# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the simulated drivers say of a device: its record in the table, by the numbers of the vendors' headers."""

import struct
from hashlib import sha256

from roller_mlir.hal import Device
from roller_mlir.plan.sm_architecture import sm_number

_BLOCK = (1024, 1024, 64)
_GRID_YZ = 65535
_HIP_BLOCK = 1024


def _cuda(device: Device) -> dict[int, int]:
    """Return the values of CUdevice_attribute of cuda.h."""
    major, minor = divmod(sm_number(device.architecture), 10)
    return {
        1: device.max_threads_per_block,
        **dict(zip((2, 3, 4), _BLOCK, strict=True)),
        5: device.max_grid_blocks,
        6: _GRID_YZ,
        7: _GRID_YZ,
        8: device.static_workgroup_bytes,
        10: device.subgroup_size,
        12: device.registers_per_unit,
        13: int(device.clock_hz / 1e3),
        16: device.units,
        18: 0,  # integrated
        19: 1,  # memory of the host can be mapped
        31: 1,  # concurrent kernels
        38: device.layer("l2").capacity_bytes,
        39: device.max_threads_per_unit,
        41: 1,  # one address space
        75: major,
        76: minor,
        78: 0,  # priorities of streams
        81: device.max_workgroup_bytes_per_unit,
        82: device.registers_per_unit,
        83: 1,  # managed memory
        88: 0,  # access to pageable memory
        89: 0,  # concurrent access to managed memory
        95: 1,  # cooperative launches
        97: device.max_workgroup_bytes_per_block,
        99: 0,  # registering memory of the host
        106: device.max_blocks_per_unit,
        113: 0,  # registering memory of the host that is only read
        115: 0,  # pools
        120: 0,  # clusters
    }


def _hip(device: Device) -> dict[int, int]:
    """Return the values of hipDeviceAttribute_t of hip_runtime_api.h."""
    return {
        3: 1,  # memory of the host can be mapped
        5: int(device.clock_hz / 1e3),
        8: 1,  # concurrent kernels
        9: 0,  # concurrent access to managed memory
        10: 1,  # cooperative launches
        16: 0,  # integrated
        19: device.layer("l2").capacity_bytes,
        24: 1,  # managed memory
        **dict.fromkeys((26, 27, 28), _HIP_BLOCK),
        29: device.max_grid_blocks,
        30: _GRID_YZ,
        31: _GRID_YZ,
        56: device.max_threads_per_block,
        57: device.max_threads_per_unit,
        63: device.units,
        65: 0,  # access to pageable memory
        71: device.registers_per_unit,
        72: device.registers_per_unit,
        74: device.max_workgroup_bytes_per_block,
        76: device.max_workgroup_bytes_per_unit,
        87: device.subgroup_size,
        88: 0,  # pools
        90: 0,  # registering memory of the host
    }


_LIBRARIES = {"cuda": _cuda, "hip": _hip}
_LIMITS = {"cuda": ((5, 6, 7), (2, 3, 4)), "hip": ((29, 30, 31), (26, 27, 28))}


def launch_limits(device: Device, library: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the most blocks of a grid and the most threads of a block, along each axis."""
    numbers, (grid, block) = _LIBRARIES[library](device), _LIMITS[library]
    return tuple(numbers[key] for key in grid), tuple(numbers[key] for key in block)


def record(device: Device, library: str, memory_bytes: int) -> bytes:
    """Return what a library learns when it asks for its device: `struct device` of device.h.

    Args:
        device: The device.
        library: "cuda" or "hip".
        memory_bytes: Memory that it is to have.
    """
    numbers = _LIBRARIES[library](device)
    name = f"{device.description} (simulated)".encode()
    identity = sha256(name).digest()[:16]
    head = struct.pack(
        "<256s64s16sQII", name, device.architecture.encode(), identity, memory_bytes, 13000, len(numbers)
    )
    return head + b"".join(struct.pack("<ii", key, min(value, 2**31 - 1)) for key, value in numbers.items())
