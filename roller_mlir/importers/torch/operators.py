# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By which operators PyTorch's are replaced before torch-mlir lowers them.

Of gelu torch-mlir's own constant has four digits; of clamps, hardtanh, maxima and minima its own code gives a bound for
NaN; its fmod and its quotients that are rounded down are those of a rounded quotient, and of 8-bit integers its passes
crash; its variances, of which layer norms are made, are computed in f64, which devices are slow at; its roll has slices
of dynamic sizes; and its passes take a padding that cuts off as much as it adds for none.
"""

import importlib
from math import prod
from typing import Any

from roller_mlir.importers.torch.rows import row_decompositions
from roller_mlir.support.bindings import torch_decompositions


def decompositions() -> dict[Any, Any]:
    """Return by what operators are replaced: torch-mlir's list, PyTorch's of gelu, and our own, also those of rows."""
    torch: Any = importlib.import_module("torch")
    find: Any = importlib.import_module("torch._decomp").get_decompositions
    aten = torch.ops.aten

    def tensor(value: Any, kind: Any) -> Any:
        return value.to(kind) if isinstance(value, torch.Tensor) else torch.full((), value, dtype=kind)

    def clamp(value: Any, min: Any = None, max: Any = None) -> Any:  # noqa: A002 - as the operator calls them
        if min is not None:
            value = torch.where(value < min, min, value)
        return value if max is None else torch.where(value > max, max, value)

    def clamp_max(value: Any, max: Any) -> Any:  # noqa: A002 - torch's name of the argument
        return clamp(value, None, max)

    def hardtanh(value: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
        if not value.is_floating_point():  # whose type the result has, whatever the bounds are
            min_val, max_val = int(min_val), int(max_val)
        return clamp(value, min_val, max_val)

    def maximum(first: Any, second: Any) -> Any:
        if not torch.result_type(first, second).is_floating_point:
            return NotImplemented
        return torch.where((first > second) | (first != first), first, second)

    def minimum(first: Any, second: Any) -> Any:
        if not torch.result_type(first, second).is_floating_point:
            return NotImplemented
        return torch.where((first < second) | (first != first), first, second)

    def fmod(value: Any, by: Any) -> Any:
        if not torch.result_type(value, by).is_floating_point:
            return NotImplemented
        rest = torch.remainder(abs(value), abs(by))
        return torch.where(value < 0, -rest, rest)

    def div(value: Any, by: Any, *, rounding_mode: Any = None) -> Any:
        kind = torch.result_type(value, by)
        if kind in (torch.int8, torch.uint8) and rounding_mode is not None:
            value, by = tensor(value, torch.int32), tensor(by, torch.int32)
            return torch.div(value, by, rounding_mode=rounding_mode).to(kind)
        if not kind.is_floating_point or rounding_mode != "floor":
            return NotImplemented
        wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
        value, by = tensor(value, wide), tensor(by, wide)
        rest = fmod(value, by)
        quotient = (value - rest) / by  # a whole number but for its rounding
        quotient = torch.where((rest != 0) & ((value < 0) != (by < 0)), quotient - 1, quotient)
        whole = torch.floor(quotient)
        whole = torch.where(quotient - whole > 0.5, whole + 1, whole)
        return torch.where(by == 0, value / by, whole).to(kind)

    def remainder(value: Any, by: Any) -> Any:
        kind = torch.result_type(value, by)
        wide = torch.int32 if kind in (torch.int8, torch.uint8) else kind
        if isinstance(value, torch.Tensor) and wide == kind:
            return NotImplemented
        return torch.remainder(tensor(value, wide), tensor(by, wide)).to(kind)

    def var_mean(value: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
        if value.is_complex():
            return NotImplemented
        axes = [axis % value.dim() for axis in dim] if dim else list(range(value.dim()))
        wide = value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
        mean = wide.mean(axes, keepdim=True)
        off = wide - mean
        count = prod(value.shape[axis] for axis in axes) - (1 if correction is None else correction)
        variance = (off * off).sum(axes, keepdim=keepdim) / max(count, 0)
        mean = mean if keepdim else mean.squeeze(axes)
        return variance.to(value.dtype), mean.to(value.dtype)

    def var(value: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
        both = var_mean(value, dim, correction=correction, keepdim=keepdim)
        return both if both is NotImplemented else both[0]

    def roll(value: Any, shifts: Any, dims: Any = ()) -> Any:
        if not dims:
            return roll(value.flatten(), shifts, [0]).view(value.shape)
        for shift, axis in zip(shifts, dims, strict=True):
            size = value.shape[axis]
            at = size and -shift % size
            value = torch.cat([value.narrow(axis, at, size - at), value.narrow(axis, 0, at)], axis)
        return value

    def constant_pad_nd(value: Any, pad: Any, number: Any = 0) -> Any:
        if all(one >= 0 for one in pad):
            return NotImplemented
        for place in range(0, len(pad), 2):
            axis = value.dim() - 1 - place // 2
            low, high = (max(-one, 0) for one in pad[place : place + 2])
            value = value.narrow(axis, low, value.shape[axis] - low - high)
        return torch.constant_pad_nd(value, [max(one, 0) for one in pad], number)

    def scaled_dot_product_attention(
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        *,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Any:
        if dropout_p:
            return NotImplemented
        groups = query.shape[-3] // key.shape[-3] if enable_gqa else 1
        if groups > 1:  # that many heads of queries share one of keys and values
            query = query.unflatten(-3, (key.shape[-3], groups))
            key, value = key.unsqueeze(-3), value.unsqueeze(-3)
            if attn_mask is not None and attn_mask.dim() > 2:
                heads = attn_mask.shape[-3]
                attn_mask = attn_mask.unflatten(-3, (heads // groups or 1, groups if heads > 1 else 1))
        scores = (query * (query.shape[-1] ** -0.5 if scale is None else scale)) @ key.transpose(-2, -1)
        if is_causal:
            attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
        if attn_mask is not None:
            is_bool = attn_mask.dtype == torch.bool
            scores = torch.where(attn_mask, scores, -torch.inf) if is_bool else scores + attn_mask
        if attn_mask is None or is_causal:
            weights = scores.softmax(-1)
        else:  # of a row that is masked as a whole the weights are zeros
            wide = scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores
            largest = wide.amax(-1, keepdim=True)
            powers = torch.exp(wide - torch.where(largest == -torch.inf, 0, largest))
            sums = powers.sum(-1, keepdim=True)
            weights = (powers / torch.where(sums == 0, 1, sums)).to(query.dtype)
        found = weights @ value
        return found.flatten(-4, -3) if groups > 1 else found

    ours = {
        aten.scaled_dot_product_attention.default: scaled_dot_product_attention,
        aten.constant_pad_nd.default: constant_pad_nd,
        aten.clamp.default: clamp,
        aten.clamp_min.default: clamp,
        aten.clamp_max.default: clamp_max,
        aten.hardtanh.default: hardtanh,
        aten.maximum.default: maximum,
        aten.minimum.default: minimum,
        aten.fmod.Tensor: fmod,
        aten.fmod.Scalar: fmod,
        aten.div.Tensor_mode: div,
        aten.div.Scalar_mode: div,
        aten.remainder.Scalar: remainder,
        aten.remainder.Scalar_Tensor: remainder,
        aten.roll.default: roll,
        aten.var.correction: var,
        aten.var_mean.correction: var_mean,
    }
    return {**torch_decompositions(), **find([aten.gelu]), **row_decompositions(), **ours}
