# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on their way into `iree-run-module` and out of it.

    a.npy              --input=@a.npy                  --output=@output0.npy
    bits of bf16       --input=4x4xbf16=@input1.bin    --output=@output0.bin

numpy has no bf16, and no .npy file holds it: here it is 16-bit integers, and IREE gets and gives its bare bits.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from roller_mlir.downstream.iree.run.module import Function
from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.plan.manifest import Buffer
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.support.foreign.reasons import reason_of

Array: TypeAlias = "np.ndarray[Any, Any]"
_BARE = "bf16"


def write_input(array: Array, tensor: Buffer, folder: Path, number: int) -> str:
    """Write what a function gets.

    Args:
        array: Of the tensor's shape; of bf16 its bits.
        tensor: What it is for.
        folder: Where the file is written.
        number: Of the argument, from 0.

    Returns:
        It, as `--input` of `iree-run-module` spells it.
    """
    if tensor.element_type != _BARE:
        np.save(folder / f"input{number}.npy", array)
        return f"@{folder / f'input{number}.npy'}"
    file = folder / f"input{number}.bin"
    array.tofile(file)
    return f"{_bare(tensor)}=@{file}"


def take_inputs(given: Sequence[str], function: Function, folder: Path) -> list[str]:
    """Return inputs as `--input` of `iree-run-module` spells them.

    Args:
        given: .npy files, with "@" before them or not, and what `iree-run-module` takes; one for each argument, where
            the module says what they are.
        function: What is called.
        folder: Where bits of bf16 are written that a .npy file holds as integers.

    Raises:
        IreeError: A file for bf16 cannot be read, or holds no 16-bit integers of the argument's shape.
    """
    tensors = function.inputs or (None,) * len(given)
    taken: list[str] = []
    for number, (one, tensor) in enumerate(zip(given, tensors, strict=True)):
        named = one.removeprefix("@")
        if tensor is None or tensor.element_type != _BARE or not named.endswith(".npy") or "=" in one:
            taken.append(f"@{one}" if one.endswith(".npy") and not one.startswith("@") else one)
            continue
        bits = _load(Path(named))
        kind, shape = NUMPY_TYPES[_BARE], tensor.static_shape
        if bits.dtype.itemsize != kind.itemsize or bits.dtype.kind not in "iu" or bits.shape != shape:
            wanted = "x".join(map(str, (*shape, kind)))
            got = "x".join(map(str, (*bits.shape, bits.dtype)))
            raise IreeError(f"{named} must hold the bits of bf16 as {wanted}, but holds {got}")
        taken.append(write_input(bits, tensor, folder, number))
    return taken


def read_inputs(taken: Sequence[str], function: Function) -> list[Array] | None:
    """Return what a function gets as arrays; None: one of them is in no file.

    Args:
        taken: As `take_inputs` and `write_input` spell it.
        function: What is called.

    Raises:
        IreeError: A file cannot be read, or holds another number of bytes than the argument has.
    """
    arrays: list[Array] = []
    for one, tensor in zip(taken, function.inputs or (), strict=True):
        if one.startswith("@"):
            arrays.append(_load(Path(one[1:])))
        elif one.startswith(f"{_bare(tensor)}=@") and tensor.element_type == _BARE:
            arrays.append(_read_bits(Path(one.partition("=@")[2]), tensor))
        else:
            return None
    return arrays


def result_files(function: Function, folder: Path, name: str) -> list[Path]:
    """Return files for the results: .npy, and for bf16, which IREE writes into none, its bare bits.

    Args:
        function: What is called.
        folder: Where they will lie.
        name: What their names begin with.
    """
    kinds = [one.element_type for one in function.outputs or ()]
    return [folder / f"{name}{number}.{'bin' if kind == _BARE else 'npy'}" for number, kind in enumerate(kinds)]


def read_results(paths: Sequence[Path], function: Function) -> list[Array]:
    """Return results that `iree-run-module` wrote; those of bf16 as 16-bit integers.

    Args:
        paths: As `result_files` gives them.
        function: What was called.

    Raises:
        IreeError: One cannot be read.
    """
    return [
        _read_bits(path, one) if one.element_type == _BARE else _load(path)
        for path, one in zip(paths, function.outputs or (), strict=True)
    ]


def _bare(tensor: Buffer) -> str:
    return "x".join((*map(str, tensor.static_shape), tensor.element_type))


def _load(path: Path) -> Array:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise IreeError(f"{path} cannot be read: {reason_of(error)}") from None


def _read_bits(path: Path, tensor: Buffer) -> Array:
    try:
        return np.fromfile(path, NUMPY_TYPES[_BARE]).reshape(tensor.static_shape)
    except (OSError, ValueError) as error:
        raise IreeError(f"{path} cannot be read: {reason_of(error)}") from None
