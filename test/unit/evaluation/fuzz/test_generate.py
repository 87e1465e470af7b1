# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs: always the same for a seed and a number, valid, and of every kind and type."""

import random
from collections import Counter

import pytest

from roller_mlir.evaluation.fuzz.case import job_of
from roller_mlir.evaluation.fuzz.generate import KINDS, MATRIX_KINDS, TYPES, make_case
from roller_mlir.evaluation.fuzz.kinds.matrix import EXTENTS, check_tf32
from roller_mlir.evaluation.fuzz.kinds.matrix import TYPES as MATRIX_TYPES
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import Info, RejectedError, judge, reduce_info
from roller_mlir.evaluation.fuzz.program.numbers import Knob, Number, value_of
from roller_mlir.evaluation.fuzz.program.program import GenericNode, elements, map_types
from roller_mlir.evaluation.fuzz.program.scalars import BodyText, acc, apply, cast, constant, x
from roller_mlir.evaluation.fuzz.program.write import InvalidProgramError, write_program
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

TARGETS = ("h200", "mi300x")


def test_a_case_is_told_by_its_seed_and_number() -> None:
    first = [job_of(make_case(3, number, TARGETS)) for number in range(50)]
    again = [job_of(make_case(3, number, TARGETS)) for number in reversed(range(50))]
    assert first == again[::-1]
    assert len({job.text for job in first}) > 45
    assert {job.target for job in first} == set(TARGETS)


def test_the_target_changes_nothing_else() -> None:
    one, other = make_case(3, 7, ("h200", "mi300x")), make_case(3, 7, ("v100",))
    assert one.program == other.program
    assert (one.target, other.target) == ("mi300x", "v100")


def test_other_seeds_give_other_programs() -> None:
    assert make_case(3, 7, TARGETS).program != make_case(4, 7, TARGETS).program


@pytest.mark.full
def test_every_kind_and_type_is_drawn() -> None:
    cases = [make_case(0, number, TARGETS) for number in range(1500)]
    assert set(Counter(case.kind for case in cases)) == {kind for kind, weight in KINDS.items() if weight}
    found = {element for case in cases for element in elements(case.program)}
    assert found >= {element for (pair, _) in TYPES for element in pair}
    ranks = {len(kind.shape) for case in cases for node in case.program.nodes for kind in node.types}
    assert ranks >= set(range(7))
    assert any(len(case.program.results) > 1 for case in cases)
    assert any(case.forced.rank for case in cases)


def test_programs_are_valid_mlir() -> None:
    with make_context() as context:
        for number in range(200):
            parse_module(job_of(make_case(1, number, TARGETS)).text, context)


