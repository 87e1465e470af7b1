# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notes what each turn of a spin loop looks at, so that a deadlock's report can say which wait is stuck.

    scf.while: %now = llvm.load %p atomic ...; %more = arith.cmpi slt, %now, %target; scf.condition(%more)

notes the address, `%now`, `%target`, and that less keeps the loop going. Where the condition is nothing of that kind,
the report shows threads and places alone. A kernel may mark operations with `rtile.watch = "task"`: the report of a
stuck wait shows the last value that each of them gave.
"""

from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.loops.attributes import WATCH
from roller_mlir.sim.engine.layout import MOST_WATCHED, NEGATED, SWAPPED
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.emit import KernelEmitter
from roller_mlir.sim.gpu.memory_types import size_bytes
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of

_COMPARISONS = {"arith.cmpi", "llvm.icmp"}
_CONVERSIONS = {
    "arith.extui", "arith.extsi", "arith.trunci", "arith.index_cast", "arith.index_castui", "llvm.zext", "llvm.sext",
    "llvm.trunc", "llvm.extractvalue",
}  # fmt: skip
_JOINS = {"arith.andi", "arith.ori", "llvm.and", "llvm.or"}
_DIFFERENCES = {"arith.subi", "llvm.sub"}
_NEGATIONS = {"arith.xori", "llvm.xor"}
_READS = {"llvm.load": 0, "llvm.atomicrmw": 0, "llvm.cmpxchg": 0, "memref.load": 0, "memref.atomic_rmw": 1}
"""Operations that a loop polls with, and which operand says where."""


@dataclass(frozen=True)
class SpinCondition:
    """What keeps a spin loop going.

    Attributes:
        read: The operation that reads memory.
        value: What it gave, converted or not.
        wanted: What that is compared with.
        relation: Arith's predicate by which they keep the loop going.
    """

    read: Any
    value: Any
    wanted: Any
    relation: int


def _definition(value: Any) -> Any:
    return None if isinstance(value, ir.BlockArgument) else value.owner.operation


def _read_behind(value: Any) -> Any:
    """Return the operation that read a value from memory, through conversions; None: no such."""
    operation = _definition(value)
    while operation is not None and str(operation.name) in _CONVERSIONS:
        operation = _definition(operation.operands[0])
    return operation if operation is not None and str(operation.name) in _READS else None


def _difference(value: Any) -> list[Any] | None:
    """Return the operands of a subtraction from what was read: it compares counters that may wrap around."""
    operation = _definition(value)
    if operation is None or str(operation.name) not in _DIFFERENCES:
        return None
    return list(operation.operands) if _read_behind(operation.operands[0]) is not None else None


def find_poll(condition: Any, *, negated: bool = False) -> SpinCondition | None:
    """Return what a loop looks at; None where its condition does not compare an integer read from memory.

    Args:
        condition: An i1.
        negated: Whether the loop goes on where the condition does not hold.
    """
    operation = _definition(condition)
    if operation is None:
        return None
    name = str(operation.name)
    if name in _NEGATIONS:
        given, flips = operation.operands
        return find_poll(given, negated=not negated) if constant_of(flips) in (-1, 1) else None
    if name in _JOINS:
        found = (find_poll(operand, negated=negated) for operand in operation.operands)
        return next((one for one in found if one is not None), None)
    read = _read_behind(condition)
    if read is not None and str(read.name) == "llvm.cmpxchg" and name == "llvm.extractvalue":
        # Whether the exchange took place: memory held what was expected.
        old = ir.DenseI64ArrayAttr(operation.attributes["position"])
        if list(old) != [1]:
            return None
        return SpinCondition(read, None, read.operands[1], 0 if not negated else 1)
    if name not in _COMPARISONS:
        return None
    relation = int(ir.IntegerAttr(operation.attributes["predicate"]).value)
    left, right = operation.operands
    if not isinstance(left.type, ir.IntegerType | ir.IndexType) or relation >= len(SWAPPED):
        return None
    if _read_behind(left) is None and _difference(left) is None:
        left, right, relation = right, left, SWAPPED[relation]
    difference = _difference(left)
    if difference is not None and constant_of(right) == 0:
        left, right = difference
    read = _read_behind(left)
    if read is None:
        return None
    return SpinCondition(read, left, right, NEGATED[relation] if negated else relation)


def _address(emitter: KernelEmitter, where: Any, read: Any) -> Any:
    place = read.operands[_READS[str(read.name)]]
    if not str(read.name).startswith("memref."):
        return emitter.index(where, place)
    return emitter.address(where, place, list(read.operands)[_READS[str(read.name)] + 1 :])


def note_poll(emitter: KernelEmitter, operation: Any, site: int, poll: SpinCondition) -> None:
    """Emit before `operation`, behind all that the poll needs, what the turn of the loop looks at."""
    where = ir.InsertionPoint(operation)
    value = poll.value
    kind: Any = poll.wanted.type
    if value is None:
        value = emitter.create(
            where, "llvm.extractvalue", [poll.read.results[0]], [kind], {"position": ir.DenseI64ArrayAttr.get([0])}
        )[0]
    values = [emitter.index(where, one, signed=True) for one in (value, poll.wanted)]
    width = 8 if isinstance(kind, ir.IndexType) else size_bytes(kind)
    operands = [_address(emitter, where, poll.read), emitter.constant(width), *values, emitter.constant(poll.relation)]
    emitter.call(where, PREFIX + "poll", [site, *operands])


def plan_watch(emitter: KernelEmitter, operation: Any) -> Any:
    """Return what notes the value of a marked operation; None: it is not marked.

    Raises:
        DiagnosedError: It gives no integer, or too many are marked.
    """
    if WATCH not in operation.attributes:
        return None
    name = str(ir.StringAttr(operation.attributes[WATCH]).value)
    kinds = [result.type for result in operation.results]
    if len(kinds) != 1 or not isinstance(kinds[0], ir.IntegerType | ir.IndexType):
        fail(operation, f"'{WATCH}' must mark an operation that gives one integer, but '{operation.name}' does not")
    number = emitter.table.watch(emitter.kernel, name)
    if number >= MOST_WATCHED:
        fail(operation, f"'{WATCH}' marks values of more than {MOST_WATCHED} names in kernel '{emitter.kernel}'")

    emitter.needs.polls = True

    def note() -> None:
        where = ir.InsertionPoint.after(operation)
        value = emitter.index(where, operation.results[0], signed=True)
        emitter.call(where, PREFIX + "watch_value", [number, value])

    return note
