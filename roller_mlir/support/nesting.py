# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brackets of MLIR text, nested no deeper than its parser's stack allows."""

import re

from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, SourcePlace

# MLIR's parser and our walks recurse once per nesting level; 200 is far beyond any program and far below any stack.
MAX_NESTING = 200
_OPEN, _CLOSE = "({[<", ")}]>"
# A string, a comment, an arrow or comparison (whose bracket is none), or one bracket.
_TOKEN = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*|->|[<>]=|[({\[<)}\]>]')


def check_nesting(text: str) -> None:
    """Refuse brackets nested deeper than the parser's stack allows; brackets in strings and comments do not count.

    Raises:
        DiagnosedError: They are; the place carries the file name "-".
    """
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
        if depth > MAX_NESTING:
            start = match.start()
            place = SourcePlace("-", text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
            raise DiagnosedError([Diagnostic("error", f"brackets are nested more than {MAX_NESTING} deep", place)])
