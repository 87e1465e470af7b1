# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-fuse`: linalg ops that are cheaper together become one program.

Precondition: functions of linalg structured ops on static tensors (`rtile-normalize`, best with fuse-axes=false).
Postcondition: ops that were joined stand in an `rtile.program` without a plan, which `rtile-construct` plans; the
others stand as they were; loops that every op of a program runs through contiguously are one loop.

    %c = linalg.matmul ins(%a, %b) outs(%zero) -> tensor<128x256xf32>
    %r = linalg.generic {(i, j) -> (i, j), (i, j) -> (j), (i, j) -> (i, j)} ins(%c, %bias) { addf, maximumf }
    // becomes
    %r = "rtile.program"(%a, %b, %bias) ({ ... linalg.matmul ... linalg.generic ... })

First products of dequantized factors multiply the integers that these are made of, and are scaled behind their sums
(`lowering.linalg.rewrite.quantized`), products whose factors are widened read these as they were before, each where an
instruction for such factors computes them best (`lowering.linalg.rewrite.read_through.widened_factors`), and reshapes
that only add or drop dimensions of one element are read through, and broadcasts before the reshapes that put them
together with other dimensions (`lowering.linalg.rewrite.read_through`); on CPUs windows over images with channels
first, the element-wise ops between them, and what puts their channels together, have channels last where that is
predicted to save time (`lowering.linalg.rewrite.layout.propagate_layout`; `propagate-layouts=false` leaves them); if
`channels-last` asks for it, convolutions whose channels lie outside of windows are computed with channels last, between
copies of their tensors, where all of that is predicted to take less time
(`lowering.linalg.rewrite.layout.channels_last`); integers of 8 bits are dequantized where they are read; what ops move
of constants is a constant where several read it (`lowering.linalg.moved_constants`); products of one tensor with
several others, and other reductions of that kind, are one where that is predicted to take less time
(`lowering.linalg.rewrite.horizontal`; `horizontal-fusion=false` leaves them, as pipelines of persistent and bounded
kernels do, where they run side by side); element-wise ops are composed into the op that alone reads each of their
elements once, bodies that quantize multiply in the place of divisions, and copies that are left repeat no elements; on
CPUs products dequantize weights of 8 bits themselves where that is predicted to save time
(`lowering.linalg.rewrite.quantized.weights`).
Then the legal groupings are listed and the device's model plans each: element-wise ops behind a reduction root are
computed on its accumulators after the last step of the reduction, what starts an accumulator before the first; ops that
share rows, such as those of a softmax, keep them in registers where a row fits. Of two neighbours whose union saves
time the best is joined, until no union saves any; a union that another op would have to run both before and behind is
none. Each is evaluated as `rtile-construct` plans it without a user schedule; where its reduction is divided over
tasks, a second kernel joins the parts. `explain-fusion` reports each decision as a remark: what was joined, seconds and
bytes saved (predicted), and why a legal grouping was left.

Refused: what no tensor expression can say, at its op; what cannot be joined stays apart. Paper: ROLLER section 3.1
(fused operators are one expression) and 3.2 (axis fusion), PolyDL section 5.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import is_
from typing import Any, ClassVar

