# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verification of modules that hold many equal programs, as an unrolled network does.

The checks of our dialects, which are in Python, look at one of the programs that are equal but for their names, and at
one of the applications of equal operators that are equal but for their buffers; those of MLIR look at all of them.
"""

from collections.abc import Hashable
from typing import Any

from roller_mlir.dialects import rammer, rtile
from roller_mlir.dialects.rtile.checks import checked
from roller_mlir.lowering.linalg.rewrite.equal_programs import said_by
from roller_mlir.support.bindings import ir


class ModuleVerifier:
    """Verifies modules of one context, as passes make them one from the other.

    It remembers what it has found right by what it says: that is all that its checks look at.
    """

    def __init__(self) -> None:
        self._right: set[Hashable] = set()
        self._operators: dict[Hashable, int] = {}

    def __call__(self, module: ir.Module) -> None:
        """Verify a module.

        Raises:
            MLIRError: It is not valid.
        """
        said = _Alone(module.operation).said(self._operators)
        new = {one: op for one, op in reversed(said) if one not in self._right}
        if len(new) == len(said):
            module.operation.verify()
        else:
            for op in new.values():
                op.operation.verify()
            with checked(module.context):
                module.operation.verify()
        self._right.update(new)


class _Alone:
    """What stands in a module so often that equal ones are checked once: its programs and applications."""

    def __init__(self, operation: ir.Operation) -> None:
        self._programs: list[rtile.ProgramOp] = []
        self._applications: list[rammer.ApplyOp] = []
        self._operators: list[tuple[rammer.OperatorOp, slice]] = []  # with its programs among all
        self._find(operation)

    def _find(self, operation: ir.Operation) -> None:
        for region in operation.regions:
            for block in region.blocks:
                for op in block.operations:
                    if isinstance(op, rammer.ApplyOp):
                        self._applications.append(op)
                    elif isinstance(op, rtile.ProgramOp):
                        self._programs.append(op)
                    elif len(op.operation.regions):
                        first = len(self._programs)
                        self._find(op.operation)
                        if isinstance(op, rammer.OperatorOp):
                            self._operators.append((op, slice(first, len(self._programs))))

    def said(self, operators: dict[Hashable, int]) -> list[tuple[Hashable, Any]]:
        """Return what each of them says, with the op.

        A program says all but its name and its operands, of which the types count; an application likewise, with the
        number of what the operator says that it names.

        Args:
            operators: Numbers of what operators say, to which new ones are added.
        """
        programs = [said_by(program) for program in self._programs]
        number_of: dict[str | None, int] = {}
        for operator, own in self._operators:
            arguments = [argument.type for block in operator.regions[0].blocks for argument in block.arguments]
            whole = tuple(operator.attributes.items()), tuple(arguments), tuple(programs[own])
            number_of[_symbol(operator, "sym_name")] = operators.setdefault(whole, len(operators))
        said: list[tuple[Hashable, Any]] = [*zip(programs, self._programs, strict=True)]
        for op in self._applications:
            types = tuple([operand.type for operand in op.operands])
            said.append(((tuple(op.attributes.items()), types, number_of.get(_symbol(op, "callee"))), op))
        return said


def _symbol(op: Any, name: str) -> str | None:
    """Return the symbol that an attribute says, None where it says none: nobody has looked at it yet."""
    symbol = op.attributes.get(name)
    return symbol.value if isinstance(symbol, (ir.StringAttr, ir.FlatSymbolRefAttr)) else None
