# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor copies and products of warpgroups in PTX against the hardware's rules and the plan.

- "tensor_map": of each tensor map what the driver takes (rank, extents, strides, box, steps, span of the swizzle), of
  those that the kernel makes every field that it writes, and that each thread which copies by one acquires it before,
  and of those of the step's tiles and of the results the plan's array: extents, strides, element type, steps, swizzle;
- "copies": boxes begin where the pattern of their swizzle does; the bytes of a step's boxes are those that its barrier
  is told of, and those of the plan's tiles, each of which they bring once; buffers of two steps lie apart;
- "descriptor": the products of a step are the plan's: types, whether a factor is transposed, swizzle, and of each
  element that a descriptor makes the hardware read that it is the plan's row, column and place of the reduction.

PTX is followed thread by thread (`ptx_thread`), one of each warpgroup, through all buffers of the ring; that another
subgroup of the warpgroup has the same descriptors is compared, too. Workgroup memory begins at an address that is
aligned as PTX says it is, and no better.
"""

from collections.abc import Iterator, Sequence

from roller_mlir.lowering.backend.checks.hopper.descriptors import products_of
from roller_mlir.lowering.backend.checks.hopper.fills import PhaseFill, fills_of, tiles_of
from roller_mlir.lowering.backend.checks.hopper.made_maps import made_map_faults
from roller_mlir.lowering.backend.checks.hopper.ptx_text import PtxKernel, read_kernel
from roller_mlir.lowering.backend.checks.hopper.ptx_thread import BoxCopy, Followed, WarpgroupProduct, follow
from roller_mlir.lowering.backend.checks.hopper.rules import PIECE, REPEATS, element_bytes, map_problems
from roller_mlir.lowering.backend.checks.quality import Mismatch
from roller_mlir.mapping.checks.expected_copies import ExpectedProducts, ExpectedTile
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap

_Found = tuple[str, Mismatch]
"""A mismatch and its subject."""

_GROUP_THREADS, _SUBGROUP_THREADS = 128, 32
_UNITS = ("wgmma.mma_async", "cp.async.bulk.tensor")


def hopper_mismatches(
    ptx: str, maps: Sequence[TensorMap], expected: ExpectedProducts | None = None, made: Sequence[TensorMap] = ()
) -> tuple[Mismatch, ...]:
    """Compare what a kernel asks of Hopper's asynchronous units; nothing, of a kernel that asks them nothing.

    Args:
        ptx: the text of one kernel.
        maps: the tensor maps that it is given, its last parameters.
        expected: the plan's products; None for a kernel without a plan, which is held to the hardware's rules alone.
        made: the tensor maps that it makes itself, where its last parameter points.

    Returns:
        The first mismatch of each kind and subject.
    """
    kernel = read_kernel(ptx) if any(unit in ptx for unit in _UNITS) else None
    if kernel is None:
        return ()
    first: dict[tuple[str, str], Mismatch] = {}
    for subject, found in _all(kernel, maps or made, expected, made):
        first.setdefault((found.kind, subject), found)
    return tuple(first.values())


def _all(
    kernel: PtxKernel, maps: Sequence[TensorMap], expected: ExpectedProducts | None, made: Sequence[TensorMap]
) -> Iterator[_Found]:
    for number, described in enumerate(maps):
        for what, found, allowed in map_problems(described):
            subject = f"tensor map {number} (argument {described.argument})"
            yield (
                subject,
                _mismatch("tensor_map", 0, found, f"{subject} has {what} of {found}, which must be {allowed}"),
            )
    threads = [follow(kernel, first, len(made)) for first in range(0, max(kernel.threads, 1), _GROUP_THREADS)]
    start = len(kernel.parameters) - (1 if made else len(maps))
    by_parameter = {start + number: one for number, one in enumerate(maps)}
    if made:
        yield from made_map_faults(threads, by_parameter)
    fills: list[PhaseFill] = []
    for thread in threads:
        filled, unknown = fills_of(thread.events, by_parameter, whole=thread.whole)
        fills += filled
        if unknown and expected is not None:
            text = f"the operands of a tensor copy ({kernel.statements[unknown[0]].name}) cannot be followed"
            yield "operands", _mismatch("copies", 0, 0, text)
    if expected is not None and not fills:
        yield "operands", _mismatch("copies", 1, 0, "no copies of a step can be followed, the plan has some")
    yield from _buffers(fills)
    for fill in fills:
        yield from _arrivals(fill, expected)
        if expected is not None:
            yield from _tiles(fill, expected, maps)
    stores = [one for thread in threads for one in thread.events if isinstance(one, BoxCopy) and one.store]
    for store in stores:
        if store.parameter in by_parameter and store.address is not None:
            yield from _placed(by_parameter[store.parameter], store.address)
    if expected is not None:
        stored = {store.parameter for store in stores}
        yield from _output(expected, [one for number, one in by_parameter.items() if number in stored], maps)
    yield from _alike(kernel, threads)
    yield from products_of(kernel, threads, fills, expected)


def _alike(kernel: PtxKernel, threads: Sequence[Followed]) -> Iterator[_Found]:
    """Compare the descriptors of the first and the last subgroup of each warpgroup, which must be the same."""
    for number, thread in enumerate(threads):
        own = [one for one in thread.events if isinstance(one, WarpgroupProduct)]
        if not own:
            continue
        last = follow(kernel, (number + 1) * _GROUP_THREADS - _SUBGROUP_THREADS)
        others = [one for one in last.events if isinstance(one, WarpgroupProduct)]
        wrong = next((one for one, other in zip(own, others, strict=False) if one != other), None)
        if wrong is not None or bool(own) != bool(others):
            text = f"the descriptors of a product differ from subgroup to subgroup of warpgroup {number}"
            yield "subgroups", _mismatch("descriptor", 0, 0, text)


def _arrivals(fill: PhaseFill, expected: ExpectedProducts | None) -> Iterator[_Found]:
    """Compare the bytes of a phase, and where its boxes begin."""
    brought = sum(box.size_bytes for box in fill.boxes)
    if brought != fill.expected_bytes:
        text = f"a step's barrier expects {fill.expected_bytes} B (expect_tx), its {len(fill.boxes)} boxes bring "
        text += f"{brought} B"
        yield "bytes", _mismatch("copies", brought, fill.expected_bytes, text)
    wanted = None if expected is None else sum(tile.size_bytes for tile in expected.tiles)
    if wanted is not None and brought != wanted:
        text = f"a step's {len(fill.boxes)} boxes bring {brought} B, the plan's tiles have {wanted} B"
        yield "tiles", _mismatch("copies", wanted, brought, text)
    if fill.astray:
        text = (
            f"{fill.astray} of a step's {len(fill.boxes)} boxes arrive at another barrier than that which expects them"
        )
        yield "barrier", _mismatch("copies", 0, fill.astray, text)
    for box in fill.boxes:
        yield from _placed(box.map, box.address)


def _placed(described: TensorMap, address: int) -> Iterator[_Found]:
    unit = REPEATS[described.swizzle]
    if address % unit:
        text = f"a box of argument {described.argument} begins {address % unit} B behind a multiple of {unit} B in "
        text += f"workgroup memory, its swizzle of {described.swizzle} B begins at such"
        yield f"argument {described.argument}", _mismatch("copies", unit, address % unit, text)


def _buffers(fills: Sequence[PhaseFill]) -> Iterator[_Found]:
    """Compare where the buffers of a ring lie: the fills of one barrier in one place, those of two apart."""
    by_barrier: dict[int, PhaseFill] = {}
    for fill in fills:
        before, now = ([box.address for box in one.boxes] for one in (by_barrier.setdefault(fill.barrier, fill), fill))
        if before != now:
            text = f"copies of two steps arrive at one barrier, but lie at {before} and {now} B of workgroup memory"
            yield "places", _mismatch("copies", 0, 0, text)
    apart = list(by_barrier.values())
    if any(one.overlaps(other) for at, one in enumerate(apart) for other in apart[:at]):
        yield "overlap", _mismatch("copies", 0, 0, "the buffers of two steps overlap in workgroup memory")


def _tiles(fill: PhaseFill, expected: ExpectedProducts, maps: Sequence[TensorMap]) -> Iterator[_Found]:
    """Compare the boxes of a step, and their tensor maps, with the plan's tiles."""
    tiles = tiles_of(fill.boxes, [tile.size_bytes for tile in expected.tiles])
    if tiles is None:
        wanted = ", ".join(f"{tile.size_bytes} B of input {tile.operand}" for tile in expected.tiles)
        text = f"a step's boxes of {', '.join(str(box.size_bytes) for box in fill.boxes)} B are not the plan's {wanted}"
        yield "tiles", _mismatch("copies", len(expected.tiles), len(fill.boxes), text)
        return
    for wanted, tile in zip(expected.tiles, tiles, strict=True):
        subject = f"input {wanted.operand}"
        for described in dict.fromkeys(box.map for box in tile.boxes):
            for text in _map_differences(described, wanted):
                number = maps.index(described)
                yield subject, _mismatch("tensor_map", 0, 0, f"tensor map {number} of {subject} has {text}")
        if len(tile.origin) == len(wanted.shape) and tile.shape != wanted.shape:
            text = f"the boxes of {subject} reach over {list(tile.shape)} elements, its tile has {list(wanted.shape)}"
            yield subject, _mismatch("copies", 0, 0, text)
        places = {(box.at, box.address) for box in tile.boxes}
        if len({at for at, _ in places}) != len(tile.boxes) or len({to for _, to in places}) != len(tile.boxes):
            yield subject, _mismatch("copies", 0, 0, f"two boxes of {subject} are the same, or go to one place")


