# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the faults that only the LLVM level finds are called in reports."""

from collections.abc import Sequence

from roller_mlir.sim.engine.layout import LaunchFault
from roller_mlir.sim.engine.sites import Site

LLVM_FAULTS = frozenset({LaunchFault.SPAN, LaunchFault.ALIGNMENT, LaunchFault.PROMISE, LaunchFault.DIVISION})


def llvm_fault(fault: LaunchFault, site: Site, values: Sequence[int]) -> tuple[str, str]:
    """Return kind and message of a fault, without thread and place."""
    if fault is LaunchFault.SPAN:
        offset, size, available = values[:3]
        return "out-of-bounds", f"{size} B from byte {offset} on are outside the {available} B of {site.label}"
    if fault is LaunchFault.ALIGNMENT:
        return "misaligned", f"address {values[0]:#x} is not a multiple of {values[1] + 1} B as promised"
    if fault is LaunchFault.DIVISION:
        above, below = values[:2]
        return "undefined", f"an integer is divided by 0, {above} / 0" if below == 0 else f"{above} / {below} overflows"
    return "undefined", "what the kernel promises to LLVM does not hold"
