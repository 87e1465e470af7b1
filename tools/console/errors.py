# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `roller` does with exceptions: one message and exit code per kind, and a reproducer for a bug of ours."""

import argparse
import re
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.support.foreign.printable import printable
from roller_mlir.support.standard_output import OutputError, drop_output, print_error, writing_output
from roller_mlir.tools.console.colour import coloured
from roller_mlir.tools.console.interrupt import check

if TYPE_CHECKING:
    from roller_mlir.support.diagnostics import Diagnostic

USER_ERROR, USAGE_ERROR, INTERNAL_ERROR, BROKEN_PIPE = 1, 2, 70, 141

# Lines under diagnostics help readers; longer ones, and those of texts that hold such, do not.
_LONGEST_LINE = 1000

# Errors whose message says all, by module and name: looking them up in what is already imported keeps the start quick.
_USER_ERRORS = {
    ("roller_mlir.runtime.errors", "ArtifactError"): USER_ERROR,
    ("roller_mlir.runtime.errors", "ArgumentError"): USER_ERROR,
    ("roller_mlir.runtime.errors", "BackendError"): USER_ERROR,
    ("roller_mlir.downstream.iree.tools", "IreeError"): USER_ERROR,
    ("roller_mlir.evaluation.measure.report.results_file", "ResultsError"): USER_ERROR,
    ("roller_mlir.support.jobs.ray_cluster", "JobsError"): USER_ERROR,
    ("roller_mlir.hal.errors", "DeviceError"): USAGE_ERROR,
    ("roller_mlir.support.passes.pipeline_text", "PipelineError"): USAGE_ERROR,
    ("roller_mlir.support.passes.passes", "OptionError"): USAGE_ERROR,
}


class UsageError(Exception):
    """The arguments do not fit together."""


class InputError(Exception):
    """A file that was named on the command line cannot be used."""


