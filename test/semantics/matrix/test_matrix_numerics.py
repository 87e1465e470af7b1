# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What products by matrix instructions may differ by: sums are in f32 (i32), narrow results round once, at the end."""

from pathlib import Path

import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import Comparison
from roller_mlir.plan.accuracy.accumulation import UNKNOWN

from ..devices.test_each_device import run_and_compare
from .matrix_programs import Types, product
from .test_matrix_units import FAMILIES, compiled, families

DEPTH = 2048
ONE_UNIT = {"f16": 2.0**-10, "bf16": 2.0**-7}
"""The distance from 1 to the next number: sums in f32 and in f64 that are rounded to a type differ by no more."""
DEVICES = [("a100", "f16"), ("a100", "bf16"), ("h200", "f16"), ("h200", "bf16"), ("mi300x", "f16"), ("mi300x", "bf16"),
           ("v100", "f16")]  # fmt: skip


def compare_product(device: str, types: Types, depth: int, folder: Path, values: str, seed: int = 0) -> Comparison:
    text = product(types, {"m": 32, "n": 24, "k": depth}, ("mk", "kn", "mn"))
    artifact = compiled(text, device, folder)
    assert families(artifact) & FAMILIES[device]
    (found,) = run_and_compare(artifact, values=values, seed=seed)
    return found


@pytest.mark.full(every=8)
@pytest.mark.parametrize(("device", "factor"), DEVICES)
def test_sums_are_as_good_as_those_of_f32(device: str, factor: str, tmp_path: Path) -> None:
    """Products of two f16 or bf16 are exact in f32, so that only the sum rounds."""
    found = compare_product(device, Types(factor, "f32"), DEPTH, tmp_path, "normal")
    assert found.permitted < 1.5 * 2.0**-10 and not found.unsaid
    assert 0 < found.max_error <= 1


@pytest.mark.full(every=8)
@pytest.mark.parametrize(("device", "factor"), DEVICES)
def test_a_narrow_result_rounds_once(device: str, factor: str, tmp_path: Path) -> None:
    """A sum in f16 would round 2048 times, and be wrong in many of the last digits; this is in one at most."""
    found = compare_product(device, Types(factor, factor), DEPTH, tmp_path, "normal")
    assert found.max_error <= 1 and found.permitted <= ONE_UNIT[factor] * abs(found.expected) + 2.0**-10


@pytest.mark.full(each=["factor"])
@pytest.mark.parametrize(("device", "factor"), DEVICES)
def test_whole_numbers_are_exact_within_the_range_of_the_type(device: str, factor: str, tmp_path: Path) -> None:
    """Sums of products of -1, 0 and 1 stay within 256 (bf16) and 2048 (f16)."""
    depth = {"f16": 2048, "bf16": 256}[factor]
    assert compare_product(device, Types(factor, factor), depth, tmp_path, "signs").equal


@pytest.mark.full(every=6)
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
def test_integers_are_exact(device: str, tmp_path: Path) -> None:
    assert compare_product(device, Types("i8", "i32"), DEPTH, tmp_path, "integers").equal


def test_factors_that_may_be_rounded_to_tf32(tmp_path: Path) -> None:
    """Whole numbers up to 2048 are exact in tf32; each factor of other numbers rounds at its 11th bit."""
    text = product(Types("f32", "f32"), {"m": 32, "n": 24, "k": DEPTH}, ("mk", "kn", "mn"))
    options = CompileOptions(binaries=False, allow_tf32=True)
    artifact = roller_mlir.compile(text, target="a100", options=options)
    assert families(artifact) >= {"mma"}
    (whole,) = run_and_compare(artifact)
    assert whole.equal
    (found,) = run_and_compare(artifact, values="normal")
    assert found.max_error <= 1 and 0.01 < found.permitted < 1
    wide = run_and_compare(artifact, values="normal", accumulation=UNKNOWN)
    assert not wide[0].matches, "what rounds no factor is closer"


def test_factors_of_f32_are_exact_on_cdna(tmp_path: Path) -> None:
    assert compare_product("mi300x", Types("f32", "f32"), DEPTH, tmp_path, "integers").equal
    found = compare_product("mi300x", Types("f32", "f32"), DEPTH, tmp_path, "normal")
    assert found.max_error <= 1 and found.permitted < 2.0**-10
