# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a peer of the host is: an object that makes a problem ready once and then computes it as often as asked.

A peer lives in a process of its own (`worker`), in which nothing else computes. Whoever has a function over numpy
arrays, as a compiler has, hands it in by a factory:

    class Mine:
        def facts(self) -> dict[str, str]: return {"version": "1", "isa": "avx512"}
        def threads(self) -> int | None: return None                # or how many the library says that it uses
        def prepare(self, problem, inputs, variant):
            output = aligned(problem.output_shape)
            call = compiled(text_of(problem))                       # not timed
            return HostCall(run=lambda: call(*inputs, output), result=lambda: output, written=(output,))

    def make(threads: int) -> Mine: ...                             # peers.py --peer mine=FILE.py:make
"""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError, one_line

Array = np.ndarray[Any, Any]
_ALIGNMENT = 64


@dataclass(frozen=True, kw_only=True)
class HostCall:
    """A problem that is ready to be computed.

    Attributes:
        run: Computes it: this, and nothing else, is timed.
        result: Returns the result of the last run in the problem's layout.
        written: Memory that `run` writes its result to: filled with NaN before the run whose result is checked.
        kept: Memory that must live as long.
        note: What a reader of its time must know: layouts, what was packed beforehand, the kernel taken.
    """

    run: Callable[[], object]
    result: Callable[[], Array]
    written: Sequence[Array] = ()
    kept: Sequence[Array] = ()
    note: str = ""


class HostPeer(Protocol):
    """A library, or a compiler, in its own process."""

    def facts(self) -> Mapping[str, str]:
        """Return what identifies it: at least "version" and "isa", which is asked for after the first run."""
        ...

    def threads(self) -> int | None:
        """Return how many threads it says that it uses, None where it says nothing."""
        ...

    def prepare(self, problem: HostProblem, inputs: Sequence[Array], variant: str) -> HostCall | None:
        """Return a problem made ready: compiled, weights packed, memory allocated; None where that is not its business.

        Args:
            problem: What to compute.
            inputs: Arrays aligned to a cache line, in the problem's layout; not to be written.
            variant: One of its source's variants.

        Raises:
            PeerError: It should compute this and cannot, in one line.
        """
        ...


Factory = Callable[..., HostPeer]
"""From the number of threads, and its source's options by name, to the peer; raises PeerError where it is missing."""


@dataclass(frozen=True, kw_only=True)
class PeerSource:
    """Where a peer comes from.

    Attributes:
        name: In tables.
        factory: "MODULE:FUNCTION" or "FILE.py:FUNCTION", a `Factory`.
        variants: Ways in which it computes, each a column of its own; "" for the only one.
        options: Keyword arguments of the factory.
        environment: Variables of its process, besides those of the number of threads.
    """

    name: str
    factory: str
    variants: tuple[str, ...] = ("",)
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def title(self, variant: str) -> str:
        """Return what a variant is called."""
        return f"{self.name} {variant}".strip()


def load_factory(spec: str) -> Factory:
    """Return the factory that a source names.

    Raises:
        PeerError: There is none.
    """
    place, colon, name = spec.rpartition(":")
    if not colon:
        raise PeerError(f"a peer is MODULE:FUNCTION or FILE.py:FUNCTION, but got '{spec}'", library=True)
    try:
        if place.endswith(".py"):
            found = importlib.util.spec_from_file_location(Path(place).stem, place)
            assert found is not None and found.loader is not None, "files of Python have a loader"
            module = importlib.util.module_from_spec(found)
            found.loader.exec_module(module)
        else:
            module = import_module(place)
        factory: Factory = getattr(module, name)
    except (ImportError, OSError, AttributeError) as error:
        raise PeerError(one_line(error), library=True) from error
    return factory


def aligned(shape: Sequence[int], like: Array | None = None) -> Array:
    """Return memory for f32 that begins at a cache line, a copy of an array where one is given."""
    count = int(np.prod(shape))
    raw = np.empty(count * 4 + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    made = raw[start : start + count * 4].view(np.float32).reshape(shape)
    if like is not None:
        made[...] = like
    return made
