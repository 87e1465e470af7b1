# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which cache serves which reuse, and what that costs: small cases worked by hand."""

from dataclasses import replace
from math import prod
from pathlib import Path

import pytest
from hypothesis import assume, given
from model_expressions import QUICK, conv2d, matmul
from nests import nests, point_nest

from roller_mlir.hal import find_device
from roller_mlir.model.polydl.caches import Cache, assign, caches_of
from roller_mlir.model.polydl.cost import handed_over, ranking_cost, seconds_by_layer, served_bytes
from roller_mlir.model.polydl.dependences import touched
from roller_mlir.model.polydl.footprint import tensor_of
from roller_mlir.model.polydl.nest import TiledNest, TileLoop
from roller_mlir.model.polydl.working_sets import working_sets


def cache(name: str, capacity: int | None, latency: float = 1.0, bandwidth: float = 1.0, sharers: int = 1) -> Cache:
    return Cache(
        name=name, capacity_bytes=capacity, latency_s=latency, bandwidth_bytes_per_s=bandwidth, sharers=sharers
    )


NEST = point_nest(matmul(8, 7, 5))
"""Its working sets are 52 and 172 bytes of A along j, 196 and 484 of B along i, 20 and 44 of C along k."""

CACHES = (cache("l1", 100, 1, 8), cache("l2", 250, 4, 2), cache("global", None, 100, 1))


def test_greedy_assignment() -> None:
    """20 and 44 fill 64 bytes of the first cache; 52 and 172 fill 224 of the second; 196 and 484 are left to memory."""
    found = assign(working_sets(NEST), CACHES)
    assert found.held_bytes == (64, 224, 680)
    assert found.first_reuses == (1, 2, 0)
    assert found.all_reuses == (1, 2, 0)


def test_more_layers_and_none() -> None:
    sets = working_sets(NEST)
    four = (cache("l1", 20), cache("l2", 60), cache("l3", 200), cache("l4", 10_000), cache("global", None))
    assert assign(sets, four).held_bytes == (20, 44, 52, 172 + 196 + 484, 0)
    assert assign(sets, four[-1:]).held_bytes == (968,)
    with pytest.raises(ValueError, match="the last of the caches must be memory, without a capacity"):
        assign(sets, four[:-1])


def test_sharers_each_have_a_set() -> None:
    shared = (replace(CACHES[0], sharers=2), CACHES[1], CACHES[2])
    assert assign(working_sets(NEST), shared).held_bytes == (40, 44 + 52, 172 + 196 + 484)


def test_parallel_iterations_are_held_together() -> None:
    """B is reused by other iterations of the parallel loop i: all 40 + 35 + 56 elements, once for all threads."""
    loops = tuple(replace(loop, parallel=loop.axis == 0) for loop in NEST.loops)
    sets = working_sets(TiledNest(NEST.expression, loops))
    (parallel,) = [one for one in sets if one.dependence.parallel]
    assert (parallel.dependence.tensor, parallel.min_bytes, parallel.max_bytes) == (1, 524, 524)
    found = assign(sets, (cache("l3", 1000, sharers=4), CACHES[2]))
    assert found.held_bytes == (4 * (20 + 44 + 52) + 524, 172)  # 172 would be there four times


def test_equation_1() -> None:
    assert ranking_cost(assign(working_sets(NEST), CACHES)) == 64 / 8 + 224 * 4 / 2 + 680 * 100


def test_served_bytes() -> None:
    """C from the first cache, A from the second, B and all first touches from memory."""
    sets = working_sets(NEST)
    found = served_bytes(NEST, sets, assign(sets, CACHES))
    a = 8 * (7 * 5 - 5)
    b = 8 * 35 - 35
    c = 8 * 7 * (5 - 1)
    assert found == (4 * 2 * c, 4 * a, 4 * b + 4 * (8 * 5 + 5 * 7 + 2 * 8 * 7))


def test_what_is_handed_over_says_which_tensor_and_loop_takes_it() -> None:
    """The loop of j takes A again, that of i takes B, that of k takes C, and all of them come once from memory."""
    sets = working_sets(NEST)
    found = {
        (one.tensor, one.level): (one.place, one.size_bytes) for one in handed_over(NEST, sets, assign(sets, CACHES))
    }
    again = {(0, 1): (1, 4 * 8 * (7 * 5 - 5)), (1, 0): (2, 4 * (8 * 35 - 35)), (2, 2): (0, 4 * 2 * 8 * 7 * (5 - 1))}
    assert found == again | {(0, -1): (2, 4 * 8 * 5), (1, -1): (2, 4 * 5 * 7), (2, -1): (2, 4 * 2 * 8 * 7)}


@pytest.mark.parametrize(("l2_bytes", "place"), [(64 * 64 + 64 * 4 + 64, 1), (64 * 64 + 64 * 4 + 63, 2)])
def test_lines_that_iterations_share_come_again_from_where_one_iteration_fits(l2_bytes: int, place: int) -> None:
    """Columns by 8 of a line of 16: the loop of i touches a line in each of 64 rows, 6 times, 3 of them new.

    Beside those it touches 64 elements of A and 8 of B in a line. B shares lines as well. A lies in all iterations.
    """
    nest = TiledNest(matmul(64, 48, 1), (TileLoop(1, 6, 8), TileLoop(0, 64, 1)))
    sets, caches = working_sets(nest), (cache("l1", 100), cache("l2", l2_bytes), cache("global", None))
    by_elements = handed_over(nest, sets, assign(sets, caches))
    by_lines = handed_over(nest, sets, assign(sets, caches), line_bytes=64)
    found = {(one.tensor, one.level): (one.place, one.size_bytes) for one in by_lines if one.level == 0}
    assert [one for one in by_elements if one.level == 0 and one.tensor != 0] == []
    assert found.pop((0, 0))[1] == 4 * 64 * (6 - 1)
    assert found == {(1, 0): (place, 3 * 64), (2, 0): (place, 2 * 3 * 64 * 64)}


