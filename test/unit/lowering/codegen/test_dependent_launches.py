# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that wait themselves for the launches that they need: right, and each wait needed."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.findings import SanitizedRunError
from roller_mlir.support.diagnostics import DiagnosedError

WAIT = "nvvm.griddepcontrol wait\n"


def layers(m: int, n: int, kind: str) -> str:
    """Returns x v and tanh(x v) w, a product of what other kernels make."""
    a, b, c = (f"tensor<{rows}x{columns}x{kind}>" for rows, columns in ((m, n), (n, n), (n, 2 * n)))
    up, wide = f"tensor<{m}x{n}xf32>", f"tensor<{m}x{2 * n}xf32>"
    cut = "" if kind == "f32" else f"%n = arith.truncf %t : f32 to {kind}"
    narrow = "%t" if kind == "f32" else "%n"
    ident = "affine_map<(i, j) -> (i, j)>"
    return f"""
func.func @f(%x: {a}, %v: {b}, %w: {c}) -> ({up}, {wide}) {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {up}
  %f = linalg.fill ins(%z : f32) outs(%e : {up}) -> {up}
  %p = linalg.matmul ins(%x, %v : {a}, {b}) outs(%f : {up}) -> {up}
  %h = tensor.empty() : {a}
  %q = linalg.generic {{indexing_maps = [{ident}, {ident}], iterator_types = ["parallel", "parallel"]}}
      ins(%p : {up}) outs(%h : {a}) {{
    ^bb0(%r: f32, %o: {kind}):
      %t = math.tanh %r : f32
      {cut}
      linalg.yield {narrow} : {kind}
  }} -> {a}
  %d = tensor.empty() : {wide}
  %g = linalg.fill ins(%z : f32) outs(%d : {wide}) -> {wide}
  %s = linalg.matmul ins(%q, %w : {a}, {c}) outs(%g : {wide}) -> {wide}
  return %p, %s : {up}, {wide}
}}
"""


@cache
def built(text: str, **asked: object) -> Artifact:
    options = CompileOptions(dependent_launch=True, binaries=False, reuse=False, **asked)  # type: ignore[arg-type]
    return compile_source(Source("-", text), "h200", options)


def inputs_of(artifact: Artifact) -> list[np.ndarray]:
    generator, found = np.random.default_rng(7), [artifact.manifest.buffer(name) for name in artifact.manifest.inputs]
    kinds = {"f16": np.float16, "f32": np.float32}
    return [generator.integers(-2, 3, one.static_shape).astype(kinds[one.element_type]) / 8 for one in found]


def run(artifact: Artifact) -> tuple[np.ndarray, ...]:
    return artifact.run(*inputs_of(artifact), on="sim", sanitize=True)


def changed(artifact: Artifact, text: str) -> Artifact:
    record = artifact.manifest.file("kernels")
    assert record is not None
    return replace(artifact, files={**artifact.files, record.name: text.encode()})


def kernels(artifact: Artifact) -> str:
    record = artifact.manifest.file("kernels")
    assert record is not None
    return artifact.files[record.name].decode()


CASES = {
    "fma": (layers(48, 64, "f32"), {"fusion": False}),
    "odd": (layers(37, 53, "f32"), {"fusion": False}),
    "one": (layers(1, 1, "f32"), {"fusion": False}),
    "fused": (layers(48, 64, "f32"), {}),
    "mma": (layers(64, 64, "f16"), {"fusion": False, "instructions": ("mma", "fma")}),
    "wgmma": (layers(128, 128, "f16"), {"fusion": False, "instructions": ("wgmma", "fma")}),
}


@pytest.mark.full(every=6)
@pytest.mark.parametrize("case", CASES)
def test_results_are_right_and_no_access_is_in_front_of_its_wait(case: str) -> None:
    text, asked = CASES[case]
    artifact = built(text, **asked)
    assert all(one.dependent for one in artifact.manifest.launches)
    source = kernels(artifact)
    assert source.count(WAIT) == source.count("nvvm.griddepcontrol launch_dependents") == source.count("gpu.func")
    plain = compile_source(Source("-", text), "h200", CompileOptions(binaries=False, reuse=False, **asked))
    for found, right in zip(run(artifact), plain.run(*inputs_of(artifact), on="sim"), strict=True):
        assert np.array_equal(found, right)


@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
def test_each_wait_is_needed(case: str) -> None:
    text, asked = CASES[case]
    artifact = built(text, **asked)
    source, pieces = kernels(artifact), kernels(artifact).split(WAIT)
    assert len(pieces) > 2
    for number in range(1, len(pieces)):
        kernel = re.findall(r"gpu\.func @(\w+)", "".join(pieces[:number]))[-1]
        front, behind = WAIT.join(pieces[:number]), WAIT.join(pieces[number:])
        for mistake in (front + behind, front + behind.replace("gpu.return", f"{WAIT}    gpu.return", 1)):
            assert mistake != source
            if kernel == artifact.manifest.launches[0].kernel:
                run(changed(artifact, mistake))  # nothing is before the first launch
            else:
                with pytest.raises(SanitizedRunError, match=f"(?s){kernel}.*before the wait"):
                    run(changed(artifact, mistake))


def test_weights_are_loaded_in_front_of_the_wait() -> None:
    text, asked = CASES["fma"]
    artifact = built(text, **asked)
    functions = kernels(artifact).split("gpu.func ")[1:]
    second = next(one for one in functions if one.startswith(f"@{artifact.manifest.launches[-1].kernel}("))
    front, behind = second.split(WAIT)
    assert "vector.load %arg1" in front.replace("memref.load", "vector.load")
    assert "vector.load %arg0" in behind.replace("memref.load", "vector.load")
    assert not re.search(r"(vector|memref)\.load %arg0", front)
    # What another launch wrote is read through no cache that is not coherent.
    arguments = re.search(r"\((.*?)\)", second, re.DOTALL)
    assert arguments is not None
    facts = dict(re.findall(r"(%arg\d): memref<[^>]*> \{([^}]*)\}", arguments[1]))
    assert "noalias" not in facts["%arg0"] and "noalias" in facts["%arg1"]


@pytest.mark.parametrize(("target", "name"), [("a100", "a100-80"), ("mi300x", "mi300x"), ("v100", "v100")])
def test_devices_without_it_say_so(target: str, name: str) -> None:
    with pytest.raises(DiagnosedError, match=f"{name} has no programmatic dependent launches"):
        compile_source(Source("-", layers(8, 8, "f32")), target, CompileOptions(dependent_launch=True))


def test_a_persistent_kernel_depends_on_nothing() -> None:
    with pytest.raises(ValueError, match="a persistent kernel is one launch"):
        CompileOptions(persistent=True, dependent_launch=True)
