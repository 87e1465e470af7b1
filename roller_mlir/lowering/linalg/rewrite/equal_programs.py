# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are equal but for their names and tensors: what a pass makes of the first serves all of them.

    %1 = "rtile.program"(%0, %w) ({ ... }) {sym_name = "matmul_0", plan = ...}
    %2 = "rtile.program"(%1, %w) ({ ... }) {sym_name = "matmul_1", plan = ...}    // the same region, the same plan

Each keeps its name, under which its plan is found, and stays a program of its own until it becomes a launch; both
launches are of one kernel, which has the first one's name. A program that is edited on the way is equal to none. The
comparison is of what they say, so it holds for IR of any origin.
"""

import os
import resource
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from roller_mlir.dialects import rtile
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import replace_op

_Made = TypeVar("_Made")


class EqualPrograms(Generic[_Made]):
    """What was made of programs, by what they say.

    Args:
        make: What to make of a program that is equal to none before.
    """

    def __init__(self, make: Callable[[rtile.ProgramOp], _Made]) -> None:
        self._make = make
        self._made: dict[Hashable, _Made] = {}

    def of(self, program: rtile.ProgramOp) -> tuple[_Made, bool]:
        """Return what was made of the first program that is equal to one, and whether that is made anew."""
        said = said_by(program)
        if said in self._made:
            return self._made[said], False
        made = self._made[said] = self._make(program)
        return made, True


def said_by(program: rtile.ProgramOp) -> Hashable:
    """Return what a program says, without its name and without what its operands are called outside.

    Its own attributes are compared as they are, which are one where they are equal; the rest is compared as text.
    """
    attributes = program.attributes
    own = {name: attributes[name] for name in attributes if name != "sym_name"}
    for name in own:
        del attributes[name]
    try:
        return _text(program), *own.items()
    finally:
        for name, value in own.items():
            attributes[name] = value


def _text(program: rtile.ProgramOp) -> bytes:
    """Return what a program says, as text, but for its name and what its operands are called outside.

    MLIR hands what it prints to Python in pieces of three characters, which takes longer than all the rest; so it
    prints into a file, which is memory. Not where the size of files is limited: LLVM would end the process.
    """
    name = program.attributes["sym_name"]
    program.attributes["sym_name"] = ir.StringAttr.get("")
    # From the op alone: numbering the values around it would take as long as the whole module.
    form: dict[str, Any] = {"use_local_scope": True, "print_generic_op_form": True, "assume_verified": True}
    try:
        if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
            return program.operation.get_asm(**form).encode()
        file = os.memfd_create("roller-program")
        try:
            program.operation.print(file=f"/proc/self/fd/{file}", **form)
            return os.pread(file, os.fstat(file).st_size, 0)
        finally:
            os.close(file)
    finally:
        program.attributes["sym_name"] = name


def copy_of(first: rtile.ProgramOp, program: rtile.ProgramOp) -> rtile.ProgramOp:
    """Replace a program by a copy of another on its own operands, under its own name; return the copy.

    Args:
        first: A program with operands and results of the same types.
        program: It is erased.
    """
    with ir.InsertionPoint(program), program.location:
        copy = first.operation.clone(ip=ir.InsertionPoint(program))
    for number, operand in enumerate(program.operands):
        copy.operation.operands[number] = operand
    copy.operation.attributes["sym_name"] = program.attributes["sym_name"]
    replace_op(program.operation, *copy.operation.results)
    return copy.operation.opview
