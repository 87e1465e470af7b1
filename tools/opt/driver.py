# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What roller-opt does: input through the passes to output, with one message and exit code per kind of error."""

import io
import re
import sys
from collections.abc import Sequence

from roller_mlir import __version__
from roller_mlir.lowering.targets.family import families, load_passes
from roller_mlir.support import stage
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, parse_module, render
from roller_mlir.support.passes.passes import NamedPipeline
from roller_mlir.support.passes.pipeline import PassCrashError, Pipeline, RunOptions, parse_pipeline, run_pipeline
from roller_mlir.support.passes.pipeline_text import PipelineError
from roller_mlir.support.passes.upstream import nest_for, upstream_passes
from roller_mlir.support.source import FileError, InputFile, read_source, write_output
from roller_mlir.support.standard_output import OutputError, drop_output, print_error
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.opt.command_line import CommandLineError, Settings, manual, parse_command_line, pass_list
from roller_mlir.tools.opt.crash import write_reproducer
from roller_mlir.tools.opt.dialects import dialect_names, load_irdl, note_release, set_debug_types
from roller_mlir.tools.opt.expectations import check_expectations
from roller_mlir.tools.opt.guarded import run_guarded
from roller_mlir.tools.opt.operation import check_roundtrip, print_operation, run_operation
from roller_mlir.tools.opt.reproducer import external_resources, pipeline_of, with_resources, write_crash_reproducer

DONE, REFUSED, USAGE, BUG = 0, 1, 2, 70
_BROKEN_PIPE = 141
_SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)


def drive(arguments: Sequence[str], *, in_child: bool) -> int:
    """Do what the command line says.

    Args:
      arguments: Without the program's name.
      in_child: Whether to work in a child process, so that a crash inside MLIR is reported.

    Returns:
      0 done, 1 the input was refused, 2 wrong usage, 70 a bug of ours, 130 interrupted.
    """
    load_passes()
    try:
        settings = parse_command_line(arguments, upstream_passes())
        if settings.help or settings.version or settings.list_passes or settings.show_dialects:
            write_output("-", f"{_information(settings)}\n".encode())
            return DONE
        source = read_source(settings.input or "-")

        def on_crash(signal_name: str) -> int:
            if settings.mlir_pass_pipeline_crash_reproducer is not None:
                _keep_reproducer(source.text, settings, _pipeline(settings, source))
            where = f" in {stage.last()}" if stage.last() else ""
            return _report_bug(f"the process ended with {signal_name}{where}", source, settings, None)

        check()
        if in_child:
            return run_guarded(lambda: _work(source, settings), on_crash)
        return _work(source, settings)
    except CommandLineError as error:
        return _complain(str(error), USAGE)
    except (FileError, OutputError) as error:
        return _complain(str(error), REFUSED)
    except DiagnosedError as error:
        return _complain_all(error.diagnostics)
    except BrokenPipeError:
        return _broken_pipe()


def _pipelines() -> list[NamedPipeline]:
    return [family.pipeline for family in families()]


def _information(settings: Settings) -> str:
    if settings.help:
        return manual(_pipelines(), len(upstream_passes()))
    if settings.list_passes:
        return pass_list(_pipelines(), upstream_passes())
    if settings.show_dialects:
        return f"Available Dialects: {','.join(dialect_names())}"
    return f"roller-opt {__version__}"


def _work(source: InputFile, settings: Settings) -> int:
    """Process the input; everything that touches MLIR happens here."""
    try:
        pipeline = _pipeline(settings, source)
        if settings.dump_pass_pipeline:
            print(f"Pass Manager with {len(pipeline.steps)} passes:\n{pipeline}", file=sys.stderr, flush=True)
        if settings.debug_only is not None:
            set_debug_types(settings.debug_only)
        if settings.mlir_pass_statistics:
            note_release("--mlir-pass-statistics has no numbers")
        results = [_process(chunk, source, settings, pipeline) for chunk in _chunks(source, settings)]
        done = [content for content in results if content is not None]
        failed = len(done) < len(results)
        check()
        if done and not (failed and settings.output != "-"):
            write_output(settings.output, b"// -----\n".join(done))
        return REFUSED if failed else DONE
    except PipelineError as error:
        return _complain(str(error), USAGE)
    except (FileError, OutputError) as error:
        return _complain(str(error), REFUSED)
    except BrokenPipeError:
        return _broken_pipe()
    except PassCrashError as error:
        return _report_bug(str(error), source, settings, error)
    except Exception as error:  # noqa: BLE001 - the last resort: a bug of ours, reported as one
        return _report_bug(f"internal error: {type(error).__name__}: {error}", source, settings, error)


def _pipeline(settings: Settings, source: InputFile) -> Pipeline:
    if settings.no_implicit_module:
        return Pipeline(())
    if settings.run_reproducer:
        found = pipeline_of(source.text)
        if found is None:
            raise FileError(f"'{source.name}' is no reproducer: it has no pipeline in the resource mlir_reproducer")
        settings.pass_pipeline, flags = found
        settings.verify_each = flags.get("verify_each", settings.verify_each)
        settings.mlir_disable_threading |= flags.get("disable_threading", False)
    if settings.pass_pipeline is not None:
        with ir.Context():
            return parse_pipeline(settings.pass_pipeline)
    if not settings.steps:
        return Pipeline(())
    upstream = set(upstream_passes())
    elements: list[str] = []
    for name, options in settings.steps:
        element = name if options is None else f"{name}{{{options}}}"
        elements.append(nest_for(element) if name in upstream else element)
    with ir.Context():
        return parse_pipeline(f"builtin.module({','.join(elements)})")


