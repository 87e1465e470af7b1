# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Footprint, traffic and what facts repeat of them, against enumeration of everything that random expressions touch."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from math import gcd, prod

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_expressions import matmul
from random_expressions import bounding_box, boxes, coordinates, random_expressions, random_tiles
from tile_definitions import footprint_bytes, footprint_elements, traffic_bytes

from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.data_tile import TileDimension, copy_vector, tile_dimensions
from roller_mlir.mapping.layout.layout import residue_shift, row_alignment, steps_of
from roller_mlir.mapping.layout.thread_reads import live_reads, live_vectors, own_reads, own_vectors
from roller_mlir.mapping.thread_map import register_offset
from roller_mlir.model.cost.raster.order import cache_traffic, global_traffic
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.tile import access_traffic
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, TensorExpression

MANY = settings(
    max_examples=3 * settings().max_examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
"""Hundreds of expressions, repeatable."""

MACHINE = machine_of(find_device("v100"))


def moved(access: Access, box: list[range], transaction: int) -> int:
    """Return the bytes of the transactions of one data tile, whose rows start on one."""
    spans = bounding_box(coordinates(access, box))
    if not spans:
        return len({byte // transaction for byte in range(access.element_bytes)}) * transaction
    size, first = access.element_bytes, spans[-1][0]
    rows = prod(len(span) for span in spans[:-1])
    touched = {((at - first) * size + byte) // transaction for at in spans[-1] for byte in range(size)}
    return rows * len(touched) * transaction


@MANY
@given(random_expressions(), st.data())
def test_footprint_is_the_bytes_of_the_bounding_boxes(expr: TensorExpression, data: st.DataObject) -> None:
    tile = data.draw(random_tiles(expr))
    box, inputs = [range(size) for size in tile], 0
    for access in (*expr.inputs, expr.output):
        touched = coordinates(access, box)
        spans = bounding_box(touched)
        elements = prod(len(span) for span in spans)
        assert elements == footprint_elements(access, tile)
        assert touched <= set(product(*spans))
        loops = [loop for index in access.indices for loop in index.terms()]
        if len(set(loops)) == len(loops) and all(len(index.terms()) < 2 for index in access.indices):
            assert len(touched) == elements, "nothing but what is touched, where no window leaves holes"
        if access is not expr.output:
            inputs += elements * access.element_bytes
    assert footprint_bytes(expr, tile, output=False) == inputs
    stored = footprint_elements(expr.output, tile) * expr.output.element_bytes
    assert footprint_bytes(expr, tile) == inputs + stored


@pytest.mark.full
@MANY
@given(random_expressions(), st.data(), st.sampled_from([8, 32, 64, 128]))
def test_traffic_is_the_transactions_of_all_tiles(
    expr: TensorExpression, data: st.DataObject, transaction: int
) -> None:
    """Every tile of the loops loads its inputs; every tile of the parallel loops stores, and loads what it adds to."""
    tile = [gcd(size, bound) for size, bound in zip(data.draw(random_tiles(expr)), expr.bounds, strict=True)]
    every = range(len(expr.loops))
    loaded = sum(moved(access, box, transaction) for box in boxes(expr, tile, every) for access in expr.inputs)
    stored = sum(moved(expr.output, box, transaction) for box in boxes(expr, tile, expr.parallel()))
    assert traffic_bytes(expr, tile, transaction, output=False) == loaded
    assert traffic_bytes(expr, tile, transaction) == loaded + (2 if expr.accumulates else 1) * stored


@pytest.mark.full
@MANY
@given(random_expressions(), st.data())
def test_traffic_in_bytes_is_what_is_touched(expr: TensorExpression, data: st.DataObject) -> None:
    """With transactions of a byte, a row is the span from its first to its last element."""
    tile = data.draw(random_tiles(expr))
    for access in expr.inputs:
        spans = bounding_box(coordinates(access, [range(size) for size in tile]))
        size = access.element_bytes
        last = len(spans[-1]) if spans else 1
        assert access_traffic(access, tile, 1) == prod([len(span) for span in spans[:-1]]) * last * size


@MANY
@given(random_expressions(), st.data())
def test_facts_repeat_what_mapping_and_tile_define(expr: TensorExpression, data: st.DataObject) -> None:
    facts = ProblemContext(expr, MACHINE)
    chunks = data.draw(st.tuples(*[st.sampled_from([1, 2, 4]) for _ in expr.loops]))
    threads = data.draw(st.tuples(*[st.sampled_from([1, 2, 3]) for _ in expr.loops]))
    axes = tuple(AxisPlan(block=c * t, threads=t, chunk=c) for c, t in zip(chunks, threads, strict=True))
    blocks = [axis.block for axis in axes]
    origins = [
        [step * axis.block - residue_shift(loop, axis) for step in range(min(3, steps_of(loop, axis)))]
        for loop, axis in zip(expr.loops, axes, strict=True)
    ]
    for each in (*facts.inputs, facts.output):
        dimensions = tile_dimensions(each.access, blocks)
        last = (dimensions[-1].extent, dimensions[-1].step) if dimensions else (1, 1)
        assert each.tile(blocks) == (footprint_elements(each.access, blocks), *last)
        assert each.traffic(blocks) == access_traffic(each.access, blocks, MACHINE.sector_bytes, expr.bounds)
        aligned = row_alignment(each.access, expr.loops, blocks)
        assert not any(place % aligned for place in (*places(each.access, origins), *each.access.static_shape[-1:]))
        assert each.copy_vector(blocks) == copy_vector(*last, aligned, 16 // each.element_bytes)
        wide = each.direct_vector(blocks, chunks)
        assert wide <= 16 // each.element_bytes
        if wide > 1:  # each thread's neighbours start on a vector, and no row ends inside of one
            held = [
                [start + thread * axis.chunk for start in begin for thread in range(axis.threads)]
                for begin, axis in zip(origins, axes, strict=True)
            ]
            assert not aligned % wide and not any(place % wide for place in places(each.access, held))


def places(access: Access, points: Sequence[Sequence[int]]) -> set[int]:
    """Return the innermost coordinates of points, given per loop."""
    if not access.indices:
        return set()
    index, found = access.indices[-1], {access.indices[-1].constant}
    for loop, k in index.terms().items():
        found = {place + k * point for place in found for point in points[loop]}
    return found


def test_rows_that_are_read_backwards_are_copied_by_vectors() -> None:
    """x[63 - i] in boxes of 16 starts at 48, 32, 16 and 0."""
    loops = (Loop(64), Loop(8, True))
    back = Access("x", (8, 64), "f32", (LinearIndex((0, 1)), LinearIndex((-1, 0), 63)))
    output = Access("y", (64,), "f32", (LinearIndex((1, 0)),))
    expr = TensorExpression(
        loops=loops, inputs=(back,), output=output, combiner="arith.addf", flops_per_point=1, pad_values=(0.0,)
    )
    facts = ProblemContext(expr, MACHINE)
    assert [facts.inputs[0].copy_vector((block, 8)) for block in (16, 2)] == [4, 2]
    assert facts.inputs[0].direct_vector((16, 8), (4, 1)) == 1, "no thread holds neighbours in their order"


@pytest.mark.full
@MANY
@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 2, 4])), max_size=3
    ),
    st.sampled_from([1, 2, 4, 8]),
)
def test_own_vectors_are_one_threads_distinct_aligned_vectors(
    terms: list[tuple[int, int, int, int]], width: int
) -> None:
    """Of every thread that starts on a vector: the elements at each of its registers, vector by vector."""
    axes = tuple(
        AxisPlan(block=parts * threads * chunk, threads=threads, chunk=chunk) for _, parts, threads, chunk in terms
    )
    coefficients = {loop: k for loop, (k, *_) in enumerate(terms)}
    extent = 1 + sum(k * (axes[loop].block - 1) for loop, k in coefficients.items())
    dimension = TileDimension(coefficients, 1, extent)
    found = own_vectors(dimension, axes, width)
    for thread in product(*[range(axis.threads) for axis in axes]):
        start = sum(k * thread[loop] * axes[loop].chunk for loop, k in coefficients.items())
        held = {
            start
            + sum(
                k * register_offset(axes[loop], r) for r, (loop, k) in zip(registers, coefficients.items(), strict=True)
            )
            for registers in product(*[range(axis.registers) for axis in axes])
        }
        assert all(0 <= at < extent for at in held)
        if start % width == 0:
            assert found == len({at // width for at in held})


@MANY
@given(
    st.lists(
        st.tuples(
            st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from([1, 2, 4]), st.integers(1, 40)
        ),
        min_size=1,
        max_size=2,
    ),
    st.lists(st.booleans(), min_size=2, max_size=2),
    st.sampled_from([1, 2, 4]),
)
def test_live_vectors_leave_out_what_no_thread_reads(
    terms: list[tuple[int, int, int, int, int]], reductions: list[bool], width: int
) -> None:
    """A register is live if any thread's point of any step lies in its loop; a reduction's residue comes first."""
    axes = tuple(AxisPlan(block=n * t * chunk, threads=t, chunk=chunk) for _, n, t, chunk, _ in terms)
    loops = tuple(Loop(extent, reduces) for (*_, extent), reduces in zip(terms, reductions, strict=False))
    coefficients = {loop: k for loop, (k, *_) in enumerate(terms)}
    dimension = TileDimension(coefficients, 1, 1 + sum(k * (axes[loop].block - 1) for loop, k in coefficients.items()))
    places = {0}
    for (k, *_), loop, axis in zip(terms, loops, axes, strict=True):
        starts = [step * axis.block - residue_shift(loop, axis) for step in range(steps_of(loop, axis))]
        live = [
            offset
            for offset in (register_offset(axis, r) for r in range(axis.registers))
            if any(0 <= s + t * axis.chunk + offset < loop.extent.static for s in starts for t in range(axis.threads))
        ]
        places = {at + k * offset for at in places for offset in live}
    assert live_vectors(dimension, loops, axes, None, width) == len({at // width for at in places})


@MANY
@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(1, 2), st.sampled_from([1, 2, 4]), st.integers(1, 12), st.booleans()),
        min_size=1,
        max_size=3,
    ),
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=3),
    st.sampled_from([1, 2, 4]),
)
def test_reads_along_diagonals_are_those_of_distinct_places(
    terms: list[tuple[int, int, int, int, bool]], coefficients: list[list[int]], width: int
) -> None:
    """A loop may move along several dimensions: what a thread holds is enumerated in all of them together."""
    axes = tuple(AxisPlan(block=n * t * chunk, threads=t, chunk=chunk) for n, t, chunk, _, _ in terms)
    loops = tuple(Loop(extent, reduces) for *_, extent, reduces in terms)
    dimensions = [
        TileDimension({loop: k for loop, k in enumerate(row[: len(axes)]) if k and axes[loop].block > 1}, 1, 1000)
        for row in coefficients
    ]
    inner = len(dimensions) - 1

    def distinct(held: list[list[int]]) -> int:
        places = {
            tuple(sum(k * point[loop] for loop, k in d.coefficients.items()) for d in dimensions)
            for point in product(*held)
        }
        return len({(*place[:inner], place[inner] // width) for place in places})

    everything = [[register_offset(axis, r) for r in range(axis.registers)] for axis in axes]
    assert own_reads(dimensions, axes, inner, width) == distinct(everything)
    live = [
        [
            offset
            for offset in offsets
            if any(
                0 <= step * axis.block - residue_shift(loop, axis) + t * axis.chunk + offset < loop.extent.static
                for step in range(steps_of(loop, axis))
                for t in range(axis.threads)
            )
        ]
        if axis.registers > 1
        else [0]
        for loop, axis, offsets in zip(loops, axes, everything, strict=True)
    ]
    assert live_reads(dimensions, loops, axes, None, inner, width) == distinct(live)


def wave_loads(
    facts: ProblemContext, counts: list[int], order: tuple[int, ...], concurrent: int, task: list[int]
) -> int:
    """Return what is loaded by waves of tasks in an order, if what several tasks of a wave load is loaded once."""
    total, digits = 0, [range(counts[loop]) for loop in order]
    tasks = list(product(*digits))
    for first in range(0, len(tasks), concurrent):
        for access, loaded in zip(facts.inputs, task, strict=True):
            own = [i for i, loop in enumerate(order) if loop in access.parallel]
            total += loaded * len({tuple(one[i] for i in own) for one in tasks[first : first + concurrent]})
    return total


@MANY
@given(
    st.tuples(*[st.sampled_from([1, 2, 4, 8, 16])] * 3),
    st.tuples(*[st.sampled_from([8, 16, 32])] * 3),
    st.sampled_from([1, 2, 4, 8, 16, 32, 64, 256]),
    st.sampled_from([1, 2]),
)
def test_global_traffic_is_that_of_a_cache_of_one_wave(
    counts: tuple[int, int, int], blocks: tuple[int, int, int], concurrent: int, times: int
) -> None:
    """Powers of two, so that waves are boxes of the raster; of all orders tried the best one is returned."""
    expr = matmul(*[count * block for count, block in zip(counts, blocks, strict=True)])
    facts = ProblemContext(expr, replace(MACHINE, cache_bytes=1))
    found, order = global_traffic(facts, blocks, counts, concurrent, times)
    task = [access.traffic(blocks) * counts[2] for access in facts.inputs]
    several = [loop for loop in (0, 1) if counts[loop] > 1]
    assert sorted(order) == several
    orders = [tuple(several), tuple(reversed(several))]
    best = min(wave_loads(facts, list(counts), one, concurrent, task) for one in orders)
    written = times * expr.output.size_bytes
    assert found == best + written
    if counts[0] * counts[1] > concurrent:
        assert wave_loads(facts, list(counts), order, concurrent, task) == best


@MANY
@given(random_expressions(), st.data(), st.sampled_from([0, 1 << 8, 1 << 12]), st.integers(1, 40))
def test_global_traffic_lies_between_once_and_every_task_for_itself(
    expr: TensorExpression, data: st.DataObject, cache: int, concurrent: int
) -> None:
    tile = data.draw(random_tiles(expr))
    counts = [-(-loop.extent.static // size) for loop, size in zip(expr.loops, tile, strict=True)]
    facts = ProblemContext(expr, replace(MACHINE, cache_bytes=cache))
    times = 2 if expr.accumulates else 1
    found, order = global_traffic(facts, tile, counts, concurrent, times)
    written = times * expr.output.size_bytes
    unique = sum(min(a.access.size_bytes, a.traffic(tile) * prod([counts[i] for i in a.loops])) for a in facts.inputs)
    tasks = prod(counts[i] for i in expr.parallel())
    own = sum(a.traffic(tile) * prod([counts[i] for i in a.loops if facts.reduction[i]]) for a in facts.inputs)
    assert unique + written <= found <= max(unique, own * tasks) + written + 1e-6
    assert sorted(order) == [i for i in expr.parallel() if counts[i] > 1]
    larger = ProblemContext(expr, replace(MACHINE, cache_bytes=1 << 40))
    assert global_traffic(larger, tile, counts, concurrent, times)[0] == unique + written


@MANY
@given(
    st.tuples(*[st.sampled_from([1, 2, 4, 8, 16, 32])] * 2),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([8, 16, 64, 256, 1024]),
)
def test_private_caches_load_what_their_own_tasks_of_a_wave_need(
    counts: tuple[int, int], caches: int, concurrent: int
) -> None:
    """Tasks are dealt to the caches in turn; the last cache holds all, so that the order with least misses is taken."""
    blocks, extents = (8, 16, 32), (*counts, 4)
    expr = matmul(*[count * block for count, block in zip(extents, blocks, strict=True)])
    facts = ProblemContext(expr, replace(MACHINE, cache_bytes=1 << 40, private_caches=caches, private_cache_bytes=0))
    moved, missed, order = cache_traffic(facts, blocks, extents, concurrent, 1)
    assert moved == sum(access.size_bytes for access in expr.inputs) + expr.output.size_bytes
    if caches == 1:
        assert missed == 0
        return
    several = [loop for loop in (0, 1) if counts[loop] > 1]
    least = min(dealt_loads(facts, list(extents), one, concurrent, caches) for one in permutations(several))
    assert missed == max(moved, least + expr.output.size_bytes)
    assert dealt_loads(facts, list(extents), order, concurrent, caches) == least


def dealt_loads(facts: ProblemContext, counts: list[int], order: tuple[int, ...], concurrent: int, caches: int) -> int:
    """As `wave_loads`, where each cache has every so many-th task of a wave."""
    tasks = list(product(*[range(counts[loop]) for loop in order]))
    total = 0
    for first in range(0, len(tasks), concurrent):
        wave = tasks[first : first + concurrent]
        for access in facts.inputs:
            own = [i for i, loop in enumerate(order) if loop in access.parallel]
            task = access.traffic((8, 16, 32)) * counts[2]
            total += task * sum(len({tuple(one[i] for i in own) for one in wave[at::caches]}) for at in range(caches))
    return total
