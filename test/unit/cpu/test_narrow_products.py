# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of narrow factors by `dot` and `amx`, run here beside numpy, and what cannot be."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cpu_programs import compiled, differences, targets

from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.cpu.build import compared_cpu
from roller_mlir.lowering.backend.job import KernelBinary
from roller_mlir.lowering.backend.sources import KernelSource
from roller_mlir.plan import Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.cpu import backend as cpu_backend
from roller_mlir.runtime.errors import BackendError
from roller_mlir.support.diagnostics import DiagnosedError

SUMS = {"bf16": "f32", "i8": "i32"}


def _known() -> list[tuple[str, str]]:
    """Return families and factors that this machine has."""
    if not targets():
        return []
    return [(one.family, one.operand_type) for one in find_device("host").instructions if one.family != "fma"]


KNOWN = _known()
needs_products = pytest.mark.skipif(not KNOWN, reason="this machine has no instructions for products of narrow factors")


def _function(a: str, b: str, c: str, op: str, inputs: str = "", start: str = "") -> str:
    result = c.split("x")[-1].removesuffix(">")
    zero = "0" if result.startswith("i") else "0.0"
    begin = f"""%e = tensor.empty() : {c}
  %z = arith.constant {zero} : {result}
  %s = linalg.fill ins(%z : {result}) outs(%e : {c}) -> {c}"""
    return f"""func.func @product(%a: {a}, %b: {b}{inputs}) -> {c} {{
  {start or begin}
  %c = {op} ins(%a, %b : {a}, {b}) outs(%s : {c}) -> {c}
  return %c : {c}
}}"""


def _product(rows: int, columns: int, depth: int, kind: str, result: str = "") -> str:
    a, b = f"tensor<{rows}x{depth}x{kind}>", f"tensor<{depth}x{columns}x{kind}>"
    return _function(a, b, f"tensor<{rows}x{columns}x{result or SUMS[kind]}>", "linalg.matmul")


def _by(text: str, family: str, **options: object) -> Artifact:
    """Return an artifact whose kernel multiplies by a family, and has all its instructions."""
    artifact = compiled(text, instructions=(family,), **options)
    kernel = next(one for one in artifact.kernels if one.plan is not None and one.plan.reduction_order)
    assert kernel.plan is not None and kernel.plan.instruction == family
    assert not any("are expected" in note for note in kernel.notes)
    return artifact


