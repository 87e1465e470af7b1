# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing case smaller, step by step, as long as it fails in the same way.

Steps, each tried where the program has something of the kind: force less; return one result; return what an op reads
instead of its result; read an argument instead of what an op gives; leave an op out; turn a number (extent, stride,
dilation, padding) down; leave a part of a body out; read less; start from a fill; compute in f32.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from roller_mlir.evaluation.fuzz.case import Case, job_of
from roller_mlir.evaluation.fuzz.jobs.job import FuzzJob, FuzzOutcome
from roller_mlir.evaluation.fuzz.program.program import (
    ArgumentNode,
    DenseNode,
    FillNode,
    GenericNode,
    Node,
    Program,
    Ref,
    elements,
    map_types,
    replace_refs,
    with_node,
    without_unused,
)
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, rewrite, subexpressions
from roller_mlir.evaluation.fuzz.program.write import InvalidProgramError


def shrink(
    case: Case, outcome: FuzzOutcome, run: Callable[[FuzzJob], FuzzOutcome], budget_s: float
) -> tuple[Case, FuzzOutcome]:
    """Return the smallest case that was found to fail in the same way.

    Args:
        case: One that fails.
        outcome: How.
        run: Tries a job.
        budget_s: Time after which the best is returned.
    """
    until = time.monotonic() + budget_s
    tried: set[FuzzJob] = set()
    progress = True
    while progress:
        progress = False
        for smaller in _candidates(case):
            if time.monotonic() > until:
                return case, outcome
            try:
                job = job_of(smaller)
            except InvalidProgramError:
                continue
            if job in tried:
                continue
            tried.add(job)
            found = run(job)
            if found.same_failure(outcome):
                case, outcome, progress = smaller, found, True
                break
    return case, outcome


def _candidates(case: Case) -> Iterator[Case]:
    program = case.program
    for forced in case.forced.simpler():
        yield replace(case, forced=forced)
    yield from _fewer_results(case)
    for smaller in _fewer_ops(program):
        yield replace(case, program=without_unused(smaller))
    for number, knob in enumerate(program.knobs):
        for value in dict.fromkeys((knob.least, 2, 3, knob.value // 2, knob.value - 1)):
            if knob.least <= value < knob.value:
                knobs = (*program.knobs[:number], replace(knob, value=value), *program.knobs[number + 1 :])
                yield replace(case, program=replace(program, knobs=knobs))
    for number, node in enumerate(program.nodes):
        for smaller in _simpler(program, number, node):
            yield replace(case, program=without_unused(smaller))
    for kind in sorted(elements(program) & {"f64", "f16", "bf16"}):
        yield replace(case, program=map_types(program, {kind: "f32"}))
    if "i8" in elements(program):
        yield replace(case, program=map_types(program, {"i8": "i32"}))
    if case.values == "normal":
        yield replace(case, values="integers")


def _fewer_results(case: Case) -> Iterator[Case]:
    program = case.program
    if len(program.results) != 1:
        for number, ref in enumerate(program.results):
            fewer = without_unused(replace(program, results=(ref,)))
            yield replace(case, program=fewer, exact=(case.exact[number],))
        return
    number, _ = program.results[0] if program.results else (0, 0)
    for operand in program.nodes[number].reads:
        if not isinstance(program.nodes[operand[0]], ArgumentNode | FillNode | DenseNode):
            yield replace(case, program=without_unused(replace(program, results=(operand,))))


def _fewer_ops(program: Program) -> Iterator[Program]:
    for number in reversed(range(len(program.nodes))):
        node = program.nodes[number]
        if isinstance(node, ArgumentNode | DenseNode | FillNode):
            continue
        if len(node.types) == 1 and (number, 0) not in program.results:
            yield with_node(program, number, ArgumentNode(types=node.types))
        for operand in node.operands:
            empty = program.nodes[operand[0]] == FillNode(types=node.types)
            if program.type_of(operand) == node.types[0] and len(node.types) == 1 and not empty:
                yield _redirect(program, (number, 0), operand)


def _redirect(program: Program, old: Ref, new: Ref) -> Program:
    """Let everything read `new` instead of `old`."""
    nodes = replace_refs(program.nodes, lambda ref: new if ref == old else ref)
    return replace(program, nodes=nodes, results=tuple(new if ref == old else ref for ref in program.results))


def _simpler(program: Program, number: int, node: Node) -> Iterator[Program]:
    if isinstance(node, DenseNode):
        yield with_node(program, number, ArgumentNode(types=node.types))
    if not isinstance(node, GenericNode):
        return
    results = len(node.types)
    inputs = len(node.operands) - results
    for result, start in enumerate(node.operands[inputs:]):
        if isinstance(program.nodes[start[0]], ArgumentNode | DenseNode) and len(node.types) == 1:
            yield with_node(program, start[0], FillNode(types=program.nodes[start[0]].types, value=0.0))
        for whole in subexpressions(node.body[result]):
            for part in whole.parts:
                if whole.op in ("cast", "extract", "gt", "lt", "ge", "eq") or part.op in ("gt", "lt", "ge", "eq"):
                    continue
                body = rewrite(node.body[result], lambda one, whole=whole, part=part: part if one == whole else None)
                if any(one.op == "acc" for one in subexpressions(body)) or not node.reductions():
                    changed = (*node.body[:result], body, *node.body[result + 1 :])
                    yield with_node(program, number, replace(node, body=changed))
    used = {int(one.value) for scalar in node.body for one in subexpressions(scalar) if one.op == "x"}
    for unused in set(range(inputs)) - used:
        yield with_node(program, number, _without_input(node, unused))
    if results > 1:
        yield from _without_results(program, number, node, inputs)


def _without_input(node: GenericNode, number: int) -> GenericNode:
    def renumber(one: Scalar) -> Scalar | None:
        return replace(one, value=one.value - 1) if one.op == "x" and one.value > number else None

    return replace(
        node,
        operands=(*node.operands[:number], *node.operands[number + 1 :]),
        maps=(*node.maps[:number], *node.maps[number + 1 :]),
        body=tuple(rewrite(scalar, renumber) for scalar in node.body),
    )


def _without_results(program: Program, number: int, node: GenericNode, inputs: int) -> Iterator[Program]:
    """Keep one result only, where nothing uses the others and no accumulator depends on another."""
    used = {ref for other in program.nodes for ref in other.reads} | set(program.results)
    for kept in range(len(node.types)):
        others = [(number, other) for other in range(len(node.types)) if other != kept]
        read = {int(one.value) for one in subexpressions(node.body[kept]) if one.op == "acc"}
        if used & set(others) or not read <= {kept}:
            continue
        body = rewrite(node.body[kept], lambda one: replace(one, value=0) if one.op == "acc" else None)
        alone = replace(
            node,
            operands=(*node.operands[:inputs], node.operands[inputs + kept]),
            maps=(*node.maps[:inputs], node.maps[inputs + kept]),
            types=(node.types[kept],),
            body=(body,),
        )
        yield _redirect(with_node(program, number, alone), (number, kept), (number, 0))
