# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A numpy reference computed from the linalg bodies themselves, and the comparison with what a kernel gave.

It shares no code with the compiler's planning and code generation, so that one mistake cannot sit on both sides.
"""

from roller_mlir.evaluation.reference.compare import Comparison, compare, compare_all, random_inputs
from roller_mlir.evaluation.reference.function import Evaluation, evaluate_function

__all__ = ["Comparison", "Evaluation", "compare", "compare_all", "evaluate_function", "random_inputs"]
