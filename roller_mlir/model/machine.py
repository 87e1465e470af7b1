# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A device in the units that the performance model counts in: cycles of one unit, bytes per second of the whole device.

A figure that a device's description leaves out limits nothing: an unknown latency counts as 0, an unknown bandwidth as
infinite. Only a launch is then taken to cost what the model's constants assume.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf

from roller_mlir.hal import Device, MemoryLayer
from roller_mlir.mapping.layout.bank_phases import Banks
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES


@dataclass(frozen=True)
class Machine:
    """What the model needs of a device.

    Attributes:
        device: The device.
        units: Units that a program may use: all of the device's, or fewer.
        banks: The banks of its workgroup memory.
        math_cycles: Cycles for which one arithmetic instruction of a subgroup occupies its scheduler's lanes.
        phase_bytes: Bytes that one bank phase moves at most.
        phase_cycles: Cycles of a unit per bank phase.
        sector_bytes: Bytes of a transaction with global memory.
        workgroup_latency: Cycles of a dependent access to workgroup memory.
        cache_latency: Cycles of a dependent load that the cache next to the units answers, which is the last one of
            most devices.
        global_latency: Cycles of a dependent load that global memory answers.
        cache_bytes: Capacity of the last cache, 0 without one.
        cache_bytes_per_s: Bandwidth of the cache next to the units.
        global_bytes_per_s: Bandwidth of global memory.
        launch_s: Seconds of a launch.
        private_caches: Caches next to the units of which each serves a part of them, where they share a last one behind
            these; else 1.
        private_cache_bytes: Capacity of one of them, 0 where there is none behind.
        last_cache_bytes_per_s: Bandwidth of the last cache.
        last_cache_latency: Cycles of a dependent load that it answers.
        first_cache_bytes: A unit's first cache and its workgroup memory together; 0 where it is not known.
        first_cache_minimum: What of it is cache however much workgroup memory is used.
        block_threads: Threads that each block has, None where the model decides.
        task_threads: Threads that compute in each block, None where the model decides, or `block_threads` says it.
        line_bytes: Bytes of a line of the cache next to the units, a sector where it has none.
        staged_stores: Whether results may pass workgroup memory on their way.
    """

    device: Device
    units: int
    banks: Banks
    math_cycles: float
    phase_bytes: int
    phase_cycles: float
    sector_bytes: int
    workgroup_latency: float
    cache_latency: float
    global_latency: float
    cache_bytes: int
    cache_bytes_per_s: float
    global_bytes_per_s: float
    launch_s: float
    private_caches: int = 1
    private_cache_bytes: int = 0
    last_cache_bytes_per_s: float = inf
    last_cache_latency: float = 0.0
    first_cache_bytes: int = 0
    first_cache_minimum: int = 0
    block_threads: int | None = None
    task_threads: int | None = None
    line_bytes: int = 128
    staged_stores: bool = True

    @property
    def vector_bytes(self) -> int:
        """Bytes of the widest access of one thread that code is generated for."""
        return min(self.device.max_access_bytes, MAX_VECTOR_BYTES)


@lru_cache(maxsize=64)
def machine_of(
    device: Device,
    max_units: int | None = None,
    block_threads: int | None = None,
    task_threads: int | None = None,
    *,
    staged_stores: bool = True,
) -> Machine:
    """Return the machine of a device, or of a part of it.

    A part of the units draws its share of the last cache's bandwidth, and of global memory no more than that.

    Args:
        device: The device.
        max_units: Units that a program may use; None for all.
        block_threads: Threads that each block has; None where the model decides.
        task_threads: Threads that compute in each block; None where the model decides, or `block_threads` says it.
        staged_stores: Whether results may pass workgroup memory on their way.

    H200: 256 flops per cycle and unit are 128 lanes, 32 for each of 4 schedulers: 1 cycle per FMA of a subgroup.
    """
    memory = device.layer("global")
    work = next((layer for layer in device.layers if layer.name == "workgroup"), None)
    shared = [layer for layer in device.caches if layer.instances < device.units]
    cache, last = (shared[0], shared[-1]) if shared else (None, None)
    banks = Banks(work.banks or 1, work.bank_bytes or 4, work.wide_load_lanes) if work is not None else Banks(1, 4, ())
    row = banks.count * banks.bank_bytes
    cycles = 1.0
    if work is not None and work.bandwidth_bytes_per_s is not None:
        cycles = max(1.0, row * work.instances * device.clock_hz / work.bandwidth_bytes_per_s)
    units = min(device.units, max_units or device.units)
    share = units / device.units
    cache_rate = _bandwidth(cache) * share
    last_rate = cache_rate if last is cache else min(_bandwidth(last), cache_rate)
    unified = device.unified_cache_bytes or 0
    return Machine(
        device=device,
        units=units,
        banks=banks,
        math_cycles=device.cycles_per_point(device.multiply_add),
        phase_bytes=row,
        phase_cycles=cycles,
        sector_bytes=memory.transaction_bytes or 1,
        workgroup_latency=_cycles(device, work),
        cache_latency=_cycles(device, cache),
        global_latency=_cycles(device, memory),
        cache_bytes=last.total_capacity_bytes if last else 0,
        cache_bytes_per_s=cache_rate,
        global_bytes_per_s=min(_bandwidth(memory), last_rate) if share < 1 else _bandwidth(memory),
        launch_s=device.model.assumed_launch_s if device.launch_latency_s is None else device.launch_latency_s,
        private_caches=cache.instances if cache and last is not cache else 1,
        private_cache_bytes=cache.capacity_bytes if cache and last is not cache else 0,
        last_cache_bytes_per_s=last_rate,
        last_cache_latency=_cycles(device, last),
        first_cache_bytes=unified,
        first_cache_minimum=max(0, unified - device.max_workgroup_bytes_per_unit),
        block_threads=block_threads,
        task_threads=task_threads,
        line_bytes=(cache.line_bytes if cache else None) or memory.transaction_bytes or 1,
        staged_stores=staged_stores,
    )


def _cycles(device: Device, layer: MemoryLayer | None) -> float:
    return (layer.latency_s or 0.0) * device.clock_hz if layer else 0.0


def _bandwidth(layer: MemoryLayer | None) -> float:
    if layer is None:
        return inf
    return layer.sustained_bandwidth_bytes_per_s or layer.bandwidth_bytes_per_s or inf
