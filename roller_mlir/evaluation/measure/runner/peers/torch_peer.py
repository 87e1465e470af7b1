# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers of torch: eager (cuBLAS and cuDNN, or what AMD has in their place) and `torch.compile` in its default mode.

Products of f32 are f32 (tf32 off), sums of 16-bit products f32; cuDNN chooses its algorithm by measuring, before
anything is timed. Outputs are given to operators that take them; what allocates its result says so: the allocator keeps
the memory, so that only the host's time grows. The mode "max-autotune" would compile for minutes per item.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.evaluation.measure.records import Item
from roller_mlir.evaluation.measure.runner.expected.element_arrays import element_type_of, is_float, torch_type
from roller_mlir.evaluation.measure.runner.expected.examples import example_of
from roller_mlir.evaluation.measure.runner.expected.loop_nests import nest_of, views_of
from roller_mlir.evaluation.measure.runner.expected.references import without_tf32
from roller_mlir.evaluation.measure.runner.peers.peer import Peer, PeerError, limited, one_line
from roller_mlir.plan.accuracy.accumulation import SUMS

COMPILE_LIMIT_S = 90.0
_WARM_UP = 3
_ALLOCATES = "allocates its result"


@dataclass(frozen=True)
class _Way:
    """One way to compute an item with torch.

    Attributes:
        function: From the inputs to the output.
        into: From the output's memory and the inputs; None where the operator takes none.
        note: What differs from the item.
    """

    function: Callable[..., Any]
    into: Callable[..., Any] | None = None
    note: str = ""


def eager(torch: Any, item: Item, inputs: Sequence[Any]) -> Peer:
    """Return an item as torch computes it, operator by operator.

    Raises:
        PeerError: It cannot.
    """
    _prepare(torch)

    def build(way: _Way) -> Peer:
        output, into = way.function(*inputs), way.into
        if into is None:
            return Peer(lambda: way.function(*inputs), _notes(way.note, _ALLOCATES))
        into(output, *inputs)

        def call() -> Any:
            into(output, *inputs)
            return output

        return Peer(call, way.note)

    return _first(torch, item, inputs, build)


def compiled(torch: Any, item: Item, inputs: Sequence[Any], limit_s: float = COMPILE_LIMIT_S) -> Peer:
    """Return an item compiled by `torch.compile`.

    Args:
        torch: The library.
        item: The item.
        inputs: Tensors.
        limit_s: Seconds that the compilation may take.

    Raises:
        PeerError: It cannot, or takes too long.
    """
    _prepare(torch)

    def build(way: _Way) -> Peer:
        # What was compiled for other shapes counts against a limit.
        torch._dynamo.reset()  # noqa: SLF001 - torch has no other way
        function = torch.compile(way.function, fullgraph=True, dynamic=False)
        with limited(limit_s, "its compilation"):
            function(*inputs)
        return Peer(lambda: function(*inputs), _notes(way.note, _ALLOCATES))

    return _first(torch, item, inputs, build)


def _prepare(torch: Any) -> None:
    without_tf32(torch)
    torch.backends.cudnn.benchmark = True


def _first(torch: Any, item: Item, inputs: Sequence[Any], build: Callable[[_Way], Peer]) -> Peer:
    """Return the first way that works, warmed up."""
    reasons: list[str] = []
    for way in _ways(torch, item, inputs):
        try:
            # Not under no_grad, as later calls are not: what torch.compile makes holds for one of the two only.
            peer = build(way)
            for _ in range(_WARM_UP):
                peer()
            if inputs[0].is_cuda:
                torch.cuda.synchronize()
        except PeerError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever torch raises is the peer's trouble, and never ours
            reasons.append(one_line(error))
            continue
        return peer
    raise PeerError(reasons[0] if reasons else f"has no such operator: {item.reference.kind}")


def _notes(*notes: str) -> str:
    return ", ".join(note for note in notes if note)


def _ways(torch: Any, item: Item, inputs: Sequence[Any]) -> list[_Way]:
    """Return the ways to compute an item, the best first."""
    reference = item.reference
    if reference.kind == "example":
        example = example_of(reference.name)
        if example is None:
            raise PeerError(f"example '{reference.name}' is not written for torch")
        return [_Way(lambda *given: example.function(torch, given, reference.sizes))]
    kind = element_type_of(inputs[0])
    write = _WRITERS.get(reference.kind)
    return write(torch, item, inputs, kind) if write is not None else []


def _matmul(torch: Any, item: Item, inputs: Sequence[Any], kind: str) -> list[_Way]:
    result = torch_type(torch, SUMS[kind])

    def narrow(a: Any, b: Any) -> Any:
        return torch.mm(a, b)

    def narrow_into(c: Any, a: Any, b: Any) -> Any:
        return torch.mm(a, b, out=c)

    def wide(a: Any, b: Any) -> Any:
        return torch.mm(a, b, out_dtype=result)

    def wide_into(c: Any, a: Any, b: Any) -> Any:
        return torch.mm(a, b, out_dtype=result, out=c)

    def integers_into(c: Any, a: Any, b: Any) -> Any:
        return torch._int_mm(a, b, out=c)  # noqa: SLF001 - torch's only product of i8

    if kind == "i8":
        return [_Way(torch._int_mm, integers_into)]  # noqa: SLF001 - as above
    if SUMS[kind] == kind:
        return [_Way(narrow, narrow_into)]
    return [_Way(wide, wide_into), _Way(wide), _Way(narrow, narrow_into, _narrow(kind))]


