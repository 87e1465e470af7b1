# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our plans as configurations of IREE's code generator, pipeline TileAndFuse, in the spelling of version 3.13.

    workgroup          points of each parallel loop in a task: `AxisPlan.block`
    reduction          points of each reduction loop in a step, likewise
    thread             points of each parallel loop in a thread, without matrix instructions: `AxisPlan.registers`
    subgroup           matrix instructions of each parallel loop in a subgroup; `reduction` counts instructions, too
    promote_operands   what is staged in workgroup memory

IREE believes what it is told: it takes 64 threads where tiles ask for 128, and tiles that leave a rest. So what goes in
is checked here. What TileAndFuse cannot do is refused: reductions that are shared out over threads or tasks, and tiles
that leave a rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.downstream.iree.targets import DRIVERS
from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.hal import Device
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """How IREE's code generator tiles an operation.

    Attributes:
        lowering: Entries of its `lowering_config`, by name in alphabetical order, as IREE prints them.
        threads: Of a workgroup.
        subgroup_size: Of the device.
    """

    lowering: str
    threads: int
    subgroup_size: int

    @property
    def lowering_config(self) -> str:
        """The attribute of the tiles."""
        return f"#iree_gpu.lowering_config<{{{self.lowering}}}>"

    @property
    def translation_info(self) -> str:
        """The attribute of the pipeline and the threads."""
        return (
            "#iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> "
            f"workgroup_size = [{self.threads}, 1, 1] subgroup_size = {self.subgroup_size}>"
        )

    @property
    def compilation_info(self) -> str:
        """The attribute of both, which an operation takes."""
        return (
            f"#iree_codegen.compilation_info<lowering_config = {self.lowering_config}, "
            f"translation_info = {self.translation_info}>"
        )


def configuration_of(
    expression: TensorExpression, plan: Plan, device: Device, driver: str, inputs: Sequence[int]
) -> Configuration:
    """Return a plan as a configuration.

    Args:
        expression: What is planned, with the loops of the operation in their order.
        plan: Its plan.
        device: What it is for.
        driver: IREE's driver of the device.
        inputs: The number of the operation's operand that each input of the expression is.

    Raises:
        IreeError: TileAndFuse cannot do that; the message says what.
    """
    blocks = [axis.block for axis in plan.axes]
    if plan.split is not None:
        raise IreeError("the plan divides a reduction over tasks")
    for loop, block in zip(expression.loops, blocks, strict=True):
        if loop.extent.static % block:
            raise IreeError(f"a tile of {block} leaves a rest of a loop of {loop.extent.static}")
    is_reduction = [loop.reduction for loop in expression.loops]
    if any(
        axis.threads > 1 for axis, reduced in zip(plan.axes, is_reduction, strict=True) if reduced and not axis.lanes
    ):
        raise IreeError("the plan shares a reduction out over threads")
    entries, threads = _matrix(expression, plan, driver) if plan.atom else _plain(plan, is_reduction)
    threads *= device.subgroup_size if plan.atom else 1
    if threads > device.max_threads_per_block:
        raise IreeError(f"{threads} threads are more than the {device.max_threads_per_block} of a workgroup")
    entries["workgroup"] = [0 if reduced else block for block, reduced in zip(blocks, is_reduction, strict=True)]
    if expression.fused_multiply_add and all(one.layer == WORKGROUP for one in plan.operands):
        entries["promote_operands"] = list(inputs)
    lowering = ", ".join(f"{name} = {value}" for name, value in sorted(entries.items()))
    return Configuration(lowering=lowering, threads=threads, subgroup_size=device.subgroup_size)


def _plain(plan: Plan, is_reduction: Sequence[bool]) -> tuple[dict[str, object], int]:
    """Return entries and threads where each thread computes points of its own."""
    axes = list(zip(plan.axes, is_reduction, strict=True))
    entries: dict[str, object] = {"thread": [0 if reduced else axis.registers for axis, reduced in axes]}
    if any(is_reduction):
        entries["reduction"] = [axis.block if reduced else 0 for axis, reduced in axes]
    return entries, prod(axis.threads for axis in plan.axes)


def _matrix(expression: TensorExpression, plan: Plan, driver: str) -> tuple[dict[str, object], int]:
    """Return entries and subgroups where subgroups compute by matrix instructions."""
    atom = plan.atom
    assert atom is not None
    factors = {one.element_type for one in expression.inputs}
    result = expression.accumulator_type or expression.output.element_type
    wanted = "_".join((result.upper(), "x".join(map(str, atom.shape)), *sorted(map(str.upper, factors))))
    layout = next((name for name in DRIVERS[driver].layouts if name.endswith(f"_{wanted}")), None)
    if layout is None:
        raise IreeError(f"IREE has no matrix instruction {wanted} for {driver}")
    tiles, subgroups = {name: [0] * len(plan.axes) for name in ("subgroup", "reduction")}, 1
    for loop, size in zip((atom.row, atom.column), atom.shape[:2], strict=True):
        axis = plan.axes[loop]
        along = axis.threads // axis.lanes
        if axis.tile != size or axis.block % (size * along):
            raise IreeError(f"a tile of {axis.block} is not whole instructions of {size} for {along} subgroups")
        tiles["subgroup"][loop], subgroups = axis.block // size // along, subgroups * along
    for number, (axis, loop) in enumerate(zip(plan.axes, expression.loops, strict=True)):
        if number not in (atom.row, atom.column, atom.depth) and axis.block > 1:
            what = "reduces over" if loop.reduction else "holds"
            raise IreeError(f"a task {what} {axis.block} points of a loop that is none of the matrix instruction's")
    tiles["reduction"][atom.depth], rest = divmod(plan.axes[atom.depth].block, atom.shape[2])
    if rest:
        raise IreeError(f"a step of {plan.axes[atom.depth].block} is not whole instructions of {atom.shape[2]}")
    return {"mma_kind": f"#iree_gpu.mma_layout<{layout}>", **tiles}, subgroups
