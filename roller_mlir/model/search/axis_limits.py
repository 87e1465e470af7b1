# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each alignment rule asks of each loop, what a program has there, and what keeps it from the next size.

Paper: ROLLER section 3.1 (alignment), Figure 5 (bank padding).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.layout import buffer_shape
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.cost.performance import predict
from roller_mlir.model.cost.traffic.layouts import layout_cost
from roller_mlir.model.explain.trace import Origin, block_problems
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.alignment import (
    AlignmentRule,
    ExecutionUnitRule,
    MemoryTransactionRule,
    TensorShapeRule,
    WindowRule,
    bank_padding,
    device_rules,
)
from roller_mlir.model.search.finish import finish
from roller_mlir.model.search.programs.direct import direct_candidates
from roller_mlir.model.tile import contiguous_loop
from roller_mlir.plan import OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import TMA128, WORKGROUP

MAX_LISTED = 256
"""Largest size that is tried when a rule's sizes are listed."""

_NAMES: tuple[tuple[type[AlignmentRule], str], ...] = (
    (ExecutionUnitRule, "execution-unit"),
    (MemoryTransactionRule, "memory-transaction"),
    (TensorShapeRule, "tensor-shape"),
    (WindowRule, "window"),
)


@dataclass(frozen=True, kw_only=True)
class RuleSizes:
    """What one rule asks along one loop.

    Attributes:
        rule: Its name.
        asks: What it asks, in words; empty where it asks nothing of this loop.
        allowed: The sizes that it allows, of those that are tried: powers of two and the extent.
        refused: The others.
        met: Whether it allows the program's size.
    """

    rule: str
    asks: str
    allowed: tuple[int, ...]
    refused: tuple[int, ...]
    met: bool


@dataclass(frozen=True, kw_only=True)
class AxisLimits:
    """One loop of a program.

    Attributes:
        axis: The loop.
        extent: Its extent.
        reduction: Whether it is reduced over.
        block: Points in one task, or one step.
        thread: Points of one thread.
        threads: Threads along it.
        padding: Share by which whole tiles exceed the extent: (S - N % S) / N.
        rules: What each rule asks.
        limit: What keeps the program from the next size, in short: "extent", "capacity", a rule's name, "prediction" or
            "construction" (no program has the next size).
        why: The same in words.
        next_size: The next size, None where there is none.
        next_seconds: What the model expects of the program with the next size, None where there is none.
    """

    axis: int
    extent: int
    reduction: bool
    block: int
    thread: int
    threads: int
    padding: float
    rules: tuple[RuleSizes, ...]
    limit: str
    why: str
    next_size: int | None
    next_seconds: float | None


@dataclass(frozen=True, kw_only=True)
class BankLayout:
    """How a staged input lies in the banks.

    Attributes:
        tensor: Its name.
        row: Elements of a row of its buffer, padding left out.
        fragment: Elements that a thread reads at once.
        element_bytes: Bytes of an element.
        pad: Elements that the layout appends to each row.
        paper_pad: Elements that the paper's formula appends.
        swizzle: How rows are permuted instead, None where they lie as they are.
        phases: Bank phases of a task's step: reads and writes of the whole tile.
        paper_phases: The same with the paper's padding, None where rows are permuted.
        unpadded_phases: The same with rows as they are, None where the instruction wants them permuted.
    """

    tensor: str
    row: int
    fragment: int
    element_bytes: int
    pad: int
    paper_pad: int
    swizzle: str | None
    phases: int | None
    paper_phases: int | None
    unpadded_phases: int | None


def rule_name(rule: AlignmentRule) -> str:
    """Return a rule's name as users give it; rules that cannot be disabled have one too."""
    for kind, name in _NAMES:
        if isinstance(rule, kind):
            return name
    raise ValueError(f"rule must be one of {', '.join(name for _, name in _NAMES)}, but got {type(rule).__name__}")


def axis_limits(
    context: ProblemContext, plan: Plan, options: ConstructOptions, epsilon: float, origin: Origin | None
) -> tuple[AxisLimits, ...]:
    """Return what limits a program along each loop.

    Args:
        context: The expression.
        plan: The program's plan, with its prediction.
        options: Those of the construction.
        epsilon: Its largest share of padding.
        origin: Where the program comes from, None for one without reuse.
    """
    expression = context.expression
    rules = device_rules(context.machine.device, epsilon, context.atom, options.disabled_rules)
    candidate = Candidate.of_plan(plan)
    stream = list(direct_candidates(context)) if origin is None else []
    found: list[AxisLimits] = []
    for loop, extent in enumerate(context.bounds):
        block = candidate.blocks[loop]
        limit, why, size, expected = _limit(context, plan, candidate, loop, rules, origin, stream)
        found.append(
            AxisLimits(
                axis=loop,
                extent=extent,
                reduction=context.reduction[loop],
                block=block,
                thread=candidate.registers[loop],
                threads=candidate.threads[loop],
                padding=(-extent % block) / extent,
                rules=tuple(_sizes(expression, rule, loop, block, context) for rule in rules),
                limit=limit,
                why=why,
                next_size=size,
                next_seconds=expected,
            )
        )
    return tuple(found)


def _sizes(
    expression: TensorExpression, rule: AlignmentRule, loop: int, block: int, context: ProblemContext
) -> RuleSizes:
    extent = expression.bounds[loop]
    tried = sorted({1 << k for k in range((min(extent, MAX_LISTED) - 1).bit_length() + 1)} | {min(extent, MAX_LISTED)})
    tried = [size for size in tried if size <= MAX_LISTED and (size < MAX_LISTED or size & (size - 1) == 0)]
    if extent <= MAX_LISTED and extent not in tried:
        tried.append(extent)
    allowed = tuple(size for size in tried if rule.allows_size(expression, loop, size))
    return RuleSizes(
        rule=rule_name(rule),
        asks=_asks(expression, rule, loop, context),
        allowed=allowed,
        refused=tuple(size for size in tried if size not in allowed),
        met=rule.allows_size(expression, loop, block),
    )


