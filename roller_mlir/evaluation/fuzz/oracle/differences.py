# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where IREE's llvm-cpu differs from the reference and the reference is right, or both are: each with its reason."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from roller_mlir.evaluation.reference import Evaluation
from roller_mlir.evaluation.reference.values import Array, from_caller, is_float

# The least normal numbers of the types in which an x86 processor computes; bf16 is computed in f32.
_LEAST_NORMAL = {"f64": 2.0**-1022, "f32": 2.0**-126, "bf16": 2.0**-126}


_EXTREME_POOLING = re.compile(r"= linalg\.pooling_\w+_(?:max|min)(?:_unsigned)? .*outs\((%\w+)")


def _pools_on_top_of_something(text: str, outputs: Sequence[Array], expected: Evaluation) -> bool:
    """Return whether a named pooling by maximum or minimum starts from something else than a constant.

    IREE detaches such starts from every named op and adds them afterwards, which is right for sums only.
    """
    starts = _EXTREME_POOLING.findall(text)
    return any(f"{start} = linalg.fill" not in text for start in starts)


def _denormals_are_zeros(text: str, outputs: Sequence[Array], expected: Evaluation) -> bool:
    """Return whether results differ only where the reference has a denormal number and IREE has 0."""
    for got, want, kind in zip(outputs, expected.outputs, expected.element_types, strict=True):
        left, right = from_caller(got, kind), from_caller(want, kind)
        differs = ~((left == right) | (np.isnan(left) & np.isnan(right))) if is_float(kind) else left != right
        least = _LEAST_NORMAL.get(kind, 0.0)
        if not np.all(~differs | ((left == 0) & (np.abs(right) < least))):
            return False
    return True


KNOWN: dict[str, Callable[[str, Sequence[Array], Evaluation], bool]] = {
    "IREE's runtime has the processor flush denormal numbers to zero": _denormals_are_zeros,
    "IREE adds what a named pooling by maximum or minimum starts from, as if it summed": _pools_on_top_of_something,
}


def known_difference(text: str, outputs: Sequence[Array], expected: Evaluation) -> str | None:
    """Return the reason of a difference, None of one that is not known.

    Args:
        text: The program.
        outputs: IREE's results.
        expected: The reference's.
    """
    return next((reason for reason, applies in KNOWN.items() if applies(text, outputs, expected)), None)
