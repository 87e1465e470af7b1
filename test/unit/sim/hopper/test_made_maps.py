# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps that a kernel makes in device memory: what orders their making before their use, and what does not."""

import re

import numpy as np
import pytest
from hopper_kernels import WORKGROUP

from roller_mlir.sim import SanitizerError, SimulatedKernels, SimulationError
from roller_mlir.support.diagnostics import DiagnosedError

ROWS, COLUMNS = 8, 64
BYTES = ROWS * COLUMNS * 2
ASM = "llvm.inline_asm has_side_effects asm_dialect = att"


def field(name: str, value: str, axis: int | None = None, wide: bool = False) -> str:
    kind, constraint, word = ("b64", "l", "i64") if wide else ("b32", "r", "i32")
    fixed = name in ("elemtype", "interleave_layout", "swizzle_mode", "fill_mode")
    places, constraints = ("$1", "r") if axis is None else ("$1, $2", "r,n")
    operands, kinds = ("%space", "i32") if axis is None else (f"%space, %n{axis}", "i32, i32")
    return (
        f'{ASM} "tensormap.replace.tile.{name}.shared::cta.b1024.{kind} [$0], {places};", '
        f'"{constraints},{"n" if fixed else constraint},~{{memory}}" {operands}, {value} : ({kinds}, {word}) -> ()\n'
    )


FIELDS = (
    field("global_address", "%x", wide=True)
    + field("global_stride", "%stride", 0, wide=True)
    + field("global_dim", "%columns", 0)
    + field("global_dim", "%rows", 1)
    + field("box_dim", "%columns", 0)
    + field("box_dim", "%rows", 1)
    + field("element_stride", "%n1", 0)
    + field("element_stride", "%n1", 1)
    + field("rank", "%n1")
    + field("elemtype", "%f16")
    + field("interleave_layout", "%n0")
    + field("swizzle_mode", "%n0")
    + field("fill_mode", "%n0")
)
MAKE = f"""
  scf.if %first {{ {FIELDS} }}
  nvvm.bar.warp.sync %all : i32
  {ASM} "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;",
    "l,r,~{{memory}}" %map, %space : (!llvm.ptr<1>, i32) -> ()
"""
ACQUIRE = "nvvm.fence.proxy.acquire <gpu> %tensor, %c128\n"
COPY = f"""
    %bytes = arith.constant {BYTES} : i32
    %token = nvvm.mbarrier.arrive.expect_tx %bar, %bytes : !llvm.ptr<3>, i32 -> i64
    nvvm.cp.async.bulk.tensor.shared.cluster.global %near, %tensor, %bar, box[%n0, %n0] : !llvm.ptr<7>, !llvm.ptr
"""


def kernel(body: str) -> str:
    """Threads %first and %other are the first ones of two warps; %w holds a box, then a map, then a barrier."""
    arena = f"memref<{BYTES + 256}xi8, {WORKGROUP}>"
    return f"""
gpu.module @kernels {{ gpu.func @k(%a: memref<{ROWS}x{COLUMNS}xf16>, %m: memref<256xi8>, %y: memref<{BYTES // 4}xi32>)
    workgroup(%w: {arena}) kernel {{
  %wi = memref.extract_aligned_pointer_as_index %w : {arena} -> index
  %wa = arith.index_cast %wi : index to i64
  %shared = llvm.inttoptr %wa : i64 to !llvm.ptr<3>
  %near = llvm.addrspacecast %shared : !llvm.ptr<3> to !llvm.ptr<7>
  %record = llvm.getelementptr %shared[{BYTES}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %space = llvm.ptrtoint %record : !llvm.ptr<3> to i32
  %bar = llvm.getelementptr %shared[{BYTES + 128}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %xi = memref.extract_aligned_pointer_as_index %a : memref<{ROWS}x{COLUMNS}xf16> -> index
  %x = arith.index_cast %xi : index to i64
  %mi = memref.extract_aligned_pointer_as_index %m : memref<256xi8> -> index
  %ma = arith.index_cast %mi : index to i64
  %tensor = llvm.inttoptr %ma : i64 to !llvm.ptr
  %map = llvm.addrspacecast %tensor : !llvm.ptr to !llvm.ptr<1>
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n2 = arith.constant 2 : i32
  %f16 = arith.constant 6 : i32
  %c128 = arith.constant 128 : i32
  %all = arith.constant -1 : i32
  %rows = arith.constant {ROWS} : i32
  %columns = arith.constant {COLUMNS} : i32
  %stride = arith.constant {2 * COLUMNS} : i64
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %n5 = arith.constant 5 : i32
  %n31 = arith.constant 31 : i32
  %warp = arith.shrui %tid, %n5 : i32
  %lane = arith.andi %tid, %n31 : i32
  %making = arith.cmpi eq, %warp, %n0 : i32
  %leads = arith.cmpi eq, %lane, %n0 : i32
  %first = arith.andi %making, %leads : i1
  %later = arith.cmpi ne, %warp, %n0 : i32
  %other = arith.andi %later, %leads : i1
  scf.if %first {{
    nvvm.mbarrier.init %bar, %n1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
  }}
  %cell = arith.muli %lane, %n2 : i32
  %at = arith.addi %cell, %cell : i32
  %word = llvm.getelementptr %record[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  scf.if %making {{
    llvm.store %n0, %word {{alignment = 4 : i64}} : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %all : i32
  }}
  nvvm.barrier
  {body}
  nvvm.mbarrier.try_wait.parity %bar, %n0, %n1 : !llvm.ptr<3>, i32, i32
  scf.if %first {{
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %end = arith.constant {BYTES // 4} : index
    %view = memref.view %w[%i0][] : {arena} to memref<{BYTES // 4}xi32, {WORKGROUP}>
    scf.for %i = %i0 to %end step %i1 {{
      %value = memref.load %view[%i] : memref<{BYTES // 4}xi32, {WORKGROUP}>
      memref.store %value, %y[%i] : memref<{BYTES // 4}xi32>
    }}
  }}
  gpu.return
}} }}"""


