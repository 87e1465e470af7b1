# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes read of a module is read once, and again as soon as it may say something else."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, fail, parse_module
from roller_mlir.support.passes.analyses import Analysis, analysis, drop_analyses, keeping_analyses
from roller_mlir.support.passes.passes import Pass
from roller_mlir.support.passes.pipeline import Step, run_pipeline

SOURCE = """func.func @f(%a: i32) -> i32 {
  %dead = arith.addi %a, %a : i32
  return %a : i32
}
"""

read: list[int] = []


def operations(module: "ir.Module") -> int:
    """Return how many operations a module's only function has, and note that it was asked."""
    function: Any = module.body.operations[0]
    read.append(len(function.regions[0].blocks[0].operations))
    return read[-1]


@dataclass(frozen=True, kw_only=True)
class Looks(Pass):
    """Reads the module and preserves what it read; or fails behind that."""

    name: ClassVar[str] = "looks"
    summary: ClassVar[str] = "read the module"
    preserves: ClassVar[frozenset[Analysis]] = frozenset({operations})

    fails: bool = False

    def run(self, module: "ir.Module") -> None:
        analysis(operations, module)
        if self.fails:
            fail(module.operation, "refused")


@dataclass(frozen=True, kw_only=True)
class Changes(Looks):
    """Reads the module and preserves nothing."""

    preserves: ClassVar[frozenset[Analysis]] = frozenset()


@pytest.fixture
def module() -> "ir.Module":
    read.clear()
    return parse_module(SOURCE, make_context())


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([Looks(), Looks(), Changes()], [2]),
        ([Changes(), Looks(), Looks()], [2, 2]),
        ([Looks(), "canonicalize", Looks()], [2, 1]),
        (["canonicalize", Looks(), Looks()], [1]),
    ],
)
def test_it_is_read_once_until_a_pass_does_not_preserve_it(
    module: "ir.Module", steps: list[Step], expected: list[int]
) -> None:
    run_pipeline(module, steps)
    assert read == expected


def test_pipelines_that_follow_each_other_share_it_where_this_is_asked(module: "ir.Module") -> None:
    run_pipeline(module, [Looks()])
    run_pipeline(module, [Looks()])
    assert read == [2, 2]
    read.clear()
    with keeping_analyses():
        assert analysis(operations, module) == 2
        run_pipeline(module, [Looks()])
        assert read == [2]
        run_pipeline(module, ["canonicalize"])
        run_pipeline(module, [Looks()])
        assert read == [2, 1]


def test_a_pass_that_fails_preserves_nothing(module: "ir.Module") -> None:
    with keeping_analyses():
        with pytest.raises(DiagnosedError, match="refused"):
            run_pipeline(module, [Looks(), Looks(fails=True)])
        assert analysis(operations, module) == 2
    assert read == [2, 2]


def test_each_module_has_its_own(module: "ir.Module") -> None:
    other = parse_module(SOURCE.replace("  %dead = arith.addi %a, %a : i32\n", ""), make_context())
    with keeping_analyses():
        assert [analysis(operations, one) for one in (module, other, module)] == [2, 1, 2]
        drop_analyses({operations})
        assert analysis(operations, module) == 2
    assert read == [2, 1, 2]
