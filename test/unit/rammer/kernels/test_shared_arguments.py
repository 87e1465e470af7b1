# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal operators on other arguments share a body in a persistent kernel, and each works on its own."""

import numpy as np
import pytest
from graph_models import attention, branches, equal_layers, lstm
from graph_runs import GraphRun
from role_models import layers
from test_verify_pass import operator

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.dialects import rammer
from roller_mlir.lowering.codegen.graph.tables import BODY, OPERANDS
from roller_mlir.passes.rammer.schedule import RammerSchedule
from roller_mlir.passes.rammer.verify import RammerVerify
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.sim.diagnosis.findings import SanitizerError
from roller_mlir.support.bindings import func, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

DEVICES = ["a100", "h200", "mi300x"]
FMA = {"block-threads": "64", "instructions": "fma"}
MODELS = {
    "layers": (lambda: equal_layers(4), 1),
    "branches": (lambda: branches((32,) * 4), 3),  # both products of each, and their sum
    "lstm": (lambda: lstm(2, 2, 16), 5),
    "attention": (attention, 4),
}
"""Each with its bodies."""
FURTHER = {("attention", "h200"): 1}
"""Bodies beside these: keys are transposed by their product there, not by who reads them."""


@pytest.mark.full(every=12)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", MODELS)
def test_bodies(name: str, device: str) -> None:
    model, bodies = MODELS[name]
    text, inputs, expected, tolerance = model()
    graph = GraphRun(text, device, **FMA)
    assert graph.records()[:, BODY].max() + 1 == bodies + FURTHER.get((name, device), 0)
    for launch in range(2):
        for found, wanted in zip(graph.run(inputs, seed=launch), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["mi300x", "h200"])
def test_as_llvm_ir(device: str) -> None:
    text, inputs, expected, _ = equal_layers()
    options = CompileOptions(persistent=True, binaries=False, llvm=True, block_threads=64)
    artifact = roller_mlir.compile(text, target=device, options=options)
    assert "3 operators by 1 bodies" in "\n".join(artifact.manifest.notes)
    loaded = LoadedSequence(artifact.manifest, artifact.files, find_backend("sim", {"level": "llvm", "seed": 1}))
    assert (loaded.run(inputs).outputs[0] == expected[0]).all()


def test_tensor_maps_of_other_arguments() -> None:
    """The producer takes the map of the argument that the record names."""
    text, inputs, expected = layers(128, (128,) * 4)
    graph = GraphRun(text, "h200", instructions="wgmma", fusion="false", **{"task-threads": "128"})
    assert "wgmma.mma_async" in graph.text
    assert graph.records()[:, BODY].max() == 0
    for launch in range(2):
        (y,) = graph.run(inputs, seed=launch)
        assert (y == expected).all()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("roles", [False, True])
def test_a_wrong_argument_in_a_record(roles: bool) -> None:
    """Operands are an input or a view, weights, and a view or the output: each other choice is seen."""
    if roles:
        text, inputs, expected = layers(128, (128,) * 4)
        graph = GraphRun(text, "h200", instructions="wgmma", fusion="false", **{"task-threads": "128"})
    else:
        text, inputs, (expected,), _ = equal_layers()
        graph = GraphRun(text, "h200", **FMA)
    records = graph.records()
    words = records[:, OPERANDS : OPERANDS + 3].copy()
    for operand in range(3):
        one, other = (int(each) for each in np.unique(words[:, operand])[:2])
        records[words[:, operand] == one, OPERANDS + operand] = other
        graph.state[:] = 0
        try:
            (y,) = graph.run(inputs)
            assert not (y == expected).all()
        except SanitizerError as error:
            assert operand != 1, error  # all weights may be read at any time
        records[:, OPERANDS : OPERANDS + 3] = words
    graph.state[:] = 0
    assert (graph.run(inputs)[0] == expected).all()


def test_the_proof_knows_the_argument() -> None:
    """Two operators of one body need no wait where they write different arguments, and race where they write one."""
    memref = "memref<64xf32>"
    roles = ", ".join(f'%{name}: {memref} {{rtile.role = "{role}"}}' for name, role in
                      (("a", "input"), ("r", "output"), ("s", "output")))  # fmt: skip
    applied = "".join(f'"rammer.apply"(%a, %{name}) {{callee = @add}} : ({memref}, {memref}) -> ()\n' for name in "rs")
    text = f"""{operator("add")}
func.func @main({roles}) {{
  "rammer.program"() ({{
{applied}
  }}) {{sym_name = "main"}} : () -> ()
  return
}}"""
    with make_context() as context:
        module = parse_module(text, context)
        RammerSchedule(device="h200", blocks=4, policy="round-robin").run(module)
        RammerVerify(device="h200").run(module)
        (function,) = (op for op in module.body.operations if isinstance(op, func.FuncOp))
        (program,) = (op for op in function.entry_block.operations if isinstance(op, rammer.GraphOp))
        program.applications[1].operation.operands[1] = function.arguments[1]
        with pytest.raises(DiagnosedError, match="both touch the same bytes"):
            RammerVerify(device="h200").run(module)
