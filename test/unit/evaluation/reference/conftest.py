# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make the tests' helper modules importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
