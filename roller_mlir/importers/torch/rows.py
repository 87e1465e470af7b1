# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch on rows, those that torch-mlir does not lower or says of whole tensors, as simpler ones.

Each element of a result asks all elements of its row, in the terms of masks:

    x.scatter(1, i, y)    of y[r, k] with i[r, k] = p the last, else x[r, p]
    x.cummax(1)           the greatest of x[r, j] with j <= i
    torch.histc(x, n)     how many of x lie in each of n intervals
"""

import importlib
from typing import Any


def row_decompositions() -> dict[Any, Any]:
    """Return what stands for each operator."""
    torch: Any = importlib.import_module("torch")
    aten = torch.ops.aten

    def along(dim: int, rank: int, numbers: Any) -> Any:
        """Return numbers as a tensor of a rank, along one of its dimensions."""
        return numbers.view([-1 if d == dim else 1 for d in range(rank)])

    def numbers_of(size: int, like: Any) -> Any:
        return torch.arange(size, device=like.device)

    def asked(value: Any, dim: int, index: Any, source: Any) -> tuple[int, Any, Any, Any]:
        """Return the dimension, the rows that are written, which position of each is meant, and what is written there.

        Elements p of rows lie along the dimension, what is written, k, along the one behind it.
        """
        dim %= max(value.dim(), 1)
        for axis, size in enumerate(index.shape):
            source = source.narrow(axis, 0, size)
            value = value if axis == dim else value.narrow(axis, 0, size)
        places = along(dim, index.dim() + 1, numbers_of(value.shape[dim], index))
        return dim, value, index.unsqueeze(dim) == places, source

    def put_back(whole: Any, rows: Any) -> Any:
        """Return a tensor with its first elements of some dimensions replaced."""
        outer = [axis for axis in range(whole.dim()) if rows.shape[axis] != whole.shape[axis]]
        for axis in reversed(outer):
            target = whole
            for other in outer[: outer.index(axis)]:
                target = target.narrow(other, 0, rows.shape[other])
            rows = torch.cat([rows, target.narrow(axis, rows.shape[axis], target.shape[axis] - rows.shape[axis])], axis)
        return rows

    def scatter(value: Any, dim: int, index: Any, src: Any) -> Any:
        if not value.dim() or not index.numel():
            return NotImplemented
        axis, rows, is_meant, source = asked(value, dim, index, src)
        numbers = along(axis + 1, rows.dim() + 1, numbers_of(index.shape[axis], index))
        last = torch.where(is_meant, numbers, -1).amax(axis + 1)
        found = source.gather(axis, last.clamp(min=0))
        return put_back(value, torch.where(last >= 0, found, rows))

    def scatter_value(value: Any, dim: int, index: Any, number: Any) -> Any:
        if not value.dim() or not index.numel():
            return NotImplemented
        axis, rows, is_meant, _ = asked(value, dim, index, index)
        filling = torch.full((), number, dtype=value.dtype, device=value.device)
        return put_back(value, torch.where(is_meant.any(axis + 1), filling, rows))

    def scatter_add(value: Any, dim: int, index: Any, src: Any) -> Any:
        if not value.dim() or not index.numel() or value.dtype == torch.bool:
            return NotImplemented
        axis, rows, is_meant, source = asked(value, dim, index, src)
        sums = torch.where(is_meant, source.unsqueeze(axis), 0).sum(axis + 1, dtype=value.dtype)
        return put_back(value, rows + sums)

    def extreme_so_far(value: Any, dim: int, *, rises: bool) -> Any:
        if not value.dim() or value.dtype == torch.bool:
            return NotImplemented
        axis = dim % value.dim()
        numbers = numbers_of(value.shape[axis], value)
        i, j = (along(axis + d, value.dim() + 1, numbers) for d in (0, 1))
        others = value.unsqueeze(axis)
        is_float = value.is_floating_point()
        limits = (-torch.inf, torch.inf) if is_float else (torch.iinfo(value.dtype).min, torch.iinfo(value.dtype).max)
        masked = torch.where(j <= i, others, limits[0] if rises else limits[1])
        found = masked.amax(axis + 1) if rises else masked.amin(axis + 1)
        is_it = others == found.unsqueeze(axis + 1)
        if is_float:
            is_it = is_it | ((others != others) & (found != found).unsqueeze(axis + 1))
        return found, torch.where(is_it & (j <= i), j, -1).amax(axis + 1)

    def cummax(value: Any, dim: int) -> Any:
        return extreme_so_far(value, dim, rises=True)

    def cummin(value: Any, dim: int) -> Any:
        return extreme_so_far(value, dim, rises=False)

    def sort(value: Any, *, stable: Any = None, dim: int = -1, descending: bool = False) -> Any:
        del stable  # it always is
        return torch.sort(value, dim, descending)

    def topk(value: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # noqa: A002 - torch's
        return NotImplemented if sorted else torch.topk(value, k, dim, largest, True)

    def median_of_rows(value: Any, dim: int, keepdim: bool = False) -> Any:
        if not value.dim():
            return NotImplemented
        axis = dim % value.dim()
        elements, places = torch.sort(value, axis)
        middle = (value.shape[axis] - 1) // 2
        found, at = elements.narrow(axis, middle, 1), places.narrow(axis, middle, 1)
        if value.is_floating_point():
            is_nan = value != value
            any_nan = is_nan.any(axis, keepdim=True)
            first = is_nan.to(torch.int32).argmax(axis, keepdim=True)
            found, at = torch.where(any_nan, torch.nan, found), torch.where(any_nan, first, at)
        return (found, at) if keepdim else (found.squeeze(axis), at.squeeze(axis))

    def median(value: Any) -> Any:
        return median_of_rows(value.flatten(), 0)[0]

    def histc(value: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Any:  # noqa: A002 - torch's names
        value = value.flatten()
        low, high = torch.full((), min, dtype=value.dtype), torch.full((), max, dtype=value.dtype)
        if min == max:
            low, high = value.amin(), value.amax()
            low, high = torch.where(low == high, low - 1, low), torch.where(low == high, high + 1, high)
        place = ((value - low) * bins / (high - low)).to(torch.int64).clamp(max=bins - 1)
        place = torch.where((value >= low) & (value <= high), place, -1)
        return (place.unsqueeze(0) == numbers_of(bins, value).unsqueeze(1)).sum(1).to(value.dtype)

    def searchsorted(
        row: Any, value: Any, *, out_int32: bool = False, right: bool = False, side: Any = None, sorter: Any = None
    ) -> Any:
        if sorter is not None:
            row = row.gather(-1, sorter)
        others, own = row.unsqueeze(-2), value.unsqueeze(-1)
        if row.dim() == 1:
            others = row.view([1] * value.dim() + [-1])
        is_right = right or side == "right"
        is_behind = others > own if is_right else others >= own  # false beside NaN, which is greater than any number
        return (~is_behind).sum(-1).to(torch.int32 if out_int32 else torch.int64)

    def searchsorted_number(row: Any, number: Any, **options: Any) -> Any:
        return searchsorted(row, torch.full((1,), number), **options).squeeze(0)

    def cdist(one: Any, two: Any, p: float, compute_mode: Any = None) -> Any:
        del compute_mode  # by which product it is computed
        off = (one.unsqueeze(-2) - two.unsqueeze(-3)).abs()
        if p == 0:
            return (off != 0).to(one.dtype).sum(-1)
        if p == float("inf"):
            return off.amax(-1)
        if p == 1:
            return off.sum(-1)
        return (off * off).sum(-1).sqrt() if p == 2 else (off**p).sum(-1) ** (1 / p)

    def hypot(one: Any, two: Any) -> Any:
        one, two = one.abs(), two.abs()
        large, small = torch.maximum(one, two), torch.minimum(one, two)
        part = torch.where((large == 0) | (large == torch.inf), 0, small / large)
        found = large * torch.sqrt(1 + part * part)
        return torch.where((one == torch.inf) | (two == torch.inf), torch.inf, found)

    def index_copy(value: Any, dim: int, index: Any, source: Any) -> Any:
        if not value.dim() or index.dim() != 1 or not index.numel():
            return NotImplemented
        axis = dim % value.dim()
        size, count = value.shape[axis], index.numel()
        is_meant = numbers_of(size, index).unsqueeze(1) == index
        if count == 1:
            return torch.where(along(axis, value.dim(), is_meant), source, value)
        last = torch.where(is_meant, numbers_of(count, index), -1).amax(1)
        found = source.index_select(axis, last.clamp(min=0))
        return torch.where(along(axis, value.dim(), last >= 0), found, value)

    def index_put(value: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
        given = [axis for axis, one in enumerate(indices) if one is not None]
        if len(given) != 1 or accumulate:
            return NotImplemented
        axis, index = given[0], indices[given[0]]
        if index.dtype == torch.bool:
            if values.numel() != 1:
                return NotImplemented
            mask = index.view((1,) * axis + index.shape + (1,) * (value.dim() - axis - index.dim()))
            return torch.where(mask, values.view(()), value)
        if index.dim() != 1:
            return NotImplemented
        shape = [index.numel() if d == axis else size for d, size in enumerate(value.shape)]
        return index_copy(value, axis, index % value.shape[axis], values.expand(shape))

    return {
        aten.index_copy.default: index_copy,
        aten.index_put.default: index_put,
        aten.scatter.src: scatter,
        aten.scatter.value: scatter_value,
        aten.scatter_add.default: scatter_add,
        aten.cummax.default: cummax,
        aten.cummin.default: cummin,
        aten.sort.stable: sort,
        aten.topk.default: topk,
        aten.median.default: median,
        aten.median.dim: median_of_rows,
        aten.histc.default: histc,
        aten.searchsorted.Tensor: searchsorted,
        aten.searchsorted.Scalar: searchsorted_number,
        aten._cdist_forward.default: cdist,  # noqa: SLF001 - what cdist is called in graphs
        aten.hypot.default: hypot,
    }
