# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `rtile` dialect object, which the attribute and op modules register with, and how it is loaded into a context.

No module of this dialect may use `from __future__ import annotations`: the bindings read the annotation objects.
"""

from typing import Any

from roller_mlir.dialects.loading import load_dialect
from roller_mlir.support.bindings import ext, ir


class RTile(ext.Dialect, name="rtile"):
    """Tiles, hierarchical tile programs and the plans from which they are made. Paper: ROLLER sections 3.1 and 3.2."""


class MemoryBehaviour(ir.MemoryEffectsOpInterface):
    """Effects of an op that is pure on tensors: with memref operands it reads or writes them.

    Subclasses say which by `effect_names`; without memref operands the op is free to be merged, moved or dropped.
    """

    effect_names: tuple[str, ...] = ()

    @classmethod
    def get_effects(cls, op: Any, effects: Any) -> None:
        """Called by MLIR: append the effects of `op`."""
        if touches_memory(op):
            for name in cls.effect_names:
                effects.append(getattr(ir.MemoryEffect, name))


class ReadsMemrefs(MemoryBehaviour):
    """Reads its memref operands, pure on tensors."""

    effect_names = ("Read",)


class WritesMemrefs(MemoryBehaviour):
    """Writes its memref operands, pure on tensors."""

    effect_names = ("Write",)


class ReadsAndWritesMemrefs(MemoryBehaviour):
    """Reads and writes its memref operands, pure on tensors."""

    effect_names = ("Read", "Write")


class Speculatable(ir.ConditionallySpeculatable):
    """May be executed where it was not asked for, unless it touches memory."""

    @staticmethod
    def get_speculatability(op: Any) -> Any:
        """Return to MLIR whether `op` may be moved out of loops and conditions."""
        return ir.Speculatability.NotSpeculatable if touches_memory(op) else ir.Speculatability.Speculatable


def touches_memory(op: Any) -> bool:
    """Return whether an operand of `op` is a memref."""
    return any(isinstance(operand.type, ir.MemRefType) for operand in op.operands)


def load(context: Any) -> None:
    """Load the dialect into `context`; see `load_dialect`."""
    load_dialect(RTile, context)
