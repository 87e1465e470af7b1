# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The published kernels: their geometry by hand, their work, and their predicted times against the measured ones."""

from dataclasses import replace
from math import hypot

import numpy as np
import pytest

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator, PublishedTiles
from roller_mlir.evaluation.suites.published import published
from roller_mlir.evaluation.suites.published import rates as published_rates
from roller_mlir.evaluation.suites.published.kernel import PublishedKernel, ThreadSpread, published_kernel
from roller_mlir.evaluation.suites.tables.find import find_suite
from roller_mlir.hal import find_device
from roller_mlir.model.machine import machine_of

OPERATORS = {one.id: one for one in find_suite("roller119")}
DISTINCT = [one for one in OPERATORS.values() if one.duplicate_of is None]


def kernel(name: str, device: str) -> PublishedKernel:
    one = OPERATORS[name]
    return published_kernel(one, one.tiles[device], 2 if device == "k80" else 1)


def work(name: str, device: str) -> published.CandidateWork:
    return published.predict_published(OPERATORS[name], find_device(device)).work


def test_a_convolution_is_a_product_of_filters_and_pixels() -> None:
    found = kernel("C5", "k80")  # 1024 filters of 256 channels on 128 images of 14x14; 128x128/32, 8x8 points
    assert found.grid == (8, 196) and found.steps == 8 and found.threads == 256 and found.points == 64
    weights, data = found.inputs
    assert weights.elements == data.elements == 128 * 32
    assert (weights.parallel, weights.reduction) == ((32, 0), (1,))
    assert (data.parallel, data.reduction) == ((0, 1), (128,))
    assert data.unique_bytes == 4 * 128 * 256 * 14 * 14
    assert found.output_bytes == 4 * 1024 * 128 * 14 * 14


def test_banks_of_two_elements_give_threads_pairs_of_neighbours() -> None:
    assert [one.inner for one in kernel("C5", "k80").spread] == [2, 2]
    assert [one.inner for one in kernel("C5", "mi50").spread] == [1, 1]
    # 1 row of 2 outputs: the pair is all that a thread has.
    assert kernel("D14", "k80").spread[-1] == ThreadSpread(1, 8, 2)


def test_a_window_tile_has_a_halo_and_a_step_of_all_taps() -> None:
    data, weights = kernel("D14", "k80").inputs  # 7x7, stride 1, 12x16 outputs of 1 image
    assert data.elements == 18 * 22 and data.parallel == (396, 396, 22, 1) and data.reduction == (22, 1)
    assert weights.elements == 49 and weights.parallel == (0, 49, 0, 0)
    assert kernel("D14", "k80").steps == 1


def test_blocks_of_one_row_leave_out_the_rows_between_strided_windows() -> None:
    # P7: 1x1 windows at stride 2 over 165x165, P0 over 83x83 in blocks of 6 rows.
    assert kernel("P7", "k80").inputs[0].unique_bytes == 4 * 12288 * 83 * 165
    assert kernel("P0", "k80").inputs[0].unique_bytes == 4 * 21504 * 83 * 83


def test_rows_of_64_words_collide_and_rows_of_16_do_not() -> None:
    # Threads of a subgroup differ by one pair of filters: 2 rows of 32 elements, or of 8.
    machine, rates = machine_of(find_device("k80")), published_rates.RATES["sm_37"]
    wide, narrow = kernel("C5", "k80"), kernel("C10", "k80")
    assert wide.step == (32,) and narrow.step == (8,)
    assert published._reads(wide, wide.inputs[0], machine, rates) == (8, 2 * 8 * 8)
    assert published._reads(narrow, narrow.inputs[0], machine, rates) == (8, 8 * 8)


def test_instructions_of_a_product_are_those_of_its_points() -> None:
    found = work("C5", "k80")
    # 32 steps of 64 FMA, 12 reads and 8 others; 32 copied elements of at least a load, half a store and 5 others.
    assert found.issue == pytest.approx(32 * (64 + 12 + 8) + 32 * (1.5 + 5))
    assert found.stages == 1 and found.staged and found.tasks == 8 * 196


def test_divisions_of_a_window_cost_multiplications() -> None:
    one = OPERATORS["D14"]
    cheap = replace(published_rates.RATES["sm_37"], multiplication_cycles=1)
    machine = machine_of(find_device("k80"))
    dear = published.published_work(kernel(one.id, "k80"), machine, published_rates.RATES["sm_37"])
    assert published.published_work(kernel(one.id, "k80"), machine, cheap).tail_issue < dear.tail_issue
    assert dear.copy_rounds == 2 * 3 + 1  # 396 elements by 96 threads, in pairs; the weights together


def test_an_elementwise_kernel_moves_its_tensors_once() -> None:
    found = work("E0", "mi50")
    assert not found.staged and found.global_bytes == found.cache_bytes == 8 * 227598336


def test_tasks_that_alternate_take_between_the_slower_phase_and_both() -> None:
    layers = published.predict_published(OPERATORS["C5"], find_device("k80")).seconds_by_layer
    loading = max(layers["global"], layers["l2"], layers["latency"])
    computing = max(layers["compute"], layers["workgroup"])
    total = published.alternating_seconds(layers)
    assert max(loading, computing) < total < loading + computing
    assert total == pytest.approx(hypot(loading, computing))


@pytest.mark.parametrize("device", ["k80", "mi50"])
def test_more_images_take_longer(device: str) -> None:
    one = OPERATORS["C5"]
    twice = replace(one, sizes={**one.sizes, "N": 256})
    target = find_device(device)
    assert published.predict_published(twice, target).seconds > 1.8 * published.predict_published(one, target).seconds


def test_what_is_missing_is_named() -> None:
    with pytest.raises(SuiteError, match="'C5' has no published tile for v100"):
        published.predict_published(OPERATORS["C5"], find_device("v100"))
    tiles = {"v100": PublishedTiles((384,), (), (2,))}
    one = Operator(id="x", kind="relu", dtype="f32", sizes={"M": 384}, tiles=tiles)
    with pytest.raises(SuiteError, match="predicted on sm_37, gfx906, but v100 is sm_70"):
        published.predict_published(one, find_device("v100"))


@pytest.mark.parametrize(("device", "spearman", "miss"), [("k80", 0.97, 0.17), ("mi50", 0.97, 0.16)])
def test_predictions_follow_the_measured_times(device: str, spearman: float, miss: float) -> None:
    """Better than a tile-blind baseline with a constant fitted per class: 0.95 and 0.18, 0.96 and 0.17."""
    target = find_device(device)
    predicted = np.array([published.predict_published(one, target).seconds for one in DISTINCT])
    measured = np.array([one.times[f"{device}_roller_top10"] for one in DISTINCT])
    assert len(DISTINCT) == 108
    places = [np.argsort(np.argsort(values)) for values in (predicted, measured)]
    assert np.corrcoef(places[0], places[1])[0, 1] >= spearman
    assert np.median(np.abs(np.log2(predicted / measured))) <= miss
