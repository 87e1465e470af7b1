# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a share of the cases forces of the compiler, as data."""

import random
from dataclasses import dataclass, replace

from roller_mlir.hal.atoms import MATRIX_FAMILIES, atom_family
from roller_mlir.model.search.alignment import RULES


@dataclass(frozen=True)
class Forced:
    """What a case forces.

    Attributes:
        split: Whether reductions may be divided.
        stages: Buffers of staged operands; 0 for the model's choice.
        disabled_rules: Alignment rules that are left out.
        rank: Which of the constructed plans each operator takes; 0 is the best.
        tile_seed: Of random points of each loop in a task, in a thread or both; None for none.
        fusion: Whether ops may be joined into one kernel.
        families: Matrix instructions of which an operator that they can compute takes one, best or of that rank, with
            such stages and a random tile; () for the model's choice.
        allow_tf32: Whether factors of type f32 may be rounded to tf32.
        walks: Whether tasks that could hold their rows walk them, in steps that `tile_seed` draws; on devices of
            vectors, whether tasks walk tiles and pack, as it draws.
    """

    split: bool = True
    stages: int = 0
    disabled_rules: tuple[str, ...] = ()
    rank: int = 0
    tile_seed: int | None = None
    fusion: bool = True
    families: tuple[str, ...] = ()
    allow_tf32: bool = False
    walks: bool = False

    def simpler(self) -> tuple["Forced", ...]:
        """Return what forces less, least first."""
        least = Forced(allow_tf32=self.allow_tf32)
        fewer = [least, replace(self, stages=0), replace(self, split=True), replace(self, fusion=True)]
        if len(self.disabled_rules) > 1:
            fewer += [replace(self, disabled_rules=(rule,)) for rule in self.disabled_rules]
        if self.families:
            fewer += [replace(self, families=()), replace(self, tile_seed=None), replace(self, rank=0)]
        fewer += [replace(least, rank=rank) for rank in range(1, self.rank)]
        return tuple(one for one in dict.fromkeys(fewer) if one != self)


def draw_forced(generator: random.Random) -> Forced:
    """Return what a case forces: mostly nothing."""
    drawn = generator.random()
    if drawn < 0.58:
        return Forced()
    if drawn < 0.64:
        return Forced(walks=True, tile_seed=generator.randrange(1 << 30), rank=generator.choice((0, 0, 1, 2)))
    if drawn < 0.72:
        return Forced(rank=generator.randint(1, 9))
    if drawn < 0.80:
        return Forced(tile_seed=generator.randrange(1 << 30), stages=generator.choice((0, 0, 1, 2)))
    if drawn < 0.84:
        return Forced(split=False)
    if drawn < 0.88:
        return Forced(fusion=False, split=generator.random() < 0.7)
    if drawn < 0.92:
        return Forced(stages=generator.choice((1, 2)), split=generator.random() < 0.5)
    rules = tuple(rule for rule in RULES if generator.random() < 0.5)
    return Forced(disabled_rules=rules, split=generator.random() < 0.7)


def draw_matrix_forced(generator: random.Random, *, allow_tf32: bool) -> Forced:
    """Return what a case for matrix units forces: of half of them plans with such instructions."""
    forced = Forced(allow_tf32=allow_tf32)
    drawn = generator.random()
    in_registers = tuple(one for one in MATRIX_FAMILIES if not atom_family(one).reads_memory)
    families = MATRIX_FAMILIES if generator.random() < 0.7 else in_registers
    if drawn < 0.40:
        return forced
    if drawn < 0.58:
        return replace(forced, families=families, rank=generator.choice((0, 0, 1, 2, 4, 8)))
    if drawn < 0.72:
        return replace(forced, families=families, stages=generator.choice((1, 2, 3, 4)))
    if drawn < 0.90:
        stages = generator.choice((0, 0, 1, 2, 3, 4))
        return replace(forced, families=families, stages=stages, tile_seed=generator.randrange(1 << 30))
    return replace(forced, split=generator.random() < 0.5, fusion=generator.random() < 0.3)
