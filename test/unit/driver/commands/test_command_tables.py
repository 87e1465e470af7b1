# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of commands: what is not asked for is not imported, and commands below another one are declared alike."""

import argparse
import sys
from pathlib import Path

import pytest

from roller_mlir.tools.commands.iree.command import COMMANDS as BELOW_IREE
from roller_mlir.tools.console.commands import Command, add_commands
from roller_mlir.tools.roller import COMMANDS

SOURCE = '''"""Does {name}."""

def add_arguments(parser):
    parser.add_argument("--{name}")

def run(arguments):
    return {code}
'''


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Command]:
    for code, name in enumerate(("planted_one", "planted_two")):
        (tmp_path / f"{name}.py").write_text(SOURCE.format(name=name, code=code))
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return {"one": Command("planted_one", "the first"), "two": Command("planted_two", "the second")}


def test_a_command_that_is_not_chosen_is_not_imported(commands: dict[str, Command]) -> None:
    parser = argparse.ArgumentParser()
    assert list(add_commands(parser, commands, chosen="two")) == ["two"]
    assert "planted_one" not in sys.modules and "planted_two" in sys.modules
    parsed = parser.parse_args(["two", "--planted_two", "x", "--color", "never"])
    assert (parsed.command, parsed.planted_two, parsed.color) == ("two", "x", "never")
    assert commands[parsed.command].load().run(parsed) == 1
    assert "the first" in parser.format_help()


def test_commands_below_another_leave_it_its_name_and_colour(commands: dict[str, Command]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--color")
    parser.set_defaults(command="above")
    assert list(add_commands(parser, commands, below=True)) == ["one", "two"]
    parsed = parser.parse_args(["--color", "always", "one"])
    assert (parsed.command, parsed.subcommand, parsed.color) == ("above", "one", "always")
    assert parser.parse_args(["one", "--color", "never"]).color == "never"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_documented_and_runs(name: str) -> None:
    module = COMMANDS[name].load()
    assert module.__doc__ and callable(module.run) and callable(module.add_arguments)


def test_a_command_passes_on_where_one_below_it_does() -> None:
    assert [name for name, one in COMMANDS.items() if one.passes_on_to] == ["iree"]
    assert {name: one.passes_on_to for name, one in BELOW_IREE.items() if one.passes_on_to} == {
        "compile": "iree-compile",
        "run": "iree-run-module",
        "spec": "iree-compile",
    }
