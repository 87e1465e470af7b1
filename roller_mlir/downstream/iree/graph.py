# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graph mode: of each block of IREE's program, the operations that we compile together, and what stays IREE's.

IREE's phase global-optimization has evaluated constants and kept paddings and operations whole. Here each of our
operations gets a level: how many of IREE's come before it, one after another. Those of a level are one part, which we
fuse and plan as a whole; between levels IREE's own operations run:

    level 0        linalg.matmul, linalg.generic            part @f_0
                   iree_linalg_ext.sort                     IREE's
    level 1        linalg.generic                           part @f_1

An operation that we refuse becomes IREE's, and the block is divided again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from roller_mlir.downstream.iree.parts import (
    BARRIERS,
    Part,
    PartCompiler,
    PartError,
    function_text,
    insert_calls,
    values_taken,
)
from roller_mlir.downstream.iree.report import IREE, ROLLER, Line
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, operations_inside

_OURS = ("linalg", "tensor", "arith", "math")
# What IREE's own dialects compute without effects; what others of them do stays in order.
_PURE = (*_OURS, "iree_linalg_ext")
# How a program's arguments become values.
_ENTRY = ("hal.tensor.import", BARRIERS[0])
# Of constant bounds they are ours too.
_LOOPS = ("scf.for", "scf.forall")
_VIEWS = ("tensor.collapse_shape", "tensor.expand_shape")
# What is made again in each part that takes it.
_SOURCES = ("arith.constant", "tensor.empty", "linalg.fill")


# The bindings' hash of an operation changes with its operands; that of a value does not. Ours are known by the first
# result, therefore.
_Key: TypeAlias = ir.Value


@dataclass(frozen=True)
class _LevelGroup:
    """Operations of a level.

    Attributes:
        operations: In order.
        keys: Theirs.
        sources: What they take of constants and empty tensors, which is made again for them.
        inputs: What they take of others.
        outputs: What others take of them.
    """

    operations: tuple[ir.Operation, ...]
    keys: tuple[_Key, ...]
    sources: tuple[ir.Operation, ...]
    inputs: tuple[ir.Value, ...]
    outputs: tuple[ir.Value, ...]


def take_blocks(module: ir.Module, compiler: PartCompiler) -> tuple[list[Part], list[Line]]:
    """Replace what we compile of a program by dispatches of our kernels.

    Args:
        module: At IREE's phase global-optimization; changed in place.
        compiler: For the device.

    Returns:
        The parts that we compile, and who compiles each operation.
    """
    parts: list[Part] = []
    lines: list[Line] = []
    # Erased when nothing is made any more: what the bindings hold of erased operations must not meet new ones.
    replaced: dict[_Key, ir.Operation] = {}
    for function in list(module.body.operations):
        operation = function.operation
        if operation.name in ("util.func", "util.initializer"):
            name = operation.attributes["sym_name"].value if "sym_name" in operation.attributes else "initializer"
            for block in _blocks(operation, replaced):
                found, said = _take_block(block, name, compiler, replaced)
                parts += found
                lines += said
    for op in reversed(replaced.values()):
        op.erase()
    return parts, lines


def _blocks(operation: ir.Operation, replaced: Mapping[_Key, ir.Operation]) -> Iterator[ir.Block]:
    """Yield the blocks of a function, and then those of the control flow that is left in them."""
    for region in operation.regions:
        for block in region.blocks:
            yield block
            for op in block.operations:
                if op.operation.name.startswith("scf.") and _key(op.operation) not in replaced:
                    yield from _blocks(op.operation, replaced)


