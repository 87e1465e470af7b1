# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes undefined behaviour out of the LLVM IR of kernels: what a GPU computes without harm must not end this process.

    %3 = sdiv i32 %1, %2      -> the quotient; -1 (all bits set) where %2 is 0; %1 where it would overflow
    %3 = srem i32 %1, %2      -> the remainder; %1 where %2 is 0; 0 where the division would overflow
    %3 = add nsw i32 %1, %2   -> %3 = add i32 %1, %2
    %3 = select i1 %c, i64 poison, i64 %1   -> 0 for the value without meaning

PTX leaves the result of a division by 0 to the machine; NVIDIA's gives all bits set. Without flags and values without
meaning, LLVM cannot conclude that an address is inside where it is not: every check checks what is used.
"""

import re

from roller_mlir.sim.llvm.text.module import split_top

_FLAGS = re.compile(
    r"(?m)^(\s*%\S+ = (?:add|sub|mul|shl|lshr|ashr|or|trunc|zext|uitofp|icmp|[us]div|getelementptr))"
    r"(?: (?:nuw|nsw|nusw|inbounds|exact|disjoint|nneg|samesign))+"
)
_MEANINGLESS = re.compile(r"(?<![\w.$%@\"-])(?:poison|undef)(?![\w.$-])")
_DIVISION = re.compile(r"(?m)^\s*(%\S+) = ([us])(div|rem) (i\d+|<\d+ x i\d+>) (.*)$")


def harden(text: str) -> str:
    """Return LLVM IR that computes the same wherever that is defined, and traps nowhere.

    Args:
        text: LLVM IR as MLIR's translation gives it.
    """
    made = 0

    def divide(match: re.Match[str]) -> str:
        nonlocal made
        made += 1
        return _divide(match, f"%roller.division{made}")

    return _DIVISION.sub(divide, _MEANINGLESS.sub("zeroinitializer", _FLAGS.sub(r"\1", text)))


def _divide(match: re.Match[str], name: str) -> str:
    result, sign, operation, kind, rest = match.groups()
    above, below = split_top(rest)
    constants = [int(one) for one in re.findall(r"(?:^|[ (])(-?\d+)", re.sub(r"\bi\d+\b", "", below))]
    if "%" not in below and constants and not {0, -1} & set(constants):
        return match[0]
    element = kind if kind.startswith("i") else kind.split(" x ")[1][:-1]

    def constant(value: int) -> str:
        return f"{value}" if kind == element else f"splat ({element} {value})"

    bit = "i1" if kind == element else f"{kind.split(' x ')[0]} x i1>"
    lines = [f"{name}.zero = icmp eq {kind} {below}, zeroinitializer"]
    unsafe = f"{name}.zero"
    if sign == "s":
        lines += [
            f"{name}.least = icmp eq {kind} {above}, {constant(-(1 << int(element[1:]) - 1))}",
            f"{name}.minus = icmp eq {kind} {below}, {constant(-1)}",
            f"{name}.over = and {bit} {name}.least, {name}.minus",
            f"{name}.unsafe = or {bit} {name}.zero, {name}.over",
        ]
        unsafe = f"{name}.unsafe"
    instead = constant(-1) if operation == "div" else above
    lines += [
        f"{name}.by = select {bit} {unsafe}, {kind} {constant(1)}, {kind} {below}",
        f"{name}.found = {sign}{operation} {kind} {above}, {name}.by",
        f"{result} = select {bit} {name}.zero, {kind} {instead}, {kind} {name}.found",
    ]
    return "\n".join(f"  {line}" for line in lines)