@needs_products
@pytest.mark.full(each=["family", "kind"], every=7)
@pytest.mark.parametrize("extents", [(32, 32, 64), (37, 70, 24), (8, 1, 64), (5, 17, 4), (64, 33, 100), (100, 129, 36)])
@pytest.mark.parametrize(("family", "kind"), KNOWN)
def test_products_of_any_extents_equal_numpy(family: str, kind: str, extents: tuple[int, int, int]) -> None:
    rows, columns, depth = extents
    size = 2 if kind == "bf16" else 1
    down = any(rows % n == 0 for n in range(4, 17)) or (rows > 16 and columns > 16)  # such rows are packed
    wide = any(depth % n == 0 and n * size % 4 == 0 and n * size >= 16 for n in range(1, 64 // size + 1))
    text = _product(*extents, kind)
    if columns == 1 or (family == "amx" and not (down and wide)):
        with pytest.raises(
            DiagnosedError, match=f"cannot be computed by instructions of {family} on 'host'; add 'fma'"
        ):
            compiled(text, instructions=(family,))
        return
    artifact = _by(text, family)
    assert differences(text, artifact) == []
    assert differences(text, artifact, values="normal", threads=3) == []


@needs_products
@pytest.mark.full(every=3)
@pytest.mark.parametrize(("family", "kind"), KNOWN)
def test_factors_that_lie_transposed_equal_numpy(family: str, kind: str) -> None:
    a, b, c = f"tensor<48x64x{kind}>", f"tensor<40x64x{kind}>", f"tensor<48x40x{SUMS[kind]}>"
    maps = "[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
    text = _function(a, b, c, f"linalg.matmul indexing_maps = {maps}")
    assert differences(text, _by(text, family)) == []


@needs_products
@pytest.mark.full(every=3)
@pytest.mark.parametrize(("family", "kind"), KNOWN)
def test_batches_that_start_from_a_tensor_equal_numpy(family: str, kind: str) -> None:
    a, b, c = f"tensor<3x16x64x{kind}>", f"tensor<3x64x40x{kind}>", f"tensor<3x16x40x{SUMS[kind]}>"
    text = _function(a, b, c, "linalg.batch_matmul", f", %s: {c}", " ")
    assert differences(text, _by(text, family)) == []


@needs_products
@pytest.mark.full(every=3)
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize(("family", "kind"), KNOWN)
def test_convolutions_equal_numpy(family: str, kind: str, stride: int) -> None:
    out = 14 // stride
    high = (out - 1) * stride + 3
    x, w = f"tensor<2x{high}x{high}x32x{kind}>", f"tensor<3x3x32x24x{kind}>"
    y = f"tensor<2x{out}x{out}x24x{SUMS[kind]}>"
    strides = f"{{strides = dense<{stride}> : vector<2xi64>}}"
    text = _function(x, w, y, f"linalg.conv_2d_nhwc_hwcf {strides}")
    assert differences(text, _by(text, family)) == []


@needs_products
@pytest.mark.parametrize("family", [family for family, kind in KNOWN if kind == "bf16"])
def test_results_of_bf16_are_summed_in_f32(family: str) -> None:
    """256 products of 1 and 1 / 256: sums of bf16 would stop growing before 1."""
    text = _product(16, 16, 512, "bf16", "bf16")
    artifact = _by(text, family)
    bits = np.full((16, 512), 0x3F80, np.uint16), np.full((512, 16), 0x3B80, np.uint16)
    (found,) = artifact.run(*bits, on="cpu")
    assert (np.asarray(found).view(np.uint16) == 0x4000).all()


@needs_products
@pytest.mark.parametrize("family", [family for family, kind in KNOWN if kind == "i8"])
def test_the_least_numbers_and_sums_that_wrap_are_exact(family: str) -> None:
    text = _product(16, 16, 256, "i8")
    artifact = _by(text, family)
    for first, second in ((-128, -128), (-128, 127), (127, -128), (127, 127), (-1, -128)):
        a, b = np.full((16, 256), first, np.int8), np.full((256, 16), second, np.int8)
        (found,) = artifact.run(a, b, on="cpu")
        assert (found == 256 * first * second).all()
    start = _function(
        "tensor<16x64xi8>", "tensor<64x16xi8>", "tensor<16x16xi32>", "linalg.matmul", ", %s: tensor<16x16xi32>", " "
    )
    most = np.full((16, 16), np.iinfo(np.int32).max, np.int32)
    (found,) = _by(start, family).run(np.full((16, 64), 1, np.int8), np.full((64, 16), 1, np.int8), most, on="cpu")
    assert (found == np.iinfo(np.int32).min + 63).all()


@needs_products
@pytest.mark.parametrize("family", [family for family, kind in KNOWN if kind == "bf16"])
def test_an_epilogue_is_computed_on_the_sums(family: str) -> None:
    maps = "[affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>]"
    c = "tensor<32x48xf32>"
    text = f"""func.func @layer(%a: tensor<32x64xbf16>, %b: tensor<64x48xbf16>, %v: tensor<48xf32>) -> {c} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {c}
  %s = linalg.fill ins(%z : f32) outs(%e : {c}) -> {c}
  %c = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x48xbf16>) outs(%s : {c})
    -> {c}
  %r = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", "parallel"]}}
    ins(%c, %v : {c}, tensor<48xf32>) outs(%e : {c}) {{
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.addf %x, %y : f32
    %m = arith.maximumf %t, %z : f32
    linalg.yield %m : f32
  }} -> {c}
  return %r : {c}
}}"""
    artifact = _by(text, family)
    assert len(artifact.kernels) == 1
    assert differences(text, artifact, values="normal") == []


@needs_products
def test_the_fastest_instruction_is_chosen() -> None:
    """By the device's data: AMX where there is one; pairs of bf16 only where they are faster than FMA."""
    (kernel,) = compiled(_product(4096, 4096, 4096, "i8"), "spr", binaries=False, max_units=1).kernels
    assert kernel.plan is not None and kernel.plan.instruction == "amx"
    (kernel,) = compiled(_product(4096, 4096, 4096, "bf16"), "zen5", binaries=False).kernels
    assert kernel.plan is not None and kernel.plan.instruction == "dot"
    (kernel,) = compiled(_product(4096, 4096, 4096, "bf16"), "haswell", binaries=False).kernels
    assert kernel.plan is not None and kernel.plan.instruction == "fma"


def test_a_device_without_the_instruction_is_told() -> None:
    for target, family in (("haswell", "dot"), ("zen5", "amx")):
        with pytest.raises(DiagnosedError, match=f"cannot be computed by instructions of {family} on '{target}'"):
            compiled(_product(32, 32, 64, "i8"), target, instructions=(family,), binaries=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"interleave": 4}, "operand 1 is not packed with its rows interleaved by 2"),
        ({"order": (1, 0)}, "operand 1 must be packed in rows along loop 1, one a point of loop 2"),
        ({"layer": "register"}, "operand 1 is not packed with its rows interleaved by 2"),
    ],
)
def test_a_plan_that_packs_otherwise_is_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    text = _product(32, 64, 64, "bf16")
    with pytest.raises(DiagnosedError, match=message):
        _adopted(text, _changed(_plan(text), **change), tmp_path)


