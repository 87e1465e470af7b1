# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Specifications: plain iree-compile follows them, by the flag of its back end alone; what has none."""

from dataclasses import replace
from pathlib import Path

import pytest

from roller_mlir.downstream.iree.compiler import compile_program
from roller_mlir.downstream.iree.config import specification
from roller_mlir.downstream.iree.config.configuration import Configuration
from roller_mlir.downstream.iree.config.configure import DUMP_FLAG, ConfiguredDispatch, check_used
from roller_mlir.downstream.iree.program import driver_of
from roller_mlir.downstream.iree.targets import DRIVERS, device_attribute, target_attribute
from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.hal import find_device
from roller_mlir.tools.roller import main

BATCHED = """
func.func @scores(%q: tensor<4x32x16xf32>, %k: tensor<4x64x16xf32>) -> tensor<4x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>,
                                        affine_map<(b, i, j, k) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x32x16xf32>, tensor<4x64x16xf32>) outs(%i : tensor<4x32x64xf32>) {
    ^bb0(%x: f32, %y: f32, %sum: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %sum, %p : f32
      linalg.yield %s : f32
  } -> tensor<4x32x64xf32>
  return %m : tensor<4x32x64xf32>
}
"""
SUM = """
func.func @sum(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<4096xf32>
  return %z : tensor<4096xf32>
}
"""
AMD = "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"
NVIDIA = "--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80"


@pytest.mark.full
@pytest.mark.parametrize("target", ["b200", "h200", "k80", "mi50"])
def test_a_program_that_names_its_target_follows_where_iree_compile_knows_no_such(tmp_path: Path, target: str) -> None:
    model, file = tmp_path / "m.mlir", tmp_path / "spec.mlir"
    model.write_text(BATCHED)
    assert main(["iree", "spec", str(model), "--target", target, "-o", str(file)]) == 0
    device = find_device(target)
    driver = driver_of(device)
    named = device_attribute(driver, target_attribute(driver, device))
    program = f"module attributes {{hal.device.targets = [{named}]}} {{\n{BATCHED}}}\n"
    dumps = tmp_path / "dumps"
    compile_program(program, f"{DRIVERS[driver].specification_flag}{file}", f"{DUMP_FLAG}{dumps}", timeout_s=600)
    (dump,) = dumps.glob("configured_*.mlir")
    text = file.read_text()
    assert text[text.index("lowering_config<") : text.index("}>, translation_info")] in dump.read_text()


@pytest.mark.full
@pytest.mark.parametrize(("target", "flags"), [("a100", NVIDIA), pytest.param("mi300x", AMD, marks=pytest.mark.full)])
def test_plain_iree_compile_follows_a_specification(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str, flags: tuple[str, ...]
) -> None:
    model, file = tmp_path / "m.mlir", tmp_path / "spec.mlir"
    model.write_text(BATCHED)
    assert main(["iree", "spec", str(model), "--target", target, "-o", str(file)]) == 0
    *_, said = capsys.readouterr().out.splitlines()
    flag = said.split()[-1]
    assert flag.startswith("--iree-codegen-") and flag.endswith(f"={file}")
    compile_program(BATCHED, *flags, flag, f"{DUMP_FLAG}{tmp_path / 'dumps'}", timeout_s=600)
    (dump,) = (tmp_path / "dumps").glob("configured_*.mlir")
    text = file.read_text()
    tiles = text[text.index("lowering_config<") : text.index("}>, translation_info")]
    assert tiles in dump.read_text()
    assert "dims_equal %batch, [4]" in text and "dims_equal %n, [64]" in text


def test_a_flag_that_the_back_end_ignores_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ignored = replace(DRIVERS["cuda"], specification_flag=DRIVERS["hip"].specification_flag)
    monkeypatch.setitem(DRIVERS, "cuda", ignored)
    (tmp_path / "m.mlir").write_text(BATCHED)
    file = tmp_path / "spec.mlir"
    assert main(["iree", "spec", str(tmp_path / "m.mlir"), "--target", "a100", "-o", str(file)]) == 1
    assert "has lost the configuration of scores_dispatch_0" in capsys.readouterr().err
    assert not file.exists()


def test_what_is_no_contraction_has_no_matcher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.mlir").write_text(SUM)
    words = ["--target", "a100", "-o", str(tmp_path / "spec.mlir")]
    assert main(["iree", "spec", str(tmp_path / "m.mlir"), *words]) == 1
    assert "specifications have matchers for contractions alone" in capsys.readouterr().err


def test_equal_dispatches_share_a_matcher() -> None:
    one = ConfiguredDispatch(
        executable="e",
        name="f",
        configuration=Configuration(lowering="workgroup = [8, 8, 0]", threads=32, subgroup_size=32),
        maps=("(d0, d1, d2) -> (d0, d2)", "(d0, d1, d2) -> (d2, d1)", "(d0, d1, d2) -> (d0, d1)"),
        elements=("f32", "f32", "f32"),
        extents=(8, 16, 32),
    )
    text = specification.specification_text([one, one])
    assert "@match_0" in text and "@match_1" not in text
    with pytest.raises(IreeError, match="f: too small"):
        specification.specification_text([ConfiguredDispatch(executable="e", name="f", reason="too small")])
    with pytest.raises(IreeError, match="IREE has lost the configuration of f: "):
        check_used([one], Path("nowhere"))
