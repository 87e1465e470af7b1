# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer.operator`: an operator type (RAMMER's rOperator), with one or more programs that compute it (its rKernels).

The region is isolated; its arguments are the buffers of an application, and each `rtile.program` in it works on all of
them, in their order. The first program is the one that is fastest alone.

    "rammer.operator"() ({
    ^bb0(%a: memref<64x96xf32>, %b: memref<96x128xf32>, %c: memref<64x128xf32>):
      "rtile.program"(%a, %b, %c) ({ ... }) {sym_name = "matmul_0"} : (...) -> ()
    }) {early = array<i64: 1>, sym_name = "matmul_0"} : () -> ()

`early` names the operands that its tasks may access before their waits are over: waits protect the others. A task's
waits then stand in its body, in front of the first access to an operand that they protect; without it, in front of the
body. `resident` names those of them of which each task reads a slice from a slot of workgroup memory, where it stays:
the task brings it, or one before it on the same vEU has, as the schedule says.

Paper: RAMMER, section 3.1.
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.dialects.rammer.dialect import Rammer
from roller_mlir.dialects.rtile.checks import (
    hook,
    integers,
    known_attributes,
    optional_attribute,
    require,
    required_attribute,
    single_block,
    static_shape,
)
from roller_mlir.dialects.rtile.program import ProgramOp
from roller_mlir.support.bindings import ext, ir


class OperatorOp(Rammer.Operation, name="operator", traits=[ir.IsIsolatedFromAboveTrait, ir.NoTerminatorTrait]):
    """An operator type and the programs that compute it. See the module's description."""

    sym_name: ir.StringAttr
    body: ext.Region

    @property
    def entry(self) -> Any:
        """The block of the region."""
        return self.regions[0].blocks[0]

    @property
    def programs(self) -> list[ProgramOp]:
        """The programs, the one that is fastest alone first."""
        return [op for op in self.entry.operations if isinstance(op, ProgramOp)]

    @property
    def early(self) -> tuple[int, ...]:
        """The operands that its tasks may access before their waits are over."""
        return tuple(self.attributes["early"]) if "early" in self.attributes else ()

    @property
    def resident(self) -> tuple[int, ...]:
        """Those of them whose slices stay in workgroup memory."""
        return tuple(self.attributes["resident"]) if "resident" in self.attributes else ()

    @hook
    def verify_invariants(self) -> None:
        """Check the attributes."""
        name = required_attribute(self, "sym_name", ir.StringAttr, "a string")
        require(name.value != "", "requires a name, but sym_name is empty")
        known_attributes(self, ("sym_name", "early", "resident"))
        for key in ("early", "resident"):
            numbers = optional_attribute(self, key, ir.DenseI64ArrayAttr, "array<i64: ...>")
            if numbers is not None:
                integers(numbers, key, at_least=0)

    @hook
    def verify_region_invariants(self) -> None:
        """Check that the region holds programs on its arguments alone."""
        block = single_block(self)
        arguments = list(block.arguments)
        for number, argument in enumerate(arguments):
            static_shape(argument.type, f"argument {number}")
            is_memref = isinstance(argument.type, ir.MemRefType)
            require(is_memref, f"argument {number} must be a memref, but is {argument.type}")
        numbers = list(self.early)
        good = numbers == sorted({*numbers}) and all(number < len(arguments) for number in numbers)
        require(good, f"attribute 'early' must name some of {len(arguments)} operands in order, but is {numbers}")
        kept = list(self.resident)
        good = kept == sorted({*kept}) and {*kept} <= {*numbers}
        require(good, f"attribute 'resident' must name some of the early operands {numbers} in order, but is {kept}")
        operations = list(block.operations)
        require(len(operations) > 0, "needs at least 1 'rtile.program'")
        for op in operations:
            require(
                op.operation.name == "rtile.program", f"holds '{op.operation.name}'; only 'rtile.program' may stand"
            )
            whole = list(op.operation.operands) == arguments
            require(whole, "needs programs whose operands are its arguments, all of them in their order")


def operator(name: str, kinds: Sequence[Any], *, loc: Any = None, ip: Any = None) -> OperatorOp:
    """Build a `rammer.operator` with an empty `entry` block, which the caller fills with programs.

    Args:
        name: Its symbol.
        kinds: Memref types of its buffers.
        loc: Location; the current one where None.
        ip: Insertion point; the current one where None.
    """
    attributes: dict[str, Any] = {"sym_name": ir.StringAttr.get(name)}
    op = ir.Operation.create("rammer.operator", attributes=attributes, regions=1, loc=loc, ip=ip)
    op.regions[0].blocks.append(*kinds, arg_locs=[op.location] * len(kinds))
    return op.opview
