# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of CPUs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the tests of this folder import what they share