def _take_block(
    block: ir.Block, function: str, compiler: PartCompiler, replaced: dict[_Key, ir.Operation]
) -> tuple[list[Part], list[Line]]:
    refused: dict[_Key, str] = {}
    compiled: dict[tuple[_Key, ...], Part] = {}
    while True:
        levels = _Levels(block, refused)
        groups = [_group(one) for one in levels.groups if any(map(_computes, one))]
        # Each is tried, so that what is refused of several is known at once.
        if sum(not _compile(group, function, compiler, compiled, refused) for group in groups) == 0:
            break
    lines = _lines(block, compiler, refused, {key: compiled[group.keys].name for group in groups for key in group.keys})
    levels.sort()
    made: dict[ir.Value, ir.Value] = {}
    for group in groups:
        operands = [made.get(value, value) for value in group.inputs]
        results = insert_calls(compiled[group.keys], operands, group.operations[0])
        for old, new in zip(group.outputs, results, strict=True):
            old.replace_all_uses_with(new)
            made[old] = new
        replaced.update(zip(group.keys, group.operations, strict=True))
    return [compiled[group.keys] for group in groups], lines


def _compile(
    group: _LevelGroup,
    function: str,
    compiler: PartCompiler,
    compiled: dict[tuple[_Key, ...], Part],
    refused: dict[_Key, str],
) -> bool:
    """Compile a group, or note what of it is refused; return whether it is compiled."""
    if group.keys in compiled:
        return True
    name = compiler.name(function)
    numbered = [(len(group.operations), op) for op in group.sources] + list(enumerate(group.operations))
    try:
        compiled[group.keys] = compiler.compile(function_text(name, numbered, group.inputs, group.outputs), name)
    except PartError as error:
        number = error.operation
        victims = group.keys if number is None or number == len(group.keys) else (group.keys[number],)
        refused.update(dict.fromkeys(victims, str(error)))
        return False
    return True


class _Levels:
    """The levels of a block's operations.

    Attributes:
        groups: Ours, of one level each, in order.
    """

    def __init__(self, block: ir.Block, refused: Mapping[_Key, str]) -> None:
        self._refused = refused
        self._level: dict[ir.Value, int] = {}
        # What comes before everything: arguments, constants, and what is made of them alone.
        self._early: set[ir.Value] = set(block.arguments)
        self._late: set[ir.Value] = set()
        self._ordered: list[tuple[float, int, ir.Operation]] = []
        found: dict[int, list[ir.Operation]] = {}
        effects = 0
        *body, self._end = (op.operation for op in block.operations)
        for index, op in enumerate(body):
            taken = values_taken(op)
            level = max((self._level.get(value, 0) for value in taken), default=0)
            if self._is_early(op, taken):
                key = -1.0
                self._early.update(op.results)
            elif self._is_ours(op, taken):
                key = float(level)
                found.setdefault(level, []).append(op)
            else:
                if op.name.split(".")[0] not in _PURE:
                    level = effects = max(level, effects)
                    effects += 1
                key, level = level + 0.5, level + 1
                if op.name == BARRIERS[1] or any(value in self._late for value in taken):
                    self._late.update(op.results)
            self._level.update(dict.fromkeys(op.results, level))
            self._ordered.append((key, index, op))
        self.groups = [tuple(_without_loose_views(found[level])) for level in sorted(found)]

    def sort(self) -> None:
        """Bring the block's operations into the order of their levels."""
        for _, _, op in sorted(self._ordered, key=lambda one: one[:2]):
            op.move_before(self._end)

    def _is_early(self, op: ir.Operation, taken: Sequence[ir.Value]) -> bool:
        if op.name in (*_SOURCES, *_ENTRY, "util.global.load") or _enters(op):
            return all(value in self._early or _of_other_block(value, op) for value in taken)
        return False

    def _is_ours(self, op: ir.Operation, taken: Sequence[ir.Value]) -> bool:
        return (
            (op.name.split(".")[0] in _OURS or op.name in _LOOPS)
            and bool(op.results)
            and _key(op) not in self._refused
            and all(_is_static(value) for value in op.results)
            and all(_is_static(value) or _is_source(defining_op(value)) for value in taken)
            and not any(value in self._late for value in taken)
        )


