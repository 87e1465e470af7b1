# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator's driver libraries, which a C compiler builds once for all tests of a process, as there is no cache."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path


@cache
def libraries() -> Path:
    """Return where they are built, or will be."""
    folder = tempfile.mkdtemp(prefix="roller-drivers-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
