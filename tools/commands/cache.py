# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Look at the cache of compiled functions, or empty it.

roller cache                    what is in it (--stats)
roller cache --path             its folder
roller cache --limit 200M       remove what was not used for the longest time, until it is that small
roller cache --clear            remove everything, built driver libraries of simulated devices too
roller cache --json             any of them for machines, in bytes and Unix seconds

What was compiled before, by the same compiler and tools, is taken from here: `roller compile` says so among its phases.
Entries are checked against their hash, and those that were not used for the longest time go when it is full.

ROLLER_CACHE=0                  switches the cache off
ROLLER_CACHE_DIR=DIR            its folder, instead of roller in $XDG_CACHE_HOME or in ~/.cache
ROLLER_CACHE_LIMIT=4G           how large it may grow, instead of 1G
"""

import argparse
import os
import shutil
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.cache.settings import CacheSettingError, CacheSettings, parse_limit
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.output import print_json, print_line, print_tables

if TYPE_CHECKING:
    from roller_mlir.compiler.cache.store import CacheStore, StoreStatistics

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--stats", action="store_true", help="say what is in it; the default")
    action.add_argument("--clear", action="store_true", help="remove everything")
    action.add_argument("--path", action="store_true", help="print its folder")
    action.add_argument("--limit", metavar="SIZE", help="remove the least recently used, until it is that small")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.compiler.cache.store import CacheStore

    try:
        settings = CacheSettings.of(os.environ)
        limit = parse_limit(arguments.limit, "--limit") if arguments.limit is not None else 0
    except CacheSettingError as error:
        raise UsageError(str(error)) from None
    store = CacheStore(settings.folder, settings.limit_bytes)
    if arguments.path:
        if arguments.json:
            print_json({"path": str(settings.folder)})
        else:
            print_line(str(settings.folder))
    elif arguments.clear or limit:
        _remove(arguments, settings, store, limit)
    else:
        _show(arguments, settings, store.statistics())
    return 0


def size(count: int) -> str:
    """Format a number of bytes with three digits.

    >>> size(1 << 30), size(1500), size(0)
    ('1 GiB', '1.46 KiB', '0 B')
    """
    value, unit = float(count), 0
    while value >= 1000 and unit + 1 < len(_UNITS):
        value, unit = value / 1024, unit + 1
    return f"{value:.3g} {_UNITS[unit]}"


def _remove(arguments: argparse.Namespace, settings: CacheSettings, store: "CacheStore", limit: int) -> None:
    before, built = store.statistics(), 0
    try:
        if arguments.clear:
            store.clear()
            built = sum(path.lstat().st_size for path in settings.drivers.rglob("*") if path.is_file())
            if settings.drivers.is_dir():
                shutil.rmtree(settings.drivers)
        elif store.folder.is_dir():
            store.evict(limit)
    except OSError as error:
        reason = reason_of(error)
        raise InputError(f"the compile cache {store.folder} cannot be made smaller: {reason}") from None
    after = store.statistics()
    gone = sum(before.entries.values()) - sum(after.entries.values())
    freed = before.size_bytes - after.size_bytes + built
    if arguments.json:
        print_json({"path": str(store.folder), "removed_entries": gone, "removed_bytes": freed})
    else:
        left = f", {size(after.size_bytes)} left" if after.size_bytes else ""
        print_line(f"removed {gone} entries ({size(freed)}) from {store.folder}{left}")


def _show(arguments: argparse.Namespace, settings: CacheSettings, found: "StoreStatistics") -> None:
    if arguments.json:
        data: dict[str, Any] = {
            "path": str(settings.folder),
            "enabled": settings.enabled,
            "limit_bytes": settings.limit_bytes,
            **asdict(found),
        }
        print_json(data)
        return
    oldest = None if found.oldest_use_s is None else datetime.fromtimestamp(found.oldest_use_s)
    rows = [
        ("folder", str(settings.folder)),
        ("used", "yes" if settings.enabled else "no, by ROLLER_CACHE=0"),
        *((f"entries: {kind}", str(count)) for kind, count in found.entries.items()),
        ("size", f"{size(found.size_bytes)} of {size(settings.limit_bytes)}"),
        ("found", str(found.hits)),
        ("not found", str(found.misses)),
        ("found damaged", str(found.damaged)),
        ("oldest use", "-" if oldest is None else f"{oldest:%Y-%m-%d %H:%M:%S}"),
    ]
    print_tables([("Compile cache", ("", ""), rows)])
