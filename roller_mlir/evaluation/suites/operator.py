# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One operator of a suite: its sizes, and what others have published of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class PublishedTiles:
    """A tile that others found best on a device, in their own loops.

    The loops are those of ROLLER's artifact: (M, N)/(K) for a matmul; (F, N*OH*OW)/(C*KH*KW) for a convolution;
    (N, C, OH, OW)/(KH, KW) for a depthwise one; (N*C, OH, OW)/(KH, KW) for pooling; (elements)/() for element-wise
    operators; (kept)/(reduced) for a reduction, each product one loop.

    Attributes:
        block: Points per parallel loop in one thread block.
        step: Points per reduction loop in one step; empty without reduction loops.
        thread: Points per parallel loop in one thread.
    """

    block: tuple[int, ...]
    step: tuple[int, ...]
    thread: tuple[int, ...]

    def __str__(self) -> str:
        """Spell the tile as a table does.

        >>> str(PublishedTiles((128, 64), (16,), (8, 4))), str(PublishedTiles((256,), (), (2,)))
        ('128x64/16 8x4', '256 2')
        """
        block, step, thread = ("x".join(map(str, sizes)) for sizes in (self.block, self.step, self.thread))
        return f"{block}/{step} {thread}" if step else f"{block} {thread}"


def _none() -> Mapping[str, int]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Operator:
    """An operator of a suite.

    Attributes:
        id: Its name, unique in the suite.
        kind: Its class, one of `roller_mlir.evaluation.suites.kinds.KINDS`.
        dtype: Element type of its inputs, one of `roller_mlir.evaluation.suites.element_types.DTYPES`.
        sizes: By column. matmul: M, N, K. conv2d, depthwise_conv2d, avg_pool2d: N, C, H, W (input), F (filters; not of
            pooling, equal to C of depthwise), KH, KW, stride, dilation, pad_h, pad_w (totals of both sides), OH, OW.
            relu: M, the number of elements. reduce_sum: M elements kept, K reduced. generic: the extent of each loop.
        tiles: Published best tiles by device.
        times: Published times in seconds, by device and system: "v100_roller_top10".
        duplicate_of: The id of the operator with the same kernel in the published measurements, None of a first one.
        shape: Extents of the input, for the classes that take any shape: relu, reduce_sum.
        axes: Dimensions of `shape` that are reduced.
        indices: Of the class "generic", see `roller_mlir.plan.indices`; "" of others.
        combiner: Of the class "generic": "sum", "max" or "min"; "" of others and for a sum.
        group: What the table groups operators by (a model, a benchmark), "" without.
        file: Path of the operator's own MLIR text, of the class "file"; "" of others.
        place: Where its row stands: (file, line).
    """

    id: str
    kind: str
    dtype: str
    sizes: Mapping[str, int] = field(default_factory=_none)
    tiles: Mapping[str, PublishedTiles] = field(default_factory=lambda: MappingProxyType({}))
    times: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    duplicate_of: str | None = None
    shape: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()
    indices: str = ""
    combiner: str = ""
    group: str = ""
    file: str = ""
    place: tuple[str, int] = ("", 0)
