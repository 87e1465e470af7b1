# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The network of PolyDL's tournament: its shape, its rules, and its file."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from roller_mlir.model.polydl.tournament import (
    HIDDEN,
    THRESHOLD,
    TournamentNetwork,
    activation,
    as_json,
    load_network,
    normalised,
    ranked,
    wins,
)

Array = NDArray[np.float64]
LAYERS = ("l1", "l2", "l3", "global")


def zeros() -> tuple[list[Array], list[Array]]:
    widths = (8, *HIDDEN, 2)
    return [np.zeros(ends) for ends in pairwise(widths)], [np.zeros(n) for n in widths[1:]]


def less_memory_wins(certainty: float) -> TournamentNetwork:
    """Return a network by hand: the difference of the variants' bytes in memory, through one neuron a row each way."""
    weights, biases = zeros()
    weights[0][3, 0], weights[0][7, 0] = 1, -1  # relu(first - second)
    weights[0][7, 1], weights[0][3, 1] = 1, -1  # relu(second - first)
    for one in weights[1:4]:
        one[0, 0] = one[1, 1] = 1
    weights[4][0, 1] = weights[4][1, 0] = certainty
    return TournamentNetwork(LAYERS, "held_bytes", tuple(weights), tuple(biases), {"machine": "none"})


def test_published_form() -> None:
    assert (HIDDEN, THRESHOLD) == ((64, 32, 16, 8), 0.6)
    sums = np.array([[-1.0, 3.0]])
    for relu in (0, 1, 3):
        assert activation(relu, sums).tolist() == [[0, 3]]
    assert activation(2, sums).tolist() == [[-0.5, 0.75]]
    assert activation(4, np.array([[0.0, np.log(3)]])) == pytest.approx(np.array([[0.25, 0.75]]))


def test_joint_normalisation() -> None:
    """Four bytes of each: divided by the sum of all eight, so that the larger variant looks larger."""
    found = normalised(np.array([[1.0, 2, 3, 4]]), np.array([[10.0, 20, 30, 30]]))
    assert found.tolist() == [[0.01, 0.02, 0.03, 0.04, 0.1, 0.2, 0.3, 0.3]]


def test_tournament() -> None:
    held = [(0, 0, 0, 500), (0, 0, 0, 100), (0, 0, 0, 900), (0, 0, 0, 900)]
    sure = less_memory_wins(50)
    assert wins(sure, held) == (4, 6, 0, 0)  # each plays each at either place; equals draw
    assert ranked(sure, held) == (1, 0, 2, 3)
    # Outputs of 500 against 900 by hand: 900 - 500 of 1400 through softsign, and softmax.
    x = 4 / 14
    x = x / (1 + x)
    outputs = less_memory_wins(1).outputs(normalised(np.array([held[0]], float), np.array([held[2]], float)))
    assert outputs[0, 0] == pytest.approx(np.exp(x) / (np.exp(x) + 1))
    assert outputs[0, 0] < THRESHOLD  # so that it is a draw
    assert wins(less_memory_wins(1), held[::2]) == (0, 0)
    assert wins(sure, held[:1]) == (0,) and wins(sure, []) == ()


def test_file(tmp_path: Path) -> None:
    file = tmp_path / "weights.json"
    network = less_memory_wins(3)
    file.write_text(json.dumps(as_json(network)))
    back = load_network(file)
    assert (back.layers, back.statistic, back.provenance) == (LAYERS, "held_bytes", {"machine": "none"})
    assert all(map(np.array_equal, (*back.weights, *back.biases), (*network.weights, *network.biases)))


def test_refusals(tmp_path: Path) -> None:
    network = less_memory_wins(1)
    with pytest.raises(ValueError, match="a network has 5 weights and biases, but got 4"):
        replace(network, weights=network.weights[:4])
    with pytest.raises(ValueError, match=r"weights 0 must lead from 6 to 64 neurons, but got \(8, 64\)"):
        replace(network, layers=LAYERS[1:])
    with pytest.raises(ValueError, match="a network reads held_bytes or served_bytes, but got misses"):
        replace(network, statistic="misses")
    with pytest.raises(ValueError, match="weights 1 must be finite"):
        replace(network, weights=(network.weights[0], network.weights[1] + np.inf, *network.weights[2:]))
    with pytest.raises(ValueError, match="the network reads l1, l2, l3, global, but got 2 layers"):
        wins(network, [(1, 2), (3, 4)])
    file = tmp_path / "weights.json"
    for text in (
        "[]",
        "{}",
        '{"layers": 3}',
        "nothing",
        '{"layers": [], "weights": "x", "biases": [], "provenance": {}}',
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match="weights.json is no network of PolyDL's tournament: "):
            load_network(file)
