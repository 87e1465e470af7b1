# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of roller-opt: flags, passes as flags in the order of their appearance, and the manual."""

import textwrap
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

from roller_mlir.support.foreign.options import Option, option
from roller_mlir.support.passes.passes import (
    NamedPipeline,
    find_pass,
    find_pipeline,
    registered_passes,
    registered_pipelines,
    suggest,
)


class CommandLineError(Exception):
    """The command line is wrong."""


@dataclass
class Settings:
    """What the command line says: an input, passes, and flags, each declared with its text in the manual."""

    input: str | None = None
    steps: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    help: bool = option(False, help="show this text")
    version: bool = option(False, help="show the version")
    list_passes: bool = option(False, help="list our passes and pipelines, and the names of the upstream passes")
    output: str = option(
        "-", name="o", value="FILE", help="write to FILE, completely or not at all, instead of standard output"
    )
    pass_pipeline: str | None = option(
        None, value="TEXT", help="run a pipeline such as 'builtin.module(rtile-construct{device=h200},func.func(cse))'"
    )
    split_input_file: bool = option(False, help="process the parts of the input between lines '// -----' on their own")
    verify_diagnostics: bool = option(
        False, help="check the diagnostics against comments such as '// expected-error@+1 {{text}}'"
    )
    verify_each: bool = option(True, help="verify the IR after each pass (on unless =false)")
    allow_unregistered_dialect: bool = option(False, help="accept operations of unknown dialects")
    emit_bytecode: bool = option(False, help="write MLIR bytecode instead of text")
    mlir_print_op_generic: bool = option(False, help="print in the generic form")
    mlir_print_debuginfo: bool = option(False, help="print locations")
    mlir_print_local_scope: bool = option(False, help="print attributes and maps in place, without aliases")
    mlir_print_ir_before_all: bool = option(False, help="print the IR before each pass, to standard error")
    mlir_print_ir_after_all: bool = option(False, help="print the IR after each pass, to standard error")
    mlir_print_ir_before: str | None = option(
        None, value="PASS,...", help="print the IR before these passes, to standard error"
    )
    mlir_print_ir_after: str | None = option(
        None, value="PASS,...", help="print the IR after these passes, to standard error"
    )
    mlir_print_ir_after_change: bool = option(
        False, help="with --mlir-print-ir-after-all: only after passes that changed the IR"
    )
    mlir_print_ir_after_failure: bool = option(False, help="print the IR after a pass that fails, to standard error")
    mlir_print_ir_module_scope: bool = option(False, help="print the whole module, not only what a pass runs on")
    mlir_print_ir_tree_dir: str | None = option(
        None, value="DIR", help="print the IR of each pass into a tree of files there"
    )
    mlir_elide_elementsattrs_if_larger: int | None = option(
        None, value="N", help="print dense constants of more elements as '__elided__'"
    )
    mlir_elide_resource_strings_if_larger: int | None = option(
        None, value="N", help="leave out resources of more characters"
    )
    mlir_use_nameloc_as_prefix: bool = option(False, help="name values by the names in their locations")
    mlir_timing: bool = option(False, help="print the time of each pass, to standard error")
    mlir_timing_display: str = option(
        "tree", value="tree", choices=("tree",), help="as a tree of passes; the bindings of MLIR have no list"
    )
    mlir_pass_statistics: bool = option(
        False, help="print what passes count, to standard error; release builds of MLIR count nothing"
    )
    mlir_pass_statistics_display: str = option(
        "pipeline", value="KIND", choices=("list", "pipeline"), help="list or pipeline (pipeline)"
    )
    mlir_disable_threading: bool = option(False, help="run on one thread")
    mlir_pass_pipeline_crash_reproducer: str | None = option(
        None, value="FILE", help="where a pass fails, write the input and the pipeline there"
    )
    run_reproducer: bool = option(False, help="run the pipeline that stands in the input, a reproducer")
    dump_pass_pipeline: bool = option(False, help="print the pipeline before it runs, to standard error")
    verify_roundtrip: bool = option(
        False, help="check that the input survives printing and parsing, as text and as bytecode"
    )
    no_implicit_module: bool = option(
        False, help="take the only operation of the input as it is, without a module around it"
    )
    irdl_file: str | None = option(None, value="FILE", help="register the dialects that this IRDL defines")
    show_dialects: bool = option(False, help="print the names of the dialects that are known")
    debug_only: str | None = option(
        None,
        value="TYPE,...",
        help="debug output of MLIR; its wheels are release builds, which have none, and a note says so",
    )


_FLAGS = {one.metadata["name"] or one.name.replace("_", "-"): one for one in fields(Settings) if one.metadata}


