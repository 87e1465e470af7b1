# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where LLVM leaves an operation undefined: whatever a kernel gives there is right, so there is nothing to compare.

Division by 0 and INT_MIN / -1 are undefined behaviour; a shift by the width of its type or more, and a float that the
integer type of its conversion cannot hold, give poison. Operations are looked at wherever they are evaluated, whether a
select takes what they give or not: of a division that is no matter, of poison it reports too much. The sides of an
`scf.if` are looked at where they are taken. Promises of the program (`nsw`, `exact`, `nnan`) are not looked at.
"""

import contextlib
from collections.abc import Generator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.integers import as_signed, as_unsigned, width_of
from roller_mlir.evaluation.reference.values import Array
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import place_of

SIGNED_DIVISIONS = ("arith.divsi", "arith.remsi", "arith.floordivsi", "arith.ceildivsi")
DIVISIONS = (*SIGNED_DIVISIONS, "arith.divui", "arith.remui", "arith.ceildivui")
SHIFTS = ("arith.shli", "arith.shrsi", "arith.shrui")
TO_INTEGERS = ("arith.fptosi", "arith.fptoui")
PARTIAL = frozenset((*DIVISIONS, *SHIFTS, *TO_INTEGERS))
"""Operations that are undefined for some operands."""


def element_of(kind: Any) -> str:
    """Return the element type of a tensor, or a scalar's own type, as MLIR spells it."""
    return str(ir.RankedTensorType(kind).element_type if isinstance(kind, ir.RankedTensorType) else kind)


@dataclass(frozen=True)
class Undefined:
    """An operation that was evaluated where it is undefined.

    Attributes:
        operation: Its name.
        why: What it did.
        place: Where it stands, as file:line:column; "" where that is not known.
        points: At how many points.
    """

    operation: str
    why: str
    place: str
    points: int

    def named(self, file: str) -> "Undefined":
        """Return it with the name of the file whose text was evaluated."""
        return replace(self, place=f"{file}:{self.place.removeprefix('-:')}") if self.place else self

    def __str__(self) -> str:
        where = f" at {self.place}" if self.place else ""
        times = "once" if self.points == 1 else f"at {self.points} points"
        return f"'{self.operation}'{where} {self.why} {times}"


class UndefinedLog:
    """Collects what was evaluated where it is undefined."""

    def __init__(self) -> None:
        """Begin with nothing found."""
        self._found: dict[tuple[Any, str], Undefined] = {}
        self.clamped = False
        """Whether an element or a slice lay outside of its tensor: defined here, by clamping, and undefined in MLIR."""

    def look_at(self, op: ir.Operation, operands: Sequence[Array], element_type: str) -> None:
        """Note where an operation of `PARTIAL` is undefined; see `note_undefined`."""
        reached = _reached.get()
        for why, found in _undefined(op.name, operands, element_type):
            where = found if reached is None else found & reached
            points = int(np.count_nonzero(where))
            if points:
                before = self._found.get((op, why))
                points += 0 if before is None else before.points
                self._found[op, why] = Undefined(op.name, why, _place(op), points)

    @property
    def operations(self) -> list[ir.Operation]:
        """The operations that were undefined somewhere."""
        return list(dict.fromkeys(op for op, _ in self._found))

    def findings(self) -> tuple[Undefined, ...]:
        """Return what was found, in the order in which it was met."""
        return tuple(self._found.values())


_log: ContextVar[UndefinedLog | None] = ContextVar("undefined", default=None)
_reached: ContextVar[Array | None] = ContextVar("reached", default=None)


@contextlib.contextmanager
def looking_for_undefined() -> Generator[UndefinedLog]:
    """Collect what is evaluated inside where it is undefined."""
    log = UndefinedLog()
    outer = _log.set(log)
    try:
        yield log
    finally:
        _log.reset(outer)


def note_undefined(op: ir.Operation, operands: Sequence[Array], element_type: str) -> None:
    """Tell whoever looks for it where an operation is undefined.

    Args:
        op: The operation.
        operands: Arrays that broadcast with each other.
        element_type: Of its result.
    """
    log = _log.get()
    if log is not None and op.name in PARTIAL:
        log.look_at(op, operands, element_type)


@contextlib.contextmanager
def noting_undefined_where(reached: Array | None) -> Generator[None]:
    """Leave out what is undefined at points that do not reach it.

    Args:
        reached: For each point whether it does, in a shape that broadcasts with the operands; None: all do.
    """
    token = _reached.set(reached)
    try:
        yield
    finally:
        _reached.reset(token)


def note_clamped() -> None:
    """Tell whoever looks for it that a position was outside of its tensor and has been moved inside."""
    log = _log.get()
    if log is not None:
        log.clamped = True


def _undefined(name: str, operands: Sequence[Array], element_type: str) -> list[tuple[str, Array]]:
    """Return why an operation may be undefined, each with the points at which it is."""
    if name in TO_INTEGERS:
        least, most = _range(element_type, signed=name == "arith.fptosi")
        whole = np.trunc(operands[0])
        return [(f"converts a number that {element_type} cannot hold", ~((whole >= least) & (whole < most)))]
    left, right = operands
    if name in SHIFTS:
        return [("shifts by the width of its type or more", as_unsigned(right) >= width_of(right))]
    found = [("divides by 0", as_unsigned(right) == 0)]
    if name in SIGNED_DIVISIONS:
        smallest = as_signed(left) == -(1 << width_of(left) - 1)
        found.append((f"divides the least {element_type} by -1", smallest & (as_signed(right) == -1)))
    return found


def _range(element_type: str, signed: bool) -> tuple[float, float]:
    """Return the least whole number of an integer type, and the first that is too large."""
    width = 64 if element_type == "index" else int(element_type.removeprefix("i"))
    return (-(2.0 ** (width - 1)), 2.0 ** (width - 1)) if signed else (0.0, 2.0**width)


def _place(op: Any) -> str:
    """Return where an operation stands, or, of a named op's own body, where the named op does."""
    place = place_of(op.location)
    if place is not None:
        return str(place)
    return "" if op.parent is None else _place(op.parent.operation)