@pytest.mark.parametrize(
    ("shape", "blocks", "message"),
    [
        ((17, 16, 32), (34, 32, 64), r"instruction 'amx' of shape \[17, 16, 32\], which is none of its family"),
        ((16, 16, 32), (24, 32, 64), r"tile of 24x32x64 must hold whole instructions of \[16, 16, 32\]"),
        ((16, 16, 32), (32, 32, 32), "reduction has several steps; 'amx' takes all of it in one"),
        ((16, 16, 32), (32, 64, 64), "at most 2 x 2 tiles of 16 x 16"),
    ],
)
def test_tiles_that_cannot_be_are_refused(
    shape: tuple[int, int, int], blocks: tuple[int, int, int], message: str, tmp_path: Path
) -> None:
    text = _product(96, 64, 64, "bf16")
    plan = _plan(text)
    assert plan.atom is not None
    axes = tuple(replace(axis, block=block) for axis, block in zip(plan.axes, blocks, strict=True))
    with pytest.raises(DiagnosedError, match=message):
        _adopted(text, replace(plan, axes=axes, atom=replace(plan.atom, shape=shape)), tmp_path)


@needs_products
@pytest.mark.full(every=3)
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("extents", [(197, 96, 64), (61, 200, 128), (17, 70, 64), (31, 33, 100)])
@pytest.mark.parametrize("kind", [kind for family, kind in KNOWN if family == "amx"])
def test_rows_that_no_tile_divides_are_packed(kind: str, extents: tuple[int, int, int], constant: bool) -> None:
    """The last tile has rows of zeros, whose sums are not stored; the other factor may be a constant."""
    rows, columns, depth = extents
    text = _product(rows, columns, depth, kind)
    if constant:
        values = np.random.default_rng(0).integers(-4, 5, (depth, columns))
        bits = values.astype(np.int8) if kind == "i8" else values.astype(np.float32).view(np.uint32) >> 16
        data = bits.astype(np.int8 if kind == "i8" else np.uint16).tobytes()
        b = f"tensor<{depth}x{columns}x{kind}>"
        text = text.replace(f", %b: {b}", "").replace("{\n", f"{{\n  %b = arith.constant dense_resource<b> : {b}\n", 1)
        text += (
            f'\n{{-# dialect_resources: {{ builtin: {{ b: "0x{(64).to_bytes(4, "little").hex()}{data.hex()}" }} }} #-}}'
        )
    artifact = _by(text, "amx", max_units=1)
    plan = artifact.kernels[0].plan
    assert plan is not None and [one.layer for one in plan.operands] == [
        "workgroup",
        "constant" if constant else "workgroup",
    ]
    assert differences(text, artifact) == []
    assert differences(text, artifact, values="normal", threads=3) == []


@needs_products
@pytest.mark.parametrize("kind", [kind for family, kind in KNOWN if family == "amx"])
def test_rows_may_be_packed_for_all_tiles(kind: str, tmp_path: Path) -> None:
    """A task packs all rows, then a column of tiles, and walks the rows of that."""
    text = _product(61, 96, 64, kind)
    plan = _plan(text, "host")
    rows = replace(plan.operands[0], layer="workgroup")
    columns = replace(plan.operands[1], panel=0)
    axes = tuple(replace(axis, walked=0) for axis in plan.axes)
    plan = replace(plan, axes=axes, operands=(rows, columns), unit_order=(1, 0), inner_order=(1, 0), raster=())
    assert differences(text, _adopted(text, plan, tmp_path, "host")) == []


