# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer.apply`: an operator on buffers. `kernel` says which of its programs computes it, the first by default.

    "rammer.apply"(%x, %w, %h) {callee = @matmul_0} : (memref<64x96xf32>, memref<96x128xf32>, memref<64x128xf32>) -> ()

Its tasks are those of that program. Where loads and stores of the program are indexed by constants `{rammer.start}` in
its entry block, `starts` says what stands there in this application, a number for each: slices of one tensor, say, of a
time step each. Applications that differ in their buffers and starts alone share one body.

    "rtile.program"(%x, %w, %h) ({
    ^bb0(%a: memref<8x32xf32>, ...):
      %s = arith.constant {rammer.start} 0 : index
      ... "rtile.load"(%a, %i, %s) {origin = affine_map<(d0, d1) -> (d0 + d1, 0)>, ...} : ...
    }) {sym_name = "matmul_0"} : (...) -> ()
    "rammer.apply"(%x, %w, %h) {callee = @matmul_0, starts = array<i64: 6>} : (...) -> ()

`seconds` is the predicted time of one of its tasks, of which `early_seconds` may pass before its waits are over;
`found_seconds` and `found_early_seconds` are those of a task that finds all slices of resident operands. `units` is the
share of the device that this is predicted for, beside operators of the same wave; without it, the whole.

Paper: RAMMER, section 3.1.
"""

from collections.abc import Sequence
from math import inf
from typing import Any

from roller_mlir.dialects.rammer.dialect import Rammer
from roller_mlir.dialects.rammer.operator import OperatorOp
from roller_mlir.dialects.rtile.checks import (
    InvalidOpError,
    check_types,
    hook,
    integers,
    is_checked,
    known_attributes,
    optional_attribute,
    require,
    required_attribute,
)
from roller_mlir.dialects.rtile.program import ProgramOp
from roller_mlir.dialects.rtile.slots import OPERAND_SIZES, occupy, slots, vacate
from roller_mlir.support.bindings import ir

_TIMES = ("seconds", "early_seconds", "found_seconds", "found_early_seconds")

START = "rammer.start"
"""What marks the constants of a program that stand for the starts of an application."""


class FreeBuffers(Rammer.Operation):
    """Base of ops whose operands may each have a type of their own."""

    __annotations__ = slots(results=False)


class ApplyOp(FreeBuffers, name="apply"):
    """An operator on buffers. See the module's description."""

    @property
    def callee(self) -> OperatorOp:
        """The operator."""
        return _operator_named(self, self.attributes["callee"].value)

    @property
    def kernel(self) -> int:
        """Which of the operator's programs computes it."""
        return self.attributes["kernel"].value if "kernel" in self.attributes else 0

    @property
    def starts(self) -> tuple[int, ...]:
        """What stands for the starts of the program, in elements."""
        return tuple(self.attributes["starts"]) if "starts" in self.attributes else ()

    @property
    def seconds(self) -> float | None:
        """The predicted time of a task, in seconds; None where nobody has predicted it."""
        return self.attributes["seconds"].value if "seconds" in self.attributes else None

    @property
    def early_seconds(self) -> float:
        """What of that may pass before the task's waits are over."""
        return self.attributes["early_seconds"].value if "early_seconds" in self.attributes else 0.0

    @property
    def found_seconds(self) -> tuple[float, float] | None:
        """The predicted time of a task that finds its resident slices, and what of it may pass before its waits.

        None where nobody has predicted it.
        """
        if "found_seconds" not in self.attributes:
            return None
        return self.attributes["found_seconds"].value, self.attributes["found_early_seconds"].value

    @property
    def units(self) -> int | None:
        """Units of the device that its tasks share, of those of its wave; None for all."""
        return self.attributes["units"].value if "units" in self.attributes else None

    @property
    def program(self) -> ProgramOp:
        """The program that computes it."""
        return self.callee.programs[self.kernel]

    @hook
    def verify_invariants(self) -> None:
        """Check attributes, and the operands against the operator."""
        parent = self.operation.parent
        if parent is None or parent.name != "rammer.program":
            name = "nothing" if parent is None else parent.name
            raise InvalidOpError(f"must be inside 'rammer.program', not {name}")
        if not is_checked(self):
            self._check()
        occupy(self, results=False)

    def _check(self) -> None:
        known_attributes(self, ("callee", "kernel", "starts", *_TIMES, "units", OPERAND_SIZES))
        name = required_attribute(self, "callee", ir.FlatSymbolRefAttr, "a symbol").value
        seconds = optional_attribute(self, "seconds", ir.FloatAttr, "a number")
        require(seconds is None or 0 <= seconds.value < inf, f"attribute 'seconds' must be a time, but is {seconds}")
        early = optional_attribute(self, "early_seconds", ir.FloatAttr, "a number")
        good = early is None or (seconds is not None and 0 <= early.value <= seconds.value)
        require(good, f"attribute 'early_seconds' must be a part of 'seconds', but is {early}")
        found, found_early = (optional_attribute(self, key, ir.FloatAttr, "a number") for key in _TIMES[2:])
        good = found is None or (seconds is not None and 0 <= found.value <= seconds.value)
        require(good, f"attribute 'found_seconds' must be a part of 'seconds', but is {found}")
        both = (found is None) == (found_early is None)
        good = both and (found is None or 0 <= found_early.value <= found.value)
        require(good, f"attribute 'found_early_seconds' must be a part of 'found_seconds', but is {found_early}")
        units = optional_attribute(self, "units", ir.IntegerAttr, "an integer")
        require(units is None or units.value > 0, f"attribute 'units' must be at least 1, but is {units}")
        kernel = optional_attribute(self, "kernel", ir.IntegerAttr, "an integer")
        operator = _operator_named(self, name)
        kinds = [argument.type for argument in operator.entry.arguments]
        check_types([operand.type for operand in self.operands], kinds, "operands", f"argument of @{name}")
        count = len(operator.programs)
        good = kernel is None or 0 <= kernel.value < count
        require(good, f"attribute 'kernel' must be one of the {count} programs of @{name}, but is {self.kernel}")
        starts = optional_attribute(self, "starts", ir.DenseI64ArrayAttr, "array<i64: ...>")
        given = () if starts is None else integers(starts, "starts", at_least=0)
        wanted = len(start_values(operator.programs[self.kernel]))
        good = len(given) == wanted and all(start < 2**31 for start in given)
        require(good, f"attribute 'starts' must give {wanted} numbers of 31 bits to @{name}, but gives {list(given)}")

    @hook
    def verify_region_invariants(self) -> None:
        """Take back what `verify_invariants` set."""
        vacate(self, results=False)


