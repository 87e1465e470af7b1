# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user says of our kernels in a program of IREE."""

import argparse

from roller_mlir.lowering.targets.family import image_roles


def add_program_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `--image`, and `--assume-resident` for kernels whose blocks wait for each other."""
    parser.add_argument("--image", choices=image_roles(), help="kind of binaries (ptx; for AMD hsaco)")
    parser.add_argument(
        "--assume-resident",
        action="store_true",
        help="launch kernels of whole graphs, whose blocks wait for each other, as others are launched: you see to it "
        "that no two of them run on the device at once",
    )
