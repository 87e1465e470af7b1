# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a program whose CUDA or HIP device is the simulator.

roller simulate --artifact mlp.roller -- iree-run-module --device=cuda --module=mlp.vmfb --function=mlp --input=@a.npy
roller simulate --artifact matmul.roller -- roller run matmul.roller --on cuda --random --check
roller simulate --target h200 --llvm 'dumps/*.ll' -- iree-run-module --device=cuda --module=m.vmfb --function=f

The program is not changed: it finds driver libraries (libcuda.so.1, libamdhip64.so) whose kernels run in the simulator.
They are built with the system's C compiler at the first use, and kept in the folder of the cache. A program may load
the images of the given artifacts, which say which device it sees, and launch their kernels as these do: another grid,
block or alignment, memory that is not allocated, or another image is an error of the driver that says what differs.
Kernels of other compilers run from their LLVM IR (--llvm): the kernel of an image is that of the same name. What
iree-compile --iree-hal-dump-executable-intermediates-to=DIR writes is such LLVM IR.
The exit code is the program's. Nothing is left when it ends, however that comes.
"""

import argparse
import glob
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roller_mlir.compiler.cache.settings import CacheSettingError, CacheSettings, parse_limit
from roller_mlir.sim.options import SimulatorOptions
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.tied import tie
from roller_mlir.tools.console.arguments import add_options
from roller_mlir.tools.console.errors import InputError, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("program", metavar="PROGRAM", nargs="+", help="the program and its arguments, behind --")
    add_device_arguments(
        parser,
        artifact="an artifact whose kernels it may launch",
        llvm="LLVM IR of other kernels that it may launch, or a pattern of files",
    )
    parser.add_argument(
        "--assume-resident",
        action="store_true",
        help="kernels whose blocks wait for each other may be launched as others: all of their blocks run at once",
    )
    parser.add_argument("--memory", default="4G", metavar="SIZE", help="memory of the device (4G)")
    parser.add_argument("--log", metavar="FILE", help="append a line of JSON for each launch")


def add_device_arguments(parser: Any, *, artifact: str, llvm: str) -> None:
    """Declare what says which device is simulated, and which kernels it runs.

    Args:
        parser: An `argparse.ArgumentParser` or a group of one.
        artifact: What `--artifact` is, for its help.
        llvm: What `--llvm` is.
    """
    parser.add_argument("--artifact", action="append", default=[], metavar="DIR", help=artifact)
    parser.add_argument("--llvm", action="append", default=[], metavar="FILE", help=llvm)
    parser.add_argument("--target", default="", metavar="DEVICE", help="the device, where no artifact says it")
    add_options(parser, SimulatorOptions)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.sim.driver import simulated_device

    try:
        memory_bytes, libraries = parse_limit(arguments.memory, "--memory"), driver_libraries()
    except CacheSettingError as error:
        raise UsageError(str(error)) from None
    if not arguments.artifact and not arguments.target:
        raise UsageError("nothing says which device to simulate; name --artifact or --target")
    with simulated_device(
        arguments.artifact,
        llvm=llvm_files(arguments.llvm),
        target=arguments.target,
        libraries=libraries,
        assume_resident=arguments.assume_resident,
        **SimulatorOptions.values_of(arguments),
        memory_bytes=memory_bytes,
        log=arguments.log or "",
    ) as environment:
        return _run(arguments.program, environment)


def llvm_files(patterns: Sequence[str]) -> list[str]:
    """Return the files that are named, and those of patterns."""
    found: list[str] = []
    for pattern in patterns:
        files = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern))
        if not files:
            raise InputError(f"--llvm names no file: {pattern}")
        found += files
    return found


def driver_libraries() -> Path | None:
    """Return the folder for driver libraries in the cache; None where there is no cache."""
    settings = CacheSettings.of(os.environ)
    return settings.drivers if settings.enabled else None


def _run(program: Sequence[str], environment: dict[str, str]) -> int:
    """Run the program to its end, and end it with this process; return its exit code, as a shell says it."""
    try:
        done = subprocess.run(program, check=False, env={**os.environ, **environment}, preexec_fn=tie())
    except OSError as error:
        raise InputError(f"cannot start '{program[0]}': {reason_of(error)}") from None
    return done.returncode if done.returncode >= 0 else 128 - done.returncode
