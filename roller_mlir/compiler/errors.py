# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the compiler itself; mistakes of the user are `support.diagnostics.DiagnosedError`."""


class InternalError(Exception):
    """The compiler broke its own rules: a bug of ours, never of the input."""
