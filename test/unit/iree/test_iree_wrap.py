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

from roller_mlir.iree import IreeError, compile_program, iree_program
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.element_types import NUMPY_TYPES
from roller_mlir.sim.driver import simulated_device
from roller_mlir.tools.roller import main

ROOT = Path(__file__).parents[3]
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


def compiled(folder: Path, example: str, target: str) -> Path:
    flags = ("--instruction", "mma") if (example, target) == ("matmul_f16", "h200") else ()  # wgmma takes tensor maps
    path = folder / f"{example}-{target}.roller"
    source = ROOT / "examples" / f"{example}.mlir"
    assert main(["compile", str(source), "--target", target, *flags, "-o", str(path)]) == 0
    return path


def run_module(
    artifact: Path, module: bytes, driver: str, function: str, inputs: list[np.ndarray[Any, Any]]
) -> "tuple[subprocess.CompletedProcess[str], list[np.ndarray[Any, Any]]]":
    """Runs a module on a simulated device; returns what iree-run-module said, and the results."""
    folder = artifact.parent
    (folder / "m.vmfb").write_bytes(module)
    for number, array in enumerate(inputs):
        np.save(folder / f"in{number}.npy", array)
    results = [folder / f"out{number}.npy" for number in range(len(Artifact.load(artifact).manifest.outputs))]
    words = [f"--device={driver}", f"--module={folder / 'm.vmfb'}", f"--function={function}"]
    words += [f"--input=@{folder / f'in{number}.npy'}" for number in range(len(inputs))]
    with simulated_device([artifact]) as environment:
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
        ("mlp", "h200", "ptx"),
        ("mlp", "h200", "cubin"),
        ("mlp", "mi300x", "hsaco"),
        *(
            pytest.param(example, target, image, marks=pytest.mark.full)
            for example in EXAMPLES[1:]
            for target, image in (("h200", "ptx"), ("h200", "cubin"), ("mi300x", "hsaco"))
        ),
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


def test_a_wrong_grid_a_swapped_operand_and_another_image_in_a_module_are_errors_that_say_so(tmp_path: Path) -> None:
    path = compiled(tmp_path, "mlp", "h200")
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
        "(%input0, %input1, %input2) : (tensor<64x784xf32>, tensor<784x256xf32>, ",
        "(%input1, %input0, %input2) : (tensor<784x256xf32>, tensor<64x784xf32>, ",
    )
    assert swapped != text
    done, _ = run_module(path, compile_program(swapped, timeout_s=600), "cuda", function, inputs)
    assert done.returncode
    assert "argument 1: 802816 B at " in done.stderr and "go beyond the 200704 B that are allocated" in done.stderr
    other = iree_program(
        replace(artifact, files={**artifact.files, "matmul_1.ptx": artifact.files["matmul_1.ptx"] + b" "})
    )
    done, _ = run_module(path, compile_program(other, timeout_s=600), "cuda", function, inputs)
    assert done.returncode
    assert "no artifact holds this image" in done.stderr


def test_what_iree_cannot_run_is_refused(tmp_path: Path) -> None:
    artifact = Artifact.load(compiled(tmp_path, "mlp", "h200"))
    first, *rest = artifact.manifest.launches

    def refusal(image: str | None = None, **changes: Any) -> str:
        manifest = replace(artifact.manifest, launches=(replace(first, **changes), *rest))
        with pytest.raises(IreeError) as error:
            iree_program(replace(artifact, manifest=manifest), image)
        return str(error.value)

    assert "needs all blocks at the same time; IREE has no cooperative launches" in refusal(cooperative=True)
    assert "has clusters of (2, 1, 1) blocks; IREE launches none" in refusal(cluster=(2, 1, 1))
    assert "takes 17 buffers, but IREE binds at most 16" in refusal(arguments=(first.arguments[0],) * 17)
    assert "may read argument 0, which it writes" in refusal(written=(0, 3))
    assert "writes arguments () of 4; IREE passes results last" in refusal(written=())
    assert "which no launch writes as a whole" in refusal(
        arguments=(replace(first.arguments[0], shape=(32, 784)), *first.arguments[1:])
    )
    assert refusal("hsaco") == "IREE's driver cuda takes ptx or cubin, but got hsaco"
    with pytest.raises(IreeError, match="iree-compile refuses the program: .*error"):
        compile_program("func.func @f( {", timeout_s=600)
