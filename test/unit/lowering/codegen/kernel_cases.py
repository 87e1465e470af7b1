# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels from linalg text and a chosen plan, run in the simulator: the code generator without the model's choice."""

from collections.abc import Callable, Sequence
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from roller_mlir.hal import find_device
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.model.cost.traffic.layouts import operand_layout
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.passes.rtile.assign_buffers import RTileAssignBuffers
from roller_mlir.passes.rtile.construct import RTileConstruct
from roller_mlir.passes.rtile.expand import RTileExpand
from roller_mlir.passes.rtile.lower_to_gpu import RTileLowerToGpu
from roller_mlir.plan import AxisPlan, Plan, TensorExpression
from roller_mlir.sim import SimulatedKernels
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

MULTIPLY_ADD = "%p = arith.mulf %x0, %x1 : f32\n %q = arith.addf %acc, %p : f32\n linalg.yield %q : f32"
SUM = "%q = arith.addf %acc, %x0 : f32\n linalg.yield %q : f32"
MAXIMUM = "%q = arith.maximumf %acc, %x0 : f32\n linalg.yield %q : f32"
SUM_OF_SQUARES = "%p = arith.mulf %x0, %x0 : f32\n %q = arith.addf %acc, %p : f32\n linalg.yield %q : f32"
# Contributes 1 where the input is padded with 0: out-of-range points must be masked.
SUM_OF_X_PLUS_1 = (
    "%o = arith.constant 1.0 : f32\n %p = arith.addf %x0, %o : f32\n %q = arith.addf %acc, %p : f32\n"
    " linalg.yield %q : f32"
)

Shape = Sequence[int]
MakePlan = Callable[[TensorExpression], Plan]


def axis(block: int, threads: int = 1, chunk: int = 1) -> AxisPlan:
    return AxisPlan(block=block, threads=threads, chunk=chunk)


def plan(
    axes: Sequence[AxisPlan],
    order: tuple[int, ...],
    lane: int | None,
    staged: Sequence[int],
    *,
    stages: int = 1,
    unroll: int = 64,
) -> MakePlan:
    """Return what makes a plan with these tiles for an expression; layouts are chosen as for any plan."""

    def make(expression: TensorExpression) -> Plan:
        context = ProblemContext(expression, machine_of(find_device("h200")))
        operands = tuple(
            operand_layout(context, number, tuple(axes), order, lane, staged=number in staged)
            for number in range(len(expression.inputs))
        )
        return Plan(
            device="h200",
            axes=tuple(axes),
            thread_order=order,
            lane=lane,
            unit_order=expression.parallel(),
            reduction_order=expression.reductions(),
            operands=operands,
            stages=stages,
            unroll=unroll,
        )

    return make


def tensor(shape: Shape) -> str:
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + "f32>"


def generic(
    maps: Sequence[str], iterators: str, inputs: Sequence[Shape], output: Shape, body: str, initial: str | None = "0.0"
) -> str:
    """Return a function of one linalg.generic; `iterators` spells p and r; initial None: the output is not read."""
    count = len(inputs)
    kinds = ", ".join('"parallel"' if letter == "p" else '"reduction"' for letter in iterators)
    maps_text = ", ".join(f"affine_map<{m}>" for m in maps)
    arguments = ", ".join(f"%a{i}: {tensor(shape)}" for i, shape in enumerate(inputs))
    names = ", ".join(f"%a{i}" for i in range(count))
    types = ", ".join(tensor(shape) for shape in inputs)
    block = ", ".join([*(f"%x{i}: f32" for i in range(count)), "%acc: f32"])
    fill = ""
    if initial is not None:
        fill = (
            f"%z = arith.constant {initial} : f32\n"
            f"  %i = linalg.fill ins(%z : f32) outs(%e : {tensor(output)}) -> {tensor(output)}"
        )
    start = "%i" if initial is not None else "%e"
    return f"""func.func @main({arguments}) -> {tensor(output)} {{
  %e = tensor.empty() : {tensor(output)}
  {fill}
  %r = linalg.generic {{indexing_maps = [{maps_text}], iterator_types = [{kinds}]}}
    ins({names} : {types}) outs({start} : {tensor(output)}) {{
  ^bb0({block}):
    {body}
  }} -> {tensor(output)}
  return %r : {tensor(output)}
}}"""


def expand(source: str, make: MakePlan) -> str:
    """Return the hierarchical loops of a function for a chosen plan, as text."""
    with make_context() as context, ir.Location.unknown():
        module = parse_module(source, context)
        with patch("roller_mlir.passes.rtile.planning.best_plan", lambda e, device, options: make(e)):
            RTileConstruct(device="h200").run(module)
        RTileExpand().run(module)
        assert module.operation.verify()
        return str(module)


class Kernel(NamedTuple):
    """A kernel's module as text, and how it is launched."""

    text: str
    name: str
    grid: int
    block: int
    subgroup_size: int

    def run(self, inputs: Sequence[np.ndarray], shape: Shape, *, seed: int = 1, sanitize: bool = False) -> np.ndarray:
        """Run it in the simulator and return its output."""
        kernels = SimulatedKernels(self.text, subgroup_size=self.subgroup_size, sanitize=sanitize)
        output = np.full(tuple(shape), np.nan, np.float32)
        kernels.launch(self.name, self.grid, self.block, 0, [*inputs, output], seed=seed)
        return output


def lower_loops(loops: str, *, device: str = "h200") -> Kernel:
    """Lower hierarchical loops of one program to a kernel."""
    with make_context() as context, ir.Location.unknown():
        module = parse_module(loops, context)
        RTileAssignBuffers().run(module)
        assert module.operation.verify()
        assert len(programs_of(module)) == 1
        RTileLowerToGpu(device=device).run(module)
        assert module.operation.verify()
        launch = _find(module.operation, "gpu.launch_func")
        name = str(ir.SymbolRefAttr(launch.attributes["kernel"]).value[-1])
        grid, block = (_constant(launch.operands[i]) for i in (0, 3))
        subgroup = 64 if device == "mi300x" else 32
        return Kernel(str(module), name, grid, block, subgroup)


def run_loops(
    loops: str, inputs: Sequence[np.ndarray], shape: Shape, *, device: str = "h200", seed: int = 1
) -> np.ndarray:
    """Lower hierarchical loops of one program to a kernel, run it, and return its output."""
    return lower_loops(loops, device=device).run(inputs, shape, seed=seed)


def integers(shapes: Sequence[Shape], seed: int = 0) -> list[np.ndarray]:
    """Return small integers as f32, so that sums are exact in any order."""
    rng = np.random.default_rng(seed)
    return [rng.integers(-4, 5, tuple(shape)).astype(np.float32) for shape in shapes]


def check(
    source: str,
    make: MakePlan,
    shapes: Sequence[Shape],
    reference: Callable[..., np.ndarray],
    *,
    device: str = "h200",
) -> None:
    """Run a function with a chosen plan and compare with numpy, exactly."""
    inputs = integers(shapes)
    expected = np.asarray(reference(*inputs), np.float32)
    found = run_loops(expand(source, make), inputs, expected.shape, device=device)
    np.testing.assert_array_equal(found, expected)


def _find(operation: ir.Operation, name: str) -> ir.Operation:
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                if op.operation.name == name:
                    return op.operation
                if op.operation.name == "func.func":
                    return _find(op.operation, name)
    raise AssertionError(f"no {name}")


def _constant(value: ir.Value) -> int:
    return ir.IntegerAttr(value.owner.attributes["value"]).value
