# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who compiles what of a model: a line for each operation or dispatch, and a record for each of our programs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from roller_mlir.plan.manifest import Manifest

if TYPE_CHECKING:
    from roller_mlir.downstream.iree.model import CompiledModel
    from roller_mlir.downstream.iree.parts import Part

ROLLER, IREE = "roller", "iree"


@dataclass(frozen=True, kw_only=True)
class Line:
    """Who compiles an operation or a dispatch.

    Attributes:
        name: The operation, or the dispatch.
        by: `ROLLER` or `IREE`.
        place: Where in the model it comes from; "" where that is not known.
        program: Which of our programs computes it; "" where IREE compiles it.
        reason: Why IREE compiles it.
        tiles: Ours, that IREE's code generator follows; "" where it decides itself, or we compile.
    """

    name: str
    by: str
    place: str = ""
    program: str = ""
    reason: str = ""
    tiles: str = ""


def programs_record(programs: "Sequence[Part]") -> list[dict[str, Any]]:
    """Return what is known of our programs: kernels, launches, and predicted times in seconds, of all their calls.

    Of a kernel whose blocks wait for each other it tells how many of them must run at the same time.
    """
    found: list[dict[str, Any]] = []
    for part in programs:
        manifest = part.artifact.manifest
        launches = Counter({kernel: count * part.times for kernel, count in _launches(manifest).items()})
        predicted = {
            one.name: one.plan.prediction.seconds if one.plan and one.plan.prediction else None
            for one in manifest.kernels
        }
        resident = {one.kernel: prod(one.static_grid) for one in manifest.launches if one.cooperative}
        kernels = [
            {"name": one, "launches": launches[one], "predicted_s": time}
            | ({"resident_blocks": resident[one]} if one in resident else {})
            for one, time in predicted.items()
        ]
        known = [launches[one] * time for one, time in predicted.items() if time is not None]
        whole = sum(known) if len(known) == len(predicted) else None
        record = {"name": part.name, "calls": part.times, "launches": launches.total(), "predicted_s": whole}
        found.append({**record, "kernels": kernels})
    return found


def _launches(manifest: Manifest) -> Counter[str]:
    return Counter(one.kernel for one in manifest.launches if one.kernel)


def lines_record(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the lines as data."""
    return [{key: value for key, value in asdict(one).items() if value} for one in lines]


def share(lines: Sequence[Line]) -> float:
    """Return which share of the lines is ours; 1 where there are none."""
    return sum(one.by == ROLLER for one in lines) / len(lines) if lines else 1.0


def model_record(compiled: "CompiledModel", *, model: str, target: str, mode: str) -> dict[str, Any]:
    """Return the report of a model as data; times in `programs` are predictions of the model of the device."""
    return {
        "model": model,
        "target": target,
        "mode": mode,
        "share": share(compiled.lines),
        "module_bytes": len(compiled.module),
        "programs": programs_record(compiled.programs),
        "lines": lines_record(compiled.lines),
        "phases_s": compiled.phases_s,
        "notes": compiled.notes,
    }
