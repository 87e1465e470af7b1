# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each option is declared once: its flag, its option of a pass and its keyword have one name, default and sentence."""

import argparse
from dataclasses import dataclass
from typing import Any

import pytest

from roller_mlir.compiler import CompileOptions
from roller_mlir.evaluation.fuzz.options import CampaignOptions
from roller_mlir.lowering.targets.family import load_passes, passes_to
from roller_mlir.lowering.targets.stage import PLANNED
from roller_mlir.model import ConstructOptions
from roller_mlir.model.options import PipelineOptions, PlanningOptions
from roller_mlir.passes.rtile.construct import RTileConstruct
from roller_mlir.rammer.options import GraphOptions, PersistentOptions
from roller_mlir.sim.options import SimulatorOptions
from roller_mlir.support.foreign.options import Option, Options, option
from roller_mlir.support.passes.passes import registered_passes
from roller_mlir.tools.commands.compile.command import add_arguments
from roller_mlir.tools.console.arguments import OptionAction, actions_of
from roller_mlir.tools.console.commands import add_commands
from roller_mlir.tools.roller import COMMANDS

OPTIONS = [pytest.param(one, id=one.field) for one in CompileOptions.options()]
PLANNED_BY = [pytest.param(one, id=one.field) for one in PipelineOptions.options()]


@pytest.fixture(scope="module")
def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(allow_abbrev=False)
    add_arguments(made)
    return made


def another(one: Option) -> Any:
    """Return a value that is not the default."""
    if isinstance(one.default, bool):
        return not one.default
    if isinstance(one.default, tuple):
        return tuple(one.choices[:2]) or (4, 8)
    if one.choices or one.value in ("N", "S"):
        return next((choice for choice in one.choices if choice != one.default), 3)
    return "a file"


@pytest.mark.parametrize("one", OPTIONS)
def test_flags_and_keywords_are_of_one_declaration(one: Option, parser: argparse.ArgumentParser) -> None:
    (action,) = [action for action in parser._actions if one.flag in action.option_strings]
    assert action.help is not None
    assert (action.dest, action.default) == (one.field, one.default)
    assert action.help.removesuffix(f" (default {one.text(one.default)})") == one.help
    words, more = ["-", *one.flags(another(one))], dict[str, bool]()
    if one in PersistentOptions.options():
        words, more = [*words, "--persistent"], {"persistent": True}
    asked = CompileOptions(**CompileOptions.values_of(parser.parse_args(words)))
    assert asked == CompileOptions(**{one.field: another(one)}, **more) != CompileOptions(**more)


def every_option() -> list[Option]:
    """Return the options of the package's passes, no passes of tests, and of records beside them."""
    load_passes()
    ours = [kind for kind in registered_passes() if kind.__module__.startswith("roller_mlir.passes.")]
    kinds = [*ours, CompileOptions, ConstructOptions, GraphOptions, SimulatorOptions, CampaignOptions]
    return [one for kind in kinds for one in kind.options()]


def differently_named(options: list[Option]) -> list[str]:
    """Return the fields of options whose name or flag is another word; of a list that adds up it is the singular."""
    found: list[str] = []
    for one in options:
        name = one.field.replace("_", "-")
        adds_up = isinstance(one.default, tuple) and bool(one.choices)
        flag = f"--{name[:-1]}" if adds_up and name.endswith("s") else f"--{name}"
        found += [one.field] if (one.name, one.flag) != (name, flag) else []
    return found


def declared_twice(options: list[Option]) -> set[str]:
    """Return the fields of options of one name that are not the same in default, rule or help."""
    first: dict[str, Option] = {}
    return {one.field for one in options if first.setdefault(one.name, one) != one}


def test_an_option_has_one_name_and_one_declaration_at_every_front() -> None:
    options = every_option()
    assert len(options) > 100
    assert differently_named(options) == []
    assert declared_twice(options) == set()


def test_flags_of_every_command_are_those_names() -> None:
    parser = argparse.ArgumentParser()
    add_commands(parser, COMMANDS)
    flags = {one.field: one.flag for one in every_option()}
    seen: set[str] = set()
    for action in actions_of(parser):
        if isinstance(action, OptionAction) or (action.dest in flags and action.option_strings):
            assert flags[action.dest] in action.option_strings, action.option_strings
            seen.add(action.dest)
    assert {"split", "join", "disabled_rules", "explain_fusion", "instructions", "reuse", "tool_timeout_s"} <= seen


def test_another_name_and_a_second_declaration_are_found() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Twice(Options):
        reuse: bool = option(True, help="another sentence")
        unrolled: int = option(1, name="unroll", help="of another name")

    assert differently_named(list(Twice.options())) == ["unrolled"]
    assert declared_twice([*CompileOptions.options(), *Twice.options()]) == {"reuse"}


@pytest.mark.parametrize("one", PLANNED_BY)
def test_options_of_passes_are_of_that_declaration_too(one: Option) -> None:
    load_passes()
    same = [found for kind in registered_passes() for found in kind.options() if found.name == one.name]
    assert same and all(found == one for found in same)
    asked = CompileOptions(**{one.field: another(one)})
    steps = passes_to(PLANNED, {"device": "h200", **asked.pipeline_options()})
    taken = [step for step in steps if hasattr(step, one.field)]
    assert taken and all(getattr(step, one.field) == another(one) for step in taken)
    if one in PlanningOptions.options():
        (planning,) = [step for step in steps if isinstance(step, RTileConstruct)]
        assert getattr(planning.construct_options(), one.field) == another(one)
        assert getattr(ConstructOptions(), one.field) == one.default


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tile-sizes", "8,0"], "--tile-sizes: must be at least 1 each, but got 8,0"),
        (["--tile-sizes", "8,x"], "--tile-sizes: must be a list of int, but got '8,x'"),
        (["--tile-sizes", ""], "--tile-sizes: must not be empty"),
        (["--stages", "9"], "--stages: must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, but got 9"),
        (["--max-units", "9999999999999"], "--max-units: must be an int, but got '9999999999999'"),
        (["--tool-timeout-s", "nan"], "--tool-timeout-s: must be a float, but got 'nan'"),
        (["--code-object", "4"], "--code-object: must be one of 5, 6, but got 4"),
    ],
)
def test_what_is_refused(
    arguments: list[str], message: str, parser: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parser.parse_args(["-", *arguments])
    assert message in capsys.readouterr().err


def test_names_add_up_and_sizes_do_not(parser: argparse.ArgumentParser) -> None:
    given = "--instruction fma,mma --instruction mma,wmma --stages 2 --stages 3 --tile-sizes 4 --tile-sizes 8,8"
    found = PipelineOptions.values_of(parser.parse_args(["-", *given.split()]))
    assert (found["instructions"], found["stages"], found["tile_sizes"]) == (("fma", "mma", "wmma"), 3, (8, 8))
