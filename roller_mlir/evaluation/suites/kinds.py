# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of operators that a table may name: which columns each needs, and what follows from them.

Windows: with W the extent of an input, T the padding of both its sides together, K that of a window, the output has
floor((W + T - (K - 1) * dilation - 1) / stride) + 1 points. SAME padding is the least T for ceil(W / stride) points.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from roller_mlir.plan.indices import parse_extents, parse_indices

SHAPE, AXES, FILE, PADDING = "shape", "axes", "file", "padding"
INDICES, EXTENTS, COMBINER = "indices", "extents", "combiner"
COMBINERS = ("sum", "max", "min")
_TEXTS = (SHAPE, AXES, FILE, PADDING, INDICES, EXTENTS, COMBINER)

_WINDOW = ("N", "C", "H", "W", "KH", "KW", "stride")
_WINDOW_OPTIONAL = ("dilation", "pad_h", "pad_w", "OH", "OW")


class SizeError(ValueError):
    """A column of a row breaks a rule.

    Attributes:
        column: Name of the column at fault.
    """

    def __init__(self, column: str, reason: str) -> None:
        """Make an error out of its attribute and its text."""
        super().__init__(reason)
        self.column = column


@dataclass(frozen=True)
class Given:
    """The cells of a row that say what the operator is.

    Attributes:
        numbers: Columns of one integer, those that are there.
        shape: Of the column "shape".
        axes: Of the column "axes".
        padding: "SAME", "VALID" or "".
        indices: Of the column "indices".
        extents: Of the column "extents".
        combiner: Of the column "combiner".
    """

    numbers: Mapping[str, int]
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    padding: str
    indices: str = ""
    extents: str = ""
    combiner: str = ""


@dataclass(frozen=True)
class Kind:
    """A class of operators.

    Attributes:
        needs: Columns that a row must fill.
        takes: Columns that it may fill.
        sizes: From the cells of a row to the sizes of `Operator`; raises SizeError.
        dtypes: Element types that it takes; empty for all.
    """

    needs: tuple[str, ...]
    takes: tuple[str, ...]
    sizes: Callable[[Given], dict[str, int]]
    dtypes: tuple[str, ...] = ()


def window_extent(extent: int, padding: int, window: int, stride: int, dilation: int) -> int:
    """Return the output points of a window along one axis; below 1 where the window does not fit.

    >>> window_extent(28, 2, 3, 1, 1), window_extent(42, 1, 3, 2, 1), window_extent(4, 0, 5, 1, 1)
    (28, 21, 0)
    """
    return (extent + padding - (window - 1) * dilation - 1) // stride + 1


def same_padding(extent: int, window: int, stride: int, dilation: int) -> int:
    """Return the least total padding for ceil(extent / stride) output points.

    >>> same_padding(42, 3, 2, 1), same_padding(83, 5, 2, 1), same_padding(42, 1, 2, 1)
    (1, 4, 0)
    """
    outputs = -(-extent // stride)
    return max(0, (outputs - 1) * stride + (window - 1) * dilation + 1 - extent)


def _plain(given: Given) -> dict[str, int]:
    return dict(given.numbers)


def _elements(given: Given) -> dict[str, int]:
    return {"M": prod(given.shape)}


def _reduction(given: Given) -> dict[str, int]:
    rank = len(given.shape)
    for axis in given.axes:
        if axis >= rank:
            raise SizeError(AXES, f"must be below {rank}, the number of dimensions of the shape, but got {axis}")
    if list(given.axes) != sorted(set(given.axes)):
        raise SizeError(AXES, f"must ascend, but got {' '.join(map(str, given.axes))}")
    reduced = prod(given.shape[axis] for axis in given.axes)
    return {"M": prod(given.shape) // reduced, "K": reduced}


def _windows(given: Given) -> dict[str, int]:
    sizes = dict(given.numbers)
    sizes.setdefault("dilation", 1)
    for axis in "HW":
        extent, window, pad = sizes[axis], sizes[f"K{axis}"], f"pad_{axis.lower()}"
        same = same_padding(extent, window, sizes["stride"], sizes["dilation"])
        implied = same if given.padding == "SAME" else 0
        if given.padding and sizes.get(pad, implied) != implied:
            raise SizeError(pad, f"must be {implied} in all for {given.padding} padding, but got {sizes[pad]}")
        sizes.setdefault(pad, implied)
        outputs = window_extent(extent, sizes[pad], window, sizes["stride"], sizes["dilation"])
        if outputs < 1:
            reach = (window - 1) * sizes["dilation"] + 1
            raise SizeError(f"K{axis}", f"reaches over {reach} points, but padded inputs have {extent + sizes[pad]}")
        if sizes.setdefault(f"O{axis}", outputs) != outputs:
            raise SizeError(f"O{axis}", f"must be {outputs}, which follows from the input, but got {sizes[f'O{axis}']}")
    return sizes


def _depthwise(given: Given) -> dict[str, int]:
    sizes = _windows(given)
    if sizes.setdefault("F", sizes["C"]) != sizes["C"]:
        raise SizeError("F", f"must be C ({sizes['C']}) of a depthwise convolution, but got {sizes['F']}")
    return sizes


def _generic(given: Given) -> dict[str, int]:
    if given.combiner not in ("", *COMBINERS):
        raise SizeError(COMBINER, f"must be one of {', '.join(COMBINERS)}, but got '{given.combiner}'")
    try:
        indices = parse_indices(given.indices)
    except ValueError as error:
        raise SizeError(INDICES, str(error)) from None
    try:
        return parse_extents(given.extents, indices.loops)
    except ValueError as error:
        raise SizeError(EXTENTS, str(error)) from None


KINDS: Mapping[str, Kind] = {
    "matmul": Kind(("M", "N", "K"), (), _plain),
    "conv2d": Kind((*_WINDOW, "F"), (*_WINDOW_OPTIONAL, PADDING), _windows),
    "depthwise_conv2d": Kind(_WINDOW, (*_WINDOW_OPTIONAL, "F", PADDING), _depthwise),
    "avg_pool2d": Kind(_WINDOW, (*_WINDOW_OPTIONAL, PADDING), _windows, ("f32", "f16", "bf16", "f64")),
    "relu": Kind((SHAPE,), (), _elements),
    "reduce_sum": Kind((SHAPE, AXES), (), _reduction),
    "generic": Kind((INDICES, EXTENTS), (COMBINER,), _generic),
    "file": Kind((FILE,), (), _plain),
}

MAY_BE_ZERO = frozenset({"pad_h", "pad_w"})
NUMBERS = tuple(
    dict.fromkeys(column for kind in KINDS.values() for column in (*kind.needs, *kind.takes) if column not in _TEXTS)
)