def _group(operations: tuple[ir.Operation, ...]) -> _LevelGroup:
    mine = {value for op in operations for value in op.results}
    sources: dict[_Key, ir.Operation] = {}
    inputs: dict[ir.Value, None] = {}

    def take(value: ir.Value) -> None:
        if value in mine:
            return
        owner = defining_op(value)
        if _is_source(owner):
            for one in values_taken(owner):
                take(one)
            sources[_key(owner)] = owner
        else:
            inputs[value] = None

    for op in operations:
        for value in values_taken(op):
            take(value)
    outputs = [value for op in operations for value in op.results if any(not _inside(use, mine) for use in value.uses)]
    keys = tuple(map(_key, operations))
    return _LevelGroup(operations, keys, tuple(sources.values()), tuple(inputs), tuple(outputs))


def _key(op: ir.Operation) -> Any:
    return op.results[0] if op.results else None


def _inside(use: Any, mine: set[_Key]) -> bool:
    op = use.owner.operation
    while op is not None:
        if op.results and op.results[0] in mine:
            return True
        op = op.parent and op.parent.operation
    return False


def _without_loose_views(operations: list[ir.Operation]) -> list[ir.Operation]:
    """Leave out reshapes at the edge: of what comes from outside for what goes there."""
    while True:
        mine = {value for op in operations for value in op.results}
        kept = [
            op
            for op in operations
            if op.name not in _VIEWS or op.operands[0] in mine or any(_inside(use, mine) for use in op.results[0].uses)
        ]
        if len(kept) == len(operations):
            return kept
        operations = kept


def _computes(op: ir.Operation) -> bool:
    """Return whether an operation computes something rather than only moves data."""
    return op.name not in (*_SOURCES, *_VIEWS)


def _is_source(op: Any) -> bool:
    """Return whether an operation is a number, or a tensor of one number or of none; weights stay IREE's."""
    if op is None or op.name not in _SOURCES:
        return False
    if op.name == "arith.constant":
        value = op.attributes["value"]
        return not isinstance(op.results[0].type, ir.RankedTensorType) or (
            isinstance(value, ir.DenseElementsAttr) and value.is_splat
        )
    return all(_is_source(defining_op(value)) for value in op.operands)


def _is_static(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape


def _enters(op: ir.Operation) -> bool:
    """Return whether an operation belongs to how an argument enters the program."""
    uses = [use.owner.operation.name for result in op.results for use in result.uses]
    return bool(uses) and all(name == BARRIERS[0] for name in uses)


def _of_other_block(value: ir.Value, op: ir.Operation) -> bool:
    owner = value.owner
    block = owner if isinstance(owner, ir.Block) else owner.operation.block
    return block != op.block


def _lines(
    block: ir.Block, compiler: PartCompiler, refused: Mapping[_Key, str], ours: Mapping[_Key, str]
) -> list[Line]:
    """Return a line for each operation that computes something, also of those in loops of ours."""
    lines: list[Line] = []
    for one in block.operations:
        op = one.operation
        key, dialect = _key(op), op.name.split(".")[0]
        if key in ours:
            inside = operations_inside(op) if op.name in _LOOPS else [op]
            lines += [
                Line(name=inner.name, by=ROLLER, place=compiler.place(inner), program=ours[key])
                for inner in inside
                if inner.name.startswith("linalg.") and inner.name != "linalg.yield" and _computes(inner)
            ]
        elif key in refused:
            lines.append(Line(name=op.name, by=IREE, place=compiler.place(op), reason=refused[key]))
        elif op.results and dialect in ("linalg", "iree_linalg_ext", "scf") and _computes(op):
            lines.append(Line(name=op.name, by=IREE, place=compiler.place(op), reason=_reason(op)))
    return lines


def _reason(op: ir.Operation) -> str:
    """Return why an operation is none of those that we try."""
    if op.name.startswith("linalg."):
        for value in (*values_taken(op), *op.results):
            if isinstance(value.type, ir.RankedTensorType) and not value.type.has_static_shape:
                return f"'{op.name}' is on a tensor of dynamic shape: {value.type}"
            if not isinstance(value.type, ir.RankedTensorType) and not _is_source(defining_op(value)):
                return f"'{op.name}' takes a {value.type} that is known at run time only; pass it as a tensor"
    return f"'{op.name}' is not of linalg on static tensors"
