# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Standard output that may fail: a full disk or a closed stream is the user's news, not a bug of ours."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress

from roller_mlir.support.foreign.printable import printable


class OutputError(Exception):
    """Standard output cannot be written; the text says why."""


@contextmanager
def writing_output() -> Generator[None, None, None]:
    """Flush standard output behind the block, and tell its failures from those of other files.

    Raises:
      OutputError: It cannot be written; what is still buffered is dropped.
      BrokenPipeError: Its reader has gone.
    """
    if getattr(sys, "stdout", None) is None:
        raise OutputError("cannot write standard output: it is closed")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise OutputError(f"cannot write standard output: {error.strerror or error}") from None


def drop_output() -> None:
    """Let nothing of standard output reach its file any more; the interpreter flushes it once more at its exit."""
    with suppress(OSError):  # a stream without a file, as under a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(text: str) -> None:
    """Print a line on standard error; names in it may be a stranger's."""
    print(printable(text), file=sys.stderr)