def test_seconds_by_layer() -> None:
    sets = working_sets(NEST)
    assigned = assign(sets, CACHES)
    first, second, memory = served_bytes(NEST, sets, assigned)
    found = seconds_by_layer(NEST, sets, assigned, factors={"l2": 3.0})
    assert found == {"l1": (first + second + memory) / 8, "l2": 3 * (second + memory) / 2, "global": memory}
    loops = tuple(replace(loop, parallel=loop.axis == 0) for loop in NEST.loops)
    parallel = TiledNest(NEST.expression, loops)
    alone = seconds_by_layer(parallel, sets, assigned)
    # Of 8 iterations the busiest of 3 threads has 3.
    assert seconds_by_layer(parallel, sets, assigned, threads=3) == pytest.approx(
        {k: v * 3 / 8 for k, v in alone.items()}
    )


def test_what_a_device_does_not_say_is_refused() -> None:
    sets = working_sets(NEST)
    assigned = assign(sets, (Cache(name="l2", capacity_bytes=100), CACHES[2]))
    with pytest.raises(ValueError, match="layer 'l2' needs latency_s, which the device does not say; calibrate it"):
        ranking_cost(assigned)
    with pytest.raises(ValueError, match="layer 'l2' needs bandwidth_bytes_per_s"):
        seconds_by_layer(NEST, sets, assigned)


def test_caches_of_a_device() -> None:
    device = find_device("a100-80")
    (l2, memory) = caches_of(device, 108)
    layer = device.layer("l2")
    assert (l2.name, l2.capacity_bytes, l2.sharers) == ("l2", layer.capacity_bytes, device.units // layer.instances)
    assert l2.bandwidth_bytes_per_s is not None
    assert l2.bandwidth_bytes_per_s * l2.sharers * layer.instances == pytest.approx(
        layer.sustained_bandwidth_bytes_per_s or layer.bandwidth_bytes_per_s
    )
    assert (memory.name, memory.capacity_bytes, memory.sharers) == ("global", None, 108)
    assert caches_of(device)[0].sharers == 1
    with pytest.raises(ValueError, match="threads must be at least 1, but got 0"):
        caches_of(device, 0)


@pytest.mark.full
@QUICK
@given(nests(parallel=False))
def test_all_that_the_body_reads_is_served(nest: TiledNest) -> None:
    """Reuses of all loops and first touches add up to what all calls of the body touch."""
    divided = all(
        nest.body[axis] * prod(one.count for one in nest.loops if one.axis == axis) == extent
        for axis, extent in enumerate(nest.extents)
    )
    tensors = [tensor_of(one, nest.extents) for one in touched(nest)]
    assume(divided and not any(one.limits for tensor in tensors for one in tensor.dimensions))
    sets = working_sets(nest)
    total = sum(served_bytes(nest, sets, assign(sets, CACHES)))
    body = TiledNest(nest.expression, nest.loops)
    calls = prod(one.count for one in body.loops)
    expected = 0
    for access in touched(nest):
        points = {tuple(i.constant for i in access.indices)}
        for axis, count in enumerate(nest.body):
            points = {
                tuple(p + x * i.coefficients[axis] for p, i in zip(point, access.indices, strict=True))
                for point in points
                for x in range(count)
            }
        expected += calls * len(points) * access.element_bytes * (2 if access in nest.expression.outputs else 1)
    assert total == expected


def test_the_better_nest_costs_less() -> None:
    """A product whose innermost loops fit a cache is served by it."""
    expression = matmul(512, 512, 512)
    tiled = (TileLoop(0, 8, 64), TileLoop(1, 8, 64), TileLoop(2, 512, 1), TileLoop(0, 8, 8), TileLoop(1, 8, 8))
    plain = (TileLoop(2, 512, 1), TileLoop(0, 64, 8), TileLoop(1, 64, 8))
    layers = (cache("l1", 32 << 10, 1, 64), cache("l2", 256 << 10, 4, 16), cache("global", None, 80, 4))
    costs = []
    for loops in (tiled, plain):
        nest = TiledNest(expression, loops)
        sets = working_sets(nest)
        costs.append(seconds_by_layer(nest, sets, assign(sets, layers)))
    assert max(costs[0].values()) < max(costs[1].values()) / 3


def test_reuses_of_a_convolution() -> None:
    expression = conv2d(1, 14, 16, 32, 3)
    loops = (TileLoop(1, 14, 1), TileLoop(3, 2, 16), TileLoop(6, 16, 1), TileLoop(4, 3, 1), TileLoop(5, 3, 1))
    sets = working_sets(TiledNest(expression, loops))
    image = [one for one in sets if one.dependence.tensor == 0]
    # Rows of the output share rows of the image, filters all of it, and columns of the window its columns.
    assert [one.dependence.level for one in image] == [0, 1, 4]


def test_code_of_the_page() -> None:
    page = (Path(__file__).parents[4] / "docs" / "method" / "polydl.md").read_text()
    names: dict[str, object] = {"expression": matmul(1024, 1024, 1024)}
    exec(page.split("```python\n")[1].split("```")[0], names)
    nest = names["nest"]
    assert isinstance(nest, TiledNest) and nest.body == (8, 32, 256)
