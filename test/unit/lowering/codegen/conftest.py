# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the tests of this folder import their shared cases."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
