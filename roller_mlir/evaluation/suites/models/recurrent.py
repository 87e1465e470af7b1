# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM-TC, DeepSpeech2 and Seq2Seq: RAMMER's Table 1, with the structure of its artifact.

Sources: microsoft/nnfusion, branch osdi20_artifact, artifacts/models/lstm/lstm_inference.py,
artifacts/models/deepspeech2/deep_speech_model.py and deep_speech_inference.py,
artifacts/models/seq2seq/seq2seq_model.py and seq2seq_inference.py. Steps are unrolled, as there. States at the
start are arguments; the artifact has zeros. Gates are in the order of TensorFlow's BasicLSTMCell: input, new, forget
(plus 1), output.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.evaluation.suites.models.network import Network, V

GATES = 4


@dataclass(frozen=True)
class Cell:
    """A layer of an LSTM, which is the same at each step.

    Attributes:
        name: Of its weights.
        hidden: Width of its state.
        parted: Whether each gate has products of its own, as LSTM-TC is written, or all gates have one with the input
            and one with the state. (TensorFlow's cell has one product with both behind each other, which is their sum.)
    """

    name: str
    hidden: int
    parted: bool = False

    def step(self, net: Network[V], x: V, state: tuple[V, V]) -> tuple[V, V]:
        """Return the memory and the output of a step, from those before and an input."""
        memory, output = state
        of_input, of_state = self._products(net, "w", x), self._products(net, "u", output)
        shift = [(net.weight(f"{self.name}_b{gate}", (self.hidden,), 0.1), (1,)) for gate in range(GATES)]
        i, j, f, o = zip(of_input, of_state, shift, strict=True)
        memory = net.pointwise("lstm_memory", *i, *j, *f, memory)
        return memory, net.pointwise("lstm_output", *o, memory)

    def _products(self, net: Network[V], name: str, x: V) -> list[V]:
        (batch, inner), width = net.shape(x), self.hidden
        spread = 1 / math.sqrt(inner)
        if self.parted:
            weights = (net.weight(f"{self.name}_{name}{gate}", (inner, width), spread) for gate in range(GATES))
            return [net.product(x, weight) for weight in weights]
        every = net.product(x, net.weight(f"{self.name}_{name}", (inner, GATES * width), spread))
        size = (batch, width)
        return [net.part(every, (0, gate * width), size, size) for gate in range(GATES)]


def _row(net: Network[V], x: V, number: int) -> V:
    """Return an element of a tensor's first axis."""
    _, *rest = net.shape(x)
    return net.part(x, (number, *(0 for _ in rest)), (1, *rest), rest)


def _layers(net: Network[V], name: str, cells: Sequence[Cell], batch: int) -> list[tuple[V, V]]:
    """Return the states at the start of layers, which are two arguments."""
    shape = (len(cells), batch, cells[0].hidden)
    memory, output = (net.argument(f"{name}_{which}", shape) for which in ("memory", "output"))
    return [(_row(net, memory, number), _row(net, output, number)) for number in range(len(cells))]


def _run(net: Network[V], cell: Cell, xs: Sequence[V], state: tuple[V, V]) -> tuple[list[V], tuple[V, V]]:
    """Return the outputs of a layer at all steps, and its last state."""
    outputs: list[V] = []
    for x in xs:
        state = cell.step(net, x, state)
        outputs.append(state[1])
    return outputs, state


