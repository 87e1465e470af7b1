# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads assembly text: the loops of a kernel, and what is in them. SASS (nvdisasm), PTX and AMD's GCN (LLVM)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from roller_mlir.lowering.backend.checks.matrix_instructions import is_group, matrix_count

_SASS_LABEL = re.compile(r"^(\.L_x_\d+):")
_SASS_LINE = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+\{?\s*(?:@!?U?P\w+\s+)?([A-Z][A-Za-z0-9_.]*)\s*(.*?);")
_SASS_NEVER = re.compile(r"@!PT\s+[A-Z]\w*")
_SASS_TARGET = re.compile(r"\((\.L_x_\d+)\)")
_GCN_LABEL = re.compile(r"^(\.?LBB\d+_\d+):")
_GCN_LINE = re.compile(r"^\t([a-z][a-z0-9_]*)\b(.*)$")
_GCN_TARGET = re.compile(r"(\.?LBB\d+_\d+)")
_PTX_LABEL = re.compile(r"^(\$L__BB\d+_\d+):")
_PTX_LINE = re.compile(r"^\s*(?:@!?(?:%p|P)\d+\s+)?([a-z][\w.:]*)\s*(.*)")
_PTX_TARGET = re.compile(r"(\$L__BB\d+_\d+)")
_PTX_WIDTH = re.compile(r"\],\s*(\d+)")


@dataclass(frozen=True)
class Listing:
    """The instructions of a kernel.

    Attributes:
        instructions: their names in the order of the text.
        loops: (first, last) instruction of each loop, that is of each branch to an earlier place.
    """

    instructions: tuple[str, ...]
    loops: tuple[tuple[int, int], ...]


def read_lines(
    lines: Iterable[str],
    label: re.Pattern[str],
    line: re.Pattern[str],
    target: re.Pattern[str],
    is_branch: Callable[[str], bool],
    named: Callable[[str, str], str] = lambda name, rest: name,
) -> Listing:
    """Read lines of text.

    Args:
        lines: the text.
        label: matches a label, whose name is its group.
        line: matches an instruction; its groups are the name and the operands.
        target: finds the label in the operands of a branch.
        is_branch: whether an instruction of a name is one.
        named: gives an instruction's name from that in the text and its operands.
    """
    instructions: list[str] = []
    labels: dict[str, int] = {}
    loops: list[tuple[int, int]] = []
    for text in lines:
        if found := label.match(text):
            labels[found[1]] = len(instructions)
        elif found := line.match(text):
            name, rest = found[1], found[2]
            if is_branch(name) and (goal := target.search(rest)) is not None and goal[1] in labels:
                loops.append((labels[goal[1]], len(instructions)))
            instructions.append(named(name, rest))
    return Listing(tuple(instructions), tuple(loops))


def read_sass(text: str) -> Listing:
    """Read what `nvdisasm -c` prints of one kernel; what no thread executes is a NOP.

    Beside asynchronous copies ptxas writes loads that never happen.

    >>> read_sass("        /*0010*/                   @!PT LDS RZ, [RZ] ;").instructions
    ('NOP',)
    """
    text = _SASS_NEVER.sub("@!PT NOP", text)
    return read_lines(
        text.splitlines(), _SASS_LABEL, _SASS_LINE, _SASS_TARGET, lambda name: name.split(".")[0] == "BRA"
    )


def read_ptx(text: str) -> Listing:
    """Read the PTX of one kernel."""
    return read_lines(
        text.splitlines(),
        _PTX_LABEL,
        _PTX_LINE,
        _PTX_TARGET,
        lambda name: name.split(".")[0] == "bra",
        lambda name, rest: (
            f"{name}.{width[1]}"
            if name.startswith("cp.async.c") and (width := _PTX_WIDTH.search(rest)) is not None and "group" not in name
            else name
        ),
    )


def read_gcn(text: str, kernel: str) -> Listing:
    """Read LLVM's AMDGPU assembly of one kernel; names are without `_e32` and `_e64` (encodings)."""
    start = text.find(f"\n{kernel}:")
    body = text[start : text.find("\n.Lfunc_end", start)] if start >= 0 else ""
    listing = read_lines(
        body.splitlines(), _GCN_LABEL, _GCN_LINE, _GCN_TARGET, lambda name: name.startswith(("s_cbranch", "s_branch"))
    )
    return Listing(tuple(re.sub(r"_e(32|64)$", "", name) for name in listing.instructions), listing.loops)


_PRODUCT = re.compile(
    r"(?:mul\.(?:rn\.)?(?:ftz\.)?b?f\d+(?P<ptx>x2)?|[FD]MUL|(?P<sass>[FH]MUL2)|v_(?P<gcn>pk_)?mul_(?:legacy_)?f\d+)\b"
)
_SUM = re.compile(
    r"(?:add\.(?:rn\.)?(?:ftz\.)?b?f\d+(?P<ptx>x2)?|[FD]ADD|(?P<sass>[FH]ADD2)|v_(?P<gcn>pk_)?add_f\d+)\b"
)


def multiply_add_count(instructions: Iterable[str], products: int = 0, sums: int = 0) -> int:
    """Count multiply-adds per thread: fused ones, and a product and a sum for each that LLVM took apart.

    LLVM moves a product under a mask that makes its factors 0, away from its sum, which is no less right.

    Args:
        instructions: names of PTX or machine code.
        products: multiplications that the kernel has beside.
        sums: additions, likewise.

    >>> multiply_add_count(["fma.rn.f32", "mul.f32", "add.rn.f32", "mul.wide.s32", "add.s64"])
    2
    >>> multiply_add_count(["v_fma_f32", "v_pk_mul_f32", "v_add_f32", "v_mul_lo_u32"]), multiply_add_count(["FMUL"])
    (2, 0)
    """
    names = list(instructions)

    def each(pattern: re.Pattern[str]) -> int:
        found = [match for name in names if (match := pattern.match(name)) is not None]
        return sum(2 if match.lastgroup else 1 for match in found)

    return fma_count(names) + max(0, min(each(_PRODUCT) - products, each(_SUM) - sums))


def fma_count(instructions: Iterable[str]) -> int:
    """Count fused multiply-adds per thread; a packed instruction holds two."""
    return sum(fmas_of(name) for name in instructions)


def fmas_of(name: str) -> int:
    """Return the fused multiply-adds of one instruction."""
    if name.startswith("fma."):  # PTX
        return 2 if "x2" in name else 1
    base = name.split(".")[0]
    if base in ("FFMA", "DFMA"):
        return 1
    if base in ("FFMA2", "HFMA2"):
        return 0 if name == "HFMA2.MMA" else 2  # HFMA2.MMA loads constants
    if base in (
        "v_fma_f32",
        "v_fmac_f32",
        "v_mad_f32",
        "v_mac_f32",
        "v_fma_f64",
        "v_fmac_f64",
        "v_fma_f16",
        "v_fma_mix_f32",
        "v_fmac_f16",
        "v_fmamk_f32",
        "v_fmaak_f32",
    ):
        return 1
    return 2 if base in ("v_pk_fma_f32", "v_pk_fma_f16") else 0


def main_loop(listing: Listing) -> Counter[str]:
    """Return the instructions of the main loop, see `main_loop_range`; empty where the kernel has no loop."""
    found = main_loop_range(listing)
    return Counter() if found is None else Counter(listing.instructions[found[0] : found[1] + 1])


def main_loop_range(listing: Listing) -> tuple[int, int] | None:
    """Return the first and last instruction of the innermost loop with the most matrix instructions, or multiply-adds.

    Where no loop has any, it is the longest innermost one. A loop around others counts as innermost if no loop inside
    it has multiply-adds. Where a kernel waits for copies of the TMA, it is the shortest loop with matrix instructions:
    what tries again stands behind the kernel's end and jumps back, as if a loop were around all between. None where the
    kernel has no loop.
    """

    def body(loop: tuple[int, int]) -> tuple[str, ...]:
        return listing.instructions[loop[0] : loop[1] + 1]

    count, loops = fma_count, listing.loops
    if matrix_count(listing.instructions):
        # A loop that goes on from two places has two branches to its head; what stands before the last one is in it.
        count, loops = matrix_count, tuple(dict(sorted(listing.loops)).items())
    fmas = {loop: count(body(loop)) for loop in loops}
    if any(is_group(name) for name in listing.instructions):
        return min((loop for loop in fmas if fmas[loop]), key=lambda loop: loop[1] - loop[0], default=None)

    def encloses(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
        return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]

    candidates = [
        loop
        for loop in fmas
        if len(body(loop)) > 1
        and not any(encloses(loop, inner) and (fmas[inner] or not fmas[loop]) for inner in fmas if len(body(inner)) > 1)
    ]
    return max(candidates, key=lambda loop: (fmas[loop], len(body(loop))), default=None)
