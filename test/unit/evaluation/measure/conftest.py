# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share, and the modules of bench/gpu, importable: tests are imported by file."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
SHARED = (HERE, *(HERE / name for name in ("calibration", "report", "runner")), HERE.parents[3] / "bench" / "gpu")
sys.path[:0] = [str(folder) for folder in SHARED]
