# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions of each family equal numpy: whole numbers to the bit, others within the bound of their types."""

from functools import cache
from pathlib import Path

import pytest

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.forced import Forced
from roller_mlir.evaluation.fuzz.plans.matrix import matrix_plans_text
from roller_mlir.hal.atoms import MATRIX_FAMILIES

from ..devices.test_each_device import run_and_compare
from .matrix_programs import BF16, F16, I8, Types, joined_programs, plain_programs

TYPES = {"a100": (F16, BF16, I8), "h200": (BF16, F16, I8), "mi300x": (I8, F16, BF16), "v100": (F16,)}
FAMILIES = {"a100": {"mma"}, "h200": {"mma", "wgmma"}, "mi300x": {"mfma"}, "v100": {"wmma"}}
PLAIN = {t: plain_programs(t) for t in (F16, BF16, I8)}
TOO_SMALL = ("depth 1", "depth 7", "one row")
"""Programs of which an instruction would mostly multiply what is not there."""
JOINED = {t: joined_programs(t) for t in (F16, BF16, I8)}


def rotated(names: list[str]) -> list[tuple[str, str, Types]]:
    """Return every name on every device, in turn in each of the device's types."""
    return [
        (name, device, types[number % len(types)])
        for device, types in TYPES.items()
        for number, name in enumerate(names)
    ]


@cache
def compiled(text: str, device: str, folder: Path) -> Artifact:
    """Compile with matrix instructions wherever they can compute something, however the model ranks them."""
    path = folder / "plans.json"
    path.write_text(matrix_plans_text(Source("-", text), device, Forced(families=MATRIX_FAMILIES)))
    return roller_mlir.compile(text, target=device, options=CompileOptions(plan_file=path, binaries=False))


def families(artifact: Artifact) -> set[str]:
    return {kernel.plan.instruction for kernel in artifact.kernels if kernel.plan is not None}


@pytest.mark.full(every=24)
@pytest.mark.parametrize(("name", "device", "t"), rotated(list(PLAIN[F16])))
def test_products_equal_numpy(name: str, device: str, t: Types, tmp_path: Path) -> None:
    artifact = compiled(PLAIN[t][name], device, tmp_path)
    assert families(artifact) & FAMILIES[device] or name in TOO_SMALL
    for comparison in run_and_compare(artifact):
        assert comparison.equal, comparison


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize(("name", "device", "t"), rotated(list(JOINED[I8])))
def test_ops_around_products_equal_numpy(name: str, device: str, t: Types, tmp_path: Path) -> None:
    artifact = compiled(JOINED[t][name], device, tmp_path)
    assert families(artifact) & FAMILIES[device]
    for comparison in run_and_compare(artifact, values="signs"):
        assert comparison.equal, comparison


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("name", "device", "t"), [("gelu", device, types[0]) for device, types in TYPES.items()])
def test_functions_behind_products(name: str, device: str, t: Types, tmp_path: Path) -> None:
    text = JOINED[F16 if t is I8 else t][name]
    for comparison in run_and_compare(compiled(text, device, tmp_path), values="normal"):
        assert comparison.matches, comparison