from roller_mlir.hal import Device, find_device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.linalg.group.axes import fuse_axes_of_groups
from roller_mlir.lowering.linalg.group.dispatches import NO_CONSTANTS, ConstantInputs
from roller_mlir.lowering.linalg.group.group import members_of
from roller_mlir.lowering.linalg.group.wrap import wrap
from roller_mlir.lowering.linalg.moved_constants import fold_moved_constants
from roller_mlir.lowering.linalg.pads import PAD, padding_of
from roller_mlir.lowering.linalg.reader import StructuredOp, StructuredReader, erase_unused, with_sources
from roller_mlir.lowering.linalg.rewrite.compose import compose_into_readers
from roller_mlir.lowering.linalg.rewrite.fusion import Cost, Fusion, FusionDecision, leaving
from roller_mlir.lowering.linalg.rewrite.horizontal.fuse import fuse_horizontally
from roller_mlir.lowering.linalg.rewrite.layout.channels_last import put_channels_last
from roller_mlir.lowering.linalg.rewrite.layout.propagate_layout import named, put_all_channels_last
from roller_mlir.lowering.linalg.rewrite.quantized.integer_products import multiply_integers
from roller_mlir.lowering.linalg.rewrite.quantized.late import dequantize_late
from roller_mlir.lowering.linalg.rewrite.quantized.quantizers import simplify_quantizers
from roller_mlir.lowering.linalg.rewrite.quantized.weights import multiply_weights
from roller_mlir.lowering.linalg.rewrite.read_through.broadcasts import narrow_copies, read_through_broadcasts
from roller_mlir.lowering.linalg.rewrite.read_through.unit_extents import read_through_unit_extents
from roller_mlir.lowering.linalg.rewrite.read_through.widened_factors import read_before_widening
from roller_mlir.lowering.linalg.rewrite.separate import renew_operands, separate_results, separate_views
from roller_mlir.model import ConstructionError, ConstructOptions
from roller_mlir.model.options import AxisOptions, DeviceOptions, FusionOptions
from roller_mlir.model.search.best_plan import best_plan
from roller_mlir.model.vectors.cost import least_seconds
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.rewrite.merge_axes import merge_axes
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import remark
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.passes.upstream import CLEAN, run_upstream
from roller_mlir.support.values import defining_op, values_used

VIEWS = ("tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice", PAD)


