# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a kit: every candidate of every function compiled by workers, what is most valuable first, whole or not at all.

First candidates of all functions, and all ways to launch one, come before second ones, so that a limit of time or size
leaves the best kit there is: a limit of time leaves these in it, and of these one that a limit of size has no room for
is left out alone. Functions that compute the same under the same key of the tuning data base are one kernel, which is
packed once. What the compiler refuses, and what has no room, stands in the index with its reason.

The kit is written beside its place and renamed: whatever interrupts it (an error, Ctrl-C) leaves nothing.
"""

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import roller_mlir
from roller_mlir.evaluation.measure.kit.contents import JOB_LIMIT_S, PackRequest
from roller_mlir.evaluation.measure.kit.files import KitError, plain_name
from roller_mlir.evaluation.measure.kit.pack_work import ENTRY, Answer, on_failure
from roller_mlir.evaluation.measure.kit.packing import Packing, PackOptions
from roller_mlir.evaluation.measure.kit.writer import KitWriter
from roller_mlir.evaluation.measure.records import Kit, Probe, Skipped
from roller_mlir.hal import find_device
from roller_mlir.lowering.targets.family import family_named
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.single_file import single_file
from roller_mlir.runtime.store import partial_path
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.jobs.jobs import Jobs, open_jobs

__all__ = ["PackOptions", "Packed", "pack_kit", "run_py"]

RUNNER, README = "run.py", "README.txt"

_README = """\
A measurement kit of roller-mlir {compiler} for {target} ({architecture}), packed {created}.

  python run.py -o results            everything, what is most valuable first; resumes where it was stopped
  python run.py -o results --phases smoke --time-limit 60
  python run.py --help

It needs {libraries}. With torch results are compared with torch's and timed beside it,
with Triton beside Triton's kernels too; this compiler is not needed. results/results.jsonl is written all the time,
results/results.json at the end, however it ends. Bring results.json back:

  roller report results.json -o report

{items} functions with {candidates} candidates, {probes} micro-benchmarks, {skipped} things left out (index.json).
"""


@dataclass(frozen=True, kw_only=True)
class Packed:
    """A kit that was written.

    Attributes:
        kit: Its index.
        size_bytes: Of all its files.
        seconds: That it took.
    """

    kit: Kit
    size_bytes: int
    seconds: float


def pack_kit(
    folder: Path,
    target: str,
    request: Sequence[PackRequest],
    options: PackOptions | None = None,
    probes: Iterable[tuple[Probe, Artifact]] = (),
    skipped: Iterable[Skipped] = (),
) -> Packed:
    """Write a kit.

    Args:
        folder: A new directory.
        target: A device's name, or the path of its description.
        request: Its functions, the most valuable first.
        options: How to pack.
        probes: Micro-benchmarks, compiled.
        skipped: What is known to be missing, for the index.

    Raises:
        KitError: The directory exists or cannot be written, two functions have one id, or the kit would have more bytes
            than it may without any candidate.
        DeviceError: The target is unknown.
        JobsError: There is nobody to compile.
    """
    options = options or PackOptions()
    started = time.monotonic()
    _check(folder, request)
    device = find_device(target)
    kit = Kit(
        target=device.name,
        architecture=device.architecture,
        vendor=device.vendor,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        compiler=roller_mlir.__version__,
        command=options.command,
        skipped=tuple(skipped),
    )
    staging = partial_path(folder)
    try:
        staging.mkdir(mode=0o700)
        runner = run_py()
        with KitWriter(staging) as writer, _workers(options, request) as workers:
            more = len(runner) + len(_README)
            packing = Packing(writer, target, options, started_s=started, more_bytes=more)
            packing.add_probes(probes)
            kit = packing.pack(kit, request, workers)
            writer.finish(kit)
        size = _finish(staging, kit, runner, options)
        staging.chmod(0o755)
        staging.rename(folder)
    except OSError as error:
        raise KitError(f"cannot write kit: {folder}: {reason_of(error)}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return Packed(kit=kit, size_bytes=size, seconds=time.monotonic() - started)


def _workers(options: PackOptions, request: Sequence[PackRequest]) -> Jobs[Answer]:
    limit_s = max((one.limit_s for one in request), default=JOB_LIMIT_S)
    return open_jobs(options.jobs, ray=options.ray, limit_s=limit_s, entry=ENTRY, on_failure=on_failure)


def _check(folder: Path, request: Sequence[PackRequest]) -> None:
    """Check early what would be found late."""
    if os.path.lexists(folder):
        raise KitError(f"cannot write kit: {folder}: it exists; choose another name")
    if not folder.parent.is_dir():
        raise KitError(f"cannot write kit: {folder}: its parent is not a directory; make it first")
    seen: set[str] = set()
    for one in request:
        if one.id in seen or not plain_name(one.id):
            raise KitError(f"cannot write kit: {folder}: ids of functions are plain and unique, but got {one.id!r}")
        seen.add(one.id)


def run_py() -> str:
    """Return the text of the runner, in one file."""
    return single_file(
        "run", modules=["roller_mlir.evaluation.measure.runner"], main="roller_mlir.evaluation.measure.runner.main:main"
    )


def _finish(staging: Path, kit: Kit, runner: str, options: PackOptions) -> int:
    """Write what lies beside archive and index; return the bytes of all."""
    *most, last = dict.fromkeys(("Python 3.11", "numpy", family_named(kit.vendor).runtime_package))
    (staging / RUNNER).write_text(runner, encoding="utf-8")
    (staging / README).write_text(
        _README.format(
            compiler=kit.compiler,
            target=kit.target,
            architecture=kit.architecture,
            created=kit.created,
            libraries=f"{', '.join(most)} and {last}",
            items=len(kit.items),
            candidates=sum(len(item.candidates) for item in kit.items),
            probes=len(kit.probes),
            skipped=len(kit.skipped),
        ),
        encoding="utf-8",
    )
    size = sum(file.stat().st_size for file in staging.iterdir())
    if options.max_bytes is not None and size > options.max_bytes:
        raise KitError(f"cannot pack: the kit has {size} B, but may have {options.max_bytes} B")
    return size