def _chunks(source: InputFile, settings: Settings) -> list[str]:
    """Split the input; each part keeps its line numbers by empty lines in front."""
    if not settings.split_input_file:
        return [source.text]
    parts = _SPLIT.split(source.text)
    starts = [0]
    for part in parts[:-1]:
        starts.append(starts[-1] + part.count("\n"))
    return ["\n" * start + part for start, part in zip(starts, parts, strict=True)]


def _process(chunk: str, source: InputFile, settings: Settings, pipeline: Pipeline) -> bytes | None:
    """Run the pipeline over one part of the input.

    Returns:
      The result as bytes; None where it was refused, which has been reported.
    """
    content: bytes | None = None
    try:
        context = make_context(allow_unregistered=settings.allow_unregistered_dialect)
        if settings.irdl_file is not None:
            load_irdl(settings.irdl_file, context)
        if settings.no_implicit_module:
            return run_operation(chunk, context, settings)
        module = parse_module(chunk if source.bytecode is None else source.bytecode, context)
        if settings.verify_roundtrip:
            check_roundtrip(module.operation, context)
        found: Sequence[Diagnostic] = run_pipeline(module, pipeline, _options(settings)).diagnostics
        content = _print(module, settings, external_resources(chunk))
    except DiagnosedError as error:
        found = error.diagnostics
        _keep_reproducer(chunk, settings, pipeline)
    except PassCrashError:
        _keep_reproducer(chunk, settings, pipeline)
        raise
    if settings.verify_diagnostics:
        complaints = check_expectations(chunk, found)
        _show(complaints, source)
        return None if complaints else content or b""
    _show(found, source)
    return content


def _options(settings: Settings) -> RunOptions:
    def names(given: str | None) -> tuple[str, ...]:
        return () if given is None else tuple(given.split(","))

    return RunOptions(
        verify_each=settings.verify_each,
        print_before_all=settings.mlir_print_ir_before_all,
        print_after_all=settings.mlir_print_ir_after_all,
        print_generic=settings.mlir_print_op_generic,
        timing=settings.mlir_timing,
        before=names(settings.mlir_print_ir_before),
        after=names(settings.mlir_print_ir_after),
        print_after_change=settings.mlir_print_ir_after_change,
        print_after_failure=settings.mlir_print_ir_after_failure,
        print_module_scope=settings.mlir_print_ir_module_scope,
        tree_folder=settings.mlir_print_ir_tree_dir,
        most_elements=settings.mlir_elide_elementsattrs_if_larger,
        most_resource=settings.mlir_elide_resource_strings_if_larger,
        statistics=settings.mlir_pass_statistics_display if settings.mlir_pass_statistics else None,
        threads=not settings.mlir_disable_threading,
    )


def _keep_reproducer(chunk: str, settings: Settings, pipeline: Pipeline) -> None:
    path = settings.mlir_pass_pipeline_crash_reproducer
    if path is not None and pipeline.steps:
        write_crash_reproducer(path, chunk, str(pipeline), verify_each=settings.verify_each)


def _print(module: "ir.Module", settings: Settings, external: str) -> bytes:
    if settings.emit_bytecode:
        buffer = io.BytesIO()
        module.operation.write_bytecode(buffer)
        return buffer.getvalue()
    return with_resources(print_operation(module.operation, settings), external).encode()


def _show(diagnostics: Sequence[Diagnostic], source: InputFile) -> None:
    for diagnostic in diagnostics:
        print_error(render(diagnostic, {"-": source.text}, {"-": source.name}))
    sys.stderr.flush()


def _complain(message: str, code: int) -> int:
    print_error(f"roller-opt: error: {message}" if not message.startswith("pipeline:") else message)
    return code


def _complain_all(diagnostics: Sequence[Diagnostic]) -> int:
    for diagnostic in diagnostics:
        print_error(render(diagnostic))
    return REFUSED


def _broken_pipe() -> int:
    """End quietly when the reader of our output has gone."""
    drop_output()
    return _BROKEN_PIPE


def _report_bug(reason: str, source: InputFile, settings: Settings, error: BaseException | None) -> int:
    """Report a bug of ours, with a file and the command that shows it again."""
    command = ["roller-opt", "{}"]
    if settings.pass_pipeline is not None:
        command.append(f"--pass-pipeline={settings.pass_pipeline}")
    command += [f"--{name}" if options is None else f"--{name}={options}" for name, options in settings.steps]
    command += ["--split-input-file"] if settings.split_input_file else []
    command += ["--allow-unregistered-dialect"] if settings.allow_unregistered_dialect else []
    print_error(f"roller-opt: {reason}")
    try:
        replay = write_reproducer(source.text, command, reason, error)
    except OSError as failure:
        print_error(f"roller-opt: no reproducer was written: {failure.strerror}")
        return BUG
    print_error(f"roller-opt: this is a bug of roller-opt; to see it again:\n  {replay}")
    return BUG
