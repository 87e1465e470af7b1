# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suites of operators: tables of shapes with published times and tiles, and the linalg text of each operator.

A suite is a folder with a table `operators.csv`; `bench/README.md` documents its columns.
"""

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator, PublishedTiles
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.evaluation.suites.tables.find import find_suite, suite_folder, suite_names
from roller_mlir.evaluation.suites.tables.read import read_table

__all__ = [
    "Operator",
    "PublishedTiles",
    "SuiteError",
    "find_suite",
    "function_text",
    "read_table",
    "suite_folder",
    "suite_names",
]
