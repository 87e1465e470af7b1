# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled artifacts through the CUDA and HIP back ends on simulated drivers: the very bits that `sim` gives."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from simulated_drivers import libraries

from roller_mlir.runtime import Artifact
from roller_mlir.sim.driver import simulated_device
from roller_mlir.sim.driver.build import library_folder
from roller_mlir.tools.roller import main

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library"),
    pytest.mark.usefixtures("forked_servers"),
]
CUDA = pytest.mark.skipif(importlib.util.find_spec("cuda") is None, reason="needs cuda-bindings")
HIP = pytest.mark.skipif(importlib.util.find_spec("hip") is None, reason="needs hip-python")
PROGRAM = """
import sys
import numpy as np
from roller_mlir.runtime import Artifact, BackendError

folder, on, given, results = sys.argv[1:]
inputs = list(np.load(given).values())
artifact = Artifact.load(folder)
found = {"run": artifact.run(*inputs, on=on)[0]}
if on == "cuda":
    from cuda.bindings import driver

    def place(array):
        address = int(driver.cuMemAlloc(array.nbytes)[1])
        assert not int(driver.cuMemcpyHtoD(address, array.ctypes.data, array.nbytes)[0])
        data = {"shape": array.shape, "typestr": array.dtype.str, "data": (address, False), "version": 3}
        return type("OnDevice", (), {"__cuda_array_interface__": data})()

    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
    program = artifact.open(on)
    found["open"] = program(*inputs)[0].numpy()
    result = place(np.zeros_like(found["run"]))
    program.prepare(*map(place, inputs), outputs=[result], graph=True)()
    found["graph"] = np.zeros_like(found["run"])
    driver.cuMemcpyDtoH(found["graph"].ctypes.data, result.__cuda_array_interface__["data"][0], found["graph"].nbytes)
np.savez(results, **found)
if any(kernel.tensor_maps for kernel in artifact.kernels):
    from roller_mlir.runtime.driver import cuda_maps

    encode = cuda_maps.encode
    cuda_maps.encode = lambda record, described, address: encode(record, described, address + 16)
    try:
        artifact.run(*inputs, on=on)
    except BackendError as error:
        assert "tensor map 0 is not that of argument 0" in str(error), error
    else:
        raise SystemExit("a tensor map of another place is taken")
"""


def matmul(kind: str, m: int, n: int, k: int) -> str:
    sizes = {"a": f"tensor<{m}x{k}x{kind}>", "b": f"tensor<{k}x{n}x{kind}>", "c": f"tensor<{m}x{n}xf32>"}
    return f"""
func.func @main(%a: {sizes["a"]}, %b: {sizes["b"]}) -> {sizes["c"]} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {sizes["c"]}
  %f = linalg.fill ins(%zero : f32) outs(%e : {sizes["c"]}) -> {sizes["c"]}
  %r = linalg.matmul ins(%a, %b : {sizes["a"]}, {sizes["b"]}) outs(%f : {sizes["c"]}) -> {sizes["c"]}
  return %r : {sizes["c"]}
}}
"""


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    ("on", "target", "kind"),
    [
        pytest.param("cuda", "h200", "f32", marks=CUDA),
        pytest.param("cuda", "h200", "f16", marks=CUDA),
        pytest.param("hip", "mi300x", "f32", marks=HIP),
    ],
)
def test_the_runtime_gives_the_same_bits(tmp_path: Path, on: str, target: str, kind: str) -> None:
    source, folder = tmp_path / "matmul.mlir", tmp_path / "matmul.roller"
    source.write_text(matmul(kind, 128, 128, 64))
    family = ["--instruction", "wgmma"] if kind == "f16" else []  # which takes tensor maps
    assert main(["compile", str(source), "--target", target, *family, "-o", str(folder)]) == 0
    artifact = Artifact.load(folder)
    assert (kind == "f16") == any(kernel.tensor_maps for kernel in artifact.kernels)
    random = np.random.default_rng(0)
    inputs = [
        random.standard_normal(shape).astype(np.dtype(kind.replace("f", "float"))) for shape in ((128, 64), (64, 128))
    ]
    np.savez(tmp_path / "in.npz", *inputs)
    words = [str(folder), on, str(tmp_path / "in.npz"), str(tmp_path / "out.npz")]
    with simulated_device([folder], libraries=libraries()) as environment:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env={**os.environ, **environment},
        )
    assert done.returncode == 0, done.stderr
    (wanted,) = artifact.run(*inputs)
    results = dict(np.load(tmp_path / "out.npz"))
    assert list(results) == (["run", "open", "graph"] if on == "cuda" else ["run"])
    for found in results.values():
        np.testing.assert_array_equal(found, wanted)


SPEC = importlib.util.find_spec("nvidia")
HEADERS = [
    str(header.parent)
    for place in (SPEC.submodule_search_locations or [] if SPEC else [])
    for header in Path(place).glob("*/include/cuda.h")
]


@pytest.mark.skipif(not HEADERS, reason="needs NVIDIA's cuda.h, which nvidia-cuda-runtime brings")
def test_a_program_in_c_gives_the_same_bits(tmp_path: Path) -> None:
    root = Path(__file__).parents[4]
    source, folder, program = tmp_path / "matmul.mlir", tmp_path / "matmul.roller", tmp_path / "run_artifact"
    source.write_text(matmul("f32", 32, 16, 8))
    assert main(["compile", str(source), "--target", "h200", "-o", str(folder)]) == 0
    libraries = library_folder(tmp_path / "drivers")
    words = [
        "-std=c11",
        f"-I{root / 'include'}",
        "-isystem",
        HEADERS[0],
        str(root / "examples" / "c" / "run_artifact.c"),
    ]
    subprocess.run(["cc", *words, "-o", str(program), f"-L{libraries}", "-l:libcuda.so.1"], check=True, timeout=600)
    artifact, random = Artifact.load(folder), np.random.default_rng(0)
    inputs = [random.standard_normal(shape).astype(np.float32) for shape in ((32, 8), (8, 16))]
    files = [tmp_path / name for name in ("a.bin", "b.bin", "c.bin")]
    for array, path in zip(inputs, files, strict=False):
        array.tofile(path)
    with simulated_device([folder], libraries=tmp_path / "drivers") as environment:
        command = [str(program), str(folder), *map(str, files)]
        subprocess.run(command, check=True, timeout=600, env={**os.environ, **environment})
    (wanted,) = artifact.run(*inputs)
    np.testing.assert_array_equal(np.fromfile(files[2], np.float32), wanted.reshape(-1))
