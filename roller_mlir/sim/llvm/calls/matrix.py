# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of whole subgroups at the LLVM level: NVIDIA's mma, as intrinsics and as inline assembly, and AMD's MFMA.

    %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %a0, ..., float %c3)

The lane stores its registers into memory of its own, A, B and C one behind the other; the instruction's function, which
all lanes call, leaves D where C was. What instructions do, and how lanes hold their operands, is in `matrix.layouts`.
"""

import re
from dataclasses import replace

from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.llvm.assembly.statement import Assembly, Rewrite
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.context import InstructionContext
from roller_mlir.sim.llvm.text.module import split_top
from roller_mlir.sim.llvm.text.types import size_bytes
from roller_mlir.sim.matrix.layouts import MatrixInstruction, find_mfma, find_mma

_ALIGNMENT = 16
Values = list[tuple[str, str]]
"""Types and values of registers."""


def _size(values: Values) -> int:
    return sum(size_bytes(kind) or 0 for kind, _ in values)


def call_subgroup_op(kernel: InstructionContext, function: str, *operands: str) -> list[str]:
    """Return the call of a function of whole subgroups with three operands, which are i64.

    All lanes of the subgroup must take part.
    """
    kernel.define(function, f"declare void @{PREFIX}{function}(i64, i64, i64, i64, i64)\n")
    values = ", ".join(f"i64 {operand}" for operand in operands)
    return [f"call void @{PREFIX}{function}(i64 %roller.block, i64 {kernel.site()}, {values})"]


class LaneBuffers:
    """Memory of a lane through which it passes registers."""

    def __init__(self, kernel: InstructionContext, *sizes_bytes: int) -> None:
        """Lay out parts of these sizes one behind the other."""
        self._kernel = kernel
        self._starts: list[int] = []
        end = 0
        for size in sizes_bytes:
            self._starts.append(end)
            end += -(-size // _ALIGNMENT) * _ALIGNMENT
        self.lines: list[str] = []

    def put(self, part: int, values: Values) -> None:
        """Store registers into a part."""
        offset = self._starts[part]
        for kind, value in values:
            size = size_bytes(kind) or 0
            self.lines.append(f"store {kind} {value}, ptr {self._kernel.memory(offset, size)}, align 1")
            offset += size

    def take(self, part: int, kinds: list[str]) -> list[str]:
        """Load registers from a part."""
        found: list[str] = []
        offset = self._starts[part]
        for kind in kinds:
            name, size = self._kernel.fresh(), size_bytes(kind) or 0
            self.lines.append(f"{name} = load {kind}, ptr {self._kernel.memory(offset, size)}, align 1")
            found.append(name)
            offset += size
        return found

    def call(self, function: str, *operands: str) -> None:
        """Call a function of whole subgroups with three operands, which are i64."""
        self.lines += call_subgroup_op(self._kernel, function, *operands)

    def address(self, part: int) -> str:
        """Return the address of a part, an i64."""
        return f"{self._kernel.memory(self._starts[part], 0)}.address"


def aggregate(call: IntrinsicCall, kinds: list[str], values: list[str]) -> list[str]:
    """Return the lines that make the result of a call of its parts."""
    if not call.kind.startswith("{"):
        return [f"{call.result} = freeze {call.kind} {values[0]}"]
    lines: list[str] = []
    whole = "poison"
    for number, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        name = call.result if number + 1 == len(kinds) else call.fresh()
        lines.append(f"{name} = insertvalue {call.kind} {whole}, {kind} {value}, {number}")
        whole = name
    return lines


def parts_of(kind: str) -> list[str]:
    """Return the types of what a call gives."""
    return split_top(kind[1:-1].strip()) if kind.startswith("{") else [kind]


def multiply(
    kernel: InstructionContext, instruction: MatrixInstruction, a: Values, b: Values, c: Values, results: list[str]
) -> tuple[list[str], list[str]]:
    """Return the lines that multiply, and the registers of D.

    Raises:
        UnknownIntrinsicError: The subgroup has another size, or the registers do not hold the operands.
    """
    if kernel.subgroup_size != instruction.lanes:
        raise UnknownIntrinsicError(f"'{instruction.name}' in subgroups of {kernel.subgroup_size} lanes")
    if (_size(a), _size(b), _size(c)) != instruction.fragment_bytes:
        raise UnknownIntrinsicError(f"'{instruction.name}' with operands of {_size(a)}, {_size(b)} and {_size(c)} B")
    fragments = LaneBuffers(kernel, *instruction.fragment_bytes)
    for part, values in enumerate((a, b, c)):
        fragments.put(part, values)
    kernel.needs.subgroup_ops.add(instruction)
    fragments.call(instruction.name, *(fragments.address(part) for part in range(3)))
    found = fragments.take(2, results)
    return fragments.lines, found


_SUMS = {"f16": "f16", "bf16": "f32", "tf32": "f32", "s8": "i32"}


def _find_mma(shape: str, element: str, total: str, saturates: bool) -> MatrixInstruction | None:
    sizes = [int(size) for size in re.findall(r"\d+", shape)]
    found = find_mma(sizes[0], sizes[1], sizes[2], element.replace("s8", "i8"), total)
    return replace(found, saturates=saturates) if found and found.sum == "i32" else found


def _split(values: Values, sizes: tuple[int, int, int]) -> tuple[Values, Values, Values]:
    """Deal operands to A, B and C."""
    found: tuple[Values, Values, Values] = ([], [], [])
    part = 0
    for one in values:
        while part < 2 and _size(found[part]) >= sizes[part]:
            part += 1
        found[part].append(one)
    return found


def _mma(call: IntrinsicCall) -> list[str]:
    """Expand `llvm.nvvm.mma.m16n8k16.row.col.f32.f32`, `...row.col.satfinite.s8`: D's and C's type, or A's and B's."""
    _, _, _, shape, _, _, *kinds = call.callee.split(".")
    saturates = kinds[0] == "satfinite"
    kinds = kinds[saturates:]
    element, total = ("f16", kinds[0]) if len(kinds) == 2 else (kinds[0], _SUMS.get(kinds[0], ""))
    found = _find_mma(shape, element, total, saturates)
    if found is None or (len(kinds) == 2 and kinds[0] != kinds[1]):
        raise UnknownIntrinsicError(f"'{call.callee}'")
    results = parts_of(call.kind)
    lines, values = multiply(call.kernel, found, *_split(list(call.operands), found.fragment_bytes), results)
    return [*lines, *aggregate(call, results, values)]


_MMA = re.compile(r"mma\.sync\.aligned\.(m\d+n\d+k\d+)\.row\.col(\.satfinite)?\.(\w+)\.(\w+)\.(\w+)\.(\w+)")


def _mma_statement(assembly: Assembly) -> None:
    """Expand `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}`."""
    assembly.always()
    match = _MMA.fullmatch(assembly.statement.opcode)
    assert match is not None, assembly.statement.opcode
    shape, saturates, total, left, right, given = match.groups()
    found = _find_mma(shape, left, total.replace("s32", "i32"), bool(saturates))
    if found is None or left != right or total != given:
        raise assembly.refuse("is not known to the simulator")
    word = "float" if total == "f32" else "i32"
    d, a, b, c = (assembly.group(number) for number in range(4))
    registers = [[("i32", assembly.read(one, "i32")) for one in part] for part in (a, b)]
    sums = [(word, assembly.read(one, word)) for one in c]
    lines, values = multiply(assembly.kernel, found, registers[0], registers[1], sums, [word] * len(d))
    assembly.lines += lines
    for register, value in zip(d, values, strict=True):
        assembly.write(register, word, value)


_MFMA = re.compile(r"llvm\.amdgcn\.mfma\.(f32|i32|f64)\.(\d+)x(\d+)x(\d+)\.?(f16|bf16|f32|i8|f64)(?:\.1k)?")


def _mfma(call: IntrinsicCall) -> list[str]:
    """Expand `llvm.amdgcn.mfma.f32.32x32x8f16(a, b, c, cbsz, abid, blgp)`: nothing permuted or sent to others."""
    total, m, n, k, element = call.match.groups()
    found = find_mfma(int(m), int(n), int(k), element, total)
    if found is None or (element == "bf16") != call.callee.endswith(".1k"):
        raise UnknownIntrinsicError(f"'{call.callee}'")
    for number in range(3, 6):
        if call.constant(number) != 0:
            raise UnknownIntrinsicError(f"'{call.callee}' whose operand {number} is {call.constant(number)}")
    a, b, c = ([operand] for operand in call.operands[:3])
    lines, values = multiply(call.kernel, found, a, b, c, [call.kind])
    return [*lines, *aggregate(call, [call.kind], values)]


INTRINSICS: dict[str, Expansion] = {
    r"llvm\.nvvm\.mma\.m\d+n\d+k\d+\.row\.col(?:\.satfinite)?\.\w+(?:\.\w+)?": _mma,
    _MFMA.pattern: _mfma,
}
STATEMENTS: dict[str, Rewrite] = {_MMA.pattern: _mma_statement}