def run_guarded(action: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    """Run a sub-command; return its exit code, or that of its error after printing it."""
    try:
        code = action(arguments)
        with writing_output():
            return code
    except BrokenPipeError:
        drop_output()
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the last line of defence: everything else is reported as our bug
        check()
        return _report(error, arguments)


def _report(error: Exception, arguments: argparse.Namespace) -> int:
    if isinstance(error, UsageError):
        return _say(str(error), USAGE_ERROR, arguments)
    if isinstance(error, (InputError, OutputError)):
        return _say(str(error), USER_ERROR, arguments)
    diagnostics = sys.modules.get("roller_mlir.support.diagnostics")
    if diagnostics is not None and isinstance(error, diagnostics.DiagnosedError):
        name, text = getattr(arguments, "source", ("-", ""))
        lines = {"-": text} if max(map(len, text.split("\n"))) <= _LONGEST_LINE else {}
        found: Any = error
        for diagnostic in found.diagnostics:
            shown = diagnostics.render(diagnostic, lines, {"-": name})
            print(coloured(printable(shown), getattr(arguments, "color", "auto")), file=sys.stderr)
        _say_in_json([_record(one, name) for one in found.diagnostics], arguments)
        return USER_ERROR
    for (module, name), code in _USER_ERRORS.items():
        kind = getattr(sys.modules.get(module), name, None)
        if kind is not None and isinstance(error, kind):
            return _say(str(error), code, arguments)
    if _is_lack_of_memory(error):
        what = f": {error}" if str(error) else ""
        return _say(f"there is not enough memory for this{what}", USER_ERROR, arguments)
    if isinstance(error, OSError) and error.filename is not None:
        return _say(f"{error.filename}: {error.strerror}", USER_ERROR, arguments)
    return _internal(error, arguments)


def _is_lack_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory is used up.

    Libraries in C that forget to say so leave a SystemError behind; it counts where the process has come to its limit.
    """
    if isinstance(error, SystemError):
        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        with suppress(OSError):
            peaks = re.findall(r"VmPeak:\s*(\d+) kB", Path("/proc/self/status").read_text())
            return most != resource.RLIM_INFINITY and any(int(peak) * 1024 > 0.9 * most for peak in peaks)
    return isinstance(error, MemoryError) or (isinstance(error, ImportError) and "failed to map segment" in str(error))


def _say(message: str, code: int, arguments: argparse.Namespace) -> int:
    print(coloured(printable(f"roller: error: {message}"), getattr(arguments, "color", "auto")), file=sys.stderr)
    _say_in_json([plain_record(message)], arguments)
    return code


def plain_record(message: str) -> dict[str, Any]:
    """Return an error without a place as `--json` prints it."""
    return {"severity": "error", "file": None, "line": None, "column": None, "message": message, "notes": []}


def _record(diagnostic: "Diagnostic", name: str) -> dict[str, Any]:
    """Return a diagnostic as `--json` prints it."""
    place = diagnostic.place
    line, column = (place.line, place.column) if place is not None and place.line > 0 else (None, None)
    return {
        "severity": diagnostic.severity,
        "file": (name if place.file == "-" else place.file) if place is not None else None,
        "line": line,
        "column": column,
        "message": diagnostic.message,
        "notes": [_record(note, name) for note in diagnostic.notes],
    }


def _say_in_json(records: list[dict[str, Any]], arguments: argparse.Namespace) -> None:
    """Print errors as the one document of standard output, where JSON was asked for."""
    if getattr(arguments, "json", False) is True:
        from roller_mlir.tools.console.output import print_json

        with suppress(OSError, OutputError):
            print_json(records)


def _internal(error: Exception, arguments: argparse.Namespace) -> int:
    """Report a bug of ours: what, where, and the command that shows it again."""
    pipeline = sys.modules.get("roller_mlir.support.passes.pipeline")
    named = pipeline is not None and isinstance(error, pipeline.PassCrashError)  # which says pass, op and exception
    message = str(error) if named else f"internal error: {type(error).__name__}: {error}"
    print(coloured(printable(f"roller: {message}"), getattr(arguments, "color", "auto")), file=sys.stderr)
    _say_in_json([plain_record(message)], arguments)
    frames = traceback.extract_tb(error.__traceback__)
    if frames:
        print_error(f"  at {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}")
    _, text = getattr(arguments, "source", ("-", ""))
    trace = "".join(traceback.format_exception(error))
    _write_reproducer("roller", text, getattr(arguments, "file", ""), {"traceback.txt": trace})
    return INTERNAL_ERROR


def report_death(signal_name: str, stage: str, text: str) -> int:
    """Report that a crash ended the process that worked on a program: a bug of ours, or of MLIR's or LLVM's.

    Args:
        signal_name: What ended it.
        stage: What it was doing; "" where that is not known.
        text: The program.
    """
    message = f"internal error: {signal_name} ended the process{f' in {stage}' if stage else ''}"
    print_error(printable(f"roller: {message}"))
    _say_in_json([plain_record(message)], argparse.Namespace(json="--json" in sys.argv))
    named = next((word for word in sys.argv[2:] if word == "-" or word.endswith((".mlir", ".mlirbc"))), "")
    _write_reproducer("roller, MLIR or LLVM", text, named, {"signal.txt": f"{message}\n"})
    return INTERNAL_ERROR


def _write_reproducer(whose: str, text: str, named: str, more: dict[str, str]) -> None:
    """Write the program and what is known of a bug into a new folder; say so, and the command that shows it again.

    Args:
        whose: Who has the bug.
        text: The program; "" where there is none.
        named: What the command line calls its file.
        more: Other files.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="roller-bug-"))
        for name, content in more.items():
            (folder / name).write_text(content)
        command = list(sys.argv[1:])
        if text:
            (folder / "input.mlir").write_text(text)
            command = [str(folder / "input.mlir") if part == named else part for part in command]
        print_error(f"  this is a bug of {whose}; please report it with the files in {folder}")
        print_error(f"  reproduce: roller {' '.join(command)}")
    except OSError as problem:
        print_error(f"  no reproducer could be written: {problem.strerror}")
