# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Located errors: how a pass fails, how MLIR's own diagnostics are collected, and how both are shown.

A user's mistake is one `Diagnostic` with a place in a file. Passes raise it with `fail`; `collecting` gathers what MLIR
itself emits; `render` prints it as `mlir-opt` does, with the line and a caret.
"""

import contextlib
import re
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from roller_mlir.support.bindings import ir
from roller_mlir.support.stage import during


@dataclass(frozen=True)
class SourcePlace:
    """A place in a source text.

    Attributes:
      file: Name of the file; "-" for text that did not come from a file.
      line: Line, counted from 1.
      column: Column, counted from 1.
      name: What stands there, in the words of the front end that a model came through, such as "node 'fc1' (Gemm)";
        line and column are then 0.
    """

    file: str
    line: int
    column: int
    name: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.name}" if self.name else f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """One message to the user.

    Attributes:
      severity: "error", "warning", "remark" or "note".
      message: The text, without place and severity.
      place: Where, or None where the location is unknown.
      notes: Further explanations, each with its own place.
    """

    severity: str
    message: str
    place: SourcePlace | None = None
    notes: tuple["Diagnostic", ...] = ()


def in_file(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """Return a diagnostic whose places in a text without a name are in a file."""
    place = diagnostic.place
    if place is not None and place.file == "-":
        place = replace(place, file=name)
    return replace(diagnostic, place=place, notes=tuple(in_file(note, name) for note in diagnostic.notes))


class DiagnosedError(Exception):
    """What the user gave is wrong, and the diagnostics say where and why.

    Attributes:
      diagnostics: At least one, in the order in which they were found.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        if not diagnostics:
            raise ValueError("a DiagnosedError needs at least 1 diagnostic, but got 0")
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(render(d) for d in self.diagnostics))

    @property
    def message(self) -> str:
        """The text of the first error, without its place."""
        return next((d for d in self.diagnostics if d.severity == "error"), self.diagnostics[0]).message


def place_of(location: Any) -> SourcePlace | None:
    """Return the first file place inside an MLIR location, or None."""
    if isinstance(location, ir.FileLineColLoc):
        return SourcePlace(str(location.filename), int(location.start_line), int(location.start_col))
    if isinstance(location, ir.NameLoc):
        return place_of(location.child_loc) or SourcePlace("-", 0, 0, str(location.name_str))
    if isinstance(location, ir.CallSiteLoc):
        return place_of(location.callee)
    if isinstance(location, ir.FusedLoc):
        return next((place for inner in location.locations if (place := place_of(inner)) is not None), None)
    return None


def _location_of(where: Any) -> Any:
    """Return the location of an op, a value, a block argument, or the location itself."""
    return where if where is None or isinstance(where, ir.Location) else where.location


def fail(where: Any, message: str, notes: Sequence[tuple[Any, str]] = ()) -> NoReturn:
    """End a pass with a located error.

    Args:
      where: The op, value or location that the user should look at.
      message: Subject, need against limit with units, remedy.
      notes: Pairs of a place (as `where`) and a text that explain further.

    Raises:
      DiagnosedError: Always.
    """
    attached = tuple(Diagnostic("note", text, place_of(_location_of(place))) for place, text in notes)
    raise DiagnosedError([Diagnostic("error", message, place_of(_location_of(where)), attached)])


@dataclass
class Collector:
    """Diagnostics gathered so far, in order."""

    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def errors(self) -> list[Diagnostic]:
        """Return the errors among them."""
        return [d for d in self.diagnostics if d.severity == "error"]


_collector: ContextVar[Collector | None] = ContextVar("roller_mlir_collector", default=None)


def remark(where: Any, message: str) -> None:
    """Report a located remark to whoever collects: what was decided and why, which the user asked for."""
    collector = _collector.get()
    if collector is not None:
        collector.diagnostics.append(Diagnostic("remark", message, place_of(_location_of(where))))


def from_mlir(diagnostic: Any) -> Diagnostic:
    """Convert a diagnostic of the bindings."""
    return Diagnostic(
        str(diagnostic.severity.name).lower(),
        str(diagnostic.message),
        place_of(diagnostic.location),
        tuple(from_mlir(note) for note in diagnostic.notes),
    )


