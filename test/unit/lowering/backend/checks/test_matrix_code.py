# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions in PTX and machine code: they are read, counted, and compared with what the plan expects."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import pytest

import roller_mlir
from roller_mlir.compiler.stages import run_stages
from roller_mlir.hal import find_device
from roller_mlir.lowering.backend import CompileError, find_toolchain
from roller_mlir.lowering.backend.checks.accesses import MemoryAccess, accesses_of, memory_access
from roller_mlir.lowering.backend.checks.assembly import Listing, main_loop_range, read_gcn, read_ptx, read_sass
from roller_mlir.lowering.backend.checks.matrix_instructions import is_matrix, matrix_count, pieces
from roller_mlir.lowering.backend.checks.quality import mismatches
from roller_mlir.lowering.backend.checks.sass import read_cubin
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.lowering.backend.kernels.plans import kernel_plans
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.mapping.checks.expected_code import (
    ASYNCHRONOUS_COPY,
    MATRIX_LOAD,
    TENSOR_COPY,
    ExpectedAccess,
    ExpectedCode,
)
from roller_mlir.runtime import Artifact
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

MATMUL = """func.func @matmul(%a: tensor<512x2048xf16>, %b: tensor<2048x512xf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.matmul ins(%a, %b : tensor<512x2048xf16>, tensor<2048x512xf16>)
                     outs(%i : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}"""
CASES = (("a100-80", "mma"), ("h200", "mma"), ("h200", "wgmma"), ("mi300x", "mfma"))

needs_disassembler = pytest.mark.skipif(
    not find_toolchain().ptxas or find_toolchain().nvdisasm is None, reason="needs ptxas and nvdisasm"
)


def chosen(family: str, *, disassemble: bool = False) -> roller_mlir.CompileOptions:
    tile = {"wmma": (64, 64, 32), "mfma": (64, 64, 64)}.get(family, (128, 128, 64))
    return roller_mlir.CompileOptions(
        instructions=(family,), split=False, tile_sizes=tile, disassemble=disassemble, cache=False
    )


def binary(artifact: Artifact) -> bytes:
    return artifact.files[artifact.kernels[0].files["cubin"]]


@functools.cache
def compiled(device: str, family: str, *, disassemble: bool = False) -> Artifact:
    options = chosen(family, disassemble=disassemble)
    return roller_mlir.compile(MATMUL, target=device, options=options)


@functools.cache
def expected_of(device: str, family: str) -> ExpectedCode:
    """What the plan of the matmul expects."""
    options = chosen(family)
    with make_context() as context:
        module = parse_module(MATMUL, context)
        run_stages(module, device, options)
        (planned,) = kernel_plans(module, find_device(device)).values()
    expected = planned.expected_code(find_device(device))
    assert expected is not None
    return expected


def listing(device: str, family: str) -> Listing:
    artifact = compiled(device, family)
    if family == "mfma":
        return read_gcn(artifact.text("assembly"), artifact.kernels[0].name)
    return read_cubin(binary(artifact), artifact.kernels[0].name, find_device(device).architecture)


@pytest.mark.parametrize(
    ("name", "kind", "width"),
    [
        ("LDSM.16.M88.4", MATRIX_LOAD, 16),
        ("LDSM.16.MT88.2", MATRIX_LOAD, 8),
        ("LDSM.16.M88", MATRIX_LOAD, 4),
        ("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", MATRIX_LOAD, 16),
        ("LDGSTS.E.BYPASS.128", ASYNCHRONOUS_COPY, 16),
        ("LDGSTS.E.64", ASYNCHRONOUS_COPY, 8),
        ("cp.async.ca.shared.global.4", ASYNCHRONOUS_COPY, 4),
        ("UTMALDG.2D", TENSOR_COPY, 0),
        ("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", TENSOR_COPY, 0),
    ],
)
def test_copies_and_loads_of_matrices_are_read(name: str, kind: str, width: int) -> None:
    assert memory_access(name) == MemoryAccess(kind, width)


def test_the_width_of_an_asynchronous_copy_is_an_operand_in_ptx() -> None:
    text = "\tcp.async.cg.shared.global [%r6+4096], [%rd4+262144], 16;\n"
    text += "\tcp.async.ca.shared.global [%r1], [%rd1], 8, %r2;\n\tcp.async.commit_group;\n\tcp.async.wait_group 1;\n"
    assert [one.width_bytes for one in accesses_of(read_ptx(text).instructions)] == [16, 8]


@pytest.mark.parametrize(
    "name",
    [
        "HMMA.16816.F32.BF16",
        "IMMA.16832.S8.S8",
        "HGMMA.64x256x16.F32",
        "IGMMA.64x8x32.S8.S8",
        "DMMA.884",
        "v_mfma_f32_32x32x8_f16",
        "v_mfma_i32_16x16x32_i8",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "wmma.mma.sync.row.row.m16n16k16.f32.f32",
        "wgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16",
    ],
)
def test_matrix_instructions_are_told_by_their_names(name: str) -> None:
    assert is_matrix(name)


@pytest.mark.parametrize("name", ["HFMA2.MMA", "wgmma.commit_group.sync.aligned", "WARPGROUP.DEPBAR", "v_pk_fma_f32"])
def test_other_instructions_are_none(name: str) -> None:
    assert not is_matrix(name)


