# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The static quality gate: a planted mismatch of each kind is found, and its pieces read machine code rightly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.backend import Toolchain
from roller_mlir.lowering.backend.checks.accesses import MemoryAccess, accesses_of, memory_access
from roller_mlir.lowering.backend.checks.assembly import Listing, main_loop_range, read_ptx, read_sass
from roller_mlir.lowering.backend.checks.codegen import listing_of
from roller_mlir.lowering.backend.checks.quality import KINDS, mismatches, ptx_workgroup_bytes
from roller_mlir.lowering.backend.checks.sass import knows_sass, read_cubin
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.mapping.checks.expected_code import (
    GLOBAL_LOAD,
    WORKGROUP_LOAD,
    WORKGROUP_STORE,
    ExpectedAccess,
    ExpectedCode,
)

ACCESSES = (
    ExpectedAccess(operand=0, kind=GLOBAL_LOAD, width_bytes=16, count=1),
    ExpectedAccess(operand=0, kind=WORKGROUP_STORE, width_bytes=4, count=4),
    ExpectedAccess(operand=0, kind=WORKGROUP_LOAD, width_bytes=16, count=16),
    ExpectedAccess(operand=1, kind=GLOBAL_LOAD, width_bytes=16, count=1),
    ExpectedAccess(operand=1, kind=WORKGROUP_STORE, width_bytes=16, count=1),
    ExpectedAccess(operand=1, kind=WORKGROUP_LOAD, width_bytes=16, count=16),
)
"""What the matmul of this folder's kernels keeps: tiles of 128 x 128 x 8, 8 x 8 a thread."""


def matmul_code(device: Device) -> ExpectedCode:
    return ExpectedCode(
        device=device,
        threads=256,
        tasks_per_unit=1,
        registers=128,
        workgroup_bytes=16640,
        pass_fmas=512,
        most_pass_fmas=512,
        loops=True,
        only_fmas=True,
        reads_more=False,
        packed=device.vendor == "amd",
        accesses=ACCESSES,
    )


def with_access(number: int, **changes: Any) -> tuple[ExpectedAccess, ...]:
    return tuple(replace(one, **changes) if at == number else one for at, one in enumerate(ACCESSES))


PLANTED: dict[str, tuple[str, dict[str, Any], str]] = {
    "multiply-adds": (
        "fma",
        {"pass_fmas": 500, "most_pass_fmas": 500},
        "the main loop has 512 fused multiply-adds, the plan expects 1000 in 2 passes",
    ),
    "wider copies": ("global", {"accesses": with_access(0, width_bytes=32)}, "has a global load of 32 B in the plan"),
    "wider stores": (
        "workgroup",
        {"accesses": with_access(1, width_bytes=16, count=1)},
        "workgroup stores are narrower",
    ),
    "wider fragments": ("workgroup", {"accesses": with_access(2, width_bytes=32)}, "has a workgroup load of 32 B"),
    "more passes": (
        "fma",
        {"pass_fmas": 1024, "most_pass_fmas": 1024},
        "the main loop has 512 fused multiply-adds, the plan expects 1024",
    ),
    "more tasks": ("registers", {"tasks_per_unit": 9}, "(128 predicted)"),
    "less memory": (
        "workgroup_memory",
        {"workgroup_bytes": 16512},
        "has 16640 B of workgroup memory, the plan expects",
    ),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["a100-80", "h200", "mi300x", "v100"])
def test_a_kernel_that_is_as_expected_has_no_mismatch(parse: Any, kernels: Any, name: str) -> None:
    device = find_device(name)
    (binary,) = compile_kernels(parse(kernels.matmul()), device.name, expected_code={"matmul": matmul_code(device)})
    assert binary.mismatches == ()
    assert binary.phases_s["gate_s"] >= 0


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", ["h200", "mi300x", "v100"])
def test_each_planted_mismatch_is_found(parse: Any, kernels: Any, name: str) -> None:
    """Of PTX all but registers is known."""
    device = find_device(name)
    (binary,) = compile_kernels(parse(kernels.matmul()), device.name)
    statistics, listing = binary.statistics, listing_of(binary, device.architecture)
    if not {"cubin", "hsaco"} & set(binary.files):
        assert "ptx" in binary.files
        statistics = replace(statistics, shared_bytes=ptx_workgroup_bytes(binary.text("ptx")))
    assert mismatches(matmul_code(device), statistics, listing, fmas=1024) == ()
    for what, (kind, changes, message) in PLANTED.items():
        found = mismatches(replace(matmul_code(device), **changes), statistics, listing)
        kinds = [] if statistics.registers is None and kind == "registers" else [kind]
        assert [one.kind for one in found] == kinds, what
        assert all(message in one.message for one in found), what


