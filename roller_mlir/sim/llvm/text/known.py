# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what LLVM itself read in a stranger's text, and refuses what the simulator does not know.

LLVM parses the text, verifies it and prints it again: spaces, comments, quotes and numbers are then LLVM's own, one
instruction a line. The values that LLVM read are walked: every instruction and callee must be known. What is printed is
read line by line, and must be the same instructions in the same order.
"""

import re
from typing import Any

from roller_mlir.sim.llvm.text.instruction import ASSEMBLY, SAFE, LlvmInstruction, Spelling

MOST_TEXT_BYTES = 64 << 20
"""Largest text of a kernel, in bytes."""
MOST_LANES = 1024
"""Most elements of a vector, and of an array that is a value."""
WIDEST_INTEGER = 512
"""Widest integer, in bits."""
MOST_ELEMENTS = 1 << 26
"""Most elements of an array in memory."""

PLAIN = frozenset({
    "ret", "fneg", "add", "fadd", "sub", "fsub", "mul", "fmul", "fdiv", "frem", "shl", "lshr", "ashr", "and", "or",
    "xor", "getelementptr", "trunc", "zext", "sext", "fptoui", "fptosi", "uitofp", "sitofp", "fptrunc", "fpext",
    "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "icmp", "fcmp", "phi", "select", "freeze", "extractelement",
    "insertelement", "shufflevector", "extractvalue", "insertvalue",
})  # fmt: skip
"""Instructions that touch no memory, call nobody and cannot trap: they run as they are."""
DIVISIONS = frozenset({"udiv", "sdiv", "urem", "srem"})
ACCESSES = frozenset({"load", "store", "atomicrmw", "cmpxchg"})
_RESULTS = (PLAIN - {"ret"}) | DIVISIONS | {"load", "alloca"}
_NO_RESULTS = frozenset({"store", "br", "ret"})
KNOWN = PLAIN | DIVISIONS | ACCESSES | {"br", "switch", "unreachable", "alloca", "fence", "call"}
"""Every instruction that a kernel may have."""

_STRING = re.compile(r'"[^"]*"')
_SCOPES = re.compile(r'syncscope\("[\w-]*"\)')
_BUNDLES = re.compile(r'"align"\(')
_OPCODE = re.compile(r"(?:%[\w$.-]+ = )?(?:(?:tail|musttail|notail) )?(\w+)")
_CALLEE = re.compile(r"@([\w$.-]+)\(")
_CONSTANTS = re.compile(r"\b(blockaddress|dso_local_equivalent|no_cfi|ptrauth)\b")
_WIDTH = re.compile(r"(?<![\w.$%@-])i(\d+)\b|<(?:vscale x )?(\d+) x |\[(\d+) x ")


class UnknownTextError(Exception):
    """LLVM IR holds what the simulator does not know; the text says what."""


def walk(module: Any, function: Any) -> list[LlvmInstruction]:
    """Return the instructions of a kernel in order, still without the lines that LLVM prints of them.

    Values and blocks that have no name, or one that could be taken for something else, are called `n.NUMBER`.

    Raises:
        UnknownTextError: A variable has a name that could be taken for something else.
    """
    for variable in module.global_variables:
        if not SAFE.fullmatch(variable.name):
            raise UnknownTextError(f"its variable '{variable.name}' has a name that cannot be simulated")
    spelling = Spelling(module)
    for argument in function.arguments:
        spelling.name(argument)
    found: list[LlvmInstruction] = []
    for block in function.blocks:
        label = spelling.name(block)[1:]
        for value in block.instructions:
            one = LlvmInstruction(value=value, spelling=spelling, opcode=str(value.opcode), block=label)
            # LLVM ends the process where what has no result gets a name.
            if one.opcode in _RESULTS or (one.opcode not in _NO_RESULTS and one.kind != "void"):
                one.result = spelling.name(value)
            found.append(one)
    return found


def opcode_of(line: str) -> str:
    """Return the opcode of an instruction that LLVM printed.

    >>> opcode_of("%r = tail call i32 @f()"), opcode_of("ret void")
    ('call', 'ret')
    """
    found = _OPCODE.match(line)
    return found[1] if found else ""


def callee_of(line: str) -> str:
    """Return the callee of a call that LLVM printed, "" for one of a value, `ASSEMBLY` for inline assembly."""
    if '"' in line:
        line = _STRING.sub('""', line)
        if re.search(r'\basm (?:\w+ )*"", ""\(', line):
            return ASSEMBLY
    found = _CALLEE.search(line)
    return found[1] if found else ""


def check_line(one: LlvmInstruction, variables: frozenset[str]) -> None:
    """Refuse what is not known in the line that LLVM printed of an instruction.

    Args:
        one: The instruction and the line.
        variables: Global variables, without sigils.

    Raises:
        UnknownTextError: It is not known, is another one than LLVM read, has a type that is too wide, or the address of
            what is no variable.
    """
    line, opcode, callee = one.line, one.opcode, one.callee
    if opcode == "call" and (not callee or callee in variables):
        raise UnknownTextError("an indirect call cannot be simulated")
    result = line.partition(" = ")[0] if one.result else ""
    if (result, opcode_of(line)) != (one.result, opcode) or (opcode == "call" and callee_of(line) != callee):
        raise UnknownTextError(f"'{line[:80]}' cannot be read as the {opcode} that it is")
    bare = line
    if '"' in line:
        if callee != ASSEMBLY and '"' in (_BUNDLES if callee == "llvm.assume" else _SCOPES).sub("", line):
            raise UnknownTextError(f"'{line[:80]}' holds a string")
        bare = _STRING.sub('""', line)
    if found := _CONSTANTS.search(bare):
        raise UnknownTextError(f"'{found[1]}' is not known to the simulator")
    check_widths(bare, in_memory=opcode in ("alloca", "getelementptr"))
    known = variables | {callee}
    for name in re.findall(r"@([\w$.-]+)", bare):
        if name not in known:
            raise UnknownTextError(f"the address of '{name}' cannot be simulated")


def check_widths(text: str, *, in_memory: bool) -> None:
    """Refuse integers, vectors and arrays that are too wide.

    Raises:
        UnknownTextError: One is.
    """
    for integer, vector, array in _WIDTH.findall(text):
        limits = ((integer, WIDEST_INTEGER), (vector, MOST_LANES), (array, MOST_ELEMENTS if in_memory else MOST_LANES))
        for spelled, most in limits:
            if spelled and (len(spelled) > 9 or int(spelled) > most):
                what = "an integer" if integer else "a vector" if vector else "an array"
                size = spelled if len(spelled) <= 20 else f"{spelled[:20]}..."
                raise UnknownTextError(
                    f"{what} of {size} {'bits' if integer else 'elements'} is above the limit {most}"
                )
