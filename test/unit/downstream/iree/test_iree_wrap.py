# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts inside of IREE's modules, run by iree-run-module as it is, on simulated devices; what IREE cannot run."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated_drivers import libraries

from roller_mlir.downstream.iree import IreeError, compile_program, iree_program
from roller_mlir.plan.manifest import Buffer, Kernel
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.sim.driver import simulated_device
from roller_mlir.tools.roller import main

ROOT = Path(__file__).parents[4]
RUN = shutil.which("iree-run-module", path=str(Path(sys.executable).parent)) or shutil.which("iree-run-module")
pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library"),
    pytest.mark.skipif(RUN is None, reason="needs iree-base-runtime"),
]
# The first is always tried; the others go through the same code.
EXAMPLES = (
    "mlp",
    "attention_scores",
    "conv_bn_relu_residual",
    "encoder_layer",
    "layer_norm",
    "matmul",
    "matmul_bias_gelu",
    "matmul_f16",
    "resnet_block",
    "softmax",
)


def compiled(folder: Path, example: str, target: str, *flags: str) -> Path:
    flags += ("--tensor-maps", "device") if (example, target) == ("matmul_f16", "h200") else ()
    path = folder / f"{example}-{target}.roller"
    source = ROOT / "examples" / f"{example}.mlir"
    assert main(["compile", str(source), "--target", target, *flags, "-o", str(path)]) == 0
    return path


def run_module(
    artifact: Path,
    module: bytes,
    driver: str,
    function: str,
    inputs: list[np.ndarray[Any, Any]],
    *,
    assume_resident: bool = False,
) -> "tuple[subprocess.CompletedProcess[str], list[np.ndarray[Any, Any]]]":
    """Runs a module on a simulated device; returns what iree-run-module said, and the results."""
    folder = artifact.parent
    (folder / "m.vmfb").write_bytes(module)
    for number, array in enumerate(inputs):
        np.save(folder / f"in{number}.npy", array)
    results = [folder / f"out{number}.npy" for number in range(len(Artifact.load(artifact).manifest.outputs))]
    words = [f"--device={driver}", f"--module={folder / 'm.vmfb'}", f"--function={function}"]
    words += [f"--input=@{folder / f'in{number}.npy'}" for number in range(len(inputs))]
    with simulated_device([artifact], libraries=libraries(), assume_resident=assume_resident) as environment:
        done = subprocess.run(
            [str(RUN), *words, *(f"--output=@{path}" for path in results)],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env={**os.environ, **environment},
        )
    return done, [np.load(path) for path in results if path.exists()]


def draw(artifact: Artifact) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(0)
    buffers = [artifact.manifest.buffer(name) for name in artifact.manifest.inputs]
    return [random.standard_normal(one.static_shape).astype(NUMPY_TYPES[one.element_type]) for one in buffers]


@pytest.mark.parametrize(
    ("example", "target", "image"),
    [
        pytest.param(
            example, target, image, marks=() if (example, image) == (EXAMPLES[0], "hsaco") else pytest.mark.full
        )
        for example in EXAMPLES
        for target, image in (("h200", "ptx"), ("h200", "cubin"), ("mi300x", "hsaco"))
    ],
)
def test_iree_gives_the_same_bits(tmp_path: Path, example: str, target: str, image: str) -> None:
    path = compiled(tmp_path, example, target)
    output = tmp_path / "wrapped.vmfb"
    assert main(["iree", "wrap", str(path), "-o", str(output), "--image", image]) == 0
    artifact = Artifact.load(path)
    inputs, driver = draw(artifact), "cuda" if target == "h200" else "hip"
    done, results = run_module(path, output.read_bytes(), driver, artifact.manifest.function, inputs)
    assert done.returncode == 0, done.stderr
    for found, wanted in zip(results, artifact.run(*inputs), strict=True):
        np.testing.assert_array_equal(found, wanted)


SMALL = """
func.func @small(%a: tensor<72x128xf16>, %b: tensor<128x136xf16>, %c: tensor<136x64xf16>) -> tensor<72x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<72x136xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<72x136xf16>) -> tensor<72x136xf16>
  %r = linalg.matmul ins(%a, %b : tensor<72x128xf16>, tensor<128x136xf16>) outs(%f : tensor<72x136xf16>)
    -> tensor<72x136xf16>
  %g = tensor.empty() : tensor<72x64xf16>
  %h = linalg.fill ins(%zero : f16) outs(%g : tensor<72x64xf16>) -> tensor<72x64xf16>
  %s = linalg.matmul ins(%r, %c : tensor<72x136xf16>, tensor<136x64xf16>) outs(%h : tensor<72x64xf16>)
    -> tensor<72x64xf16>
  return %s : tensor<72x64xf16>
}
"""


