# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kit from the package, for dry runs: the kit's own run.py needs none."""

import sys

from roller_mlir.evaluation.measure.runner.main import main

if __name__ == "__main__":
    sys.exit(main())
