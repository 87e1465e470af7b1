# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes read of a module, kept until a pass changes what it says, as MLIR's analysis manager does.

def run(self, module):
    waves = analysis(waves_in, module)

Within `keeping_analyses`, as in every pipeline, each is computed once. A pass names those that hold after it as
`preserves`; all others are dropped behind it, and all behind passes of upstream.
"""

from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from roller_mlir.support.bindings import ir

_T = TypeVar("_T")

Analysis = Callable[[Any], Any]
"""Reads a module and leaves it as it is; its results may refer to the module's ops."""

_kept = ContextVar[dict[Analysis, tuple["ir.Module", Any]] | None]("_kept", default=None)


@contextmanager
def keeping_analyses() -> Generator[None]:
    """Keep inside what is read of one module, also from one pipeline to the next."""
    if _kept.get() is not None:
        yield
        return
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def analysis(read: Callable[["ir.Module"], _T], module: "ir.Module") -> _T:
    """Return what an analysis reads of a module, or read before of the same one.

    Raises:
        DiagnosedError: It cannot be read.
    """
    kept = _kept.get()
    if kept is None:
        return read(module)
    known = kept.get(read)
    if known is None or known[0] is not module:
        known = kept[read] = module, read(module)
    return known[1]


def drop_analyses(preserved: Collection[Analysis] = ()) -> None:
    """Forget what was read, but for these: the module may say something else."""
    kept = _kept.get()
    if kept is not None:
        for read in kept.keys() - preserved:
            del kept[read]
