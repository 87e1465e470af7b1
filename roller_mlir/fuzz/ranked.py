# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans other than the best: those further down the list that the construction gives, and random tiles."""

import json
import random

from roller_mlir.codegen import FAMILIES
from roller_mlir.codegen.linalg_reader import StructuredOp, read_structured
from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.hal import find_device
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.passes.rtile_construct import named_units
from roller_mlir.passes.rtile_normalize import RTileNormalize
from roller_mlir.plan.codec import to_json
from roller_mlir.support.bindings import func, ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.pipeline import RunOptions, run_pipeline


class UnknownPlansError(Exception):
    """A program has no operator of its own to plan, or more than one where one is needed; nothing is forced then."""


def plan_file_text(source: Source, target: str, rank: int) -> str:
    """Return a plan file with a plan of that rank for each operator, or its last one where it has fewer.

    Raises:
        UnknownPlansError: There is no operator, or one cannot be planned.
    """
    device = find_device(target)
    options = ConstructOptions(top_k=rank + 1, instructions=FAMILIES)
    try:
        plans = {name: construct(root.expression, device, options)[-1] for name, root in _operators(source).items()}
    except (ConstructionError, DiagnosedError) as error:
        raise UnknownPlansError(str(error)) from None
    return json.dumps(to_json(plans))


def random_tile(source: Source, target: str, generator: random.Random) -> tuple[int, ...]:
    """Return a random tile for a program of one operator: of any size up to a little beyond each loop.

    Raises:
        UnknownPlansError: There is not exactly one operator.
    """
    try:
        operators = _operators(source)
    except DiagnosedError as error:
        raise UnknownPlansError(str(error)) from None
    if len(operators) != 1:
        raise UnknownPlansError(f"{len(operators)} operators")
    (root,) = operators.values()
    sizes: list[int] = []
    room = 4096
    for loop in root.expression.loops:
        choices = [n for n in (1, 2, 3, 4, 5, 8, 13, 16, 32, 64, 128) if n <= min(2 * loop.extent, room)]
        sizes.append(generator.choice(choices or [1]))
        room //= sizes[-1]
    return tuple(sizes)


def _operators(source: Source) -> dict[str, StructuredOp]:
    with make_context() as context, ir.Location.unknown():
        module = parse_source(source, context)
        isolate_entry(module, None)
        run_pipeline(module, [RTileNormalize()], RunOptions())
        blocks = [
            block
            for op in module.body.operations
            if isinstance(op, func.FuncOp) and not op.is_external
            for block in op.regions[0].blocks
        ]
        found = {name: read_structured(root) for name, root in named_units(blocks).items()}
    if not found:
        raise UnknownPlansError("no operator")
    return found
