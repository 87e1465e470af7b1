# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The dialects: `rtile` (tiles, programs and their loops), `rammer` (programs as the tasks of one kernel)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roller_mlir.support.bindings import ir


def load(context: "ir.Context") -> None:
    """Load every dialect of the project into `context`; loading again does nothing."""
    from roller_mlir.dialects import rammer, rtile

    rtile.load(context)
    rammer.load(context)
