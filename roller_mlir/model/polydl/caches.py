# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which cache serves which reuse.

Paper: PolyDL section 4.2, Algorithm 2. Caches are taken to be fully associative and exclusive, as there, so that what
one holds takes no room in another. There are as many as the device has.
"""

from collections.abc import Sequence
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
        bandwidth_bytes_per_s: What one of the threads that share it draws; None where the device does not say it.
        sharers: Threads that use one instance at a time. What each touches for itself is there so many times.
    """

    name: str
    capacity_bytes: int | None
    latency_s: float | None = None
    bandwidth_bytes_per_s: float | None = None
    sharers: int = 1


def caches_of(device: Device, threads: int = 1) -> tuple[Cache, ...]:
    """Return the caches of a device, nearest first, and its memory, for so many threads on as many units."""
    if threads < 1:
        raise ValueError(f"threads must be at least 1, but got {threads}")
    layers = [layer for layer in device.layers if layer.kind == "cached"]
    found = [_cache(layer, min(threads, max(1, device.units // layer.instances)), True) for layer in layers]
    return (*found, _cache(device.layer("global"), threads, False))


def _cache(layer: MemoryLayer, sharers: int, bounded: bool) -> Cache:
    bandwidth = layer.sustained_bandwidth_bytes_per_s or layer.bandwidth_bytes_per_s
    return Cache(
        name=layer.name,
        capacity_bytes=layer.capacity_bytes if bounded else None,
        latency_s=layer.latency_s,
        bandwidth_bytes_per_s=None if bandwidth is None else bandwidth / layer.instances / sharers,
        sharers=sharers,
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


def assign(sets: Sequence[WorkingSet], caches: Sequence[Cache]) -> Assignment:
    """Give each working set, from the smallest up, to the nearest cache that still has room for it.

    A dependence with one target has one working set, others have two.

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
            if cache.capacity_bytes is None or held[place] + own <= cache.capacity_bytes:
                held[place] += own
                places[number, largest] = place
                break
    first = tuple([places[number, False] for number in range(len(sets))])
    every = tuple([places.get((number, True), place) for number, place in enumerate(first)])
    return Assignment(tuple(caches), tuple(held), first, every)


def _single(one: WorkingSet) -> bool:
    return one.dependence.parallel or one.dependence.first == one.dependence.last
