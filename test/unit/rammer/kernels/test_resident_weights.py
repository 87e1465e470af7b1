# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that stay in workgroup memory: equal to numpy, clean, loaded once, and mistakes are found."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_models import Model, equal_layers, lstm
from graph_runs import GraphRun
from role_models import layers

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.dialects import rammer
from roller_mlir.evaluation.suites.models import make_model, reference
from roller_mlir.lowering.codegen.graph.schedules import graphs_of, schedule_of, set_schedule
from roller_mlir.lowering.loops.resident_loads import ResidentLoad, resident_load
from roller_mlir.passes.rammer import keep_weights
from roller_mlir.passes.rammer.keep_weights import RammerKeepWeights
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.resident.keeping import Kept
from roller_mlir.rammer.resident.slots import Slices
from roller_mlir.sim.diagnosis.findings import SanitizerError
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.passes.pipeline import run_pipeline
from roller_mlir.tools.roller import main

FMA = {"block-threads": "64", "instructions": "fma"}


def operators_in(module: ir.Module) -> Iterator[rammer.OperatorOp]:
    for op in module.body.operations:
        if isinstance(op, rammer.OperatorOp):
            yield op


def keep_all(module: ir.Module) -> None:
    """Let all tasks keep whatever they can, whether that is predicted to gain or not."""
    for operator in operators_in(module):
        able = [one for one in operator.early if isinstance(resident_load(operator.programs[0], one), ResidentLoad)]
        if able:
            operator.attributes["resident"] = ir.DenseI64ArrayAttr.get(able)


def everything(graph: TaskGraph, units: int, room: range, *_: object) -> Kept:
    """Choose all that can stay, as the model does where it fits and gains."""
    slices = Slices.read(graph)
    assert int(slices.bytes.sum()) <= units * len(room)
    return Kept(frozenset(range(len(graph.operators))), len(slices.bytes), int(slices.bytes.sum()))


