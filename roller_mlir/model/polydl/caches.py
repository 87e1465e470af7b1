# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which cache serves which reuse.

Paper: PolyDL section 4.2, Algorithm 2. Caches are taken to be fully associative and exclusive, as there, so that what
one holds takes no room in another. There are as many as the device has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roller_mlir.hal import Device, MemoryLayer
from roller_mlir.model.polydl.working_sets import WorkingSet


@dataclass(frozen=True, kw_only=True, slots=True)
class Cache:
    """A cache, or the memory behind all of them, as one thread sees it.

    Attributes:
        name: The layer's name.
        capacity_bytes: Size of one instance; None for memory, which holds everything.
        latency_s: Time of one dependent load; None where the device does not say it.
        bandwidth_bytes_per_s: What one of the threads that share it draws; None where the device does not say it. Of a
            device of vectors it is then what its constants assume.
        sharers: Threads that use one instance at a time. What each touches for itself is there so many times.
        unit_bandwidth_bytes_per_s: What it would draw alone; None where nothing says it.
    """

    name: str
    capacity_bytes: int | None
    latency_s: float | None = None
    bandwidth_bytes_per_s: float | None = None
    sharers: int = 1
    unit_bandwidth_bytes_per_s: float | None = None


def caches_of(device: Device, threads: int = 1) -> tuple[Cache, ...]:
    """Return the caches of a device, nearest first, and its memory, for so many threads on as many units."""
    if threads < 1:
        raise ValueError(f"threads must be at least 1, but got {threads}")
    layers = [layer for layer in device.layers if layer.kind == "cached"]
    found = [_cache(device, layer, min(threads, max(1, device.units // layer.instances)), True) for layer in layers]
    return (*found, _cache(device, device.layer("global"), min(threads, device.units), False))


def _cache(device: Device, layer: MemoryLayer, sharers: int, bounded: bool) -> Cache:
    bandwidth = layer.sustained_bandwidth_bytes_per_s or layer.bandwidth_bytes_per_s
    each = None if bandwidth is None else bandwidth / layer.instances / sharers
    own, alone = layer.instances >= device.units, layer.unit_bandwidth_bytes_per_s
    if device.vector_bytes is not None and alone is None and (bandwidth is None or not own):
        known = device.vectors
        alone = (known.private_bytes_per_cycle if own else known.shared_bytes_per_cycle) * device.clock_hz
    rates = [one for one in (each, alone) if one is not None]
    return Cache(
        name=layer.name,
        capacity_bytes=layer.capacity_bytes if bounded else None,
        latency_s=layer.latency_s,
        bandwidth_bytes_per_s=min(rates, default=None),
        sharers=sharers,
        unit_bandwidth_bytes_per_s=alone,
    )


@dataclass(frozen=True, slots=True)
class Assignment:
    """What each cache holds, and which reuses that lets it serve.

    Attributes:
        caches: Nearest first; memory is the last.
        held_bytes: The working sets that are assigned to each, added up: the statistics of the paper's ranking.
        first_reuses: Of each working set, in their order, the place of the cache that holds its smallest.
        all_reuses: The place of the one that holds its largest.
    """

    caches: tuple[Cache, ...]
    held_bytes: tuple[int, ...]
    first_reuses: tuple[int, ...]
    all_reuses: tuple[int, ...]


def assign(
    sets: Sequence[WorkingSet],
    caches: Sequence[Cache],
    collides: Callable[[WorkingSet, Cache], bool] | None = None,
    *,
    apart: bool = True,
) -> Assignment:
    """Give each working set, from the smallest up, to the nearest cache that still has room for it.

    A dependence with one target has one working set, others have two.

    Args:
        sets: The working sets.
        caches: Nearest first, memory last.
        collides: Whether a cache cannot hold what a dependence reuses, though it is large enough: since lines of it
            share too few of the cache's sets. None takes caches as fully associative, as the paper does.
        apart: Whether each set takes room of its own, as in the paper. Sets of reuses of one nest mostly contain each
            other: without it a set only has to fit by itself, which is when a cache that replaces what was used longest
            ago still has the data.

    Raises:
        ValueError: The last of the caches is no memory.
    """
    if not caches or caches[-1].capacity_bytes is not None:
        raise ValueError("the last of the caches must be memory, without a capacity")
    held = [0] * len(caches)
    places: dict[tuple[int, bool], int] = {}
    wanted = [(one.min_bytes, number, False) for number, one in enumerate(sets)]
    wanted += [(one.max_bytes, number, True) for number, one in enumerate(sets) if not _single(one)]
    for size, number, largest in sorted(wanted):
        together = sets[number].dependence.parallel
        for place, cache in enumerate(caches):
            own = size if together else size * cache.sharers
            if cache.capacity_bytes is None or (
                apart * held[place] + own <= cache.capacity_bytes and not (collides and collides(sets[number], cache))
            ):
                held[place] += own
                places[number, largest] = place
                break
    first = tuple([places[number, False] for number in range(len(sets))])
    every = tuple([places.get((number, True), place) for number, place in enumerate(first)])
    return Assignment(tuple(caches), tuple(held), first, every)


def _single(one: WorkingSet) -> bool:
    return one.dependence.parallel or one.dependence.first == one.dependence.last
