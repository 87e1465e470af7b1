# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operands of programs nothing writes while a function runs: what may be accessed before it is waited for others.

These are weights and other inputs. All else may be a result of another program, or memory that one still reads.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from roller_mlir.dialects import rtile
from roller_mlir.lowering.codegen.buffers.order import place_of
from roller_mlir.lowering.loops.program import accessed_operands
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class ProgramUses:
    """Programs of the same operands, and what these are wherever one of them is used.

    Attributes:
        loaded: The operands that one of the programs loads.
        stored: Those that one stores to.
        operands: The operands of each use.
    """

    loaded: frozenset[int]
    stored: frozenset[int]
    operands: tuple[tuple[ir.Value, ...], ...]

    @classmethod
    def of(cls, programs: Iterable[rtile.ProgramOp], operands: Iterable[Sequence[ir.Value]]) -> "ProgramUses":
        """Read programs on buffers.

        Args:
            programs: The programs.
            operands: Those of each use.
        """
        loaded, stored = set[int](), set[int]()
        for program in programs:
            read, written = accessed_operands(program)
            loaded |= read
            stored |= written
        return cls(frozenset(loaded), frozenset(stored), tuple(map(tuple, operands)))


def early_operands(uses: Sequence[ProgramUses]) -> list[tuple[int, ...]]:
    """Return of each of a function's programs the operands that it loads and that nothing writes in any use.

    Args:
        uses: All programs of the function.
    """
    place = cache(place_of)  # weights are operands of several
    written = {place(given[number])[0] for one in uses for given in one.operands for number in one.stored}
    return [
        tuple(
            number
            for number in sorted(one.loaded - one.stored)
            if all(place(given[number])[0] not in written for given in one.operands)
        )
        for one in uses
    ]
