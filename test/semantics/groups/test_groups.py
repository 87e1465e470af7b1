# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of several ops, joined into kernels or not: equal to numpy either way, with the expected kernels."""

from pathlib import Path

import pytest

import roller_mlir
from roller_mlir import CompileOptions

from ..devices.test_each_device import compiled, run_and_compare
from .groups import GROUPS
from .importer_norms import NORMS
from .joined_programs import CASES, KERNELS

APART = CompileOptions(binaries=False, fusion=False)
EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.mlir"))


@pytest.mark.full(every=12)
@pytest.mark.parametrize("device", ["v100", "h200", "mi300x"])
@pytest.mark.parametrize("name", GROUPS)
def test_joined_ops_compute_what_they_do_apart(name: str, device: str) -> None:
    text, kernels = GROUPS[name]
    artifact = compiled(text, device)
    if device == "h200" and kernels:
        assert len(artifact.manifest.launches) == kernels
    for comparison in run_and_compare(artifact, "normal"):
        assert comparison.matches, comparison


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", CASES)
def test_what_was_joined_wrongly(name: str) -> None:
    artifact = compiled(CASES[name], "h200")
    assert len(artifact.manifest.launches) == KERNELS.get(name, 1)
    for comparison in run_and_compare(artifact):
        assert comparison.equal, comparison


@pytest.mark.full(each=["name"])
@pytest.mark.parametrize("device", ["v100", "h200", "mi300x"])
@pytest.mark.parametrize("name", NORMS)
def test_norms_of_importers_are_one_kernel(name: str, device: str) -> None:
    artifact = compiled(NORMS[name], device)
    assert len(artifact.manifest.launches) == 1
    for comparison in run_and_compare(artifact, "normal"):
        assert comparison.matches, comparison


@pytest.mark.full(every=8)
@pytest.mark.parametrize("name", GROUPS)
def test_nothing_is_joined_where_that_is_asked_for(name: str) -> None:
    text, _ = GROUPS[name]
    artifact = compiled(text, "h200", APART)
    assert len(artifact.manifest.launches) >= text.count("linalg.generic")
    for comparison in run_and_compare(artifact, "normal"):
        assert comparison.matches, comparison


@pytest.mark.full(every=20)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("device", ["a100", "mi300x"])
def test_examples(path: Path, device: str) -> None:
    for comparison in run_and_compare(compiled(path.read_text(), device), "normal"):
        assert comparison.matches, comparison


def test_a_row_that_one_unit_would_walk_alone_is_left_apart() -> None:
    text, _ = GROUPS["softmax of one row"]
    artifact = roller_mlir.compile(
        text.replace("4096", "4194304"), target="h200", options=CompileOptions(binaries=False, explain_fusion=True)
    )
    assert len(artifact.manifest.launches) > 1
    assert any("stay apart, one program would take longer" in note for note in artifact.manifest.notes)
