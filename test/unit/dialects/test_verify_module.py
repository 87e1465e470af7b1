# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module of equal programs is verified as any other: what is wrong in one of them, or in all, is found."""

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.compiler.stages import run_stages
from roller_mlir.dialects import rammer
from roller_mlir.dialects.rtile.checks import is_checked
from roller_mlir.lowering.codegen.graph.schedules import graphs_of
from roller_mlir.lowering.linalg.rewrite.equal_programs import said_by
from roller_mlir.lowering.loops.program import computes_of, loads_of, programs_of
from roller_mlir.lowering.loops.verify import ModuleVerifier
from roller_mlir.lowering.targets.stage import LOOPS
from roller_mlir.support.bindings import ir, make_context

KIND = "tensor<16x16xf32>"
PRODUCT = f"linalg.matmul ins(%{{0}}, %w : {KIND}, {KIND}) outs(%s : {KIND}) -> {KIND}"
TEXT = f"""func.func @f(%a: {KIND}, %w: {KIND}) -> {KIND} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {KIND}
  %s = linalg.fill ins(%z : f32) outs(%e : {KIND}) -> {KIND}
  %b = {PRODUCT.format("a")}
  %c = {PRODUCT.format("b")}
  %d = {PRODUCT.format("c")}
  return %d : {KIND}
}}"""


@pytest.fixture(scope="module")
def loops() -> str:
    return lower_until(Source("-", TEXT), "h200", CompileOptions(fusion=False, cache=False), LOOPS)[0]


@pytest.fixture
def module(loops: str) -> Generator[Any]:
    with make_context(), ir.Location.unknown():
        yield ir.Module.parse(loops)


def test_equal_programs_are_valid_as_each_is(module: Any) -> None:
    verify = ModuleVerifier()
    verify(module)
    verify(module)
    assert len(programs_of(module)) == 3
    assert not is_checked(programs_of(module)[0])


def test_programs_are_told_apart_by_all_but_their_names(module: Any) -> None:
    first, second, third = programs_of(module)
    before = str(module)
    assert said_by(first) == said_by(second) == said_by(third)
    assert str(module) == before
    second.attributes["tasks_per_unit"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 7)
    loads_of(third.operation)[0].attributes["other"] = ir.UnitAttr.get()
    assert len({said_by(first), said_by(second), said_by(third)}) == 3


@pytest.mark.parametrize("broken", [(0,), (1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize("what", ["load", "compute", "program", "body"])
def test_what_is_wrong_is_found(module: Any, what: str, broken: Sequence[int]) -> None:
    for number in broken:
        program = programs_of(module)[number]
        if what == "load":
            loads_of(program.operation)[0].attributes["tile"] = ir.UnitAttr.get()
        elif what == "compute":
            computes_of(program.operation)[0].attributes["box"] = ir.DenseI64ArrayAttr.get([1])
        elif what == "program":
            program.attributes["plan"] = ir.UnitAttr.get()
        else:
            list(program.entry.operations)[-1].operation.erase()
    with pytest.raises(ir.MLIRError):
        ModuleVerifier()(module)
    assert not is_checked(programs_of(module)[0])


@pytest.fixture(scope="module")
def graph() -> str:
    """The three products as one graph, scheduled."""
    found: dict[str, str] = {}
    options = CompileOptions(persistent=True, policy="round-robin", fusion=False, cache=False)
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        run_stages(module, "h200", options, on_pass=lambda step, made: found.update({step.name: str(made)}))
    return found["rammer-schedule"]


@pytest.mark.parametrize("broken", [(0,), (1,), (0, 1)])
def test_what_is_wrong_in_a_graph_is_found(graph: str, broken: Sequence[int]) -> None:
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(graph)
        verify = ModuleVerifier()
        verify(module)
        (program,) = graphs_of(module)
        for number in broken:
            wrong = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), -1)
            program.applications[number].attributes["kernel"] = wrong
        for check in (verify, ModuleVerifier()):
            with pytest.raises(ir.MLIRError):
                check(module)


def test_what_becomes_wrong_by_another_operator_is_found(graph: str) -> None:
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(graph)
        verify = ModuleVerifier()
        verify(module)
        (operator,) = [op for op in module.body.operations if isinstance(op, rammer.OperatorOp)]
        operator.entry.add_argument(operator.entry.arguments[0].type, operator.location)
        with pytest.raises(ir.MLIRError, match="needs 4 operands, one per argument"):
            verify(module)
