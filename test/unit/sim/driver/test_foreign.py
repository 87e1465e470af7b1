# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of other compilers on simulated drivers, from LLVM IR that is given for them; each way to be refused."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from simulated_drivers import libraries
from simulated_programs import COUNT, run_cases

from roller_mlir.runtime.errors import BackendError
from roller_mlir.sim.driver import simulated_device
from roller_mlir.sim.driver.foreign import ForeignTexts, read_texts
from roller_mlir.sim.driver.images import ImageError, kernels_of
from roller_mlir.sim.driver.kernels import KnownKernels
from roller_mlir.tools.roller import main

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library"),
    pytest.mark.usefixtures("forked_servers"),
]
BESIDE = str(Path(sys.executable).parent)
COMPILER, RUN = (shutil.which(name, path=BESIDE) or shutil.which(name) for name in ("iree-compile", "iree-run-module"))
IMAGE = b"""
.visible .entry twice( // its parameters
\t.param .u64 .ptr .global .align 16 twice_param_0,
\t.param .u64 twice_param_1
)
{ ret; }
.entry endless(.param .u64 a, .param .b32 b) { ret; }
.entry unknown { ret; }
"""
KERNEL = """
@shared = external addrspace(3) global [0 x float], align 16
define ptx_kernel void @twice(ptr addrspace(1) align 16 %0, ptr addrspace(1) align 16 %1) #0 {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = mul i32 %4, 32
  %6 = add i32 %5, %3
  %7 = zext i32 %6 to i64
  %8 = getelementptr float, ptr addrspace(1) %0, i64 %7
  %9 = load float, ptr addrspace(1) %8, align 4
  %10 = fmul float %9, 2.0
  %11 = getelementptr float, ptr addrspace(1) %1, i64 %7
  store float %10, ptr addrspace(1) %11, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
attributes #0 = { "nvvm.reqntid"="32" }
"""
START = "0x2[0-9a-f]{11}"


def folder_of(path: Path, **files: str) -> Path:
    """Makes a folder with the image, and files of LLVM IR; what the plain program takes for an artifact."""
    path.mkdir(exist_ok=True)
    (path / "k.bin").write_bytes(IMAGE)
    for name, text in files.items():
        (path / f"{name}.ll").write_text(text)
    return path


def test_a_kernel_runs_from_its_llvm_ir_and_the_device_refuses_what_it_cannot_launch(tmp_path: Path) -> None:
    rest = "declare void @mystery()\n" + KERNEL.replace("@twice", "@endless").replace(
        "ptr addrspace(1) align 16 %1)", "i32 %1)"
    ).replace("%1, i64 %7", "%0, i64 %7")
    unknown = rest.replace("@endless(ptr addrspace(1) align 16 %0, i32 %1)", "@unknown(ptr addrspace(1) %0)").replace(
        "%2 = call", "%3 = call"
    )
    unknown = re.sub(r"%(\d+)", lambda one: f"%v{one[1]}", unknown).replace(
        "  ret void", "  call void @mystery()\n  ret void"
    )
    folder = folder_of(tmp_path / "f", a=KERNEL, b=rest, c=unknown)
    wrong: list[tuple[dict[str, object], int, str]] = [
        ({"block": (64, 1, 1)}, 1, r"a block of 64x1x1 threads does not fit nvvm.reqntid = 32"),
        ({"block": (2048, 1, 1)}, 1, r"block is \(2048, 1, 1\), but h200 has 1 to \(1024, 1024, 64\)"),
        ({"block": (1024, 2, 1)}, 1, r"a block has 2048 threads, but at most 1024 fit"),
        ({"grid": (2, 70000, 1)}, 1, r"grid is \(2, 70000, 1\), but h200 has 1 to \(\d+, 65535, 65535\)"),
        ({"shift": 4, "sizes": (512, 256)}, 719, "not a multiple of 16 B as promised"),
        ({"sizes": (256, 128)}, 719, r"4 B from byte \d+ on are outside the 128 B of argument 1"),
        ({"grid": (3, 1, 1)}, 719, r"'twice': .* outside the 256 B of argument \d: .*a.ll:1\d:1"),
        ({"freed": True}, 1, f"argument 1: 1 B at {START} (are not in memory that is|go beyond .* that are) allocated"),
        ({"kernel": "thrice"}, 500, "the image has no kernel 'thrice', but twice, endless, unknown"),
        ({"kernel": "unknown"}, 200, r"c.ll:\d+:1: error: kernel 'unknown': function 'mystery' is not known"),
        ({"image": ".entry other() {}"}, 200, "nor is LLVM IR of its kernel 'other' given; give the one"),
        ({"image": "nothing"}, 200, r"no artifact holds this image of 7 B \(.*\), and it has no kernels"),
        ({"image": ".entry twice(.param .u64 a) {}"}, 200, r"parameters of \(8, 8\) B, but .* takes \(8,\) B"),
    ]
    files, log = sorted(folder.glob("*.ll")), tmp_path / "log"
    with simulated_device([], llvm=files, target="h200", libraries=libraries(), log=log) as environment:
        found = run_cases(folder, "cuda", {**os.environ, **environment}, {}, *(case for case, _, _ in wrong), {})
    twice = [2.0 * value for value in range(COUNT)]
    assert found[0] == found[-1] == {"status": 0, "text": "no error", "result": twice}
    for one, (case, status, text) in zip(found[1:-1], wrong, strict=True):
        assert one["status"] == status, (case, one)
        with pytest.raises(AssertionError, match=text):
            raise AssertionError(one["text"])
    first = json.loads(log.read_text().splitlines()[0])
    assert (first["kernel"], Path(first["source"]).name, first["grid"]) == ("twice", "a.ll", [2, 1, 1])


