# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel may do before it has waited for the launches before it: nothing to what these use."""

import numpy as np
import pytest

from roller_mlir.sim import SanitizerError, SimulatedKernels
from roller_mlir.sim.engine.layout import Before

NOTHING = Before(0)
WORKGROUP = "#gpu.address_space<workgroup>"
WAIT, LOAD, STORE = (
    "nvvm.griddepcontrol wait",
    "%v = memref.load %x[%at] : memref<128xf32>",
    "memref.store %v, %y[%at] : memref<128xf32>",
)
COPY = f"%t = nvgpu.device_async_copy %x[%at], %w[%i], 1 : memref<128xf32> to memref<64xf32, {WORKGROUP}>"
LATER = f"""%g = nvgpu.device_async_create_group %t
    nvgpu.device_async_wait %g {{numGroups = 0 : i32}}
    %v = memref.load %w[%i] : memref<64xf32, {WORKGROUP}>"""
HALF = "%half = arith.cmpi ult, %i, %c32 : index"


def launch(*body: str, x: Before = Before.WRITTEN, y: Before = NOTHING, waits: bool = True) -> None:
    """Runs two blocks of 64 threads after launches that used x and y so."""
    lines = "\n    ".join(body)
    text = f"""
gpu.module @kernels {{
  gpu.func @k(%x: memref<128xf32>, %y: memref<128xf32>) workgroup(%w: memref<64xf32, {WORKGROUP}>) kernel {{
    %i = gpu.thread_id x
    %b = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %first = arith.muli %b, %c64 : index
    %at = arith.addi %first, %i : index
    nvvm.griddepcontrol launch_dependents
    {lines}
    gpu.return
  }}
}}
"""
    given, result = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    before = [np.full(512, used, np.uint8) if used else None for used in (x, y)]
    kernels = SimulatedKernels(text, sanitize=True)
    kernels.launch("k", 2, 64, 0, [given, result], before=before if waits else ())
    assert np.array_equal(result, given)


@pytest.mark.parametrize(
    "body",
    [
        (WAIT, LOAD, STORE),
        (WAIT, COPY, LATER, STORE),
        (WAIT, LOAD, WAIT, STORE),
        (HALF, f"scf.if %half {{\n {WAIT}\n }} else {{\n {WAIT}\n }}", LOAD, STORE),
    ],
)
def test_behind_the_wait_all_is_there(body: tuple[str, ...]) -> None:
    launch(*body, y=Before.WRITTEN | Before.READ)


def test_what_nobody_writes_may_be_read_before() -> None:
    launch(LOAD, WAIT, STORE, x=Before.READ, y=Before.READ)
    launch(COPY, WAIT, LATER, STORE, x=NOTHING, y=Before.READ)


def test_nothing_is_asked_of_a_launch_behind_those_that_have_ended() -> None:
    launch(LOAD, STORE, waits=False)


@pytest.mark.parametrize(
    ("body", "site"),
    [
        ((LOAD, WAIT, STORE), "memref.load"),
        ((LOAD, STORE), "memref.load"),
        ((COPY, WAIT, LATER, STORE), "nvgpu.device_async_copy"),
        # One thread does not wait for another one, nor one block for another.
        ((HALF, f"scf.if %half {{\n {WAIT}\n }}", "gpu.barrier", LOAD, STORE), "memref.load"),
        (("%one = arith.cmpi eq, %b, %c0 : index", f"scf.if %one {{\n {WAIT}\n }}", LOAD, STORE), "memref.load"),
    ],
)
def test_a_read_in_front_of_the_wait(body: tuple[str, ...], site: str) -> None:
    with pytest.raises(SanitizerError) as found:
        launch(*body)
    first = found.value.findings[0]
    assert first.kind == "before-wait" and first.site.startswith(site) and first.memory == "argument 0"
    assert "which launches before it use, in front of its 'griddepcontrol.wait'" in first.message
    assert first.other_block is None


@pytest.mark.parametrize("used", [Before.READ, Before.WRITTEN])
def test_a_write_in_front_of_the_wait(used: Before) -> None:
    with pytest.raises(SanitizerError, match=r"before the wait: thread .* at memref\.store .* argument 1"):
        launch(LOAD, STORE, WAIT, x=Before.READ, y=used)
