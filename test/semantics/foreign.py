# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as importers write them: compiled, run in the simulator, compared with what numpy says by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import roller_mlir
from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.support.bindings import make_context

from .agreement import SIMULATED

Array = np.ndarray[Any, Any]


def assert_gives(text: str, inputs: Sequence[Any], expected: Sequence[Any], device: str = "h200") -> None:
    """Fail unless both the kernels and the numpy reference give what is expected, to the bit.

    Args:
        text: MLIR of a module.
        inputs: One array per argument.
        expected: One array per result.
        device: What to compile for.
    """
    assert_same(roller_mlir.compile(text, target=device, options=SIMULATED).run(*inputs), expected)
    with make_context() as context:
        module = parse_source(Source("-", text), context)
        arrays = [np.asarray(one) for one in inputs]
        assert_same(evaluate_function(module, isolate_entry(module, None), arrays).outputs, expected)


def assert_same(outputs: Sequence[Array], expected: Sequence[Any]) -> None:
    """Fail unless arrays have equal types, shapes and elements."""
    assert len(outputs) == len(expected)
    for got, want in zip(outputs, expected, strict=True):
        np.testing.assert_array_equal(got, np.asarray(want))
        assert got.dtype == np.asarray(want).dtype
