# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bank phases: how many passes the banks of workgroup memory need to serve one access of a subgroup.

Paper: ROLLER section 3.1 (bank conflicts). A subgroup's access is served in groups of lanes whose bytes fill all banks
once; a group needs as many phases as its busiest bank holds distinct words. The lanes of a group are neighbours, except
those of 16-byte loads on devices that say otherwise.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from roller_mlir.plan.records.hashed import hashed_once

WIDE_LOAD_BYTES = 16
"""Bytes per lane of the loads that `Banks.wide_load_lanes` is about."""


@hashed_once
@dataclass(frozen=True)
class Banks:
    """The banks of a device's workgroup memory.

    Attributes:
        count: Number of banks.
        bank_bytes: Width of one bank.
        wide_load_lanes: The lanes of a subgroup that are served together when each loads 16 bytes, group by group.
            Empty: neighbours, as for every other access.
    """

    count: int = 32
    bank_bytes: int = 4
    wide_load_lanes: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        """Check that the groups share out the lanes of a subgroup; raises ValueError."""
        lanes = sorted(lane for group in self.wide_load_lanes for lane in group)
        if lanes != list(range(len(lanes))):
            raise ValueError(f"wide_load_lanes must name each lane from 0 on once, but got {self.wide_load_lanes}")

    def served_together(self, lanes: int, width_bytes: int, *, load: bool) -> Sequence[Sequence[int]]:
        """Return the groups of lanes that the banks serve one after the other.

        Args:
            lanes: Lanes that take part: those from 0 to below this number.
            width_bytes: Bytes that each lane accesses.
            load: Whether the access is a load.

        Raises:
            ValueError: The device's subgroups have fewer lanes.

        >>> Banks(4, 4).served_together(6, 4, load=True)
        [range(0, 4), range(4, 6)]
        >>> paired = Banks(8, 4, ((0, 3), (1, 2)))
        >>> paired.served_together(4, 16, load=True), paired.served_together(4, 16, load=False)
        (((0, 3), (1, 2)), [range(0, 2), range(2, 4)])
        """
        if load and width_bytes == WIDE_LOAD_BYTES and self.wide_load_lanes:
            known = sum(map(len, self.wide_load_lanes))
            if lanes == known:
                return self.wide_load_lanes
            if lanes > known:
                raise ValueError(f"lanes must be at most the {known} of wide_load_lanes, but got {lanes}")
            taking_part = [[lane for lane in group if lane < lanes] for group in self.wide_load_lanes]
            return [group for group in taking_part if group]
        size = max(1, self.count * self.bank_bytes // max(width_bytes, self.bank_bytes))
        return [range(first, min(first + size, lanes)) for first in range(0, lanes, size)]


def phases(addresses: Sequence[int], width_bytes: int, banks: Banks, *, load: bool) -> int:
    """Return the phases of one access.

    Args:
        addresses: Byte address of each lane, from lane 0 on.
        width_bytes: Bytes that each lane accesses.
        banks: The device's banks.
        load: Whether the access is a load.

    >>> phases([4 * lane for lane in range(32)], 4, Banks(), load=True)
    1
    >>> phases([8 * lane for lane in range(32)], 4, Banks(), load=True)
    2
    >>> phases([16 * lane for lane in range(32)], 16, Banks(), load=True)
    4
    """
    count, bank_bytes = banks.count, banks.bank_bytes
    span = -(-width_bytes // bank_bytes)
    total = 0
    # Lanes that start on a bank and cover whole banks collide only as a whole: one word stands for all.
    whole = width_bytes % bank_bytes == 0 and count % span == 0 and gcd(*addresses) % width_bytes == 0
    if whole:
        addresses, count = [at // width_bytes for at in addresses], count // span
    for group in banks.served_together(len(addresses), width_bytes, load=load):
        chosen = [addresses[lane] for lane in group]
        found = set(chosen)
        if not whole:
            found = {word for at in found for word in range(at // bank_bytes, (at + width_bytes - 1) // bank_bytes + 1)}
        distinct = {word % count for word in found}
        total += 1 if len(distinct) == len(found) else max(Counter([word % count for word in found]).values())
    return total
