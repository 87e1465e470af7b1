# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel that ROLLER's artifact generates for a published tile: its grid, its thread map, its staged inputs.

A step of every input is copied into workgroup memory by all threads, one element after the other in the order of
memory. A thread's tile along a loop is spread over virtual threads, a whole row of threads apart, and as many
neighbours as a bank holds elements. A convolution is the matrix product of filters and (image, row, column) over
(channel, window), whose data is addressed by divisions and remainders. No buffer is doubled, no row is padded.

Source: github.com/microsoft/nnfusion, branch osdi22_artifact, artifacts/roller: codegen/op_impl/codegenR.py and
test_config/*_expr.py; its logs name the directory wo_storage_align.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, prod

from roller_mlir.evaluation.suites.operator import Operator, PublishedTiles

ELEMENT_BYTES = 4
"""All published kernels are of f32."""

SECTOR_ELEMENTS = 8
"""Elements that come along with one that is read: 32 bytes."""


@dataclass(frozen=True)
class ThreadSpread:
    """How one parallel loop of a block is spread over threads: virtual x threads x inner points, slowest first.

    Attributes:
        virtual: Points of a thread that lie a whole row of threads apart.
        threads: Threads along the loop.
        inner: Neighbouring points of a thread.
    """

    virtual: int
    threads: int
    inner: int


@dataclass(frozen=True, kw_only=True)
class Staged:
    """One input as a step of a block stages it.

    Attributes:
        name: Of the tensor.
        elements: Elements of the tile in workgroup memory.
        parallel: Elements of the tile between neighbouring points of each parallel loop.
        reduction: The same for each reduction loop.
        divisions: Divisions by constants other than powers of two for the address of one copied element.
        paired: Whether the neighbours that a bank holds share them.
        multiplications: Multiplications beside those of the divisions.
        comparisons: Comparisons that guard an element.
        inside: Share of the tile's rows that lie in the tensor; only those are read.
        unique_bytes: Bytes of the tensor that the kernel reads, each once.
        dependent: The parallel loops that it depends on.
    """

    name: str
    elements: int
    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    divisions: int
    paired: bool
    multiplications: int
    comparisons: int
    unique_bytes: int
    dependent: tuple[int, ...]
    inside: float = 1.0


@dataclass(frozen=True, kw_only=True)
class PublishedKernel:
    """A published kernel.

    Attributes:
        grid: Blocks along each parallel loop; the last runs fastest.
        steps: Reduction steps of a block.
        step: Points of each reduction loop in a step.
        spread: How each parallel loop is spread over threads; the last runs fastest in the thread number.
        inputs: Staged inputs; empty for element-wise operators, which read what they need directly.
        direct_bytes: Bytes that are read without staging.
        output_bytes: Bytes of the output.
        guarded: Whether stores are compared with the loops' ends.
        kept: Share of a thread's points that the compiler keeps.
    """

    grid: tuple[int, ...]
    steps: int
    step: tuple[int, ...]
    spread: tuple[ThreadSpread, ...]
    inputs: tuple[Staged, ...]
    direct_bytes: int
    output_bytes: int
    guarded: bool
    kept: float

    @property
    def tasks(self) -> int:
        """Blocks of the grid."""
        return prod(self.grid)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return prod(one.threads for one in self.spread)

    @property
    def points(self) -> int:
        """Output points of a thread."""
        return prod(one.virtual * one.inner for one in self.spread)


def published_kernel(operator: Operator, tiles: PublishedTiles, bank_elements: int) -> PublishedKernel:
    """Return the kernel of a published tile.

    Args:
        operator: An operator of a class that the artifact has: any but "file".
        tiles: The tile, in the loops that `PublishedTiles` names.
        bank_elements: Elements that a bank of workgroup memory holds.
    """
    parts = _PARTS[operator.kind](operator.sizes, tiles, bank_elements)
    spread = tuple(_spread(b, t, bank_elements) for b, t in zip(tiles.block, tiles.thread, strict=True))
    grid = tuple(ceil(extent / block) for extent, block in zip(parts.parallel, tiles.block, strict=True))
    output_bytes = ELEMENT_BYTES * prod(parts.parallel)
    return PublishedKernel(
        grid=grid,
        steps=prod(ceil(extent / size) for extent, size in zip(parts.reduction, tiles.step, strict=True)),
        step=tiles.step,
        spread=spread,
        inputs=parts.inputs,
        direct_bytes=0 if parts.inputs else output_bytes,
        output_bytes=output_bytes,
        guarded=any(extent % block for extent, block in zip(parts.parallel, tiles.block, strict=True)),
        kept=prod(_kept(one, extent, count) for one, extent, count in zip(spread, parts.parallel, grid, strict=True)),
    )


def _spread(block: int, thread: int, bank_elements: int) -> ThreadSpread:
    """Spread one loop: a thread has a bank's worth of neighbours, or all its points where it has fewer.

    >>> _spread(128, 8, 2), _spread(64, 4, 1)
    (ThreadSpread(virtual=4, threads=16, inner=2), ThreadSpread(virtual=4, threads=16, inner=1))
    """
    inner = bank_elements if thread >= bank_elements else thread
    return ThreadSpread(thread // inner, block // thread, inner)


def _kept(spread: ThreadSpread, extent: int, blocks: int) -> float:
    """Return the share of virtual threads that are not wholly beyond the end of a loop of one block.

    There the guard of a store is known when the kernel is compiled, and what is never stored is not computed.

    >>> _kept(ThreadSpread(4, 16, 2), 84, 1), _kept(ThreadSpread(4, 16, 2), 212, 2)
    (0.75, 1.0)
    """
    row = spread.threads * spread.inner
    return min(spread.virtual, ceil(extent / row)) / spread.virtual if blocks == 1 else 1.0


@dataclass(frozen=True)
class _LoopExtents:
    """Extents of the parallel and the reduction loops, and the staged inputs."""

    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    inputs: tuple[Staged, ...]


def _row_divisions(row: int) -> int:
    """Return the divisions that find row and column in a tile of rows of that many elements."""
    return 0 if row & (row - 1) == 0 else 1


def _rows(
    name: str, block: int, step: int, extent: int, reduced: int, dependent: tuple[int, ...], bank: int, loops: int
) -> Staged:
    """Return the left factor of a product, or the input of a reduction: rows of the tile run along the reduction."""
    return Staged(
        name=name,
        elements=block * step,
        parallel=(step, 0)[:loops],
        reduction=(1,),
        divisions=_row_divisions(step),
        paired=step % bank == 0,
        multiplications=0,
        comparisons=(reduced % step > 0) + (extent % block > 0),
        unique_bytes=ELEMENT_BYTES * extent * reduced,
        dependent=dependent,
    )


def _matmul(sizes: Mapping[str, int], tiles: PublishedTiles, bank: int) -> _LoopExtents:
    m, n, k = sizes["M"], sizes["N"], sizes["K"]
    (rows, columns), (step,) = tiles.block, tiles.step
    right = Staged(
        name="B",
        elements=columns * step,
        parallel=(0, 1),
        reduction=(columns,),
        divisions=_row_divisions(columns),
        paired=columns % bank == 0,
        multiplications=0,
        comparisons=(k % step > 0) + (n % columns > 0),
        unique_bytes=ELEMENT_BYTES * k * n,
        dependent=(1,),
    )
    return _LoopExtents((m, n), (k,), (_rows("A", rows, step, m, k, (0,), bank, 2), right))


def _convolution(sizes: Mapping[str, int], tiles: PublishedTiles, bank: int) -> _LoopExtents:
    pixels = sizes["N"] * sizes["OH"] * sizes["OW"]
    k = sizes["C"] * sizes["KH"] * sizes["KW"]
    (filters, columns), (step,) = tiles.block, tiles.step
    # Pixels are divided once before all steps; channel, row and column of a larger window anew in each.
    windowed = sizes["KH"] * sizes["KW"] > 1
    height = _touched(sizes["OH"], sizes["KH"], sizes["stride"], 1)
    width = _touched(sizes["OW"], sizes["KW"], sizes["stride"], SECTOR_ELEMENTS)
    data = Staged(
        name="data",
        elements=columns * step,
        parallel=(0, 1),
        reduction=(columns,),
        divisions=_row_divisions(columns) + (2 if windowed else 0),
        paired=columns % bank == 0,
        multiplications=3 if windowed else 0,
        comparisons=(k % step > 0) + (pixels % columns > 0),
        unique_bytes=ELEMENT_BYTES * sizes["N"] * sizes["C"] * height * width,
        dependent=(1,),
    )
    return _LoopExtents(
        (sizes["F"], pixels), (k,), (_rows("kernel", filters, step, sizes["F"], k, (0,), bank, 2), data)
    )


def _touched(outputs: int, window: int, stride: int, least: int) -> int:
    """Return the input points along an axis that windows read, where reading one of `least` neighbours reads all.

    >>> _touched(14, 1, 2, 1), _touched(14, 1, 2, 8), _touched(14, 3, 2, 1)
    (14, 27, 29)
    """
    return (outputs - 1) * stride + window if stride <= max(window, least) else outputs * window


def _windows(sizes: Mapping[str, int], tiles: PublishedTiles, leading: tuple[int, ...]) -> _LoopExtents:
    """Return a depthwise convolution's or a pooling's parts: the whole window is one step."""
    stride, window = sizes["stride"], (sizes["KH"], sizes["KW"])
    rows, columns = tiles.block[-2:]
    height, width = (rows - 1) * stride + window[0], (columns - 1) * stride + window[1]
    images = prod(tiles.block[:-2])
    # A block of one row of outputs reads no rows between its windows and those of the next.
    read = min(sizes["H"], sizes["OH"] * window[0]) if rows == 1 else sizes["H"]
    partial = sizes["OH"] % rows or sizes["OW"] % columns
    along = [height * width]
    for size in reversed(tiles.block[1:-2]):
        along.insert(0, along[0] * size)
    data = Staged(
        name="data",
        elements=images * height * width,
        parallel=(*along, width * stride, stride),
        reduction=(width, 1),
        divisions=2 if images > 1 else 1,
        paired=width % 2 == 0,
        multiplications=2 if images > 1 else 1,
        comparisons=4 if sizes["pad_h"] or sizes["pad_w"] else 2 if partial else 0,
        unique_bytes=ELEMENT_BYTES * prod(leading) * read * sizes["W"],
        dependent=tuple(range(len(tiles.block))),
        inside=min(1.0, sizes["H"] / (ceil(sizes["OH"] / rows) * height)),
    )
    return _LoopExtents((*leading, sizes["OH"], sizes["OW"]), window, (data,))


def _depthwise(sizes: Mapping[str, int], tiles: PublishedTiles, bank: int) -> _LoopExtents:
    parts = _windows(sizes, tiles, (sizes["N"], sizes["C"]))
    taps = prod(parts.reduction)
    kernel = Staged(
        name="kernel",
        elements=tiles.block[1] * taps,
        parallel=(0, taps, 0, 0),
        reduction=(parts.reduction[1], 1),
        divisions=0,
        paired=True,
        multiplications=0,
        comparisons=1,
        unique_bytes=ELEMENT_BYTES * sizes["C"] * taps,
        dependent=(1,),
    )
    return _LoopExtents(parts.parallel, parts.reduction, (*parts.inputs, kernel))


def _pooling(sizes: Mapping[str, int], tiles: PublishedTiles, bank: int) -> _LoopExtents:
    return _windows(sizes, tiles, (sizes["N"] * sizes["C"],))


def _relu(sizes: Mapping[str, int], tiles: PublishedTiles, bank: int) -> _LoopExtents:
    return _LoopExtents((sizes["M"],), (), ())


def _reduction(sizes: Mapping[str, int], tiles: PublishedTiles, bank: int) -> _LoopExtents:
    m, k = sizes["M"], sizes["K"]
    return _LoopExtents((m,), (k,), (_rows("A", tiles.block[0], tiles.step[0], m, k, (0,), bank, 1),))


_PARTS: Mapping[str, Callable[[Mapping[str, int], PublishedTiles, int], _LoopExtents]] = {
    "matmul": _matmul,
    "conv2d": _convolution,
    "depthwise_conv2d": _depthwise,
    "avg_pool2d": _pooling,
    "relu": _relu,
    "reduce_sum": _reduction,
}
