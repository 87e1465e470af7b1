# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every class of operators as one loop nest: a product of tensors at affine indices, reduced or not.

A tensor's dimensions become loops by strides (a view whose dimension for loop h of `(2h+r)` steps by two rows), and
the nest is then an einsum of such views, or a maximum of them. It is written in torch for any of its devices and types.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.plan.indices import Dimension, Indices, parse_indices

CHUNK_ELEMENTS = 1 << 27
"""Elements of one view that are copied at a time: 1 GiB in f64."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, kw_only=True)
class ReferenceNest:
    """A loop nest.

    Attributes:
        indices: Of the inputs, padded where `pads` says so, and of the output.
        extents: Points of each loop.
        combiner: "sum", "max" or "min".
        pads: Low and high zeros around each dimension of the first input; empty: none.
        scale: What each sum is multiplied by.
    """

    indices: Indices
    extents: Mapping[str, int]
    combiner: str = "sum"
    pads: tuple[tuple[int, int], ...] = ()
    scale: float = 1.0

    @property
    def reduced(self) -> tuple[str, ...]:
        """Its reduction loops."""
        return tuple(loop for loop in self.indices.loops if loop not in self.indices.parallel)

    @property
    def points(self) -> int:
        """Points that one element of the output combines."""
        return prod(self.extents[loop] for loop in self.reduced)

    @property
    def selects(self) -> bool:
        """Whether each element of the output is one of the input: nothing is computed."""
        return len(self.indices.inputs) == 1 and (self.combiner != "sum" or not self.reduced) and self.scale == 1.0

    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return the shape of each input, without padding."""
        found = [tuple(dimension.size(self.extents) for dimension in one) for one in self.indices.inputs]
        pads = self.pads or ((0, 0),) * len(found[0])
        found[0] = tuple(extent - low - high for extent, (low, high) in zip(found[0], pads, strict=True))
        return tuple(found)


def nest_of(reference: Reference) -> ReferenceNest | None:
    """Return the loop nest of an operator of a suite, None for another class.

    Raises:
        ValueError: A size is missing, or the indices cannot be read.
    """
    kind, sizes = reference.kind, reference.sizes
    try:
        if kind == "matmul":
            return ReferenceNest(
                indices=parse_indices("mk kn -> mn"), extents={loop: sizes[loop.upper()] for loop in "mnk"}
            )
        if kind == "reduce_sum":
            loops = _LETTERS[: len(reference.shape)]
            kept = "".join(loop for axis, loop in enumerate(loops) if axis not in reference.axes)
            return ReferenceNest(
                indices=parse_indices(f"{loops} -> {kept}"), extents=dict(zip(loops, reference.shape, strict=True))
            )
        if kind == "generic":
            nest = ReferenceNest(
                indices=parse_indices(reference.indices),
                extents={loop: sizes[loop] for loop in parse_indices(reference.indices).loops},
                combiner=reference.combiner or "sum",
            )
            if nest.combiner not in ("sum", "max", "min"):
                raise ValueError(f"combiner must be sum, max or min, but got '{nest.combiner}'")
            return nest
        return _window(kind, sizes) if kind in _WINDOWS else None
    except KeyError as error:
        raise ValueError(f"'{kind}' needs the size {error}, which the kit does not give") from None


_WINDOWS = {"conv2d": ("fcrs", "nfhw"), "depthwise_conv2d": ("crs", "nchw"), "avg_pool2d": ("", "nchw")}


