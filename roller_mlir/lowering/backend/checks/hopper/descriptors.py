# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups in PTX: what their descriptors make the hardware read, element by element."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from roller_mlir.lowering.backend.checks.hopper.fills import PhaseFill, Tile, tiles_of
from roller_mlir.lowering.backend.checks.hopper.ptx_text import PtxKernel
from roller_mlir.lowering.backend.checks.hopper.ptx_thread import Followed, Waited, WarpgroupProduct
from roller_mlir.lowering.backend.checks.hopper.rules import PIECE, REPEATS, Descriptor
from roller_mlir.lowering.backend.checks.quality import Mismatch
from roller_mlir.mapping.checks.expected_copies import ExpectedProducts, ExpectedTile

_NAME = re.compile(r"wgmma\.mma_async\.sync\.aligned\.m(\d+)n(\d+)k(\d+)(?:\.\w+)?\.(\w+)\.(\w+)$")
_TYPES = {"i8": "s8"}
_SIDES = ("first", "second")
_SUBGROUP_ROWS, _SUBGROUPS = 16, 4
_GROUP = 8

_Found = tuple[str, Mismatch]
_Element = tuple[int, ...]


def products_of(
    kernel: PtxKernel, threads: Sequence[Followed], fills: Sequence[PhaseFill], expected: ExpectedProducts | None
) -> Iterator[_Found]:
    """Compare the products of all threads that were followed.

    Args:
        kernel: the kernel.
        threads: what the first thread of each warpgroup did.
        fills: what buffers were filled with, in order.
        expected: the plan's products; None for a kernel without a plan.
    """
    seen: set[int] = set()
    busy = 0
    for warpgroup, thread in enumerate(threads):
        steps = _steps(thread)
        busy += bool(steps)
        for step in steps:
            seen |= {product.number for product in step.products}
            for product in step.products:
                yield from _plain(product)
        if expected is None:
            continue
        group = _WarpgroupProducts(expected, warpgroup)
        for number, step in enumerate(steps):
            yield from group.compare(step, fills[number] if number < len(fills) else None)
    written = {number for number, one in enumerate(kernel.statements) if _NAME.match(one.name)}
    groups = 0 if expected is None else len(expected.subgroups) // _SUBGROUPS
    if expected is not None and busy != groups:
        text = f"{busy} warpgroups have products, the plan has {groups}"
        yield "warpgroups", _mismatch(groups, busy, text)
    if expected is not None and written - seen:
        text = f"{len(written - seen)} of {len(written)} products cannot be followed"
        yield "products", _mismatch(len(written), len(seen), text)


@dataclass(frozen=True)
class _WaitedProducts:
    """The products behind a wait.

    Attributes:
        barrier: That was waited at.
        products: In order.
        whole: Whether none of them can be missing.
    """

    barrier: int | None
    products: tuple[WarpgroupProduct, ...]
    whole: bool


def _steps(thread: Followed) -> list[_WaitedProducts]:
    begun = [at for at, event in enumerate(thread.events) if isinstance(event, Waited)]
    steps: list[_WaitedProducts] = []
    for at, end in zip(begun, [*begun, len(thread.events)][1:], strict=True):
        event = thread.events[at]
        assert isinstance(event, Waited)
        inside = tuple(one for one in thread.events[at + 1 : end] if isinstance(one, WarpgroupProduct))
        if inside:
            whole = thread.whole or at != begun[-1]
            steps.append(_WaitedProducts(event.barrier, inside, whole))
    return steps


def _plain(product: WarpgroupProduct) -> Iterator[_Found]:
    """Compare a product with the hardware's rules alone."""
    for side, bits in zip(_SIDES, product.descriptors, strict=True):
        if bits is None:
            continue
        descriptor = Descriptor.of(bits)
        if descriptor.reserved:
            text = f"the {side} descriptor of a product has {descriptor.reserved:#x} in bits that must be 0"
            yield f"{side} reserved", _mismatch(0, descriptor.reserved, text)
        if descriptor.base_offset:
            text = f"the {side} descriptor of a product has base offset {descriptor.base_offset}, its pattern begins "
            text += f"at multiples of {REPEATS[128]} B, which is 0"
            yield f"{side} base offset", _mismatch(0, descriptor.base_offset, text)


