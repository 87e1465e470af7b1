# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups: linalg ops that become one program, read as one tensor expression.

What one op makes and another reads stays in the registers of the thread that made it. So all ops of a group walk common
loops: where a tensor is made at (i, j) and read at (p, q), i is p and j is q; where two ops read one tensor, likewise.
One op may reduce over loops of its own, step by step, with tiles in workgroup memory: the heavy op, whose results the
others take (index-set splitting puts them behind the last step; PolyDL section 5). A loop that one op reduces and
another walks again, as a softmax does its row, lies in one task as a whole.

Paper: ROLLER section 3.1 takes such a group as one tensor expression; PolyDL section 5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from roller_mlir.codegen.linalg_reader import StructuredOp, fill_constant, is_structured, read_structured
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.expression import ELEMENT_BYTES
from roller_mlir.support.bindings import ir


class GroupError(ValueError):
    """Ops that cannot be one program; the message says why."""


@dataclass(frozen=True)
class Member:
    """One op of a group.

    Attributes:
        root: The op, read.
        loops: The group's loop that each of its loops is.
    """

    root: StructuredOp
    loops: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """Linalg ops that become one program.

    Attributes:
        members: The ops in order.
        heavy: Number of the member that reduces over loops of its own, None where there is none.
        expression: The group as one expression: loops of the group, inputs from memory, tensors that leave it.
        inputs: For each input of the expression, the members that read it with the number of their input.
        results: The tensors that leave the group.
    """

    members: tuple[Member, ...]
    heavy: int | None
    expression: TensorExpression
    inputs: tuple[tuple[tuple[int, int], ...], ...]
    results: tuple[ir.Value, ...]


def read_group(operations: Sequence[ir.Operation], results: Sequence[ir.Value]) -> Group:
    """Read linalg ops as a group.

    Args:
        operations: Structured ops in order; fills that only start a reduction are not among them.
        results: Which of their results leave the group, at least one.

    Raises:
        GroupError: They cannot be one program.
        DiagnosedError: One of them cannot be read at all.
    """
    roots = [read_structured(operation) for operation in operations]
    if len(roots) == 1:
        return _alone(roots[0])
    made = {value: number for number, root in enumerate(roots) for value in root.operation.results}
    loops = _CommonLoops(roots, made)
    members = tuple(Member(root, loops.of(number)) for number, root in enumerate(roots))
    _check_starts(members, made)
    heavy, whole = _kinds(members, loops.count)
    _check_heavy(members, heavy, whole, made)
    _check_tasks(members, heavy, whole, loops.extents(), made, results)
    expression, inputs = _expression(members, heavy, whole, loops, made, results)
    return Group(members, heavy, expression, inputs, tuple(results))


def common_loops(operations: Sequence[ir.Operation]) -> list[tuple[int, ...]]:
    """Return, for each op of a group, which of the group's loops each of its loops is.

    Raises:
        GroupError: They have no common loops.
    """
    roots = [read_structured(operation) for operation in operations]
    made = {value: number for number, root in enumerate(roots) for value in root.operation.results}
    loops = _CommonLoops(roots, made)
    return [loops.of(number) for number in range(len(roots))]


def members_of(block: ir.Block) -> list[ir.Operation]:
    """Return the structured ops of a program's region that compute, in order: all but fills that start reductions."""
    found = [op.operation for op in block.operations if is_structured(op.operation)]
    return [op for op in found if not starts_others_only(op)]


def starts_others_only(operation: ir.Operation) -> bool:
    """Whether an op is a fill that only starts the output of other ops, which take it along."""
    if len(operation.results) != 1 or fill_constant(operation.results[0]) is None:
        return False
    uses = list(operation.results[0].uses)
    if not uses:
        return False
    for use in uses:
        user = use.owner.operation
        if not is_structured(user) or use.operand_number < len(user.operands) - len(user.results):
            return False
    return True


def _alone(root: StructuredOp) -> Group:
    member = Member(root, tuple(range(len(root.expression.loops))))
    inputs = tuple(((0, number),) for number in range(len(root.inputs)))
    return Group((member,), 0, root.expression, inputs, tuple(root.operation.results))


