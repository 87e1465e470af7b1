# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A baseline that knows no tile: bytes and flops over a device's rates, times one constant per class.

The constants are fitted to the very times that it is judged by. How bytes and flops are joined, which rates and which
fit are not given by the idea, so all variants are computed; the artifact's rates are those of its arch/*.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.stages.figures import Values
from roller_mlir.hal import Device

JOINS: dict[str, Callable[[Values, Values], Values]] = {"max": np.maximum, "sum": np.add}
FITS: dict[str, Callable[[Values], float]] = {
    "median": lambda values: float(np.median(values)),
    "mean": lambda values: float(np.mean(values)),
}


@dataclass(frozen=True)
class Rates:
    """Rates to divide bytes and flops by, per second.

    Attributes:
        name: What they are.
        bytes_per_s: Of global memory.
        flops_per_s: Peak.
    """

    name: str
    bytes_per_s: float
    flops_per_s: float


ARTIFACT = {"k80": Rates("artifact's", 191e9, 4113e9), "mi50": Rates("artifact's", 900e9, 12000e9)}
"""github.com/microsoft/nnfusion, branch osdi22_artifact, artifacts/roller/arch."""


def device_rates(device: Device) -> dict[str, Rates]:
    """Return the rates of a device's description: sustained and peak bandwidth."""
    layer = device.layer("global")
    flops = device.instruction("fma").flops_per_cycle_per_unit * device.units * device.clock_hz
    peak = layer.bandwidth_bytes_per_s or np.inf
    sustained = layer.sustained_bandwidth_bytes_per_s or peak
    return {"sustained": Rates("sustained", sustained, flops), "peak": Rates("peak", peak, flops)}


def whole_tensors(operator: Operator) -> tuple[float, float]:
    """Return bytes of all tensors, f32, and flops: what is known without a tile."""
    s = operator.sizes
    if operator.kind == "matmul":
        return 4 * (s["M"] * s["K"] + s["K"] * s["N"] + s["M"] * s["N"]), 2 * s["M"] * s["N"] * s["K"]
    if operator.kind == "relu":
        return 8 * s["M"], s["M"]
    if operator.kind == "reduce_sum":
        return 4 * (s["M"] * s["K"] + s["M"]), s["M"] * s["K"]
    window, images = s["KH"] * s["KW"], s["N"] * s["C"]
    read, written = images * s["H"] * s["W"], s["OH"] * s["OW"]
    if operator.kind == "conv2d":
        filters = s["F"] * s["C"] * window
        return 4 * (read + filters + s["N"] * s["F"] * written), 2 * s["N"] * written * filters
    weights = s["C"] * window if operator.kind == "depthwise_conv2d" else 0
    return 4 * (read + weights + images * written), (2 if weights else 1) * images * written * window


def baseline(operators: Sequence[Operator], measured: Values, rates: Rates, join: str, fit: str) -> Values:
    """Return bytes and flops over the rates, joined, times the constant per class that fits the times.

    Args:
        operators: Of a suite.
        measured: Their times in seconds.
        rates: What to divide by.
        join: A key of JOINS.
        fit: A key of FITS, by which a class's constant is the mean of log2 over it.
    """
    amounts = np.array([whole_tensors(one) for one in operators], dtype=np.float64)
    times = JOINS[join](amounts[:, 0] / rates.bytes_per_s, amounts[:, 1] / rates.flops_per_s)
    kinds = np.array([one.kind for one in operators])
    for kind in set(kinds.tolist()):
        same = kinds == kind
        times[same] *= 2 ** FITS[fit](np.log2(measured[same] / times[same]))
    return times
