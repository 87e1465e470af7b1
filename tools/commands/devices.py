# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""List the devices that roller compiles for, or all that is known of one of them.

roller devices                                 one line a device
roller devices h200                            limits, layers, instructions, and the TOML file that they stand in
roller devices --device-file mine.toml         the same of a device of your own
roller devices h200 --calibration lab3.toml    with measured constants in place of some, and who measured them
roller devices h200 --calibrate results.json   what the GPU kit's micro-benchmarks measured, and a calibration of it
roller devices h200 --calibrate DIR -o lab3.toml   the same, the calibration into a file
roller devices host --calibrate                measure this machine, half a minute, and use that as `host` from now on
roller devices --template > mine.toml          a description to start from, every key explained
roller devices --json                          the same for machines, in SI units

The calibration of this machine lies in the folder roller of $XDG_CONFIG_HOME, or of ~/.config, as host-ID.toml, or
where -o says; whoever removes it goes back to what the system tells. The source of each number (document and page, or
how it was measured) stands beside it in the device's TOML file.
"""

import argparse
import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from roller_mlir.evaluation.measure.calibration.file import (
    CalibrationError,
    calibration_toml,
    require_device,
)
from roller_mlir.evaluation.measure.calibration.table import calibration_tables
from roller_mlir.evaluation.measure.report.results_file import read_results
from roller_mlir.hal import describe, device_files, device_names, device_table, find_device
from roller_mlir.hal.files.template import template
from roller_mlir.hal.host import NAMES as HOSTS
from roller_mlir.hal.host import calibration_file, host_device
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.output import check_place, print_json, print_line, print_tables, write_whole
from roller_mlir.tools.console.targets import add_calibration_argument, add_device_file_argument, target_of

_HERE = ""
"""What --calibrate says without results: this machine is measured."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "target",
        metavar="name",
        nargs="?",
        help="a device, an alias (sm_90a) or an architecture (sm_90); all by default",
    )
    add_device_file_argument(parser)
    add_calibration_argument(parser)
    about = "results that a runner of the GPU kit brought back (results.json or its folder): print measured constants; "
    about += "without any, of 'host' or 'host-avx2': measure this machine"
    parser.add_argument("--calibrate", metavar="RESULTS", nargs="?", const=_HERE, help=about)
    parser.add_argument("-o", "--output", metavar="FILE.toml", help="with --calibrate: write the calibration")
    parser.add_argument("--template", action="store_true", help="print a device description to start from")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    _check(arguments)
    if arguments.template:
        print_line(template(find_device("a100-80")).rstrip("\n"))
        return 0
    target = target_of(arguments, default="")
    if arguments.calibrate == _HERE:
        _calibrate_host(arguments)
        return 0
    if arguments.calibrate is not None:
        _calibrate(arguments, target)
        return 0
    if arguments.json:
        names = [target] if target else list(device_names())
        found = [asdict(find_device(name)) for name in names]
        print_json(found[0] if target else found)
    elif target:
        print_tables([(t.title, t.header, t.rows) for t in describe(find_device(target))])
        print_line(f"numbers and their sources: {', '.join(map(str, device_files(target)))}")
    else:
        table = device_table()
        print_tables([(table.title, table.header, table.rows)])
    return 0


def _calibrate(arguments: argparse.Namespace, target: str) -> None:
    """Print what was measured beside what the description says, then the calibration, or write it to a file."""
    device, results = find_device(target), read_results(arguments.calibrate)
    try:
        require_device(results, device)
        print_tables([(t.title, t.header, t.rows) for t in calibration_tables(results, device)])
        if results.machine.back_end == "sim" and arguments.output is None:
            print_line("no calibration: a dry run measures the simulator, not a device")
            return
        text = calibration_toml(results, device)
    except CalibrationError as error:
        raise InputError(f"{arguments.calibrate}: {error}") from error
    if arguments.output is None:
        print_line(text.rstrip("\n"))
        return
    write_whole(Path(arguments.output), text)
    print_line(f"wrote {arguments.output}; use it with --target {target} --calibration {arguments.output}")


def _calibrate_host(arguments: argparse.Namespace) -> None:
    """Measure this machine, print what was measured, and write it where `host` looks for it, or where it is wanted."""
    from roller_mlir.evaluation.measure.host_calibration.host_file import check_folder, host_table, host_toml
    from roller_mlir.evaluation.measure.host_calibration.probes import HostProbes

    device = host_device(arguments.target.casefold())
    path = Path(arguments.output) if arguments.output is not None else calibration_file(device, os.environ)
    try:
        if arguments.output is None:
            check_folder(path)
        check_place(path)
        found = HostProbes(device).measure()
        table = host_table(found, device)
        print_tables([(table.title, table.header, table.rows)])
        write_whole(path, host_toml(found, device, datetime.now(UTC).date()))
    except CalibrationError as error:
        raise InputError(str(error)) from error
    used = (
        f"use it with --target {device.name} --calibration {path}"
        if arguments.output is not None
        else f"{device.name} is this from now on"
    )
    print_line(f"wrote {path}; {used}")


def _check(arguments: argparse.Namespace) -> None:
    given = {
        "--device-file": arguments.device_file,
        "--calibration": arguments.calibration,
        "--calibrate": arguments.calibrate,
        "--json": arguments.json,
    }
    others = [option for option, value in {"a name": arguments.target, **given}.items() if value]
    if arguments.template and others:
        raise UsageError(f"--template prints the same for every device; leave out {' and '.join(others)}")
    if arguments.target and arguments.device_file:
        raise UsageError(f"'{arguments.target}' and --device-file name a device each; give one of them")
    if arguments.output is not None and arguments.calibrate is None:
        raise UsageError("-o goes with --calibrate; nothing else here writes a file")
    if arguments.calibrate is not None:
        _check_calibrate(arguments)
    if arguments.calibration and not (arguments.target or arguments.device_file):
        raise UsageError("--calibration goes with a device; name it")


def _check_calibrate(arguments: argparse.Namespace) -> None:
    if not (arguments.target or arguments.device_file):
        raise UsageError("--calibrate goes with a device; name the one that was measured")
    if arguments.calibrate == _HERE and (arguments.device_file or arguments.target.casefold() not in HOSTS):
        raise UsageError("--calibrate without RESULTS measures this machine, whose name is 'host', or 'host-avx2'")
    for option, value in (("--calibration", arguments.calibration), ("--json", arguments.json)):
        if value:
            raise UsageError(f"--calibrate compares with the device as it is described; leave out {option}")
    if arguments.output is not None and Path(arguments.output).suffix != ".toml":
        raise UsageError(f"--calibration reads TOML files by their name; write FILE.toml, not '{arguments.output}'")