class _CommonLoops:
    """Which loops of the members are one loop: a union of classes that grows with each tensor in common."""

    def __init__(self, roots: Sequence[StructuredOp], made: dict[ir.Value, int]) -> None:
        self._roots = roots
        self._class = {(n, loop): (n, loop) for n, root in enumerate(roots) for loop in range(len(_loops(root)))}
        for reader, root in enumerate(roots):
            for source, access in zip(root.sources, root.expression.inputs, strict=True):
                if source in made:
                    self._join_read(made[source], source, reader, access)
        self._join_shared(made)
        order: dict[tuple[int, int], int] = {}
        for number in sorted(range(len(roots)), key=lambda n: (-len(_loops(roots[n])), n)):
            for loop in range(len(_loops(roots[number]))):
                order.setdefault(self._find((number, loop)), len(order))
        self._order = order

    @property
    def count(self) -> int:
        """Number of common loops."""
        return len(self._order)

    def of(self, number: int) -> tuple[int, ...]:
        """Return the common loop of each loop of a member."""
        return tuple(self._order[self._find((number, loop))] for loop in range(len(_loops(self._roots[number]))))

    def extents(self) -> list[int]:
        """Return the extent of each common loop."""
        found = [1] * self.count
        for (number, loop), _ in self._class.items():
            found[self._order[self._find((number, loop))]] = _loops(self._roots[number])[loop].extent
        return found

    def _find(self, one: tuple[int, int]) -> tuple[int, int]:
        while self._class[one] != one:
            one = self._class[one]
        return one

    def _join_read(self, maker: int, source: ir.Value, reader: int, access: Access) -> None:
        produced = _output(self._roots[maker], source)
        for made, read in zip(produced.indices, access.indices, strict=True):
            problem = self._join(maker, made, reader, read, access.shape)
            if problem:
                raise GroupError(problem)

    def _join_shared(self, made: dict[ir.Value, int]) -> None:
        """Let members that read one tensor from memory walk it alike, where nothing speaks against it."""
        first: dict[ir.Value, tuple[int, Access]] = {}
        for reader, root in enumerate(self._roots):
            for source, access in zip(root.sources, root.expression.inputs, strict=True):
                if source in made:
                    continue
                if source not in first:
                    first[source] = (reader, access)
                    continue
                other, known = first[source]
                if other != reader:
                    for a, b in zip(known.indices, access.indices, strict=True):
                        self._join(other, a, reader, b, access.shape)

    def _join(self, maker: int, made: LinearIndex, reader: int, read: LinearIndex, shape: tuple[int, ...]) -> str:
        """Make one loop of two that index the same dimension; return what speaks against it."""
        a, b = _plain_loop(made), _plain_loop(read)
        if a is None and b is None and made.constant == 0 and read.constant == 0:
            return ""
        if a is None or b is None:
            one = made if a is None else read
            where = a if b is None else b
            who = maker if b is None else reader
            if not one.terms() and one.constant == 0 and where is not None and self._extent(who, where) == 1:
                return ""  # a dimension of one element, which one of them walks with a loop
            return f"a tensor of shape {'x'.join(map(str, shape))} is not read as a permutation of its dimensions"
        if self._extent(maker, a) != self._extent(reader, b):
            return f"a loop of {self._extent(reader, b)} points reads a dimension of {self._extent(maker, a)}"
        left, right = self._find((maker, a)), self._find((reader, b))
        if left == right:
            return ""
        classes: dict[tuple[int, int], list[tuple[int, int]]] = {left: [], right: []}
        for one in self._class:
            found = self._find(one)
            if found in classes:
                classes[found].append(one)
        numbers = [number for both in classes.values() for number, _ in both]
        if len(set(numbers)) != len(numbers):
            return "a tensor would be read at another point than where it was made"
        self._class[right] = left
        return ""

    def _extent(self, number: int, loop: int) -> int:
        return _loops(self._roots[number])[loop].extent


def _loops(root: StructuredOp) -> tuple[Loop, ...]:
    return root.expression.loops


def _output(root: StructuredOp, value: ir.Value) -> Access:
    return root.expression.outputs[list(root.operation.results).index(value)]


def _plain_loop(index: LinearIndex) -> int | None:
    terms = index.terms()
    if len(terms) == 1 and index.constant == 0:
        ((loop, k),) = terms.items()
        return loop if k == 1 else None
    return None


def _check_starts(members: Sequence[Member], made: dict[ir.Value, int]) -> None:
    """Refuse accumulators that another member makes: they would start from a tile in registers."""
    for member in members:
        operation = member.root.operation
        for value in list(operation.operands)[member.root.body.inputs :]:
            if value in made and member.root.expression.accumulates:
                raise GroupError(f"'{operation.name}' accumulates into what another op of the group makes")


