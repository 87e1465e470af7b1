# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the residuals that these tests share importable: tests are imported by file, not through sys.path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
