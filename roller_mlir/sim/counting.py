# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a counted launch did to memory, per access site: accesses, bytes, sectors and bank phases of subgroups."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roller_mlir.sim.engine.layout import Counter, Space
from roller_mlir.sim.engine.sites import SiteTable


@dataclass(frozen=True, kw_only=True)
class SiteCount:
    """Counts of one access site.

    Attributes:
        site: What `rtile.site` says, or the operation and its place.
        kind: "load", "store", "atomic", or "" for a total over several kinds.
        space: "global" or "workgroup".
        accesses: Instructions issued by subgroups; a vector wider than 16 bytes takes several.
        lanes: Lanes that took part, over all accesses.
        bytes: Bytes that the lanes asked for.
        sectors32: Distinct 32-byte sectors, summed over accesses; 0 for workgroup memory.
        phases: Passes over the banks, summed over accesses; 0 for global memory.
        ideal: The sectors, or phases, that the same accesses need at best: the distinct bytes packed densely (global),
            one phase for each group of lanes that fills the banks once (workgroup).
    """

    site: str
    kind: str
    space: str
    accesses: int = 0
    lanes: int = 0
    bytes: int = 0
    sectors32: int = 0
    phases: int = 0
    ideal: int = 0

    def plus(self, other: "SiteCount") -> "SiteCount":
        """Return the sum; the names are this one's."""
        return replace(
            self,
            accesses=self.accesses + other.accesses,
            lanes=self.lanes + other.lanes,
            bytes=self.bytes + other.bytes,
            sectors32=self.sectors32 + other.sectors32,
            phases=self.phases + other.phases,
            ideal=self.ideal + other.ideal,
        )


@dataclass(frozen=True)
class Counts:
    """Counts of one launch.

    Attributes:
        sites: In program order; operations with one label, kind and memory are one site.
    """

    sites: tuple[SiteCount, ...]

    def total(self, space: str, kind: str | None = None) -> SiteCount:
        """Return the sum over the sites of a memory, and of a kind where one is given.

        >>> one = SiteCount(site="load A", kind="load", space="global", accesses=2, bytes=256)
        >>> Counts((one, one)).total("global").bytes
        512
        """
        chosen = [one for one in self.sites if one.space == space and kind in (None, one.kind)]
        return _sum(SiteCount(site="total", kind=kind or "", space=space), chosen)


def _sum(start: SiteCount, parts: Iterable[SiteCount]) -> SiteCount:
    for part in parts:
        start = start.plus(part)
    return start


def collect(table: SiteTable, counters: "np.ndarray[Any, Any]") -> Counts:
    """Make counts of the compiled counter's table, one row a site."""
    found: dict[tuple[str, str, str], SiteCount] = {}
    for site in table:
        row = counters[site.number]
        if not site.kind or not row[Counter.ACCESSES]:  # the ends of iterations are counted, too
            continue
        name = site.label or f"{site.op} at {site.place}"
        space = "workgroup" if site.space is Space.WORKGROUP else "global"
        count = SiteCount(
            site=name,
            kind=site.kind,
            space=space,
            accesses=int(row[Counter.ACCESSES]),
            lanes=int(row[Counter.LANES]),
            bytes=int(row[Counter.LANES]) * site.width_bytes,
            sectors32=int(row[Counter.SECTORS]),
            phases=int(row[Counter.PHASES]),
            ideal=int(row[Counter.IDEAL]),
        )
        key = (name, site.kind, space)
        found[key] = found[key].plus(count) if key in found else count
    return Counts(tuple(found.values()))
