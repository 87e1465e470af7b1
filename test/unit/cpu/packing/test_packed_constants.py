# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that are packed when a program is compiled: results, what the artifact carries, and plans that cannot be."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, differences, product, targets

from roller_mlir.hal import find_device
from roller_mlir.lowering.loops.packed_constants import packed_tiles
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.cpu.backend import CpuBackend, HostMemory
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

FAMILIES = {"f32": ("fma",), "bf16": ("fma", "dot", "amx"), "i8": ("fma", "dot", "amx")}
SUMS = {"f32": "f32", "bf16": "f32", "i8": "i32"}


def _known() -> list[tuple[str, str]]:
    """Return families and factors that this machine has."""
    own = {(one.family, one.operand_type) for one in find_device("host").instructions} if targets() else set()
    return [
        (family, kind) for kind, all_ in FAMILIES.items() for family in all_ if family == "fma" or (family, kind) in own
    ]


def _weights(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, (rows, columns))


def _text(rows: int, columns: int, depth: int, kind: str) -> str:
    """Return a product with constant weights."""
    weights = [_weights(depth, columns)]
    a, c, total = f"tensor<{rows}x{depth}x{kind}>", f"tensor<{rows}x{columns}x{SUMS[kind]}>", SUMS[kind]
    zero = "0" if total == "i32" else "0.0"
    lines = [f"func.func @layers(%x0: {a}) -> {c} {{", f"  %z = arith.constant {zero} : {total}"]
    for number, array in enumerate(weights):
        b = f"tensor<{depth}x{columns}x{kind}>"
        dense = array.tolist() if kind == "i8" else array.astype(float).tolist()
        left = a
        lines += [
            f"  %w{number} = arith.constant dense<{dense}> : {b}",
            f"  %e{number} = tensor.empty() : {c}",
            f"  %s{number} = linalg.fill ins(%z : {total}) outs(%e{number} : {c}) -> {c}",
            f"  %x{number + 1} = linalg.matmul ins(%x{number}, %w{number} : {left}, {b}) outs(%s{number} : {c}) -> {c}",
        ]
    return "\n".join([*lines, f"  return %x{len(weights)} : {c}", "}"])


def _layers(artifact: Artifact) -> list[str]:
    return [kernel.plan.operands[1].layer for kernel in artifact.kernels if kernel.plan is not None]


@pytest.mark.full(every=5)
@pytest.mark.parametrize("extents", [(64, 70, 128), (48, 33, 64), (37, 100, 24), (256, 512, 512)])
@pytest.mark.parametrize(("family", "kind"), _known())
def test_products_with_constant_weights_equal_numpy(
    family: str, kind: str, extents: tuple[int, int, int], tmp_path: Path
) -> None:
    text = _text(*extents, kind)
    artifact = compiled(text, instructions=(family,))
    if _layers(artifact) != ["constant"]:  # as the model has it; and packed, too
        (kernel,) = artifact.kernels
        assert kernel.plan is not None
        artifact = _adopted(text, _packed(kernel.plan, extents[2]), kernel.program, tmp_path)
    assert _layers(artifact) == ["constant"]
    (kernel,) = artifact.kernels
    assert kernel.plan is not None
    packs = kernel.plan.operands[0].layer == "workgroup"
    assert artifact.manifest.launches[0].dynamic_workgroup_bytes == 0 or packs or family == "amx"
    assert differences(text, artifact) == []
    assert differences(text, artifact, values="normal", threads=3) == []


@pytest.mark.skipif(("dot", "i8") not in _known(), reason="this machine has no instructions for products of i8")
def test_equal_layers_have_their_own_weights() -> None:
    """One kernel, planned and built once, launched on three constants."""
    weights = [_weights(512, 512, seed) for seed in (1, 2, 3)]
    x, c = "tensor<256x512xi8>", "tensor<256x512xi32>"
    lines = [f"func.func @layers(%x: {x}) -> ({c}, {c}, {c}) {{", "  %z = arith.constant 0 : i32"]
    for number, array in enumerate(weights):
        lines += [
            f"  %w{number} = arith.constant dense<{array.tolist()}> : tensor<512x512xi8>",
            f"  %e{number} = tensor.empty() : {c}",
            f"  %s{number} = linalg.fill ins(%z : i32) outs(%e{number} : {c}) -> {c}",
            f"  %y{number} = linalg.matmul ins(%x, %w{number} : {x}, tensor<512x512xi8>) outs(%s{number} : {c}) -> {c}",
        ]
    text = "\n".join([*lines, f"  return %y0, %y1, %y2 : {c}, {c}, {c}", "}"])
    artifact = compiled(text, instructions=("dot",))
    assert set(_layers(artifact)) == {"constant"} and len(artifact.manifest.launches) == 3
    a = np.random.default_rng(0).integers(-2, 3, (256, 512)).astype(np.int8)
    for found, array in zip(artifact.run(a, on="cpu"), weights, strict=True):
        assert np.array_equal(found, a.astype(np.int32) @ array)