@pytest.mark.parametrize("name", ["h200", "mi300x", "v100"])
def test_a_kernel_edited_by_hand_is_compared_with_its_plan(parse: Any, kernels: Any, name: str) -> None:
    """Fragments of B are read one by one: the multiply-adds stay, the widths do not."""
    device = find_device(name)
    lines = kernels.matmul().splitlines()
    edited: list[str] = []
    for line in lines:
        result, equals, rest = line.partition(" = vector.load %v")
        if equals and "memref<2x8x128xf32" in rest and int(result.removeprefix("%v")) % 2:
            # A load that may not be joined with its neighbours: each of its own pointer.
            view, _, tail = rest.partition("[")
            indices, _, _ = tail.partition("]")
            kind = rest[rest.index("memref<2x8x128") : rest.rindex(",")]
            edited.append(f"{result}_s = memref.load %v{view}[{indices}] {{nontemporal = true}} : {kind}")
            edited.append(f"{result} = vector.broadcast {result}_s : f32 to vector<4xf32>")
        else:
            edited.append(line)
    assert edited != lines
    (binary,) = compile_kernels(parse("\n".join(edited)), device.name, expected_code={"matmul": matmul_code(device)})
    assert "workgroup" in {one.kind for one in binary.mismatches}, binary.mismatches


LOCAL = """
gpu.module @kernels {
gpu.func @local(%a: memref<256xf32>, %n: memref<256xi32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %own = memref.alloca() : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %at = arith.muli %i, %t : index
    %in = arith.remui %at, %c64 : index
    %x = memref.load %a[%in] : memref<256xf32>
    memref.store %x, %own[%in] : memref<64xf32>
  }
  %k = memref.load %n[%t] : memref<256xi32>
  %j = arith.index_castui %k : i32 to index
  %y = memref.load %own[%j] : memref<64xf32>
  memref.store %y, %a[%t] : memref<256xf32>
  gpu.return
}
}
"""


@pytest.mark.parametrize("name", ["h200", "mi300x"])
def test_local_memory_is_found_without_a_plan(parse: Any, name: str) -> None:
    text = LOCAL.replace("64xf32>", "64xf32, #gpu.address_space<private>>") if name == "mi300x" else LOCAL
    (binary,) = compile_kernels(parse(text), name, expected_code={})
    (one,) = binary.mismatches
    assert one.kind == "local"
    assert 256 <= one.found <= 272
    assert f"a thread has {one.found} B of local memory" in one.message


def test_multiply_adds_of_the_ir_are_counted(h200: Device) -> None:
    listing = Listing(("FFMA", "FFMA2", "DFMA"), ())
    assert mismatches(None, KernelStatistics(), listing, fmas=4) == ()
    (one,) = mismatches(None, KernelStatistics(), listing, fmas=5)
    assert (one.kind, one.expected, one.found) == ("fma", 5, 4)


def test_a_step_of_an_unrolled_loop_may_reach_over_its_end(h200: Device) -> None:
    """131 points, 4 lanes at a time: three steps of two points of a thread, of which the first has one."""
    code = replace(matmul_code(h200), pass_fmas=2, most_pass_fmas=2, accesses=())
    assert mismatches(code, KernelStatistics(), Listing(("FFMA",) * 5, ())) == ()
    within = replace(code, pass_fmas=8, most_pass_fmas=8)
    assert mismatches(within, KernelStatistics(), Listing(("FFMA",) * 17, ())) == ()
    (one,) = mismatches(within, KernelStatistics(), Listing(("FFMA",) * 7, ()))
    assert (one.kind, one.expected, one.found) == ("fma", 8, 7)
    looped = Listing(("FFMA",) * 15 + ("BRA",), ((0, 15),))
    (one,) = mismatches(within, KernelStatistics(), looped)
    assert one.message == "the main loop has 15 fused multiply-adds, the plan expects 16 in 2 passes"


def test_packed_instructions_are_expected(mi300x: Device) -> None:
    code = replace(matmul_code(mi300x), pass_fmas=4, most_pass_fmas=4, loops=False, accesses=())
    assert mismatches(code, KernelStatistics(), Listing(("v_pk_fma_f32", "v_pk_fma_f32"), ())) == ()
    (one,) = mismatches(code, KernelStatistics(), Listing(("v_pk_fma_f32", "v_fma_f32", "v_fmac_f32"), ()))
    assert (one.kind, one.expected, one.found) == ("instruction", 4, 2)


def narrow(expected: Sequence[ExpectedAccess], names: Sequence[str], device: Device) -> int:
    code = replace(matmul_code(device), pass_fmas=0, loops=False, packed=False, accesses=tuple(expected))
    return len(mismatches(code, KernelStatistics(), Listing(tuple(names), ())))


def test_narrower_accesses_are_those_of_the_plan_in_each_pass(h200: Device) -> None:
    wide = ExpectedAccess(operand=0, kind=WORKGROUP_LOAD, width_bytes=16, count=1)
    thin = ExpectedAccess(operand=1, kind=WORKGROUP_LOAD, width_bytes=4, count=2)
    assert narrow([wide, thin], ["LDS.128", "LDS", "LDS"], h200) == 0
    assert narrow([wide, thin], ["LDS.128", "LDS", "LDS"] * 2, h200) == 0, "two passes"
    assert narrow([wide, thin], ["LDS.128", "LDS.64"], h200) == 0, "joined"
    assert narrow([wide, thin], ["LDS.128", "LDS", "LDS", "LDS"], h200) == 0, "of an incomplete second pass"
    assert narrow([wide, thin], ["LDS.128"] + ["LDS"] * 10, h200) == 1
    assert narrow([wide], ["LDS.128", "LDS.64"], h200) == 1
    assert narrow([replace(wide, count=2, partial=1)], ["LDS.128", "LDS.64"], h200) == 0, "half of it is not needed"
    assert narrow([wide], [], h200) == 1


