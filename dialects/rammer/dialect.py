# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `rammer` dialect object, which the attribute and op modules register with, and how it is loaded."""

from typing import Any

from roller_mlir.support.bindings import ext, ir


class Rammer(ext.Dialect, name="rammer"):
    """Programs as the tasks of one persistent kernel. Paper: RAMMER, section 3."""


def load(context: Any) -> None:
    """Load the dialect into `context`; loading it again does nothing. See `rtile_dialect.load` for multithreading."""
    context.enable_multithreading(False)
    if not context.is_dialect_loaded(Rammer.DIALECT_NAMESPACE):
        with context, ir.Location.unknown(context):
            Rammer.load()
