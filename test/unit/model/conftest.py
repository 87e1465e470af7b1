# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share importable: tests are imported by file, not through sys.path."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "search")]
