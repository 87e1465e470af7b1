# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds random programs: draws numbers, adds nodes, and keeps account of what is known of each value."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from roller_mlir.evaluation.fuzz.program.known import LARGEST, Info, RejectedError, judge, reduce_info, settle
from roller_mlir.evaluation.fuzz.program.numbers import Knob, Number, Whole, product, value_of
from roller_mlir.evaluation.fuzz.program.program import (
    ArgumentNode,
    ConcatNode,
    DenseNode,
    FillNode,
    GenericNode,
    Index,
    MovingSlice,
    NamedOpNode,
    Node,
    PackNode,
    PadNode,
    Program,
    Ref,
    ReshapeNode,
    SliceNode,
    SplatNode,
    Tensor,
)
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, apply, constant, is_float, x

INTEGER_INPUT, SIGN_INPUT, NORMAL_INPUT = 4.0, 1.0, 6.0


class Builder:
    """A program under construction."""

    def __init__(self, generator: random.Random, values: str, most_points: int) -> None:
        """Start without nodes.

        Args:
            generator: Where choices come from.
            values: "integers", "signs" or "normal", as the inputs will be.
            most_points: Points of a loop nest at most.
        """
        self.random = generator
        self.values = values
        self.most_points = most_points
        self.knobs: list[Knob] = []
        self.nodes: list[Node] = []
        self.info: dict[Ref, Info] = {}
        self.points = 0
        self.made_inputs, self.made_starts = 0.12, 0.03
        """Chances that an op's input, or what its accumulator starts from, is what an element-wise op makes."""
        self.channels: tuple[int, ...] = (1, 2, 3, 4, 5, 7, 8, 16, 17, 32)
        """Channels that a convolution may have."""

    # Numbers.

    def knob(self, value: int, least: int = 1) -> Number:
        """Return a new knob."""
        self.knobs.append(Knob(value, least))
        return Number("knob", (len(self.knobs) - 1,))

    def at(self, number: Whole) -> int:
        """Return what a number is."""
        return value_of(number, self.knobs)

    def extent(self, room: int) -> Number:
        """Return a new extent of at most `room`."""
        choices = [n for n in _EXTENTS if n <= max(room, 1)]
        return self.knob(self.random.choice(choices))

    def extents(self, count: int, room: int | None = None) -> list[Number]:
        """Return new extents whose product is at most `room`, none of them favoured."""
        left = self.most_points if room is None else room
        found: dict[int, Number] = {}
        for position, number in enumerate(self.order(count)):
            share = left ** (1.0 / max(1, (count - position) * self.random.choice((0.5, 0.8, 1.0))))
            found[number] = self.extent(int(min(left, share)))
            left //= max(1, self.at(found[number]))
        return [found[i] for i in range(count)]

    def chance(self, probability: float) -> bool:
        """Return True as often as asked."""
        return self.random.random() < probability

    def order(self, count: int, probability: float = 1.0) -> list[int]:
        """Return the numbers below a count, as often as asked shuffled."""
        order = list(range(count))
        if probability == 1.0 or self.chance(probability):
            self.random.shuffle(order)
        return order

    # Values.

    def type_of(self, ref: Ref) -> Tensor:
        """Return the type of a value."""
        return self.nodes[ref[0]].types[ref[1]]

    def add(self, node: Node, info: Info | Sequence[Info]) -> Ref:
        """Add a node; its first result is returned."""
        self.nodes.append(node)
        number = len(self.nodes) - 1
        infos = [info] * len(node.types) if isinstance(info, Info) else list(info)
        for result, (kind, one) in enumerate(zip(node.types, infos, strict=True)):
            if one.bound > LARGEST.get(kind.element, 1e30):
                raise RejectedError(f"values up to {one.bound} in {kind.element}")
            self.info[number, result] = one
        return number, 0

    def argument(self, shape: Sequence[Whole], element: str) -> Ref:
        """Add an argument."""
        normal = self.values == "normal" and is_float(element)
        whole = Info(SIGN_INPUT if self.values == "signs" else INTEGER_INPUT)
        info = Info(NORMAL_INPUT, True, False) if normal else whole
        return self.add(ArgumentNode(types=(Tensor(tuple(shape), element),)), info)

    def scalar(self, element: str) -> Ref:
        """Add an argument that is a scalar."""
        ref = self.argument([], element)
        self.nodes[ref[0]] = ArgumentNode(types=(Tensor((), element, scalar=True),))
        return ref

    def dense(self, shape: Sequence[Whole], element: str, *, splat: bool | None = None) -> Ref:
        """Add a constant tensor."""
        count = self.at(product(shape))
        only = count > 64 or (element == "bf16" and count > 1) or (self.chance(0.3) if splat is None else splat)
        node = DenseNode(types=(Tensor(tuple(shape), element),), seed=self.random.randrange(1 << 30), splat=only)
        return self.add(node, Info(4.0))

    def fill(self, shape: Sequence[Whole], element: str, value: float | None = None) -> Ref:
        """Add a tensor of one value, or an empty one."""
        bound = 0.0 if value is None or abs(value) == float("inf") else abs(value)
        return self.add(FillNode(types=(Tensor(tuple(shape), element),), value=value), Info(bound))

    def operand(self, shape: Sequence[Whole], element: str) -> Ref:
        """Add something to read: an argument, now and then a constant, a padded argument or a part of one."""
        drawn = self.random.random()
        if drawn < 0.06 and self.at(product(shape)) <= 4096:
            return self.dense(shape, element)
        if drawn < 0.10 and element != "i1":
            return self._padded(shape, element)
        if drawn < 0.13:
            return self._part(shape, element)
        return self.argument(shape, element)

    def _padded(self, shape: Sequence[Whole], element: str) -> Ref:
        """Add a padding around a smaller argument."""
        low, high, inner = list[Whole](), list[Whole](), list[Whole]()
        for extent in shape:
            sides = [self.knob(self.random.choice((0, 1, 2)), 0) for _ in range(2)]
            if self.at(extent) <= sum(map(self.at, sides)):
                sides = [self.knob(0, 0), self.knob(0, 0)]
            low.append(sides[0])
            high.append(sides[1])
            inner.append(extent - sides[0] - sides[1])
        value = self.random.choice((0.0, 1.0, -3.0))
        node = PadNode(
            operands=(self.argument(inner, element),),
            types=(Tensor(tuple(shape), element),),
            low=tuple(low),
            high=tuple(high),
            value=value,
        )
        return self.copy_info(node)

    def _part(self, shape: Sequence[Whole], element: str) -> Ref:
        """Add a slice of a larger argument."""
        offsets = [self.knob(self.random.choice((0, 0, 1, 2)), 0) for _ in shape]
        strides = [self.knob(self.random.choice((1, 1, 1, 2))) for _ in shape]
        whole = [
            (extent - 1) * stride + 1 + offset + self.random.choice((0, 1))
            for extent, offset, stride in zip(shape, offsets, strides, strict=True)
        ]
        kind = Tensor(tuple(shape), element)
        given = self.argument(whole, element)
        return self.copy_info(
            SliceNode(operands=(given,), types=(kind,), offsets=tuple(offsets), strides=tuple(strides))
        )

    def start(self, shape: Sequence[Whole], element: str, neutral: float) -> Ref:
        """Add what an accumulator starts from: mostly a fill of the neutral element."""
        if self.chance(self.made_starts):
            return self._made_start(shape, element)
        drawn = self.random.random()
        if drawn < 0.74:
            return self.fill(shape, element, neutral)
        if drawn < 0.82 and abs(neutral) < float("inf"):
            return self.fill(shape, element, self.random.choice((-2.0, 1.0, 3.0)))
        if drawn < 0.88 and self.at(product(shape)) <= 4096:
            return self.dense(shape, element)
        return self.argument(shape, element)

    def _made_start(self, shape: Sequence[Whole], element: str) -> Ref:
        """Add what an element-wise op makes of an operand that may lack some loops."""
        rank = len(shape)
        chosen = [i for i in range(rank) if self.chance(0.6)]
        operand = self.operand([shape[i] for i in chosen], element)
        body = apply("max", x(0), constant(self.random.choice((0.0, 1.0)), element))
        inputs = [(operand, [self.loop(i, rank) for i in chosen])]
        return self.pointwise(shape, inputs, element, body)

    # Structured ops.

    def count(self, loops: Sequence[Whole]) -> int:
        """Return the points of a loop nest, and count them to the program's.

        Raises:
            RejectedError: The program becomes too large.
        """
        points = self.at(product(loops))
        self.points += points
        if points > self.most_points or self.points > 3 * self.most_points:
            raise RejectedError(f"{self.points} points")
        return points

    def pointwise(
        self, shape: Sequence[Whole], inputs: Sequence[tuple[Ref, Sequence[Index]]], element: str, body: Scalar
    ) -> Ref:
        """Add a linalg.generic that makes one element of each point."""
        return self.generic(shape, inputs, [(self.fill(shape, element), list(range(len(shape))))], [body])

    def generic(
        self,
        loops: Sequence[Whole],
        inputs: Sequence[tuple[Ref, Sequence[Index]]],
        outputs: Sequence[tuple[Ref, Sequence[int]]],
        body: Sequence[Scalar],
        combiner: Sequence[str] = (),
        tables: Sequence[Ref] = (),
    ) -> Ref:
        """Add a linalg.generic.

        Args:
            loops: Extents.
            inputs: Operands and where they are read.
            outputs: What results start from, and the loops by which they are indexed.
            body: What each result is, or, where there are combiners, what a point contributes to it.
            combiner: One per result, of a reduction; none where nothing is reduced.
            tables: What the body takes elements of.
        """
        points = self.count(loops)
        kept = {loop for _, order in outputs for loop in order}
        reduced = self.at(product([n for i, n in enumerate(loops) if i not in kept]))
        refs = [ref for ref, _ in [*inputs, *outputs]]
        yielded: list[Scalar] = []
        infos: list[Info] = []
        kinds = [self.type_of(ref) for ref, _ in inputs], [self.type_of(ref) for ref, _ in outputs]
        elements = [kind.element for kind in kinds[0]], [kind.element for kind in kinds[1]]
        known = [self.info[ref] for ref, _ in inputs], [self.info[ref] for ref, _ in outputs]
        for result, scalar in enumerate(body):
            info = judge(scalar, known[0], known[1], elements, points, [self.info[ref] for ref in tables])
            if combiner:
                op = combiner[result]
                start = known[1][result]
                info = reduce_info(op, info, start, reduced, elements[1][result])
                sides = (Scalar("acc", value=result), scalar)
                scalar = Scalar(op, sides if self.chance(0.7) else sides[::-1])
            yielded.append(scalar)
            infos.append(info)
        maps = [tuple(indices) for _, indices in inputs]
        maps += [tuple(self.loop(loop, len(loops)) for loop in order) for _, order in outputs]
        node = GenericNode(
            operands=tuple(refs),
            types=tuple(kinds[1]),
            loops=tuple(loops),
            maps=tuple(maps),
            body=tuple(yielded),
            tables=tuple(tables),
        )
        return self.add(node, infos)

    @staticmethod
    def loop(number: int, loops: int, stride: Whole = 1) -> Index:
        """Return the index of a plain (or strided) loop."""
        return Index(tuple(stride if i == number else 0 for i in range(loops)))

    def named(
        self, node: NamedOpNode, points: int, reduced: int, per_point: Callable[[list[Info]], Info], op: str
    ) -> Ref:
        """Add a named op that reduces (or not, with op "").

        Args:
            node: The op.
            points: Of its loop nest.
            reduced: Points that each result combines.
            per_point: What a point contributes, of what is known of the inputs.
            op: How contributions are combined.
        """
        self.count([points])
        inputs, start = node.operands[:-1], node.operands[-1]
        info = per_point([self.info[ref] for ref in inputs])
        if op:
            info = reduce_info(op, info, self.info[start], reduced, node.types[0].element)
        return self.add(node, settle(info, node.types[0].element))

    def copy_info(self, node: Node) -> Ref:
        """Add a node that only moves elements."""
        assert isinstance(node, PadNode | ReshapeNode | ConcatNode | SliceNode | NamedOpNode | PackNode | SplatNode)
        moved = node.operands[: -len(node.moving)] if isinstance(node, MovingSlice) else node.operands
        infos = [self.info[ref] for ref in (node.operands[:-1] if isinstance(node, NamedOpNode) else moved)]
        joined = Info(max(one.bound for one in infos), all(one.same for one in infos), all(one.whole for one in infos))
        if isinstance(node, PadNode | PackNode) and abs(node.value) != float("inf"):
            joined = replace(joined, bound=max(joined.bound, abs(node.value)))
        return self.add(node, joined)

    def program(self, results: Sequence[Ref]) -> Program:
        """Return the program."""
        return Program(tuple(self.knobs), tuple(self.nodes), tuple(results))


_EXTENTS = (
    *(1, 1, 2, 3, 4, 4, 5, 7, 8, 8, 9, 11, 12, 13, 15, 16, 16, 17, 19, 23, 24, 28, 31, 32, 32, 33, 37, 40, 47, 48, 53),
    *(61, 64, 64, 65, 72, 80, 96, 97, 100, 113, 127, 128, 129, 130, 160, 192, 197, 224, 255, 256, 257, 300, 384, 400),
    *(509, 512, 513, 600, 768, 1000, 1024, 1031, 1536, 2048, 2049, 3000, 4096, 5000),
)