def check(graph: GraphRun, model: Model, launches: int = 2) -> None:
    _, inputs, expected, tolerance = model
    for launch in range(launches):
        for found, wanted in zip(graph.run(inputs, seed=launch), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def chain(weights: str, width: int = 64) -> Model:
    """Return a row that is multiplied by one matrix after the other, some of which are the same: as in "wwv"."""
    row, square = f"tensor<1x{width}xf32>", f"tensor<{width}x{width}xf32>"
    names = sorted({*weights})
    body = f"""
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {row}
  %i = linalg.fill ins(%zero : f32) outs(%e : {row}) -> {row}"""
    for number, weight in enumerate(weights):
        body += f"""
  %h{number + 1} = linalg.matmul ins(%h{number}, %{weight} : {row}, {square}) outs(%i : {row}) -> {row}"""
    arguments = ", ".join((f"%h0: {row}", *(f"%{name}: {square}" for name in names)))
    text = f"func.func @f({arguments}) -> {row} {{{body}\n  return %h{len(weights)} : {row}\n}}"
    rng = np.random.default_rng(8)
    x = rng.integers(-3, 4, (1, width)).astype(np.float32)
    given = {name: np.eye(width, dtype=np.float32)[rng.permutation(width)] for name in names}
    expected = x
    for weight in weights:
        expected = expected @ given[weight]
    return text, [x, *given.values()], [expected], 0.0


def slot_words(graph: GraphRun) -> list[tuple[int, int, int]]:
    """Return vEU, slot and whether it is brought, of each resident operand of each task, in the order of each vEU.

    Cells of two resident operands have them in their last two words, and so one at least.
    """
    found: list[tuple[int, int, int]] = []
    lengths = graph.table(1)[0::2]
    longest = int(lengths.max())
    for number, record in enumerate(graph.records()):
        unit, position = divmod(number, longest)
        if position < lengths[unit]:
            found.append((unit, int(record[-1]) // 2, int(record[-1]) % 2))
    return found


@pytest.mark.full(every=9)
@pytest.mark.parametrize("policy", ["list", "wavefront", "round-robin"])
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
def test_an_lstm_keeps_its_weights(device: str, policy: str) -> None:
    model = lstm(4, 2, 32)
    graph = GraphRun(model[0], device, policy=policy, look=keep_all, **FMA)
    check(graph, model)
    brought = Counter(fill for _, _, fill in slot_words(graph))
    assert brought[1] and brought[0] > brought[1]


@pytest.mark.full
@pytest.mark.parametrize("blocks", [1, 3, None])
@pytest.mark.parametrize("hidden", [1, 7, 33, 50])
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
def test_odd_sizes_keep_their_weights(device: str, hidden: int, blocks: int | None) -> None:
    model = lstm(3, 2, hidden)
    check(GraphRun(model[0], device, blocks=blocks, look=keep_all, **FMA), model)


def test_a_compiled_function_keeps_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keep_weights, "choose_kept", everything)
    text, inputs, expected, _ = chain("wvw")
    options = CompileOptions(persistent=True, binaries=False, cache=False)
    artifact = compile_source(Source("-", text), "h200", options)
    assert any("stay in the workgroup memory of" in note for note in artifact.manifest.notes)
    (found,) = artifact.run_reported(*inputs, on="sim", sanitize=True).outputs
    np.testing.assert_array_equal(found, expected[0])


@pytest.mark.full
@pytest.mark.parametrize("device", ["a100", "h200", "mi300x"])
@pytest.mark.parametrize("name", ["lstm", "seq2seq"])
def test_small_models_keep_their_weights(name: str, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keep_weights, "choose_kept", everything)
    model = make_model(name, 1, 32)
    options = CompileOptions(persistent=True, binaries=False, cache=False)
    artifact = compile_source(Source("-", model.text(f"{name}.irpa"), model.weights), device, options)
    assert any("stay in the workgroup memory of" in note for note in artifact.manifest.notes)
    inputs = model.inputs()
    found = artifact.run_reported(*inputs, on="sim", sanitize=True).outputs
    for got, right in zip(found, reference(model, inputs), strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-4, atol=1e-4)


@pytest.mark.full
def test_half_precision_is_kept_as_it_lies() -> None:
    """Weights of f16 that each layer reads again, in rows of an odd number of elements."""
    kind = "tensor<3x41xf16>", "tensor<41x41xf16>"
    body = ""
    for layer in range(3):
        source, target = (f"h{layer}" if layer else "x"), f"h{layer + 1}"
        body += f"""
  %e{layer} = tensor.empty() : {kind[0]}
  %f{layer} = linalg.fill ins(%zero : f16) outs(%e{layer} : {kind[0]}) -> {kind[0]}
  %{target} = linalg.matmul ins(%{source}, %w : {kind[0]}, {kind[1]}) outs(%f{layer} : {kind[0]}) -> {kind[0]}"""
    text = f"""func.func @f(%x: {kind[0]}, %w: {kind[1]}) -> {kind[0]} {{
  %zero = arith.constant 0.0 : f16{body}
  return %h3 : {kind[0]}
}}"""
    rng = np.random.default_rng(7)
    x = rng.integers(-1, 2, (3, 41)).astype(np.float16)
    w = np.eye(41, dtype=np.float16)[rng.permutation(41)]
    for device in ("a100", "mi300x"):
        graph = GraphRun(text, device, look=keep_all, **FMA)
        assert any(fill for _, _, fill in slot_words(graph))
        (y,) = graph.run([x, w])
        assert (y == x @ w @ w @ w).all()


def _sites(text: str, site: str) -> int:
    return text.count(f'rtile.site = "{site}"')


def test_what_is_resident_is_loaded_from_memory_only_to_be_brought() -> None:
    """One product, three times on the same weights: its body reads them in workgroup memory, and stores them there."""
    model = chain("www")
    kept, plain = (GraphRun(model[0], "h200", look=look, **FMA) for look in (keep_all, lambda module: None))
    assert _sites(plain.text, "global load arg1") and not _sites(plain.text, "workgroup store arg1")
    assert _sites(kept.text, "global load arg1") == _sites(kept.text, "workgroup store arg1") > 0
    assert _sites(kept.text, "workgroup load arg1") == _sites(plain.text, "global load arg1")
    check(kept, model)


def _spoiled(change: Callable[[rammer.GraphOp, "np.ndarray[Any, Any]", "np.ndarray[Any, Any]"], None]) -> Any:
    """Return what changes slots and fills of a schedule."""

    def spoil(module: ir.Module) -> None:
        for program in graphs_of(module):
            virtual, schedule = schedule_of(program)
            slots, fills = schedule.slots.copy(), schedule.fills.copy()
            change(program, slots, fills)
            set_schedule(program, virtual, replace(schedule, slots=slots, fills=fills))

    return spoil


def _outcome(graph: GraphRun, model: Model) -> str:
    """Return what a run shows: "finding" of the sanitizer, "wrong" results, or "right" ones."""
    _, inputs, expected, tolerance = model
    outcome = "right"
    for seed in range(2):
        graph.state[:] = 0
        try:
            found = graph.run(inputs, seed=seed)
        except SanitizerError:
            return "finding"
        same = [np.allclose(a, b, rtol=tolerance, atol=tolerance) for a, b in zip(found, expected, strict=True)]
        outcome = outcome if all(same) else "wrong"
    return outcome


def _mistakes(model: Model, kind: str, numbers: range) -> Iterator[GraphRun]:
    """Yield kernels with one mistake each."""
    for number in numbers:

        def change(program: rammer.GraphOp, slots: Any, fills: Any, number: int = number) -> None:
            brought, found = np.flatnonzero(fills), np.flatnonzero(fills == 0)
            one = int(found[(7 * number) % len(found)])
            if kind == "missing":
                fills[brought[(7 * number) % len(brought)]] = 0
            elif kind == "wrong":
                others = sorted({*slots.tolist()} - {int(slots[one])})
                slots[one] = others[(5 * number) % len(others)]
            elif kind == "empty":
                slots[one] += 1
            else:  # who finds a slice brings one there before, where another one is
                others = sorted({*slots[:one].tolist()} - {int(slots[one])})
                slots[one], fills[one] = others[(5 * number) % len(others)], 1

        yield GraphRun(model[0], "h200", blocks=3, look=keep_all, spoil=_spoiled(change), **FMA)


@pytest.mark.full(each=["kind"])
@pytest.mark.parametrize("first", [0, 3])
@pytest.mark.parametrize("kind", ["missing", "wrong", "empty", "overwritten"])
def test_a_slot_that_does_not_hold_the_slice_is_found(kind: str, first: int) -> None:
    """The proof refuses it, and a run shows it: by its results, or, where nobody brought anything, by the sanitizer.

    What is brought over a slice that nobody reads again does no harm, and is accepted.
    """
    model, refused = lstm(3, 2, 32), 0
    for graph in _mistakes(model, kind, range(first, first + 3)):
        outcome = _outcome(graph, model)
        assert bool(graph.refusal) == (outcome != "right"), (graph.refusal, outcome)
        refused += bool(graph.refusal)
        if kind == "missing":
            assert outcome == "finding"
            assert "no task before it has brought there" in graph.refusal
    assert refused >= 2


def test_slots_do_not_reach_into_what_bodies_and_records_use() -> None:
    def low(program: rammer.GraphOp, slots: Any, fills: Any) -> None:
        slots[:] -= slots.min()

    graph = GraphRun(lstm(3, 2, 32)[0], "h200", blocks=3, look=keep_all, spoil=_spoiled(low), **FMA)
    assert "keeps a slice at bytes 0 to" in graph.refusal

    def high(program: rammer.GraphOp, slots: Any, fills: Any) -> None:
        slots[:] += 1

    graph = GraphRun(lstm(3, 2, 32)[0], "h200", blocks=3, look=keep_all, spoil=_spoiled(high), **FMA)
    assert "of workgroup memory, slots have" in graph.refusal


def test_what_workgroup_memory_does_not_hold_is_refused() -> None:
    with pytest.raises(DiagnosedError, match=r"keeps \d+ slices of \d+ B in workgroup memory, which do not fit into"):
        GraphRun(chain("wwvvuu", 128)[0], "mi300x", blocks=1, look=keep_all, **FMA)


def _notes(text: str, device: str, **asked: Any) -> tuple[str, ...]:
    options = CompileOptions(persistent=True, binaries=False, cache=False, **asked)
    return compile_source(Source("-", text, None), device, options).manifest.notes


def test_what_other_pipelines_read_again_does_not_stay_and_a_remark_says_why() -> None:
    text = layers(128, (128, 128, 128), shared=True)[0]
    (note,) = (one for one in _notes(text, "h200", instructions=("wgmma",)) if "cannot stay" in one)
    assert "reads weights again that cannot stay: threads of its blocks copy for others (" in note
    asked = {"instructions": ("mma",), "block_threads": 128}
    (note,) = (one for one in _notes(text, "a100", **asked) if "cannot stay" in one)
    assert "one goes through workgroup memory tile by tile (" in note
    assert not [one for one in _notes(text, "a100", keep_weights=False, **asked) if "cannot stay" in one]


def test_weights_that_are_read_once_do_not_stay() -> None:
    """Nor is anything said of them."""
    notes = _notes(equal_layers(3, 48)[0], "a100")
    assert not [one for one in notes if "stay" in one]


def test_an_operator_is_two_where_some_of_its_applications_keep_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those on the first matrix here; results are as ever."""
    model, found = chain("wwvvw"), list[tuple[str, tuple[int, ...]]]()

    def some(graph: TaskGraph, *_: object) -> Kept:
        places = [(one.resident[0].buffer, one.resident[0].offset_bytes) for one in graph.operators]
        return Kept(frozenset(number for number, place in enumerate(places) if place == places[0]), 1, 1)

    monkeypatch.setattr(keep_weights, "choose_kept", some)

    def look(module: ir.Module) -> None:
        run_pipeline(module, [RammerKeepWeights(device="a100")])
        found.extend((one.sym_name.value, one.resident) for one in operators_in(module))
        assert all(
            (one.found_seconds is not None) == bool(one.callee.resident)
            for program in graphs_of(module)
            for one in program.applications
        )

    check(GraphRun(model[0], "a100", look=look, **FMA), model)
    assert sorted(found) == [("matmul_0", ()), ("matmul_0_kept", (1,))]


def test_the_least_where_slices_are_at_home_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two layers of one matrix: some schedule of other homes could hand less over."""
    source = tmp_path / "chain.mlir"
    source.write_text(chain("wwww")[0])
    monkeypatch.setattr(keep_weights, "choose_kept", everything)
    for arguments, wanted in (
        (("explain", "--json"), r'"home_bound_s": [0-9.e-]+'),
        (("explain",), r"of at least [0-9.]+ us( \([0-9.]+ us where its slices are at home\))?; blocks work"),
        (("timeline",), r"at its homes +at least [0-9.]+ us"),
    ):
        persistent = ("--persistent",) if arguments[0] == "explain" else ()
        assert main([*arguments[:1], str(source), *persistent, *arguments[1:]]) == 0
        out = capsys.readouterr().out
        assert re.search(wanted, out), out
        if "--json" in arguments:
            found = json.loads(out)
            assert found["bound_s"] <= found["home_bound_s"] <= found["makespan_s"]
