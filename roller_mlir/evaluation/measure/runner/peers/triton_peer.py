# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers written in Triton: matrix products (f32 as f32, 16-bit factors, i8), softmax, layer norm and sums.

Convolutions and pooling are not written. Each kernel is compiled in a few configurations, of which the fastest on the
item's own inputs is taken, before anything is timed; outputs are allocated then, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import prod
from time import monotonic
from typing import Any

from roller_mlir.evaluation.measure.records import Item
from roller_mlir.evaluation.measure.runner.expected.element_arrays import element_type_of, torch_type
from roller_mlir.evaluation.measure.runner.expected.examples import LAYER_NORM_EPSILON
from roller_mlir.evaluation.measure.runner.peers.peer import Peer, PeerError, limited, one_line
from roller_mlir.plan.accuracy.accumulation import SUMS

BAND = 8
_TILES = {
    "f32": ((128, 128, 16, 8, 3), (128, 128, 32, 8, 2), (128, 64, 32, 4, 3), (64, 128, 32, 4, 3), (64, 64, 32, 4, 3),
            (32, 64, 32, 4, 3)),
    "f16": ((128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 64, 8, 4), (128, 64, 64, 4, 4),
            (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (32, 64, 128, 4, 3)),
    "i8": ((128, 128, 128, 4, 3), (128, 128, 64, 8, 4), (64, 64, 128, 4, 4)),
}  # fmt: skip
"""Rows, columns and depth of a tile, warps, and stages, by the type of the factors."""
_ROW_WARPS = (1, 2, 4, 8, 16)
_SUMS = ((1, 1024, 4), (1, 4096, 8), (4, 256, 4), (8, 128, 4), (32, 128, 4), (16, 64, 4), (64, 64, 4), (32, 32, 4))
"""Rows (or depth) and elements of a tile, and warps, of a sum."""
LONGEST_ROW = 1 << 15
"""Elements of a row that a task of softmax and layer norm holds in registers."""
TUNING_S, TUNING_LIMIT_S = 40.0, 90.0
"""Seconds after which no further configuration is begun, and after which the one at hand is given up."""
_TRIALS, _TRIAL_S = 5, 0.2


@dataclass(frozen=True)
class _Variant:
    """A configuration of a kernel: how it is called, and in words."""

    launch: Callable[[], Any]
    words: str


def build(torch: Any, item: Item, inputs: Sequence[Any]) -> Peer | None:
    """Return an item in Triton, None where no kernel of it is written.

    Args:
        torch: The library.
        item: The item.
        inputs: Tensors.

    Raises:
        PeerError: Triton is not there, or no configuration runs.
    """
    writer = _writer(item, inputs)
    if writer is None:
        return None
    try:
        kernels: Any = import_module("roller_mlir.evaluation.measure.runner.peers.triton_kernels")
    except ImportError as error:
        raise PeerError(f"cannot be imported: {error}", library=True) from None
    interpreted = type(kernels.matmul).__name__ == "InterpretedFunction"  # with TRITON_INTERPRET=1, in tests
    if not inputs[0].is_cuda and not interpreted:
        raise PeerError("runs on a GPU only", library=True)
    output, variants = writer(torch, kernels, item, inputs)
    with limited(TUNING_LIMIT_S, "its tuning"):
        best = variants[0] if interpreted else _fastest(torch, variants)
        best.launch()

    def call() -> Any:
        best.launch()
        return output

    return Peer(call, best.words)


def _fastest(torch: Any, variants: Sequence[_Variant]) -> _Variant:
    """Return the fastest configuration; one that cannot be compiled or started is left out."""
    best, best_s, reasons = None, float("inf"), list[str]()
    begun = monotonic()
    for variant in variants:
        if best is not None and monotonic() - begun > TUNING_S:
            break
        try:
            variant.launch()
            torch.cuda.synchronize()
            taken_s = _seconds(torch, variant, best_s)
        except Exception as error:  # noqa: BLE001 - whatever Triton's compiler and driver raise is the peer's trouble
            reasons.append(f"{variant.words}: {one_line(error)}")
            continue
        if taken_s < best_s:
            best, best_s = variant, taken_s
    if best is None:
        raise PeerError(f"no configuration runs: {reasons[0]}")
    return best


def _seconds(torch: Any, variant: _Variant, best_s: float) -> float:
    """Return the least time of a few runs; of one only where that is far behind the best."""
    found, spent_s = float("inf"), 0.0
    for _ in range(_TRIALS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        variant.launch()
        end.record()
        end.synchronize()
        taken_s = begin.elapsed_time(end) / 1e3
        found, spent_s = min(found, taken_s), spent_s + taken_s
        if spent_s > _TRIAL_S or found > 2 * best_s:
            break
    return found


_Writer = Callable[[Any, Any, Item, Sequence[Any]], tuple[Any, list[_Variant]]]


def _writer(item: Item, inputs: Sequence[Any]) -> _Writer | None:
    reference = item.reference
    name = reference.name if reference.kind == "example" else reference.kind
    if element_type_of(inputs[0]) not in ("f32", "f16", "bf16", "i8"):
        return None
    return _WRITERS.get(name)


def _matmul(torch: Any, kernels: Any, item: Item, inputs: Sequence[Any]) -> tuple[Any, list[_Variant]]:
    a, b, *rest = inputs
    bias = rest[0] if rest else a
    kind = element_type_of(a)
    example = item.reference.kind == "example"
    ending = {"matmul_bias_gelu": kernels.GELU, "matmul_f16": kernels.RELU, "dense": kernels.RELU}.get(
        item.reference.name, kernels.NOTHING
    )
    result = kind if example else SUMS[kind]
    (rows, depth), columns = a.shape, b.shape[1]
    c = torch.empty((rows, columns), dtype=torch_type(torch, result), device=a.device)

    def variant(bm: int, bn: int, bk: int, warps: int, stages: int) -> _Variant:
        grid = (-(-rows // bm) * -(-columns // bn),)

        def launch() -> None:
            kernels.matmul[grid](
                a, b, c, bias, rows, columns, depth, BM=bm, BN=bn, BK=bk, BAND=BAND, WHOLE=depth % bk == 0,
                ENDING=ending, INTEGER=kind == "i8", num_warps=warps, num_stages=stages,
            )  # fmt: skip

        return _Variant(launch, f"tile {bm}x{bn}x{bk}, {warps} warps, {stages} stages")

    return c, [variant(*tile) for tile in _TILES["f16" if kind == "bf16" else kind]]


def _rows(torch: Any, kernels: Any, item: Item, inputs: Sequence[Any]) -> tuple[Any, list[_Variant]]:
    x = inputs[0]
    rows, width = x.shape
    if width > LONGEST_ROW:
        raise PeerError(f"holds rows of up to {LONGEST_ROW} elements, but these have {width}")
    y = torch.empty_like(x)
    block = _power_of_two(width)
    norm = item.reference.name == "layer_norm"

    def variant(warps: int) -> _Variant:
        def launch() -> None:
            if norm:
                kernels.layer_norm[(rows,)](*inputs, y, width, LAYER_NORM_EPSILON, BLOCK=block, num_warps=warps)
            else:
                kernels.softmax[(rows,)](x, y, width, BLOCK=block, num_warps=warps)

        return _Variant(launch, f"a row, {warps} warps")

    return y, [variant(warps) for warps in _ROW_WARPS]


def _reduce_sum(torch: Any, kernels: Any, item: Item, inputs: Sequence[Any]) -> tuple[Any, list[_Variant]]:
    x, axes, shape = inputs[0], item.reference.axes, item.reference.shape
    if not axes or list(axes) != list(range(axes[0], axes[-1] + 1)):
        raise PeerError("sums over neighbouring dimensions only")
    kind = element_type_of(x)
    outer, width = prod(shape[: axes[0]]), prod(shape[axes[-1] + 1 :])
    depth = prod(shape) // (outer * width)
    kept = [extent for axis, extent in enumerate(shape) if axis not in axes]
    y = torch.empty(kept, dtype=torch_type(torch, SUMS[kind]), device=x.device)

    def variant(deep: int, block: int, warps: int) -> _Variant:
        def launch() -> None:
            if width == 1:
                kernels.row_sum[(-(-outer // deep),)](
                    x, y, outer, depth, ROWS=deep, BLOCK=block, INTEGER=kind == "i8", num_warps=warps
                )
            else:
                kernels.middle_sum[(outer, -(-width // block))](
                    x, y, depth, width, DEEP=deep, BLOCK=block, INTEGER=kind == "i8", num_warps=warps
                )

        return _Variant(launch, f"tile {deep}x{block}, {warps} warps")

    return y, [variant(*tile) for tile in _SUMS]


_WRITERS: dict[str, _Writer] = {
    **dict.fromkeys(("matmul", "matmul_bias_gelu", "matmul_f16", "dense"), _matmul),
    **dict.fromkeys(("softmax", "layer_norm"), _rows),
    "reduce_sum": _reduce_sum,
}


def _power_of_two(least: int) -> int:
    return 1 << max(0, least - 1).bit_length()
