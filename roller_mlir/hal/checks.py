# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules that fields of a device description keep; each raises a DeviceError that names the field."""

import math
from collections.abc import Collection, Mapping

from roller_mlir.hal.errors import DeviceError

_MOST_SHOWN = 80
"""Characters of a wrong word that an error shows."""


def require(holds: bool, key: str, rule: str) -> None:
    """Raise a DeviceError at ``key`` that says ``rule`` unless it holds."""
    if not holds:
        raise DeviceError(rule, key=key)


def require_positive(values: Mapping[str, float | None]) -> None:
    """Every value that is known is finite and above zero: what is unknown is left out, never written as 0."""
    for key, value in values.items():
        if value is not None:
            require(math.isfinite(value) and value > 0, key, f"must be above 0 (leave an unknown out), but got {value}")


def require_constants(values: Mapping[str, float]) -> None:
    """Every constant of a model is finite and not negative, every share at most 1."""
    for key, value in values.items():
        require(math.isfinite(value) and value >= 0, key, f"must not be negative, but got {value}")
        if key.endswith("_share"):
            require(value <= 1, key, f"must be a share from 0 to 1, but got {value}")


def require_member(key: str, value: str, allowed: Collection[str]) -> None:
    """The value is one of a closed list of words."""
    shown = value if len(value) <= _MOST_SHOWN else f"{value[:_MOST_SHOWN]}..."
    require(value in allowed, key, f"must be one of {', '.join(sorted(allowed))}, but got '{shown}'")


def require_power_of_two(key: str, value: int | None) -> None:
    """The value, where it is known, is a power of two."""
    if value is not None:
        require(value > 0 and value & (value - 1) == 0, key, f"must be a power of two, but got {value}")


def require_multiple(key: str, value: int, of_key: str, of_value: int) -> None:
    """The value is a multiple of that of another field."""
    require(value % of_value == 0, key, f"must be a multiple of {of_key} ({of_value}), but got {value}")


def require_at_most(key: str, value: float, limit_key: str, limit: float) -> None:
    """The value does not exceed that of another field."""
    require(value <= limit, key, f"must be at most {limit_key} ({limit}), but got {value}")


def require_plausible(key: str, value: float | None, least: float, most: float, unit: str) -> None:
    """The value, where it is known, lies in a range so wide that only another unit can miss it (GB/s for B/s)."""
    if value is not None:
        require_positive({key: value})
        within = math.isfinite(value) and least <= value <= most
        require(within, key, f"must lie between {least:g} and {most:g} {unit}, but got {value:g}; check the unit")


def check_clock(value: float | None, key: str = "clock_hz") -> None:
    """The clock of a device or of an instruction, where it is known, is between 1 MHz and 100 GHz."""
    require_plausible(key, value, 1e6, 1e11, "Hz")