def test_numbers_are_formulas_over_knobs() -> None:
    out, size = Number("knob", (0,)), Number("knob", (1,))
    image = (out - 1) * 2 + size
    assert value_of(image, [Knob(5), Knob(3)]) == 11
    assert value_of((image - size) // 2 + 1, [Knob(5), Knob(3)]) == 5
    assert value_of(1 + 2 * out - (7 - size), [Knob(5), Knob(3)]) == 7


@pytest.mark.parametrize(
    ("inputs", "output", "wanted"),
    [
        ("f32", "f32", ["arith.mulf", "arith.addf"]),
        ("f16", "f32", ["arith.extf", "arith.mulf", "arith.addf"]),
        ("i8", "i32", ["arith.extsi", "arith.muli", "arith.addi"]),
        ("i32", "i32", ["arith.muli", "arith.addi"]),
        ("bf16", "f16", ["arith.extf", "arith.truncf", "arith.mulf", "arith.addf"]),
        ("f32", "i8", ["arith.fptosi", "arith.muli", "arith.addi"]),
    ],
)
def test_bodies_are_spelled_by_their_types(inputs: str, output: str, wanted: list[str]) -> None:
    body = BodyText([inputs], [output])
    value = cast(x(0), output)
    body.name(apply("add", acc(), apply("mul", value, value)))
    assert [line.split(" = ")[1].split(" ")[0] for line in body.lines] == wanted


def test_an_exponential_of_a_large_value_is_no_test() -> None:
    b = Builder(random.Random(0), "integers", 1000)
    extent = b.knob(4)
    at = [b.loop(0, 1)]
    body = apply("exp", apply("mul", x(0), constant(100, "f32")))
    with pytest.raises(RejectedError, match="exponential"):
        b.generic([extent], [(b.argument([extent], "f32"), at)], [(b.fill([extent], "f32"), [0])], [body])


def test_a_comparison_of_what_is_rounded_is_no_test() -> None:
    b = Builder(random.Random(0), "normal", 1000)
    extent = b.knob(4)
    body = apply("select", apply("gt", apply("tanh", x(0)), constant(0, "f32")), x(0), constant(0, "f32"))
    with pytest.raises(RejectedError, match="not exact"):
        b.generic([extent], [(b.argument([extent], "f32"), [b.loop(0, 1)])], [(b.fill([extent], "f32"), [0])], [body])


def test_a_read_outside_of_a_tensor_is_no_program() -> None:
    b = Builder(random.Random(0), "integers", 1000)
    extent = b.knob(4)
    given = b.argument([b.knob(3)], "f32")
    ref = b.generic([extent], [(given, [b.loop(0, 1)])], [(b.fill([extent], "f32"), [0])], [apply("neg", x(0))])
    with pytest.raises(InvalidProgramError, match="index 0 to 3 is outside of 3 elements"):
        write_program(b.program([ref]))


def test_types_are_replaced_in_bodies_too() -> None:
    case = next(case for number in range(500) if "f16" in elements((case := make_case(5, number, TARGETS)).program))
    text = write_program(map_types(case.program, {"f16": "f32"}))
    assert "f16" not in text.replace("bf16", "")


def test_sums_are_exact_as_long_as_the_type_holds_them() -> None:
    point = Info(16.0)
    assert reduce_info("add", point, Info(0.0), 128, "f16").same
    assert not reduce_info("add", point, Info(0.0), 129, "f16").same
    assert reduce_info("add", point, Info(0.0), 1 << 20, "f32").same
    assert not reduce_info("add", Info(6.0, True, False), Info(0.0), 2, "f32").same, "no whole numbers"
    assert reduce_info("max", Info(6.0, True, False), Info(0.0), 1000, "f32").same
    assert reduce_info("add", point, Info(0.0), 1 << 40, "i32").same, "integers wrap alike"


def test_some_kinds_only_are_drawn() -> None:
    cases = [make_case(2, number, TARGETS, only=("matrix*",)) for number in range(400)]
    assert {case.kind for case in cases} == set(MATRIX_KINDS)
    assert cases[7] == make_case(2, 7, TARGETS, only=("matrix*",))
    assert {case.values for case in cases} == {"integers", "signs", "normal"}
    assert {case.kind for case in (make_case(2, n, TARGETS, only=("soft*", "tree")) for n in range(40))} == {
        "softmax",
        "tree",
    }


def test_products_for_matrix_units_are_of_every_type_and_extent() -> None:
    cases = [make_case(2, number, TARGETS, only=("matrix*",)) for number in range(400)]
    found = {element for case in cases for element in elements(case.program)}
    assert found >= {element for (pair, _) in MATRIX_TYPES for element in pair} - {"tf32"}
    plain = [case.program for case in cases if case.kind == "matrix product"]
    extents = {knob.value for program in plain for knob in program.knobs}
    assert extents >= set(EXTENTS)
    assert any(case.forced.allow_tf32 for case in cases)
    assert {case.forced.stages for case in cases if case.forced.families} == {0, 1, 2, 3, 4}
    assert any(case.forced.families and case.forced.tile_seed is not None for case in cases)
    assert any(not case.forced.families for case in cases)


def test_factors_that_tf32_rounds_are_not_said_to_be_exact() -> None:
    b = Builder(random.Random(0), "integers", 1000)
    m, k = b.knob(4), b.knob(4)
    at = [b.loop(0, 2)], [b.loop(1, 2)]
    whole = b.generic(
        [m], [(b.argument([m], "f32"), [b.loop(0, 1)])], [(b.fill([m], "f32"), [0])],
        [apply("mul", x(0), constant(1000, "f32"))],
    )  # fmt: skip
    product = apply("mul", x(0), x(1))
    b.generic(
        [m, k], [(whole, at[0]), (b.argument([k], "f32"), at[1])], [(b.fill([m], "f32", 0.0), [0])], [product], ["add"]
    )
    assert isinstance(b.nodes[-1], GenericNode)
    with pytest.raises(RejectedError, match="tf32"):
        check_tf32(b)


def test_values_on_the_way_stay_within_their_type() -> None:
    square = apply("mul", x(0), x(0))
    assert judge(square, [Info(100.0)], [], (["f16"], []), 1).bound == 10000
    with pytest.raises(RejectedError, match=r"values up to 90000.0 in f16"):
        judge(cast(square, "f32"), [Info(300.0)], [], (["f16"], []), 1)
