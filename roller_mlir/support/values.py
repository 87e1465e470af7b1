# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions about SSA values that the bindings answer only in part."""

from typing import Any

from roller_mlir.support.bindings import ir


def defining_op(value: Any, name: str | None = None) -> Any:
    """Return the operation that gives a value.

    Args:
        value: An SSA value.
        name: When given, only an operation of this name counts.

    Returns:
        The operation (an `ir.Operation`), or None for a block argument or an operation of another name.
    """
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    return owner.operation if name is None or owner.name == name else None
