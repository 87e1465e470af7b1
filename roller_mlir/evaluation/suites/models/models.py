# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models by name, as linalg with weights, and what numpy gives for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np

from roller_mlir.evaluation.suites.models.arrays import Arrays
from roller_mlir.evaluation.suites.models.convolutional import AlexNet, NasNet, ResNeXt
from roller_mlir.evaluation.suites.models.graph import LinalgGraph, Value
from roller_mlir.evaluation.suites.models.network import Network, V
from roller_mlir.evaluation.suites.models.recurrent import DeepSpeech2, LstmTc, Seq2Seq
from roller_mlir.evaluation.suites.models.transformer import Decoder

Array: TypeAlias = np.ndarray[Any, Any]


class Structure(Protocol):
    """A model's parameters, and its structure."""

    def scaled(self, scale: int) -> "Structure":
        """Return a smaller one of the same structure."""
        ...

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the model and return its results."""
        ...


MODELS: Mapping[str, Callable[[], Structure]] = {
    "resnext": ResNeXt,
    "nasnet": NasNet,
    "alexnet": AlexNet,
    "deepspeech2": DeepSpeech2,
    "lstm": LstmTc,
    "seq2seq": Seq2Seq,
    "decoder": Decoder,
}


RAMMER6 = ("resnext", "nasnet", "alexnet", "deepspeech2", "lstm", "seq2seq")
"""Those of RAMMER's Table 1, in its order."""

ARGUMENTS_SPREAD = 0.5
"""Standard deviation of random arguments."""


@dataclass(frozen=True)
class Model:
    """A model of some batch.

    Attributes:
        name: A key of MODELS, and the name of the function.
        batch: How many images, sequences or tokens.
        structure: Its parameters.
        scale: By what they were divided.
    """

    name: str
    batch: int
    structure: Structure
    scale: int = 1

    @cached_property
    def _written(self) -> tuple[LinalgGraph, list[Value]]:
        graph = LinalgGraph()
        return graph, self.structure.build(graph, self.batch)

    def text(self, weights: str | None) -> str:
        """Return the module, which names this file of weights; None: it takes them as arguments, see `spreads`."""
        graph, results = self._written
        return graph.text(self.name, weights, results)

    @property
    def spreads(self) -> tuple[tuple[float, float], ...]:
        """Standard deviation and mean of each argument of `text(None)`: those of `inputs`, then the random weights."""
        graph, _ = self._written
        return (*((ARGUMENTS_SPREAD, 0.0) for _ in graph.arguments), *graph.spreads().values())

    @cached_property
    def weights(self) -> dict[str, Array]:
        """Numbers for its weights, the same each time."""
        return self._written[0].weights()

    def inputs(self, seed: int = 0) -> list[Array]:
        """Return random arguments, of about 0.5 each."""
        rng = np.random.default_rng(seed)
        shapes = [one.shape for one in self._written[0].arguments]
        return [rng.standard_normal(shape, np.float32) * np.float32(ARGUMENTS_SPREAD) for shape in shapes]


def make_model(name: str, batch: int = 1, scale: int = 1) -> Model:
    """Return a model.

    Args:
        name: A key of MODELS.
        batch: How many images, sequences or tokens.
        scale: 1 for what is published; a larger one divides steps, layers, channels and widths by it, to where the
            structure is still the same.
    """
    structure = MODELS[name]()
    return Model(name, batch, structure if scale == 1 else structure.scaled(scale), scale)


def reference(model: Model, inputs: Sequence[Array]) -> list[Array]:
    """Return what a model gives, computed with numpy in f64."""
    return model.structure.build(Arrays(model.weights, inputs), model.batch)
