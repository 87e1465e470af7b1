# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The alignment rules at work: each one alone in the list of a device, left out of it, and in what is constructed."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_expressions import CASES, QUICK, conv2d, expressions, matmul, typed

from roller_mlir.hal import find_device
from roller_mlir.mapping.resources import plan_resources
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.alignment import (
    RULES,
    AlignmentRule,
    ExecutionUnitRule,
    MemoryTransactionRule,
    TensorShapeRule,
    WindowRule,
    allowed,
    device_rules,
)
from roller_mlir.model.search.construct import construction
from roller_mlir.model.search.programs.tiled import TiledSearch
from roller_mlir.model.tile import contiguous_loop
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP

DEVICES = ("v100", "h200", "mi300x")
SCALAR = ("fma", "packed_fma")
KINDS = {
    "execution-unit": ExecutionUnitRule,
    "memory-transaction": MemoryTransactionRule,
    "tensor-shape": TensorShapeRule,
}


@QUICK
@given(st.sampled_from(["v100", "k80", "mi50", "h200", "mi300x", "ipu-gc2"]), st.integers(1, 4096))
def test_execution_unit_wants_whole_subgroups_within_the_limit(name: str, threads: int) -> None:
    device = find_device(name)
    rule = ExecutionUnitRule.of(device)
    whole = threads in range(device.subgroup_size, device.max_threads_per_block + 1, device.subgroup_size)
    assert rule.allows_threads(threads) == whole
    assert rule.allows_size(CASES["1000x1000x1020"], 0, threads), "no instruction, no shape"


@pytest.mark.parametrize(
    ("name", "shape"), [("v100", (16, 16, 16)), ("a100", (16, 8, 16)), ("h200", (64, 64, 64)), ("2080ti", (16, 8, 8))]
)
def test_execution_unit_wants_whole_instructions(name: str, shape: tuple[int, int, int]) -> None:
    """Where tensor copies bring the factors, tiles are whole lines of 128 bytes, too."""
    device, expr = find_device(name), typed(matmul(512, 512, 512), "f16", "f32")
    atom = atoms(expr, device)[0]
    rule = ExecutionUnitRule.of(device, atom)
    for loop, extent in enumerate(shape):
        assert {size for size in range(1, 257) if rule.allows_size(expr, loop, size)} == set(range(extent, 257, extent))
    batched = typed(CASES["batch"], "f16", "f32")
    atom = atoms(batched, device)[0]
    assert ExecutionUnitRule.of(device, atom).allows_size(batched, 0, 1), "a batch loop is none of the matrix's"


@QUICK
@given(expressions(windows=False), st.sampled_from([16, 32, 64]), st.integers(1, 48), st.data())
def test_memory_transaction_wants_whole_transactions_or_whole_rows(
    expr: TensorExpression, transaction: int, size: int, data: st.DataObject
) -> None:
    loop = data.draw(st.integers(0, len(expr.loops) - 1))
    rows = [access for access in (*expr.inputs, expr.output) if contiguous_loop(access) == loop]
    cut = size < expr.bounds[loop] and any(4 * size % transaction for _ in rows)
    assert MemoryTransactionRule(transaction).allows_size(expr, loop, size) == (not cut)


def test_memory_transaction_counts_bytes() -> None:
    """8 elements of f32, 16 of f16, 4 of f64 are 32 B."""
    for element, least in (("f16", 16), ("f32", 8), ("f64", 4)):
        expr = typed(matmul(64, 64, 64), element, element)
        sizes = [size for size in range(1, 64) if MemoryTransactionRule(32).allows_size(expr, 1, size)]
        assert sizes == list(range(least, 64, least))


@QUICK
@given(st.integers(1, 300), st.integers(1, 400), st.sampled_from([0.0, 0.1, 0.5, 1.0, 4.0]))
def test_tensor_shape_is_the_papers_formula(extent: int, size: int, epsilon: float) -> None:
    """(S - N % S) / N <= epsilon, and nothing to pad where S divides N."""
    padding = -extent % size
    assert TensorShapeRule(epsilon).allows_size(matmul(extent, 4, 4), 0, size) == (padding / extent <= epsilon)


