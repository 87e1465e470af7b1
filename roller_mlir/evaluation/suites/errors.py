# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one error of this package: a suite that cannot be found, or a table that says something impossible."""


class SuiteError(ValueError):
    """A suite, a table of operators or a table of measurements cannot be used.

    Attributes:
        reason: The rule that is broken and the value that breaks it.
        file: The table at fault, "" where there is none.
        line: Line in it, counted from 1; 0 for the whole file.
        column: Column in that line in characters, counted from 1; 0 for the whole line.
    """

    def __init__(self, reason: str, *, file: str = "", line: int = 0, column: int = 0) -> None:
        """Make an error out of its attributes."""
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        """Give `file:line:column: reason`, without the parts that do not apply."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return f"{place}: {self.reason}" if place else self.reason
