# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests are of the compiler, not of what it once did: no compile cache, here and in the processes that tests start."""

import os

from hypothesis import settings

os.environ["ROLLER_CACHE"] = "0"

settings.register_profile("unhurried", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("unhurried")
