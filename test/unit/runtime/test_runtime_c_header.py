# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The header for C and its example: compiled against NVIDIA's headers of PyPI, run over a driver library built here."""

import importlib.util
import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_drivers
import numpy as np
import pytest

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.plan.persistent.task_times import TaskTimes
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.store import MANIFEST_NAME, sha256

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "c" / "run_artifact.c"
SPEC = importlib.util.find_spec("nvidia")
HEADERS = [
    str(header.parent)
    for place in (SPEC.submodule_search_locations or [] if SPEC else [])
    for header in Path(place).glob("*/include/cuda.h")
]
pytestmark = [
    pytest.mark.skipif(fake_drivers.COMPILER is None, reason="needs a C compiler"),
    pytest.mark.skipif(not HEADERS, reason="needs NVIDIA's cuda.h, which nvidia-cuda-runtime brings"),
]
POINTER = ".param .u64 p"
PTX = (
    f".entry twice_a({POINTER}, {POINTER})\n.entry twice_b({POINTER}, {POINTER}, {POINTER})\n"
    f".entry map({POINTER}, {POINTER}, .param .align 64 .b8 m[128])\n"
).encode()
CONSTANTS = np.arange(8, dtype=np.float32).tobytes()
MAP = TensorMap(
    argument=0, offset_bytes=32, element="bf16", extents=(4, 8), strides=(16,), box=(2, 8), steps=(1, 1), swizzle=0
)


def view(buffer: str, count: int = 64, offset_bytes: int = 0) -> BufferView:
    return BufferView(buffer=buffer, offset_bytes=offset_bytes, element_type="f32", shape=(count,))


