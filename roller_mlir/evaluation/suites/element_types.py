# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What operators of a suite compute in, by the element type of their inputs."""

from collections.abc import Sequence

from roller_mlir.plan.accuracy.accumulation import SUMS

DTYPES = tuple(SUMS)


def is_float(dtype: str) -> bool:
    """Return whether an element type is a float."""
    return dtype.startswith(("f", "bf"))


def tensor(shape: Sequence[int], dtype: str) -> str:
    """Spell the type of a tensor."""
    return f"tensor<{'x'.join([*map(str, shape), dtype])}>"


def literal(dtype: str, value: float) -> str:
    """Return a number as a literal of an element type.

    >>> literal("f32", 0), literal("i8", 0)
    ('0.0', '0')
    """
    return repr(float(value)) if is_float(dtype) else str(int(value))


def widened(name: str, value: str, dtype: str) -> tuple[list[str], str]:
    """Return the lines of a body that bring a value to the type of results, and what it is then called.

    >>> widened("%wide", "%x", "i8")
    (['%wide = arith.extsi %x : i8 to i32'], '%wide')
    """
    result = SUMS[dtype]
    if result == dtype:
        return [], value
    operation = "arith.extf" if is_float(dtype) else "arith.extsi"
    return [f"{name} = {operation} {value} : {dtype} to {result}"], name


def combine(combiner: str, dtype: str) -> str:
    """Return the operation of a combiner ("sum", "max", "min") or of a product ("product") on an element type."""
    floats = {"sum": "arith.addf", "product": "arith.mulf", "max": "arith.maximumf", "min": "arith.minimumf"}
    integers = {"sum": "arith.addi", "product": "arith.muli", "max": "arith.maxsi", "min": "arith.minsi"}
    return (floats if is_float(dtype) else integers)[combiner]


def neutral(combiner: str, dtype: str) -> str:
    """Return the literal that leaves a combiner's other operand as it is.

    >>> neutral("max", "f32"), neutral("min", "i32"), neutral("sum", "f64")
    ('0xFF800000', '2147483647', '0.0')
    """
    if combiner == "sum":
        return literal(dtype, 0)
    if is_float(dtype):
        bits = {"f32": ("FF800000", "7F800000"), "f64": ("FFF0000000000000", "7FF0000000000000")}[dtype]
        return f"0x{bits[combiner == 'min']}"
    bound = 1 << (int(dtype[1:]) - 1)
    return str(bound - 1 if combiner == "min" else -bound)
