# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small part of `bench/correctness/hostile/tamper.py`, in this process: changes are one error, or harmless."""

import random
import sys
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.hal import DeviceError, find_device, parse_device, template
from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, Kernel, Launch, Manifest
from roller_mlir.plan.records.codec import CodecError
from roller_mlir.support.diagnostics import DiagnosedError

ROOT = Path(__file__).parents[3]
SEED = 7
TEXT = """
define ptx_kernel void @k(ptr %0, ptr %1) {
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i32, ptr %0, i64 %4
  %6 = load i32, ptr %5, align 4
  %7 = shl i32 %6, 2
  store i32 %7, ptr %5, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""


def manifest() -> str:
    view = BufferView(buffer="x", element_type="f32", shape=(64,))
    return Manifest(
        function="main",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        inputs=("x",),
        outputs=(),
        buffers=(Buffer(name="x", role="input", element_type="f32", shape=(64,)),),
        launches=(Launch(kernel="k", arguments=(view,)),),
        kernels=(Kernel(name="k"),),
    ).dumps()


@pytest.fixture(scope="module", autouse=True)
def tamper() -> Any:
    sys.path.insert(0, str(ROOT / "bench" / "correctness" / "hostile"))
    try:
        import tamper_changes
    finally:
        sys.path.pop(0)
    return tamper_changes


@pytest.mark.parametrize("number", range(20))
def test_llvm_text(number: int, tamper: Any) -> None:
    from roller_mlir.sim.llvm.level import lower_llvm

    changed = tamper.tamper_llvm(random.Random(f"{SEED}/{number}"), TEXT.encode())
    try:
        lower_llvm("k", changed.decode("utf-8", "replace"), subgroup_size=32)
    except DiagnosedError as error:
        assert "error: " in str(error) and len(str(error)) < 2000


@pytest.mark.parametrize("number", range(20))
def test_manifests(number: int, tamper: Any) -> None:
    changed = tamper.tamper_json(random.Random(f"{SEED}/{number}"), manifest().encode())
    try:
        Manifest.loads(changed.decode("utf-8", "replace"))
    except CodecError as error:
        assert len(str(error)) < 1000


@pytest.mark.full(every=2)
@pytest.mark.parametrize("number", range(20))
def test_devices(number: int, tamper: Any) -> None:
    text = template(find_device("h200"))
    changed = tamper.tamper_toml(random.Random(f"{SEED}/{number}"), text.encode())
    try:
        parse_device(changed.decode("utf-8", "replace"), file="mine.toml")
    except DeviceError as error:
        assert str(error).startswith("mine.toml: ") and len(str(error)) < 1000