def parse_command_line(arguments: Sequence[str], upstream: Sequence[str]) -> Settings:
    """Read the arguments.

    Args:
      arguments: Without the name of the program.
      upstream: Names of upstream passes, which are flags as well.

    Raises:
      UsageError: An argument is unknown, lacks its value, or does not go with another.
    """
    settings = Settings()
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "-" or not word.startswith("-"):
            if settings.input is not None:
                raise CommandLineError(f"one input file at most, but got '{settings.input}' and '{word}'")
            settings.input = word
            continue
        name, equals, value = word.lstrip("-").partition("=")
        name = "help" if name == "h" else name
        flag = _FLAGS.get(name)
        if flag is not None and isinstance(flag.default, bool):
            setattr(settings, flag.name, _boolean(word, value) if equals else True)
        elif flag is not None:
            if not equals and not words:
                raise CommandLineError(f"'{word}' needs a value")
            setattr(settings, flag.name, _value(word, flag, value if equals else words.pop(0)))
        elif find_pass(name) is not None or find_pipeline(name) is not None or name in upstream:
            settings.steps.append((name, value if equals else None))
        else:
            known = [*_FLAGS, *(p.name for p in (*registered_passes(), *registered_pipelines())), *upstream]
            near = suggest(name, known).replace("'", "'--", 1)
            raise CommandLineError(f"unknown option '{word}'{near}" + ("" if near else "; --help lists all"))
    if settings.pass_pipeline is not None and settings.steps:
        raise CommandLineError(
            f"--pass-pipeline does not go with '--{settings.steps[0][0]}': put the pass into the pipeline"
        )
    if settings.run_reproducer and (settings.pass_pipeline is not None or settings.steps):
        raise CommandLineError("--run-reproducer runs the pipeline of the input; leave out passes and --pass-pipeline")
    for name, wanted in (("before", settings.mlir_print_ir_before), ("after", settings.mlir_print_ir_after)):
        for one in (wanted or "").split(",") if wanted is not None else ():
            if find_pass(one) is None and one not in upstream:
                near = suggest(one, [*(p.name for p in registered_passes()), *upstream])
                raise CommandLineError(f"--mlir-print-ir-{name}: unknown pass '{one}'{near}")
    if settings.mlir_print_ir_after_change and not settings.mlir_print_ir_after_all:
        raise CommandLineError("--mlir-print-ir-after-change goes with --mlir-print-ir-after-all")
    if settings.no_implicit_module and (settings.emit_bytecode or settings.steps):
        raise CommandLineError(
            "--no-implicit-module goes with --pass-pipeline, whose anchor is the operation, and with text"
        )
    if settings.emit_bytecode and settings.split_input_file:
        raise CommandLineError("--emit-bytecode does not go with --split-input-file: bytecode holds one module")
    return settings


def _value(word: str, flag: Field[Any], given: str) -> str | int:
    """Return the value of a flag."""
    choices: tuple[str, ...] = flag.metadata["choices"]
    if choices and given not in choices:
        raise CommandLineError(f"'{word}' must be {' or '.join(choices)}, but got '{given}'")
    if flag.metadata["value"] == "N":
        if not given.isdecimal() or len(given) > 9:
            raise CommandLineError(f"'{word}' must be a number of at least 0, but got '{given}'")
        return int(given)
    return given


def _boolean(word: str, value: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    if value.lower() not in words:
        raise CommandLineError(f"'{word}' must be true or false")
    return words[value.lower()]


def manual(pipelines: Sequence[NamedPipeline], upstream_count: int) -> str:
    """Return the text of --help."""
    lines = [
        "usage: roller-opt [FILE | -] [options]",
        "",
        "Runs passes over MLIR text, like mlir-opt. Reads standard input without FILE. Passes run in the order in",
        "which their flags stand; options of a pass stand after '=':",
        "  --rtile-construct='device=h200 tile-sizes=64,64,8'",
        f"Each of the {upstream_count} upstream passes is a flag as well (--canonicalize, --cse, ...);",
        "their options are those of mlir-opt.",
        "",
        "options:",
        *(_entry(_spelled(name, flag.metadata["value"]), flag.metadata["help"]) for name, flag in _FLAGS.items()),
        "",
        "passes:",
    ]
    for kind in registered_passes():
        lines += [_entry(f"--{kind.name}", kind.summary), *(_option(o) for o in kind.options())]
    lines += ["", "pipelines:"]
    for pipeline in pipelines:
        lines += [_entry(f"--{pipeline.name}", pipeline.summary), f"      runs {', '.join(pipeline.passes)}"]
        lines += [_option(o) for o in pipeline.options()]
    lines += ["", "exit codes: 0 done, 1 the input was refused, 2 wrong usage, 70 a bug of roller-opt"]
    return "\n".join(lines)


def pass_list(pipelines: Sequence[NamedPipeline], upstream: Sequence[str]) -> str:
    """Return the text of --list-passes."""
    lines = ["passes:", *(_entry(kind.name, kind.summary) for kind in registered_passes())]
    lines += ["pipelines:", *(_entry(p.name, p.summary) for p in pipelines)]
    names = textwrap.fill(" ".join(upstream), 110, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join([*lines, "upstream passes:", names])


def _spelled(name: str, value: str) -> str:
    return f"-{name} {value}" if len(name) == 1 else f"--{name}={value}" if value else f"--{name}"


def _entry(left: str, right: str) -> str:
    return f"  {left:<30} {right}" if len(left) <= 30 else f"  {left}\n{'':<33}{right}"


def _option(option: Option) -> str:
    default = option.spell(option.default)
    shown = "" if default in ('""', "", "None") else f" (default {default})"
    return f"      {f'{option.name}=<{option.type_name}>':<32} {option.help}{shown}"
