# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that decides what a compilation gives beside what it is given: our sources, the packages, the vendors' tools.

Our sources count by content, so that a checkout that is worked on has entries of its own for every state. Python has
read some of them when the process began and reads others later: a process in whose time they changed is a mixture of
two compilers, and takes no part in the cache (`Versions.mixed`).
Packages count by version, tools by path, size and time; a tool that is a script also by what it says of its version,
since what it runs is elsewhere.
"""

import functools
import hashlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from platform import machine, python_version

from roller_mlir import __version__
from roller_mlir.lowering.backend.vendor_tools.toolchain import Toolchain, find_toolchain

_PACKAGES = (
    *("torch-mlir", "llvmlite", "numpy", "iree-base-compiler"),
    *("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-nvdisasm"),
)
_ROOTS = ("roller_mlir", "roller_mlir.passes", "roller_mlir.dialects")
# Layers above the compiler, which it cannot import, and build products.
_LEFT_OUT = frozenset({"evaluation", "downstream", "tools", "__pycache__"})
_VERSION_TIMEOUT_S = 10.0

Stamp = tuple[tuple[str, int, int], ...]
"""Path, size and time of every source file."""


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The state of the compiler.

    Attributes:
        digest: SHA-256 of all that counts, in hexadecimal.
        stamp: That of our sources when they were read.
        roots: Where they are.
    """

    digest: str
    stamp: Stamp
    roots: tuple[Path, ...]

    @property
    def mixed(self) -> bool:
        """Whether this process may have read sources of two states."""
        if any(changed_ns > _STARTED_NS for _, _, changed_ns in self.stamp):
            return True
        try:
            return _stamp(self.roots) != self.stamp
        except OSError:
            return True


@functools.cache
def find_versions() -> Versions:
    """Return the state of the compiler that this process runs, read once.

    Raises:
        OSError: A source cannot be read.
    """
    specs = [find_spec(name) for name in _ROOTS]
    roots = [Path(folder) for spec in specs if spec is not None for folder in spec.submodule_search_locations or ()]
    return versions_of(tuple(roots), package_versions(), find_toolchain())


def versions_of(roots: tuple[Path, ...], packages: dict[str, str], toolchain: Toolchain) -> Versions:
    """Return the state of a compiler.

    Args:
        roots: Folders of its sources.
        packages: Versions of the packages that it uses, by name.
        toolchain: The vendors' tools.

    Raises:
        OSError: A source cannot be read.
    """
    stamp = _stamp(roots)
    digest = hashlib.sha256()
    for number, root in enumerate(roots):
        for path in _sources(root):
            data = Path(path).read_bytes()
            digest.update(f"{number} {os.path.relpath(path, root)} {len(data)}\n".encode())
            digest.update(data)
    for name, version in packages.items():
        digest.update(f"{name} {version}\n".encode())
    tools = (*toolchain.ptxas, toolchain.nvdisasm, toolchain.libdevice, toolchain.lld, toolchain.ocml)
    for tool in tools:
        digest.update(f"{_tool(tool)}\n".encode())
    return Versions(digest=digest.hexdigest(), stamp=stamp, roots=roots)


def package_versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of what is installed of the packages that count."""
    return dict(_package_versions())


@functools.cache
def _package_versions() -> dict[str, str]:
    found = {"roller_mlir": __version__, "python": python_version(), "machine": machine()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _sources(root: Path) -> Iterator[str]:
    """Yield all files below a folder but those of layers above the compiler, in an order of their own."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        yield from (os.path.join(folder, name) for name in sorted(files))


def _stamp(roots: tuple[Path, ...]) -> Stamp:
    def one(path: str) -> tuple[str, int, int]:
        status = os.stat(path)
        return path, status.st_size, status.st_mtime_ns

    return tuple(one(path) for root in roots for path in _sources(root))


def _tool(path: Path | None) -> str:
    if path is None:
        return "none"
    real = path.resolve()
    status = real.stat()
    text = f"{path} {real} {status.st_size} {status.st_mtime_ns}"
    with open(real, "rb") as stream:
        is_script = stream.read(2) == b"#!"
    if not is_script:
        return text
    try:
        said = subprocess.run(
            [str(path), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_TIMEOUT_S,
            check=False,
            start_new_session=True,
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{text} {type(error).__name__}"
    return f"{text} {hashlib.sha256(said).hexdigest()}"


def _started_ns() -> int:
    """Return when this process began, as a time of files; where the system does not say so, when we were imported."""
    now = time.time_ns()
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return now
    return now - max(0, int(age_s * 1e9))


# A forked child has read what its parent had, so this is not asked for again.
_STARTED_NS = _started_ns()
