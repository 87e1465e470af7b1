# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers of numpy, for dry runs on a machine without torch: they exercise the report and say nothing of any device."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.records import Item
from roller_mlir.evaluation.measure.runner.expected.element_arrays import element_type_of
from roller_mlir.evaluation.measure.runner.expected.examples import LAYER_NORM_EPSILON
from roller_mlir.evaluation.measure.runner.peers.peer import Peer
from roller_mlir.plan.accuracy.accumulation import SUMS
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES


def build(item: Item, inputs: list[Any]) -> Peer | None:
    """Return an item in numpy, None where that is not written or numpy has not the type (bf16)."""
    reference = item.reference
    name = reference.name if reference.kind == "example" else reference.kind
    function = _FUNCTIONS.get(name)
    if function is None or any(not isinstance(one, np.ndarray) or element_type_of(one) == "bf16" for one in inputs):
        return None
    return Peer(lambda: function(item, *inputs))


def _matmul(item: Item, a: Any, b: Any) -> Any:
    wide = NUMPY_TYPES[SUMS[element_type_of(a)]]
    return a.astype(wide) @ b.astype(wide)


def _relu(item: Item, x: Any) -> Any:
    return np.maximum(x, x.dtype.type(0))


def _reduce_sum(item: Item, x: Any) -> Any:
    return np.sum(x, axis=item.reference.axes, dtype=NUMPY_TYPES[SUMS[element_type_of(x)]])


def _softmax(item: Item, x: Any) -> Any:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _layer_norm(item: Item, x: Any, gamma: Any, beta: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + np.float32(LAYER_NORM_EPSILON)) * gamma + beta


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "matmul": _matmul,
    "relu": _relu,
    "reduce_sum": _reduce_sum,
    "softmax": _softmax,
    "layer_norm": _layer_norm,
}