@dataclass
class _WarpgroupProducts:
    """The products of one warpgroup.

    Attributes:
        expected: The plan's.
        warpgroup: Its number.
        read: What each descriptor was found to read: the first element, or what is wrong.
    """

    expected: ExpectedProducts
    warpgroup: int
    read: dict[tuple[object, ...], _Element | Mismatch] = field(
        default_factory=dict[tuple[object, ...], _Element | Mismatch]
    )

    @cached_property
    def _own(self) -> tuple[tuple[int, ...], ...]:
        first = self.warpgroup * _SUBGROUPS
        return self.expected.subgroups[first : first + _SUBGROUPS]

    @cached_property
    def _tiles(self) -> tuple[ExpectedTile, ExpectedTile]:
        first, second = self.expected.factors
        return self.expected.tiles[first], self.expected.tiles[second]

    @cached_property
    def _begins(self) -> Counter[tuple[_Element, _Element]]:
        """The elements of both factors at which the plan's products of a step begin."""
        points = [[x + y for x, y in zip(point, self._own[0], strict=True)] for point in self.expected.points]
        return Counter((self._tiles[0].at(point), self._tiles[1].at(point)) for point in points)

    def compare(self, step: _WaitedProducts, fill: PhaseFill | None) -> Iterator[_Found]:
        """Compare a step with what its buffer was filled with; None where so many steps were not followed."""
        if not self._own:
            return  # a warpgroup that the plan does not have
        tiles = None
        if fill is not None:
            tiles = tiles_of(fill.boxes, [tile.size_bytes for tile in self.expected.tiles])
            if step.barrier != fill.barrier:
                text = f"warpgroup {self.warpgroup} waits for a step at another barrier than the one of its copies"
                yield "barrier", _mismatch(fill.barrier, step.barrier or 0, text)
                return
        found: Counter[tuple[_Element, _Element]] = Counter()
        for product in step.products:
            wrong = next(self._operands(product), None)
            if wrong is not None:
                yield wrong
                return
            if tiles is None:
                return
            read = [self._read(product, side, tiles[number]) for side, number in enumerate(self.expected.factors)]
            for side, one in enumerate(read):
                if isinstance(one, Mismatch):
                    yield f"{_SIDES[side]} factor", one
            first, second = read
            if isinstance(first, Mismatch) or isinstance(second, Mismatch):
                return
            found[first, second] += 1
        if step.whole and found != self._begins:
            yield "products", self._others(found)

    def _operands(self, product: WarpgroupProduct) -> Iterator[_Found]:
        """Compare what the instruction says beside its descriptors."""
        name = _NAME.match(product.name)
        shape = tuple(int(name[at]) for at in (1, 2, 3)) if name is not None else ()
        if name is None or shape != self.expected.shape:
            text = f"a product is {product.name}, the plan's is of {' x '.join(map(str, self.expected.shape))}"
            yield "shape", _mismatch(0, 0, text)
            return
        signs = 2 if product.immediates else 0
        turned = product.immediates[signs:]
        for side, tile in enumerate(self._tiles):
            who = f"input {tile.operand}, the {_SIDES[side]} factor,"
            wanted = _TYPES.get(tile.element, tile.element)
            if name[4 + side] != wanted:
                yield (
                    f"{side} type",
                    _mismatch(0, 0, f"a product takes {who} for {name[4 + side]}, the plan for {wanted}"),
                )
            if product.descriptors[side] is None:
                yield f"{side} followed", _mismatch(0, 0, f"the descriptor of {who} cannot be followed")
            transposed = int(not tile.runs_along(self.expected.loops[2]))
            says = turned[side] if turned else 0
            if says != transposed:
                operand = f"tnsp{'AB'[side]}"
                text = f"a product has {operand} {says}, the lines of {who} want {transposed}"
                yield f"{side} transposed", _mismatch(transposed, says or 0, text)
        if any(sign != 1 for sign in product.immediates[:signs]):
            yield "sign", _mismatch(1, 0, f"a product has signs {list(product.immediates[:signs])}, which must be 1")

    def _read(self, product: WarpgroupProduct, side: int, tile: Tile) -> _Element | Mismatch:
        """Return the first element that a descriptor reads, all elements behind it being the plan's."""
        bits = product.descriptors[side]
        assert bits is not None
        descriptor = Descriptor.of(bits)
        key = (side, bits >> 16, descriptor.address - tile.base, tuple(box.address - tile.base for box in tile.boxes))
        if key not in self.read:
            self.read[key] = self._elements(descriptor, side, tile)
        return self.read[key]

    def _elements(self, descriptor: Descriptor, side: int, tile: Tile) -> _Element | Mismatch:
        expected = self._tiles[side]
        who = f"input {expected.operand}, the {_SIDES[side]} factor,"
        mode = tile.boxes[0].map.swizzle
        if descriptor.swizzle != mode:
            text = f"the descriptor of {who} says a swizzle of {descriptor.swizzle} B, its tile has one of {mode} B"
            return _mismatch(mode, descriptor.swizzle, text)
        if not mode:
            return _mismatch(128, 0, f"{who} lies without a swizzle, the plan has one of 128 B")
        first = tile.element(descriptor.address)
        if first is None:
            behind = descriptor.address - tile.base
            return _mismatch(
                0, behind, f"the descriptor of {who} begins {behind} B behind its tile's first byte, outside"
            )
        transposed = not expected.runs_along(self.expected.loops[2])
        size, piece = expected.element_bytes, PIECE // expected.element_bytes
        count = self.expected.shape[side]
        own, depth = range(0, count, piece if transposed else 1), range(self.expected.shape[2])
        for x in own:
            for k in depth if transposed else depth[::piece]:
                wanted = self._wanted(first, side, x, k)
                found = tile.element(descriptor.place(x, k, size, transposed=transposed))
                if found != wanted:
                    return self._wrong(descriptor, side, tile, first, (x, k), (found, wanted))
        return first

    def _wanted(self, first: _Element, side: int, own: int, depth: int) -> _Element:
        """Return the element that the plan has at a row or column and a place of the reduction."""
        point = [0] * len(self._own[0])
        point[self.expected.loops[2]] += depth
        if side == 0:  # rows are shared out to the subgroups
            subgroup, own = divmod(own, _SUBGROUP_ROWS)
            moved = (x - y for x, y in zip(self._own[subgroup], self._own[0], strict=True))
            point = [x + y for x, y in zip(point, moved, strict=True)]
        point[self.expected.loops[side]] += own
        return tuple(x + y for x, y in zip(first, self._tiles[side].at(point), strict=True))

    def _wrong(
        self,
        descriptor: Descriptor,
        side: int,
        tile: Tile,
        first: _Element,
        at: tuple[int, int],
        elements: tuple[_Element | None, _Element],
    ) -> Mismatch:
        """Say which field of a descriptor is wrong, or else which element is read."""
        expected = self._tiles[side]
        who = f"input {expected.operand}, the {_SIDES[side]} factor,"
        transposed = not expected.runs_along(self.expected.loops[2])
        line = descriptor.swizzle // expected.element_bytes
        marks = {"stride": (0, _GROUP), "leading": (line, 0)} if transposed else {"stride": (_GROUP, 0)}
        begin = tile.address(first)
        for name, (own, depth) in marks.items():
            far = own < self.expected.shape[side]
            there = tile.address(self._wanted(first, side, own, depth)) if far else None
            have = descriptor.stride if name == "stride" else descriptor.leading
            if there is not None and begin is not None and there - begin != have:
                wanted = there - begin
                text = f"the descriptor of {who} has a {name} byte offset of {have} B, its tile one of {wanted} B"
                return _mismatch(wanted, have, text)
        read = "what is outside of its tile" if elements[0] is None else f"element {list(elements[0])} of its tile"
        what = f"{'column' if side else 'row'} {at[0]}, place {at[1]} of the reduction"
        return _mismatch(0, 0, f"the descriptor of {who} reads {read} as {what}, the plan has {list(elements[1])}")

    def _others(self, found: Counter[tuple[_Element, _Element]]) -> Mismatch:
        """Say which products of a step are not the plan's."""
        many, wanted = sum(found.values()), sum(self._begins.values())
        if many != wanted:
            text = f"warpgroup {self.warpgroup} has {many} products in a step, the plan has {wanted}"
            return _mismatch(wanted, many, text)
        extra, missing = min((found - self._begins).elements()), min((self._begins - found).elements())
        text = (
            f"warpgroup {self.warpgroup} multiplies the parts of the tiles from {_pair(extra)} on, the plan those from "
        )
        return _mismatch(0, 0, text + _pair(missing))


def _pair(elements: tuple[_Element, _Element]) -> str:
    return f"{list(elements[0])} and {list(elements[1])}"


def _mismatch(expected: int, found: int, message: str) -> Mismatch:
    return Mismatch(kind="descriptor", expected=expected, found=found, message=message)
