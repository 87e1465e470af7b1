# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the system says of a failure, as messages of ours have it."""


def reason_of(error: Exception) -> str:
    """Return why something failed, without the path, which the message names: in lower case what the system says.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "a.mlir"))
    'no such file or directory'
    >>> reason_of(OSError("Text file busy"))
    'text file busy'
    >>> reason_of(ValueError("it is not UTF-8"))
    'it is not UTF-8'
    """
    return (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
