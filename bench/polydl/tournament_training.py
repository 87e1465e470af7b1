# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training: the network by gradient descent with Adam, the factors of layers by least squares; numpy alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from ranking_cases import Case

from roller_mlir.model.polydl.tournament import HIDDEN, TournamentNetwork, activation, normalised

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """How the network is trained.

    Attributes:
        epochs: Passes over all pairs.
        batch: Pairs of one step.
        rate: Adam's first step; steps fall to nothing along half a cosine.
        seed: Of the first weights and the order of pairs.
    """

    epochs: int = 4
    batch: int = 256
    rate: float = 2e-3
    seed: int = 0


def pairs(problems: Sequence[Sequence[Case]], statistic: str) -> tuple[Array, Array]:
    """Return the inputs of all ordered pairs of variants of a problem, and (1, 0) or (0, 1) for the faster."""
    inputs, wanted = [], []
    for cases in problems:
        read = np.array([one.statistic(statistic) for one in cases], dtype=np.float64)
        seconds = np.array([one.seconds for one in cases])
        first, second = np.nonzero(~np.eye(len(cases), dtype=bool))
        inputs.append(normalised(read[first], read[second]))
        faster = seconds[first] < seconds[second]
        wanted.append(np.stack([faster, ~faster], axis=1).astype(np.float64))
    return np.concatenate(inputs), np.concatenate(wanted)


def train(problems: Sequence[Sequence[Case]], statistic: str, settings: Settings) -> TournamentNetwork:
    """Return a network that tells the faster of two variants, by cross entropy over all pairs of each problem."""
    inputs, wanted = pairs(problems, statistic)
    draw = np.random.default_rng(settings.seed)
    widths = (inputs.shape[1], *HIDDEN, 2)
    weights = [draw.normal(0, np.sqrt(2 / a), (a, b)) for a, b in pairwise(widths)]
    biases = [np.zeros(b) for b in widths[1:]]
    values = [*weights, *biases]
    means, squares = [np.zeros_like(one) for one in values], [np.zeros_like(one) for one in values]
    step, steps = 0, settings.epochs * -(-len(inputs) // settings.batch)
    for _ in range(settings.epochs):
        order = draw.permutation(len(inputs))
        for start in range(0, len(order), settings.batch):
            chosen = order[start : start + settings.batch]
            step += 1
            slopes = gradients(weights, biases, inputs[chosen], wanted[chosen])
            for value, mean, square, slope in zip(values, means, squares, slopes, strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                scale = (
                    settings.rate * (1 + np.cos(np.pi * step / steps)) / 2 * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
                )
                value -= scale * mean / (np.sqrt(square) + 1e-8)
    return TournamentNetwork(problems[0][0].layers, statistic, tuple(weights), tuple(biases), {})


def gradients(weights: Sequence[Array], biases: Sequence[Array], inputs: Array, wanted: Array) -> list[Array]:
    """Return the slopes of the mean cross entropy along each weight, then along each bias."""
    rows, sums = [inputs], []
    for number, (one, bias) in enumerate(zip(weights, biases, strict=True)):
        sums.append(rows[-1] @ one + bias)
        rows.append(activation(number, sums[-1]))
    slope = (rows[-1] - wanted) / len(inputs)
    by_weight, by_bias = [], []
    for number in reversed(range(len(weights))):
        if number == 2:
            slope = slope / (1 + np.abs(sums[number])) ** 2
        elif number < len(HIDDEN):
            slope = slope * (sums[number] > 0)
        by_weight.append(rows[number].T @ slope)
        by_bias.append(slope.sum(axis=0))
        slope = slope @ weights[number].T
    return [*reversed(by_weight), *reversed(by_bias)]


def fit_factors(problems: Sequence[Sequence[Case]]) -> Array:
    """Return factors of at least 0 whose products with the terms are nearest to the times, by relative squares."""
    terms = np.array([one.terms for cases in problems for one in cases])
    seconds = np.array([one.seconds for cases in problems for one in cases])
    return least_squares(terms / seconds[:, None], np.ones(len(seconds)))


def least_squares(matrix: Array, wanted: Array) -> Array:
    """Return what is at least 0 and minimises |matrix x - wanted|, one coordinate after the other.

    >>> least_squares(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, -1.0])).tolist()
    [2.0, 0.0]
    """
    products, right = matrix.T @ matrix, matrix.T @ wanted
    found = np.zeros(matrix.shape[1])
    for _ in range(10_000):
        before = found.copy()
        for place in range(len(found)):
            if products[place, place]:
                rest = right[place] - products[place] @ found + products[place, place] * found[place]
                found[place] = max(0.0, rest / products[place, place])
        if np.abs(found - before).max() <= 1e-9 * max(1.0, np.abs(found).max()):
            break
    return found
