# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNeXt-29, NASNet-A and AlexNet: RAMMER's Table 1, with the structure of its artifact.

Sources: microsoft/nnfusion, branch osdi20_artifact, artifacts/models/resnext_nchw/resnext.py,
artifacts/models/nasnet_cifar_nchw/nasnet.py (with nasnet_utils.py of tensorflow/models, research/slim/nets/nasnet),
artifacts/models/alexnet_nchw/alexnet_model.py. Normalization is a scale and a shift of each channel.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.evaluation.suites.models.network import VALID, Network, V


@dataclass(frozen=True)
class ResNeXt:
    """ResNeXt-29 of 16 branches of 64 channels, for CIFAR.

    The name says 29 layers, but what the artifact builds has 83: for each of three stages `Build_ResNext` calls
    `residual_layer`, which has three blocks, three times (`num_residual` = (29 - 2) / 9). These 27 blocks are built
    here too: 892 convolutions.

    Attributes:
        repeats: Blocks of each stage.
        branches: Of each block (cardinality).
        depth: Channels of each branch.
        widths: Channels of the stages' results; where a block doubles them, it halves the image.
        size: Of the image.
        classes: Of the output.
    """

    repeats: int = 9
    branches: int = 16
    depth: int = 64
    widths: tuple[int, ...] = (64, 128, 256)
    size: int = 32
    classes: int = 10

    def scaled(self, scale: int) -> "ResNeXt":
        """Return a smaller one."""
        branches, depth = max(2, self.branches // scale), max(4, self.depth // scale)
        widths = tuple(max(4, self.widths[0] // scale) << number for number in range(len(self.widths)))
        return ResNeXt(max(1, self.repeats // scale), branches, depth, widths, max(8, self.size // scale))

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the model; it returns the classes."""
        x = net.argument("x", (batch, 3, self.size, self.size))
        x = net.normalized(net.filtered(x, "first", self.widths[0], 3), "first", "affine_relu")
        for stage, width in enumerate(self.widths):
            for number in range(self.repeats):
                x = self._block(net, x, f"stage{stage}_block{number}", width)
        last = net.weight("classes", (self.widths[-1], self.classes), self.widths[-1] ** -0.5)
        return [net.product(net.mean(x), last)]

    def _block(self, net: Network[V], x: V, name: str, width: int) -> V:
        channels = net.shape(x)[1]
        stride = 2 if 2 * channels == width else 1
        branches: list[V] = []
        for number in range(self.branches):
            y, here = x, f"{name}_branch{number}"
            for window, step in ((1, stride), (3, 1)):
                y = net.filtered(y, f"{here}_{window}", self.depth, window, step)
                y = net.normalized(y, f"{here}_{window}", "affine_relu")
            branches.append(y)
        y = net.normalized(net.filtered(net.joined(branches, 1), f"{name}_out", width, 1), f"{name}_out")
        if stride == 2:
            more = channels // 2
            x = net.pad(net.average(x, 2, 2), (0, more, 0, 0), (0, more, 0, 0))
        return net.pointwise("add_relu", y, x)


@dataclass(frozen=True)
class AlexNet:
    """AlexNet in one tower, for images of 227 (`AlexnetModel` of alexnet_model.py), 1000 classes.

    Attributes:
        size: Of the image.
        filters: Of the five convolutions.
        hidden: Width of the two dense layers.
        classes: Of the output.
    """

    size: int = 227
    filters: tuple[int, ...] = (64, 192, 384, 384, 256)
    hidden: int = 4096
    classes: int = 1000

    def scaled(self, scale: int) -> "AlexNet":
        """Return a smaller one, of the smallest image that all windows fit in."""
        filters = tuple(max(4, count // scale) for count in self.filters)
        return AlexNet(67, filters, max(16, self.hidden // scale), max(10, self.classes // scale))

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the model; it returns the classes."""
        x = net.argument("x", (batch, 3, self.size, self.size))
        for number, filters in enumerate(self.filters):
            window = (11, 5, 3, 3, 3)[number]
            stride, padding = (4, VALID) if number == 0 else (1, None)
            x = net.filtered(x, f"conv{number}", filters, window, stride, padding)
            x = net.pointwise("bias_relu", x, (net.weight(f"conv{number}_bias", (filters,), 0.1), (1,)))
            if number in (0, 1, 4):
                x = net.pool("max", x, 3, 2)
        _, channels, height, width = net.shape(x)
        x = net.reshaped(x, ((0,), (1, 2, 3)), (batch, channels * height * width))
        for name in ("dense0", "dense1"):
            x = net.dense(x, name, self.hidden, "bias_relu")
        return [net.dense(x, "classes", self.classes)]


@dataclass(frozen=True)
class CellKind:
    """What a cell of NASNet-A is made of (`NasNetANormalCell` and `NasNetAReductionCell` of nasnet_utils.py).

    Attributes:
        operations: Of the two operands of each of five sums.
        operands: Which state each of them reads: 0 is the cell below, 1 the one before it, from 2 the sums.
        used: Which states are read; the others are joined as the result.
    """

    operations: tuple[str, ...]
    operands: tuple[int, ...]
    used: tuple[int, ...]


NORMAL = CellKind(
    (
        "separable_5",
        "separable_3",
        "separable_5",
        "separable_3",
        "average",
        "none",
        "average",
        "average",
        "separable_3",
        "none",
    ),
    (0, 1, 1, 1, 0, 1, 1, 1, 0, 0),
    (1, 0, 0, 0, 0, 0, 0),
)
REDUCTION = CellKind(
    (
        "separable_5",
        "separable_7",
        "max",
        "separable_7",
        "average",
        "separable_5",
        "none",
        "average",
        "separable_3",
        "max",
    ),
    (0, 1, 0, 1, 0, 1, 3, 2, 2, 0),
    (1, 1, 1, 0, 0, 0, 0),
)


@dataclass(frozen=True)
class NasNet:
    """NASNet-A 6@768 for CIFAR (`cifar_config` of nasnet.py): 18 cells and 2 that reduce, from 32 filters.

    Attributes:
        cells: That do not reduce; one that does is in front of the second and the last third.
        filters: Of the first cells; twice as many behind each that reduces.
        size: Of the image.
        classes: Of the output.
    """

    cells: int = 18
    filters: int = 32
    size: int = 32
    classes: int = 10

    def scaled(self, scale: int) -> "NasNet":
        """Return a smaller one."""
        return NasNet(max(3, self.cells // scale // 3 * 3), max(4, self.filters // scale), max(8, self.size // scale))

    def build(self, net: Network[V], batch: int) -> list[V]:
        """Write the model; it returns the classes."""
        x = net.argument("x", (batch, 3, self.size, self.size))
        x = net.normalized(net.filtered(x, "first", 3 * self.filters, 3), "first")
        before, filters = x, self.filters
        for number in range(self.cells):
            if number and number % (self.cells // 3) == 0:
                filters *= 2
                x, before = _cell(net, x, before, f"reduction{number}", REDUCTION, filters, 2), x
            x, before = _cell(net, x, before, f"cell{number}", NORMAL, filters, 1), x
        return [net.dense(net.mean(net.pointwise("relu", x)), "classes", self.classes)]


def _cell(net: Network[V], x: V, before: V, name: str, kind: CellKind, filters: int, stride: int) -> V:
    """Return a cell, which reads the result of the one below and of the one before that."""
    if net.shape(before)[2] != net.shape(x)[2]:
        before = _halved(net, net.pointwise("relu", before), f"{name}_before", filters)
    elif net.shape(before)[1] != filters:
        before = _projected(net, before, f"{name}_before", filters)
    states = [_projected(net, x, f"{name}_below", filters), before]
    for number in range(5):
        sides: list[V] = []
        for side in (2 * number, 2 * number + 1):
            source = kind.operands[side]
            here = (f"{name}_op{side}", kind.operations[side], filters, stride if source < 2 else 1)
            sides.append(_operation(net, states[source], *here))
        states.append(net.pointwise("add", *sides))
    size = net.shape(states[-1])[2]
    unused = [number for number, used in enumerate(kind.used) if not used]
    for number in unused:
        if net.shape(states[number])[2] != size:
            states[number] = _halved(net, states[number], f"{name}_state{number}", filters)
        elif net.shape(states[number])[1] != filters:
            states[number] = _plain(net, states[number], f"{name}_state{number}", filters)
    return net.joined([states[number] for number in unused], 1)


def _operation(net: Network[V], x: V, name: str, operation: str, filters: int, stride: int) -> V:
    """Return what is done with an operand of a sum."""
    if operation.startswith("separable"):
        window = int(operation[-1])
        for number, step in enumerate((stride, 1)):
            x = _separable(net, net.pointwise("relu", x), f"{name}_{number}", window, filters, step)
        return x
    if operation == "none":
        differs = stride > 1 or net.shape(x)[1] != filters
        return _projected(net, x, name, filters, stride) if differs else x
    if operation == "max":
        x = net.pool("max", net.padded(x, net.same(x, 3, stride), -float("inf")), 3, stride)
    else:
        x = net.average(x, 3, stride)
    return _plain(net, x, name, filters) if net.shape(x)[1] != filters else x


def _separable(net: Network[V], x: V, name: str, window: int, filters: int, stride: int) -> V:
    w = net.weight(f"{name}_depthwise", (net.shape(x)[1], window, window), 1 / window)
    x = net.depthwise(net.padded(x, net.same(x, window, stride)), w, stride)
    return _plain(net, x, name, filters)


def _plain(net: Network[V], x: V, name: str, filters: int, stride: int = 1) -> V:
    return net.normalized(net.filtered(x, name, filters, 1, stride), name)


def _projected(net: Network[V], x: V, name: str, filters: int, stride: int = 1) -> V:
    return _plain(net, net.pointwise("relu", x), name, filters, stride)


def _halved(net: Network[V], x: V, name: str, filters: int) -> V:
    """Return an image of half the size (`factorized_reduction`): its even points and its odd ones, each projected."""
    batch, channels, height, width = net.shape(x)
    moved = net.part(x, (0, 0, 1, 1), size := (batch, channels, height - 1, width - 1), size)
    halves: Sequence[V] = (x, net.pad(moved, (0, 0, 0, 0), (0, 0, 1, 1)))
    counts = (filters // 2, filters - filters // 2)
    parts = [net.filtered(half, f"{name}_half{n}", counts[n], 1, 2) for n, half in enumerate(halves)]
    return net.normalized(net.joined(parts, 1), name)
