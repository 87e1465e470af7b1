# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's collection of cyclic garbage, put off where many records are made and none of them stands in a cycle."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Generator[None]:
    """Put off the collection of cyclic garbage: what a construction or a pass makes are many records that live on.

    Each collection looks at all of them, and finds nothing.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
