# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions that subtract from the accumulator, which canonicalization makes of added negations."""

import pytest

import roller_mlir
from roller_mlir import CompileOptions

from ..devices.test_each_device import SIMULATED, run_and_compare
from ..programs import generic

BODIES = {
    "an added negation": "%n = arith.negf %x0 : f32\n    %r = arith.addf %acc, %n : f32",
    "a difference": "%r = arith.subf %acc, %x0 : f32",
    "a difference of products": "%p = arith.mulf %x0, %x0 : f32\n    %r = arith.subf %acc, %p : f32",
}


@pytest.mark.full(every=6)
@pytest.mark.parametrize("device", ["h200", "mi50"])
@pytest.mark.parametrize("body", BODIES)
def test_differences_are_sums(body: str, device: str) -> None:
    """Rows that subgroups join, columns that no thread shares, and a stride that takes all threads of a task."""
    for extents, maps in (((13, 1031), ("ab", "a")), ((131, 33), ("ab", "b")), ((3, 1024), ("ab", ""))):
        for comparison in run_and_compare(
            roller_mlir.compile(generic(extents, maps, BODIES[body]), target=device, options=SIMULATED)
        ):
            assert comparison.equal, comparison


@pytest.mark.full(every=2)
@pytest.mark.parametrize("join", [False, True])
def test_a_divided_difference_adds_its_parts(join: bool) -> None:
    """The second stage adds: each part is a difference already."""
    text = generic(
        (257, 32, 9, 2), ("ac", "abcd", "bd"), "%p = arith.mulf %x0, %x1 : f32\n%r = arith.subf %acc, %p : f32"
    )
    options = CompileOptions(binaries=False, disabled_rules=("execution-unit",), join=join)
    artifact = roller_mlir.compile(text, target="v100", options=options)
    assert [name for kernel in artifact.kernels for name in kernel.plans()] == ["generic_0", "generic_0_join"]
    assert len(artifact.kernels) == (1 if join else 2)
    for comparison in run_and_compare(artifact):
        assert comparison.equal, comparison
