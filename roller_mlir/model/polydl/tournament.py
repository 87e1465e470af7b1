# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small network that says which of two variants is faster, and the tournament that ranks many by it.

Paper: PolyDL section 4.2.2, Figure 6. Inputs are bytes at each cache and at memory of both variants, divided by the sum
of all of them, so that the larger appear larger; 64, 32, 16 and 8 neurons with relu, relu, softsign and relu; two
outputs with softmax, of which one above 0.6 wins, and none is a draw. In the paper the bytes are those of the working
sets that each cache holds; a network here may read those that each serves instead. `bench/polydl/train.py` trains both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.support.foreign.bounded import read_bytes, read_json

if TYPE_CHECKING:  # the model is imported without numpy by those who rank nothing by a network
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

HIDDEN = (64, 32, 16, 8)
"""Neurons of the layers between inputs and outputs."""

STATISTICS = ("held_bytes", "served_bytes")
"""What a network may read of a variant: `Assignment.held_bytes`, as published, or `cost.served_bytes`."""

THRESHOLD = 0.6
"""Output from which on a variant has won."""

_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class TournamentNetwork:
    """The weights.

    Attributes:
        layers: Names of the caches and the memory whose bytes it reads, nearest first.
        statistic: Which bytes, one of `STATISTICS`.
        weights: A matrix for each step from one row of neurons to the next.
        biases: A vector for each.
        provenance: What it was trained on: machine, command, date, problems.
    """

    layers: tuple[str, ...]
    statistic: str
    weights: "tuple[Array, ...]"
    biases: "tuple[Array, ...]"
    provenance: Mapping[str, str]

    def __post_init__(self) -> None:
        """Check shapes and values; raises ValueError."""
        import numpy as np

        if self.statistic not in STATISTICS:
            raise ValueError(f"a network reads {' or '.join(STATISTICS)}, but got {self.statistic}")
        widths = (2 * len(self.layers), *HIDDEN, 2)
        if len(self.weights) != len(widths) - 1 or len(self.biases) != len(self.weights):
            raise ValueError(f"a network has {len(widths) - 1} weights and biases, but got {len(self.weights)}")
        for number, (one, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if one.shape != widths[number : number + 2] or bias.shape != widths[number + 1 : number + 2]:
                raise ValueError(
                    f"weights {number} must lead from {widths[number]} to {widths[number + 1]} neurons, but got"
                    f" {one.shape} and {bias.shape}"
                )
            if not (np.isfinite(one).all() and np.isfinite(bias).all()):
                raise ValueError(f"weights {number} must be finite")

    def outputs(self, pairs: "Array") -> "Array":
        """Return the two outputs for each pair of variants, given as rows of normalised inputs."""
        rows = pairs
        for step, (one, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            rows = activation(step, rows @ one + bias)
        return rows


def activation(step: int, rows: "Array") -> "Array":
    """Return what neurons of a row make of their sums: relu, relu, softsign, relu, and softmax at the end."""
    import numpy as np

    if step == len(HIDDEN):
        powers = np.exp(rows - rows.max(axis=1, keepdims=True))
        result: Array = powers / powers.sum(axis=1, keepdims=True)
        return result
    if step == 2:
        return rows / (1 + np.abs(rows))
    return np.maximum(rows, 0)


def normalised(first: "Array", second: "Array") -> "Array":
    """Return rows of two variants' bytes as inputs: beside each other, divided by the sum of both.

    >>> import numpy as np
    >>> normalised(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[0.1, 0.2, 0.3, 0.4]]
    """
    import numpy as np

    both = np.concatenate([first, second], axis=1)
    result: Array = both / np.maximum(both.sum(axis=1, keepdims=True), 1)
    return result


def wins(network: TournamentNetwork, variants: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Return how many games each variant wins when each plays each other, at either place.

    Args:
        network: The judge.
        variants: Of each, the bytes at each layer: the network's statistic.
    """
    import numpy as np

    count = len(variants)
    if count < 2:
        return (0,) * count
    sizes = np.array(variants, dtype=np.float64)
    if sizes.shape[1] != len(network.layers):
        raise ValueError(f"the network reads {', '.join(network.layers)}, but got {sizes.shape[1]} layers")
    scored = np.zeros(count, dtype=np.int64)
    for one in range(count):
        others = np.delete(np.arange(count), one)
        outputs = network.outputs(normalised(np.repeat(sizes[one : one + 1], count - 1, axis=0), sizes[others]))
        scored[one] += (outputs[:, 0] > THRESHOLD).sum()
        scored[others] += outputs[:, 1] > THRESHOLD
    return tuple(scored.tolist())


def ranked(network: TournamentNetwork, variants: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Return the variants' places from the most wins to the fewest; among equals, the earlier first."""
    scored = wins(network, variants)
    return tuple(sorted(range(len(scored)), key=lambda number: -scored[number]))


def load_network(path: Path) -> TournamentNetwork:
    """Read a network as `as_json` writes it.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no network; the message says why.
    """
    import numpy as np

    content = read_bytes(path, _MOST_BYTES)
    try:
        data = read_json(content)
        return TournamentNetwork(
            tuple(map(str, data["layers"])),
            str(data["statistic"]),
            tuple(np.array(one, dtype=np.float64) for one in data["weights"]),
            tuple(np.array(one, dtype=np.float64) for one in data["biases"]),
            {str(key): str(value) for key, value in data["provenance"].items()},
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is no network of PolyDL's tournament: {error}") from error


def as_json(network: TournamentNetwork) -> dict[str, Any]:
    """Return a network as what JSON holds, with weights of six digits."""
    return {
        "layers": list(network.layers),
        "statistic": network.statistic,
        "provenance": dict(network.provenance),
        "weights": [[[float(f"{x:.6g}") for x in row] for row in one] for one in network.weights],
        "biases": [[float(f"{x:.6g}") for x in one] for one in network.biases],
    }
