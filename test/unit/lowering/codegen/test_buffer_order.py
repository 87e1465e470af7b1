# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check behind rtile-assign-buffers: programs that read what is not there, or write what they must not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from roller_mlir import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.dialects import rtile
from roller_mlir.lowering.codegen.buffers.order import order_fault
from roller_mlir.lowering.codegen.graph import workspace
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.lowering.targets.stage import BUFFERS, LOOPS, Stage
from roller_mlir.passes.rammer.assign_buffers import RammerAssignBuffers
from roller_mlir.passes.rammer.form_graph import RammerFormGraph
from roller_mlir.passes.rammer.schedule import RammerSchedule
from roller_mlir.passes.rtile import assign_buffers
from roller_mlir.passes.rtile.assign_buffers import RTileAssignBuffers
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.pipeline import PassCrashError, Step, run_pipeline

K = "tensor<16x16xf32>"


def _product(name: str, a: str, b: str) -> str:
    return f"%{name} = linalg.matmul ins(%{a}, %{b} : {K}, {K}) outs(%z : {K}) -> {K}"


# p and q are alive together; r takes the place of none of them, s that of p or of q.
TEXT = f"""
func.func @f(%x: {K}, %y: {K}) -> {K} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {K}
  %z = linalg.fill ins(%zero : f32) outs(%e : {K}) -> {K}
  {_product("p", "x", "y")}
  {_product("q", "y", "x")}
  {_product("r", "p", "q")}
  {_product("s", "r", "y")}
  {_product("t", "s", "r")}
  return %t : {K}
}}
"""


def _text(until: Stage) -> str:
    options = CompileOptions(fusion=False, split=False)
    return lower_until(Source("-", TEXT), "h200", options, until)[0]


def _move_behind(programs: list[rtile.ProgramOp], function: Any) -> None:
    del function
    programs[1].operation.move_after(programs[2].operation)


def _share_bytes(programs: list[rtile.ProgramOp], function: Any) -> None:
    del function
    programs[1].operation.operands[2] = programs[0].operation.operands[2]


def _overlap(programs: list[rtile.ProgramOp], function: Any) -> None:
    del function
    offset: Any = programs[1].operation.operands[2].owner
    offset.operands[1].owner.attributes["value"] = ir.IntegerAttr.get(ir.IndexType.get(), 768)


def _write_input(programs: list[rtile.ProgramOp], function: Any) -> None:
    programs[4].operation.operands[2] = function.regions[0].blocks[0].arguments[0]


def _leave_result(programs: list[rtile.ProgramOp], function: Any) -> None:
    del function
    programs[4].operation.operands[2] = programs[1].operation.operands[2]


def _read_own(programs: list[rtile.ProgramOp], function: Any) -> None:
    del function
    programs[3].operation.operands[2] = programs[3].operation.operands[0]


@pytest.mark.parametrize(
    ("plant", "message"),
    [
        (None, None),
        (_move_behind, "program 'matmul_2' reads operand 1, which no program before it has written"),
        (_share_bytes, "program 'matmul_2' reads operand 1, which no program before it has written"),
        (
            _overlap,
            "program 'matmul_2' reads operand 0, which no program before it has written, or one has overwritten",
        ),
        (_write_input, "program 'matmul_4' writes operand 2, which is an input"),
        (_leave_result, "no program writes argument 2, which is an output"),
        (_read_own, "program 'matmul_3' reads operand 0, into which it writes"),
    ],
)
def test_planted_faults_are_found(
    plant: Callable[[list[rtile.ProgramOp], Any], None] | None, message: str | None
) -> None:
    with make_context() as context, ir.Location.unknown():
        module = parse_module(_text(BUFFERS), context)
        function: Any = module.body.operations[0]
        if plant is not None:
            plant(programs_of(module), function)
        fault = order_fault(module)
        assert (fault is None) == (message is None)
        assert fault is None or message is None or message in fault[1]
        RammerFormGraph().run(module)
        again = order_fault(module)
        assert (again is None) == (message is None)
        assert again is None or message is None or message.partition("' ")[2] in again[1]


def test_a_wrong_workspace_is_a_bug_of_the_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_at_once(lifetimes: list[Any]) -> tuple[list[int], int]:
        return [0] * len(lifetimes), 1024

    monkeypatch.setattr(assign_buffers, "assign_offsets", all_at_once)
    with make_context() as context:
        module = parse_module(_text(LOOPS), context)
        with pytest.raises(PassCrashError) as caught:
            run_pipeline(module, [RTileAssignBuffers()])
    assert "internal error in pass 'rtile-assign-buffers' at 'rtile.program'" in str(caught.value)
    assert "program 'matmul_2' reads operand 0" in str(caught.value)


def test_bytes_shared_too_early_are_a_bug_of_the_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(_: object, buffers: list[Any]) -> Any:
        return [np.zeros(0, np.int64)] * len(buffers)

    steps: list[Step] = [RTileAssignBuffers(reuse=False), RammerFormGraph(), RammerSchedule(device="h200")]
    steps.append(RammerAssignBuffers(device="h200"))
    with make_context() as context:
        run_pipeline(parse_module(_text(LOOPS), context), steps)
        monkeypatch.setattr(workspace, "maybe_together", always)
        with pytest.raises(PassCrashError) as caught:
            run_pipeline(parse_module(_text(LOOPS), context), steps)
    assert "internal error in pass 'rammer-assign-buffers' at 'rammer.apply'" in str(caught.value)
    assert "reads operand 0, which no program before it has written, or one has overwritten" in str(caught.value)
