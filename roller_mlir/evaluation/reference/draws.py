# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random inputs on which a function is defined: no division by 0, no shift too far, no number that does not fit.

The reference tells where an operation is undefined. The arguments that feed what makes it so (a divisor, an amount, a
float) are drawn anew: all positive, all negative, then mixed, then all 1. What no draw can avoid is reported.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.evaluation.reference.function import evaluate_function
from roller_mlir.evaluation.reference.undefined import DIVISIONS, PARTIAL, SHIFTS, Undefined, looking_for_undefined
from roller_mlir.evaluation.reference.values import Array, from_caller, is_float, to_caller
from roller_mlir.plan.manifest import Buffer
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.values import operations_inside, values_used

_MIXTURES = 12
_SIGNS = ("any", "positive", "negative")


@dataclass(frozen=True)
class Drawn:
    """Random inputs.

    Attributes:
        inputs: One array an argument.
        undefined: Where the function is undefined on them; () where it is defined, or where the reference cannot tell.
    """

    inputs: list[np.ndarray[Any, Any]]
    undefined: tuple[Undefined, ...] = ()


def defined_inputs(
    module: ir.Module, function: str, buffers: Sequence[Buffer], seed: int, kind: str = "integers"
) -> Drawn:
    """Return random inputs on which a function is defined, as far as that can be had.

    Args:
        module: Linalg on tensors.
        function: The function's name.
        buffers: Its arguments.
        seed: Of the generator; equal seeds give equal arrays.
        kind: See `random_inputs`.
    """
    plain = random_inputs(buffers, seed, kind)
    if not _may_be_undefined(module.operation):
        return Drawn(plain)
    try:
        found, feeding = _evaluate(module, function, plain)
        best = Drawn(plain, found)
        for signs in _draws(len(plain), seed):
            if not best.undefined:
                break
            inputs = [
                _restricted(array, buffer.element_type, sign) if number in feeding else array
                for number, (array, buffer, sign) in enumerate(zip(plain, buffers, signs, strict=True))
            ]
            found, more = _evaluate(module, function, inputs)
            feeding |= more
            if sum(one.points for one in found) < sum(one.points for one in best.undefined):
                best = Drawn(inputs, found)
    except DiagnosedError:  # The reference does not know the function: --check says so, others need no reference.
        return Drawn(plain)
    return best


def _draws(count: int, seed: int) -> Iterator[list[str]]:
    yield ["positive"] * count
    yield ["negative"] * count
    generator = np.random.default_rng(seed)
    for _ in range(_MIXTURES):
        yield [_SIGNS[int(number)] for number in generator.integers(0, len(_SIGNS), count)]
    yield ["one"] * count


def _restricted(array: Array, element_type: str, sign: str) -> Array:
    """Return numbers with a sign, of the same size where they are not 0."""
    if sign == "any":
        return array
    values = from_caller(array, element_type)
    if element_type == "i1":
        return np.ones_like(array)
    sizes = np.where(values == 0, values.dtype.type(1), np.abs(values))
    if sign == "one":
        sizes = np.ones_like(sizes)
    elif is_float(element_type):
        sizes = np.maximum(sizes, 2.0**-6)
    return to_caller(-sizes if sign == "negative" else sizes, element_type)


def _evaluate(module: ir.Module, function: str, inputs: Sequence[Array]) -> tuple[tuple[Undefined, ...], set[int]]:
    """Return where a function is undefined on inputs, and the arguments that feed what makes it so."""
    with looking_for_undefined() as log:
        evaluate_function(module, function, inputs)
    return log.findings(), {number for op in log.operations for number in _feeding(op)}


def _feeding(op: ir.Operation) -> set[int]:
    """Return the function's arguments on which the last operand of an operation depends.

    That is the divisor of a division, the amount of a shift, and the operand of a conversion.
    """
    found: set[int] = set()
    seen: set[Any] = set()
    pending: list[Any] = [list(op.operands)[-1]]
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if not isinstance(value.owner, ir.Block):
            pending += values_used(value.owner.operation)
            continue
        number = ir.BlockArgument(value).arg_number
        owner: Any = value.owner.owner.operation
        if owner.name == "func.func":
            found.add(number)
        elif number < len(owner.operands):
            pending.append(owner.operands[number])
    return found


def _may_be_undefined(root: Any) -> bool:
    """Return whether an operation inside another is undefined for some operands, constants as they are."""
    return any(op.name in PARTIAL and not _is_harmless(op) for op in operations_inside(root))


def _is_harmless(op: ir.Operation) -> bool:
    """Return whether a division has a constant divisor above 0, or a shift a constant amount, as most have."""
    last = list(op.operands)[-1]
    if op.name not in (*DIVISIONS, *SHIFTS) or isinstance(last.owner, ir.Block) or last.owner.name != "arith.constant":
        return False
    attribute: Any = last.owner.attributes["value"]
    if not isinstance(attribute, ir.IntegerAttr) or not isinstance(attribute.type, ir.IntegerType):
        return False
    width = ir.IntegerType(attribute.type).width
    return attribute.value > 0 if op.name in DIVISIONS else 0 <= attribute.value < width
