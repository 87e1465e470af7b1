# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model says of tiles of others: times, the terms that a residual sees, and times with a residual."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from os import PathLike

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.cnnopt_rows import Row, row_kind, row_work
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.machine import Machine
from roller_mlir.model.residual.file import ResidualError, find_residual
from roller_mlir.model.residual.residual import Residual
from roller_mlir.model.residual.terms import MeasuredTile, tile_terms, work_terms


@dataclass(frozen=True)
class TilePrediction:
    """The model's time of a tile in seconds, and its terms by name."""

    seconds: float
    terms: Mapping[str, float]


def tile_prediction(work: CandidateWork, tile: MeasuredTile, machine: Machine) -> TilePrediction:
    """Return what the model says of a tile that fits a machine."""
    layers = seconds_by_layer(work, machine)
    seconds = total_seconds(layers, machine.device.model, alternates=work.alternates)
    return TilePrediction(seconds, {**work_terms(work, layers, seconds, machine), **tile_terms(tile)})


def known_residual(kind: str, machine: Machine, path: str | PathLike[str] | None = None) -> Residual | None:
    """Return the residual of a class of tiles on a machine, whether it counts or not; None where there is none.

    Raises:
        SuiteError: A file of residuals cannot be read.
    """
    try:
        return find_residual(kind, machine.device.architecture, path)
    except ResidualError as error:
        raise SuiteError(str(error)) from None


def rows_seconds(rows: Sequence[Row], machine: Machine, residual: Residual | None) -> list[float]:
    """Return the seconds expected of configurations of one class, infinitely many of those that do not fit.

    Args:
        rows: The configurations.
        machine: Where.
        residual: By which the model's times are corrected; None for the model alone.
    """
    works = [row_work(row, machine) for row in rows]
    fitting = [(place, work) for place, work in enumerate(works) if work is not None]
    said = [tile_prediction(work, rows[place], machine) for place, work in fitting]
    factors = [1.0] * len(said) if residual is None else residual.factors([one.terms for one in said])
    seconds = [inf] * len(rows)
    for (place, _), one, factor in zip(fitting, said, factors, strict=True):
        seconds[place] = one.seconds * factor
    return seconds


def rows_residual(rows: Sequence[Row], machine: Machine, path: str | PathLike[str] | None = None) -> Residual | None:
    """Return the residual that is known of configurations of one class. Raises SuiteError as `known_residual`."""
    return known_residual(row_kind(rows[0]), machine, path) if rows else None
