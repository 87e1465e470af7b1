# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured variants with what the model says of them."""

from dataclasses import dataclass
from typing import Any

from nest_problems import problems

from roller_mlir.model.polydl.caches import Cache, assign
from roller_mlir.model.polydl.cost import ranking_cost, seconds_by_layer, served_bytes
from roller_mlir.model.polydl.nest import TiledNest, TileLoop
from roller_mlir.model.polydl.working_sets import working_sets


@dataclass(frozen=True)
class Case:
    """One variant.

    Attributes:
        layers: Names of the caches and memory.
        held: Bytes of the working sets that each holds.
        served: Bytes that each hands to the body.
        cost: Equation 1.
        terms: Seconds of each layer, then of what does not depend on the caches: operations, and tiles of the body.
        seconds: Measured.
    """

    layers: tuple[str, ...]
    held: tuple[int, ...]
    served: tuple[float, ...]
    cost: float
    terms: tuple[float, ...]
    seconds: float

    def statistic(self, name: str) -> tuple[float, ...]:
        """Return the bytes that a network reads."""
        return {"held_bytes": self.held, "served_bytes": self.served}[name]


PEAK = 1e11
"""Operations a second by which their number becomes a term; a fit scales it."""

TILE_S = 1e-8
"""Seconds of one call of the body by which their number becomes a term; a fit scales it."""


def read_cases(data: dict[str, Any]) -> dict[str, list[Case]]:
    """Return the cases of each problem.

    Raises:
        ValueError: A problem is not known, or loops do not cover it.
        KeyError: A part of the data is missing.
    """
    caches = [Cache(**one) for one in data["caches"]]
    known = {one.name: one for one in problems(data["panel"])}
    found: dict[str, list[Case]] = {}
    for name, loops, seconds in data["rows"]:
        if name not in known:
            raise ValueError(f"'{name}' is no problem of nest_problems.py")
        nest = TiledNest(known[name].expression, tuple(TileLoop(*one) for one in loops))
        found.setdefault(name, []).append(case(nest, caches, seconds))
    return found


def case(nest: TiledNest, caches: list[Cache], seconds: float) -> Case:
    """Return a variant with what the model says of it."""
    sets = working_sets(nest)
    assigned = assign(sets, caches)
    layers = seconds_by_layer(nest, sets, assigned)
    tiles = 1.0
    for loop in nest.loops:
        tiles *= loop.count
    terms = (*layers.values(), nest.expression.flops / PEAK, tiles * TILE_S)
    return Case(
        tuple(layers), assigned.held_bytes, served_bytes(nest, sets, assigned), ranking_cost(assigned), terms, seconds
    )
