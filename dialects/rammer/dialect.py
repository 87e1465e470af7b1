# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `rammer` dialect object, which the attribute and op modules register with, and how it is loaded."""

from typing import Any

from roller_mlir.dialects.loading import load_dialect
from roller_mlir.support.bindings import ext


class Rammer(ext.Dialect, name="rammer"):
    """Programs as the tasks of one persistent kernel. Paper: RAMMER, section 3."""


def load(context: Any) -> None:
    """Load the dialect into `context`; see `load_dialect`."""
    load_dialect(Rammer, context)