def _map_differences(described: TensorMap, wanted: ExpectedTile) -> Iterator[str]:
    for what, found, expected in (
        ("elements of type", described.element, wanted.element),
        ("extents", list(described.static_extents), list(wanted.extents)),
        ("strides of bytes", list(described.strides), list(wanted.strides)),
        ("element strides", list(described.steps), list(wanted.steps)),
        ("a swizzle of", described.swizzle, 128),
        ("an innermost box extent of bytes of", described.box[-1] * element_bytes(described), 128),
    ):
        if found != expected:
            yield f"{what} {found}, the plan wants {expected}"


def _output(expected: ExpectedProducts, stored: Sequence[TensorMap], maps: Sequence[TensorMap]) -> Iterator[_Found]:
    """Compare the tensor maps of what is written with the plan's result."""
    for described in stored:
        subject = f"tensor map {maps.index(described)} of the results"
        kept = [d for d, extent in enumerate(described.extents) if extent != 1 or d == len(described.extents) - 1]
        extents = tuple(described.static_extents[d] for d in kept)
        strides = tuple(described.strides[d] for d in kept[:-1])
        if expected.output is not None and (extents, strides) != expected.output:
            text = f"{subject} has extents {list(extents)} and strides {list(strides)} of bytes, the plan's are "
            text += f"{list(expected.output[0])} and {list(expected.output[1])}"
            yield subject, _mismatch("tensor_map", 0, 0, text)
        line = described.box[-1] * element_bytes(described)
        wanted = line if line in REPEATS else 0 if line == PIECE else described.swizzle
        if described.swizzle != wanted:
            text = f"{subject} has a swizzle of {described.swizzle} B, lines of {line} B have one of {wanted} B"
            yield subject, _mismatch("tensor_map", wanted, described.swizzle, text)


def _mismatch(kind: str, expected: int, found: int, message: str) -> Mismatch:
    return Mismatch(kind=kind, expected=expected, found=found, message=message)
