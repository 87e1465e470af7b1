# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workgroup variables as values: constant expressions that hold addresses of variables become instructions.

A workgroup variable is one address for all blocks on a GPU; here each resident block has its own memory, so that

    store i32 0, ptr addrspace<3> getelementptr (i8, ptr addrspace<3> @w, i64 64)

becomes `%roller.c0 = getelementptr i8, ptr addrspace<3> %roller.w0, i64 64`, at the start of the kernel, and its use. A
structure `{ ptr addrspace<3> @w, i64 0 }` is made there too, by `insertvalue`.
"""

import re
from collections.abc import Mapping

from roller_mlir.sim.llvm.text.module import KernelText, split_top

_OPCODE = "getelementptr|addrspacecast|ptrtoint|inttoptr|bitcast|add|sub|xor|trunc"
# Behind an opcode are flags alone: of "add i32 ptrtoint (ptr @w to i32), 1" one operand is an expression.
_EXPRESSION = re.compile(rf"\b({_OPCODE})((?: (?:inbounds|nusw|nuw|nsw))*) \(([^()]*(?:%roller\.[wc]|@)[^()]*)\)")
_BINARY = ("add", "sub", "xor")
_STRUCTURE = re.compile(r"\{ ([^{}]*%roller\.[wc][^{}]*) \}")
_FIELD = re.compile(r"(\[[^\]]*\]|ptr addrspace<\d+>|[\w.]+) (.+)")


def expand_workgroup_constants(kernel: KernelText, names: Mapping[str, str]) -> list[str]:
    """Replace workgroup variables in the kernel's body.

    Args:
        kernel: Lines and operands of its body are changed.
        names: The value that replaces each variable.

    Returns:
        Instructions for the start of the kernel.
    """
    spelled = [rf"{re.escape(name)}(?![\w.$-])" for name in sorted(names, key=len, reverse=True)]
    named = re.compile("|".join(spelled) or r"(?!)")
    made: dict[str, str] = {}

    def hoist(match: re.Match[str]) -> str:
        opcode, flags, operands = match.groups()
        if opcode in _BINARY:
            left, right = split_top(operands)
            operands = f"{left}, {right.split(' ', 1)[1]}"
        text = f"{opcode}{flags} {operands}"
        return made.setdefault(text, f"%roller.c{len(made)}")

    def gather(match: re.Match[str]) -> str:
        fields = [found.groups() for one in split_top(match[1]) if (found := _FIELD.fullmatch(one.strip()))]
        kind = f"{{ {', '.join(one for one, _ in fields)} }}"
        known = ("poison" if value.startswith("%roller.") else value for _, value in fields)
        whole = f"{{ {', '.join(f'{one} {value}' for (one, _), value in zip(fields, known, strict=True))} }}"
        for place, (one, value) in enumerate(fields):
            if value.startswith("%roller."):
                text = f"insertvalue {kind} {whole}, {one} {value}, {place}"
                whole = made.setdefault(text, f"%roller.c{len(made)}")
        return whole

    def expand(text: str) -> str:
        text = named.sub(lambda match: names[match[0]], text)
        while _EXPRESSION.search(text):
            text = _EXPRESSION.sub(hoist, text)
        return _STRUCTURE.sub(gather, text)

    for one in kernel.body:
        if "@" in one.line and (line := expand(one.line)) != one.line:
            one.line, one.operands = line, tuple((kind, expand(value)) for kind, value in one.operands)
    return [f"{name} = {text}" for text, name in made.items()]
