# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan moves, against enumeration of every task, step, thread and lane."""

from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, expressions, matmul

from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.data_tile import copy_map, tile_copy, tile_dimensions
from roller_mlir.mapping.thread_map import ThreadMap, register_offset
from roller_mlir.model import ConstructOptions, construct, operand_traffic
from roller_mlir.model.cost.traffic.counting import Boxes, copied_elements, direct_elements, inside
from roller_mlir.model.cost.traffic.sectors import access_sectors, copy_sectors
from roller_mlir.plan import Access, AxisPlan, OperandPlan, Plan, TensorExpression

blocks = st.tuples(*[st.sampled_from([1, 2, 3, 4, 8]) for _ in range(4)])


def elements(access: Access, at: list[tuple[int, ...]]) -> int:
    """Count the coordinates inside a tensor."""
    return sum(all(0 <= x < n for x, n in zip(one, access.static_shape, strict=True)) for one in at)


def coordinate(access: Access, positions: tuple[int, ...]) -> tuple[int, ...]:
    """Return a tensor coordinate at a point of the loops."""
    return tuple(
        index.constant + sum(k * p for k, p in zip(index.coefficients, positions, strict=True))
        for index in access.indices
    )


@QUICK
@given(st.integers(-20, 20), st.integers(1, 4), st.integers(0, 20), st.integers(1, 30))
def test_inside(low: int, step: int, count: int, extent: int) -> None:
    assert inside(low, step, count, extent) == sum(0 <= low + i * step < extent for i in range(count))


