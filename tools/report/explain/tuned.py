# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tuning data base has for the operators of a source, for `roller explain`."""

from collections.abc import Mapping, Sequence
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.hal.host import measured_as
from roller_mlir.model import ConstructOptions
from roller_mlir.passes.rtile.planning import choices_of
from roller_mlir.plan.files.tuning import TuningError, describe, read_tuning
from roller_mlir.plan.files.tuning_key import tuning_key
from roller_mlir.tools.console.errors import InputError
from roller_mlir.tools.report.explain.operators import SourceOperator


def tuned_plans(
    path: str | None, operators: Sequence[SourceOperator], device: Device, asked: Mapping[str, Any]
) -> dict[str, str]:
    """Return where the measured plans of operators are from, and their times, by the names of the programs.

    Args:
        path: The data base; None for none.
        operators: Those of a source.
        device: What they are planned for.
        asked: What the construction may do, as fields of `ConstructOptions`.

    Raises:
        InputError: The data base cannot be read.
    """
    if path is None:
        return {}
    try:
        records = read_tuning(path)
    except TuningError as error:
        raise InputError(f"tuning {error}") from None
    found: dict[str, str] = {}
    for one in operators:
        given: dict[str, Any] = {**asked, "instructions": asked["instructions"] or FAMILIES}
        given["split"] = asked["split"] and not one.joined
        if device.vector_bytes is not None:
            given |= {"constants": one.constants, "finite": one.finite}
        options = ConstructOptions(**given)
        key = tuning_key(one.expression, measured_as(device), choices_of(options))
        if key in records:
            found[one.name] = describe(records[key], path)
    return found