@contextlib.contextmanager
def collecting(context: "ir.Context") -> Generator[Collector]:
    """Gather every diagnostic that MLIR and our passes emit in this context, instead of printing it."""
    collector = Collector()

    def handle(diagnostic: Any) -> bool:
        collector.diagnostics.append(from_mlir(diagnostic))
        return True

    handler: Any = context.attach_diagnostic_handler(handle)
    previous = context.emit_error_diagnostics
    context.emit_error_diagnostics = True
    token = _collector.set(collector)
    try:
        yield collector
    finally:
        _collector.reset(token)
        context.emit_error_diagnostics = previous
        handler.detach()


def parse_module(source: str | bytes, context: "ir.Context", *, file: str = "") -> "ir.Module":
    """Parse MLIR text or bytecode.

    Args:
      source: The text, or the bytes of MLIR bytecode. Places in it carry the file name "-".
      context: A context from `make_context`.
      file: The file that holds the text; places then carry its name.

    Raises:
      DiagnosedError: The text is not valid MLIR, or the module does not verify.
    """
    outer = _collector.get()
    with collecting(context) as collector:
        try:
            with during("MLIR's parser"):
                module = ir.Module.parseFile(file, context) if file else ir.Module.parse(source, context)
        except ir.MLIRError as error:
            raise diagnosed(collector, error) from None
    if outer is not None:
        outer.diagnostics.extend(collector.diagnostics)
    return module


def diagnosed(collector: Collector, error: BaseException) -> DiagnosedError:
    """Make a DiagnosedError of what was collected, or of the exception's text where nothing was."""
    own = [from_mlir(d) for d in getattr(error, "error_diagnostics", ())]
    found = collector.diagnostics + own
    if not any(d.severity == "error" for d in found):
        found = [*found, Diagnostic("error", str(error).strip() or "MLIR failed without a diagnostic")]
    return DiagnosedError(found)


def render(
    diagnostic: Diagnostic, sources: Mapping[str, str] | None = None, names: Mapping[str, str] | None = None
) -> str:
    """Format a diagnostic like mlir-opt: `file:line:column: error: message`, the line, and a caret under the column.

    Args:
      diagnostic: What to show, with its notes.
      sources: Text per file name, for the line under the message.
      names: Name to show per file name, such as {"-": "matmul.mlir"}.
    """
    place = diagnostic.place
    if place is None or place.line == 0:
        file = "" if place is None else (names or {}).get(place.file, "" if place.file == "-" else place.file)
        where = "".join(f"{part}: " for part in (file, place.name if place else "") if part)
        parts = [f"{where}{diagnostic.severity}: {diagnostic.message}"]
    else:
        shown = (names or {}).get(place.file, place.file)
        parts = [f"{shown}:{place.line}:{place.column}: {diagnostic.severity}: {diagnostic.message}"]
        line = _line((sources or {}).get(place.file), place.line)
        if line is not None and place.column >= 1:
            margin = "".join("\t" if c == "\t" else " " for c in line[: place.column - 1])
            parts += [line, f"{margin}^"]
    parts += [render(note, sources, names) for note in diagnostic.notes]
    return "\n".join(parts)


def _line(text: str | None, number: int) -> str | None:
    if text is None:
        return None
    lines = text.split("\n")
    return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else None


def subject(operation: Any) -> str:
    """Return an op and its place, as "'name' at file:line:column"."""
    return _subject(operation.name, place_of(operation.location))


def subject_of_diagnostic(diagnostic: Diagnostic) -> str:
    """Return the op that a diagnostic of MLIR's verifier is about, as far as its text tells, and its place."""
    shown = [note.message for note in diagnostic.notes if "see current operation" in note.message]
    name = re.search(r'"([a-z_]\w*\.[\w.$]+)"|= ([a-z_]\w*\.[\w.$]+) ', shown[0] if shown else "")
    named = re.match(r"'([\w.$]+)' op ", diagnostic.message)
    return _subject(named[1] if named else (name[1] or name[2]) if name else "", diagnostic.place)


def _subject(name: str, place: SourcePlace | None) -> str:
    at = f"at {place}" if place else ""
    return " ".join(part for part in (f"'{name}'" if name else "", at if name else at.removeprefix("at ")) if part)


def subject_of(error: BaseException) -> str:
    """Return the op that the innermost frame of an exception was working on, as "'name' at file:line:column".

    The frames' local variables tell; the text is empty where none of them is an op.
    """
    frames: list[Any] = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    for frame in reversed(frames):
        for value in reversed(list(frame.f_locals.values())):
            if isinstance(value, ir.Operation | ir.OpView):
                # An op that a rewrite has erased answers every question with an exception, one that its constructor
                # has not made yet with a warning, too.
                with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
                    if value.operation.name == "builtin.module":
                        continue
                    return subject(value.operation)
    return ""
