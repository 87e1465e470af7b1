# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bank phases: how many passes the banks of workgroup memory need to serve one access of a subgroup.

Paper: ROLLER section 3.1 (bank conflicts). A subgroup's access is served in groups of lanes whose bytes fill all banks
once; a group needs as many phases as its busiest bank holds distinct words.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Banks:
    """The banks of a device's workgroup memory.

    Attributes:
        count: Number of banks.
        bank_bytes: Width of one bank.
    """

    count: int = 32
    bank_bytes: int = 4


def phases(addresses: Sequence[int], width_bytes: int, banks: Banks) -> int:
    """Return the phases of one access.

    Args:
        addresses: Byte address of each active lane, in lane order.
        width_bytes: Bytes that each lane accesses.
        banks: The device's banks.

    >>> phases([4 * lane for lane in range(32)], 4, Banks())
    1
    >>> phases([8 * lane for lane in range(32)], 4, Banks())
    2
    >>> phases([16 * lane for lane in range(32)], 16, Banks())
    4
    """
    row_bytes = banks.count * banks.bank_bytes
    group = max(1, row_bytes // max(width_bytes, banks.bank_bytes))
    total = 0
    for start in range(0, len(addresses), group):
        words: dict[int, set[int]] = {}
        for address in addresses[start : start + group]:
            for word in range(address // banks.bank_bytes, (address + width_bytes - 1) // banks.bank_bytes + 1):
                words.setdefault(word % banks.count, set()).add(word)
        total += max((len(found) for found in words.values()), default=0)
    return total
