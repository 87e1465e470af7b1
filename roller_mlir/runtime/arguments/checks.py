# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the caller's arrays against the function's signature, all before anything is launched."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import Buffer, Manifest
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.arguments.scalars import array_of, is_number
from roller_mlir.runtime.errors import ArgumentError

_BF16_BYTES = 2


def check_inputs(manifest: Manifest, given: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """Check number, shape, element type, layout and alignment of the inputs.

    Args:
        manifest: Whose `inputs` the arrays are for.
        given: One array per input, in order; for a tensor of rank 0 a number will do.

    Returns:
        The arrays, those of numbers made.

    Raises:
        ArgumentError: The first rule that is broken, with the value that breaks it.
    """
    expected = len(manifest.inputs)
    if len(given) != expected:
        raise ArgumentError(f"{manifest.function!r} takes {expected} inputs, but got {len(given)}")
    arrays: list[np.ndarray[Any, Any]] = []
    for index, (name, one) in enumerate(zip(manifest.inputs, given, strict=True)):
        subject, buffer = subject_of(manifest, "input", index, name), manifest.buffer(name)
        arrays.append(array_of(subject, buffer, one) if not buffer.shape and is_number(one) else one)
        _check(subject, buffer, arrays[-1])
    return arrays


def check_outputs(
    manifest: Manifest, given: Sequence[Any], inputs: Sequence[np.ndarray[Any, Any]]
) -> list[np.ndarray[Any, Any]]:
    """Check arrays that a run is to write into.

    Args:
        manifest: Whose `outputs` the arrays are for.
        given: One array per output, in order; of bf16 as 16-bit integers or of ml_dtypes.
        inputs: What the run reads.

    Returns:
        The arrays, those of bf16 as their bits.

    Raises:
        ArgumentError: The first rule that is broken: those of inputs, and that nothing else is written than outputs.
    """
    expected = len(manifest.outputs)
    if len(given) != expected:
        raise ArgumentError(f"{manifest.function!r} gives {expected} outputs, but out has {len(given)}")
    arrays, _ = as_bits(manifest, given, manifest.outputs)
    for index, (name, array) in enumerate(zip(manifest.outputs, arrays, strict=True)):
        subject = subject_of(manifest, "output", index, name)
        _check(subject, manifest.buffer(name), array)
        if not array.flags.writeable:
            raise ArgumentError(f"{subject} must be writeable, but the array given as out is not")
    shared = first_shared(inputs, arrays)
    if shared is not None:
        subject = subject_of(manifest, "output", shared, manifest.outputs[shared])
        raise ArgumentError(f"{subject} must share no memory with inputs and other outputs, but does; give another")
    return arrays


def first_shared(inputs: Sequence[np.ndarray[Any, Any]], outputs: Sequence[np.ndarray[Any, Any]]) -> int | None:
    """Return the first output, all arrays being dense, that has a byte of an input or of an output before it."""
    spans: list[tuple[int, int, int]] = []
    for number, array in enumerate((*inputs, *outputs), -len(inputs)):
        if array.nbytes:
            start = array.__array_interface__["data"][0]
            spans.append((start, start + array.nbytes, number))
    spans.sort()
    found: list[int] = []
    end, written_end, number_of_end, written_number = 0, 0, 0, 0
    for start, stop, number in spans:
        if number >= 0 and start < end:
            found.append(max(number, number_of_end))
        elif number < 0 and start < written_end:
            found.append(written_number)
        if stop > end:
            end, number_of_end = stop, number
        if number >= 0 and stop > written_end:
            written_end, written_number = stop, number
    return min(found, default=None)


def as_bits(
    manifest: Manifest, arrays: Sequence[Any], names: Sequence[str] | None = None
) -> tuple[list[Any], "np.dtype[Any] | None"]:
    """Return arrays of bf16 as the 16 bits that they travel as here.

    numpy has no bf16. Arrays of ml_dtypes have a type of its own, of which numpy keeps two nameless bytes in a file.

    Args:
        manifest: The function's record.
        arrays: One per buffer, in order; what is not of bf16 is returned as it is.
        names: Of the buffers; None for the inputs.

    Returns:
        The arrays, and ml_dtypes' type where one of them has it, for outputs.
    """
    kind: np.dtype[Any] | None = None
    found: list[Any] = list(arrays)
    for index, (name, array) in enumerate(zip(manifest.inputs if names is None else names, arrays, strict=False)):
        if not isinstance(array, np.ndarray) or manifest.buffer(name).element_type != "bf16":
            continue
        given: np.dtype[Any] = array.dtype
        is_bfloat16 = given.name == "bfloat16" and given.itemsize == _BF16_BYTES
        if is_bfloat16 or (given.kind == "V" and given.itemsize == _BF16_BYTES and given.names is None):
            kind = given if is_bfloat16 else kind
            found[index] = np.asarray(array).view(NUMPY_TYPES["bf16"])
    return found, kind


def outputs_as(
    manifest: Manifest, outputs: Sequence["np.ndarray[Any, Any]"], kind: "np.dtype[Any] | None"
) -> tuple["np.ndarray[Any, Any]", ...]:
    """Return a run's outputs, those of bf16 in the type of its inputs.

    Args:
        manifest: The function's record.
        outputs: One array per output, of bf16 as its bits.
        kind: What `as_bits` found: ml_dtypes' type, or None.
    """
    if kind is None:
        return tuple(outputs)
    kinds = [manifest.buffer(name).element_type for name in manifest.outputs]
    return tuple(array.view(kind) if one == "bf16" else array for one, array in zip(kinds, outputs, strict=True))


def subject_of(manifest: Manifest, role: str, index: int, name: str) -> str:
    """Name an argument of the function and where its first kernel takes it.

    Args:
        manifest: The function's record.
        role: "input" or "output".
        index: Which of that role.
        name: Its buffer.
    """
    if (use := manifest.first_use(name)) is not None:
        kernel, number = use
        return f"{manifest.function!r}: argument {number} of kernel {kernel!r}: {role} {index} ({name})"
    return f"{manifest.function!r}: {role} {index} ({name})"


def _check(subject: str, buffer: Buffer, array: object) -> None:
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{subject} must be a numpy array, but got {type(array).__name__}")
    dtype = NUMPY_TYPES[buffer.element_type]
    if array.dtype != dtype:
        same = np.dtype(f"i{array.dtype.itemsize}") == dtype and array.dtype.kind == "u"
        remedy = f"; pass its bits: array.view(numpy.{dtype})" if same else ""
        raise ArgumentError(f"{subject} must have dtype {dtype} ({buffer.element_type}), but has {array.dtype}{remedy}")
    if array.shape != buffer.static_shape:
        raise ArgumentError(f"{subject} must have shape {buffer.static_shape}, but has {array.shape}")
    if not array.flags.c_contiguous:
        raise ArgumentError(
            f"{subject} must be dense and row-major, but has strides {array.strides} B; "
            "pass numpy.ascontiguousarray(...) of it"
        )
    past = array.ctypes.data % buffer.alignment_bytes
    if past and array.size:
        raise ArgumentError(
            f"{subject} must begin at a multiple of {buffer.alignment_bytes} B, but its address is {past} B past one; "
            "pass a copy of it"
        )
