# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fills a buffer: the tensor copies of one step, and which element of a tensor lies at an address afterwards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.backend.checks.hopper.ptx_thread import BoxCopy, Event, ExpectTx
from roller_mlir.lowering.backend.checks.hopper.rules import box_bytes, box_shape, element_bytes
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap


@dataclass(frozen=True)
class KnownBoxCopy:
    """A copy whose operands are all known.

    Attributes:
        map: Its tensor map.
        address: Where it lies in workgroup memory.
        at: Its first element in the tensor, outermost dimension first.
    """

    map: TensorMap
    address: int
    at: tuple[int, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes that it brings."""
        return box_bytes(self.map)


@dataclass(frozen=True)
class PhaseFill:
    """The copies of one phase of a barrier.

    Attributes:
        barrier: Its address.
        expected_bytes: What was said to belong to the phase.
        boxes: In the order of their addresses.
        astray: How many of them arrive at another barrier.
    """

    barrier: int
    expected_bytes: int
    boxes: tuple[KnownBoxCopy, ...]
    astray: int = 0

    def overlaps(self, other: "PhaseFill") -> bool:
        """Return whether a box of another fill lies where one of this lies."""
        return any(
            one.address < two.address + two.size_bytes and two.address < one.address + one.size_bytes
            for one in self.boxes
            for two in other.boxes
        )


@dataclass(frozen=True)
class Tile:
    """Boxes of one input.

    Attributes:
        boxes: In the order of their addresses.
        origin: The first element of the tile in the tensor.
    """

    boxes: tuple[KnownBoxCopy, ...]
    origin: tuple[int, ...]

    @classmethod
    def of(cls, boxes: Sequence[KnownBoxCopy]) -> "Tile":
        """Return the tile of some boxes of one tensor."""
        return cls(tuple(boxes), tuple(min(each) for each in zip(*(box.at for box in boxes), strict=True)))

    @property
    def base(self) -> int:
        """Where the tile begins in workgroup memory."""
        return self.boxes[0].address

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements of the tile, were it whole."""
        ends = [
            [(x - first) // step + n for x, first, step, n in zip(b.at, self.origin, b.map.steps, n_, strict=True)]
            for b in self.boxes
            for n_ in [box_shape(b.map)]
        ]
        return tuple(max(each) for each in zip(*ends, strict=True))

    def element(self, address: int) -> tuple[int, ...] | None:
        """Return which element of the tile lies at an address, before the swizzle; None where none of its does."""
        for box in self.boxes:
            rest = address - box.address
            if not 0 <= rest < box.size_bytes:
                continue
            number = rest // element_bytes(box.map)
            place: list[int] = []
            for extent in reversed(box_shape(box.map)):
                number, x = divmod(number, extent)
                place.append(x)
            parts = zip(box.at, self.origin, box.map.steps, reversed(place), strict=True)
            return tuple((x - first) // step + inside for x, first, step, inside in parts)
        return None

    def address(self, element: Sequence[int]) -> int | None:
        """Return where an element lies, before the swizzle; None where no box has it."""
        for box in self.boxes:
            number = 0
            for wanted, x, first, step, n in zip(
                element, box.at, self.origin, box.map.steps, box_shape(box.map), strict=True
            ):
                inside = wanted - (x - first) // step
                if not 0 <= inside < n:
                    break
                number = number * n + inside
            else:
                return box.address + number * element_bytes(box.map)
        return None


def fills_of(events: Sequence[Event], maps: dict[int, TensorMap], *, whole: bool) -> tuple[list[PhaseFill], list[int]]:
    """Return what a thread's copies fill, in order.

    Args:
        events: What the thread did.
        maps: The tensor maps, by the number of the kernel's parameter.
        whole: Whether it was followed to its end; else the last fill may lack copies and is left out.

    Returns:
        The fills, and the numbers of the statements whose operands are not known.
    """
    fills: list[PhaseFill] = []
    unknown: list[int] = []
    begun = [at for at, event in enumerate(events) if isinstance(event, ExpectTx)]
    for number, at in enumerate(begun):
        expected = events[at]
        assert isinstance(expected, ExpectTx)
        last = number + 1 == len(begun)
        if last and not whole:
            break
        inside = events[at + 1 : len(events) if last else begun[number + 1]]
        copies = [event for event in inside if isinstance(event, BoxCopy) and not event.store]
        boxes = [_box(copy, maps) for copy in copies]
        strange = [c.number for c, box in zip(copies, boxes, strict=True) if box is None or c.barrier is None]
        if strange or expected.barrier is None or expected.size_bytes is None:
            unknown += strange or [expected.number]
            continue
        found = sorted((box for box in boxes if box is not None), key=lambda box: box.address)
        astray = sum(copy.barrier != expected.barrier for copy in copies)
        fills.append(PhaseFill(expected.barrier, expected.size_bytes, tuple(found), astray))
    return fills, unknown


def tiles_of(boxes: Iterable[KnownBoxCopy], sizes: Sequence[int]) -> list[Tile] | None:
    """Return the tiles of a fill, which lie one behind the other; None where its boxes are not such tiles.

    Args:
        boxes: In the order of their addresses.
        sizes: Bytes of each tile.
    """
    left, tiles = list(boxes), list[Tile]()
    for size in sizes:
        own: list[KnownBoxCopy] = []
        while left and sum(box.size_bytes for box in own) < size:
            own.append(left.pop(0))
        ranks = {len(box.at) for box in own}
        if sum(box.size_bytes for box in own) != size or len(ranks) != 1:
            return None
        tiles.append(Tile.of(own))
    return None if left else tiles


def _box(copy: BoxCopy, maps: dict[int, TensorMap]) -> KnownBoxCopy | None:
    described = None if copy.parameter is None else maps.get(copy.parameter)
    known = [x for x in copy.coordinates if x is not None]
    if described is None or copy.address is None or len(known) != len(copy.coordinates):
        return None
    signed = [x - (1 << 32) if x >> 31 else x for x in reversed(known)]
    return KnownBoxCopy(described, copy.address, tuple(signed)) if len(signed) == len(described.extents) else None