def test_llvm_ir_that_is_not_clear_or_not_there_is_named(tmp_path: Path) -> None:
    other = KERNEL.replace("2.0", "3.0")
    texts = {"a.linked.ll": other, "a.optimized.ll": KERNEL, "again.ll": KERNEL, "none.ll": ""}
    found = ForeignTexts(texts).find("twice")
    assert found is not None and found[1] == KERNEL
    assert ForeignTexts(texts).find("thrice") is None
    with pytest.raises(BackendError, match=r"'twice' is defined otherwise in each of again.ll, b.ll; give one of them"):
        ForeignTexts({**texts, "b.ll": other}).find("twice")
    (tmp_path / "no.ll").write_bytes(b"\xff")
    for name, said in (("nowhere.ll", "no such file"), ("no.ll", "not UTF-8 at byte 0")):
        with pytest.raises(BackendError, match=f"{name}: {said}"):
            read_texts([str(tmp_path / name)])
    with pytest.raises(BackendError, match=r"--target: its device cannot be simulated: .*h2000"):
        KnownKernels({}, level="gpu", timeout_s=60, target="h2000")


def test_the_command_needs_a_device_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--", "true"]) == 2
    assert "nothing says which device to simulate; name --artifact or --target" in capsys.readouterr().err
    assert main(["simulate", "--target", "h200", "--llvm", "no*such.ll", "--", "true"]) == 1
    assert "--llvm names no file: no*such.ll" in capsys.readouterr().err


def test_images_say_what_their_kernels_take() -> None:
    map_parameter = b".entry k(.param .align 64 .b8 m[128], .param .f32 x) { }"
    assert kernels_of(map_parameter) == {"k": (128, 4)}
    assert kernels_of(IMAGE + b"\0\0") == {"twice": (8, 8), "endless": (8, 4), "unknown": ()}
    with pytest.raises(ImageError, match="it cannot be read"):
        kernels_of(b"\x7fELF" + bytes(100))
    with pytest.raises(ImageError, match="it cannot be read"):
        kernels_of(b"\xff\xfe")


SOURCE = """
func.func @f(%a: tensor<33x29xf32>, %b: tensor<29x47xf32>) -> tensor<33x47xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x47xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<33x47xf32>) -> tensor<33x47xf32>
  %r = linalg.matmul ins(%a, %b : tensor<33x29xf32>, tensor<29x47xf32>)
      outs(%i : tensor<33x47xf32>) -> tensor<33x47xf32>
  return %r : tensor<33x47xf32>
}
"""
TARGETS = {
    "cuda": ("a100-80", "--iree-cuda-target=sm_80"),
    "hip": ("mi300x", "--iree-rocm-target=gfx942"),
}


@pytest.mark.full
@pytest.mark.skipif(RUN is None or COMPILER is None, reason="needs iree-base-compiler and iree-base-runtime")
@pytest.mark.parametrize("driver", ["cuda", pytest.param("hip", marks=pytest.mark.full)])
def test_a_module_of_iree_runs_from_what_its_compiler_dumps(tmp_path: Path, driver: str) -> None:
    device, architecture = TARGETS[driver]
    command = [str(COMPILER), f"--iree-hal-target-device={driver}", architecture, "-", "-o", str(tmp_path / "f.vmfb")]
    command.append(f"--iree-hal-dump-executable-intermediates-to={tmp_path / 'dumps'}")
    subprocess.run(command, input=SOURCE, text=True, check=True, capture_output=True, timeout=600)
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in ((33, 29), (29, 47)))
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    words = [f"--device={driver}", f"--module={tmp_path / 'f.vmfb'}", "--function=f"]
    words += [f"--input=@{tmp_path / 'a.npy'}", f"--input=@{tmp_path / 'b.npy'}", f"--output=@{tmp_path / 'out.npy'}"]
    options = ["--target", device, "--llvm", str(tmp_path / "dumps" / "*.ll")]
    assert main(["simulate", *options, "--", str(RUN), *words]) == 0
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), a @ b, rtol=1e-4, atol=1e-4)
