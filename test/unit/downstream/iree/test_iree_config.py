# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Config mode: IREE's kernels with our tiles, on simulated devices; a configuration that is lost; what IREE parses."""

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from iree.compiler import ir as iree_ir

from roller_mlir.downstream.iree import IreeError, iree_program
from roller_mlir.downstream.iree.compiler import compile_program
from roller_mlir.downstream.iree.config.configuration import Configuration
from roller_mlir.downstream.iree.config.configure import CUT, DUMP_FLAG, ConfiguredDispatch, check_used, configure
from roller_mlir.downstream.iree.program import driver_of
from roller_mlir.downstream.iree.targets import DRIVERS, device_attribute, target_attribute
from roller_mlir.hal import device_names, find_device
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.registry import backend_of_vendor
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.tools.roller import main

BESIDE = str(Path(sys.executable).parent)
needs_runtime = pytest.mark.skipif(
    shutil.which("cc") is None or not (shutil.which("iree-run-module", path=BESIDE) or shutil.which("iree-run-module")),
    reason="needs iree-base-runtime, and a C compiler, which makes the driver library",
)
# A product with a bias: one dispatch, whose root is the product.
PROGRAM = """
func.func @dense(%a: tensor<64x64x{0}>, %b: tensor<64x64x{0}>, %c: tensor<64xf32>) -> tensor<64x64xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x64x{0}>, tensor<64x64x{0}>) outs(%i : tensor<64x64xf32>)
      -> tensor<64x64xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                         affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%m, %c : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {{
    ^bb0(%x: f32, %y: f32, %old: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  }} -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}}
"""
PLAIN = Configuration(
    lowering="promote_operands = [0, 1], reduction = [0, 0, 16], thread = [2, 1, 0], workgroup = [8, 8, 0]",
    threads=32,
    subgroup_size=32,
)


@pytest.mark.full
@needs_runtime
@pytest.mark.parametrize(
    ("target", "element"),
    [
        pytest.param(target, element, marks=() if quick else pytest.mark.full)
        for target, element, quick in (
            *(("a100", "f16", True), ("mi300x", "f32", False)),
            *(("a100", "f32", False), ("h200", "f32", False), ("h200", "f16", False), ("mi300x", "f16", False)),
        )
    ],
)
def test_kernels_of_iree_with_our_tiles_give_what_the_model_gives(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], target: str, element: str
) -> None:
    (tmp_path / "m.mlir").write_text(PROGRAM.format(element))
    model, module = str(tmp_path / "m.mlir"), str(tmp_path / "m.vmfb")
    written = ["--artifacts", str(tmp_path / "m.artifacts"), "--json"]
    written += ["--instruction", "mfma"] if target == "mi300x" else []
    assert main(["iree", "compile", model, "--mode", "config", "--target", target, "-o", module, *written]) == 0
    (line,) = json.loads(capfd.readouterr().out)["lines"]
    assert line["by"] == "roller" and "workgroup = [" in line["tiles"]
    assert ("mma_kind" in line["tiles"]) == (element == "f16" or target == "mi300x")
    words = ["--target", target, "--random", "--values", "integers", "--check", model]
    assert main(["iree", "run", module, *words]) == 0
    assert "result matches IREE's build for the CPU (equal)" in capfd.readouterr().out


