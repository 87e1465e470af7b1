# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share importable, and the expressions of the model's tests."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "model")]
