# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where suites lie: in `bench/suites` of a checkout by name, or in a folder of a user's."""

import difflib
from pathlib import Path

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.tables.read import TABLE, read_table

_SUITES = Path(__file__).resolve().parents[4] / "bench" / "suites"


def suite_names() -> tuple[str, ...]:
    """Return the names of the suites that come with the checkout, in alphabetical order; none without a checkout."""
    return tuple(sorted(path.parent.name for path in _SUITES.glob(f"*/{TABLE}")))


def suite_folder(name: str) -> Path:
    """Return the folder of a suite.

    Args:
        name: That of a suite in `bench/suites`, or the path of a folder with a table, which holds a path separator or
            is "." where a suite has the same name.

    Raises:
        SuiteError: There is no such suite.
    """
    if name in suite_names():
        return _SUITES / name
    folder = Path(name)
    if folder.is_dir():
        if not (folder / TABLE).is_file():
            raise SuiteError(f"holds no {TABLE}; a suite is a folder with this table", file=name)
        return folder
    if "/" in name or name in (".", ".."):
        raise SuiteError("is no folder; a suite is a folder with a table", file=name)
    names = suite_names()
    if not names:
        raise SuiteError(
            f"unknown suite '{name}': this installation has none, the tables are in bench/suites of the source tree; "
            f"give the path of a folder with a table, {TABLE}"
        )
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    nearest = f"; did you mean '{close[0]}'?" if close else ""
    raise SuiteError(f"unknown suite '{name}'{nearest}; known: {', '.join(names)}, or the path of a folder")


def find_suite(name: str) -> tuple[Operator, ...]:
    """Return the operators of a suite, in the table's order.

    Args:
        name: As for `suite_folder`.

    Raises:
        SuiteError: There is no such suite, or its table breaks a rule.
    """
    return read_table(suite_folder(name) / TABLE)
