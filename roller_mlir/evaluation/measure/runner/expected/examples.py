# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the folder `examples` and of bench/gpu/linalg_models.py in torch: references in f64, and peers.

Arguments are those of the MLIR functions, in their order. Extents are those of the arguments, so that an example may
be packed in other sizes; what they do not say is a size of the item ("heads").
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

LAYER_NORM_EPSILON = 1.0e-5
_HEADS = 4
"""Attention heads of `encoder_layer` as it stands in the folder."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """One example.

    Attributes:
        function: From torch, the inputs and the item's sizes to the output, or several.
        ranks: Dimensions of each input, for the check of a kit; (): it takes any number of inputs.
        element_type: Of the outputs.
    """

    function: Callable[[Any, Sequence[Any], Mapping[str, int]], Any]
    ranks: tuple[int, ...]
    element_type: str = "f32"


def _matmul(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    return torch.mm(inputs[0], inputs[1])


def _matmul_bias_gelu(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    a, b, bias = inputs
    return torch.nn.functional.gelu(torch.addmm(bias, a, b))


def _matmul_f16(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    """Return relu(x w + bias) of f16 factors and an f32 bias, which torch's libraries want in the factors' type."""
    x, w, bias = inputs
    return torch.relu(torch.addmm(bias.to(x.dtype), x, w))


def _mlp(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    x, w0, b0, w1, b1 = inputs
    return torch.addmm(b1, torch.relu(torch.addmm(b0, x, w0)), w1)


def _softmax(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    return torch.softmax(inputs[0], -1)


def _norm(torch: Any, x: Any, gamma: Any, beta: Any) -> Any:
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), gamma, beta, LAYER_NORM_EPSILON)


def _layer_norm(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    return _norm(torch, *inputs)


def _attention_scores(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    q, k = inputs
    return torch.softmax(torch.bmm(q, k.transpose(1, 2)) * (1 / sqrt(q.shape[-1])), -1)


def _conv(torch: Any, x: Any, kernel: Any, scale: Any, shift: Any) -> Any:
    """Return a 3 x 3 convolution that keeps the extents, and its norm folded to a scale and a shift."""
    y = torch.nn.functional.conv2d(x, kernel, padding=kernel.shape[-1] // 2)
    return y * scale[:, None, None] + shift[:, None, None]


def _conv_bn_relu_residual(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    x, kernel, scale, shift, residual = inputs
    return torch.relu(_conv(torch, x, kernel, scale, shift) + residual)


def _resnet_block(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    x, k0, scale0, shift0, k1, scale1, shift1 = inputs
    hidden = torch.relu(_conv(torch, x, k0, scale0, shift0))
    return torch.relu(_conv(torch, hidden, k1, scale1, shift1) + x)


def _encoder_layer(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    """Return the result of a post-norm layer; the heads are neighbours in the model's dimension."""
    x, wq, bq, wk, bk, wv, bv, wo, bo, gamma0, beta0, w1, b1, w2, b2, gamma1, beta1 = inputs
    tokens, model = x.shape
    heads = sizes.get("heads", _HEADS)
    q, k, v = (
        torch.addmm(b, x, w).view(tokens, heads, model // heads).transpose(0, 1).unsqueeze(0)
        for w, b in ((wq, bq), (wk, bk), (wv, bv))
    )
    attended = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    context = attended.squeeze(0).transpose(0, 1).reshape(tokens, model)
    hidden = _norm(torch, torch.addmm(bo, context, wo) + x, gamma0, beta0)
    inner = torch.nn.functional.gelu(torch.addmm(b1, hidden, w1))
    return _norm(torch, torch.addmm(b2, inner, w2) + hidden, gamma1, beta1)


def _branches(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    x, *weights = inputs
    return sum(x @ w @ v for w, v in zip(weights[::2], weights[1::2], strict=True))


def _lstm(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    """Return what layers over steps give; each has two weights, a result and a cell; gates are i, f, g and o."""
    x, *layers = inputs
    results, cells = list(layers[2::4]), list(layers[3::4])
    for below in x:
        for n, (w, u) in enumerate(zip(layers[::4], layers[1::4], strict=True)):
            i, f, g, o = (below @ w + results[n] @ u).chunk(4, dim=1)
            cells[n] = torch.sigmoid(f) * cells[n] + torch.sigmoid(i) * torch.tanh(g)
            results[n] = below = torch.sigmoid(o) * torch.tanh(cells[n])
    return results[-1], cells[-1]


def _attention(torch: Any, inputs: Sequence[Any], sizes: Mapping[str, int]) -> Any:
    x, wq, wk, wv, wo = inputs
    return torch.softmax((x @ wq) @ (x @ wk).T, -1) @ (x @ wv) @ wo


EXAMPLES: Mapping[str, Example] = {
    "matmul": Example(function=_matmul, ranks=(2, 2)),
    "matmul_bias_gelu": Example(function=_matmul_bias_gelu, ranks=(2, 2, 1)),
    "matmul_f16": Example(function=_matmul_f16, ranks=(2, 2, 1), element_type="f16"),
    "mlp": Example(
        function=_mlp,
        ranks=(2, 2, 1, 2, 1),
    ),
    "softmax": Example(function=_softmax, ranks=(2,)),
    "layer_norm": Example(function=_layer_norm, ranks=(2, 1, 1)),
    "attention_scores": Example(
        function=_attention_scores,
        ranks=(3, 3),
    ),
    "conv_bn_relu_residual": Example(function=_conv_bn_relu_residual, ranks=(4, 4, 1, 1, 4)),
    "resnet_block": Example(function=_resnet_block, ranks=(4, 4, 1, 1, 4, 1, 1)),
    "branches": Example(function=_branches, ranks=()),
    "lstm": Example(function=_lstm, ranks=()),
    "attention": Example(function=_attention, ranks=(2, 2, 2, 2, 2)),
    "encoder_layer": Example(function=_encoder_layer, ranks=(2, *(2, 1) * 4, 1, 1, *(2, 1) * 2, 1, 1)),
}


def example_of(name: str) -> Example | None:
    """Return an example by its file's name, or by its function's where that is another; None for an unknown one."""
    return EXAMPLES.get({"dense": "matmul_f16"}.get(name, name))