def test_window_steps_divide_their_loop() -> None:
    """A partial step of the 5 filter rows would read another window's rows; output rows and channels may be partial."""
    expr = conv2d(1, 9, 6, 4, 5)
    allowed_sizes = {loop: [s for s in range(1, 10) if WindowRule().allows_size(expr, loop, s)] for loop in range(7)}
    assert allowed_sizes[4] == allowed_sizes[5] == [1, 5]
    for loop in (0, 1, 2, 3, 6):
        assert allowed_sizes[loop] == list(range(1, 10))


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("disabled", ["", *RULES])
def test_a_disabled_rule_and_no_other_is_left_out(name: str, disabled: str) -> None:
    device = find_device(name)
    atom = atoms(typed(matmul(512, 512, 512), "f16", "f32"), device)[0]
    every = device_rules(device, 0.25, atom)
    assert {type(rule) for rule in every} == {*KINDS.values(), WindowRule}
    transaction = device.layer("global").transaction_bytes or 1
    assert MemoryTransactionRule(transaction, max(32, min(64, transaction))) in every, "half a line of a matrix's step"
    assert TensorShapeRule(0.25) in every
    left = device_rules(device, 0.25, atom, (disabled,) if disabled else ())
    if disabled == "execution-unit":
        unit = next(rule for rule in left if isinstance(rule, ExecutionUnitRule))
        assert unit.allows_threads(device.subgroup_size + 1)
        assert not unit.allows_threads(device.max_threads_per_block + 1), "the limit stays"
        assert unit.multiples == ExecutionUnitRule.of(device, atom).multiples, "so does the instruction's shape"
        left = tuple(rule for rule in left if rule is not unit)
    dropped = KINDS.get(disabled)
    assert set(left) == {rule for rule in every if dropped is None or not isinstance(rule, dropped)}


OPERATORS = ("37x211x53", "1000x1000x1020", "conv", "row_sum_odd", "transpose")


def check_legal(expr: TensorExpression, plan: Plan, name: str) -> None:
    """Check the limits that no option lifts."""
    device = find_device(name)
    assert 1 <= plan.threads <= device.max_threads_per_block
    prediction = plan.prediction
    assert prediction is not None
    assert prediction.seconds > 0
    assert min(prediction.seconds_by_layer.values()) >= 0
    assert 0 <= prediction.shared_bytes <= device.max_workgroup_bytes_per_block
    assert 1 <= prediction.registers <= device.max_registers_per_thread
    assert prediction.tasks_per_unit >= 1
    if plan.split is None and plan.instruction == "fma":
        resources = plan_resources(expr, plan, device)
        assert resources.workgroup_bytes == prediction.shared_bytes
        assert resources.tasks_per_unit == prediction.tasks_per_unit
    for loop in expr.reductions():
        windows = any(i.coefficients[loop] and len(i.terms()) > 1 for a in expr.inputs for i in a.indices)
        assert not windows or expr.bounds[loop] % plan.axes[loop].block == 0, "windows are no matter of taste"


@pytest.mark.full(every=6)
@pytest.mark.parametrize("disabled", [*((rule,) for rule in RULES), RULES], ids=[*RULES, "all"])
@pytest.mark.parametrize("name", DEVICES)
def test_plans_without_a_rule_are_legal(name: str, disabled: tuple[str, ...]) -> None:
    for operator in OPERATORS:
        expr = CASES[operator]
        plans = construct(expr, find_device(name), ConstructOptions(top_k=4, disabled_rules=disabled))
        assert plans
        for plan in plans:
            check_legal(expr, plan, name)
            if "memory-bank" in disabled:
                assert all(operand.pad == 0 and operand.swizzle is None for operand in plan.operands)


def tiled(expr: TensorExpression, name: str, disabled: tuple[str, ...] = ()) -> list[tuple[tuple[int, ...], int]]:
    """Return blocks and threads of all programs that the recursion finds within epsilon 0.5."""
    facts = ProblemContext(expr, machine_of(find_device(name)))
    search = TiledSearch(facts, device_rules(find_device(name), 0.5, facts.atom, disabled))
    return [(program.blocks, program.thread_count) for program in search.programs()]


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("key", list(KINDS))
def test_each_rule_shapes_the_programs_and_is_gone_when_disabled(name: str, key: str) -> None:
    """Of an odd product of f16: all programs obey a rule, and without the rule some do not.

    Steps of 8 points of f16 are half a transaction.
    """
    columns = 72 if key == "tensor-shape" else 130
    expr, device = typed(matmul(1001, columns, 1020), "f16", "f16"), find_device(name)
    rules: dict[str, AlignmentRule] = {
        "execution-unit": ExecutionUnitRule.of(device),
        "memory-transaction": MemoryTransactionRule(device.layer("global").transaction_bytes or 0),
        "tensor-shape": TensorShapeRule(0.5),
    }
    loops = (0, 1) if key == "tensor-shape" else (0, 1, 2)

    def obeys(program: tuple[tuple[int, ...], int]) -> bool:
        (blocks, threads), rule = program, rules[key]
        return rule.allows_threads(threads) and all(rule.allows_size(expr, loop, blocks[loop]) for loop in loops)

    every = tiled(expr, name)
    assert every
    assert all(map(obeys, every))
    assert not all(map(obeys, tiled(expr, name, (key,))))


