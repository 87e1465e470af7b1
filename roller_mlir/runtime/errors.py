# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The errors of the runtime; each message states the rule and the value that breaks it."""


class ArtifactError(Exception):
    """An artifact cannot be written or read."""


class ArgumentError(ValueError):
    """An array does not fit the function's signature."""


class BackendError(Exception):
    """A back end is unknown, unavailable, or could not run a kernel."""
