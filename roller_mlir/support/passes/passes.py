# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a pass is: a frozen dataclass whose fields are its options, and a registry of passes and named pipelines.

@register
@dataclass(frozen=True, kw_only=True)
class RTileExpand(Pass):
    '''Expands plans into loops.'''

    name: ClassVar[str] = "rtile-expand"
    summary: ClassVar[str] = "expand plans into loops"
    tile_sizes: tuple[int, ...] = option((), help="block per loop")    # spelled tile-sizes=64,64

    def run(self, module: ir.Module) -> None: ...
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from roller_mlir.support.foreign.options import Option, OptionError, Options
from roller_mlir.support.passes.analyses import Analysis

if TYPE_CHECKING:
    from roller_mlir.support.bindings import ir

_P = TypeVar("_P", bound="Pass")


@dataclass(frozen=True, kw_only=True)
class Pass(Options):
    """A transformation of a module. Subclasses are frozen dataclasses whose fields are options."""

    name: ClassVar[str]
    summary: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset()
    establishes: ClassVar[frozenset[str]] = frozenset()
    preserves: ClassVar[frozenset[Analysis]] = frozenset()

    def run(self, module: "ir.Module") -> None:
        """Transform the module in place; errors of the user go through `diagnostics.fail`."""
        raise NotImplementedError(f"{type(self).__name__}.run")

    def find_fault(self, module: "ir.Module") -> "tuple[ir.Operation, str] | None":
        """Return what is wrong in what the pass made where MLIR's verifier cannot see it, with the op; else None.

        It is asked after each run, and must cost little beside it. What it finds is a bug of the pass.
        """
        del module
        return None

    @classmethod
    def from_options(cls, given: Mapping[str, str | None]) -> Self:
        """Make the pass from option texts.

        Args:
          given: Text per option name; None for a bare flag.

        Raises:
          OptionError: An option is unknown, or its value is refused.
        """
        known = {o.name: o for o in cls.options()}
        values: dict[str, Any] = {}
        for name, text in given.items():
            if name not in known:
                raise OptionError(f"'{cls.name}' has no option '{name}'{_advice(name, known)}")
            try:
                values[known[name].field] = known[name].parse(text)
            except OptionError as error:
                raise OptionError(f"'{cls.name}': option '{name}' {error}") from None
        try:
            return cls(**values)
        except ValueError as error:
            raise OptionError(f"'{cls.name}': {error}") from error

    def __str__(self) -> str:
        """Spell the pass as in a pipeline, with the options that differ from their defaults."""
        given = [f"{o.name}={o.spell(value)}" for o, value in self.given_in(self)]
        return f"{self.name}{{{' '.join(given)}}}" if given else self.name


@dataclass(frozen=True, kw_only=True)
class NamedPipeline:
    """A list of passes under one name; each option goes to every pass of the list that has it.

    Attributes:
      name: Spelling on the command line.
      summary: One line.
      passes: Names of our passes, or text of upstream passes, in order.
      presets: Options that the pipeline sets itself, by pass; those given do not reach them.
    """

    name: str
    summary: str
    passes: tuple[str, ...]
    presets: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def options(self) -> tuple[Option, ...]:
        """Return the options of its passes, each name once."""
        found: dict[str, Option] = {}
        for name in self.passes:
            kind = find_pass(name)
            for o in kind.options() if kind is not None else ():
                found.setdefault(o.name, o)
        return tuple(found.values())


_passes: dict[str, type[Pass]] = {}
_pipelines: dict[str, NamedPipeline] = {}


def register(cls: type[_P]) -> type[_P]:
    """Make a pass known by its name; a decorator of its class.

    Raises:
      ValueError: The name is taken or is not written-like-this, or the summary or docstring is missing.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", cls.name):
        raise ValueError(f"a pass name must be written-like-this, but got '{cls.name}'")
    taken = _passes.get(cls.name)
    if taken is not None and taken.__qualname__ != cls.__qualname__:
        raise ValueError(f"a pass name must be unique, but '{cls.name}' is {taken.__qualname__}")
    if not cls.summary or not cls.__doc__ or cls.__doc__.startswith(f"{cls.__name__}("):
        raise ValueError(f"a pass must have a summary and a docstring, but '{cls.name}' lacks one")
    _passes[cls.name] = cls
    return cls


def register_pipeline(pipeline: NamedPipeline) -> NamedPipeline:
    """Make a named pipeline known; return it."""
    if pipeline.name in _passes:
        raise ValueError(f"a pipeline name must not be a pass name, but got '{pipeline.name}'")
    _pipelines[pipeline.name] = pipeline
    return pipeline


def find_pass(name: str) -> type[Pass] | None:
    """Return the pass of that name, or None."""
    return _passes.get(name)


def find_pipeline(name: str) -> NamedPipeline | None:
    """Return the named pipeline, or None."""
    return _pipelines.get(name)


def registered_passes() -> tuple[type[Pass], ...]:
    """Return all passes, by name."""
    return tuple(_passes[name] for name in sorted(_passes))


def registered_pipelines() -> tuple[NamedPipeline, ...]:
    """Return all named pipelines, by name."""
    return tuple(_pipelines[name] for name in sorted(_pipelines))


def suggest(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" with the nearest known name, or an empty text."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def _advice(name: str, known: Mapping[str, Option]) -> str:
    if not known:
        return "; it has no options"
    return suggest(name, known) or f"; its options are {', '.join(known)}"