@QUICK
@given(expressions(largest=7), blocks, st.sampled_from([1, 2, 4]))
def test_copied_elements(expr: TensorExpression, sizes: tuple[int, ...], vector: int) -> None:
    boxes = Boxes(expr.loops, tuple(AxisPlan(block=b) for b in sizes[: len(expr.loops)]))
    for access in expr.inputs:
        dimensions = tile_dimensions(access, [axis.block for axis in boxes.axes])
        extents = [d.extent for d in dimensions]
        if extents:
            extents[-1] = -(-extents[-1] // vector) * vector
        expected = 0
        for origin in product(*[boxes.origins(loop) for loop in range(len(expr.loops))]):
            corner = coordinate(access, origin)
            offsets = product(*[range(0, n * d.step, d.step) for n, d in zip(extents, dimensions, strict=True)])
            expected += elements(
                access, [tuple(c + o for c, o in zip(corner, offset, strict=True)) for offset in offsets]
            )
        assert copied_elements(access, boxes, vector) == expected


@QUICK
@given(expressions(largest=8), st.tuples(*[st.sampled_from([1, 2, 4]) for _ in range(4)]))
def test_direct_elements(expr: TensorExpression, threads: tuple[int, ...]) -> None:
    axes = tuple(AxisPlan(block=2 * t, threads=t) for t in threads[: len(expr.loops)])
    boxes = Boxes(expr.loops, axes)
    # Registers whose point lies in its loop for any thread and box.
    live = [
        [
            at
            for at in (register_offset(axis, r) for r in range(axis.registers))
            if axis.registers == 1
            or any(0 <= o + t + at < loop.extent.static for o in boxes.origins(i) for t in range(axis.threads))
        ]
        for i, (loop, axis) in enumerate(zip(expr.loops, axes, strict=True))
    ]
    for access in (*expr.inputs, expr.output):
        expected = 0
        for origin in product(*[boxes.origins(loop) for loop in range(len(expr.loops))]):
            for thread in product(*[range(axis.threads) for axis in axes]):
                held = [[o + t + at for at in each] for o, t, each in zip(origin, thread, live, strict=True)]
                expected += elements(access, list({coordinate(access, at) for at in product(*held)}))
        assert direct_elements(access, boxes) == expected


@QUICK
@given(
    st.integers(1, 40),
    st.integers(1, 70),
    st.sampled_from([1, 2, 3, 8, 16]),
    st.sampled_from([1, 4, 6, 8, 32]),
    st.sampled_from([32, 64]),
    st.sampled_from([32, 64]),
)
def test_copy_sectors(rows: int, columns: int, tall: int, wide: int, lanes: int, sector: int) -> None:
    """A 2-D tile: every subgroup's vectors, lane by lane, of all tiles, whose rows the tensor cuts on both sides."""
    expr = matmul(rows, 8, columns)
    access = expr.inputs[0]
    boxes = Boxes(expr.loops, (AxisPlan(block=tall), AxisPlan(block=8), AxisPlan(block=wide)))
    vector = 4 if columns % 4 == 0 and wide % 4 == 0 else 1
    copy = copy_map([d.extent for d in tile_dimensions(access, [tall, 8, wide])], vector, 64)
    sectors, elements = 0, 0
    for i, j in product(boxes.origins(0), boxes.origins(2)):
        for first in range(0, copy.vectors, lanes):
            found: set[int] = set()
            for number in range(first, min(first + lanes, copy.vectors)):
                row, column = divmod(number, copy.sizes[0])
                if 0 <= j + column * vector < columns:
                    at = 4 * ((i + row) * columns + j + column * vector)
                    found |= set(range(at // sector, (at + 4 * vector - 1) // sector + 1))
                    elements += vector
            sectors += len(found)
    counted, moved = copy_sectors(access, boxes, copy, lanes, sector)
    assert counted * elements == sectors * moved


def test_sectors_of_copies_that_transpose() -> None:
    """32 rows of 256 bytes, of which each thread takes 8 vectors one above the other: half a row of a subgroup."""
    expr = matmul(32, 8, 64)
    boxes = Boxes(expr.loops, (AxisPlan(block=32), AxisPlan(block=8), AxisPlan(block=64)))
    turned = OperandPlan(layer="workgroup", order=(1, 0), vector=4, store_vector=8)
    copy = tile_copy((32, 64), turned, 64)
    assert (copy.sizes, copy.depth) == ((16, 4), 8)
    assert copy_sectors(expr.inputs[0], boxes, copy, 32, 32) == (32 * 8, 32 * 64)
    narrow = tile_copy((32, 4), turned, 64)  # 8 rows of 16 bytes, each in a sector of its own
    boxes = Boxes(expr.loops, (AxisPlan(block=32), AxisPlan(block=8), AxisPlan(block=4)))
    sectors, elements = copy_sectors(expr.inputs[0], boxes, narrow, 32, 32)
    assert sectors * 4 == elements


@QUICK
@given(st.integers(1, 9), st.integers(1, 200), st.sampled_from([1, 2, 4]), st.sampled_from([1, 3, 8, 16, 48]))
def test_access_sectors_of_rows_that_are_cut(rows: int, columns: int, chunk: int, threads: int) -> None:
    """Threads along rows that store neighbouring points, each subgroup's accesses one by one."""
    expr = matmul(rows, columns, 8)
    chunk = chunk if columns % chunk == 0 else 1
    axes = AxisPlan(block=2), AxisPlan(block=2 * threads * chunk, threads=threads, chunk=chunk), AxisPlan(block=8)
    boxes = Boxes(expr.loops, axes, 1 if chunk > 1 else None)
    sectors, elements = 0, 0
    for i, j, run in product(range(2 * -(-rows // 2)), boxes.origins(1), range(2)):
        for first in range(0, threads, 32):
            lanes = range(first, min(first + 32, threads))
            starts = [j + (run * threads + lane) * chunk for lane in lanes]
            inside = [4 * (i * columns + start) for start in starts if start < columns]
            sectors += len({at // 32 for start in inside for at in range(start, start + 4 * chunk)})
            elements += len(inside) * chunk
    if columns % 8 == 0 and threads * chunk % 8 == 0:  # else accesses are taken to start anywhere in a sector
        counted, accesses = access_sectors(expr.output, boxes, (1,), (), chunk, 32, 32)
        assert counted * elements == sectors * accesses * threads_of_subgroup(threads) * chunk


def threads_of_subgroup(threads: int) -> int:
    return min(32, threads)


def forced(expr: TensorExpression, tile: tuple[int, ...], own: tuple[int, ...], device: str = "h200") -> Plan:
    """Return the plan of a forced tile."""
    return construct(expr, find_device(device), ConstructOptions(tile_sizes=tile, thread_tile=own))[0]


def test_aligned_matmul_by_hand() -> None:
    """1024x1024x1024 in tiles of 128x128x8: 64 tasks x 128 steps, each 4096 B of A and of B."""
    expr = matmul(1024, 1024, 1024)
    a, b, c = operand_traffic(expr, forced(expr, (128, 128, 8), (8, 8, 8)), find_device("h200"))
    runs = 64 * 128
    assert a.global_load_bytes == b.global_load_bytes == runs * 4096
    assert a.global_load_sectors == b.global_load_sectors == runs * 128
    assert c.global_store_bytes == 1024 * 1024 * 4
    assert c.global_store_sectors == 1024 * 1024 // 8
    assert a.shared_store_bytes == b.shared_store_bytes == runs * 4096
    # 256 threads read 8 elements of each tile at each of 8 reduction points.
    assert a.shared_load_bytes == b.shared_load_bytes == runs * 256 * 64 * 4
    # B goes to workgroup memory in rows as it came: 32 rows of banks. A is transposed: element-wise stores.
    assert b.shared_store_phases == runs * 32
    # 8 points x 2 vectors of 4 elements x 8 subgroups, 4 phases each.
    assert a.shared_load_phases == b.shared_load_phases == runs * 8 * 2 * 8 * 4


def test_edges_move_each_row_as_often_as_tiles_need_it() -> None:
    """1000x1000x1020: 8 column tiles read A, 8 row tiles read B; nothing outside the tensors moves."""
    expr = matmul(1000, 1000, 1020)
    a, b, c = operand_traffic(expr, forced(expr, (128, 128, 8), (8, 8, 8)), find_device("h200"))
    assert a.global_load_bytes == b.global_load_bytes == 8 * 1000 * 1020 * 4
    assert c.global_store_bytes == 1000 * 1000 * 4


def test_streams_read_each_element_once() -> None:
    for name in ("row_sum", "column_sum", "middle_sum", "full_sum", "element_wise", "transpose"):
        expr = CASES[name]
        for plan in construct(expr, find_device("h200")):
            source, target = operand_traffic(expr, plan, find_device("h200"))
            assert source.global_load_bytes == expr.inputs[0].size_bytes, (name, plan)
            assert target.global_store_bytes == expr.output.size_bytes


def test_accumulation_reads_the_output() -> None:
    from dataclasses import replace

    expr = matmul(256, 256, 64)
    plan = forced(expr, (64, 64, 8), (4, 4, 8))
    once = operand_traffic(expr, plan, find_device("h200"))[-1]
    twice = operand_traffic(replace(expr, accumulates=True), plan, find_device("h200"))[-1]
    assert once.global_load_bytes == 0
    assert twice.global_load_bytes == twice.global_store_bytes == 256 * 256 * 4


def test_output_sectors_by_enumeration() -> None:
    """Sectors of the stores of a row sum: one lane in 32 holds a result."""
    expr = CASES["row_sum"]
    plan = construct(expr, find_device("h200"), ConstructOptions(tile_sizes=(4, 256), thread_tile=(1, 8)))[0]
    output = operand_traffic(expr, plan, find_device("h200"))[-1]
    threads = ThreadMap(plan.axes, plan.thread_order, plan.lane_order)
    expected = 0
    for task in range(25):
        for first in range(0, plan.threads, 32):
            found = {
                (4 * task + at[0]) * 4 // 32
                for thread in range(first, first + 32)
                for at in [threads.positions(thread)]
                if threads.positions(thread)[1] == 0
            }
            expected += len(found)
    assert prod(axis.threads for axis in plan.axes) == plan.threads
    assert output.global_store_sectors == expected
