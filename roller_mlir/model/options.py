# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may force of a construction."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ConstructOptions:
    """Options of `construct`.

    Attributes:
        top_k: Programs to return at most.
        tile_sizes: Block per loop, in loop order (one step of it, for a reduction loop); empty: constructed.
        thread_tile: Points per thread and loop, in loop order; empty: constructed.
        stages: Buffers of staged operands, 1 or 2; 0: decided by the construction.
        epsilon: Largest share of an axis by which padding may grow it, before it is relaxed (ROLLER section 3.1).
    """

    top_k: int = 10
    tile_sizes: tuple[int, ...] = ()
    thread_tile: tuple[int, ...] = ()
    stages: int = 0
    epsilon: float = 0.5

    def __post_init__(self) -> None:
        if self.top_k < 1:
            raise ValueError(f"top_k must be at least 1, but got {self.top_k}")
        for name in ("tile_sizes", "thread_tile"):
            sizes: tuple[int, ...] = getattr(self, name)
            if any(size < 1 for size in sizes):
                raise ValueError(f"{name} must be at least 1 each, but got {list(sizes)}")
        if self.stages not in (0, 1, 2):
            raise ValueError(f"stages must be 0 (decided), 1 or 2, but got {self.stages}")
        if self.epsilon < 0:
            raise ValueError(f"epsilon must not be negative, but got {self.epsilon}")
