# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For how long the tasks of a program keep the memories of a device busy: no schedule of them takes less.

Tasks of one kernel that run side by side draw what each is predicted to draw on its share, which the memory need not
have for all of them. What they find in workgroup memory they do not draw.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class MemoryTimes:
    """What tasks draw of each memory, if they find nothing in workgroup memory.

    Attributes:
        drawn_s: For how long each memory is busy.
        bytes_per_s: What it moves.
    """

    drawn_s: tuple[float, ...] = ()
    bytes_per_s: tuple[float, ...] = ()

    def least_s(self, found_bytes: int) -> float:
        """Return what no schedule comes below whose tasks find so much of what they read."""
        each = zip(self.drawn_s, self.bytes_per_s, strict=True)
        return max([0.0, *(drawn - found_bytes / rate for drawn, rate in each)])