@pytest.mark.full
@pytest.mark.parametrize("image", ["cubin", "ptx"])
def test_kernels_that_make_their_tensor_maps_run_inside_of_iree(tmp_path: Path, image: str) -> None:
    source, path, output = tmp_path / "small.mlir", tmp_path / "small.roller", tmp_path / "small.vmfb"
    source.write_text(SMALL)
    words = ["compile", str(source), "--target", "h200", "--instruction", "wgmma", "--no-fusion", "-o", str(path)]
    assert main(words) == 0
    with pytest.raises(IreeError, match="takes tensor maps, which IREE cannot pass; compile with --tensor-maps device"):
        iree_program(Artifact.load(path))
    path = tmp_path / "device.roller"
    assert main([*words[:-1], str(path), "--tensor-maps", "device"]) == 0
    assert main(["iree", "wrap", str(path), "-o", str(output), "--image", image]) == 0
    artifact = Artifact.load(path)
    assert [len(kernel.made_maps) >= 2 and not kernel.tensor_maps for kernel in artifact.kernels] == [True, True]
    inputs = draw(artifact)
    done, results = run_module(path, output.read_bytes(), "cuda", "small", inputs)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(results[0], artifact.run(*inputs)[0])
    np.testing.assert_array_equal(results[0], Artifact.load(tmp_path / "small.roller").run(*inputs)[0])


@pytest.mark.full
def test_a_wrong_grid_a_swapped_operand_and_another_image_in_a_module_are_errors_that_say_so(tmp_path: Path) -> None:
    path = compiled(tmp_path, "mlp", "h200", "--no-split")
    artifact = Artifact.load(path)
    text = iree_program(artifact)
    blocks = artifact.manifest.launches[0].static_grid[0]
    assert f"%x = arith.constant {blocks} : index" in text
    wrong = text.replace(f"%x = arith.constant {blocks} : index", f"%x = arith.constant {blocks - 1} : index")
    inputs, function = draw(artifact), artifact.manifest.function
    done, _ = run_module(path, compile_program(wrong, timeout_s=600), "cuda", function, inputs)
    assert done.returncode
    assert f"grid is ({blocks - 1}, 1, 1), not ({blocks}, 1, 1)" in done.stderr
    swapped = text.replace(
        '"flow.dispatch"(%input0, %input1, %input2) ', '"flow.dispatch"(%input1, %input0, %input2) '
    ).replace("(tensor<64x784xf32>, tensor<784x256xf32>, ", "(tensor<784x256xf32>, tensor<64x784xf32>, ")
    assert swapped != text
    done, _ = run_module(path, compile_program(swapped, timeout_s=600), "cuda", function, inputs)
    assert done.returncode
    assert "argument 1: 802816 B at " in done.stderr and "go beyond the 200704 B that are allocated" in done.stderr
    other = iree_program(
        replace(artifact, files={**artifact.files, "mlp_matmul_1.ptx": artifact.files["mlp_matmul_1.ptx"] + b" "})
    )
    done, _ = run_module(path, compile_program(other, timeout_s=600), "cuda", function, inputs)
    assert done.returncode
    assert "no artifact holds this image" in done.stderr


