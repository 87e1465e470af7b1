# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes that kernels and their accesses carry for the back ends and the simulator."""

# On a kernel: how many of its blocks are to fit on one unit, a bound on registers.
TASKS_PER_UNIT = "rtile.tasks_per_unit"
# On a kernel: scalar fused multiply-adds in its IR; fewer in the output mean that a loop was lost.
FMA_COUNT = "rtile.fma_count"
# On a memory access: what reports call it.
SITE = "rtile.site"
