# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share, and the modules of bench/gpu, importable: tests are imported by file."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(folder) for folder in (HERE, HERE / "schedule", HERE.parents[2] / "bench" / "gpu")]
