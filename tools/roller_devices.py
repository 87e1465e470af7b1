# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""List the devices that roller compiles for, or all that is known of one of them.

roller devices             one line a device
roller devices h200        limits, memory layers and instructions, and the TOML file that they stand in
roller devices --json      the same for machines, in SI units

The source of each number (document and page, or how it was measured) stands beside it in the device's TOML file.
"""

import argparse
from dataclasses import asdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "name", nargs="?", help="a device, an alias (sm_90a) or an architecture (sm_90); all by default"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.hal import describe, device_file, device_names, device_table, find_device
    from roller_mlir.tools.roller_output import print_json, print_line, print_tables

    if arguments.json:
        names = [arguments.name] if arguments.name else list(device_names())
        found = [asdict(find_device(name)) for name in names]
        print_json(found[0] if arguments.name else found)
    elif arguments.name:
        print_tables([(t.title, t.header, t.rows) for t in describe(find_device(arguments.name))])
        print_line(f"numbers and their sources: {device_file(arguments.name)}")
    else:
        table = device_table()
        print_tables([(table.title, table.header, table.rows)])
    return 0
