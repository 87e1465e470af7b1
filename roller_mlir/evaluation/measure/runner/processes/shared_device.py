# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this package and torch share in one process: the device and its memory."""

import gc
import sys

from roller_mlir.evaluation.measure.runner.devices import Bench
from roller_mlir.evaluation.measure.runner.expected.element_arrays import import_torch


def use_with_torch(bench: Bench) -> None:
    """Let torch, where it is, work on the device of a bench."""
    torch = import_torch() if bench.driver is not None else None
    if bench.driver is not None and torch is not None and torch.cuda.is_available():
        torch.cuda.set_device(bench.driver.ordinal)


def free_memory(bench: Bench) -> None:
    """Give back what nobody holds any more, of this package and of torch, where it is in use.

    What is left then is libraries, of which torch with its compiler takes 0.1 s to look through each time; so they are
    looked through once.
    """
    gc.collect()
    gc.freeze()
    bench.trim()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
