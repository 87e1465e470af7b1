# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one error of this package: a kernel that could not be compiled."""

from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, SourcePlace


class CompileError(DiagnosedError):
    """A kernel could not be turned into a binary.

    Attributes:
        kernel: name of the kernel.
        reason: what went wrong, with the remedy where there is one.
    """

    def __init__(self, kernel: str, reason: str, place: SourcePlace | None = None) -> None:
        super().__init__([Diagnostic("error", f"kernel '{kernel}': {reason}", place)])
        self.kernel = kernel
        self.reason = reason

    def at(self, place: SourcePlace | None) -> "CompileError":
        """Return the same error with the place of the kernel in the source."""
        return CompileError(self.kernel, self.reason, place)
