# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whose devices can be described, and what all devices of a vendor share; the family of a new target adds its own."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Vendor:
    """What all devices of a vendor share.

    Attributes:
        name: What devices name as their vendor.
        compiles: Whether code is generated for them; if not, they are for the construction and its model only.
        has_ptx: Whether their code is PTX, so that a device says from which version on PTX knows it.
        tick_ns: Nanoseconds of a tick of the counter that all units read; None where no such counter is known.
        fence_covers_block: Whether a thread's release fence, behind a barrier, covers what the other threads of its
            block wrote; if not, each thread releases its own.
    """

    name: str
    compiles: bool = True
    has_ptx: bool = False
    tick_ns: int | None = None
    fence_covers_block: bool = False


_VENDORS = {
    one.name: one
    for one in (
        # PTX ISA, %globaltimer: nanoseconds; memory consistency model: causality order is cumulative.
        Vendor(name="nvidia", has_ptx=True, tick_ns=1, fence_covers_block=True),
        # s_memrealtime counts at a constant 100 MHz. On the line gfx9 a barrier waits for no stores of other
        # subgroups, nor does a fence.
        Vendor(name="amd", tick_ns=10),
        Vendor(name="cpu"),
        Vendor(name="graphcore", compiles=False),
    )
}


def register_vendor(name: str) -> None:
    """Make devices of a vendor known, for which code is generated."""
    _VENDORS[name] = replace(_VENDORS.get(name, Vendor(name=name)), compiles=True)


def vendor_named(name: str) -> Vendor:
    """Return the vendor of that name, which must be known."""
    return _VENDORS[name]


def vendors() -> tuple[str, ...]:
    """Return the vendors whose devices can be described; some are for the construction and its model only."""
    return tuple(_VENDORS)


def compiling_vendors() -> tuple[str, ...]:
    """Return the vendors for whose devices code is generated."""
    return tuple(one.name for one in _VENDORS.values() if one.compiles)