def _window(kind: str, sizes: Mapping[str, int]) -> ReferenceNest:
    """Return a nest over windows: half of a padding, rounded down, is on the low side."""
    weights, output = _WINDOWS[kind]
    step, gap = sizes["stride"], sizes["dilation"]
    extents = {"n": sizes["N"], "c": sizes["C"], "h": sizes["OH"], "w": sizes["OW"], "r": sizes["KH"], "s": sizes["KW"]}
    if kind == "conv2d":
        extents["f"] = sizes["F"]
    pads, dimensions = [(0, 0), (0, 0)], [Dimension({"n": 1}), Dimension({"c": 1})]
    for axis, outer, inner in (("H", "h", "r"), ("W", "w", "s")):
        total = sizes[f"pad_{axis.lower()}"]
        dimensions.append(Dimension({outer: step, inner: gap}))
        # What lies behind the last window is no part of the nest: the view does not reach it.
        rest = sizes[axis] + total - dimensions[-1].size(extents)
        pads.append((total // 2, total - total // 2 - rest))
    known = parse_indices(f"nchw {weights} -> {output}" if weights else f"nchw -> {output}")
    indices = Indices((tuple(dimensions), *known.inputs[1:]), known.output)
    scale = 1.0 / (sizes["KH"] * sizes["KW"]) if kind == "avg_pool2d" else 1.0
    return ReferenceNest(indices=indices, extents=extents, pads=tuple(pads), scale=scale)


def evaluate(
    torch: Any, nest: ReferenceNest, inputs: Sequence[Any], dtype: Any, window: tuple[str, int, int] | None = None
) -> Any:
    """Return the output of a nest, as a tensor.

    Args:
        torch: The library.
        nest: What to compute.
        inputs: One tensor per input.
        dtype: In which to compute; elements that are only selected keep their own.
        window: A reduction loop, its first point and how many points of it are summed; None for all.
    """
    names = ["".join(_loops(one)) for one in nest.indices.inputs]
    views = views_of(torch, nest, inputs)
    if window is not None:
        part, first, points = window
        views = [
            view.narrow(name.index(part), first, points) if part in name else view
            for view, name in zip(views, names, strict=True)
        ]
    output = "".join(nest.indices.parallel)
    result: Any = None
    for loop, start, count in _chunks(nest, names):
        parts = [
            view.narrow(name.index(loop), start, count) if loop and loop in name else view
            for view, name in zip(views, names, strict=True)
        ]
        if nest.combiner == "sum" or not nest.reduced:
            part = torch.einsum(
                f"{','.join(names)}->{output}", *(one if nest.selects else one.to(dtype) for one in parts)
            )
        else:
            part = _extreme(torch, nest, parts, names, dtype)
        if not loop:
            result = part
            continue
        if result is None:
            shape = [nest.extents[each] for each in output]
            result = torch.empty(shape, dtype=part.dtype, device=part.device)
        result.narrow(output.index(loop), start, count).copy_(part)
    return result * nest.scale if nest.scale != 1.0 else result


def views_of(torch: Any, nest: ReferenceNest, inputs: Sequence[Any]) -> list[Any]:
    """Return each input as a view with one dimension per loop, in the order of its first use."""
    if any(side for pair in nest.pads for side in pair):
        # From the last dimension to the first; a negative padding leaves elements out.
        widths = [side for pair in reversed(nest.pads) for side in pair]
        inputs = [torch.nn.functional.pad(inputs[0], widths), *inputs[1:]]
    views: list[Any] = []
    for tensor, dimensions in zip(inputs, nest.indices.inputs, strict=True):
        dense = tensor.contiguous()
        strides = dict.fromkeys(_loops(dimensions), 0)
        offset = dense.storage_offset()
        for dimension, stride in zip(dimensions, dense.stride(), strict=True):
            offset += dimension.constant * stride
            for loop, factor in dimension.terms.items():
                strides[loop] += factor * stride
        extents = [nest.extents[loop] for loop in strides]
        views.append(dense.as_strided(extents, list(strides.values()), offset))
    return views


def _loops(dimensions: Sequence[Dimension]) -> list[str]:
    return list(dict.fromkeys(loop for dimension in dimensions for loop in dimension.terms))


def _chunks(nest: ReferenceNest, names: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield parts (loop, first point, points) of a parallel loop, so that no copy of a view is too large."""
    extremes = nest.combiner != "sum" and nest.reduced and len(names) > 1
    spaces = [*names, "".join(nest.indices.loops)] if extremes else names
    largest = max(spaces, key=lambda name: prod(nest.extents[loop] for loop in name))
    elements = prod(nest.extents[loop] for loop in largest)
    parallel = [loop for loop in nest.indices.parallel if loop in largest]
    if elements <= CHUNK_ELEMENTS or not parallel:
        yield "", 0, 0
        return
    loop = max(parallel, key=nest.extents.__getitem__)
    size = max(1, nest.extents[loop] * CHUNK_ELEMENTS // elements)
    for start in range(0, nest.extents[loop], size):
        yield loop, start, min(size, nest.extents[loop] - start)


def _extreme(torch: Any, nest: ReferenceNest, views: Sequence[Any], names: Sequence[str], dtype: Any) -> Any:
    """Return the largest or smallest product over the reduction loops."""
    loops = nest.indices.loops
    product: Any = None
    for view, name in zip(views, names, strict=True):
        wide = view if nest.selects else view.to(dtype)
        wide = wide.permute([name.index(loop) for loop in loops if loop in name])
        for axis, loop in enumerate(loops):
            if loop not in name:
                wide = wide.unsqueeze(axis)
        product = wide if product is None else product * wide
    axes = [loops.index(loop) for loop in nest.reduced]
    return (torch.amax if nest.combiner == "max" else torch.amin)(product, axes)
