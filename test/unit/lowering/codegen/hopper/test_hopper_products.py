# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of wgmma give what numpy gives: layouts, types, edges, warpgroups, epilogues, persistent blocks."""

import re
from pathlib import Path

import pytest
from hopper_cases import Matmul

from roller_mlir import hal

PLAIN = Matmul()
WIDE = Matmul(block=(128, 256, 64), columns=256, groups=(2, 1), extents=(200, 264, 200))

CASES = {
    "whole tiles": PLAIN,
    "one step": PLAIN.but(extents=(64, 64, 64)),
    "two buffers": PLAIN.but(stages=2, extents=(72, 72, 328)),
    "edges": PLAIN.but(extents=(72, 136, 200)),
    "one row": PLAIN.but(extents=(1, 64, 128)),
    "a residue of eight": PLAIN.but(extents=(65, 72, 72)),
    "first transposed": PLAIN.but(transposed=(True, False), extents=(72, 136, 200)),
    "second transposed": PLAIN.but(transposed=(False, True), extents=(65, 77, 200)),
    "both transposed": PLAIN.but(transposed=(True, True), extents=(72, 129, 200)),
    "two warpgroups": WIDE,
    "two instructions a warpgroup": WIDE.but(block=(256, 128, 64), columns=128),
    "three warpgroups": WIDE.but(block=(192, 128, 64), columns=128, groups=(3, 1)),
    "warpgroups along columns": WIDE.but(block=(64, 256, 64), columns=128, groups=(1, 2)),
    "four warpgroups, two by two": WIDE.but(block=(128, 256, 64), columns=128, groups=(2, 2)),
    "two by two, both transposed": WIDE.but(
        block=(128, 256, 64), columns=128, groups=(2, 2), transposed=(True, True), extents=(136, 265, 200)
    ),
    "several columns of instructions": PLAIN.but(block=(64, 128, 64), extents=(72, 200, 136)),
    "narrow instructions": PLAIN.but(block=(64, 16, 64), columns=8, transposed=(False, True), extents=(72, 40, 136)),
    "200 columns": PLAIN.but(block=(64, 200, 64), columns=200, transposed=(False, True), extents=(72, 408, 136)),
    "160 columns of two warpgroups": WIDE.but(
        block=(128, 160, 64), columns=160, transposed=(False, True), extents=(136, 168, 200)
    ),
    "192 columns in instructions of 96": WIDE.but(
        block=(192, 192, 64), columns=96, groups=(1, 2), transposed=(False, True), extents=(200, 200, 136)
    ),
    "192 columns in rows of the tensor": WIDE.but(
        block=(128, 192, 64), columns=192, groups=(1, 1), extents=(136, 200, 200)
    ),
    "two lines a row": PLAIN.but(block=(64, 64, 128), transposed=(False, True), extents=(72, 72, 328)),
    "batch": PLAIN.but(batch=3, extents=(72, 72, 136)),
    "epilogue": PLAIN.but(epilogue=True, extents=(72, 200, 136)),
    "sums that start from a number": PLAIN.but(start=5),
    "bf16": PLAIN.but(factor="bf16", extents=(72, 72, 136)),
    "tf32": PLAIN.but(factor="f32", block=(64, 64, 32), transposed=(False, True), extents=(72, 76, 100)),
    "i8": PLAIN.but(
        factor="i8", result="i32", block=(64, 64, 128), transposed=(False, True), extents=(72, 76, 208), start=7
    ),
    "sums of f16": PLAIN.but(result="f16", extents=(72, 72, 136)),
}

STORED = PLAIN.but(store="tensor", result="f16", extents=(72, 200, 136))

STORES = {
    "pieces of a line": STORED,
    "epilogue": STORED.but(result="f32", epilogue=True),
    "batch": STORED.but(batch=2),
    "two warpgroups": WIDE.but(store="tensor", result="f16"),
    "two instructions a warpgroup": WIDE.but(store="tensor", result="f16", block=(256, 128, 64), columns=128),
    "warpgroups along columns": WIDE.but(store="tensor", result="f16", block=(64, 256, 64), columns=128, groups=(1, 2)),
    "two by two": WIDE.but(store="tensor", result="f16", block=(128, 256, 64), columns=128, groups=(2, 2)),
    "half lines": STORED.but(block=(64, 96, 64), columns=96, transposed=(False, True)),
    "quarter lines": STORED.but(block=(64, 48, 64), columns=48, transposed=(False, True)),
    "single groups": STORED.but(block=(64, 48, 64), columns=24, transposed=(False, True)),
}


STAGED = PLAIN.but(store="staged", extents=(72, 136, 200))

ROWS = {
    "edges": STAGED,
    "one row": STAGED.but(extents=(1, 64, 128)),
    "odd": STAGED.but(transposed=(False, True), extents=(65, 77, 200)),
    "several passes": WIDE.but(store="staged"),
    "two by two": WIDE.but(store="staged", block=(128, 128, 64), columns=64, groups=(2, 2)),
    "batch": STAGED.but(batch=3, extents=(72, 72, 136)),
    "epilogue": STAGED.but(epilogue=True),
    "sums of f16": STAGED.but(result="f16"),
    "i8": CASES["i8"].but(store="staged"),
}


@pytest.mark.full(every=9)
@pytest.mark.parametrize("case", ROWS.values(), ids=ROWS)
def test_stores_by_rows(case):
    assert "workgroup store results" in case.check(sanitize=True).text("kernels")


def test_persistent_stores_by_rows(small_device):
    STAGED.but(extents=(200, 200, 200), persistent=True).check(small_device, sanitize=True)


@pytest.mark.full(every=9)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_equals_numpy(case):
    case.check()


@pytest.mark.full(every=9)
@pytest.mark.parametrize("case", STORES.values(), ids=STORES)
def test_stores_by_tensor_copies(case):
    artifact = case.check(sanitize=True)
    assert artifact.kernels[0].tensor_maps[-1].argument == len(artifact.manifest.launches[0].arguments) - 1


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["edges", "two warpgroups", "epilogue", "two buffers"])
def test_nothing_races(name):
    CASES[name].check(sanitize=True)


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_threads(seed):
    CASES["edges"].check(seed=seed)


@pytest.fixture
def small_device(tmp_path):
    """An h200 of two units: persistent blocks take several tasks each."""
    text = (Path(hal.__file__).parent / "devices" / "h200.toml").read_text()
    text = text.replace("units = 132", "units = 2").replace('name = "h200"', 'name = "small"')
    text = re.sub(r"default_for = .*\n", "", text)
    small = tmp_path / "small.toml"
    small.write_text(text)
    return str(small)


@pytest.mark.full(every=4)
@pytest.mark.parametrize(("stages", "length"), [(2, 200), (3, 200), (3, 128), (4, 72)])
def test_persistent(small_device, stages, length):
    case = PLAIN.but(extents=(200, 200, length), stages=stages, persistent=True)
    artifact = case.check(small_device)
    assert artifact.manifest.launches[0].grid == (2, 1, 1)


def test_persistent_stores(small_device):
    STORED.but(extents=(200, 200, 136), block=(64, 192, 64), persistent=True).check(small_device, sanitize=True)


def test_persistent_epilogue_and_residents(small_device):
    case = PLAIN.but(extents=(200, 136, 136), epilogue=True, batch=2, persistent=True, tasks_per_unit=2)
    artifact = case.check(small_device, sanitize=True)
    assert artifact.manifest.launches[0].grid == (4, 1, 1)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("case", [CASES["edges"].but(stages=2), STORED], ids=["edges", "stored by copies"])
def test_level_llvm(case):
    case.check(level="llvm")
