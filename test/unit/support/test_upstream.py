# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known about upstream passes."""

import pytest

from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.upstream import nest_for, refusal, unknown_pass, upstream_passes


def test_every_listed_pass_exists_in_the_installed_bindings() -> None:
    with ir.Context():
        missing = [name for name in upstream_passes() if unknown_pass(refusal(name) or "") is not None]
    assert missing == []
    assert list(upstream_passes()) == sorted(set(upstream_passes()))


@pytest.mark.parametrize(
    ("element", "nested"),
    [
        ("cse", "cse"),
        ("canonicalize{max-iterations=3}", "canonicalize{max-iterations=3}"),
        ("affine-loop-unroll", "func.func(affine-loop-unroll)"),
        ("convert-gpu-to-nvvm", "gpu.module(convert-gpu-to-nvvm)"),
    ],
)
def test_flags_find_their_nest(element: str, nested: str) -> None:
    assert nest_for(element) == nested


def test_reasons_are_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with ir.Context():
        assert refusal("cse") is None
        assert refusal("canonicalize{max-iterations=x}") == (
            "for the --max-iterations option: 'x' value invalid for long argument!"
        )
        assert unknown_pass(refusal("func.func(nothing)") or "") == "nothing"
    assert capfd.readouterr().err == ""


def test_works_without_a_current_context() -> None:
    assert refusal("cse") is None
