# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Print what completes commands and flags of roller in a shell.

roller completion bash >> ~/.bashrc
roller completion zsh >> ~/.zshrc
roller completion fish > ~/.config/fish/completions/roller.fish
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.tools.console.arguments import actions_of
from roller_mlir.tools.console.colour import add_colour_argument
from roller_mlir.tools.console.commands import Command
from roller_mlir.tools.console.output import print_line
from roller_mlir.tools.roller import COMMANDS

SHELLS = ("bash", "zsh", "fish")

_BASH = """\
_roller() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "@COMMANDS@" -- "$word"))
    return
  fi
  case "$command $before" in
@CHOICES@
  esac
  case "$word" in
    -*) ;;
    *) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  case "$command" in
@FLAGS@
  esac
}
complete -o filenames -F _roller roller
"""


@dataclass(frozen=True)
class Flag:
    """A flag of a command.

    Attributes:
        names: "--target".
        choices: What its value may be; empty for anything.
        takes_value: Whether it has one.
        text: What it is for.
    """

    names: tuple[str, ...]
    choices: tuple[str, ...]
    takes_value: bool
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    flags = {name: flags_of(command) for name, command in COMMANDS.items()}
    summaries = {name: command.summary for name, command in COMMANDS.items()}
    script = fish(flags, summaries) if arguments.shell == "fish" else bash(flags)
    if arguments.shell == "zsh":
        script = f"autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n{script}"
    print_line(script.rstrip("\n"))
    return 0


def flags_of(command: Command) -> list[Flag]:
    """Return the flags of a command and of the commands below it, as its own parser knows them."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    command.load().add_arguments(parser)
    add_colour_argument(parser)
    found: dict[tuple[str, ...], Flag] = {}
    for action in actions_of(parser):
        choices = tuple(map(str, getattr(action, "option", action).choices or ()))
        text = "" if action.help in (None, argparse.SUPPRESS) else str(action.help)
        if action.option_strings and action.help != argparse.SUPPRESS:
            names = tuple(action.option_strings)
            found.setdefault(names, Flag(names, choices, action.nargs != 0, text))
    return list(found.values())


def bash(flags: Mapping[str, Sequence[Flag]]) -> str:
    """Return the script for bash."""
    choices = [
        f"    {'|'.join(_quoted(f'{command} {name}') for name in flag.names)}) "
        f'COMPREPLY=($(compgen -W "{" ".join(flag.choices)}" -- "$word")); return ;;'
        for command, ones in flags.items()
        for flag in ones
        if flag.choices
    ]
    names = [
        f'    {command}) COMPREPLY=($(compgen -W "{" ".join(n for one in ones for n in one.names)}" -- "$word")) ;;'
        for command, ones in flags.items()
    ]
    script = _BASH.replace("@COMMANDS@", " ".join(flags))
    return script.replace("@CHOICES@", "\n".join(choices)).replace("@FLAGS@", "\n".join(names))


def fish(flags: Mapping[str, Sequence[Flag]], summaries: Mapping[str, str]) -> str:
    """Return the script for fish."""
    lines = [
        f"complete -c roller -f -n __fish_use_subcommand -a {command} -d {_quoted(summaries[command])}"
        for command in flags
    ]
    for command, ones in flags.items():
        seen = f"-n '__fish_seen_subcommand_from {command}'"
        for one in ones:
            spelled = [f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in one.names]
            words = ["complete -c roller", seen, *spelled]
            words += [f"-x -a {_quoted(' '.join(one.choices))}"] if one.choices else ["-r"] * one.takes_value
            lines.append(" ".join([*words, f"-d {_quoted(one.text)}"]))
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return text as one word of a shell: of bash, zsh and fish alike."""
    return "'" + text.replace("\\", "").replace("'", "`").replace("\n", " ") + "'"
