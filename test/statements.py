# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements of a file of Python: for who looks for classes and functions, `ast.walk` takes ten times as long."""

import ast
import functools
import gc
from collections.abc import Iterator

_INSIDE = ("body", "handlers", "cases", "orelse", "finalbody")


@functools.cache
def parsed(text: str) -> ast.Module:
    """Return the tree of a file's text, made once for all tests of a process that look at the repository."""
    tree = ast.parse(text)
    gc.freeze()  # millions of nodes, none of them in a cycle: each collection behind them would take a second
    return tree


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a module or a statement, at any depth; no expression."""
    for field in _INSIDE:
        for one in getattr(node, field, ()):
            yield one
            yield from statements(one)