def _asks(expression: TensorExpression, rule: AlignmentRule, loop: int, context: ProblemContext) -> str:
    if isinstance(rule, ExecutionUnitRule):
        multiple = dict(rule.multiples).get(loop)
        if multiple is not None:
            return f"multiples of {multiple} ({context.atom.instruction.name})"
        return ""
    if isinstance(rule, MemoryTransactionRule):
        rows = [
            f"{access.name} in {max(1, rule.transaction_bytes // access.element_bytes)}s"
            for access in (*expression.inputs, expression.output)
            if contiguous_loop(access) == loop
        ]
        return f"rows in whole {rule.transaction_bytes} B: {', '.join(rows)}" if rows else ""
    if isinstance(rule, TensorShapeRule):
        return f"padding of at most {rule.epsilon:g} of the axis"
    return "divisors of the extent: its steps move a window" if context.steps_divide[loop] else ""


def _limit(
    context: ProblemContext,
    plan: Plan,
    candidate: Candidate,
    loop: int,
    rules: Sequence[AlignmentRule],
    origin: Origin | None,
    stream: Sequence[Candidate],
) -> tuple[str, str, int | None, float | None]:
    """Return what keeps a program from the next size along a loop, in short and in words, that size, its seconds."""
    block, extent = candidate.blocks[loop], context.bounds[loop]
    if block >= extent:
        return "extent", f"covers the loop of {extent}", None, None
    if plan.split is not None and loop == plan.split.loop and plan.split.extent <= block:
        return "extent", f"covers a part of {plan.split.extent}", None, None
    larger: Candidate | None
    if origin is not None:
        _, layer = origin.search.block_layer(origin.registers)
        tile = next((one for one in layer.next_tiles(origin.blocks) if one[loop] != block), None)
        if tile is None:
            return "construction", "the longest aligned step", None, None
        problems = block_problems(origin.search, origin.registers, tile)
        if problems:
            rule = "tensor-shape" if all("tensor shape" in one.what for one in problems) else "capacity"
            return rule, "; ".join(map(str, problems)), tile[loop], None
        larger = origin.search.make(origin.registers, tile)
        if larger is None:
            broken = [rule_name(rule) for rule in rules if not rule.allows_size(context.expression, loop, tile[loop])]
            return (broken or ["execution-unit"])[0], f"{tile[loop]} is not aligned", tile[loop], None
    else:
        same = [
            one for one in stream if one.blocks[loop] > block and _elsewhere(one, loop) == _elsewhere(candidate, loop)
        ]
        larger = min(same, key=lambda one: one.blocks[loop], default=None)
        if larger is None:
            return "construction", "no streaming program is larger here and equal elsewhere", None, None
    size = larger.blocks[loop]
    seconds = _seconds(context, plan, larger)
    if seconds is None:
        return "capacity", f"a unit cannot hold one task of {size}", size, None
    assert plan.prediction is not None
    change = seconds / plan.prediction.seconds - 1
    return "prediction", f"{size} is predicted {change:+.1%}", size, seconds


def _seconds(context: ProblemContext, plan: Plan, larger: Candidate) -> float | None:
    """Return what the model expects of another program in the place of a plan's, layouts and second stage included."""
    evaluated = estimate(context, larger)
    if evaluated is None:
        return None
    found = finish(context, evaluated)
    if plan.split is not None:
        whole = replace(found, split=plan.split, max_units=plan.max_units)
        return predict(context.expression, whole, context.machine.device).seconds
    return found.prediction.seconds if found.prediction is not None else None


def _elsewhere(candidate: Candidate, loop: int) -> tuple[int, ...]:
    return (*candidate.blocks[:loop], *candidate.blocks[loop + 1 :])


def bank_layouts(context: ProblemContext, plan: Plan) -> tuple[BankLayout, ...]:
    """Return how the staged inputs of a plan lie in the banks, beside the paper's formula."""
    banks, found = context.machine.banks, list[BankLayout]()
    for number, (access, operand) in enumerate(zip(context.expression.inputs, plan.operands, strict=True)):
        if operand.layer != WORKGROUP:
            continue
        size = access.element_bytes
        dimensions = tile_dimensions(access, [axis.block for axis in plan.axes])
        row = buffer_shape(dimensions, replace(operand, pad=0))[-1]
        asked = bank_padding(row * size, operand.fragment_vector * size, banks.count, banks.bank_bytes)
        paper = -(-asked // size)

        def phases(one: OperandPlan, number: int = number) -> int:
            operands = (*plan.operands[:number], one, *plan.operands[number + 1 :])
            cost = layout_cost(context, replace(plan, operands=operands), number)
            return cost.load_phases + cost.store_phases

        lies = operand.swizzle is None
        found.append(
            BankLayout(
                tensor=access.name,
                row=row,
                fragment=operand.fragment_vector,
                element_bytes=size,
                pad=operand.pad,
                paper_pad=paper,
                swizzle=operand.swizzle,
                phases=phases(operand) if lies or plan.atom is not None else None,
                paper_phases=phases(replace(operand, pad=paper)) if lies else None,
                unpadded_phases=phases(replace(operand, pad=0, swizzle=None)) if operand.swizzle != TMA128 else None,
            )
        )
    return tuple(found)