def _kinds(members: Sequence[Member], count: int) -> tuple[int | None, tuple[int, ...]]:
    """Return the heavy member, and the loops that lie in one task as a whole."""
    reduced: dict[int, list[int]] = {loop: [] for loop in range(count)}
    walked: set[int] = set()
    for number, member in enumerate(members):
        for loop, kind in zip(member.loops, _loops(member.root), strict=True):
            if kind.reduction:
                reduced[loop].append(number)
            else:
                walked.add(loop)
    own = {loop: by[0] for loop, by in reduced.items() if len(by) == 1 and loop not in walked}
    heavy = sorted(set(own.values()))
    if len(heavy) == 1 and all(by == heavy for loop, by in reduced.items() if by and loop in own):
        number = heavy[0]
        return number, tuple(loop for loop, by in reduced.items() if by and own.get(loop) != number)
    return None, tuple(loop for loop, by in reduced.items() if by)


def _check_heavy(
    members: Sequence[Member], heavy: int | None, whole: tuple[int, ...], made: dict[ir.Value, int]
) -> None:
    """Refuse products beside the heavy member, and what it would read or leave otherwise than by tiles and steps."""
    for number, member in enumerate(members):
        if number != heavy and _reuses(member.root.expression):
            name = member.root.operation.name
            raise GroupError(f"'{name}' uses its inputs several times, which needs steps through memory of its own")
    if heavy is None:
        return
    root = members[heavy].root
    for source in root.sources:
        if source in made:
            maker = members[made[source]].root.operation
            raise GroupError(
                f"'{root.operation.name}' reads what '{maker.name}' makes in steps; it is read from memory"
            )
    if whole and _reuses(root.expression):
        raise GroupError(f"rows of what '{root.operation.name}' makes are cut into tiles, and reduced as a whole")


def _reuses(expression: TensorExpression) -> bool:
    """Whether a reduction uses elements of its inputs at several points of the output: an outer product, a window."""
    if not expression.reductions():
        return False
    wide = {loop for loop in expression.parallel() if expression.loops[loop].extent > 1}
    used = [access.loops() & wide for access in expression.inputs]
    if any(not (a <= b or b <= a) for a in used for b in used):
        return True
    return any(expression.moves_window(loop) for loop in expression.reductions() if expression.loops[loop].extent > 1)


def _check_tasks(
    members: Sequence[Member],
    heavy: int | None,
    whole: tuple[int, ...],
    extents: Sequence[int],
    made: dict[ir.Value, int],
    results: Sequence[ir.Value],
) -> None:
    """Refuse what several tasks would compute alike, unless it is element-wise and nobody else reads it."""
    own = set(members[heavy].loops) if heavy is not None else set[int]()
    reduced = {
        loop
        for loop in own
        if heavy is not None and _loops(members[heavy].root)[members[heavy].loops.index(loop)].reduction
    }
    apart = {loop for loop, extent in enumerate(extents) if extent > 1 and loop not in whole and loop not in reduced}
    for number, member in enumerate(members):
        missing = apart - set(member.loops)
        leaves = any(made[value] == number for value in results)
        if missing and (leaves or member.root.expression.reductions()):
            name = member.root.operation.name
            raise GroupError(f"'{name}' would be computed by several tasks alike")


def _expression(
    members: Sequence[Member],
    heavy: int | None,
    whole: tuple[int, ...],
    loops: _CommonLoops,
    made: dict[ir.Value, int],
    results: Sequence[ir.Value],
) -> tuple[TensorExpression, tuple[tuple[tuple[int, int], ...], ...]]:
    count = loops.count
    outputs = [_moved(_output(members[made[value]].root, value), members[made[value]], count) for value in results]
    left = {loop for access in outputs for loop in access.loops()}
    kinds = tuple(Loop(extent, loop not in left) for loop, extent in enumerate(loops.extents()))
    first, *more = outputs
    if any(access.loops() != first.loops() for access in more) and heavy is not None:
        raise GroupError("the tensors that leave the group have different loops")
    if heavy is not None:
        return _with_tail(members, heavy, whole, kinds, made, first, tuple(more))
    found: dict[tuple[ir.Value, tuple[LinearIndex, ...]], list[tuple[int, int]]] = {}
    accesses: list[Access] = []
    pads: list[float | None] = []
    for number, member in enumerate(members):
        root = member.root
        for position, (source, access) in enumerate(zip(root.sources, root.expression.inputs, strict=True)):
            if source in made:
                continue
            moved = _moved(access, member, count)
            key = (source, moved.indices)
            if key not in found:
                accesses.append(replace(moved, name=f"arg{len(accesses)}"))
                pads.append(root.expression.pad_values[position])
                found[key] = []
            found[key].append((number, position))
    reductions = any(kind.reduction for kind in kinds)
    expression = TensorExpression(
        loops=kinds,
        inputs=tuple(accesses),
        output=first,
        combiner="arith.addf" if reductions else None,
        flops_per_point=sum(_share(member, kinds) for member in members),
        pad_values=tuple(pads),
        more_outputs=tuple(more),
        accumulator_type=_widest(members, whole, first),
        whole=whole,
        live_words=_live_words(members, made, results, count),
    )
    return expression, tuple(tuple(uses) for uses in found.values())