def run(body: str, sanitize: bool = True, seed: int | None = None) -> np.ndarray:
    x = np.arange(1, ROWS * COLUMNS + 1, dtype=np.float16).reshape(ROWS, COLUMNS)
    y = np.zeros(BYTES // 4, np.int32)
    SimulatedKernels(kernel(body), sanitize=sanitize).launch(
        "k", 1, 64, 0, [x, np.zeros(256, np.uint8), y], written=[None, np.zeros(256, np.uint8), None], seed=seed
    )
    np.testing.assert_array_equal(y.view(np.float16).reshape(x.shape), x)
    return y


def fault(body: str, sanitize: bool = False, seed: int | None = None) -> str:
    with pytest.raises((SimulationError, SanitizerError)) as error:
        run(body, sanitize, seed)
    return str(error.value)


MADE = f"scf.if %making {{ {MAKE} }}\n"


def test_the_thread_that_made_a_map_acquires_and_uses_it():
    run(f"scf.if %making {{ {MAKE} nvvm.bar.warp.sync %all : i32 scf.if %first {{ {ACQUIRE} {COPY} }} }}")


def test_a_thread_behind_a_barrier_acquires_and_uses_it():
    run(f"{MADE} nvvm.barrier\n scf.if %other {{ {ACQUIRE} {COPY} }}")


def test_an_acquire_of_another_thread_that_a_barrier_follows_is_enough():
    run(f"{MADE} nvvm.barrier\n scf.if %first {{ {ACQUIRE} }}\n nvvm.barrier\n scf.if %other {{ {COPY} }}")


def test_a_barrier_alone_is_no_acquire():
    assert "is used without 'fence.proxy.tensormap::generic.acquire' of it before" in fault(
        f"{MADE} nvvm.barrier\n scf.if %other {{ {COPY} }}"
    )


def test_an_acquire_that_nothing_orders_before_the_use_is_none():
    assert "is used without 'fence.proxy" in fault(
        f"{MADE} nvvm.barrier\n scf.if %first {{ {ACQUIRE} }}\n scf.if %other {{ {COPY} }}"
    )


def test_a_fence_of_copies_is_no_acquire():
    other = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}\n"
    assert "is used without 'fence.proxy" in fault(f"{MADE} nvvm.barrier\n scf.if %other {{ {other} {COPY} }}")


def test_what_is_published_after_the_acquire_is_not_acquired():
    again = f"{MADE} nvvm.barrier\n scf.if %other {{ {ACQUIRE} }}\n nvvm.barrier\n {MADE} nvvm.barrier\n"
    assert "is used without 'fence.proxy" in fault(f"{again} scf.if %other {{ {COPY} }}")


def test_the_sanitizer_finds_an_acquire_that_nothing_orders_behind_the_making():
    body = f"{MADE} scf.if %other {{ {ACQUIRE} {COPY} }}"
    found = [fault(body, sanitize=True, seed=seed) for seed in range(4)]
    assert any("race" in one for one in found), found


def test_a_copy_by_plain_stores_publishes_nothing():
    stores = """
    %aligned = llvm.getelementptr %map[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    %part = llvm.load %word {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    llvm.store %part, %aligned {alignment = 4 : i64} : i32, !llvm.ptr<1>
    """
    by_hand = MAKE[: MAKE.index(f'{ASM} "tensormap.cp')] + stores
    assert "no tensor map has been copied to address" in fault(
        f"scf.if %making {{ {by_hand} nvvm.bar.warp.sync %all : i32 scf.if %first {{ {ACQUIRE} {COPY} }} }}"
    )


def test_a_map_at_an_address_that_is_not_aligned_is_named():
    copy = f'{ASM} "tensormap.cp'
    moved = "%moved = llvm.getelementptr %map[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8"
    found = fault(MADE.replace("%map, %space", "%moved, %space").replace(copy, f"{moved}\n{copy}"))
    assert re.search("a tensor map is made, copied or acquired at address 0x.*, which is no multiple of 128", found)


def test_sizes_and_dimensions_that_no_map_has_are_refused():
    with pytest.raises(DiagnosedError, match="must be of 128 B, which a tensor map has"):
        SimulatedKernels(kernel(f"{MADE} {ACQUIRE}".replace("%c128", "%n1")))
    with pytest.raises(DiagnosedError, match="'global_stride' must be of a dimension of 0 to 3, but got 5"):
        SimulatedKernels(kernel(MADE.replace("%n0, %stride", "%n5, %stride")))
