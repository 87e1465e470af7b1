# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task accesses before its waits are over: loads and copies of its early operands move in front of them.

    poll the counters of the waits; barrier                 %w = load of the weights
    %x = load of what another task wrote          becomes   store %w to workgroup memory
    %w = load of the weights                                poll the counters of the waits; barrier
    store %x, %w to workgroup memory                        %x = load of what another task wrote
                                                            store %x to workgroup memory

Only those up to the first loop of the body move, and of what stays in registers no more than `HELD_EARLY`: nothing
else of the body holds a register longer than before. Copies into workgroup memory move if nothing before them reads it:
until then all that is written there are other tiles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.task_context import element_bytes, is_workgroup
from roller_mlir.mapping.unrolling import HELD_EARLY
from roller_mlir.support.bindings import ir

_WORD_BYTES = 4
_LOADS = ("memref.load", "vector.load")
_STORES = ("memref.store", "vector.store")
_COPY = "nvgpu.device_async_copy"
_GROUP_END = "nvvm.cp.async.commit.group"
_NESTS = ("scf.if", "scf.for")
_PURE = ("arith.", "math.", "ub.", "vector.", "memref.view", "scf.yield")


@dataclass(frozen=True)
class _Effect:
    """What an op does, its regions included.

    Attributes:
        fixed: Whether it must stay behind the waits.
        loads: Whether it loads from an early operand.
        copies: Whether it writes workgroup memory.
        orders: Whether what is written to workgroup memory behind it must stay there.
    """

    fixed: bool = False
    loads: bool = False
    copies: bool = False
    orders: bool = False

    def __or__(self, other: "_Effect") -> "_Effect":
        return _Effect(
            self.fixed or other.fixed,
            self.loads or other.loads,
            self.copies or other.copies,
            self.orders or other.orders,
        )


_UNKNOWN = _Effect(fixed=True, orders=True)


def raise_early(block: ir.Block, waits: range, early: Sequence[ir.Value]) -> None:
    """Move accesses of a body in front of its waits.

    Args:
        block: The block that the body stands in, to its end.
        waits: Numbers of the operations of the block that are the waits.
        early: The buffers that may be accessed before.
    """
    if early:
        _MovableBody([op.operation for op in block.operations], waits, early).rise()


class _MovableBody:
    """The operations of a block, some of which move."""

    def __init__(self, ops: Sequence[ir.Operation], waits: range, early: Sequence[ir.Value]) -> None:
        self._ops, self._early, self._behind = ops, early, waits.stop
        # What the waits compute first is there for what moves.
        self._front = next(number for number in waits if self._effect(ops[number]).fixed)
        self._place = {op: number for number, op in enumerate(ops)}
        self._raised: set[int] = set()

    def rise(self) -> None:
        """Move what may move, in its order."""
        words, free = 0, True
        for number in range(self._behind, len(self._ops)):
            op = self._ops[number]
            effect = self._effect(op)
            if effect.fixed and op.name == "scf.for":
                return
            needed = None if effect.fixed else self._needed(number)
            if effect.copies:
                if needed is not None and free:
                    self._raise(needed)
            elif effect.loads and needed is not None:
                held = sum(_words(result.type) for result in op.results)
                if words + held <= HELD_EARLY:
                    words += held
                    self._raise(needed)
            free = free and not effect.orders

    def _raise(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._ops[number].move_before(self._ops[self._front])
        self._raised.update(numbers)

    def _needed(self, number: int) -> list[int] | None:
        """Return an operation and what it is computed of, but for what stands in front of the waits; None: it stays."""
        found: set[int] = set()
        open_ = [number]
        while open_:
            one = open_.pop()
            if one in found or one in self._raised or one < self._front:
                continue
            effect = self._effect(self._ops[one])
            if effect.fixed or (effect.copies and one != number):
                return None
            found.add(one)
            open_ += [self._place[owner] for owner in _owners(self._ops[one]) if owner in self._place]
        return sorted(found)

    def _effect(self, op: ir.Operation) -> _Effect:
        name = op.name
        if name in _LOADS:
            if op.operands[0] in self._early:
                return _Effect(loads=True)
            return _Effect(fixed=True, orders=is_workgroup(op.operands[0]))
        if name in _STORES:
            return _Effect(copies=True) if is_workgroup(op.operands[1]) else _Effect(fixed=True)
        if name == _COPY:
            sizes = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
            return _Effect(copies=True, fixed=op.operands[sizes[0] + sizes[1]] not in self._early)
        if name == _GROUP_END:
            return _Effect(fixed=True)
        if name in _NESTS:
            whole = _Effect()
            for inner in _inside(op):
                whole |= self._effect(inner)
            return whole
        accesses = name.startswith("vector.") and any(isinstance(one.type, ir.MemRefType) for one in op.operands)
        return _Effect() if name.startswith(_PURE) and not accesses else _UNKNOWN


def _inside(op: ir.Operation) -> Iterator[ir.Operation]:
    """Yield the operations of an operation's regions, of which nested ones are not looked into."""
    for region in op.regions:
        for block in region.blocks:
            yield from (inner.operation for inner in block.operations)


def _owners(op: ir.Operation) -> Iterator[ir.Operation]:
    """Yield the operations whose results an operation uses, its regions included."""
    for value in op.operands:
        if not isinstance(value.owner, ir.Block):
            yield value.owner.operation
    for inner in _inside(op):
        yield from _owners(inner)


def _words(kind: ir.Type) -> int:
    """Return the registers that a value takes."""
    count = 1
    if isinstance(kind, ir.VectorType):
        count, kind = ir.VectorType(kind).shape[0], ir.VectorType(kind).element_type
    return -(-count * element_bytes(kind) // _WORD_BYTES)
