# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands of a tool, and those below a command: a table names their modules, imported when they are asked for.

The module of a command has its documentation as docstring, `add_arguments(parser)` and `run(arguments)`.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import argparse


class Command(NamedTuple):
    """A command, its module not yet imported.

    Attributes:
        module: Its module's name.
        summary: What it does, in one line.
        in_child: Whether it works in a child, so that a crash of MLIR, LLVM or a kernel is an error with an exit code.
        passes_on_to: Which program gets what stands behind `--` on the command line, as it is; None: nothing may.
    """

    module: str
    summary: str
    in_child: bool = False
    passes_on_to: str | None = None

    def load(self) -> Any:
        """Return its module."""
        return import_module(self.module)


def add_commands(
    parser: "argparse.ArgumentParser",
    commands: Mapping[str, Command],
    *,
    chosen: str | None = None,
    below: bool = False,
) -> "dict[str, argparse.ArgumentParser]":
    """Declare a parser for each command, with the command's own arguments and --color.

    A parsed command line holds the command's name as `command`, or as `subcommand` where it is below another one.

    Args:
        parser: Gets the commands.
        commands: By name.
        chosen: The one that stands on the command line: no other is imported, and none of those has arguments. By
            default all are imported.
        below: Whether they are below a command, whose --color holds for them too.

    Returns:
        The parsers of those that were imported, by name.
    """
    import argparse

    from roller_mlir.tools.console.colour import add_colour_argument

    dest = "subcommand" if below else "command"
    added = parser.add_subparsers(title="commands", metavar="COMMAND", dest=dest, required=True)
    found: dict[str, argparse.ArgumentParser] = {}
    for name, command in commands.items():
        if chosen is not None and name != chosen:
            added.add_parser(name, help=command.summary)
            continue
        module = command.load()
        found[name] = added.add_parser(
            name,
            help=command.summary,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(found[name])
        add_colour_argument(found[name], argparse.SUPPRESS if below else "auto")
    return found
