# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small functions of LLVM IR on this machine, and the processor time that they take."""

import ctypes
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import llvmlite.binding as llvm

LEAST_SAMPLES = 9
SAMPLE_S = 1e-3
"""Processor time of a sample, at least: beyond the clock's grain, below what a scheduler gives at a time."""


class LeastTime(NamedTuple):
    """Processor seconds of a call.

    Attributes:
        least_s: The least sample, which counts: others on the machine only ever add to it.
        spread: By how much the median sample is above it, as a share.
    """

    least_s: float
    spread: float


class NativeFunction:
    """A compiled `i64 @probe(ptr a, ptr b, i64 n, i64 m)`, with the engine that holds its code."""

    def __init__(self, text: str) -> None:
        """Compile it for the cores of this machine, as it stands: loops are not vectorised or unrolled any further."""
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
        )
        module = llvm.parse_assembly(text)
        module.verify()
        self._engine: Any = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        kinds = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        self._function = ctypes.CFUNCTYPE(*kinds)(self._engine.get_function_address("probe"))

    def __call__(self, a: int, b: int = 0, n: int = 0, m: int = 1) -> int:
        """Run it on two addresses and two numbers."""
        return int(self._function(a, b, n, m))


def timed(run: Callable[[], object], budget_s: float) -> LeastTime:
    """Return the processor seconds of a call of this thread, of samples that fill a budget; the first warms caches."""
    run()
    first = _sample(run, 1)
    calls = max(1, int(SAMPLE_S / max(first, 1e-8)))
    found: list[float] = []
    while len(found) < LEAST_SAMPLES or sum(found) * calls < budget_s:
        found.append(_sample(run, calls))
    return LeastTime(min(found), median(found) / min(found) - 1)


def _sample(run: Callable[[], object], calls: int) -> float:
    start = time.thread_time()
    for _ in range(calls):
        run()
    return (time.thread_time() - start) / calls
