# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small PyTorch models of the usual kinds, each with an example input; needs torch."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, STEPS, BATCH, WORDS = 16, 2, 8, 2, 20


class Attention(nn.Module):
    """Self-attention by plain tensor operations, as models wrote it before torch had one op for it."""

    def __init__(self, *, causal: bool) -> None:
        super().__init__()
        self.project_in = nn.Linear(WIDTH, 3 * WIDTH)
        self.project_out = nn.Linear(WIDTH, WIDTH)
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        batch, steps, width = x.shape
        parts = self.project_in(x).split(width, -1)
        q, k, v = (part.view(batch, steps, HEADS, width // HEADS).transpose(1, 2) for part in parts)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // HEADS)
        if self.causal:
            later = torch.triu(torch.ones(steps, steps, dtype=torch.bool), 1)
            scores = scores.masked_fill(later, float("-inf"))
        return self.project_out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, steps, width))


class BertLayer(nn.Module):
    """An encoder layer that normalises after each sum."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = Attention(causal=False)
        self.normalise = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        x = self.normalise[0](x + self.attention(x))
        return self.normalise[1](x + self.narrow(functional.gelu(self.widen(x))))


class Gpt(nn.Module):
    """Embedding of words and places, one decoder block that normalises first, and scores of words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Parameter(torch.randn(STEPS, WIDTH))
        self.attention = Attention(causal=True)
        self.normalise = nn.ModuleList([nn.LayerNorm(WIDTH) for _ in range(3)])
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, words: Tensor) -> Tensor:
        x = self.words(words) + self.places
        x = x + self.attention(self.normalise[0](x))
        x = x + self.narrow(functional.gelu(self.widen(self.normalise[1](x)), approximate="tanh"))
        return self.normalise[2](x) @ self.words.weight.T


class ResNetBlock(nn.Module):
    """Two convolutions with batch norms, and the input added."""

    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.normalise = nn.ModuleList([nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)])

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.normalise[0](self.first(x)))
        return functional.relu(self.normalise[1](self.second(inner)) + x)


class NarrowingBlock(nn.Module):
    """A block of ResNet with a stride, whose input goes through a 1x1 convolution."""

    def __init__(self, channels: int, wide: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, wide, 3, stride=2, padding=1, bias=False)
        self.second = nn.Conv2d(wide, wide, 3, padding=1, bias=False)
        self.shortcut = nn.Conv2d(channels, wide, 1, stride=2, bias=False)
        self.normalise = nn.ModuleList([nn.BatchNorm2d(wide) for _ in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.normalise[0](self.first(x)))
        return functional.relu(self.normalise[1](self.second(inner)) + self.normalise[2](self.shortcut(x)))


class ResNet18(nn.Module):
    """ResNet-18 with few channels and classes."""

    def __init__(self, channels: int = 4, classes: int = 10) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 7, stride=2, padding=3, bias=False)
        self.normalise, self.pool = nn.BatchNorm2d(channels), nn.MaxPool2d(3, 2, 1)
        blocks: list[nn.Module] = [ResNetBlock(channels), ResNetBlock(channels)]
        for width in (2 * channels, 4 * channels, 8 * channels):
            blocks += [NarrowingBlock(width // 2, width), ResNetBlock(width)]
        self.blocks = nn.Sequential(*blocks)
        self.classify = nn.Linear(8 * channels, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(self.pool(functional.relu(self.normalise(self.stem(x)))))
        return self.classify(functional.adaptive_avg_pool2d(x, 1).flatten(1))


class MobileNetBlock(nn.Module):
    """Widen by a 1x1 convolution, a depthwise one with stride 2, narrow; relu6 between."""

    def __init__(self, channels: int = 6, wide: int = 12) -> None:
        super().__init__()
        self.widen = nn.Conv2d(channels, wide, 1, bias=False)
        self.depthwise = nn.Conv2d(wide, wide, 3, stride=2, padding=1, groups=wide, bias=False)
        self.narrow = nn.Conv2d(wide, channels, 1, bias=False)
        self.normalise = nn.ModuleList([nn.BatchNorm2d(wide), nn.BatchNorm2d(wide), nn.BatchNorm2d(channels)])

    def forward(self, x: Tensor) -> Tensor:
        x = functional.relu6(self.normalise[0](self.widen(x)))
        x = functional.relu6(self.normalise[1](self.depthwise(x)))
        return self.normalise[2](self.narrow(x))


class Lstm(nn.Module):
    """An LSTM over four steps."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.LSTM(6, 8, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.cells(x)[0]


def _with_statistics(model: nn.Module, example: Tensor) -> nn.Module:
    """Give batch norms means and variances of their own, then freeze them."""
    model.train()
    with torch.no_grad():
        model(example)
    return model.eval()


def _bert() -> tuple[nn.Module, Tensor]:
    return BertLayer().eval(), torch.randn(BATCH, STEPS, WIDTH)


def _gpt() -> tuple[nn.Module, Tensor]:
    return Gpt().eval(), torch.randint(0, WORDS, (BATCH, STEPS))


def _resnet() -> tuple[nn.Module, Tensor]:
    return _with_statistics(ResNetBlock(), torch.randn(2, 8, 7, 7)), torch.randn(2, 8, 7, 7)


def _mobilenet() -> tuple[nn.Module, Tensor]:
    return _with_statistics(MobileNetBlock(), torch.randn(2, 6, 8, 8)), torch.randn(2, 6, 8, 8)


def _lstm() -> tuple[nn.Module, Tensor]:
    return Lstm().eval(), torch.randn(2, 4, 6)


def _mlp() -> tuple[nn.Module, Tensor]:
    return nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 10)).eval(), torch.randn(8, 24)


def _resnet18() -> tuple[nn.Module, Tensor]:
    return _with_statistics(ResNet18(), torch.randn(2, 3, 64, 64)), torch.randn(1, 3, 32, 32)


_MAKERS: dict[str, Callable[[], tuple[nn.Module, Tensor]]] = {
    "bert_layer": _bert,
    "gpt": _gpt,
    "resnet_block": _resnet,
    "mobilenet_block": _mobilenet,
    "lstm": _lstm,
    "mlp": _mlp,
    "resnet18": _resnet18,
}
ALL = tuple(_MAKERS)
NAMES = ALL[:5]
"""Those of which files are kept."""


def make(name: str) -> tuple[nn.Module, Tensor]:
    """Return a model with its weights, and an input; equal each time."""
    torch.manual_seed(7)
    return _MAKERS[name]()


def results(model: nn.Module, example: Tensor) -> Tensor:
    """Return what a model gives, computed in float64."""
    with torch.no_grad():
        double = model.double()
        given = example.double() if example.is_floating_point() else example
        answer = double(given)
        model.float()
        return answer