def _narrow(kind: str) -> str:
    """Return what to say of libraries that store sums of 16-bit factors in 16 bits, where ours stores f32."""
    return f"result in {kind}" if is_float(kind) and SUMS[kind] != kind else ""


def _padded(torch: Any, item: Item) -> tuple[Callable[[Any], Any], tuple[int, int], str]:
    """Return what pads an input beforehand, the padding left to the operator, and what to say of it."""
    totals = item.reference.sizes["pad_h"], item.reference.sizes["pad_w"]
    # Libraries pad both sides alike.
    widths = [side for total in reversed(totals) for side in (total // 2, total - total // 2)]
    alike = all(total % 2 == 0 for total in totals)

    def pad(x: Any) -> Any:
        return x if alike else torch.nn.functional.pad(x, widths)

    if alike:
        return pad, (totals[0] // 2, totals[1] // 2), ""
    return pad, (0, 0), "pads by an operator of its own"


def _convolution(torch: Any, item: Item, inputs: Sequence[Any], kind: str) -> list[_Way]:
    sizes = item.reference.sizes
    if not is_float(kind):
        raise PeerError(f"has no convolution of {kind} into {SUMS[kind]}")
    pad, padding, note = _padded(torch, item)
    groups = sizes["C"] if item.reference.kind == "depthwise_conv2d" else 1
    step, gap = sizes["stride"], sizes["dilation"]

    def function(x: Any, kernel: Any) -> Any:
        weight = kernel.unsqueeze(1) if groups != 1 or kernel.dim() == 3 else kernel
        return torch.nn.functional.conv2d(pad(x), weight, None, step, padding, gap, groups)

    return [_Way(function, note=_notes(_narrow(kind), note))]


def _avg_pool2d(torch: Any, item: Item, inputs: Sequence[Any], kind: str) -> list[_Way]:
    sizes = item.reference.sizes
    window = sizes["KH"], sizes["KW"]
    if sizes["dilation"] != 1 and window != (1, 1):
        raise PeerError("has no pooling with dilation")
    pad, padding, note = _padded(torch, item)
    step, points = sizes["stride"], sizes["KH"] * sizes["KW"]

    def function(x: Any) -> Any:
        return torch.nn.functional.avg_pool2d(pad(x), window, step, padding, divisor_override=points)

    return [_Way(function, note=_notes(_narrow(kind), note))]


def _relu(torch: Any, item: Item, inputs: Sequence[Any], kind: str) -> list[_Way]:
    def into(y: Any, x: Any) -> Any:
        return torch.clamp_min(x, 0, out=y)

    return [_Way(torch.relu, into)]


def _reduce_sum(torch: Any, item: Item, inputs: Sequence[Any], kind: str) -> list[_Way]:
    axes, wide = list(item.reference.axes), torch_type(torch, SUMS[kind])

    def function(x: Any) -> Any:
        return torch.sum(x, dim=axes, dtype=wide)

    def into(y: Any, x: Any) -> Any:
        return torch.sum(x, dim=axes, dtype=wide, out=y)

    return [_Way(function, into)]


def _generic(torch: Any, item: Item, inputs: Sequence[Any], kind: str) -> list[_Way]:
    """Return an einsum of strided views, or an extremum over one; windows cost torch a copy."""
    nest = nest_of(item.reference)
    assert nest is not None
    names = ["".join(dict.fromkeys(loop for one in tensor for loop in one.terms)) for tensor in nest.indices.inputs]
    if nest.combiner == "sum" or not nest.reduced:
        if kind == "i8" and not nest.selects:
            raise PeerError(f"has no einsum of {kind} into {SUMS[kind]}")
        equation = f"{','.join(names)}->{''.join(nest.indices.parallel)}"
        note = _notes(_narrow(kind) if len(names) > 1 else "", "einsum of strided views")
        return [_Way(lambda *given: torch.einsum(equation, *views_of(torch, nest, given)), note=note)]
    if len(names) > 1:
        raise PeerError(f"has no operator for the {nest.combiner} of products")
    axes = [names[0].index(loop) for loop in nest.reduced]
    order = [loop for loop in names[0] if loop not in nest.reduced]
    extreme = torch.amax if nest.combiner == "max" else torch.amin
    result = torch_type(torch, SUMS[kind])

    def function(x: Any) -> Any:
        found = extreme(views_of(torch, nest, [x])[0], axes)
        return found.permute([order.index(loop) for loop in nest.indices.parallel]).to(result)

    return [_Way(function)]


_WRITERS: dict[str, Callable[[Any, Item, Sequence[Any], str], list[_Way]]] = {
    "matmul": _matmul,
    "conv2d": _convolution,
    "depthwise_conv2d": _convolution,
    "avg_pool2d": _avg_pool2d,
    "relu": _relu,
    "reduce_sum": _reduce_sum,
    "generic": _generic,
}
