# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the kernels of an artifact round when they sum products, read from its plans.

Kernels of matrix instructions take products of f16 or bf16 as they are, sum them in f32 and round a result once, at the
end; those of f32 on NVIDIA round the factors to tf32. Other kernels do what the body says: a body of f16 rounds each
product, unless it is contracted, and each partial sum. A reduction that is divided over tasks rounds the result of each
part to the type of the result, and adds the parts in it.

Which kernel computes an operation follows from its size: one that executes fewer operations does not. Where several
may, the one that rounds most is taken; likewise where nothing is known of the kernels (`UNKNOWN`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roller_mlir.hal.atoms import atom_family
from roller_mlir.plan.accuracy.rounding import DIGITS, Rounding
from roller_mlir.plan.manifest import Manifest
from roller_mlir.plan.plan import Plan

_NARROW = ("f16", "bf16")
SUMS = {"f32": "f32", "f16": "f32", "bf16": "f32", "f64": "f64", "i8": "i32", "i32": "i32"}
"""Element type in which contractions and reductions of operators accumulate, which their results have."""


@dataclass(frozen=True, kw_only=True)
class Summing:
    """One kernel that reduces.

    Attributes:
        matrix: Whether by matrix instructions.
        tf32: Whether these round factors of f32.
        parts: In how many parts a task, or several, compute each result.
        flops: Arithmetic operations that it executes; None where its plan does not say.
    """

    matrix: bool
    tf32: bool = False
    parts: int = 1
    flops: int | None = None


@dataclass(frozen=True, kw_only=True)
class Accumulation:
    """How products are summed.

    Attributes:
        kernels: Those that reduce; None where nothing is known of them: a result from elsewhere. Then sums of f16 or
            bf16 may be in that type, in one part, and factors of f32 are taken as they are.
        truncates: Whether matrix instructions cut off digits, as those of devices do and the simulator's do not.
    """

    kernels: tuple[Summing, ...] | None = None
    truncates: bool = False

    def rounding(self, factors: Sequence[str], body: str, result: str, points: int) -> Rounding:
        """Return where a sum of products rounds.

        Args:
            factors: Element types of the factors.
            body: Type in which the body multiplies.
            result: Type of the accumulator, in which the body adds.
            points: Products in all sums of the operation together.

        Returns:
            The rounding of all kernels that may have computed it, the coarsest of each kind.
        """
        plain = Rounding(accumulator=result, product=_product(factors, body))
        if self.kernels is None:
            return plain
        able = [one for one in self.kernels if one.flops is None or one.flops >= 2 * points]
        able = able or list(self.kernels)
        matrix = [one for one in able if one.matrix and len(factors) == 2]
        others = [one for one in able if not one.matrix] or (able if len(factors) != 2 else [])
        parts = max((one.parts for one in able), default=1)
        narrow = result in _NARROW
        if others or not matrix:
            accumulator, product = result, plain.product
        else:
            accumulator = "f32" if narrow else result
            product = "" if narrow and set(factors) <= {*_NARROW} else plain.product
        return Rounding(
            accumulator=accumulator,
            product=product,
            factor="tf32" if any(one.tf32 for one in matrix) and set(factors) == {"f32"} else "",
            parts=parts if narrow and parts > 1 else 1,
            part=result if narrow and parts > 1 else "",
            truncates=self.truncates and bool(matrix),
        )


UNKNOWN = Accumulation()
"""Nothing is known of who summed."""


def accumulation_of(manifest: Manifest, *, truncates: bool = False) -> Accumulation:
    """Return how the kernels of an artifact sum products.

    Args:
        manifest: Of the artifact; a kernel without a plan may be any.
        truncates: Whether a device runs them, not the simulator.
    """
    plans = [kernel.plan for kernel in manifest.kernels]
    return accumulation_of_plans(plans, truncates=truncates)


def accumulation_of_plans(plans: Iterable[Plan | None], *, truncates: bool = False) -> Accumulation:
    """Return how kernels with these plans sum products; see `accumulation_of`.

    Args:
        plans: One a kernel; None for a kernel without.
        truncates: Whether a device runs them, not the simulator.
    """
    given = list(plans)
    if any(plan is None for plan in given):
        return Accumulation(truncates=truncates)
    found: list[Summing] = []
    for plan in given:
        assert plan is not None
        if not plan.reduction_order:
            continue
        together = 1
        for loop in plan.reduction_order:
            axis = plan.axes[loop]
            together *= axis.threads // max(1, axis.lanes)
        split = plan.part or plan.split
        parts = split.parts.bound if split is not None else 1
        found.append(
            Summing(
                matrix=plan.atom is not None,
                tf32=plan.atom is not None and atom_family(plan.instruction).rounds_to_tf32,
                parts=parts * max(1, together),
                flops=plan.prediction.flops if plan.prediction is not None else None,
            )
        )
    return Accumulation(kernels=tuple(found), truncates=truncates)


def _product(factors: Sequence[str], body: str) -> str:
    """Return the type to which a product may be rounded; "" where it is exact in the type that holds it."""
    if len(factors) < 2:
        return ""
    exact = len(factors) == 2 and sum(DIGITS[kind] for kind in factors) <= DIGITS[body]
    return "" if exact else body
