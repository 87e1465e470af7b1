# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans are ordered by a residual that counts, and as without one in every other case; explanations say so."""

from dataclasses import replace
from pathlib import Path

import pytest
from planted_residuals import residual

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.cache.entries import artifact_name
from roller_mlir.hal import find_device
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.residual.file import usual_name
from roller_mlir.model.residual.residual import Residual, ResidualVerdict
from roller_mlir.model.residual.terms import plan_kind, plan_terms
from roller_mlir.plan import Access, LinearIndex, Loop, Plan, TensorExpression
from roller_mlir.plan.records.codec import to_text
from roller_mlir.tools.report.explain.text import plain_text

V100 = find_device("v100")
FMA = ("fma",)


def product(m: int, n: int, k: int) -> TensorExpression:
    """Return a product of f32 matrices."""
    a, b, c = (
        Access(name, shape, "f32", tuple(LinearIndex(tuple(int(i == loop) for i in range(3))) for loop in loops))
        for name, shape, loops in (("a", (m, k), (0, 2)), ("b", (k, n), (2, 1)), ("c", (m, n), (0, 1)))
    )
    return TensorExpression((Loop(m), Loop(n), Loop(k, reduction=True)), (a, b), c, "sum", 2, (0.0, 0.0))


PRODUCT = product(384, 768, 1024)


def plans(count: int, **options: object) -> list[Plan]:
    return construct(PRODUCT, V100, ConstructOptions(top_k=count, instructions=FMA, split=False, **options))


def against_the_first(found: list[Plan]) -> Residual:
    """Return a residual that makes every plan but the third of the model's own a thousand times slower."""
    terms = [plan_terms(plan) for plan in found]
    name = next(name for name in terms[2] if terms[2][name] < min(one[name] for i, one in enumerate(terms) if i != 2))
    others = min(one[name] for i, one in enumerate(terms) if i != 2)
    return residual(plan_kind(found[2]), V100.architecture, name, (terms[2][name] + others) / 2, 0.0, 10.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = plans(10)
    assert len({plan_kind(plan) for plan in found}) == 1
    one = against_the_first(found)
    (tmp_path / usual_name(one.kind, one.family)).write_text(to_text(one))
    return tmp_path


def test_a_residual_decides_the_order_however_many_are_asked_for(folder: Path) -> None:
    usual = plans(10)
    ordered = plans(10, residual_file=folder)
    assert ordered[0] == usual[2] and set(map(repr, ordered)) == set(map(repr, usual))
    assert ordered[0].prediction == usual[2].prediction, "predicted times stay the model's"
    assert plans(1, residual_file=folder) == ordered[:1] == plans(3, residual_file=folder)[:1]
    assert plans(12, residual_file=folder)[0] == ordered[0]


def test_without_one_the_order_is_the_model_s(folder: Path, tmp_path: Path) -> None:
    usual = plans(10)
    assert plans(10, residual=False, residual_file=folder) == usual
    assert construct(
        PRODUCT, find_device("a100"), ConstructOptions(instructions=FMA, residual_file=folder)
    ) == construct(PRODUCT, find_device("a100"), ConstructOptions(instructions=FMA))


def test_one_that_does_not_count_changes_nothing(folder: Path) -> None:
    (file,) = folder.glob("*.json")
    refused = replace(against_the_first(plans(10)), verdict=ResidualVerdict(problems=1, candidates=10), trees=None)
    other = folder / "off"
    other.mkdir()
    (other / file.name).write_text(to_text(refused))
    assert plans(10, residual_file=other) == plans(10)
    found = explain(PRODUCT, V100, ConstructOptions(instructions=FMA, split=False, residual_file=other))
    assert found.residual == (
        f"The residual of '{refused.kind}' on sm_70 is off: to judge it takes 20 problems, but there are 1."
    )


def test_explanations_say_what_a_residual_did(folder: Path) -> None:
    options = ConstructOptions(instructions=FMA, split=False, residual_file=folder)
    found = explain(PRODUCT, V100, options, families=FMA)
    assert found.residual.startswith("The residual of 'plan ppr, 2 operands, fma' on sm_70 is used, trained on 400")
    assert found.residual[:60] in plain_text(found)
    assert found.why.startswith("#1 is predicted") and "above #2, but goes first by its residual" in found.why
    assert found.compiled_rank == 1
    left_out = explain(PRODUCT, V100, replace(options, residual=False))
    assert left_out.residual == "A residual of 'plan ppr, 2 operands, fma' on sm_70 is known, and left out as asked."
    assert explain(PRODUCT, V100, replace(options, residual_file=None)).residual == ""


def test_a_malformed_file_refuses_the_construction(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text("{")
    with pytest.raises(ConstructionError, match=f"has no residual: {file}: not JSON"):
        plans(1, residual_file=file)


def test_what_a_file_holds_is_part_of_the_key_of_the_cache(folder: Path) -> None:
    def name(options: CompileOptions) -> str:
        return artifact_name("v", "module", "", "first", V100, options)

    (file,) = folder.glob("*.json")
    one, usual = CompileOptions(residual_file=str(folder)), CompileOptions()
    before = name(one)
    assert (
        before == name(CompileOptions(residual_file=str(file))) != name(usual) != name(CompileOptions(residual=False))
    )
    file.write_text(file.read_text() + " ")
    assert name(one) != before