@pytest.mark.full
def test_a_configuration_that_is_lost_is_an_error_that_names_the_dispatch(tmp_path: Path) -> None:
    device = find_device("a100")
    attribute = device_attribute("cuda", target_attribute("cuda", device))
    text = f"module attributes {{hal.device.targets = [{attribute}]}} {{{PROGRAM.format('f32')}}}"
    cut = compile_program(text, f"--compile-to={CUT}", "--mlir-print-op-generic", timeout_s=600).decode()
    with make_context(allow_unregistered=True) as context, ir.Location.unknown():
        module = ir.Module.parse(cut, context)
        (found,) = configure(module, device, "cuda")
        annotated = module.operation.get_asm(print_generic_op_form=True)
    assert found.configuration is not None and found.root == "linalg.matmul" and found.seconds
    for program, name in ((annotated, "used"), (cut, "lost")):
        compile_program(program, f"--compile-from={CUT}", f"{DUMP_FLAG}{tmp_path / name}", timeout_s=600)
    check_used([found], tmp_path / "used")
    with pytest.raises(IreeError, match=rf"has lost the configuration of {found.name}: .*workgroup = \["):
        check_used([found], tmp_path / "lost")
    threads = replace(found.configuration, threads=found.configuration.threads * 2)
    with pytest.raises(IreeError, match="has lost the configuration"):
        check_used([replace(found, configuration=threads)], tmp_path / "used")
    check_used([ConfiguredDispatch(executable="e", name="f", reason="it computes nothing")], tmp_path / "used")


def test_what_is_not_tiled_has_its_reason() -> None:
    text = """
    "hal.executable"() <{sym_name = "e"}> ({
      "builtin.module"() ({
        func.func @sort(%x: tensor<8xf32>) { %y = "iree_linalg_ext.sort"(%x) : (tensor<8xf32>) -> tensor<8xf32> return }
        func.func @copy(%x: tensor<8xf32>) { return }
        func.func @rows(%x: tensor<8x64xf32>, %i: tensor<8xf32>) {
          %y = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
            (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32 linalg.yield %s : f32 }
          return
        }
        func.func @odd(%x: tensor<7x11xf32>, %y: tensor<11x13xf32>, %i: tensor<7x13xf32>) {
          %z = linalg.matmul ins(%x, %y : tensor<7x11xf32>, tensor<11x13xf32>) outs(%i : tensor<7x13xf32>)
            -> tensor<7x13xf32>
          return
        }
      }) : () -> ()
    }) : () -> ()
    """
    with make_context(allow_unregistered=True) as context, ir.Location.unknown():
        found = configure(ir.Module.parse(text, context), find_device("h200"), "cuda")
    reasons = {one.name: one.reason for one in found}
    assert reasons["sort"] == "it holds 'iree_linalg_ext.sort'"
    assert reasons["copy"] == "it computes nothing"
    assert reasons["rows"].startswith("it reduces without a product")
    assert "plans is one that IREE can follow" in reasons["odd"] or reasons["odd"] == ""


def test_iree_parses_every_attribute_and_prints_configurations_as_we_spell_them(tmp_path: Path) -> None:
    configurations = [PLAIN] + [
        replace(PLAIN, lowering=f"mma_kind = #iree_gpu.mma_layout<{name}>, workgroup = [16, 16, 0]")
        for known in DRIVERS.values()
        for name in known.layouts
    ]
    attributes = [one.compilation_info for one in configurations]
    for device in map(find_device, device_names()):
        driver = backend_of_vendor(device.vendor)
        if driver in DRIVERS:
            assert driver_of(device) == driver
            target = target_attribute(driver, device)
            attributes += [target, device_attribute(driver, target).removesuffix(" : !hal.device")]
    (tmp_path / "m.mlir").write_text(PROGRAM.format("f32"))
    programs: list[str] = []
    for name in ("a100", "mi300x"):
        assert main(["compile", str(tmp_path / "m.mlir"), "--target", name, "-o", str(tmp_path / name)]) == 0
        programs.append(iree_program(Artifact.load(tmp_path / name)))
    with iree_ir.Context():
        for text in attributes:
            iree_ir.Attribute.parse(text)
        for one in configurations:  # as `check_used` looks for them
            assert str(iree_ir.Attribute.parse(one.lowering_config)) == one.lowering_config
            assert str(iree_ir.Attribute.parse(one.translation_info)) == one.translation_info
        for text in programs:
            assert "#hal.pipeline.layout" in str(iree_ir.Module.parse(text))
        with pytest.raises(iree_ir.MLIRError):
            iree_ir.Attribute.parse(PLAIN.translation_info.replace("TileAndFuse", "LLVMGPUTileAndFuse"))
