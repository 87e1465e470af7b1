# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests are of the compiler, not of what it once did: no compile cache, here and in the processes that tests start."""

import os

os.environ["ROLLER_CACHE"] = "0"