def test_what_is_read_beside_the_inputs_is_not_compared(h200: Device) -> None:
    """In a kernel of one step an epilogue's operands stand beside the tile's."""
    wide = ExpectedAccess(operand=0, kind=GLOBAL_LOAD, width_bytes=16, count=1)
    code = replace(matmul_code(h200), pass_fmas=0, loops=False, accesses=(wide,))
    listing = Listing(("LDG.128", "LDG"), ())
    (one,) = mismatches(code, KernelStatistics(), listing)
    assert (one.kind, one.expected, one.found) == ("global", 16, 4)
    assert mismatches(replace(code, reads_more=True), KernelStatistics(), listing) == ()


@pytest.mark.parametrize(
    ("name", "kind", "width"),
    [
        ("LDG.E.128.CONSTANT", "global load", 16),
        ("STG.E.U16", "global store", 2),
        ("LDS.U", "workgroup load", 4),
        ("STS.64", "workgroup store", 8),
        ("LDL.LU", "local", 4),
        ("ds_read2st64_b32", "workgroup load", 8),
        ("ds_write2_b64", "workgroup store", 16),
        ("ds_read_u8", "workgroup load", 1),
        ("ds_load_b128", "workgroup load", 16),
        ("global_load_dwordx3", "global load", 12),
        ("global_load_short_d16", "global load", 2),
        ("global_store_byte", "global store", 1),
        ("buffer_store_dword", "local", 4),
        ("scratch_load_dwordx2", "local", 8),
        ("s_load_dwordx4", "scalar load", 16),
        ("ld.global.nc.v4.b32", "global load", 16),
        ("ld.shared.v2.b64", "workgroup load", 16),
        ("st.shared.b16", "workgroup store", 2),
        ("st.local.b32", "local", 4),
    ],
)
def test_accesses_are_read(name: str, kind: str, width: int) -> None:
    assert memory_access(name) == MemoryAccess(kind, width)


@pytest.mark.parametrize(
    "name", ["FFMA", "ds_bpermute_b32", "ld.param.b64", "s_waitcnt", "mov.b32", "LDC.64", "v_fma_f32"]
)
def test_other_instructions_are_no_accesses(name: str) -> None:
    assert memory_access(name) is None


@pytest.mark.full(every=6)
@pytest.mark.parametrize("name", ["2080ti", "a100-80", "rtx4090", "h200", "b200", "rtx3090"])
def test_cubins_are_read_as_nvdisasm_reads_them(parse: Any, kernels: Any, toolchain: Toolchain, name: str) -> None:
    """Operations, widths and the main loop, for each generation whose encoding is known."""
    assert toolchain.nvdisasm is not None
    device = find_device(name)
    (binary,) = compile_kernels(parse(kernels.matmul()), device.name, emit="assembly", expected_code={})
    assert "cubin" in binary.files
    assert "assembly" in binary.files
    own, theirs = (
        read_cubin(binary.files["cubin"], "matmul", device.architecture),
        read_sass(binary.text("assembly")),
    )
    assert len(own.instructions) == len(theirs.instructions)
    assert list(accesses_of(own.instructions)) == list(accesses_of(theirs.instructions))
    assert main_loop_range(own) == main_loop_range(theirs) is not None
    for kind in ("FFMA", "FFMA2", "BRA"):
        assert [i == kind for i in own.instructions] == [i.split(".")[0] == kind for i in theirs.instructions]
    with pytest.raises(ValueError, match=r"must have a section \.text\.none, but has none"):
        read_cubin(binary.files["cubin"], "none", device.architecture)


def test_unknown_encodings_are_refused() -> None:
    assert not knows_sass("sm_37")
    with pytest.raises(ValueError, match="must be sm_70 to sm_129, but got 'sm_37'"):
        read_cubin(b"", "matmul", "sm_37")
    with pytest.raises(ValueError, match="must be little-endian ELF-64"):
        read_cubin(b"", "matmul", "sm_90a")


def test_ptx_stands_for_machine_code(parse: Any, kernels: Any) -> None:
    (binary,) = compile_kernels(parse(kernels.matmul()), "v100", emit="ptx", expected_code={})
    assert "ptx" in binary.files
    assert ptx_workgroup_bytes(binary.text("ptx")) == 16640
    listing = read_ptx(binary.text("ptx"))
    assert main_loop_range(listing) is not None


def test_the_kinds_are_those_that_are_tested() -> None:
    elsewhere = {"matrix", "tensor_map", "copies", "descriptor"}  # test_matrix_code, test_hopper_codegen_check
    assert {kind for kind, _, _ in PLANTED.values()} | {"local", "instruction"} | elsewhere == set(KINDS)
