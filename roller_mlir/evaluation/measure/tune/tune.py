# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning: the operators of a function or a suite, their candidates packed as a kit, and the kit measured right here.

A measurement here is what it is elsewhere: a kit, its runner in a process of its own, and the results that it brings
back. So a kernel that hangs or faults ends that process and not this one.
"""

import subprocess
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.kit.contents import PackRequest, of_dispatch
from roller_mlir.evaluation.measure.kit.pack import PackOptions, pack_kit
from roller_mlir.evaluation.measure.measured_device import other_device
from roller_mlir.evaluation.measure.records import Kit, Results
from roller_mlir.evaluation.measure.report.results_file import RESULTS_NAME, read_results
from roller_mlir.evaluation.measure.runner.devices import open_device
from roller_mlir.evaluation.measure.tune.dispatches import dispatches_of
from roller_mlir.evaluation.measure.tune.winners import TuneError
from roller_mlir.hal import Device
from roller_mlir.runtime.errors import BackendError
from roller_mlir.runtime.registry import backend_of_vendor, find_backend, host_backends
from roller_mlir.support.jobs.process_tree import kill_tree

KIT, RESULTS = "kit", "results"
"""Folders of a measurement that is kept."""

_RUNNER = "roller_mlir.evaluation.measure.runner"
_PATIENCE_S = 20.0


def requests_of_source(
    source: Source, target: str, options: CompileOptions, *, top_k: int, only: Sequence[str] = ()
) -> list[PackRequest]:
    """Return the operators of a function that get a plan each, those that are the same once.

    Args:
        source: The function.
        target: A device's name, or the path of its description.
        options: How it is compiled.
        top_k: Candidates at most.
        only: Patterns of the programs' names, such as `matmul_*`; empty for all.

    Raises:
        DiagnosedError: The source is refused, or is planned already.
        TuneError: It has no operator, or none that a pattern names.
    """
    dispatches = dispatches_of(source, target, options)
    if not dispatches:
        raise TuneError(f"{source.name}: there is no operator to tune")
    names = [name for dispatch in dispatches for name in dispatch.names]
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise TuneError(f"{source.name}: no program is '{pattern}'; the programs are {', '.join(names)}")
    chosen = [
        dispatch
        for dispatch in dispatches
        if not only or any(fnmatchcase(name, one) for name in dispatch.names for one in only)
    ]
    return [of_dispatch(dispatch, _word(source.name), top_k=top_k) for dispatch in chosen]


def back_end_of(device: Device) -> str:
    """Return the back end that runs a device's kernels here.

    Raises:
        TuneError: There is none, it finds no device, or this machine is not what is described.
    """
    name = backend_of_vendor(device.vendor) or device.vendor
    try:
        find_backend(name)
        here = open_device(name).machine() if name in host_backends() else None
        other = here and other_device(here, device)
        if other:
            raise BackendError(f"this is {other}; tune for 'host'")
    except BackendError as error:
        reason = str(error).rstrip(".")
        raise TuneError(
            f"--measure needs {device.name} in this machine: {reason}; or pack a kit with --pack KIT, run it where the "
            "device is (python KIT/run.py), and bring back its results.json with --import"
        ) from None
    return name


def measure(
    folder: Path,
    target: str,
    wanted: Sequence[PackRequest],
    back_end: str,
    options: PackOptions,
    *,
    limit_s: float | None,
) -> tuple[Kit, Results]:
    """Pack a kit and run it on this machine's device.

    Args:
        folder: An existing folder, in which the kit and the results will be.
        target: A device's name, or the path of its description.
        wanted: The operators.
        back_end: From `back_end_of`.
        options: How to pack.
        limit_s: Seconds for the runner; None for no limit.

    Returns:
        The kit, and what was measured, which a limit may have cut short.

    Raises:
        KitError, JobsError: The kit cannot be packed.
        TuneError: There is nothing to measure, or the runner left no results.
        ResultsError: They cannot be read.
    """
    packed = pack_kit(folder / KIT, target, wanted, options)
    if not packed.kit.items:
        reasons = "; ".join(f"{one.id}: {one.reason}" for one in packed.kit.skipped[:3])
        raise TuneError(f"there is nothing to measure: {reasons}")
    if all(len(item.candidates) == 1 for item in packed.kit.items):
        raise TuneError("there is nothing to choose: each operator has 1 candidate; allow more with --top-k")
    command = [sys.executable, "-m", _RUNNER, str(folder / KIT), "-o", str(folder / RESULTS), "--on", back_end]
    command += ["--phases", "topk", "--peers", "none"]
    command += [] if limit_s is None else ["--time-limit", str(limit_s)]
    code = _run(command)
    if not (folder / RESULTS / RESULTS_NAME).is_file():
        raise TuneError(f"the runner measured nothing; it ended with exit code {code}")
    return packed.kit, read_results(folder / RESULTS)


def _run(command: Sequence[str]) -> int:
    """Run the runner; what it prints goes to the standard error. It ends with this process."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno()) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            try:
                child.wait(_PATIENCE_S)  # it has heard of it too, and writes down what it knows
            except subprocess.TimeoutExpired:
                kill_tree(child.pid)
            raise
        except BaseException:
            kill_tree(child.pid)
            raise


def _word(name: str) -> str:
    """Return a file's name as ids of a kit may have it.

    >>> _word("models/my net.mlir"), _word("<stdin>")
    ('my_net', 'stdin')
    """
    stem = Path(name).stem.strip("<>")
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "_.+-") else "_" for letter in stem)
