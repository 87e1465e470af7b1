# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads MLIR input so that no content of a file can hurt: encoding and depth are checked before MLIR sees it."""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, SourcePlace
from roller_mlir.support.standard_output import writing_output

#: MLIR's parser and printer recurse on the C stack of 8 MiB; 2000 nested regions pass and 5000 crash it (measured).
MAX_NESTING = 1000

_BYTECODE_MAGIC = b"ML\xefR"
# What comes before the bytes of a resource in hexadecimal: the alignment of its buffer, in four bytes.
_ALIGNMENT = re.compile(r'"0x([0-9A-Fa-f]{8})')
MAX_ALIGNMENT_BYTES = 4096
_TOKEN = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*|->|[(\[{<]|[)\]}>]')


class FileError(Exception):
    """A file cannot be read or written; the text names it and says why."""


@dataclass(frozen=True)
class InputFile:
    """An input.

    Attributes:
      name: What to call it in messages: the path, or "<stdin>".
      text: The text, empty for bytecode.
      bytecode: The bytes of MLIR bytecode, None for text.
    """

    name: str
    text: str
    bytecode: bytes | None = None


def read_source(path: str) -> InputFile:
    """Read a file, or standard input for "-".

    Raises:
      FileError: The file cannot be read.
      DiagnosedError: It is neither MLIR text nor bytecode, or it is nested too deeply.
    """
    name = "<stdin>" if path == "-" else path
    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(f"cannot open input file '{name}': {_reason(error)}") from None
    return decode_source(content, name)


def decode_source(content: bytes, name: str) -> InputFile:
    """Make a source of the content of a file.

    Raises:
      DiagnosedError: It is neither MLIR text nor bytecode, or it is nested too deeply.
    """
    if content.startswith(_BYTECODE_MAGIC):
        return InputFile(name, "", content)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong(name, content[: error.start].decode("utf-8"), "not MLIR: this byte is not UTF-8 text") from None
    zero = text.find("\0")
    if zero >= 0:
        raise _wrong(name, text[:zero], "not MLIR: the text holds a zero byte")
    check_nesting(text, name)
    check_resources(text, name)
    return InputFile(name, text)


def check_nesting(text: str, name: str = "-") -> None:
    """Refuse text that is nested so deeply that MLIR's parser would overflow its stack.

    Raises:
      DiagnosedError: More than MAX_NESTING brackets are open somewhere.
    """
    if sum(map(text.count, "([{<")) <= MAX_NESTING:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        char = token[0]
        if char in ("(", "[", "{", "<"):
            depth += 1
            if depth > MAX_NESTING:
                message = f"nested too deeply: more than {MAX_NESTING} brackets are open here"
                raise _wrong(name, text[: token.start()], message)
        elif char in (")", "]", "}", ">"):
            depth = max(0, depth - 1)


def check_resources(text: str, name: str = "-") -> None:
    """Refuse resources whose alignment MLIR's parser would abort on.

    Raises:
      DiagnosedError: The alignment of a resource is 0 or above MAX_ALIGNMENT_BYTES.
    """
    start = text.find("{-#")
    for match in _ALIGNMENT.finditer(text, start) if start >= 0 else ():
        alignment = int.from_bytes(bytes.fromhex(match[1]), "little")
        if not 0 < alignment <= MAX_ALIGNMENT_BYTES:
            message = f"the resource asks for an alignment of {alignment} B; it must be 1 to {MAX_ALIGNMENT_BYTES} B"
            raise _wrong(name, text[: match.start()], message)


def write_output(path: str, content: bytes) -> None:
    """Write a file completely or not at all: under another name first, then renamed. "-" is standard output.

    Raises:
      FileError: The file cannot be written; nothing is left behind.
      OutputError: Standard output cannot be written.
    """
    if path == "-":
        with writing_output():
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
        return
    target = Path(path)
    if target.is_dir():
        raise FileError(f"cannot write output file '{path}': Is a directory")
    if target.exists() and not target.is_file():  # a device or a pipe has no other name to be renamed from
        try:
            target.write_bytes(content)
        except OSError as error:
            raise FileError(f"cannot write output file '{path}': {_reason(error)}") from None
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        try:
            partial.write_bytes(content)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write output file '{path}': {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _wrong(name: str, before: str, message: str) -> DiagnosedError:
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return DiagnosedError([Diagnostic("error", message, SourcePlace(name, line, column))])
