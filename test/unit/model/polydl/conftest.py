# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what these tests share importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
