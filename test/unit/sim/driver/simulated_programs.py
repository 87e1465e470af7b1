# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts that are made by hand, and a plain program that launches their kernels through a driver library.

The program takes a list of cases as JSON, each what it does otherwise than the artifact says, and prints a line of JSON
for each: the status of the launch, the driver's text for it, and what the kernel gave. It imports nothing of ours.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.store import sha256

COUNT = 64
KERNELS = b"""
gpu.module @kernels {
  gpu.func @twice(%x: memref<64xf32>, %y: memref<64xf32>) kernel {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<64xf32>
    %s = arith.addf %v, %v : f32
    memref.store %s, %y[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @endless(%x: memref<64xf32>, %y: memref<64xf32>) kernel {
    %i = gpu.global_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %most = arith.constant 1000000000000000 : index
    scf.for %k = %c0 to %most step %c1 {
      %v = memref.load %y[%i] : memref<64xf32>
      %w = memref.load %x[%i] : memref<64xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %y[%i] : memref<64xf32>
    }
    gpu.return
  }
}
"""
IMAGE = b"// an image that nobody compiles: kernels are found by its hash\n"
DEVICES = {
    "cuda": DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
    "hip": DeviceRecord(name="mi300x", vendor="amd", architecture="gfx942", subgroup_size=64),
}
_PROGRAM = """
import ctypes, json, signal, sys
from array import array

signal.signal(signal.SIGINT, signal.SIG_DFL)
library, image, cases = sys.argv[1], open(sys.argv[2], "rb").read(), json.loads(sys.argv[3])
cuda = library == "cuda"
api = ctypes.CDLL("libcuda.so.1" if cuda else "libamdhip64.so")
NAMES = {"MemAlloc": "Malloc", "MemFree": "Free", "LaunchKernel": "ModuleLaunchKernel",
         "LaunchCooperativeKernel": "ModuleLaunchCooperativeKernel", "DeviceGetCount": "GetDeviceCount"}
if not cuda:
    api.hipGetErrorString.restype = ctypes.c_char_p

def call(name, *arguments):
    return getattr(api, ("cu" + name) if cuda else ("hip" + NAMES.get(name, name)))(*arguments)

def text(status):
    if not cuda:
        return api.hipGetErrorString(status).decode()
    found = ctypes.c_char_p()
    api.cuGetErrorString(status, ctypes.byref(found))
    return found.value.decode()

def must(status):
    if status:
        raise SystemExit(f"status {status}: {text(status)}")

def copy(to, source, size, way):
    name = ("MemcpyHtoD" if way == 1 else "MemcpyDtoH") if cuda else "Memcpy"
    return call(name, ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(size), *(() if cuda else (way,)))

def launch(case):
    places = []
    for size in case.get("sizes", (256, 256)):
        at = ctypes.c_uint64()
        must(call("MemAlloc", ctypes.byref(at), ctypes.c_size_t(size)))
        places.append(at.value)
    x, y = places
    values = array("f", range(64))
    must(copy(x, values.buffer_info()[0], min(256, case.get("sizes", (256,))[0]), 1))
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    if status := call("ModuleLoadData", ctypes.byref(module), case.get("image", "").encode() or image):
        return status, None
    if status := call("ModuleGetFunction", ctypes.byref(function), module, case.get("kernel", "twice").encode()):
        return status, None
    if case.get("freed"):
        must(call("MemFree", ctypes.c_uint64(y)))
    cells = [ctypes.c_uint64(x + case.get("shift", 0)), ctypes.c_uint64(y)]
    table = (ctypes.c_void_p * 2)(*map(ctypes.addressof, cells))
    shape = [*case.get("grid", (2, 1, 1)), *case.get("block", (32, 1, 1)), case.get("shared", 0)]
    if case.get("kernel") == "endless":
        print("launching", flush=True)
    if case.get("cooperative"):
        status = call("LaunchCooperativeKernel", function, *shape, None, table)
    else:
        status = call("LaunchKernel", function, *shape, None, table, None)
    if status:
        return status, None
    result = array("f", bytes(256))
    must(copy(result.buffer_info()[0], y, 256, 2))
    return 0, result.tolist()

must(call("Init", 0))
if cuda:
    made = ctypes.c_void_p()
    must(api.cuDevicePrimaryCtxRetain(ctypes.byref(made), 0))
    must(api.cuCtxSetCurrent(made))
for case in cases:
    status, result = launch(case)
    print(json.dumps({"status": status, "text": text(status), "result": result}), flush=True)
"""


def _view(buffer: str) -> BufferView:
    return BufferView(buffer=buffer, element_type="f32", shape=(COUNT,))


def save_artifact(folder: Path, library: str) -> Path:
    """Writes an artifact of two kernels for a device of a driver library; returns its folder."""
    files = {"kernels.mlir": KERNELS, "k.bin": IMAGE}
    kind = "ptx" if library == "cuda" else "hsaco"
    arguments = (_view("x"), _view("y"))
    names = ("twice", "endless")
    manifest = Manifest(
        function="main",
        device=DEVICES[library],
        inputs=("x",),
        outputs=("y",),
        buffers=(
            Buffer(name="x", role="input", element_type="f32", shape=(COUNT,)),
            Buffer(name="y", role="output", element_type="f32", shape=(COUNT,)),
        ),
        launches=tuple(Launch(kernel=name, grid=(2, 1, 1), block=(32, 1, 1), arguments=arguments) for name in names),
        kernels=tuple(Kernel(name=name, files={kind: "k.bin"}) for name in names),
        files=tuple(
            File(name=name, role=role, size_bytes=len(files[name]), sha256=sha256(files[name]))
            for name, role in (("kernels.mlir", "kernels"), ("k.bin", kind))
        ),
    )
    path = folder / f"{library}.roller"
    Artifact(manifest, files).save(path)
    return path


def program(artifact: Path, library: str, *cases: dict[str, Any]) -> list[str]:
    """Return the command that launches kernels of an artifact."""
    return [sys.executable, "-I", "-S", "-c", _PROGRAM, library, str(artifact / "k.bin"), json.dumps(cases)]


def run_cases(
    artifact: Path, library: str, environment: dict[str, str], *cases: dict[str, Any]
) -> list[dict[str, Any]]:
    """Runs the cases in one program; returns what it says of each."""
    command = program(artifact, library, *cases)
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
