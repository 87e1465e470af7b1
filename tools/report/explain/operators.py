# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of a source as `roller compile` would plan them: by program name, with their tensor expressions."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.reached_stage import reached_stage
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.lowering.linalg.group.dispatches import constants_of, group_of, named_dispatches
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import FUSED
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import SourcePlace, fail, place_of
from roller_mlir.support.passes.pipeline import run_pipeline


@dataclass(frozen=True)
class SourceOperator:
    """One operator.

    Attributes:
        name: Name of its program, such as "matmul_0".
        function: The function that it stands in.
        place: Where, None where that is not known.
        expression: What it computes, its axes fused.
        source_extents: Extents of its loops before axis fusion, None where they are not known.
        joined: Whether it is several linalg ops, whose reduction is not divided.
        constants: Inputs whose data the module holds.
        finite: Those of them that are finite numbers, where something is read outside of its tensor.
    """

    name: str
    function: str
    place: SourcePlace | None
    expression: TensorExpression
    source_extents: tuple[int, ...] | None
    joined: bool = False
    constants: tuple[int, ...] = ()
    finite: tuple[int, ...] = ()


def read_operators(
    source: Source, target: str, entry: str | None = None, *, fusion: bool = True, channels_last: bool = False
) -> list[SourceOperator]:
    """Return the operators of a source, in order; ops that `rtile-fuse` joins for the target are one.

    Args:
        source: MLIR text.
        target: A device's name, or the path of its description.
        entry: The function; None for the only public one.
        fusion: Whether ops are joined.
        channels_last: Whether convolutions may be computed with channels last.

    Raises:
        DiagnosedError: The source is refused, is planned already, or holds no operator.
    """
    asked = CompileOptions(fusion=fusion, channels_last=channels_last)
    given = {"device": target, **asked.pipeline_options()}
    with make_context() as context, ir.Location.unknown():
        unfused = _read(source, entry, context, {**given, "fuse-axes": "false"})
        before = dict(zip(_numbered_places(unfused), (one.expression for one in unfused), strict=True))
        found = _read(source, entry, context, given)
        return [
            SourceOperator(
                one.name,
                one.function,
                one.place,
                one.expression,
                before[at].bounds if at in before else None,
                one.joined,
                one.constants,
                one.finite,
            )
            for one, at in zip(found, _numbered_places(found), strict=True)
        ]


def _numbered_places(operators: list[SourceOperator]) -> list[tuple[SourcePlace | None, int]]:
    """Return the place of each operator, and how many before it stand there: a node of a model may become several."""
    counts: Counter[SourcePlace | None] = Counter()
    found: list[tuple[SourcePlace | None, int]] = []
    for one in operators:
        found.append((one.place, counts[one.place]))
        counts[one.place] += 1
    return found


def _read(
    source: Source, entry: str | None, context: ir.Context, options: Mapping[str, str | None]
) -> list[SourceOperator]:
    module = parse_source(source, context)
    if reached_stage(module) is not None:
        fail(module.operation, "the module is planned already; explain begins with linalg ops on tensors")
    function = isolate_entry(module, entry)
    run_pipeline(module, passes_to(FUSED, options))
    dispatches = named_dispatches(module)
    if not dispatches:
        fail(module.operation, f"function '{function}' has no operator to explain")
    found: list[SourceOperator] = []
    for name, dispatch in dispatches.items():
        group = group_of(dispatch.operation)
        place = group.members[group.reduction_root or 0].root.operation.location
        known = constants_of(dispatch.operation)
        found.append(SourceOperator(name, function, place_of(place), group.expression, None, dispatch.joined, *known))
    return found
