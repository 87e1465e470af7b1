# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the code of ROLLER's artifact costs: instructions, and the cycles of a scheduler for each.

Instructions are those of the sm_37 code that NVRTC 11.8 makes of kernels written out as the artifact's codegenR.py
schedules them, with window loops kept as loops. Divisions are counted as TVM's simplifier can leave them, a
multiplication each for quotient, remainder, stride and address; the written-out kernels had up to twice as many. Cycles
are from the vendors' documents and from measurements of others. No figure is fitted to a time of the artifact's
kernels; which terms there are was decided with those times at hand.

Times were measured on K80 as nvprof's time of the kernel (test_op_mp.py), on MI50 by events around ten launches, with a
synchronization after each (test_op_rocm_mp.py); what the first of the ten takes longer is not known and left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

POINT_INSTRUCTIONS = 8
"""Instructions of one reduction point of a matrix product beside its arithmetic and its reads: addresses and the loop.
sm_37, 128x128x8 of 8x8 points per thread: 64 FFMA, 16 LDS, 8 others."""

TAP_INSTRUCTIONS = 6
"""The same for a point of a window: 2 FFMA, 3 LDS, 6 others."""

COPY_INSTRUCTIONS = 5
"""Instructions of one copied element beside its load, its store, its guard and its divisions."""

DIVISION_INSTRUCTIONS = 3
"""Instructions of a division by a constant and of its remainder beside their multiplications: shifts, sums."""

TASK_INSTRUCTIONS, TASK_MULTIPLICATIONS = 15, 12
"""Instructions of a thread before its first and after its last step: the block's and the thread's place in the loops,
their divisions. Over the 36 window kernels on sm_37, what does not grow with the elements of the copy."""

STORE_INSTRUCTIONS, GUARD_INSTRUCTIONS = 1, 2
"""Instructions of a stored element beside the store, and those of its guard."""

BRANCHING_COMPARISONS = 3
"""Guards of that many comparisons are evaluated one after the other with branches, so that a thread has one load on its
way at a time; shorter ones become predicates, under which loads follow one another. sm_37 code does so with four and
with one; with two it does either."""


@dataclass(frozen=True, kw_only=True)
class Rates:
    """What instructions cost a scheduler, where a device's description does not say.

    Attributes:
        arithmetic_cycles: Of an arithmetic instruction of a subgroup.
        multiplication_cycles: Of a 32-bit integer multiplication.
        own_multiplier: Whether multiplications proceed beside other instructions.
        short_multiplications: Whether products of small numbers cost no more than other arithmetic.
        common_issue: Whether memory accesses, loop counters and addresses take turns with arithmetic.
        merged_elements: Elements that a thread reads at once, at most, where it reads one row of an only input.
        clock_hz: The clock under load, None for the device's.
        launch_s: What a measured time contains of the launch.
    """

    arithmetic_cycles: float
    multiplication_cycles: float
    own_multiplier: bool
    short_multiplications: bool
    common_issue: bool
    merged_elements: int
    clock_hz: float | None
    launch_s: float


RATES: Mapping[str, Rates] = MappingProxyType(
    {
        # Issue: one instruction a cycle of the two that a scheduler can issue at best; ptxas pairs up to a third of
        # them, which is not counted.
        # Multiplications: NVIDIA CUDA C++ Programming Guide 11, table of arithmetic throughput, 3.7: 32 results per
        # clock and SM, where other integer arithmetic has 160.
        "sm_37": Rates(
            arithmetic_cycles=1,
            multiplication_cycles=4,
            own_multiplier=True,
            short_multiplications=False,
            common_issue=True,
            merged_elements=4,
            clock_hz=None,
            launch_s=0.0,
        ),
        # Issue: AMD Graphics Cores Next white paper: a SIMD of 16 lanes takes four cycles for a wavefront; vector,
        # scalar and memory instructions of different wavefronts are issued in the same cycle. Offsets into workgroup
        # memory are part of the instruction.
        # Multiplications: LLVM, SISchedule.td: 32-bit ones at a quarter of the rate; AMDGPUCodeGenPrepare.cpp: 24-bit
        # ones for small operands, at the full rate. A gfx906 reaches 4275 and 12204 billion operations a second, and
        # 12881 of f32: github.com/krrishnarraj/clpeak/issues/109.
        # Merged reads: Vega 7nm ISA, DS_READ2_B32: two words by two addresses, which gain nothing over two reads.
        # Clock: 12000 GFLOPS, the artifact's arch/MI50.py.
        # Launch and synchronization: 17 microseconds on an MI325X, github.com/pytorch/FBGEMM/pull/6219; 18.5
        # on a gfx1201, github.com/ROCm/legacy-rocm-build/issues/6409.
        "gfx906": Rates(
            arithmetic_cycles=4,
            multiplication_cycles=16,
            own_multiplier=False,
            short_multiplications=True,
            common_issue=False,
            merged_elements=1,
            clock_hz=12000e9 / (60 * 128),
            launch_s=17e-6,
        ),
    }
)
"""By architecture."""
