# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may force of a construction."""

from dataclasses import dataclass

from roller_mlir.hal.instructions import FAMILIES
from roller_mlir.model.search.alignment import RULES

MOST_STAGES = 8
"""Buffers of staged operands at most."""


@dataclass(frozen=True, kw_only=True)
class ConstructOptions:
    """Options of `construct`.

    Attributes:
        top_k: Programs to return at most.
        tile_sizes: Block per loop, in loop order (one step of it, for a reduction loop); empty: constructed.
        thread_tile: Points per thread and loop, in loop order; empty: constructed.
        stages: Buffers of staged operands, more than 2 where no copy passes through registers; 0: decided by the
            construction.
        split: Whether reductions may be divided over tasks, with a second stage that joins the parts.
        max_units: Units that the program may use at most; None for the whole device.
        instructions: Families of instructions that may be used ("fma", "packed_fma", "mma", ...); empty: all.
        allow_tf32: Whether factors of type f32 may be rounded to tf32 for a matrix instruction.
        disabled_rules: Alignment rules that are left out (see `alignment.RULES`), to see what they are worth.
        epsilon: Largest share of an axis by which padding may grow it, before it is relaxed (ROLLER section 3.1).
    """

    top_k: int = 10
    tile_sizes: tuple[int, ...] = ()
    thread_tile: tuple[int, ...] = ()
    stages: int = 0
    split: bool = True
    max_units: int | None = None
    instructions: tuple[str, ...] = ()
    allow_tf32: bool = False
    disabled_rules: tuple[str, ...] = ()
    epsilon: float = 0.5

    def __post_init__(self) -> None:
        if self.top_k < 1:
            raise ValueError(f"top_k must be at least 1, but got {self.top_k}")
        for name in ("tile_sizes", "thread_tile"):
            sizes: tuple[int, ...] = getattr(self, name)
            if any(size < 1 for size in sizes):
                raise ValueError(f"{name} must be at least 1 each, but got {list(sizes)}")
        if not 0 <= self.stages <= MOST_STAGES:
            raise ValueError(f"stages must be 0 (decided) to {MOST_STAGES}, but got {self.stages}")
        if self.max_units is not None and self.max_units < 1:
            raise ValueError(f"max_units must be at least 1, but got {self.max_units}")
        for name, given, known in (
            ("instructions", self.instructions, FAMILIES),
            ("disabled_rules", self.disabled_rules, RULES),
        ):
            for one in given:
                if one not in known:
                    raise ValueError(f"{name} must be some of {', '.join(known)}, but got '{one}'")
        if self.epsilon < 0:
            raise ValueError(f"epsilon must not be negative, but got {self.epsilon}")
