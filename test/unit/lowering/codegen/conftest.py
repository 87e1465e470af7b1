# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the tests of this folder, and of those in it, import their shared cases."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), *(str(HERE / name) for name in ("hopper", "reductions"))]