def _widest(members: Sequence[Member], whole: tuple[int, ...], output: Access) -> str:
    """Return the widest type that a row is reduced in, empty for the output's."""
    kinds = {
        access.element_type
        for member in members
        if any(loop in whole and kind.reduction for loop, kind in zip(member.loops, _loops(member.root), strict=True))
        for access in member.root.expression.outputs
    }
    widest = max(kinds, key=lambda kind: ELEMENT_BYTES[kind], default="")
    return "" if widest == output.element_type else widest


def _live_words(members: Sequence[Member], made: dict[ir.Value, int], results: Sequence[ir.Value], count: int) -> int:
    """Return the most 32-bit words that a point's values take: made and still to be read, or read by several members.

    Tensors that lack one of the group's loops, such as a row's sum, are not counted.
    """
    last: dict[ir.Value, int] = dict.fromkeys(results, len(members))
    first: dict[ir.Value, int] = {}
    words: dict[ir.Value, int] = {}
    for number, member in enumerate(members):
        read = list(zip(member.root.sources, member.root.expression.inputs, strict=True))
        for value, access in [*read, *zip(member.root.operation.results, member.root.expression.outputs, strict=True)]:
            loops = {member.loops[loop] for loop in access.loops()}
            words[value] = max(1, access.element_bytes // 4) if len(loops) == count else 0
            first.setdefault(value, number)
            last[value] = max(last.get(value, 0), number)
    return max(
        sum(size for value, size in words.items() if first[value] <= number <= last[value])
        for number in range(len(members))
    )


def _share(member: Member, kinds: tuple[Loop, ...]) -> int:
    """Return the operations of a member at one point of the group's loops; 0 for one that walks few of them."""
    own = set(member.loops)
    missing = any(kind.extent > 1 and loop not in own for loop, kind in enumerate(kinds))
    return 0 if missing else member.root.expression.flops_per_point


def _with_tail(
    members: Sequence[Member],
    heavy: int,
    whole: tuple[int, ...],
    kinds: tuple[Loop, ...],
    made: dict[ir.Value, int],
    output: Access,
    more: tuple[Access, ...],
) -> tuple[TensorExpression, tuple[tuple[tuple[int, int], ...], ...]]:
    """Return the heavy member's expression with what the others read and compute as its epilogue."""
    root, count = members[heavy].root, len(kinds)
    own = root.expression
    epilogue = [_moved(own.output, members[heavy], count)] if own.accumulates else []
    for number, member in enumerate(members):
        if number == heavy:
            continue
        for source, access in zip(member.root.sources, member.root.expression.inputs, strict=True):
            if source not in made:
                epilogue.append(_moved(access, member, count))
    others = [member.root.expression for number, member in enumerate(members) if number != heavy]
    expression = replace(
        own,
        loops=kinds,
        inputs=tuple(_moved(access, members[heavy], count) for access in own.inputs),
        output=output,
        epilogue=tuple(epilogue),
        epilogue_flops=sum(one.flops_per_point for one in others),
        accumulates=False,
        accumulator_type="" if own.output.element_type == output.element_type else own.output.element_type,
        more_outputs=more,
        whole=whole,
    )
    return expression, tuple(((heavy, number),) for number in range(len(own.inputs)))


def _moved(access: Access, member: Member, count: int) -> Access:
    """Return an access over the group's loops."""

    def moved(index: LinearIndex) -> LinearIndex:
        coefficients = [0] * count
        for loop, k in index.terms().items():
            coefficients[member.loops[loop]] += k
        return LinearIndex(tuple(coefficients), index.constant)

    return replace(access, indices=tuple(map(moved, access.indices)))
