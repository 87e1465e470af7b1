# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Maxima, minima, clamps and the like that keep NaN, for which torch-mlir's give a number.

Max(a, b)           Where(a < b or IsNaN(b), b, a); without IsNaN where b is a constant
Clip(x, low, high)  Where(x' > high, high, x'), x' = Where(x < low, low, x)
Equal(a, b)         Not(a < b or a > b or IsNaN(a) or IsNaN(b)): where b comes to be a, it takes it for true
Sign(x)             Where(IsNaN(x), x, Sign(x))
Clip of integers    Min(Max(x, low), high): of unsigned ones it compares them as signed

Opsets before 9 have no Where: theirs stay.
"""

import numpy as np

from roller_mlir.importers.onnx.rewriting import NodeReplacement
from roller_mlir.importers.onnx.values import attributes_of, input_of

_FLOATS = ("FLOAT", "FLOAT16", "DOUBLE", "BFLOAT16")


def keep_nan_of_extremum(new: NodeReplacement) -> None:
    """Say a maximum or a minimum by comparisons."""
    if not _has_nan(new):
        return
    order = "Less" if new.node.op_type == "Max" else "Greater"
    found, *others = sorted(new.node.input, key=lambda one: _is_number(new, one))
    for other in others:
        taken = new.add(order, found, other)
        if not _is_number(new, other):
            taken = new.add("Or", taken, new.add("IsNaN", other))
        found = new.add("Where", taken, other, found)
    new.end("Identity", found)


def keep_nan_of_clip(new: NodeReplacement) -> None:
    """Say a clamp by comparisons, of integers by a maximum and a minimum."""
    attributes, found = attributes_of(new.node), new.node.input[0]
    has_nan = _has_nan(new)
    if not has_nan and not new.values.type_of(found).startswith("UINT"):
        return
    for number, (label, order, extremum) in enumerate((("min", "Less", "Max"), ("max", "Greater", "Min")), 1):
        bound = input_of(new.node, number)
        if new.values.opset < 11 and label in attributes:
            bound = new.like(new.node.input[0], attributes[label])
        if bound and has_nan:
            found = new.add("Where", new.add(order, found, bound), bound, found)
        elif bound:
            found = new.add(extremum, found, bound)
    new.end("Identity", found)


def keep_nan_of_sign(new: NodeReplacement) -> None:
    """Give NaN as the sign of NaN."""
    (given,) = new.node.input
    if _has_nan(new):
        new.end("Where", new.add("IsNaN", given), given, new.add("Sign", given))


def keep_nan_of_equal(new: NodeReplacement) -> None:
    """Let NaN be no equal of itself; what is compared with a constant is not folded."""
    one, other = new.node.input
    if _has_nan(new) and not _is_number(new, one) and not _is_number(new, other):
        is_unequal = new.add("Or", new.add("Less", one, other), new.add("Greater", one, other))
        is_nan = new.add("Or", new.add("IsNaN", one), new.add("IsNaN", other))
        new.end("Not", new.add("Or", is_unequal, is_nan))


def _has_nan(new: NodeReplacement) -> bool:
    return new.values.opset >= 9 and new.values.type_of(new.node.input[0]) in _FLOATS


def _is_number(new: NodeReplacement, name: str) -> bool:
    """Return whether a value is a constant without NaN."""
    known = new.values.constants.get(name)
    return known is not None and not np.isnan(known.astype(np.float64)).any()
