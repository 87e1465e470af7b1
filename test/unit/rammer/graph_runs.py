# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of persistent kernels in the simulator, in the tests' own way: from the arguments of the launch alone."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from roller_mlir.hal import find_device
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import BUFFERS
from roller_mlir.passes.rammer.form_graph import RammerFormGraph
from roller_mlir.passes.rammer.outline_kernel import RammerOutlineKernel
from roller_mlir.passes.rammer.reduce_waits import RammerReduceWaits
from roller_mlir.passes.rammer.schedule import RammerSchedule
from roller_mlir.passes.rammer.sink_waits import RammerSinkWaits
from roller_mlir.passes.rammer.verify import RammerVerify
from roller_mlir.sim import SimulatedKernels
from roller_mlir.support.bindings import func, ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module
from roller_mlir.support.passes.pipeline import Step, run_pipeline
from roller_mlir.support.values import defining_op

OF_GRAPHS = {"join": "false", "staged-stores": "false", "horizontal-fusion": "false"}
"""What the passes in front of a graph are asked."""


@lru_cache(maxsize=64)
def _formed(text: str, device: str, planned: bool, sink: bool, asked: tuple[tuple[str, str], ...]) -> str:
    """Return a function as a graph of tasks, as text: one for all that is planted, spoiled or scheduled in it."""
    with make_context() as context:
        module = parse_module(text, context)
        options = {"device": device, **OF_GRAPHS, **dict(asked)}
        steps: list[Step] = [
            *([] if planned else passes_to(BUFFERS, options)),
            RammerFormGraph(),
            RammerSinkWaits(device=device, sink_waits=sink),
        ]
        run_pipeline(module, steps)
        return str(module)


@lru_cache(maxsize=8)
def _compiled(text: str, subgroup: int) -> SimulatedKernels:
    return SimulatedKernels(text, subgroup, sanitize=True)


def _without_tables(text: str) -> str:
    """Return a module without the values of its tables, which launches are given: kernels do not depend on them."""
    return re.sub(r"(?m)^(  memref\.global .* = )dense<.*>", r"\1dense<0>", text)


class GraphRun:
    """A function as one persistent kernel, and its state between launches; a planned one holds programs on buffers."""

    def __init__(
        self,
        text: str,
        device: str,
        *,
        policy: str = "list",
        blocks: int | None = None,
        planned: bool = False,
        sink: bool = True,
        plant: Callable[[ir.Module], None] | None = None,
        spoil: Callable[[ir.Module], None] | None = None,
        look: Callable[[ir.Module], None] = lambda module: None,
        **asked: str,
    ) -> None:
        """Compile a function.

        Args:
            text: It.
            device: For what.
            policy: Who places its tasks.
            blocks: On so many blocks.
            planned: Whether it is programs on buffers.
            sink: Whether weights travel before the waits.
            plant: Makes a mistake before it is scheduled, which is compiled, also where it is refused: see `refusal`.
            spoil: Makes one in the schedule, likewise.
            look: Is shown the module then.
            asked: Options of passes.
        """
        context = make_context()
        with context:
            module = parse_module(_formed(text, device, planned, sink, tuple(asked.items())), context)
            look(module)
            if plant is not None:
                plant(module)
            run_pipeline(module, [RammerSchedule(device=device, policy=policy, blocks=blocks), RammerReduceWaits()])
            if spoil is not None:
                spoil(module)
            self.refusal = ""
            try:
                run_pipeline(module, [RammerVerify(device=device)])
            except DiagnosedError as error:
                if plant is None and spoil is None:
                    raise
                self.refusal = error.message
            run_pipeline(module, [RammerOutlineKernel(device=device)])
            self.text = str(module)
            self._read(module)
        self.subgroup = find_device(device).subgroup_size

    @cached_property
    def kernels(self) -> SimulatedKernels:
        """It for this machine: made at the first launch, as many a test looks at the text alone."""
        return _compiled(_without_tables(self.text), self.subgroup)

    def change(self, text: str) -> None:
        """Run another text from now on, from a state of zeros."""
        self.kernels = SimulatedKernels(text, self.subgroup, sanitize=True)
        self.state[:] = 0

    def records(self) -> Any:
        """Return the records of all blocks, one a row."""
        count = self.blocks * int(self.table(1)[0::2].max())
        return self.table(0).reshape(count + 1, -1)[:count]

    def table(self, number: int) -> Any:
        """Return the records (0), spans (1) or waits (2), to be changed in place."""
        constants = [given for role, given in self.arguments if role == "constant"]
        return constants[-3:][number]

    def _read(self, module: ir.Module) -> None:
        (function,) = [op for op in module.body.operations if isinstance(op, func.FuncOp)]
        (launch,) = [op for op in function.entry_block.operations if op.operation.name == "gpu.launch_func"]
        globals_ = {
            ir.StringAttr(op.operation.attributes["sym_name"]).value: np.array(op.operation.attributes["initial_value"])
            for op in module.body.operations
            if op.operation.name == "memref.global"
        }
        sizes = [ir.IntegerAttr(defining_op(launch.operands[n]).attributes["value"]).value for n in (0, 3)]
        self.blocks, self.threads = sizes
        self.name = str(launch.attributes["kernel"]).split("@")[-1]
        segments = list(ir.DenseI32ArrayAttr(launch.attributes["operandSegmentSizes"]))
        self.dynamic = 0
        if segments[10]:
            self.dynamic = ir.IntegerAttr(defining_op(launch.operands[6]).attributes["value"]).value
        assert "rtile.cooperative" in launch.attributes
        self.arguments: list[tuple[str, Any]] = []
        roles = [ir.StringAttr(each["rtile.role"]).value for each in function.arg_attrs]
        self.state = np.zeros(0)
        for value in list(launch.operands)[6 + segments[10] :]:
            if defining_op(value, "llvm.mlir.zero") is not None:
                continue  # a tensor map, which the simulator makes
            constant = defining_op(value, "memref.get_global")
            if constant is not None:
                self.arguments.append(("constant", globals_[ir.FlatSymbolRefAttr(constant.attributes["name"]).value]))
                continue
            number = ir.BlockArgument(value).arg_number
            kind = ir.MemRefType(value.type)
            element = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.uint8}[str(kind.element_type)]
            if roles[number] == "state":
                self.state = np.zeros(kind.shape, element)
            self.arguments.append((roles[number], (number, tuple(kind.shape), element)))
        self.outputs = [n for n, role in enumerate(roles) if role == "output"]

    def run(self, inputs: Sequence[Any], *, seed: int | None = 0, sweep: bool = False) -> list[Any]:
        """Launch once, on outputs and workspace that hold nothing, and return the outputs."""
        arrays, written, outputs = list[Any](), list[Any](), dict[int, Any]()
        for role, given in self.arguments:
            if role == "constant":
                arrays.append(given.copy())
                written.append(None)
                continue
            number, shape, element = given
            if role == "input":
                arrays.append(np.array(inputs[number], element))
                assert arrays[-1].shape == shape
                written.append(None)
            elif role == "state":
                arrays.append(self.state)
                written.append(None)
            else:
                arrays.append(np.full(shape, 255, np.uint8) if element == np.uint8 else np.full(shape, np.nan, element))
                written.append(np.zeros(arrays[-1].nbytes, np.uint8))
                outputs[number] = arrays[-1]
        self.kernels.launch(
            self.name,
            self.blocks,
            self.threads,
            self.dynamic,
            arrays,
            seed=seed,
            resident_blocks=None,
            sweep=sweep,
            written=written,
        )
        return [outputs[number] for number in self.outputs]
