# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of commands: flags made of options (`support.foreign.options`), and what several commands read alike."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from roller_mlir.support.foreign.options import Option, OptionError, Options


class OptionAction(argparse.Action):
    """A flag with a value, made of an option; names out of a list may be given in several flags.

    Attributes:
        option: What it is made of.
    """

    def __init__(self, option_strings: Sequence[str], dest: str, *, option: Option, **settings: Any) -> None:
        super().__init__(option_strings, dest, **settings)
        self.option = option

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: Any, option_string: object = None
    ) -> None:
        """Read the value.

        Raises:
            ArgumentError: It is not of the option's type, or breaks its rule.
        """
        try:
            if not values.strip():
                raise OptionError("must not be empty")
            value = self.option.parse(values)
        except OptionError as error:
            raise argparse.ArgumentError(self, str(error)) from None
        if self.option.choices and isinstance(value, tuple):
            value = tuple(dict.fromkeys((*getattr(namespace, self.dest), *value)))
        setattr(namespace, self.dest, value)


def add_options(parser: Any, kind: type[Options], *fields: str) -> None:
    """Declare the flags of options.

    Args:
        parser: An `argparse.ArgumentParser` or a group of one.
        kind: Declares the options. `kind.values_of(arguments)` is what was asked.
        fields: Names of those that are wanted; by default all.
    """
    for one in kind.options():
        if fields and one.field not in fields:
            continue
        settings: dict[str, Any] = {"dest": one.field, "default": one.default, "help": one.help}
        if isinstance(one.default, bool):
            switch = argparse.BooleanOptionalAction if one.default else "store_true"
            parser.add_argument(one.flag, action=switch, **settings).help = one.help  # it says the default there
            continue
        value = f"{one.value},..." if isinstance(one.default, tuple) else one.value
        if one.choices and not isinstance(one.default, tuple):
            value = f"{{{','.join(map(one.text, one.choices))}}}"
        if one.default:
            settings["help"] = f"{one.help} (default {one.text(one.default)})"
        parser.add_argument(one.flag, action=OptionAction, option=one, metavar=value, **settings)


def given_flags(arguments: argparse.Namespace, *kinds: type[Options]) -> set[str]:
    """Return the flags of those options that were given another value than their default."""
    return {one.flags(value)[0] for kind in kinds for one, value in kind.given_in(arguments)}


def named_flags(arguments: argparse.Namespace, *names: str) -> set[str]:
    """Return the flags of those attributes that were given something."""
    return {f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name)}


def patterns(text: str) -> tuple[str, ...]:
    """Read what picks operators of a suite or a file: ids, patterns or classes, parted by commas.

    >>> patterns("C0, M*,")
    ('C0', 'M*')
    """
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"must name operators as in C0,M*,relu, but got '{text}'")
    return found


def positive(text: str) -> int:
    """Parse a number of things, at least 1."""
    if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, but got '{text}'")
    return int(text)


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser, and of the parsers of its sub-commands."""
    for action in parser._actions:  # noqa: SLF001 - argparse lists them nowhere else
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - likewise
            for below in action.choices.values():
                yield from actions_of(below)
