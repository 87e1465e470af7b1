# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What it costs that reuses are served by this cache and that one.

Paper: PolyDL section 4.2.1, Equation 1. It weighs the bytes that each cache holds, which is no time: a set that is
reused once counts as much as one that is reused a thousand times. `ranking_cost` is that equation. `seconds_by_layer`
takes the same assignment, but weighs what each layer hands over: the bytes of all reuses that it serves.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from roller_mlir.model.polydl.caches import Assignment, Cache
from roller_mlir.model.polydl.intervals import Footprints
from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.model.polydl.values import volume
from roller_mlir.model.polydl.working_sets import WorkingSet


def ranking_cost(assignment: Assignment) -> float:
    """Return Equation 1: the sum of held bytes x latency / bandwidth; the lower, the better.

    >>> l1 = Cache(name="l1", capacity_bytes=100, latency_s=1.0, bandwidth_bytes_per_s=2.0)
    >>> memory = Cache(name="global", capacity_bytes=None, latency_s=30.0, bandwidth_bytes_per_s=1.0)
    >>> ranking_cost(Assignment((l1, memory), (80, 400), (), ()))
    12040.0

    Raises:
        ValueError: A layer's latency or bandwidth is not known.
    """
    return sum(
        [
            held * _known(cache, "latency_s") / _known(cache, "bandwidth_bytes_per_s")
            for held, cache in zip(assignment.held_bytes, assignment.caches, strict=True)
        ]
    )


class Handed(NamedTuple):
    """Bytes that a layer hands to the body of a nest.

    Attributes:
        tensor: Place of the tensor among those of the nest.
        level: The loop whose iterations reuse them, counted from outside; -1 of what is touched for the first time.
        place: The layer's place, the nearest one's is 0.
        size_bytes: Of all iterations together.
    """

    tensor: int
    level: int
    place: int
    size_bytes: float


def handed_over(
    nest: TiledNest,
    sets: Sequence[WorkingSet],
    assignment: Assignment,
    *,
    line_bytes: int | None = None,
    packed: Collection[int] = (),
    again: bool = False,
    weights: Sequence[float] | None = None,
) -> list[Handed]:
    """Return what each layer hands to the body of a nest.

    A loop of n iterations, each of which touches u bytes of a tensor, v of them different in all, reuses n u - v bytes
    each time that it runs. These come from the cache that holds the working set up to the first reuse; reuses are
    alike, so that the next needs as much again. What is touched for the first time comes from memory. Outputs count
    twice, as they are read and written back. Where iterations share lines but no elements, a line that is touched
    again comes from the cache that holds all that one iteration touches.

    In C[i, j] += A[i, k] B[k, j] with loops i, j, k of M, N, K iterations, j reuses N K - K elements of A, M times.

    Args:
        nest: The nest.
        sets: Its working sets.
        assignment: The caches that hold them.
        line_bytes: What moves at once, so that all of it counts; None counts elements.
        packed: Tensors, by their places among `touched`, whose tiles lie dense, so that no line is moved for a part.
        again: Whether the nest follows another that touched the same, itself or its neighbours in a program: what is
            touched for the first time then comes from the nearest cache that holds everything.
        weights: How much longer a byte of each tensor takes than one that is read in order; 1 where nothing is said.
    """
    footprints = Footprints(nest)
    tensors = nest.tensors
    depth = len(footprints.counts)
    levels = sum(loop.count > 1 for loop in nest.loops)
    outputs = nest.expression.outputs
    ways = [
        one.access.element_bytes * (1 + (one.access in outputs)) * (weights[number] if weights else 1)
        for number, one in enumerate(tensors)
    ]
    # From loops of all iterations inwards: what one run of each touches.
    inside = [[0.0] * len(tensors) for _ in range(levels + 1)]
    held_bytes = [0.0] * (levels + 1)
    for level in range(levels + 1):
        parts = [((0,) * depth, level, 0, footprints.counts[level] - 1)] if level < depth else []
        boxes = footprints.axis_values(parts)
        for number, tensor in enumerate(tensors):
            image = tensor.image(boxes[0][1], nest.extents) if boxes else ()  # without loops, one point
            size = tensor.access.gathered
            if image is not None and not size:
                dense = line_bytes is None or number in packed
                size = volume(image) if dense or line_bytes is None else tensor.in_lines(image, line_bytes)
            inside[level][number] = float(size * ways[number])
            held_bytes[level] += size * tensor.access.element_bytes
    found: list[Handed] = []
    runs = [1.0]
    for count in footprints.counts[:levels]:
        runs.append(runs[-1] * count)
    for one, place in zip(sets, assignment.first_reuses, strict=True):
        number, level = one.dependence.tensor, one.dependence.level
        if level < levels:
            reused = footprints.counts[level] * inside[level + 1][number] - inside[level][number]
            found.append(Handed(number, level, place, runs[level] * max(0.0, reused)))
    known = {(one.tensor, one.level) for one in found}
    for level, number in product(range(levels), range(len(tensors))):
        again_lines = footprints.counts[level] * inside[level + 1][number] - inside[level][number]
        if again_lines > 0 and (number, level) not in known:
            place = holder(assignment.caches, held_bytes[level + 1])
            found.append(Handed(number, level, place, runs[level] * again_lines))
    total = sum(
        [each * one.access.element_bytes / way for each, way, one in zip(inside[0], ways, tensors, strict=True)]
    )
    nearest = len(assignment.caches) - 1
    if again:
        nearest = holder(assignment.caches, total)
    return found + [Handed(number, -1, nearest, size) for number, size in enumerate(inside[0])]