@dataclass(frozen=True)
class LstmTc:
    """Ten layers of 256 over 100 steps (num_step, num_layer, hidden_size of lstm_inference.py): 8,000 products.

    Attributes:
        steps: How many.
        layers: How many.
        hidden: Width of inputs and states.
    """

    steps: int = 100
    layers: int = 10
    hidden: int = 256

    def scaled(self, scale: int) -> "LstmTc":
        """Return a smaller one."""
        return LstmTc(max(2, self.steps // scale), max(2, self.layers // scale), max(8, self.hidden // scale))

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the model; it returns the output of the last layer's last step."""
        x = net.argument("x", (self.steps, batch, self.hidden))
        cells = [Cell(f"layer{number}", self.hidden, parted=True) for number in range(self.layers)]
        states = _layers(net, "first", cells, batch)
        for step in range(self.steps):
            below = _row(net, x, step)
            for number, cell in enumerate(cells):
                states[number] = cell.step(net, below, states[number])
                below = states[number][1]
        return [states[-1][1]]


@dataclass(frozen=True)
class DeepSpeech2:
    """Two convolutions, seven layers of 256 in one direction, 29 classes (deep_speech_inference.py).

    A convolution is followed by a clamp to 6 and then by the normalization, as in deep_speech_model.py; 300 spectra of
    171 frequencies become 75 steps of 2,752 features.

    Attributes:
        length: Spectra.
        frequencies: Of each spectrum.
        filters: Of both convolutions.
        layers: Of the LSTM.
        hidden: Width of its states.
        classes: Of the output.
    """

    length: int = 300
    frequencies: int = 171
    filters: int = 32
    layers: int = 7
    hidden: int = 256
    classes: int = 29

    def scaled(self, scale: int) -> "DeepSpeech2":
        """Return a smaller one; the filters keep their sizes."""
        sizes = (max(8, self.length // scale), max(8, self.frequencies // scale), max(2, self.filters // scale))
        return DeepSpeech2(*sizes, max(2, self.layers // scale), max(8, self.hidden // scale))

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the model; it returns the classes of all steps, one step's batch behind the other."""
        x = net.argument("x", (batch, 1, self.length, self.frequencies))
        for name, window, stride in (("conv1", (41, 11), (2, 2)), ("conv2", (21, 11), (2, 1))):
            (height, width), channels = window, net.shape(x)[1]
            spread = 1 / math.sqrt(channels * height * width)
            w = net.weight(name, (self.filters, channels, *window), spread)
            up, left = height // 2, width // 2
            x = net.convolution(net.padded(x, ((up, up), (left, left))), w, stride)
            x = net.normalized(x, name, "relu6_affine")
        _, channels, steps, width = net.shape(x)
        by_time = net.turned(x, (2, 0, 3, 1))
        features = net.reshaped(by_time, ((0,), (1,), (2, 3)), (steps, batch, width * channels))
        outputs = [_row(net, features, step) for step in range(steps)]
        cells = [Cell(f"layer{number}", self.hidden) for number in range(self.layers)]
        for cell, state in zip(cells, _layers(net, "first", cells, batch), strict=True):
            outputs, _ = _run(net, cell, outputs, state)
        joined = net.joined(outputs, 0) if steps > 1 else outputs[0]
        return [net.dense(net.normalized(joined, "joined"), "classes", self.classes)]


@dataclass(frozen=True)
class Seq2Seq:
    """An encoder of 8 layers over 100 steps and a decoder of 4 over 30, all 128 wide (seq2seq_inference.py).

    The decoder's first input is the memory of the encoder's last layer, each later one its own output, as
    `_build_decoder` of seq2seq_model.py has it.

    Attributes:
        encoder_steps: How many.
        encoder_layers: How many, one after the other over all steps.
        decoder_steps: How many.
        decoder_layers: How many.
        hidden: Width of inputs and states.
    """

    encoder_steps: int = 100
    encoder_layers: int = 8
    decoder_steps: int = 30
    decoder_layers: int = 4
    hidden: int = 128

    def scaled(self, scale: int) -> "Seq2Seq":
        """Return a smaller one."""
        return Seq2Seq(
            encoder_steps=max(2, self.encoder_steps // scale),
            encoder_layers=max(2, self.encoder_layers // scale),
            decoder_steps=max(2, self.decoder_steps // scale),
            decoder_layers=max(2, self.decoder_layers // scale),
            hidden=max(8, self.hidden // scale),
        )

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the model; it returns the decoder's last output."""
        x = net.argument("x", (self.encoder_steps, batch, self.hidden))
        outputs = [_row(net, x, step) for step in range(self.encoder_steps)]
        encoder = [Cell(f"encoder{number}", self.hidden) for number in range(self.encoder_layers)]
        decoder = [Cell(f"decoder{number}", self.hidden) for number in range(self.decoder_layers)]
        first, states = (_layers(net, name, cells, batch) for name, cells in (("in", encoder), ("out", decoder)))
        value = outputs[0]
        for cell, state in zip(encoder, first, strict=True):
            outputs, (value, _) = _run(net, cell, outputs, state)
        for _ in range(self.decoder_steps):
            for number, cell in enumerate(decoder):
                states[number] = cell.step(net, value, states[number])
                value = states[number][1]
        return [value]
