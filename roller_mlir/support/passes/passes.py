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

import dataclasses
import difflib
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

if TYPE_CHECKING:
    from roller_mlir.support.bindings import ir

_T = TypeVar("_T")
_P = TypeVar("_P", bound="Pass")


class OptionError(ValueError):
    """An option of a pass is unknown, or its value is not of its type or breaks its rule."""


def option(default: _T, *, help: str) -> _T:  # noqa: A002 - reads as argparse does
    """Declare an option of a pass: a dataclass field with a default and a sentence for the manual."""
    return dataclasses.field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class Pass:
    """A transformation of a module. Subclasses are frozen dataclasses whose fields are options."""

    name: ClassVar[str]
    summary: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset()
    establishes: ClassVar[frozenset[str]] = frozenset()

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
    def options(cls) -> tuple["Option", ...]:
        """Return the options in the order of the fields."""
        hints = typing.get_type_hints(cls)
        return tuple(
            Option(f.name.replace("_", "-"), f.name, hints[f.name], f.default, str(f.metadata.get("help", "")))
            for f in dataclasses.fields(cls)
        )

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
            values[known[name].field] = known[name].parse(text, cls.name)
        try:
            return cls(**values)
        except OptionError:
            raise
        except ValueError as error:
            raise OptionError(f"'{cls.name}': {error}") from error

    def __str__(self) -> str:
        """Spell the pass as in a pipeline, with the options that differ from their defaults."""
        given = [f"{o.name}={o.spell(value)}" for o in self.options() if (value := getattr(self, o.field)) != o.default]
        return f"{self.name}{{{' '.join(given)}}}" if given else self.name


@dataclass(frozen=True)
class Option:
    """An option as the command line sees it.

    Attributes:
      name: Spelling, with dashes.
      field: Name of the dataclass field.
      type: Type of the field: str, int, float, bool, Path, a tuple of these, a Literal, or any of these or None.
      default: Value when it is not given.
      help: A sentence.
    """

    name: str
    field: str
    type: Any
    default: Any
    help: str

    @property
    def type_name(self) -> str:
        """The type as shown to users, such as "list of int"."""
        inner = _strip_none(self.type)
        if typing.get_origin(inner) is tuple:
            return f"list of {typing.get_args(inner)[0].__name__}"
        if typing.get_origin(inner) is typing.Literal:
            return " | ".join(str(choice) for choice in typing.get_args(inner))
        name: str = inner.__name__
        return {"str": "string", "Path": "path"}.get(name, name)

    def parse(self, text: str | None, pass_name: str) -> Any:
        """Parse the text of this option; a bare boolean option means true.

        Raises:
          OptionError: The text is not of the option's type.
        """
        if text is None:
            if _strip_none(self.type) is bool:
                return True
            raise OptionError(f"'{pass_name}': option '{self.name}' needs a value: {self.name}=<{self.type_name}>")
        try:
            return _parse(_strip_none(self.type), text)
        except ValueError:
            raise OptionError(
                f"'{pass_name}': option '{self.name}' must be {_article(self.type_name)}, but got '{text}'"
            ) from None

    def spell(self, value: Any) -> str:
        """Write a value so that `parse` reads it back."""
        if isinstance(value, tuple):
            return ",".join(self.spell(v) for v in typing.cast("tuple[Any, ...]", value))
        if isinstance(value, bool):
            return "true" if value else "false"
        text = str(value)
        return f'"{text}"' if text == "" or re.search(r"[\s{}()\"',]", text) else text


def _strip_none(hint: Any) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        (inner,) = (a for a in typing.get_args(hint) if a is not type(None))
        return inner
    return hint


def _article(type_name: str) -> str:
    return type_name if "|" in type_name else f"{'an' if type_name[0] in 'aeiou' else 'a'} {type_name}"


def _parse(kind: Any, text: str) -> Any:
    if typing.get_origin(kind) is tuple:
        element = typing.get_args(kind)[0]
        return tuple(_parse(element, part.strip()) for part in text.split(",")) if text.strip() else ()
    if typing.get_origin(kind) is typing.Literal:
        for choice in typing.get_args(kind):
            if str(choice) == text:
                return choice
        raise ValueError(text)
    if kind is bool:
        words = {"true": True, "1": True, "false": False, "0": False}
        if text.lower() not in words:
            raise ValueError(text)
        return words[text.lower()]
    if kind not in (str, int, float, Path):
        raise TypeError(f"an option must be str, int, float, bool, Path, a tuple or Literal, but got {kind}")
    return kind(text)


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
    """Class decorator: makes a pass known by its name.

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
