# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The devices that come with this package, and how a user names one."""

import difflib
from functools import cache
from pathlib import Path

from roller_mlir.hal.errors import DeviceError
from roller_mlir.hal.files.calibration import calibrated
from roller_mlir.hal.files.loader import load_device
from roller_mlir.hal.host import NAMES as HOSTS
from roller_mlir.hal.host import calibrated_host, host_files
from roller_mlir.hal.spec import Device

DEFAULT_TARGET = "h200"
"""The device that is compiled for where none is named."""
DEVICE_FOLDER = Path(__file__).parent / "devices"


def find_device(name: str) -> Device:
    """Return the device of that name.

    Args:
        name: A device ("h200"), an alias of one ("a100"), an architecture that has a default device ("sm_90" gives
            h200), "host" (this machine, with its calibration where it has one), "host-avx2" (the same as if it had no
            wider vectors), or the path of a device description, which ends in ".toml". Upper and lower case are the
            same. Any of them may be followed by "+" and the path of a calibration file: "h200+mine.toml".

    Raises:
        DeviceError: No such device, or the description or the calibration is wrong.
    """
    name, calibration = split_calibration(name)
    if calibration is not None:
        return calibrated(find_device(name), Path(calibration))
    if name.endswith(".toml"):
        return load_device(Path(name))
    if name.casefold() in HOSTS:
        return calibrated_host(name.casefold())
    if name.casefold() in _stems():
        return _load(name.casefold())
    meanings = _meanings()
    device = meanings.get(name.casefold())
    if device is None:
        close = difflib.get_close_matches(name.casefold(), meanings, n=1, cutoff=0.5)
        nearest = f"; did you mean '{close[0]}'?" if close else ""
        others = ", ".join(f"{other} ({meant.name})" for other, meant in meanings.items() if other != meant.name)
        known = f"{', '.join((*device_names(), *HOSTS))}, or {others}, or the path of a .toml file"
        raise DeviceError(f"unknown device '{name}'{nearest}; known: {known}")
    return device


def device_file(name: str) -> Path:
    """Return the TOML file that describes the device of that name, with the source of each number.

    Raises:
        DeviceError: As for `find_device`, or it is this machine, which several files describe (`device_files`).
    """
    name, _ = split_calibration(name)
    device = find_device(name)
    if name.casefold() in HOSTS:
        raise DeviceError(f"device '{device.name}' is this machine, which no file of its own describes")
    return Path(name) if name.endswith(".toml") else DEVICE_FOLDER / f"{device.name}.toml"


def device_files(name: str) -> tuple[Path, ...]:
    """Return all files that describe the device of that name, without a calibration that is given beside it.

    Raises:
        DeviceError: As for `find_device`.
    """
    own, _ = split_calibration(name)
    return host_files(own.casefold()) if own.casefold() in HOSTS else (device_file(own),)


def split_calibration(name: str) -> tuple[str, str | None]:
    """Split "h200+mine.toml" into the device and the path of its calibration, None where there is none.

    >>> split_calibration("h200+mine.toml"), split_calibration("host+mine.toml")
    (('h200', 'mine.toml'), ('host', 'mine.toml'))
    >>> split_calibration("h200"), split_calibration("a+b.toml")
    (('h200', None), ('a+b.toml', None))
    """
    for position in (place for place, letter in enumerate(name) if letter == "+"):
        device, calibration = name[:position], name[position + 1 :]
        known = (*HOSTS, *_stems(), *_meanings())
        if device.endswith(".toml") or device.casefold() in known:
            return device, calibration
    return name, None


def device_names() -> tuple[str, ...]:
    """Return the names of the devices that come with this package, without aliases, in alphabetical order."""
    return _stems()


@cache
def _stems() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in DEVICE_FOLDER.glob("*.toml")))


@cache
def _load(stem: str) -> Device:
    path = DEVICE_FOLDER / f"{stem}.toml"
    device = load_device(path)
    if device.name != stem:
        raise DeviceError(f"must be that of the file, '{stem}', but got '{device.name}'", key="name", file=str(path))
    return device


@cache
def _meanings() -> dict[str, Device]:
    meanings: dict[str, Device] = {}
    for device in map(_load, _stems()):
        for name in (device.name, *device.aliases, *device.default_for):
            if name in meanings:
                raise DeviceError(f"'{name}' already means {meanings[name].name}", file=f"{device.name}.toml")
            meanings[name] = device
    return meanings
