# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sites: the operations at which a simulated thread can wait, fail or touch memory, numbered in program order."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from roller_mlir.sim.engine.layout import ADDRESS_BITS, Space
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail, place_of

_MOST_SITES = 1 << (64 - ADDRESS_BITS)


@dataclass(frozen=True, kw_only=True)
class Site:
    """One operation of a kernel.

    Attributes:
        number: Its place in the table.
        kernel: Name of the kernel.
        op: Name of the operation, such as "vector.load".
        label: What `rtile.site` says, or "" without it.
        place: Source location, "file:line:column", or "unknown".
        kind: "load", "store" or "atomic" for an access, else "".
        space: The memory that it touches.
        width_bytes: Bytes that one lane moves with one instruction.
        shape: Shape of the memref that it indexes; None where an extent is dynamic.
        extent: Points that it covers from its index on, per dimension.
    """

    number: int
    kernel: str
    op: str
    label: str
    place: str
    kind: str = ""
    space: Space = Space.OTHER
    width_bytes: int = 0
    shape: tuple[int | None, ...] = ()
    extent: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """How reports call it: its label, or its operation and place."""
        return f"'{self.label}' ({self.op} at {self.place})" if self.label else f"{self.op} at {self.place}"


@dataclass
class SiteTable:
    """The sites of all kernels of a module.

    Attributes:
        file: What reports call text that has no name.
        sites: By number.
        watched: Of each kernel the names of the values that the report of a stuck wait shows, by their numbers.
    """

    file: str = "-"
    sites: list[Site] = field(default_factory=list[Site])
    watched: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def watch(self, kernel: str, name: str) -> int:
        """Number a name of what a kernel watches; one name has one number."""
        names = self.watched.setdefault(kernel, [])
        if name not in names:
            names.append(name)
        return names.index(name)

    def add(self, kernel: str, operation: Any, **details: Any) -> Site:
        """Number an operation; `details` are the other attributes of `Site`."""
        if len(self.sites) == _MOST_SITES:
            fail(operation, f"the simulator numbers at most {_MOST_SITES} operations of a module; unroll less")
        label = ""
        if "rtile.site" in operation.attributes:
            label = str(ir.StringAttr(operation.attributes["rtile.site"]).value)
        place = place_of(operation.location)
        where = "unknown" if place is None else str(replace(place, file=self.file) if place.file == "-" else place)
        site = Site(number=len(self.sites), kernel=kernel, op=str(operation.name), label=label, place=where, **details)
        self.sites.append(site)
        return site

    def groups(self) -> list[int]:
        """Return of each site the first one that does the same: of the same label, operation, kind and kernel."""
        first: dict[tuple[str, ...], int] = {}
        found: list[int] = []
        for site in self.sites:
            key = (site.kernel, site.op, site.kind, site.label or str(site.number))
            found.append(first.setdefault(key, site.number))
        return found

    def __getitem__(self, number: int) -> Site:
        return self.sites[number]

    def __len__(self) -> int:
        return len(self.sites)

    def __iter__(self) -> Iterator[Site]:
        return iter(self.sites)
