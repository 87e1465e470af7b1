# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share, and the modules of bench/gpu, importable: tests are imported by file."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[4] / "bench" / "gpu")]
