# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas are written out with worked numbers; those numbers are checked, in every module that has some."""

import ast
import doctest
import importlib

import pytest
from package_sources import sources
from statements import parsed, statements


def examples(text: str) -> int:
    """Return how many examples stand in the docstrings of a source, and in the texts below its values."""
    if ">>> " not in text:
        return 0
    parser = doctest.DocTestParser()
    texts = [
        one.value.value
        for one in statements(parsed(text))
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    ]
    return sum(len(parser.get_examples(one)) for one in texts)


def modules() -> dict[str, int]:
    """Return how many examples there are by the name of their module."""
    found = {name: examples(path.read_text(encoding="utf-8")) for name, path in sources().items()}
    return {name: count for name, count in found.items() if count}


@pytest.mark.parametrize(("name", "count"), modules().items())
def test_worked_numbers(name: str, count: int) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0 and found.attempted == count, "each example runs: doctest looks at docstrings alone"


@pytest.mark.parametrize("example", ["f(1)", "[f(1)]", "(1, 2)", "'a'", "-1", "@f\n    ... def g(): ..."])
def test_each_example_is_found(example: str) -> None:
    text = f'def f():\n    """Return it.\n\n    >>> {example}\n    1\n    """\nclass A:\n    x = 1\n    """>>> x"""\n'
    assert examples(text) == 2
