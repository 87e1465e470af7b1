# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the compile cache is, how large it may grow, and whether there is one: what the environment says.

ROLLER_CACHE         0 switches the cache off
ROLLER_CACHE_DIR     its folder; by default `roller` in XDG_CACHE_HOME, or in ~/.cache
ROLLER_CACHE_LIMIT   how large it may grow, such as 500M or 4G; 1G by default
"""

import os
import pwd
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DEFAULT_LIMIT_BYTES = 1 << 30
LEAST_LIMIT_BYTES = 1 << 20

_NO_HOME = "/nonexistent"  # what systems give users that are to have none
_SIZE = re.compile(r"(\d{1,15})([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


class CacheSettingError(ValueError):
    """A variable of the environment, or an option, that cannot be meant so."""


@dataclass(frozen=True, kw_only=True)
class CacheSettings:
    """Which cache a process uses.

    Attributes:
        folder: Where it is; it need not exist.
        limit_bytes: How large it may grow.
        enabled: Whether it is used.
    """

    folder: Path
    limit_bytes: int = DEFAULT_LIMIT_BYTES
    enabled: bool = True

    @property
    def drivers(self) -> Path:
        """Where the driver libraries of simulated devices are, beside the entries."""
        return self.folder / "drivers"

    @staticmethod
    def of(environment: Mapping[str, str]) -> "CacheSettings":
        """Read the variables; an empty one counts as not set.

        Raises:
            CacheSettingError: One of them has a value that it cannot have.
        """
        switch = environment.get("ROLLER_CACHE", "")
        if switch not in ("", "0", "1"):
            raise CacheSettingError(f"ROLLER_CACHE must be 0 (no cache) or 1, but got '{switch}'")
        limit = environment.get("ROLLER_CACHE_LIMIT", "")
        return CacheSettings(
            folder=_folder(environment),
            limit_bytes=parse_limit(limit, "ROLLER_CACHE_LIMIT") if limit else DEFAULT_LIMIT_BYTES,
            enabled=switch != "0",
        )


def parse_limit(text: str, name: str) -> int:
    """Read a size in bytes, or with a unit, of which each is 1024 of the one before.

    Args:
        text: The size.
        name: What it is given by, for the error.

    Raises:
        CacheSettingError: It is none, or smaller than a cache can be.

    >>> parse_limit("500M", "limit"), parse_limit("2GiB", "limit"), parse_limit("1048576", "limit")
    (524288000, 2147483648, 1048576)
    """
    found = _SIZE.fullmatch(text.strip())
    size = int(found[1]) << _UNITS[found[2].upper()] if found else 0
    if size < LEAST_LIMIT_BYTES:
        raise CacheSettingError(f"{name} must be a size of at least 1M, such as 500M or 2G, but got '{text}'")
    return size


def _folder(environment: Mapping[str, str]) -> Path:
    own = environment.get("ROLLER_CACHE_DIR", "")
    if own:
        return Path(own).absolute()
    base = environment.get("XDG_CACHE_HOME", "")
    # The standard says that a relative path there is to be ignored.
    if base and os.path.isabs(base):
        return Path(base, "roller")
    return Path(_home(environment), ".cache", "roller")


def _home(environment: Mapping[str, str]) -> str:
    """Return the user's home; one that cannot be written to where the system knows none."""
    home = environment.get("HOME", "")
    if os.path.isabs(home):
        return home
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return _NO_HOME
