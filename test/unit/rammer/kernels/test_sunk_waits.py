# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits behind what does not depend on them: right, clean, in their place, and found where they sink too far."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from graph_models import MODELS, Model, lstm
from graph_runs import GraphRun
from role_models import layers

from roller_mlir.dialects import rammer
from roller_mlir.lowering.codegen.graph.tables import BODY, SUNK, WAITS
from roller_mlir.lowering.loops.early_loads import early_loads
from roller_mlir.lowering.loops.program import loads_of
from roller_mlir.sim.diagnosis.findings import SanitizerError
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

FMA = {"block-threads": "128", "instructions": "fma"}


def _operators(module: ir.Module) -> Iterator[rammer.OperatorOp]:
    for op in module.body.operations:
        if isinstance(op, rammer.OperatorOp):
            yield op


def _operands(text: str, device: str, **asked: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return operators and their early operands, and those that they load when their waits are over."""
    early: list[tuple[str, int]] = []
    late: list[tuple[str, int]] = []

    def look(module: ir.Module) -> None:
        for operator in _operators(module):
            for number in sorted({load.source.arg_number for load in loads_of(operator.programs[0].operation)}):
                (early if number in operator.early else late).append((operator.sym_name.value, number))

    GraphRun(text, device, look=look, **asked)
    return early, late


def _too_early(name: str, operand: int) -> Any:
    """Return what plants a mistake: a result of other tasks is no longer protected."""

    def plant(module: ir.Module) -> None:
        (operator,) = (one for one in _operators(module) if one.sym_name.value == name)
        operator.attributes["early"] = ir.DenseI64ArrayAttr.get(sorted({*operator.early, operand}))

    return plant


def _races(graph: GraphRun, inputs: list[Any], seed: int) -> bool:
    graph.state[:] = 0
    try:
        graph.run(inputs, seed=seed)
    except SanitizerError as error:
        assert "race" in str(error)
        return True
    return False


def _before_waits(text: str) -> list[list[str]]:
    """Return what each body of a kernel accesses before it polls: the sites of its loads and copies, one by one.

    Nothing for a body that does not poll, as its waits stand in front of it, or no task of it has any.
    """
    with make_context() as context:
        module = parse_module(text, context)
        (switch,) = (op for op in _all(module.operation) if _is_body_switch(op))
        return [_sites(region.blocks[0]) for region in switch.regions]


def _all(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from _all(inner.operation)


def _is_body_switch(op: ir.Operation) -> bool:
    return op.name == "scf.index_switch" and len(op.results) > 1  # it gives the next wait, and what bodies carry on


def _sites(block: ir.Block) -> list[str]:
    found: list[str] = []
    for op in block.operations:
        inside = [op.operation, *_all(op.operation)]
        if any(one.name == "llvm.fence" for one in inside):
            return found
        sites = [ir.StringAttr(one.attributes["rtile.site"]).value for one in inside if "rtile.site" in one.attributes]
        found += [site for site in sites if "global load" in site or "asynchronous copy" in site]
    return []


def _copies_before_waits(text: str) -> list[int]:
    """Return how many copies of boxes stand before the polls of each body of the warp that copies, if it polls."""
    with make_context() as context:
        module = parse_module(text, context)
        walks = [[region.blocks[0] for region in op.regions] for op in _all(module.operation) if _is_body_switch(op)]
        copies = [[_boxes(block) for block in walk] for walk in walks]
    (found,) = [each for each in copies if any(boxes[1] for boxes in each)]
    return [before for before, _ in found if before is not None]


def _boxes(block: ir.Block) -> tuple[int | None, int]:
    """Return the copies of boxes of a block before its first poll, None without one, and all."""
    before, count, polled = 0, 0, False
    for op in block.operations:
        inside = [op.operation, *_all(op.operation)]
        polled = polled or any(one.name == "llvm.fence" for one in inside)
        count += sum("cp.async.bulk.tensor.shared" in one.name for one in inside)
        before = before if polled else count
    return before if polled else None, count


def _run(graph: GraphRun, model: Model, launches: int = 2) -> None:
    _, inputs, expected, tolerance = model
    for launch in range(launches):
        for found, wanted in zip(graph.run(inputs, seed=launch), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.full(every=15)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
def test_what_the_model_expects_to_come_early_does(model: str, device: str) -> None:
    """Before a body polls, it accesses what `early_loads` says of its operator, and nothing where waits do not sink.

    A body polls if a task of it waits. Of a first step with points out of range, which stands in front of the loop, the
    model counts nothing.
    """
    function = MODELS[model]()
    expected: list[set[str]] = []

    def look(module: ir.Module) -> None:
        (graph,) = (op.opview for op in _all(module.operation) if op.name == "rammer.program")
        operators = {one.sym_name.value: one for one in _operators(module)}
        names = dict.fromkeys(one.attributes["callee"].value for one in graph.applications)
        loads = [early_loads(operators[name].programs[0], operators[name].early) for name in names]
        expected.extend({f"arg{one.operand}" for one in each} for each in loads)

    graph = GraphRun(function[0], device, look=look, **FMA)
    _run(graph, function)
    found = [{site.split()[-1] for site in sites} for sites in _before_waits(graph.text)]
    sunk = {int(record[BODY]) for record in graph.records() if record[SUNK]}
    polled = [(wanted, made) for body, (wanted, made) in enumerate(zip(expected, found, strict=True)) if body in sunk]
    assert {body for body, made in enumerate(found) if made} <= sunk
    assert all(wanted <= made for wanted, made in polled)
    assert sum(wanted == made for wanted, made in polled) >= len(polled) - 1
    assert sunk or model == "attention"  # whose threads read all in loops, on some devices
    assert not any(_before_waits(GraphRun(function[0], device, sink=False, **FMA).text))


@pytest.mark.full(every=75)
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("device", ["h200", "a100", "mi300x"])
def test_a_wait_that_is_sunk_too_far_is_found(device: str, model: str, part: int) -> None:
    """The proof refuses each result of a task that may be read early, and the sanitizer sees where it is."""
    text, inputs, _, _ = MODELS[model]()
    early, late = _operands(text, device, **FMA)
    assert early and late  # some results are read on the block alone that makes them, and need no wait
    before = _before_waits(GraphRun(text, device, **FMA).text)
    for name, operand in late[part::5]:
        graph = GraphRun(text, device, plant=_too_early(name, operand), **FMA)
        if graph.refusal:
            said = rf"task \d+ of '{name}.* may read before its waits are over, and so before task"
            assert re.search(said, graph.refusal)
        wrong = bool(graph.refusal) and _before_waits(graph.text) != before
        assert any(_races(graph, inputs, seed) for seed in range(4)) == wrong, (name, operand)


def test_records_say_where_waits_stand() -> None:
    """All waits of a task stand in its body, where that has early operands, and none where it has not."""
    text = lstm(2, 2)[0]
    graph = GraphRun(text, "h200", **FMA)
    waits, sunk, body = (graph.records()[:, field] for field in (WAITS, SUNK, BODY))
    sinks = np.array([bool(sites) for sites in _before_waits(graph.text)])
    assert (sunk == waits * sinks[body]).all()
    assert sunk.any() and (waits > sunk).any()
    assert not GraphRun(text, "h200", sink=False, **FMA).records()[:, SUNK].any()


@pytest.mark.full
def test_as_many_steps_of_weights_come_early_as_there_are_buffers() -> None:
    """Asynchronous copies of three steps, where the first step waits for both factors alone."""
    text, inputs, expected = layers(64, (64, 256, 64))
    asked = {"block-threads": "128", "instructions": "mma", "stages": "4", "tile-sizes": "32,32,32"}
    graph = GraphRun(text, "a100", **asked)
    (y,) = graph.run(inputs)
    assert (y == expected).all()
    first, second = _before_waits(graph.text)
    assert not first  # nothing is waited for
    assert {site for site in second if "asynchronous" in site} == {"asynchronous copy arg1"}
    rounds = second.count("asynchronous copy arg1")
    assert rounds and rounds % 3 == 0


@pytest.mark.full
def test_the_warp_that_copies_brings_weights_early() -> None:
    text, inputs, expected = layers(128, (128, 192, 64))
    asked = {"task-threads": "128", "instructions": "wgmma"}
    texts = [GraphRun(text, "h200", sink=sink, **asked).text for sink in (True, False)]
    found = [_copies_before_waits(each) for each in texts]
    assert found[0] and min(found[0]) >= 1 and not any(found[1])
    (y,) = GraphRun(text, "h200", **asked).run(inputs)
    assert (y == expected).all()


def test_results_are_not_copied_ahead_of_their_tasks() -> None:
    text, _, _ = layers(128, (128, 192, 64))
    _, late = _operands(text, "h200", **{"task-threads": "128", "instructions": "wgmma"})
    with pytest.raises(DiagnosedError, match="copies before its waits are over, ahead of the tasks of its block"):
        GraphRun(text, "h200", plant=_too_early(*late[-1]), **{"task-threads": "128", "instructions": "wgmma"})