@register
@dataclass(frozen=True, kw_only=True)
class RTileFuse(FusionOptions, AxisOptions, DeviceOptions, Pass):
    """Joins linalg ops into programs where the model expects that to save time."""

    name: ClassVar[str] = "rtile-fuse"
    summary: ClassVar[str] = "join linalg ops into one program where that saves time"
    requires: ClassVar[frozenset[str]] = frozenset({"normalized"})
    establishes: ClassVar[frozenset[str]] = frozenset({"fused"})

    def run(self, module: ir.Module) -> None:
        """Join the ops of every function."""
        device = find_device(self.device)
        model = _Model(device)
        functions = compiled_functions(module)
        blocks = [block for function in functions for block in function.regions[0].blocks]
        if self.fusion:
            if sum([self._read_factors(block, model) for block in blocks]):
                run_upstream(CLEAN, module)
            for block in blocks:
                read_through_unit_extents(block)
            if sum(map(read_through_broadcasts, blocks)):
                run_upstream(CLEAN, module)
                for block in blocks:
                    read_through_unit_extents(block)
        if self.propagate_layouts and device.vector_bytes is not None:
            self._propagate_layouts(module, blocks, model)
            if self.fusion and sum([self._multiply_integers(block, model) for block in blocks]):
                run_upstream(CLEAN, module)
        if self.channels_last and sum([self._copy_convolutions(block, model) for block in blocks]):
            run_upstream(CLEAN, module)
        if self.fusion and sum(map(dequantize_late, blocks)) + sum(map(fold_moved_constants, blocks)):
            run_upstream(CLEAN, module)
        if self.fusion and self.horizontal_fusion and sum([self._fuse_horizontally(block, model) for block in blocks]):
            run_upstream(CLEAN, module)
            for function in functions:
                separate_views(function)
                renew_operands(function)
                separate_results(function, flat=False)
        if self.fusion and sum(map(_simplify, blocks)):
            run_upstream(CLEAN, module)  # two bodies as one may read less than both
            for function in functions:
                separate_views(function)
                renew_operands(function)
                separate_results(function, flat=False)
        if self.fusion and device.vector_bytes is not None:
            for block in blocks:
                self._multiply_weights(block, model)
        for block in blocks:
            self._fuse(block, model)
        if self.fuse_axes:
            run_upstream(CLEAN, module)
            for function in functions:
                separate_views(function)
                separate_results(function, flat=True)

    def _read_factors(self, block: ir.Block, model: "_Model") -> int:
        integers = self._multiply_integers(block, model)
        changed = read_before_widening(block, model.narrow_products, model.multiplies)
        if self.explain_fusion:
            for one in changed:
                kind = ir.RankedTensorType(one.operands[0].type).element_type
                remark(one, f"'{one.name}'{_line(one)} reads its factors of {kind} before they are widened")
        return integers + len(changed)

    def _multiply_integers(self, block: ir.Block, model: "_Model") -> int:
        changed = multiply_integers(block, model.narrow_products, model.multiplies)
        if self.explain_fusion:
            for one in changed:
                remark(one, f"'{one.name}'{_line(one)} multiplies the integers that its factors are dequantized from")
        return len(changed)

    def _multiply_weights(self, block: ir.Block, model: "_Model") -> None:
        changed = multiply_weights(members_of(block), model.seconds)
        if self.explain_fusion:
            for one in changed:
                remark(one, f"'{one.name}'{_line(one)} dequantizes the weights that it multiplies")

    def _propagate_layouts(self, module: ir.Module, blocks: Sequence[ir.Block], model: "_Model") -> None:
        changes = [one for block in blocks if (one := put_all_channels_last(block, model)) is not None]
        if changes:
            run_upstream(CLEAN, module)
        if changes and self.explain_fusion:
            remark(module.operation, named(changes))

    def _fuse_horizontally(self, block: ir.Block, model: "_Model") -> int:
        erase_unused(block)
        fused = fuse_horizontally(block, lambda ops: Fusion(ops, model.cost, constants=model.knows_constants))
        if self.explain_fusion:
            for one in fused:
                figures = f"predicted {one.after_s * 1e6:.1f} us, {one.before_s * 1e6:.1f} us apart"
                where = _line_at(one.location)
                remark(one.location, f"{one.count} '{one.name}'{where} that read one tensor are one: {figures}")
        return len(fused)

    def _copy_convolutions(self, block: ir.Block, model: "_Model") -> int:
        copied = put_channels_last(block, lambda expression: model.seconds(expression, NO_CONSTANTS))
        if self.explain_fusion:
            for one in copied:
                figures = f"predicted {one.after_s * 1e6:.1f} us with the copies, {one.before_s * 1e6:.1f} us as it is"
                remark(one.operation, f"a convolution{_line(one.operation)} has its channels last: {figures}")
        return len(copied)

    def _fuse(self, block: ir.Block, model: "_Model") -> None:
        erase_unused(block)
        operations = members_of(block)
        groups: list[Sequence[ir.Operation]] = [[operation] for operation in operations]
        kinds: Sequence[Hashable] = range(len(groups))
        read: dict[ir.Operation, StructuredOp] = {}  # of the ops that are what they were
        if self.fusion:
            search = Fusion(operations, model.cost, constants=model.knows_constants)
            cut = search.search()
            if self.explain_fusion:
                for decision in cut.decisions:
                    _report(decision)
            groups[:], kinds = cut.groups, cut.kinds
            read.update(search.roots)
        if self.fuse_axes:
            fused = fuse_axes_of_groups(groups, kinds)
            same = (group for before, group in zip(groups, fused, strict=True) if all(map(is_, before, group)))
            read = {operation: read[operation] for group in same for operation in group if operation in read}
            groups[:] = fused
            _share_views(block)
        reader = StructuredReader()
        for number, group in enumerate(groups):
            if len(group) > 1:
                # What an op reads may have become a view that others share, or a result of a program.
                roots = [with_sources(read[one]) if one in read else reader.read(one) for one in group]
                wrap(roots, leaving(group), f"group_{number}", None)
        _sort(block)
        erase_unused(block)


def _simplify(block: ir.Block) -> int:
    """Compose element-wise ops of a block into their readers, and let them do less; return how many change."""
    operations = members_of(block)
    composed = len(operations) - len(compose_into_readers(operations))
    return composed + simplify_quantizers(block) + narrow_copies(block)


def _share_views(block: ir.Block) -> None:
    """Let ops that view one tensor alike use one view, so that the ops of a group are seen to read one tensor."""
    known: dict[tuple[object, ...], ir.Operation] = {}
    for op in list(block.operations):
        operation = op.operation
        if operation.name not in VIEWS:
            continue
        padding = padding_of(operation.results[0]) if operation.name == PAD else None
        attributes = tuple((name, operation.attributes[name]) for name in operation.attributes)
        value = padding.scalar if padding is not None else None
        key = (operation.name, *operation.operands, operation.results[0].type, attributes, value)
        first = known.get(key)
        if first is None:
            known[key] = operation
        else:
            operation.results[0].replace_all_uses_with(first.results[0])
            operation.erase()


