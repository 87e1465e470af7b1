# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constants of the performance model that depend on a device, as data.

A device's description may state them in a table `[model]`, and a calibration may override them; what neither does has
the defaults below, which are assumed where they name neither a source nor a calibration.

Paper: ROLLER section 3.3 (the micro-performance model and what is measured once per device).
"""

from dataclasses import dataclass

from roller_mlir.hal.checks import require, require_constants


@dataclass(frozen=True, kw_only=True)
class ModelConstants:
    """What the performance model assumes of a device beyond its limits and rates.

    Attributes:
        stall_share: Share of cycles in which one subgroup alone cannot issue (dependent results, operand fetch), from 0
            to below 1; with w subgroups on a scheduler one is ready in a share 1 - stall_share^w.
        task_start_cycles: Cycles from the end of a task to the first instruction of the next one in its place.
        block_start_s: Seconds between two blocks that the whole device starts: units wait for small blocks, however
            many they could hold. 0 where nobody has measured it.
        hidden_share: Share of the time of the layers other than the slowest that is hidden behind it, from 0 to 1.
        ahead_hidden_share: The same where copies run more than one step ahead by themselves (`cp.async` with three
            buffers and more, tensor copies). Calibrated on the published products of A100, H100, H800 and RTX 4090
            of docs/accuracy.md.
        assumed_launch_s: From one kernel to the next in a queue, where the device's description does not say. Without
            it a second kernel would cost nothing. The default is the mean of what is known of A100, H200 and MI210.
        addressing_registers: Registers of a thread for addresses, loop counters and predicates. The default is what
            ptxas 13.0 uses on sm_90 for the 128x128x8 f32 matmul of 8x8 points per thread (128) less its 64
            accumulators, twice 16 fragments and 8 staged elements.
        offset_registers: Registers of a thread for the offset and the mask of one of its copied vectors of a tile with
            a halo, whose vectors do not lie equally far apart in all threads. The default is what ptxas 13.0 needs at
            least of them for convolutions on sm_80 and sm_90 without spills.
        atomic_cost: Bytes of plain traffic that keep the last cache as busy as a byte of an atomic update, which it
            reads, adds and writes. Calibrated, see docs/accuracy.md.
        found_share: Share of the direct loads of what another task of the unit also reads that find it in the unit's
            first cache; the others arrive while it is on its way, and wait as long as the first. Calibrated.
        first_cache_share: Share of a unit's first cache, its workgroup memory among it, in which direct loads find what
            others of the same task have read.
        spill_cache_share: Share of the last cache that spilled registers hold against the streams that pass through it.
            Calibrated.
        dependent_cycles: Cycles from an arithmetic instruction to one that takes its result. The default is that of
            compute capability 7.x (CUDA C++ Programming Guide, Multiprocessor Level: typically 4 clock cycles for most
            arithmetic instructions), and assumed for later ones; on CDNA an instruction of a wavefront takes 4 cycles,
            too, 64 lanes on units of 16, and the next one follows at once.
        loads_in_flight: Registers that loads straight from global memory may hold; further loads of a step wait.
    """

    stall_share: float = 0.3
    task_start_cycles: float = 200.0
    block_start_s: float = 0.0
    hidden_share: float = 0.95
    ahead_hidden_share: float = 0.98
    atomic_cost: float = 4.0
    found_share: float = 0.5
    first_cache_share: float = 1.0
    spill_cache_share: float = 1 / 3
    assumed_launch_s: float = 2.4e-6
    addressing_registers: int = 24
    offset_registers: float = 1.0
    dependent_cycles: float = 4.0
    loads_in_flight: int = 32

    def __post_init__(self) -> None:
        """Check each field; raises DeviceError."""
        require_constants(vars(self))
        require(self.loads_in_flight > 0, "loads_in_flight", f"must be at least 1, but got {self.loads_in_flight}")
        require(self.stall_share < 1, "stall_share", f"must be below 1, but got {self.stall_share}")


DEFAULT_MODEL = ModelConstants()
"""The constants of a device whose description states none."""
