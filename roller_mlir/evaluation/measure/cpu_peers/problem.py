# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the peers compute: a product, a convolution or a pooling in f32, perhaps with an epilogue (bias, bn, relu).

Tensors have the layouts of the suites' functions: MxK and KxN, or NCHW, FCHW (CHW of depthwise weights) and NFHW.
Expected results are numpy's in f64, by a way that no library of sums of windows shares: a product for each point of the
window. Inputs are in [-1, 1), so that the bound of an element follows from its number of terms alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.evaluation.measure.runner.expected.loop_nests import ReferenceNest, nest_of
from roller_mlir.evaluation.measure.runner.expected.tolerance import ExpectedOutputs
from roller_mlir.plan.accuracy.rounding import Rounding, Terms, half_spacing, sum_error

KINDS = ("matmul", "conv2d", "depthwise_conv2d", "avg_pool2d")
EPILOGUES = ("", "bias", "relu", "bias relu", "bn relu")
_SEED = 0
_PART = 1 << 14


@dataclass(frozen=True, kw_only=True)
class HostProblem:
    """One function for the libraries of the host.

    Attributes:
        id: Unique in a run ("G0").
        title: What a reader knows it by.
        reference: What it computes: one of `KINDS` in f32.
        epilogue: What follows: one of `EPILOGUES`; a bias is per column of a product, per filter of a convolution, and
            so is what a batch normalisation ("bn") has become for inference: a factor and a summand.
    """

    id: str
    title: str = ""
    reference: Reference
    epilogue: str = ""

    def __post_init__(self) -> None:
        """Check that the peers' words reach that far."""
        if self.reference.kind not in KINDS or self.reference.dtype != "f32":
            raise ValueError(
                f"peers of the host compute {', '.join(KINDS)} of f32, but '{self.id}' is "
                f"{self.reference.kind or 'a file of its own'} of {self.reference.dtype or 'no type'}"
            )
        if self.epilogue not in EPILOGUES:
            raise ValueError(f"epilogue must be one of {EPILOGUES}, but got {self.epilogue!r}")

    @property
    def sizes(self) -> dict[str, int]:
        """Extents by name, as `evaluation.suites.operator.Operator` has them."""
        return self.reference.sizes

    @property
    def nest(self) -> ReferenceNest:
        """Its loop nest, without the epilogue."""
        found = nest_of(self.reference)
        assert found is not None, "each of KINDS has one"
        return found

    @property
    def has_bias(self) -> bool:
        """Whether its last input is a bias."""
        return "bias" in self.epilogue

    @property
    def has_norm(self) -> bool:
        """Whether its last two inputs are the factor and the summand of a batch normalisation."""
        return "bn" in self.epilogue

    @property
    def has_relu(self) -> bool:
        """Whether negative results become zero."""
        return "relu" in self.epilogue

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of each input, those of the epilogue last."""
        return (*self.nest.shapes(), *[(self.output_shape[1],)] * (self.has_bias + 2 * self.has_norm))

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the result."""
        nest = self.nest
        return tuple(nest.extents[loop] for loop in nest.indices.parallel)

    @property
    def bytes(self) -> int:
        """Bytes of its inputs and its output."""
        return 4 * sum(map(prod, (*self.shapes, self.output_shape)))

    @property
    def flops(self) -> int:
        """Multiplications and additions, those with padding too; of a pooling additions. Epilogues do not count."""
        return prod(self.nest.extents.values()) * (1 if self.reference.kind == "avg_pool2d" else 2)

    @property
    def inside(self) -> float:
        """Share of the taps of its windows that lie on the input; the rest is padding, which may be skipped."""
        if self.reference.kind == "matmul":
            return 1.0
        s, pads = self.sizes, self.nest.pads
        share = 1.0
        for number, axis in enumerate("HW", start=2):
            first = np.arange(s[f"O{axis}"])[:, None] * s["stride"] - pads[number][0]
            place = first + np.arange(s[f"K{axis}"]) * s["dilation"]
            share *= float(((place >= 0) & (place < s[axis])).mean())
        return share


def with_minibatch(problem: HostProblem, count: int) -> HostProblem:
    """Return a convolution or pooling of another number of images; a product as it is."""
    if "N" not in problem.sizes or problem.reference.kind == "matmul":
        return problem
    return replace(problem, reference=replace(problem.reference, sizes={**problem.sizes, "N": count}))


def inputs_of(problem: HostProblem) -> list[np.ndarray[Any, Any]]:
    """Return random inputs, the same for every peer: uniform in [-1, 1)."""
    made: list[np.ndarray[Any, Any]] = []
    for number, shape in enumerate(problem.shapes):
        generator = np.random.default_rng([_SEED, number])
        made.append(generator.random(shape, dtype=np.float32) * 2 - 1)
    return made


def expected_of(problem: HostProblem, inputs: Sequence[np.ndarray[Any, Any]]) -> ExpectedOutputs:
    """Return what the output must be, and how far each element may be off."""
    total = _matmul(*inputs[:2]) if problem.reference.kind == "matmul" else _windows(problem, inputs)
    along = (1, -1) + (1,) * (total.ndim - 2)
    if problem.has_norm:
        total *= inputs[-2].astype(np.float64).reshape(along)
    if problem.has_bias or problem.has_norm:
        total += inputs[-1].astype(np.float64).reshape(along)
    count = problem.nest.points + problem.has_bias + 2 * problem.has_norm
    # No factor exceeds 1, so that neither the terms nor their squares sum to more than their number.
    size = problem.nest.scale * count + 0 * total
    terms = Terms(count=count, total=total, magnitude=size, squares=size, extreme=np.sqrt(size))
    error = sum_error(np, terms, Rounding(accumulator="f32"))
    bound = error + 3 * half_spacing(np, abs(total) + error, "f32")
    if problem.has_relu:
        np.maximum(total, 0, out=total)
    return ExpectedOutputs(against="numpy f64", outputs=(total,), bounds=(bound,), element_types=("f32",))


def _matmul(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return a product, a part of the reduction at a time: copies of whole factors in f64 may be gigabytes."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for start in range(0, a.shape[1], _PART):
        part = slice(start, start + _PART)
        total += a[:, part].astype(np.float64) @ b[part].astype(np.float64)
    return total


def _windows(problem: HostProblem, inputs: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """Return sums over windows, one point of the window at a time."""
    s, nest = problem.sizes, problem.nest
    pads = [(max(0, low), max(0, high)) for low, high in nest.pads]  # what no window reaches stays unread
    x = np.pad(inputs[0], pads).astype(np.float64)
    step, gap, height, width = s["stride"], s["dilation"], s["OH"], s["OW"]
    total = np.zeros(problem.output_shape)
    for r in range(s["KH"]):
        for q in range(s["KW"]):
            rows = slice(r * gap, r * gap + (height - 1) * step + 1, step)
            columns = slice(q * gap, q * gap + (width - 1) * step + 1, step)
            part = x[:, :, rows, columns]
            if problem.reference.kind == "conv2d":
                flat = np.ascontiguousarray(part).reshape(s["N"], s["C"], height * width)
                weights = inputs[1][:, :, r, q].astype(np.float64)
                total += np.matmul(weights, flat).reshape(total.shape)
            elif problem.reference.kind == "depthwise_conv2d":
                total += part * inputs[1][None, :, r, q, None, None].astype(np.float64)
            else:
                total += part
    return total * nest.scale if nest.scale != 1.0 else total
