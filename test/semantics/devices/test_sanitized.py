# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions are clean under the sanitizer, every program on one of the devices, and its report is right."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from roller_mlir import Artifact
from roller_mlir.evaluation.reference import random_inputs
from roller_mlir.runtime import BackendError, SanitizedRunError
from roller_mlir.tools.roller import main

from ..programs import PROGRAMS, matmul
from .test_each_device import DEVICES, compiled


def run(artifact: Artifact, **options: object) -> tuple[np.ndarray, ...]:
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 0, "integers")
    return artifact.run(*inputs, sanitize=True, **options)


def edited(artifact: Artifact, old: str, new: str, count: int = -1) -> Artifact:
    """Return the artifact with other kernel IR."""
    text = artifact.text("kernels")
    assert old in text
    content = text.replace(old, new, count).encode()
    sums = {"size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    records = tuple(replace(one, **sums) if one.role == "kernels" else one for one in artifact.manifest.files)
    files = dict(artifact.files) | {"kernels.mlir": content}
    return replace(artifact, manifest=replace(artifact.manifest, files=records), files=files)


SAMPLE = [(name, DEVICES[number % len(DEVICES)]) for number, name in enumerate(PROGRAMS)]


@pytest.mark.full(every=9)
@pytest.mark.parametrize(("name", "device"), SAMPLE)
def test_programs_are_clean(name: str, device: str) -> None:
    run(compiled(PROGRAMS[name], device))


def test_a_run_stops_with_all_that_it_found() -> None:
    wrong = edited(compiled(matmul(61, 53, 40), "h200"), "gpu.barrier\n", "\n")
    with pytest.raises(SanitizedRunError, match="simulator: kernel 'matmul_0': the sanitizer found") as caught:
        run(wrong)
    assert {"read-after-write", "uninitialised-read"} & {one.kind for one in caught.value.findings}
    assert "at kernels.mlir:" in str(caught.value)
    assert not caught.value.more


def test_an_output_that_no_kernel_writes() -> None:
    artifact = compiled("func.func @f(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {\n"
                        "  %e = tensor.empty() : tensor<8x16xf32>\n"
                        "  %r = linalg.exp ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>)"
                        " -> tensor<8x16xf32>\n  return %r : tensor<8x16xf32>\n}", "h200")  # fmt: skip
    run(artifact)
    manifest = artifact.manifest
    launches = tuple(launch for launch in manifest.launches if not launch.kernel)
    with pytest.raises(SanitizedRunError, match=r"no launch writes 128 elements of 'output0', the first at \[0, 0\]"):
        run(replace(artifact, manifest=replace(manifest, launches=launches)))


def test_only_the_gpu_level_is_sanitized() -> None:
    with pytest.raises(BackendError, match="kernels are sanitized at level gpu"):
        run(compiled(matmul(61, 53, 40), "h200"), level="llvm")


def test_the_command(tmp_path, capsys) -> None:
    artifact = compiled(matmul(61, 53, 40), "h200")
    good, bad = tmp_path / "good.roller", tmp_path / "bad.roller"
    artifact.save(good)
    assert main(["run", str(good), "--random", "--sanitize"]) == 0
    assert "sanitizer: nothing found" in capsys.readouterr().out
    assert main(["run", str(good), "--random", "--sanitize", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []
    edited(artifact, "gpu.barrier\n", "\n").save(bad)
    assert main(["run", str(bad), "--random", "--sanitize"]) == 1
    assert "the sanitizer found" in capsys.readouterr().err
    assert main(["run", str(bad), "--random", "--sanitize", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert all({"kind", "message", "site", "thread", "other_thread"} <= one.keys() for one in found)
    assert any(one["thread"] != one["other_thread"] and one["other_site"] for one in found)