def test_constants_begin_at_whole_lines_of_caches_and_are_copied_there_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a vector of 64 B that begins elsewhere each read is one of two lines."""
    text = _text(64, 128, 128, "f32")
    artifact = compiled(text)
    copied: list[int] = []
    upload = CpuBackend.upload

    def watched(self: CpuBackend, data: np.ndarray, alignment_bytes: int) -> HostMemory:
        memory = upload(self, data, alignment_bytes)
        if data.nbytes >= 4 * 128 * 128:
            assert memory.address % 64 == 0
            copied.append(memory.address != data.ctypes.data)
        return memory

    monkeypatch.setattr(CpuBackend, "upload", watched)
    for _ in range(2):
        assert differences(text, artifact) == []
    program = artifact.open("cpu", threads=1)
    assert len(copied) >= 3 and not any(copied)
    shifted = np.empty(len(artifact.files["constants.bin"]) + 1, np.uint8)[1:]
    shifted[:] = np.frombuffer(artifact.files["constants.bin"], np.uint8)
    files: Any = {**artifact.files, "constants.bin": shifted}
    LoadedSequence(artifact.manifest, files, CpuBackend(threads=1))
    assert copied[-1] and program is not None


def test_steps_share_what_is_packed() -> None:
    """The same weights at each of four steps, as in a recurrent network, are packed once."""
    text, c = _text(64, 128, 128, "f32"), "tensor<64x128xf32>"
    steps = [
        f"  %x{n + 1} = linalg.matmul ins(%x{n}, %w0 : {c}, tensor<128x128xf32>) outs(%s0 : {c}) -> {c}"
        for n in range(1, 4)
    ]
    text = text.replace(f"  return %x1 : {c}", "\n".join([*steps, f"  return %x4 : {c}"]))
    artifact = compiled(text)
    assert set(_layers(artifact)) == {"constant"}
    assert len(artifact.manifest.launches) == 4
    sizes = [buffer.size_bytes for buffer in artifact.manifest.buffers if buffer.role == "constant"]
    assert len([size for size in sizes if size >= 4 * 128 * 128]) == 1
    assert differences(text, artifact) == []


def test_a_constant_that_others_read_stays() -> None:
    """The same weights as a factor and as a summand: one of them packed, the other as it is."""
    text = _text(256, 256, 256, "f32")
    maps = "affine_map<(i, j) -> (i, j)>"
    c = "tensor<256x256xf32>"
    kinds = 'iterator_types = ["parallel", "parallel"]'
    more = f"""  %r = linalg.generic {{indexing_maps = [{maps}, {maps}, {maps}], {kinds}}}
    ins(%x1, %w0 : {c}, {c}) outs(%e0 : {c}) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  }} -> {c}
  return %r : {c}"""
    text = text.replace(f"  return %x1 : {c}", more)
    for fusion in (True, False):
        assert differences(text, compiled(text, fusion=fusion)) == []


@pytest.mark.full
def test_no_task_packs_and_explain_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "layers.mlir"
    file.write_text(_text(256, 512, 512, "bf16"))
    assert main(["explain", str(file), "--target", "spr"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The constant arg1 is packed for its tiles when the program is compiled, its rows interleaved by 2." in said


@pytest.mark.skipif(("amx", "bf16") not in _known(), reason="this machine has no tile registers")
def test_a_c_program_gives_packed_constants(tmp_path: Path) -> None:
    """By the object and by the library, which ask for tile registers themselves."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler on this machine")
    artifact = compiled(_text(64, 96, 128, "bf16"), instructions=("amx",))
    assert _layers(artifact) == ["constant"]
    artifact.save(tmp_path / "layers.roller")
    folder = tmp_path / "layers.roller"
    x = (np.random.default_rng(0).integers(-2, 3, (64, 128)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    (tmp_path / "x").write_bytes(x.tobytes())
    (tmp_path / "call.c").write_text(CALLER)
    for what in ([str(folder / "layers.o")], [f"-L{folder}", "-llayers", f"-Wl,-rpath,{folder}"]):
        command = [
            compiler,
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-I{folder}",
            "call.c",
            *what,
            "-lm",
            "-o",
            "call",
        ]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        subprocess.run([str(tmp_path / "call"), str(folder / "constants.bin")], cwd=tmp_path, check=True)
        found = np.frombuffer((tmp_path / "y").read_bytes(), np.float32).reshape(64, 96)
        assert np.array_equal(found, artifact.run(x, on="cpu")[0])


CALLER = """#include <stdio.h>
#include <stdlib.h>
#include "layers.h"
int main(int count, char **names) {
  static _Alignas(256) uint16_t x[64 * 128];
  static _Alignas(256) float y[64 * 96];
  static _Alignas(256) char workspace[ROLLER_LAYERS_WORKSPACE_BYTES], constants[1 << 20];
  FILE *file = fopen("x", "rb");
  if (count != 2 || roller_layers_prepare() || !file || fread(x, 1, sizeof x, file) != sizeof x) return 1;
  fclose(file);
  file = fopen(names[1], "rb");
  if (!file || !fread(constants, 1, sizeof constants, file)) return 2;
  fclose(file);
  roller_layers(x, y, constants, workspace);
  file = fopen("y", "wb");
  return !file || fwrite(y, 1, sizeof y, file) != sizeof y || fclose(file);
}
"""


def test_tiles_that_are_read_element_by_element_are_those_of_their_tasks(tmp_path: Path) -> None:
    """A constant first factor, of several tiles of rows."""
    weights = _weights(32, 48).astype(float).tolist()
    b, c = "tensor<48x64xf32>", "tensor<32x64xf32>"
    text = f"""func.func @f(%b: {b}) -> {c} {{
      %a = arith.constant dense<{weights}> : tensor<32x48xf32>
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : {c}
      %init = linalg.fill ins(%zero : f32) outs(%empty : {c}) -> {c}
      %c = linalg.matmul ins(%a, %b : tensor<32x48xf32>, {b}) outs(%init : {c}) -> {c}
      return %c : {c}
    }}"""
    (kernel,) = compiled(text).kernels
    assert kernel.plan is not None
    axes = (AxisPlan(block=4), AxisPlan(block=16, chunk=16), AxisPlan(block=48))
    first = OperandPlan(layer="constant", order=(0, 1))
    second = OperandPlan(layer="register", order=(0, 1), vector=16, store_vector=1, fragment_vector=1)
    plan = replace(kernel.plan, axes=axes, operands=(first, second), inner_order=(), unit_order=(0, 1), lane=1)
    artifact = _adopted(text, replace(plan, reduction_order=(2,)), kernel.program, tmp_path)
    assert differences(text, artifact) == []
    swizzled = replace(plan, reduction_order=(2,), operands=(replace(first, swizzle="xor"), second))
    with pytest.raises(DiagnosedError, match="operand 0 has a swizzle; 'host' has no banks"):
        _adopted(text, swizzled, kernel.program, tmp_path)


def test_a_plan_that_packs_an_argument_is_refused(tmp_path: Path) -> None:
    text = product(64, 64, 64)
    (kernel,) = compiled(text).kernels
    assert kernel.plan is not None
    with pytest.raises(DiagnosedError, match="operand 1 is packed as a constant, but it is none"):
        _adopted(text, _packed(kernel.plan), kernel.program, tmp_path)


def test_tiles_lie_as_their_layout_says() -> None:
    """Rows 0 and 1, 2 and 3 in turns; two tiles of four columns, the second one filled up with 0."""
    access = Access("w", (4, 6), "i8", (LinearIndex((0, 1)), LinearIndex((1, 0))))
    expression = TensorExpression((Loop(6), Loop(4, True)), (access,), access, "arith.addi", 2, (0.0,))
    operand = OperandPlan(layer="constant", order=(0, 1), vector=4, store_vector=4, fragment_vector=4, interleave=2)
    plan = Plan(
        device="spr",
        axes=(AxisPlan(block=4, chunk=4), AxisPlan(block=4)),
        thread_order=(),
        lane=0,
        unit_order=(0,),
        reduction_order=(1,),
        operands=(operand,),
    )
    found = packed_tiles(np.arange(24, dtype=np.int8).reshape(4, 6), expression, plan, 0)
    assert found.tolist() == [
        [0, 6, 1, 7, 2, 8, 3, 9, 12, 18, 13, 19, 14, 20, 15, 21],
        [4, 10, 5, 11, 0, 0, 0, 0, 16, 22, 17, 23, 0, 0, 0, 0],
    ]
    plain: Any = replace(operand, interleave=None, order=(1, 0), vector=1, store_vector=1, fragment_vector=1)
    found = packed_tiles(np.arange(24, dtype=np.int8).reshape(4, 6), expression, replace(plan, operands=(plain,)), 0)
    assert found[0].tolist() == [0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 3, 9, 15, 21]


def _packed(plan: Plan, depth: int | None = None) -> Plan:
    """Return a plan that packs its second input when it is compiled, and walks all of its reduction in one step."""
    assert plan.lane is not None
    width = plan.axes[plan.lane].chunk
    axes = [replace(axis, walked=AxisPlan(block=1).walked) for axis in plan.axes]
    first = plan.operands[0]
    if depth is not None and plan.atom is None:
        axes[2] = replace(axes[2], block=depth)
        first = OperandPlan(layer="register", order=first.order)
    one = replace(plan.operands[1], layer="constant", panel=0, vector=width, store_vector=width, fragment_vector=width)
    return replace(plan, axes=tuple(axes), operands=(first, one), inner_order=(), pipeline="", prediction=None)


def _adopted(text: str, plan: Plan, program: str, folder: Path) -> Artifact:
    file = folder / "plan.json"
    file.write_text(json.dumps({program: to_json(plan)}))
    return compiled(text, plan_file=file)