def test_forced_plans_are_padded_only_with_the_bank_rule() -> None:
    staged = 0
    for plan in construct(
        matmul(512, 512, 512), find_device("v100"), ConstructOptions(disabled_rules=("memory-bank",))
    ):
        staged += sum(operand.layer == WORKGROUP for operand in plan.operands)
        assert all(operand.pad == 0 for operand in plan.operands)
    assert staged


def padding(expr: TensorExpression, plan: Plan) -> float:
    """Return the largest share by which whole tiles exceed a parallel loop."""
    return max(-expr.bounds[i] % plan.axes[i].block / expr.bounds[i] for i in expr.parallel())


@pytest.mark.parametrize("name", DEVICES)
def test_epsilon_grows_until_there_are_programs(name: str) -> None:
    """3x5 results: threads in powers of two and whole subgroups exceed half of an axis; larger ones do not grow it."""
    device = find_device(name)
    small = matmul(3, 5, 64)
    found = construction(small, device)
    assert found.epsilon > 0.5
    assert found.plans
    large = construction(matmul(1024, 1024, 64), device)
    assert large.epsilon == 0.5
    for expr, one in ((small, found), (matmul(1024, 1024, 64), large)):
        for plan in one.plans:
            if plan.split is None and any(operand.layer == WORKGROUP for operand in plan.operands):
                assert padding(expr, plan) <= one.epsilon


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", DEVICES)
def test_epsilon_grows_only_as_far_as_k_asks(name: str) -> None:
    """The more programs are asked for, the larger epsilon; within 0.5 the plans are padded by no more."""
    expr, device = matmul(17, 33, 256), find_device(name)
    found = [construction(expr, device, ConstructOptions(top_k=k, instructions=SCALAR)) for k in (1, 10, 90)]
    grown = [one.epsilon for one in found]
    assert grown == sorted(grown)
    assert grown[0] == 0.5 < grown[-1]
    assert [len(one.plans) for one in found[:2]] == [1, 10]
    for plan in found[0].plans:
        assert plan.split is not None or padding(expr, plan) <= 0.5 or plan.operands[0].layer != WORKGROUP


def test_epsilon_starts_where_it_is_told() -> None:
    """With 0.0 the first tiles are exact: 96 = 3 * 32 has ten of them, 97 has none."""
    device = find_device("v100")
    exact = construction(matmul(96, 96, 96), device, ConstructOptions(epsilon=0.0, top_k=4, split=False))
    assert exact.epsilon == 0.0
    assert all(padding(matmul(96, 96, 96), plan) == 0.0 for plan in exact.plans)
    prime = construction(matmul(97, 97, 97), device, ConstructOptions(epsilon=0.0, top_k=4, split=False))
    assert prime.epsilon >= 1.0


def test_rules_that_no_size_obeys_leave_a_clear_error_or_a_plan() -> None:
    """A device without workgroup memory to speak of: an error that names it, whichever rules are on."""
    tiny = replace(find_device("h200"), max_workgroup_bytes_per_block=512, static_workgroup_bytes=512)
    for rule in RULES:
        with pytest.raises(ConstructionError, match="512 B"):
            construct(matmul(512, 512, 512), tiny, ConstructOptions(disabled_rules=(rule,)))


def test_allowed_asks_every_rule() -> None:
    expr = matmul(100, 96, 64)
    rules = (MemoryTransactionRule(32), TensorShapeRule(0.0))
    assert [size for size in range(1, 97) if allowed(rules, expr, 1, size)] == [8, 16, 24, 32, 48, 96]
