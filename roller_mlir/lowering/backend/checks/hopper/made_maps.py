# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps that a kernel makes itself, in PTX: the fields that it writes, and the fences before copies by them."""

from collections.abc import Iterator, Mapping, Sequence

from roller_mlir.lowering.backend.checks.hopper.ptx_integers import Value
from roller_mlir.lowering.backend.checks.hopper.ptx_thread import (
    BoxCopy,
    FieldWritten,
    Followed,
    MapAcquired,
    MapPublished,
)
from roller_mlir.lowering.backend.checks.quality import Mismatch
from roller_mlir.plan.tensor_maps.fields import MapField, field_name, map_fields
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap


def made_map_faults(
    threads: Sequence[Followed], by_parameter: Mapping[int, TensorMap]
) -> Iterator[tuple[str, Mismatch]]:
    """Compare what is written to each tensor map with its description; the address of the array is not known here.

    Args:
        threads: What was followed, one thread a warpgroup.
        by_parameter: The descriptions, by the parameters that the maps stand for.

    Returns:
        Mismatches and their subjects.
    """
    first = min(by_parameter)
    made: dict[int, dict[int, Value]] = {}
    for thread in threads:
        records: dict[Value, dict[int, Value]] = {}
        acquired: set[int | None] = set()
        for event in thread.events:
            if isinstance(event, FieldWritten):
                number = MapField[event.field] + (event.dimension or 0)
                records.setdefault(event.record, {})[number] = event.value
            elif isinstance(event, MapPublished) and event.parameter is not None:
                made[event.parameter] = dict(records.get(event.record, {}))
            elif isinstance(event, MapAcquired):
                acquired.add(event.parameter)
            elif isinstance(event, BoxCopy) and event.parameter is not None and event.parameter not in acquired:
                subject = f"tensor map {event.parameter - first}"
                yield subject, _mismatch(0, 0, f"{subject} is used by a thread that did not acquire it")
    for parameter, described in by_parameter.items():
        subject = f"tensor map {parameter - first} (argument {described.argument})"
        written = made.get(parameter)
        if written is None:
            yield subject, _mismatch(1, 0, f"{subject} is not made, as far as the kernel can be followed")
            continue
        for number, wanted in map_fields(described).items():
            found = written.get(number)
            if number not in written:
                yield subject, _mismatch(wanted, 0, f"{subject} is made without {field_name(number)}")
            elif number != MapField.global_address and found != wanted:
                text = f"{subject} is made with {field_name(number)} = {found}, its description has {wanted}"
                yield subject, _mismatch(wanted, found or 0, text)


def _mismatch(expected: int, found: int, message: str) -> Mismatch:
    return Mismatch(kind="tensor_map", expected=expected, found=found, message=message)
