# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one error of the model: no program can be constructed, or a user schedule cannot be one."""


class ConstructionError(ValueError):
    """A program cannot be constructed.

    The message names the subject, what it needs against the limit, with units, and a remedy.
    """
