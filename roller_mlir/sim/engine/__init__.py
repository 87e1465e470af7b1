# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs under each simulated kernel: memory layout, scheduler, clocks, counters, shadow memory, the JIT."""