@dataclass(frozen=True)
class _Model:
    """How expressions are weighed: as `rtile-construct` plans them without a user schedule.

    Which ops are one program depends on the module and the device alone, so that a plan file fits whatever else is
    chosen. Parts of a reduction are joined by a second kernel then, as everywhere: blocks of a persistent kernel, which
    are of the same programs, join none.

    Attributes:
        device: What they run on.
    """

    device: Device

    @property
    def knows_constants(self) -> bool:
        """Whether plans depend on which inputs are constants, which are packed before a program runs."""
        return self.device.vector_bytes is not None

    @property
    def narrow_products(self) -> frozenset[tuple[str, str]]:
        """Element types of factors and sums for which the device has instructions of their own."""
        general = self.device.multiply_add.family
        return frozenset((x.operand_type, x.result_type) for x in self.device.instructions if x.family != general)

    def multiplies(self, expression: TensorExpression, constants: ConstantInputs) -> bool:
        """Return whether the best plan of a product, of which some inputs are constants, is by an instruction."""
        known = (constants if self.knows_constants else NO_CONSTANTS)._asdict()
        options = ConstructOptions(instructions=FAMILIES, join=False, **known)
        try:
            plan = best_plan(merge_axes(expression), self.device, options)
        except ConstructionError:
            return False
        return plan.instruction != self.device.multiply_add.family

    def least(self, expression: TensorExpression) -> float:
        """Return seconds that no plan of an expression comes below, on a device of vectors."""
        return least_seconds(expression, self.device)

    def seconds(self, expression: TensorExpression, constants: ConstantInputs) -> float | None:
        """Return what an op is predicted to take, None where it cannot be planned."""
        cost = self.cost(merge_axes(expression), True, constants)
        return None if isinstance(cost, str) else cost.seconds

    def cost(self, expression: TensorExpression, divisible: bool, constants: ConstantInputs) -> Cost | str:
        """Return what an expression is predicted to cost, or why it cannot be planned."""
        options = ConstructOptions(instructions=FAMILIES, join=False, split=divisible, **constants._asdict())
        try:
            prediction = best_plan(expression, self.device, options).prediction
        except ConstructionError as error:
            return str(error)
        assert prediction is not None
        return Cost(prediction.seconds, prediction.global_load_bytes + prediction.global_store_bytes)


def _report(decision: FusionDecision) -> None:
    names = [_names(decision.producer), _names(decision.consumer)]
    where = decision.consumer[-1]
    apart, together = decision.apart, decision.together
    if apart is None or together is None:
        remark(where, f"{names[0]} and {names[1]} stay apart: {decision.reason}")
        return
    figures = (
        f"predicted {together.seconds * 1e6:.1f} us and {together.global_bytes} B together, "
        f"{apart.seconds * 1e6:.1f} us and {apart.global_bytes} B apart"
    )
    if decision.joined:
        saved = apart.global_bytes - together.global_bytes
        what = f"saves {saved} B" if saved >= 0 else f"moves {-saved} B more"
        remark(where, f"{names[0]} and {names[1]} are one program, which {what}: {figures}")
    else:
        remark(where, f"{names[0]} and {names[1]} stay apart, {decision.reason}: {figures}")


def _names(group: Sequence[ir.Operation]) -> str:
    return " + ".join(f"'{operation.name}'{_line(operation)}" for operation in group)


def _line(operation: ir.Operation) -> str:
    return _line_at(operation.location)


def _line_at(location: Any) -> str:
    return f" (line {location.start_line})" if isinstance(location, ir.FileLineColLoc) else ""


def _sort(block: ir.Block) -> None:
    """Bring the ops of a block into an order in which each stands behind what it uses, else as they were."""
    operations = [op.operation for op in block.operations]
    needs: dict[ir.Operation, list[ir.Operation]] = {}
    order: dict[ir.Operation, None] = {}
    for first in operations:
        pending = [first]
        while pending:
            operation = pending[-1]
            if operation not in needs:
                makers = [defining_op(value) for value in values_used(operation)]
                needs[operation] = [maker for maker in makers if maker is not None]
            missing = [maker for maker in needs[operation] if maker not in order]
            if missing:
                pending += [maker for maker in reversed(missing) if maker not in needs]
                assert pending[-1] is not operation, "an op depends on itself"
                continue
            order[operation] = None
            pending.pop()
    for before, after in pairwise(order):
        after.move_after(before)