@needs_products
@pytest.mark.full(every=2)
@pytest.mark.parametrize(("size", "stride"), [(14, 1), (13, 1), (28, 2), (9, 2)])
@pytest.mark.parametrize("kind", [kind for family, kind in KNOWN if family == "amx"])
def test_images_are_packed_with_their_padding(kind: str, size: int, stride: int) -> None:
    zero = "0" if kind == "i8" else "0.0"
    out, wide = -(-size // stride), (-(-size // stride) - 1) * stride + 3
    x, p, w = f"tensor<1x{size}x{size}x32x{kind}>", f"tensor<1x{wide}x{wide}x32x{kind}>", f"tensor<3x3x32x48x{kind}>"
    after = wide - size - 1
    text = (
        _function(
            x,
            w,
            f"tensor<1x{out}x{out}x48x{SUMS[kind]}>",
            f"linalg.conv_2d_nhwc_hwcf {{strides = dense<{stride}> : vector<2xi64>}}",
        )
        .replace(
            "  %c = ",
            f"""  %zero = arith.constant {zero} : {kind}
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, {after}, {after}, 0] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : {kind}
  }} : {x} to {p}
  %c = """,
        )
        .replace(f"ins(%a, %b : {x}", f"ins(%p, %b : {p}")
    )
    artifact = _by(text, "amx", max_units=1)
    plan = artifact.kernels[0].plan
    assert plan is not None and plan.operands[0].layer == "workgroup"
    assert differences(text, artifact) == []
    assert differences(text, artifact, values="normal", threads=2) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": (1, 0)}, "operand 0 must be packed in the order of its tensor"),
        ({"interleave": 2}, "operand 0 must be packed in the order of its tensor"),
        ({"panel": 32}, "operand 0 must be packed in the order of its tensor"),
    ],
)
def test_rows_that_are_packed_otherwise_are_refused(change: dict[str, object], message: str, tmp_path: Path) -> None:
    text = _product(61, 192, 64, "bf16")
    plan = _plan(text)
    assert plan.operands[0].layer == "workgroup"
    operands = (replace(plan.operands[0], **change), *plan.operands[1:])  # pyrefly: ignore
    with pytest.raises(DiagnosedError, match=message):
        _adopted(text, replace(plan, operands=operands), tmp_path)


@pytest.mark.parametrize("rows", [40, 56])
def test_tiles_that_reach_beyond_the_rows_are_refused(rows: int, tmp_path: Path) -> None:
    plan = _plan(_product(64, 64, 64, "bf16"))
    assert plan.axes[0].block == 32
    with pytest.raises(DiagnosedError, match="tiles of 32 rows do not divide loop 0; 'amx' reads whole tiles"):
        _adopted(_product(rows, 64, 64, "bf16"), plan, tmp_path)


@needs_products
@pytest.mark.full(every=3)
@pytest.mark.parametrize(("columns", "walked"), [(192, 0), (192, 4), (192, 2), (170, 0), (170, 3)])
@pytest.mark.parametrize(("family", "kind"), KNOWN)
def test_tasks_of_several_columns_of_tiles_equal_numpy(
    family: str, kind: str, columns: int, walked: int, tmp_path: Path
) -> None:
    """What they pack lies in panels; the last task may have fewer columns, and the last tile end outside."""
    text = _product(64, columns, 64, kind)
    plan = _in_panels(_plan(text, "host", family), walked)
    artifact = _adopted(text, plan, tmp_path, "host")
    assert artifact.kernels[0].plan is not None and artifact.kernels[0].plan.operands[1].panel
    assert differences(text, artifact) == []
    assert differences(text, artifact, values="normal", threads=2) == []


@needs_products
@pytest.mark.parametrize(("family", "kind"), KNOWN)
def test_panels_of_factors_that_lie_transposed_equal_numpy(family: str, kind: str, tmp_path: Path) -> None:
    a, b, c = f"tensor<48x64x{kind}>", f"tensor<192x64x{kind}>", f"tensor<48x192x{SUMS[kind]}>"
    maps = "[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
    text = _function(a, b, c, f"linalg.matmul indexing_maps = {maps}")
    assert differences(text, _adopted(text, _in_panels(_plan(text, "host", family), 2), tmp_path, "host")) == []


def test_panels_that_a_tile_reads_across_are_refused(tmp_path: Path) -> None:
    text = _product(64, 192, 64, "bf16")
    plan = _in_panels(_plan(text), 2)
    with pytest.raises(DiagnosedError, match="input 1 of 'amx' is read across the ends of panels of 48; leave out"):
        _adopted(text, _changed(plan, panel=48), tmp_path)


