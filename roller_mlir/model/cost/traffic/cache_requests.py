# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What loads ask of the cache next to the units: a request for each of its lines that an access of a subgroup touches.

However little of a line it is about, a request occupies the cache for half a line at least. Measured on an H100 SXM:
160 G requests/s at most; loads of full lines run at 8.1 TB/s.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.traffic.sectors import coalesced_sectors
from roller_mlir.model.machine import Machine
from roller_mlir.model.problem_context import AccessContext

LEAST_LINE_SHARE = 0.5
"""Share of a line for which a request occupies the cache, at least."""


@dataclass(slots=True)
class LoadRequests:
    """What the loads of a task ask for in a step, in bytes that the cache would serve of full lines meanwhile.

    Attributes:
        more: Beyond the bytes of the tiles, each byte once.
        direct: Bytes of tiles that threads read straight from the cache, each byte once.
        again: What threads ask for beyond these, if no first cache keeps anything from one load to the next.
    """

    more: float = 0.0
    direct: float = 0.0
    again: float = 0.0

    def add_staged(self, machine: Machine, access: AccessContext, blocks: Sequence[int]) -> None:
        """Count a tile that is copied, row by row."""
        key = access.own(blocks)
        more = access.requests.get(key)
        if more is None:
            _, extent, step = access.tile(blocks)
            row = ((extent - 1) * step + 1) * access.element_bytes
            sectors, lines = -(-row // machine.sector_bytes), max(1.0, row / machine.line_bytes)
            moved = machine.sector_bytes * sectors
            more = access.traffic(blocks) * (occupied_bytes(machine, sectors, lines) / moved - 1)
            access.requests[key] = more
        self.more += more

    def add_direct(
        self, machine: Machine, access: AccessContext, candidate: Candidate, width_bytes: int, sectors: int, loads: int
    ) -> None:
        """Count a tile that threads read where it is.

        Args:
            machine: Where.
            access: The tensor.
            candidate: The program.
            width_bytes: Bytes of a load.
            sectors: Sectors that a load of a subgroup touches.
            loads: Loads of all subgroups.
        """
        lanes = min(machine.device.subgroup_size, candidate.thread_count)
        lines = coalesced_sectors(access.strides, candidate, width_bytes, lanes, machine.line_bytes)
        each, moved = occupied_bytes(machine, sectors, lines), access.traffic(candidate.blocks)
        once = moved * each / (machine.sector_bytes * sectors)
        self.more += once - moved
        self.direct += moved
        self.again += max(0.0, loads * each - once)


def occupied_bytes(machine: Machine, sectors: float, lines: float) -> float:
    """Return for how many bytes of full lines a load of a subgroup occupies the cache.

    Args:
        machine: Where.
        sectors: Sectors that it touches.
        lines: Lines of the cache that it touches.
    """
    return max(machine.sector_bytes * sectors, LEAST_LINE_SHARE * machine.line_bytes * lines)
