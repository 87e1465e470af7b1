# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user says of kernels whose blocks wait for each other, which IREE launches as it launches others."""

import argparse


def add_residency_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--assume-resident`."""
    parser.add_argument(
        "--assume-resident",
        action="store_true",
        help="launch kernels of whole graphs, whose blocks wait for each other, as others are launched: you see to it "
        "that no two of them run on the device at once",
    )