@pytest.mark.full
@pytest.mark.parametrize("target", ["h200", "mi300x"])
def test_whole_graphs_in_one_kernel_run_where_they_are_said_to_be_resident(
    tmp_path: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = compiled(tmp_path, "mlp", target, "--persistent")
    output = tmp_path / "wrapped.vmfb"
    capsys.readouterr()
    assert main(["iree", "wrap", str(path), "-o", str(output)]) == 1
    assert "--assume-resident launches it as others are launched" in capsys.readouterr().err
    assert main(["iree", "wrap", str(path), "-o", str(output), "--assume-resident"]) == 0
    artifact = Artifact.load(path)
    inputs, driver, function = draw(artifact), "cuda" if target == "h200" else "hip", artifact.manifest.function
    done, results = run_module(path, output.read_bytes(), driver, function, inputs, assume_resident=True)
    assert done.returncode == 0, done.stderr
    for found, wanted in zip(results, artifact.run(*inputs), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.fixture(scope="module")
def mlp(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    return Artifact.load(compiled(tmp_path_factory.mktemp("mlp"), "mlp", "h200", "--no-split"))


def test_a_function_whose_name_needs_quotes_has_them(mlp: Artifact) -> None:
    text = iree_program(replace(mlp, manifest=replace(mlp.manifest, function='say "hi"')))
    assert r'module @"say \22hi\22" attributes' in text and r'func.func @"say \22hi\22"(%input0' in text


def test_a_program_with_f64_says_which_flag_keeps_it(mlp: Artifact) -> None:
    wide = Buffer(name="wide", role="workspace", element_type="f64", shape=(4,))
    changed = replace(mlp.manifest, buffers=(*mlp.manifest.buffers, wide))
    assert "--iree-input-demote-f64-to-f32=false\n#target" in iree_program(replace(mlp, manifest=changed))
    assert "demote" not in iree_program(mlp)


def test_what_a_kernel_reads_and_writes_is_an_operand_that_is_a_result(mlp: Artifact) -> None:
    manifest = mlp.manifest
    first, last = manifest.launches
    assert [first.access(number) for number in range(4)] == ["read", "read", "read", "write"]
    both = replace(first, written=(0, 3), read=(0, 1, 2, 3), cooperative=True, grid=(132, 1, 1))

    def text(launch: Any = both, registers: int | None = 64, image: str | None = None) -> str:
        def known(one: Kernel) -> Kernel:
            return replace(one, statistics=replace(one.statistics, registers=registers))

        kept = launch.report_bytes is not None
        buffers = [replace(one, role="state") if kept and one.role == "workspace" else one for one in manifest.buffers]
        changed = replace(
            manifest,
            launches=(launch, last),
            kernels=tuple(map(known, manifest.kernels)),
            buffers=tuple(buffers),
            state_bytes=manifest.workspace_bytes,
        )
        return iree_program(replace(mlp, manifest=changed), image, assume_resident=True)

    found = text()
    # The input has content, which the call keeps for itself; nobody has written what the kernel makes.
    assert '%v0 = "flow.tensor.empty"() : () -> tensor<64x256xf32>\n' in found
    assert '"flow.dispatch"(%input0, %input1, %input2, %v0) <{entry_points = [@mlp_matmul_0_image' in found
    assert "array<i32: 0, 4, 0, 0>, tied_operands = [0 : index, 3 : index]}>" in found
    for problem, said in (
        ({"registers": None}, "of cubin without an assembler's word nobody knows how many run"),
        ({"image": "ptx"}, "of ptx without an assembler's word nobody knows how many run"),
        ({"launch": replace(both, grid=(132 * 33, 1, 1))}, "needs 4356 blocks at the same time, but h200 holds "),
        ({"launch": replace(both, report_bytes=0)}, "may give up a wait, and says so in a report"),
    ):
        with pytest.raises(IreeError, match=said):
            text(**problem)


def test_what_iree_cannot_run_is_refused(mlp: Artifact) -> None:
    first, *rest = mlp.manifest.launches

    def refusal(image: str | None = None, **changes: Any) -> str:
        manifest = replace(mlp.manifest, launches=(replace(first, **changes), *rest))
        with pytest.raises(IreeError) as error:
            iree_program(replace(mlp, manifest=manifest), image)
        return str(error.value)

    assert "'mlp_matmul_0' needs all of its " in (said := refusal(cooperative=True))
    assert "blocks at the same time, but IREE has no cooperative launches; where no other such kernel" in said
    assert "has clusters of (2, 1, 1) blocks; IREE launches none" in refusal(cluster=(2, 1, 1))
    assert "takes 17 buffers, but IREE binds at most 16" in refusal(arguments=(first.arguments[0],) * 17)
    assert "writes none of its 4 arguments; IREE has no such dispatches" in refusal(written=())
    assert "which no launch writes as a whole" in refusal(
        arguments=(replace(first.arguments[0], shape=(32, 784)), *first.arguments[1:])
    )
    assert refusal("hsaco") == "IREE's driver cuda takes ptx or cubin, but got hsaco"
    with pytest.raises(IreeError, match="iree-compile refuses the program: .*error"):
        compile_program("func.func @f( {", timeout_s=600)
