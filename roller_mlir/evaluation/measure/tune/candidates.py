# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates: the plans of a dispatch that the construction ranks best, and the artifact that one of them makes."""

import json
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.persistent import planning_pass
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch
from roller_mlir.hal import find_device
from roller_mlir.model import construct
from roller_mlir.model.options import CandidateOptions, PlanningOptions
from roller_mlir.plan import Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact

_UNPLANNED = CompileOptions()


def whole_dispatch(dispatches: Sequence[Dispatch], text: str) -> Dispatch | None:
    """Return the dispatch that a function consists of, as that function; None where it has several programs.

    Args:
        dispatches: All dispatches of the function.
        text: The function, whose arguments may stand in another order than the dispatch's.
    """
    names = [name for dispatch in dispatches for name in dispatch.names]
    return replace(dispatches[0], name=names[0], text=text) if len(names) == 1 else None


def candidates_of(
    dispatch: Dispatch,
    target: str,
    options: CompileOptions | None = None,
    top_k: int = CandidateOptions.top_k,
) -> list[dict[str, Plan]]:
    """Return the best plans of a dispatch, as the model ranks them; the first is what the compiler takes by itself.

    Args:
        dispatch: The dispatch.
        target: A device's name, or the path of its description.
        options: What the construction may do.
        top_k: How many at most.

    Returns:
        At least one, each a plan by the name of the dispatch's program, as a plan file has it: a plan of the whole
        operator, with `split` where its reduction is divided.

    Raises:
        ConstructionError: No program fits the device.
    """
    device, asked = find_device(target), planning_pass(target, options or CompileOptions()).construct_options()
    if not dispatch.divisible:
        asked = replace(asked, split=False)
    asked = replace(asked, constants=dispatch.constants, finite=dispatch.finite)
    first = construct(dispatch.expression, device, asked)[0]
    ranked = construct(dispatch.expression, device, replace(asked, top_k=top_k)) if top_k > 1 else []
    # A longer list may come of a wider search, with another head; what is taken unasked is always the first here.
    best = [first, *(plan for plan in ranked if plan != first)]
    return [{dispatch.name: plan} for plan in best[:top_k]]


def compile_candidate(
    dispatch: Dispatch, target: str, options: CompileOptions | None, plans: Mapping[str, Plan]
) -> Artifact:
    """Compile a dispatch with a plan.

    Args:
        dispatch: The dispatch.
        target: A device's name, or the path of its description.
        options: How to compile; what they ask of planning is decided by the plan.
        plans: One of `candidates_of`.

    Raises:
        DiagnosedError: The plan does not fit the dispatch or the device, or no code can be generated for it.
    """
    with planned(options, plans) as forced:
        return compile_source(Source("-", dispatch.text), target, forced)


@contextmanager
def planned(options: CompileOptions | None, plans: Mapping[str, Plan]) -> Generator[CompileOptions]:
    """Yield options under which programs get these plans; what was asked of planning is decided by them."""
    usual = PlanningOptions.values_of(_UNPLANNED)  # a plan has decided that; with it nothing of it may be asked for
    with tempfile.TemporaryDirectory(prefix="roller-plan-") as folder:
        file = Path(folder, "plan.json")
        file.write_text(json.dumps(to_json(plans)), encoding="utf-8")
        changes: dict[str, Any] = {**usual, "entry": None, "plan_file": file, "tuning": None}
        yield replace(options or _UNPLANNED, **changes)
