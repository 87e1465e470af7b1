# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formulas are written out with worked numbers; those numbers are checked."""

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = (
    "roller_mlir.hal",
    "roller_mlir.mapping",
    "roller_mlir.model",
    "roller_mlir.plan",
    "roller_mlir.codegen",
    "roller_mlir.fuzz",
    "roller_mlir.runtime",
    "roller_mlir.measure",
    "roller_mlir.measure.runner",
    "roller_mlir.tools",
)
NEEDS_TRITON = "triton_kernels"


def modules() -> list[str]:
    found: list[str] = []
    for name in PACKAGES:
        package = importlib.import_module(name)
        names = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg]
        found += [f"{name}.{module}" for module in names if module != NEEDS_TRITON]
    return found


@pytest.mark.parametrize("name", modules())
def test_worked_numbers(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_that_there_are_some() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    examples = [t for name in modules() for t in finder.find(importlib.import_module(name)) if t.examples]
    assert len(examples) >= 10
