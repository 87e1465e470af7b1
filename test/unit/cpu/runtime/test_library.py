# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a C program links: a function with results in between and constants, on one thread and on two."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cpu_programs import compiled, targets

from roller_mlir.lowering.backend.cpu.build import multiply_adds
from roller_mlir.runtime import Artifact

PROGRAM = Path(__file__).with_name("caller.c")
MLP = Path(__file__).parents[4] / "examples" / "mlp.mlir"


@pytest.mark.parametrize("linked", ["object", "library"])
def test_a_c_program_calls_it(linked: str, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler on this machine")
    if "haswell" not in targets():  # whose kernels the program names: those of other machines may be more
        pytest.skip("this machine does not run code for haswell")
    artifact = compiled(MLP.read_text(), "haswell")
    artifact.save(tmp_path / "mlp.roller")
    folder = tmp_path / "mlp.roller"
    what = [str(folder / "mlp.o")] if linked == "object" else [f"-L{folder}", "-lmlp", f"-Wl,-rpath,{folder}"]
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{folder}", str(PROGRAM)]
    subprocess.run([*command, *what, "-lm", "-o", "caller"], cwd=tmp_path, check=True, capture_output=True)
    inputs = _inputs(artifact)
    for number, array in enumerate(inputs):
        (tmp_path / f"input{number}").write_bytes(array.tobytes())
    subprocess.run([str(tmp_path / "caller")], cwd=tmp_path, check=True, capture_output=True)
    (expected,) = artifact.run(*inputs, on="cpu", threads=1)
    for name in ("one", "two"):
        found = np.frombuffer((tmp_path / name).read_bytes(), np.float32).reshape(expected.shape)
        assert np.array_equal(found, expected)


def _inputs(artifact: Artifact) -> list[np.ndarray]:
    numbers = np.random.default_rng(0)
    shapes = [artifact.manifest.buffer(name).static_shape for name in artifact.manifest.inputs]
    return [numbers.integers(-2, 3, shape).astype(np.float32) for shape in shapes]


def test_objects_for_other_machines_have_their_multiply_adds() -> None:
    """Compiled here and not run: AArch64's FMLA, AVX-512's and AVX2's FMA, as many lanes as the plan's body has."""
    text = (MLP.parent / "matmul.mlir").read_text()
    for target, mnemonic in (("neoverse-v1", "fmla"), ("spr", "zmm"), ("haswell", "ymm")):
        (kernel,) = compiled(text, target).kernels
        assembly = compiled(text, target).text("assembly")
        assert kernel.plan is not None and mnemonic in assembly
        row, column, depth = kernel.plan.axes
        assert multiply_adds(assembly) >= row.block * column.block * depth.chunk
        assert not any("fma" in note for note in kernel.notes)
