# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a command of `roller` is told which device to work for: the same three options everywhere.

--target DEVICE          a device of ours by name, alias or architecture
--device-file FILE       a description of your own (`roller devices --template` writes one to start from)
--calibration FILE       measured constants that replace some of that device's, each with its source
"""

import argparse
from pathlib import Path
from typing import Any

from roller_mlir.hal import DEFAULT_TARGET, Device, find_device
from roller_mlir.tools.console.errors import UsageError

_HELP_TARGET = "device, alias or architecture, see 'roller devices'"


def add_target_arguments(parser: Any, *, required: bool = False, plural: bool = False) -> None:
    """Declare --target, --device-file (one of the two at most) and --calibration.

    Args:
        parser: An `argparse.ArgumentParser` or a group of one.
        required: Whether one of --target and --device-file must be given; else `target_of` takes `hal.DEFAULT_TARGET`.
        plural: Whether --target may name several devices, parted by commas; `targets_of` reads them.
    """
    either = parser.add_mutually_exclusive_group(required=required)
    several, default = ", or several, parted by commas" * plural, f" ({DEFAULT_TARGET})" * (not required)
    either.add_argument("--target", metavar="DEVICE", help=f"{_HELP_TARGET}{several}{default}")
    add_device_file_argument(either)
    add_calibration_argument(parser)


def add_device_file_argument(parser: Any) -> None:
    """Declare --device-file, for a command that names its device otherwise than by --target."""
    about = "a device of your own: TOML, see 'roller devices --template'"
    parser.add_argument("--device-file", metavar="FILE", help=about)


def add_calibration_argument(parser: Any) -> None:
    """Declare --calibration."""
    about = "TOML of measured constants that replace some of the device's, each with its source"
    parser.add_argument("--calibration", metavar="FILE", help=about)


def target_of(arguments: argparse.Namespace, default: str = DEFAULT_TARGET) -> str:
    """Return what `hal.find_device` and the passes' option `device` take: a name or a path, with the calibration.

    Args:
        arguments: Parsed, with what `add_target_arguments` declares.
        default: The device where none was given.

    Raises:
        UsageError: A file is not named as a TOML file.
    """
    given: str = arguments.device_file or arguments.target or default
    if arguments.device_file is not None:
        _check_name(arguments.device_file, "--device-file")
    if arguments.calibration is None:
        return given
    _check_name(arguments.calibration, "--calibration")
    return f"{given}+{arguments.calibration}"


def targets_of(arguments: argparse.Namespace) -> list[str]:
    """Return what `target_of` does for each device of a --target such as "v100,h200"; the calibration is for each."""
    if arguments.device_file is not None or "," not in (arguments.target or ""):
        return [target_of(arguments)]
    names = [name.strip() for name in arguments.target.split(",") if name.strip()]
    return [target_of(argparse.Namespace(**{**vars(arguments), "target": name})) for name in names]


def anywhere(target: str) -> str:
    """Return a target of `target_of` whose files are found from any folder, as whoever works on a cluster needs them.

    >>> anywhere("h200"), anywhere("h200+/lab/three.toml")
    ('h200', 'h200+/lab/three.toml')
    """
    return "+".join(str(Path(one).resolve()) if one.endswith(".toml") else one for one in target.split("+"))


def device_of(arguments: argparse.Namespace) -> Device:
    """Return the device that the arguments name, calibrated where they say so.

    Raises:
        UsageError: As for `target_of`.
        DeviceError: The device is unknown, or a file is wrong.
    """
    return find_device(target_of(arguments))


def given_target(arguments: argparse.Namespace) -> bool:
    """Return whether any of the three options was given."""
    return any(value is not None for value in (arguments.target, arguments.device_file, arguments.calibration))


def _check_name(path: str, option: str) -> None:
    if not path.endswith(".toml"):
        raise UsageError(f"{option} must name a .toml file, but got '{path}'")