def start_values(program: ProgramOp) -> list[ir.Value]:
    """Return what stands for the starts of an application in a program, in their order."""
    constants = [op.operation for op in program.entry.operations if op.operation.name == "arith.constant"]
    return [op.results[0] for op in constants if START in op.attributes]


def _operator_named(op: Any, name: str) -> OperatorOp:
    """Return the operator of the module that has a name."""
    module = op.operation
    while module.name != "builtin.module" and module.parent is not None:
        module = module.parent.operation
    # A module with hundreds of weights has as many globals: they are not looked at in Python. Its verifier refuses two
    # of a name.
    found = None
    if module.name == "builtin.module" and name in (symbols := ir.SymbolTable(module)):
        found = symbols[name]
    require(isinstance(found, OperatorOp), f"needs 1 'rammer.operator' @{name} in the module, but there are 0")
    return found


def apply(
    callee: str,
    buffers: Sequence[Any],
    *,
    kernel: int = 0,
    starts: Sequence[int] = (),
    seconds: float | None = None,
    units: int | None = None,
    loc: Any = None,
    ip: Any = None,
) -> ApplyOp:
    """Build a `rammer.apply`.

    Args:
        callee: Symbol of the operator.
        buffers: Memrefs, one an argument of the operator.
        starts: What stands for the starts of its program, in elements.
        kernel: Which of the operator's programs computes it.
        seconds: The predicted time of a task, in seconds.
        units: Units that its tasks share; None for all.
        loc: Location; the current one where None.
        ip: Insertion point; the current one where None.
    """
    attributes: dict[str, Any] = {"callee": ir.FlatSymbolRefAttr.get(callee)}
    if starts:
        attributes["starts"] = ir.DenseI64ArrayAttr.get(list(starts))
    if kernel:
        attributes["kernel"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), kernel)
    if seconds is not None:
        attributes["seconds"] = ir.FloatAttr.get(ir.F64Type.get(), seconds)
    if units is not None:
        attributes["units"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), units)
    return ir.Operation.create("rammer.apply", operands=list(buffers), attributes=attributes, loc=loc, ip=ip).opview
