# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of a caller's arrays on a device against the function's signature, all before anything is launched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import Buffer, Manifest
from roller_mlir.runtime.arguments.arrays import HOST, ArrayView, describe
from roller_mlir.runtime.arguments.checks import subject_of
from roller_mlir.runtime.driver.interface import Driver
from roller_mlir.runtime.errors import ArgumentError

# What else may carry a type: bf16 as its 16 bits, as numpy, which has no bf16, does.
_STAND_INS = {"bf16": ("u16",)}


@dataclass(frozen=True)
class FunctionParameter:
    """An input or output of the function: how errors name it, and its buffer."""

    subject: str
    buffer: Buffer


@dataclass(frozen=True)
class Signature:
    """The inputs or the outputs of a function.

    Attributes:
        function: Its name.
        role: "input" or "output".
        parameters: In order.
    """

    function: str
    role: str
    parameters: tuple[FunctionParameter, ...]

    @classmethod
    def of(cls, manifest: Manifest, role: str) -> "Signature":
        """Read it from a manifest."""
        names = manifest.inputs if role == "input" else manifest.outputs
        return cls(
            manifest.function,
            role,
            tuple(
                FunctionParameter(subject_of(manifest, role, index, name), manifest.buffer(name))
                for index, name in enumerate(names)
            ),
        )

    def describe(self, arrays: Sequence[Any], driver: Driver, stream: int) -> list[ArrayView]:
        """Describe and check the arrays of a call.

        Args:
            arrays: One per parameter, in order.
            driver: Where the function runs.
            stream: Where it will be queued.

        Raises:
            ArgumentError: The first rule that is broken, with function, kernel and argument, and what breaks it.
        """
        if len(arrays) != len(self.parameters):
            verb = "takes" if self.role == "input" else "has"
            raise ArgumentError(f"{self.function!r} {verb} {len(self.parameters)} {self.role}s, but got {len(arrays)}")
        views: list[ArrayView] = []
        for parameter, array in zip(self.parameters, arrays, strict=True):
            view = describe(parameter.subject, array, driver, stream)
            _check(parameter.subject, parameter.buffer, view, driver, written=self.role == "output")
            views.append(view)
        return views


def _check(subject: str, buffer: Buffer, view: ArrayView, driver: Driver, *, written: bool) -> None:
    uploaded = isinstance(view.keep, np.ndarray) and not written
    if not uploaded and view.device not in [(kind, driver.ordinal) for kind in driver.memory_kinds]:
        raise ArgumentError(f"{subject} must be on {driver.label} device {driver.ordinal}, but is {view.place}")
    if view.element_type != buffer.element_type and view.element_type not in _STAND_INS.get(buffer.element_type, ()):
        raise ArgumentError(f"{subject} must have type {buffer.element_type}, but has {view.element_type}")
    if view.shape != buffer.static_shape:
        raise ArgumentError(f"{subject} must have shape {buffer.static_shape}, but has {view.shape}")
    if not view.is_dense:
        raise ArgumentError(
            f"{subject} must be dense and row-major, but has strides {view.strides} B; pass a contiguous copy of it"
        )
    past = view.address % buffer.alignment_bytes
    if past and view.size_bytes and not uploaded:
        raise ArgumentError(
            f"{subject} must begin at a multiple of {buffer.alignment_bytes} B, but its address is {past} B past one; "
            "pass a copy of it"
        )
    if uploaded and buffer.alignment_bytes > 256:
        raise ArgumentError(
            f"{subject} must begin at a multiple of {buffer.alignment_bytes} B, which an upload does not; "
            "pass an array of the device"
        )
    if written and view.read_only:
        raise ArgumentError(f"{subject} is written, but its array is read-only")


def check_overlaps(outputs: Signature, written: Sequence[ArrayView], inputs: Sequence[ArrayView]) -> None:
    """Hold outputs apart from each other and from inputs, which kernels read while they write.

    Raises:
        ArgumentError: Two share memory.
    """
    seen = [(f"input {index}", view) for index, view in enumerate(inputs) if view.device != (HOST, 0)]
    for index, (parameter, view) in enumerate(zip(outputs.parameters, written, strict=False)):
        for other, one in seen:
            if shares(view, one.address, one.size_bytes):
                raise ArgumentError(f"{parameter.subject} must have memory of its own, but shares some with {other}")
        seen.append((f"output {index}", view))


def shares(view: ArrayView, address: int, size_bytes: int) -> bool:
    """Return whether an array has bytes of a part of memory."""
    return view.address < address + size_bytes and address < view.address + view.size_bytes
