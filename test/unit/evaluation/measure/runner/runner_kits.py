# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kits that are made by hand, and runs of them over a driver library for tests (see test/unit/runtime/fake_cuda.c)."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.measure.kit.writer import KitWriter
from roller_mlir.evaluation.measure.records import Item, ItemCandidate, Kit, Probe
from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.single_file import single_file
from roller_mlir.runtime.store import sha256

sys.path.insert(0, str(Path(__file__).parents[3] / "runtime"))
import fake_drivers

COUNT = 64
POINTER = ".param .u64 .ptr .align 16 p"


def kernel(name: str, *, cubin: bool = False) -> Artifact:
    """Makes an artifact for the fake driver: y = 2 x in float32; what else the name makes it do is said in its file."""
    ptx = f".version 8.0\n.visible .entry {name}(\n{POINTER},\n{POINTER}\n)\n{{ ret; }}\n".encode()
    array: dict[str, Any] = {"element_type": "f32", "shape": (COUNT,)}
    manifest = Manifest(
        function="f",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90", subgroup_size=32),
        inputs=("x",),
        outputs=("y",),
        buffers=(Buffer(name="x", role="input", **array), Buffer(name="y", role="output", **array)),
        launches=(
            Launch(
                kernel=name,
                grid=(2, 1, 1),
                block=(32, 1, 1),
                arguments=(BufferView(buffer="x", **array), BufferView(buffer="y", **array)),
            ),
        ),
        kernels=(Kernel(name=name, files={"ptx": "k.ptx"}),),
        files=(File(name="k.ptx", role="ptx", size_bytes=len(ptx), sha256=sha256(ptx)),),
    )
    if not cubin:
        return Artifact(manifest, {"k.ptx": ptx})
    binary = b"\x7fELF" + ptx
    both = replace(
        manifest,
        kernels=(Kernel(name=name, files={"cubin": "k.cubin", "ptx": "k.ptx"}),),
        files=(*manifest.files, File(name="k.cubin", role="cubin", size_bytes=len(binary), sha256=sha256(binary))),
    )
    return Artifact(both, {"k.ptx": ptx, "k.cubin": binary})


def make_kit(
    folder: Path,
    items: dict[str, list[str]],
    probes: tuple[Probe, ...] = (),
    families: dict[str, str] | None = None,
    *,
    cubins: bool = False,
    ways: dict[str, list[str]] | None = None,
) -> Path:
    """Writes a kit of such kernels.

    Args:
        folder: Is made.
        items: Ids, and the names of the kernels of their candidates.
        probes: Each of the kernel that its artifact's name says.
        families: Of the candidates of an item, by its id.
        cubins: Whether kernels have a cubin beside their PTX.
        ways: Names of the ways of an item's candidates, by its id; "graph" is one.
    """
    folder.mkdir(parents=True)
    records: list[Item] = []
    with KitWriter(folder) as writer:
        for item, kernels in items.items():
            family = (families or {}).get(item, "")
            names = (ways or {}).get(item, [""] * len(kernels))
            candidates = [
                ItemCandidate(rank=rank, artifact=f"{item}/{rank}", family=family, way=way, graph=way == "graph")
                for rank, way in enumerate(names)
            ]
            records.append(Item(id=item, suite="tests", title=item, candidates=tuple(candidates)))
            for rank, name in enumerate(kernels):
                writer.add(f"{item}/{rank}", kernel(name, cubin=cubins))
        for probe in probes:
            writer.add(probe.artifact, kernel(probe.artifact))
        writer.finish(
            Kit(
                target="h200",
                architecture="sm_90",
                vendor="nvidia",
                created="2026-01-02T03:04:05+00:00",
                compiler="0",
                items=tuple(records),
                probes=probes,
            )
        )
    text = single_file(
        "run", modules=["roller_mlir.evaluation.measure.runner"], main="roller_mlir.evaluation.measure.runner.main:main"
    )
    (folder / "run.py").write_text(text, encoding="utf-8")
    return folder


def library(folder: Path) -> Path:
    """Builds the driver library."""
    folder.mkdir()
    fake_drivers.build("fake_cuda.c", folder / "libcuda.so.1")
    return folder


def environment(driver: Path) -> dict[str, str]:
    """Return the environment in which a process finds the driver library."""
    return {**os.environ, "LD_LIBRARY_PATH": str(driver), "FAKE_CUDA_BYTES": str(1 << 30)}


def start(
    kit: Path, driver: Path, output: Path, *options: str, more: dict[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Starts the kit's own runner, away from the package, with more in its environment."""
    command = [sys.executable, "-P", str(kit / "run.py"), "-o", str(output), "--peers", "none", *options]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=kit,
        env=environment(driver) | (more or {}),
    )


def run(kit: Path, driver: Path, output: Path, *options: str, code: int = 0) -> tuple[str, str]:
    """Runs it to its end, which must be of this exit code; returns what it printed."""
    process = start(kit, driver, output, *options)
    said, errors = process.communicate(timeout=600)
    assert process.returncode == code, (process.returncode, said, errors)
    return said, errors


def results(output: Path) -> Any:
    """Return what a run has written."""
    return json.loads((output / "results.json").read_text())