def manifest() -> Manifest:
    launch: dict[str, Any] = {"grid": (2, 1, 1), "block": (32, 1, 1)}
    files = {"k.ptx": PTX, "constants.bin": CONSTANTS}
    return Manifest(
        function="main",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        inputs=("x",),
        outputs=("y", "z"),
        buffers=(
            Buffer(name="x", role="input", element_type="f32", shape=(8, 8)),
            Buffer(name="y", role="output", element_type="f32", shape=(64,)),
            Buffer(name="z", role="output", element_type="f32", shape=(64,)),
            Buffer(name="w", role="workspace", element_type="f32", shape=(64,), offset_bytes=256),
            Buffer(name="s", role="state", element_type="f32", shape=(32,), offset_bytes=256),
            Buffer(name="c", role="constant", element_type="f32", shape=(4,), offset_bytes=16),
        ),
        workspace_bytes=512,
        state_bytes=384,
        launches=(
            Launch(kernel="twice_a", arguments=(view("x"), view("w")), dynamic_workgroup_bytes=65536, **launch),
            Launch(kernel="twice_b", arguments=(view("w"), view("y"), view("c", 4)), cooperative=True, **launch),
            Launch(kernel="map", arguments=(view("x"), view("y")), cluster=(2, 1, 1), **launch),
            Launch(kernel="", arguments=(view("w", 32, 128), view("z", 32))),
            Launch(kernel="", arguments=(view("s", 32), view("z", 32, 128))),
        ),
        kernels=(
            Kernel(name="twice_a", files={"ptx": "k.ptx"}),
            Kernel(name="twice_b", files={"ptx": "k.ptx"}),
            Kernel(name="map", files={"ptx": "k.ptx"}, tensor_maps=(MAP,)),
        ),
        files=(
            File(name="k.ptx", role="ptx", size_bytes=len(PTX), sha256=sha256(files["k.ptx"])),
            File(name="constants.bin", role="constants", size_bytes=32, sha256=sha256(files["constants.bin"])),
        ),
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Return what compiles a C file beside the fake driver."""
    folder = tmp_path_factory.mktemp("c")
    fake_drivers.build("fake_cuda.c", folder / "libcuda.so.1")
    warnings = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")
    places = (f"-I{ROOT / 'include'}", "-isystem", HEADERS[0], f"-L{folder}", "-l:libcuda.so.1")

    def compiled(source: Path) -> Path:
        made = folder / source.stem
        command = [str(fake_drivers.COMPILER), *warnings, str(source), "-o", str(made), *places]
        subprocess.run(command, check=True, timeout=600)
        return made

    return compiled


@pytest.fixture(scope="module")
def program(compiled: Callable[[Path], Path]) -> Path:
    return compiled(EXAMPLE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Artifact(manifest(), {"k.ptx": PTX, "constants.bin": CONSTANTS}).save(tmp_path / "main.roller")
    np.arange(64, dtype=np.float32).tofile(tmp_path / "x.bin")
    return tmp_path


def run(program: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "LD_LIBRARY_PATH": str(program.parent), "FAKE_CUDA_LOG": str(folder / "log")}
    command = [str(program), *(words or ("main.roller", "x.bin", "y.bin", "z.bin"))]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, cwd=folder, env=environment
    )


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 100


@pytest.mark.parametrize("cell", [0, 1])
def test_a_wait_that_was_given_up(program: Path, folder: Path, cell: int) -> None:
    """The first kernel writes 2 x where a report would be, whose first cell is that of x = 0 or x = 1."""
    given = manifest()
    buffers = tuple(replace(one, shape=(64,), offset_bytes=0) if one.name == "s" else one for one in given.buffers)
    first = replace(given.launches[0], arguments=(view("x"), view("s")), report_bytes=4 * cell)
    reporting = replace(given, buffers=buffers, launches=(first, *given.launches[1:]))
    Artifact(reporting, {"k.ptx": PTX, "constants.bin": CONSTANTS}).save(folder / "report.roller")
    done = run(program, folder, "report.roller", "x.bin", "y.bin", "z.bin")
    assert (done.returncode != 0) == bool(cell)
    assert ("kernel 'twice_a' gave up a wait, and its results are not valid: block" in done.stderr) == bool(cell)


ACCESS = r"""
#define ROLLER_IMPLEMENTATION
#include <stdio.h>
#include <roller.h>
int main(int count, char **words) {
    CUcontext context;
    roller_program program;
    if (count != 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
        return 2;
    if (roller_open(&program, words[1]))
        return fprintf(stderr, "%s", program.error), 1;
    for (size_t i = 0; i < program.launch_count; i++)
        for (size_t j = 0; j < program.launches[i].arguments; j++)
            printf("%u", program.launches[i].access[j]);
    roller_close(&program);
    return 0;
}
"""


def test_what_a_launch_reads_and_writes(compiled: Callable[[Path], Path], folder: Path) -> None:
    source = folder / "access.c"
    source.write_text(ACCESS)
    given = manifest()
    first, second, *rest = given.launches
    said = replace(first, written=(1,), read=(0,)), replace(second, written=(0, 1), read=(0, 2))
    Artifact(replace(given, launches=(*said, *rest)), {"k.ptx": PTX, "constants.bin": CONSTANTS}).save(
        folder / "a.roller"
    )
    found = run(compiled(source), folder, "a.roller")
    assert (found.returncode, found.stdout) == (0, "12" + "321" + "33" * 3)
    manifest_file = folder / "a.roller" / MANIFEST_NAME
    manifest_file.write_text(re.sub(r'("read": \[\s*)0', r"\g<1>9", manifest_file.read_text(), count=1))
    found = run(compiled(source), folder, "a.roller")
    assert (found.returncode, found.stderr) == (1, "manifest.json: a launch is malformed")


TIMES = r"""
#define ROLLER_IMPLEMENTATION
#include <roller.h>
int main(int count, char **words) {
    CUcontext context;
    roller_program program;
    uint64_t times[2][1][2];
    int32_t x[64] = {0, 0, 5, 1, 6, 1, 7, 1, 8, 1}; /* as f32 so small that twice their value is twice their bits */
    CUdeviceptr input, outputs[2], workspace;
    if (count != 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuMemAlloc(&input, 256) || cuMemAlloc(outputs, 256) || cuMemAlloc(outputs + 1, 256) ||
        cuMemAlloc(&workspace, 512) || cuMemcpyHtoD(input, x, sizeof x))
        return 2;
    if (roller_open(&program, words[1]) || roller_run(&program, &input, outputs, workspace, NULL))
        return puts(program.error), 1;
    if (roller_read_times(&program, 1, times[0][0], NULL))
        puts(program.error);
    if (roller_read_times(&program, 0, times[0][0], NULL))
        return puts(program.error), 1;
    for (int block = 0; block < 2; block++)
        printf("%llu %llu\n", (unsigned long long)times[block][0][0], (unsigned long long)times[block][0][1]);
    roller_close(&program);
}
"""


def test_when_tasks_ran(compiled: Callable[[Path], Path], tmp_path: Path) -> None:
    """The first kernel writes 2 x where times would be: of two blocks with a task each, in ticks of 10 ns."""
    given = manifest()
    buffers = tuple(replace(one, shape=(64,), offset_bytes=0) if one.name == "s" else one for one in given.buffers)
    times = TaskTimes(offset_bytes=8, tick_ns=10, positions=1, operators=("a",), tasks=(2,), programs=((1,), (0,)))
    first = replace(given.launches[0], arguments=(view("x"), view("s")), times=times)
    recording = replace(given, buffers=buffers, launches=(first, *given.launches[1:]))
    path = tmp_path / "times.roller"
    Artifact(recording, {"k.ptx": PTX, "constants.bin": CONSTANTS}).save(path)
    (tmp_path / "times.c").write_text(TIMES)
    program = compiled(tmp_path / "times.c")
    second_ns = 10 * (2 << 32)
    assert run(program, tmp_path, "times.roller").stdout.splitlines() == [
        "launch 1 records no times",
        f"{second_ns + 100} {second_ns + 120}",
        f"{second_ns + 140} {second_ns + 160}",
    ]
    text = (path / MANIFEST_NAME).read_text()
    for positions in (8, 2**60):
        (path / MANIFEST_NAME).write_text(re.sub(r'"positions": 1', f'"positions": {positions}', text))
        said = run(program, tmp_path, "times.roller").stdout
        assert said == "manifest.json: a launch's times lie outside of its last argument\n"


def test_it_asks_for_exactly_the_launches(program: Path, folder: Path) -> None:
    done = run(program, folder)
    assert done.returncode == 0, done.stderr
    x = np.arange(64, dtype=np.float32)
    assert np.array_equal(np.fromfile(folder / "y.bin", np.float32), 4 * x)
    assert np.array_equal(np.fromfile(folder / "z.bin", np.float32)[:32], 2 * x[32:])
    assert np.array_equal(np.fromfile(folder / "z.bin", np.float32)[32:], np.zeros(32))  # state, zeroed once
    lines = (folder / "log").read_text().splitlines()
    assert "allocate 384" in lines and any(line.startswith("upload 384 bytes") for line in lines)
    starts = [line.split(":")[0] for line in lines if " grid " in line]
    where = "grid 2,1,1 block 32,1,1 shared {} stream 0 context 0xc0"
    assert starts == [
        "launch twice_a " + where.format(65536),
        "cooperative  twice_b " + where.format(0),
        "cluster 2,1,1  map " + where.format(0),
    ]
    assert "attribute 8 of twice_a is 65536" in lines and "copy 128 bytes stream 0" in lines
    first, *_, mapped = next(line for line in lines if "  map " in line).split(": ")[1].split()
    record, past = mapped.split("@")
    encoded = bytes.fromhex(record)[::-1]
    assert past == "0" and list(encoded[:4]) == [9, 2, 0, 2]  # bf16, two dimensions, no swizzle, 128-byte promotion
    assert (list(encoded[16:18]), list(encoded[24:26])) == ([8, 2], [1, 1])
    assert int.from_bytes(encoded[8:16], "little") == int(first, 16) + 32
    assert np.frombuffer(encoded[32:48], np.uint64).tolist() == [8, 4]
    assert np.frombuffer(encoded[80:88], np.uint64).tolist() == [16]
    allocated = [line for line in lines if line.startswith("allocate")]
    assert len(allocated) == sum(line.startswith("free") for line in lines)


def test_ptx_runs_where_the_driver_refuses_the_cubin(
    program: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cubin = b"\x7fELF" + PTX
    kernels = tuple(replace(one, files={"cubin": "k.cubin", "ptx": "k.ptx"}) for one in manifest().kernels)
    files = (*manifest().files, File(name="k.cubin", role="cubin", size_bytes=len(cubin), sha256=sha256(cubin)))
    made = replace(manifest(), kernels=kernels, files=files)
    content = {"k.ptx": PTX, "constants.bin": CONSTANTS, "k.cubin": cubin}
    Artifact(made, content).save(folder / "main.roller")
    for refused, loaded in (("", len(cubin)), ("cubin", len(PTX))):
        monkeypatch.setenv("FAKE_CUDA_REFUSES", refused)
        assert run(program, folder).returncode == 0
        lines = (folder / "log").read_text().splitlines()
        assert [line for line in lines if line.startswith("load")][-1] == f"load {loaded} bytes"
    (folder / "main.roller" / "k.ptx").unlink()
    alone = replace(made, kernels=tuple(replace(one, files={"cubin": "k.cubin"}) for one in kernels))
    Artifact(alone, content).save(folder / "main.roller")
    done = run(program, folder)
    assert done.returncode == 1 and "loading 'k.cubin' failed: CUDA_ERROR_INVALID_IMAGE" in done.stderr


def rewrite(folder: Path, **changes: Any) -> None:
    (folder / "main.roller" / MANIFEST_NAME).write_text(replace(manifest(), **changes).dumps())


def damage(folder: Path, pattern: str, text: str) -> None:
    path = folder / "main.roller" / MANIFEST_NAME
    before = path.read_text()
    after = re.sub(pattern, text, before, count=1)
    assert after != before
    path.write_text(after)


@pytest.mark.parametrize(
    ("pattern", "text", "message"),
    [
        (r"\A\{", "[", "manifest.json is not a JSON object"),
        (r"\A", "[" * 1000, "manifest.json is not a JSON object"),
        (r'"schema_version": 1', '"schema_version": 2', "this header reads schema version 1"),
        (r'"shape": \[\s*8,', '"shape": [9223372036854775807,', "buffers, inputs or outputs are malformed"),
        (r'"workspace_bytes": 512', '"workspace_bytes": 100', "buffers, inputs or outputs are malformed"),
        (r'"role": "input"', '"role": "output"', "buffers, inputs or outputs are malformed"),
        (r'"offset_bytes": 128', '"offset_bytes": 129', "a launch's view lies outside of its buffer"),
        (r'"grid": \[\s*2', '"grid": [-2', "a launch is malformed"),
        (r'"name": "k.ptx"', '"name": "../k.ptx"', "kernel 'twice_a' names no file"),
        (r'"role": "ptx",\s*"size_bytes": \d+', '"role": "ptx", "size_bytes": 7', "k.ptx is missing or damaged"),
        (r'"architecture": "sm_90a"', '"architecture": "sm_100a"', "kernel 'twice_a' has no binary for this device"),
        (r'"argument": 0', '"argument": 2', "a tensor map of kernel 'map' is malformed"),
    ],
)
def test_artifacts_of_strangers(program: Path, folder: Path, pattern: str, text: str, message: str) -> None:
    damage(folder, pattern, text)
    done = run(program, folder)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert " grid " not in (folder / "log").read_text() if (folder / "log").exists() else True


@pytest.mark.parametrize("size", [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000])
def test_hashes(program: Path, folder: Path, size: int) -> None:
    """The header's SHA-256 is hashlib's at every length around its blocks."""
    content = PTX + b" " * size
    path = folder / "main.roller"
    (path / "k.ptx").write_bytes(content)
    first, second = manifest().files
    rewrite(folder, files=(replace(first, size_bytes=len(content), sha256=sha256(content)), second))
    assert run(program, folder).returncode == 0
    (path / "k.ptx").write_bytes(content[:-1] + b"x")
    done = run(program, folder)
    assert done.returncode == 1 and "k.ptx is missing or damaged: its SHA-256 is not the manifest's" in done.stderr


def test_wrong_files(program: Path, folder: Path) -> None:
    assert "the number of files must be that of inputs and outputs" in run(program, folder, "main.roller").stderr
    assert "cannot read manifest.json in missing" in run(program, folder, "missing", "x.bin").stderr
    (folder / "x.bin").write_bytes(bytes(255))
    assert "x.bin: it must be a file of exactly the input's bytes" in run(program, folder).stderr


def test_our_manifests_are_read(program: Path, folder: Path) -> None:
    """What the header reads is what the package writes, however it is indented."""
    path = folder / "main.roller" / MANIFEST_NAME
    data = json.loads(path.read_text())
    for indent in (None, 4):
        path.write_text(json.dumps(data, indent=indent))
        assert run(program, folder).returncode == 0
