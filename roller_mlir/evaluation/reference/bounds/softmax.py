# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""linalg.softmax on values with bounds, as the linalg ops that it stands for."""

import numpy as np

from roller_mlir.evaluation.reference.bounds.body import compute
from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.bounds.sums import bounded_reduction
from roller_mlir.support.bindings import ir


def bounded_softmax(op: ir.Operation, source: Bounded, along: int, element_type: str) -> Bounded:
    """Return exp(x - max) / sum.

    Args:
        op: For errors.
        source: x.
        along: The dimension whose elements add up to 1.
        element_type: Of all steps.
    """
    shape = tuple(1 if axis == along else extent for axis, extent in enumerate(source.data.shape))
    least, zero = Bounded(np.full(shape, -np.inf)), Bounded(np.zeros(shape))
    top = bounded_reduction(op, "arith.maxnumf", source, (along,), least, element_type)
    shifted = compute("arith.subf", np.subtract, element_type, [source, top])
    powers = compute("math.exp", np.exp, element_type, [shifted])
    total = bounded_reduction(op, "arith.addf", powers, (along,), zero, element_type)
    return compute("arith.divf", np.divide, element_type, [powers, total])