def test_tasks_of_a_large_product_pack_what_the_second_cache_holds() -> None:
    (kernel,) = compiled(_product(1024, 4096, 1024, "bf16"), "spr", binaries=False, max_units=1).kernels
    assert kernel.plan is not None
    packed = kernel.plan.operands[1]
    assert (kernel.plan.instruction, packed.panel, kernel.plan.inner_order) == ("amx", 32, (0, 1))
    assert 4 <= kernel.plan.axes[1].walked * packed.panel * 1024 * 2 / (1 << 18) <= 8  # of 2 MiB


@pytest.mark.parametrize("columns", [64, 70])
def test_tile_registers_are_described_once_and_stored_where_the_result_lies(columns: int) -> None:
    """Where a tile may end outside, its sums pass memory of the task."""
    artifact = compiled(_product(64, columns, 64, "bf16"), "spr", instructions=("amx",), max_units=1)
    code = next(text.decode() for name, text in artifact.files.items() if name.endswith(".s"))
    words = [line.split()[0] for line in code.splitlines() if line.split()]
    counts = [words.count(word) for word in ("sttilecfg", "ldtilecfg", "tilerelease")]
    assert counts == [1, 2, 0]
    first = next(number for number, word in enumerate(words) if word.startswith("tile"))
    assert words.index("ldtilecfg") < first and words[::-1].index("ldtilecfg") < len(words) - first
    assert words.count("tilestored") == 4
    assert any("zmm" in line and line.split()[0] == "vmovups" for line in code.splitlines()) == (columns == 70)


def test_instructions_that_no_cpu_has_are_refused() -> None:
    text = _product(32, 32, 64, "bf16")
    with pytest.raises(DiagnosedError, match="cannot be computed by instructions of mma on 'spr'; add 'fma'"):
        compiled(text, "spr", instructions=("mma",), binaries=False)
    with pytest.raises(DiagnosedError, match="cannot be computed by instructions of amx on 'spr'; add 'fma'"):
        compiled(text, "spr", instructions=("amx",), tile_sizes=(4, 16, 64), binaries=False)


def test_missing_instructions_are_found() -> None:
    source = KernelSource(
        name="k", llvm_ir="", fma_count=0, matrix_count=5, dynamic_shared_bytes=0, parameter_bytes=0, place=None
    )
    binary = KernelBinary(name="k", files={})
    found = compared_cpu(binary, source, None, None)  # pyrefly: ignore
    assert [one.message for one in found.mismatches] == [
        "the kernel has 0 instructions for products where 5 are expected"
    ]


@needs_products
@pytest.mark.skipif(("amx", "bf16") not in KNOWN, reason="this machine has no tile registers")
def test_a_system_that_keeps_tile_registers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    artifact = _by(_product(32, 32, 64, "bf16"), "amx")
    header = next(artifact.files[name].decode() for name in artifact.files if name.endswith(".h"))
    assert "int roller_product_prepare(void);" in header

    class Refusing:
        def roller_product_prepare(self) -> int:
            return 22

    with pytest.raises(BackendError, match=r"'product' needs tile registers \(AMX\), which the system does not give: "):
        cpu_backend._prepare(Refusing(), artifact.manifest)  # pyrefly: ignore


def _plan(text: str, target: str = "spr", family: str = "amx") -> Plan:
    (kernel,) = compiled(text, target, instructions=(family,), binaries=False, max_units=1).kernels
    assert kernel.plan is not None
    return kernel.plan


def _changed(plan: Plan, **change: object) -> Plan:
    return replace(plan, operands=(plan.operands[0], replace(plan.operands[1], **change)))  # pyrefly: ignore


def _in_panels(plan: Plan, walked: int) -> Plan:
    """Return a plan of a product whose tasks walk so many columns of tiles (0: all) in each row, and pack these."""
    axes = [replace(plan.axes[0], walked=0), replace(plan.axes[1], walked=walked), *plan.axes[2:]]
    order = (1, 0) if walked else (0, 1)
    packed = replace(plan, axes=tuple(axes), unit_order=order, inner_order=(0, 1), raster=())
    return _changed(packed, panel=plan.axes[1].block)


def _adopted(text: str, plan: Plan, folder: Path, target: str = "spr") -> Artifact:
    file = folder / "plan.json"
    file.write_text(json.dumps({"matmul_0": to_json(replace(plan, pipeline="", prediction=None))}))
    return compiled(text, target, plan_file=file)
