# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""roller-opt: runs our passes and upstream passes over MLIR text, for everyone at home with mlir-opt."""

import sys
from collections.abc import Sequence

from roller_mlir.tools.console.interrupt import interruptible


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; everything else is imported inside, where an interrupt is no traceback.

    Args:
      argv: Arguments without the program's name; those of the process where None, in which case the work is done in
        a child process, so that a crash inside MLIR is reported.

    Returns:
      0 done, 1 the input was refused, 2 wrong usage, 70 a bug of ours, 130 interrupted.
    """

    def work() -> int:
        from roller_mlir.tools.opt.driver import drive

        return drive(list(sys.argv[1:] if argv is None else argv), in_child=argv is None)

    return interruptible("roller-opt", work, whole_process=argv is None)


if __name__ == "__main__":
    sys.exit(main())