def test_one_wmma_is_several_instructions_of_machine_code() -> None:
    assert [pieces("wmma", chip, machine_code=True) for chip in ("sm_70", "sm_75", "sm_80", "sm_90a")] == [16, 4, 2, 2]
    assert pieces("wmma", "sm_70", machine_code=False) == pieces("mma", "sm_80", machine_code=True) == 1


@pytest.mark.full(every=6)
@needs_disassembler
@pytest.mark.parametrize(("device", "family"), [*CASES[:3], ("rtx4090", "mma"), ("2080ti", "mma"), ("rtx3090", "mma")])
def test_cubins_are_read_as_nvdisasm_reads_them(device: str, family: str) -> None:
    """Matrix instructions, loads of matrices and their widths, asynchronous and tensor copies."""
    artifact = compiled(device, family, disassemble=True)
    own = read_cubin(binary(artifact), artifact.kernels[0].name, find_device(device).architecture)
    theirs = read_sass(artifact.text("assembly"))
    assert [is_matrix(name) for name in own.instructions] == [is_matrix(name) for name in theirs.instructions]
    assert list(accesses_of(own.instructions)) == list(accesses_of(theirs.instructions))
    assert matrix_count(own.instructions) > 0
    assert main_loop_range(own) == main_loop_range(theirs)


@pytest.mark.full(every=5)
@pytest.mark.parametrize(("device", "family"), [*CASES, ("v100", "wmma")])
def test_one_matrix_instruction_too_few_is_an_error(device: str, family: str) -> None:
    """The count of the kernel's IR is exact."""
    text = compiled(device, family).text("kernels")
    with make_context() as context:
        module = parse_module(text, context)
        kernels: list[Any] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if "rtile.matrix_count" in op.operation.attributes:
                kernels.append(op.operation)
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        (kernel,) = kernels
        count = ir.IntegerAttr(kernel.attributes["rtile.matrix_count"]).value
        kernel.attributes["rtile.matrix_count"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), count + 1)
        with pytest.raises(
            CompileError, match=rf"has {count} matrix instructions, the kernel's IR expects {count + 1}"
        ):
            compile_kernels(module, device, emit="ptx")


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("device", "family"), CASES)
def test_a_kernel_is_what_its_plan_expects(device: str, family: str) -> None:
    kernel = compiled(device, family).kernels[0]
    assert [note for note in kernel.notes if note.startswith("warning: ")] == []
    assert kernel.statistics.spill_bytes in (0, None)
    assert expected_of(device, family).pass_matrices > 0


@pytest.mark.parametrize(("device", "family"), CASES)
def test_each_planted_mismatch_is_found(device: str, family: str) -> None:
    expected, code = expected_of(device, family), listing(device, family)
    assert mismatches(expected, KernelStatistics(), code) == ()
    wider = tuple(replace(one, width_bytes=2 * one.width_bytes) for one in expected.accesses)
    planted: dict[str, ExpectedCode] = {
        "matrix": replace(expected, pass_matrices=expected.pass_matrices * 2 - 1),
        "global" if family != "mfma" else "workgroup": replace(expected, accesses=wider),
    }
    if family == "wgmma":
        copy = ExpectedAccess(operand=0, kind=ASYNCHRONOUS_COPY, width_bytes=16, count=1)
        planted["global"] = replace(expected, accesses=(copy,))
    if family == "mma":
        fewer = tuple(replace(one, count=1) if one.kind == MATRIX_LOAD else one for one in expected.accesses)
        planted["matrix loads"] = replace(expected, accesses=fewer)
    for what, wrong in planted.items():
        assert what.split()[0] in {one.kind for one in mismatches(wrong, KernelStatistics(), code)}, what


def test_matrix_instructions_of_the_ir_are_counted() -> None:
    (one,) = mismatches(None, KernelStatistics(), Listing(("HMMA", "LDSM.16.M88.4"), ()), matrices=2)
    assert (one.kind, one.expected, one.found) == ("matrix", 2, 1)


def test_a_tensor_copy_that_is_missing_is_found() -> None:
    copy = ExpectedAccess(operand=1, kind=TENSOR_COPY, width_bytes=0, count=1)
    expected = replace(expected_of("h200", "wgmma"), accesses=(copy,), pass_matrices=0, loops=False)
    assert mismatches(expected, KernelStatistics(), Listing(("UTMALDG.2D",), ())) == ()
    (one,) = mismatches(expected, KernelStatistics(), Listing(("HGMMA",), ()))
    assert one.kind == "global" and "input 1 has a tensor copy in the plan, there is none" in one.message


@needs_disassembler
def test_statistics_tell_the_share_of_matrix_instructions() -> None:
    statistics = compiled("a100-80", "mma", disassemble=True).kernels[0].statistics
    share = statistics.more["matrix_share"]
    assert isinstance(share, float) and 0.25 < share < 1
    assert statistics.more["matrix_count"] == sum(
        count for name, count in statistics.instructions.items() if name.startswith("HMMA")
    )


def test_the_retry_of_a_wait_makes_no_main_loop() -> None:
    """It stands behind the kernel's end and jumps into the middle of the loop of products."""
    names = ("SYNCS", "HGMMA", "HGMMA", "BRA", "STG", "EXIT", "SYNCS", "BRA")
    assert main_loop_range(Listing(names, ((0, 3), (1, 7)))) == (0, 3)
