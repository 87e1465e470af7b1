# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Triton: every configuration, run by Triton's interpreter and compiled for a device."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from reference_cases import case, inputs_of

from roller_mlir.evaluation.measure.runner.peers import triton_peer
from roller_mlir.evaluation.measure.runner.peers.available import peers_for
from roller_mlir.runtime.single_file import single_file

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

CHECK = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch
from reference_cases import case, inputs_of
from roller_mlir.evaluation.measure.runner.peers import triton_kernels, triton_peer
from roller_mlir.evaluation.measure.runner.expected.element_arrays import to_torch
from roller_mlir.evaluation.measure.runner.peers.available import peers_for
from roller_mlir.runtime.single_file import single_file
from roller_mlir.evaluation.measure.runner.expected.references import reference_for

for name in sys.argv[2:]:
    item, text = case(name)
    inputs = inputs_of(text)
    expected = reference_for(item, inputs, source=text, device="sim")
    tensors = [to_torch(torch, one) for one in inputs]
    output, variants = triton_peer._writer(item, tensors)(torch, triton_kernels, item, tensors)
    for variant in variants:
        output.fill_(float("nan") if output.dtype.is_floating_point else -1)
        variant.launch()
        print(json.dumps([name, variant.words, expected.compare(output).message]))
    found, troubles = peers_for(item, inputs, ["triton"])
    print(json.dumps([name, "peer", expected.compare(found["triton"]()).message]))
"""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **environment},
    )


# Triton's interpreter multiplies bf16 as integers; its compiled kernels are those of f16.
@pytest.mark.parametrize(
    "names",
    [
        ("mm-one", "mm-column", "mm-outer", "mm-prime"),
        ("mm-f16-odd", "mm-i8-prime"),
        ("matmul_bias_gelu", "softmax", "layer_norm"),
        ("sum-rows", "sum-columns"),
    ],
    ids=lambda names: names[0],
)
def test_every_configuration_is_right(names: tuple[str, ...]) -> None:
    done = run(CHECK, str(Path(__file__).parents[1]), *names, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert {name for name, _, _ in found} == set(names) and len(found) >= 4 * len(names)
    assert not [one for one in found if one[2]]


COMPILE = """
import json, sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from roller_mlir.evaluation.measure.runner.peers import triton_kernels

if len(sys.argv) > 2:  # as a kit's runner has them
    sys.path.insert(0, sys.argv[2])
    import run
    from _roller_runtime.evaluation.measure.runner.peers import triton_kernels

name, pointers, constants, warps, stages = json.loads(sys.argv[1])
function = getattr(triton_kernels, name)
names = function.arg_names
signature = {each: "constexpr" if each in constants else pointers.get(each, "i32") for each in names}
places = {(names.index(each),): value for each, value in constants.items()}
attributes = {(at,): [["tt.divisibility", 16]] for at, each in enumerate(names) if each not in constants}
source = ASTSource(fn=function, signature=signature, constexprs=places, attrs=attributes)
built = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps, "num_stages": stages})
print(json.dumps([built.asm["ptx"], built.metadata.shared]))
"""


def ptx(tmp_path: Path, *request: Any, bundle: bool = False) -> tuple[str, int]:
    folder = [str(tmp_path)] if bundle else []
    done = run(COMPILE, json.dumps(request), *folder, TRITON_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    text, shared = json.loads(done.stdout.splitlines()[-1])
    return text, shared


@pytest.mark.parametrize(
    ("kind", "other", "extent"), [("fp32", "fp32", None), ("bf16", "fp32", None), ("fp32", "fp32", 1)]
)
def test_products_compile_without_tf32(tmp_path: Path, kind: str, other: str, extent: int | None) -> None:
    pointers = dict.fromkeys("AB", f"*{kind}") | {"C": "*fp32", "BIAS": f"*{kind}"}
    bm, bn, bk, warps, stages = triton_peer._TILES["f32" if kind == "fp32" else "f16"][0]
    constants = {"BM": bm, "BN": bn, "BK": bk, "BAND": 8, "WHOLE": extent is None, "ENDING": 0, "INTEGER": False}
    if extent is not None:
        constants["columns"] = extent  # as Triton takes an extent of 1
    text, shared = ptx(tmp_path, "matmul", pointers, constants, warps, stages)
    assert "tf32" not in text and shared <= 232448
    assert ("wgmma.mma_async" in text) == (kind == "bf16") and ("fma.rn.f32" in text) == (kind == "fp32")


def test_tiles_fit_the_workgroup_memory_of_common_devices() -> None:
    for kind, tiles in triton_peer._TILES.items():
        size = {"f32": 4, "f16": 2, "i8": 1}[kind]
        assert any((bm + bn) * bk * size * stages <= 64 << 10 for bm, bn, bk, _, stages in tiles), kind


def test_without_a_gpu_it_says_so_once() -> None:
    item, text = case("mm-prime")
    inputs = inputs_of(text)
    found, troubles = peers_for(item, inputs, ("triton",))
    assert not found and [(one.item, one.message) for one in troubles] == [("", "runs on a GPU only")]


@pytest.mark.parametrize("name", ["conv-prime", "pool-avg", "relu-prime", "bmm", "mm-f64", "mlp"])
def test_what_is_not_written_is_left_out(name: str) -> None:
    item, text = case(name)
    assert peers_for(item, inputs_of(text), ("triton",)) == ({}, [])


def test_triton_reads_the_kernels_of_a_runner_in_one_file(tmp_path: Path) -> None:
    text = single_file("run", modules=["roller_mlir.evaluation.measure.runner"])
    (tmp_path / "run.py").write_text(text)
    pointers = {"X": "*fp32", "Y": "*fp32"}
    text, _ = ptx(tmp_path, "softmax", pointers, {"BLOCK": 512}, 4, 1, bundle=True)
    assert "ex2.approx" in text