def holder(caches: Sequence[Cache], size_bytes: float) -> int:
    """Return the place of the nearest cache that holds so much; memory holds everything."""
    return next(
        place
        for place, cache in enumerate(caches)
        if cache.capacity_bytes is None or size_bytes <= cache.capacity_bytes
    )


def served_bytes(
    nest: TiledNest, sets: Sequence[WorkingSet], assignment: Assignment, handed: Sequence[Handed] | None = None
) -> tuple[float, ...]:
    """Return the bytes that each layer hands to the body of a nest, all iterations together.

    Args:
        nest: The nest.
        sets: Its working sets.
        assignment: The caches that hold them.
        handed: What `handed_over` returns, where it is known.
    """
    served = [0.0] * len(assignment.caches)
    for one in handed_over(nest, sets, assignment) if handed is None else handed:
        served[one.place] += one.size_bytes
    return tuple(served)


def seconds_by_layer(
    nest: TiledNest,
    sets: Sequence[WorkingSet],
    assignment: Assignment,
    *,
    threads: int = 1,
    factors: Mapping[str, float] | None = None,
    served: Sequence[float] | None = None,
) -> dict[str, float]:
    """Return seconds were each layer the only limit, as `model.cost.timing.seconds_by_layer` does for GPUs.

    What a layer serves passes the layers before it, too. Threads divide the iterations of the parallel loops; the
    busiest is as slow as all.

    Args:
        nest: The nest.
        sets: Its working sets.
        assignment: The caches that hold them.
        threads: Threads among which parallel iterations are divided.
        factors: Of each layer, how many times as long as at its bandwidth it takes, measured; 1 where nothing is said.
        served: What `served_bytes` returns, where it is known.

    Raises:
        ValueError: A layer's bandwidth is not known.
    """
    served = served_bytes(nest, sets, assignment) if served is None else served
    parallel = prod([loop.count for loop in nest.point_loops if loop.parallel])
    share = -(-parallel // min(threads, parallel)) / parallel
    seconds: dict[str, float] = {}
    for place, cache in enumerate(assignment.caches):
        passed = sum(served[place:]) * share
        factor = (factors or {}).get(cache.name, 1.0)
        seconds[cache.name] = factor * passed / _known(cache, "bandwidth_bytes_per_s")
    return seconds


def _known(cache: Cache, field: str) -> float:
    value = getattr(cache, field)
    if value is None:
        raise ValueError(f"layer '{cache.name}' needs {field}, which the device does not say; calibrate it")
    return float(value)
