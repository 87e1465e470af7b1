# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ldmatrix` and `stmatrix` at the LLVM level, as intrinsics and as inline assembly.

Eight lanes for each tile give the addresses of its rows; all rows are accessed at one moment, when the last lane has
arrived.
"""

import re

from roller_mlir.sim.llvm.assembly.statement import Assembly, Rewrite
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls.matrix import LaneBuffers, Values, aggregate, parts_of
from roller_mlir.sim.llvm.context import InstructionContext
from roller_mlir.sim.matrix.tiles_ir import LANES, ROW_BYTES, TILE_ROWS, TileMove


def _row(kernel: InstructionContext, pointer: str, count: int) -> tuple[list[str], str]:
    """Check the row that the lane gives, where it gives one, and return its address."""
    if kernel.subgroup_size != LANES:
        raise UnknownIntrinsicError(f"a matrix load or store in subgroups of {kernel.subgroup_size} lanes")
    gives, address = kernel.fresh(), kernel.fresh()
    return [
        f"{gives} = icmp ult i64 %roller.lane, {count * TILE_ROWS}",
        *kernel.check(pointer, str(ROW_BYTES), ROW_BYTES, gives),
        f"{address} = ptrtoint {pointer} to i64",
    ], address


def _load(kernel: InstructionContext, pointer: str, count: int, transposed: bool) -> tuple[list[str], list[str]]:
    """Return the lines that load, and the registers."""
    lines, address = _row(kernel, pointer, count)
    load = TileMove(count, transposed, stores=False)
    kernel.needs.subgroup_ops.add(load)
    fragments = LaneBuffers(kernel, 4 * count)
    fragments.call(load.name, address, fragments.address(0), "0")
    found = fragments.take(0, ["i32"] * count)
    return [*lines, *fragments.lines], found


def _store(kernel: InstructionContext, pointer: str, values: Values, transposed: bool) -> list[str]:
    """Return the lines that store registers."""
    lines, address = _row(kernel, pointer, len(values))
    store = TileMove(len(values), transposed, stores=True)
    kernel.needs.subgroup_ops.add(store)
    fragments = LaneBuffers(kernel, 4 * len(values))
    fragments.put(0, values)
    fragments.call(store.name, address, fragments.address(0), "0")
    return [*lines, *fragments.lines]


_LDMATRIX = re.compile(r"llvm\.nvvm\.ldmatrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.b16(?:\.p[03])?")


def _ldmatrix(call: IntrinsicCall) -> list[str]:
    lines, values = _load(call.kernel, call.typed(0), int(call.match[1]), bool(call.match[2]))
    return [*lines, *aggregate(call, parts_of(call.kind), values)]


_LDMATRIX_PTX = re.compile(r"ldmatrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?(?:\.shared(?:::cta)?)?\.b16")


def _ldmatrix_statement(assembly: Assembly) -> None:
    assembly.always()
    match = _LDMATRIX_PTX.fullmatch(assembly.statement.opcode)
    assert match is not None, assembly.statement.opcode
    registers = assembly.group(0)
    if len(registers) != int(match[1]):
        raise assembly.refuse(f"with {len(registers)} registers")
    space = 3 if ".shared" in assembly.statement.opcode else 0
    lines, values = _load(assembly.kernel, assembly.pointer(1, space), int(match[1]), bool(match[2]))
    assembly.lines += lines
    for register, value in zip(registers, values, strict=True):
        assembly.write(register, "i32", value)


_STMATRIX = re.compile(r"llvm\.nvvm\.stmatrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.b16(?:\.p[03])?")


def _stmatrix(call: IntrinsicCall) -> list[str]:
    return _store(call.kernel, call.typed(0), list(call.operands[1:]), bool(call.match[2]))


_STMATRIX_PTX = re.compile(r"stmatrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?(?:\.shared(?:::cta)?)?\.b16")


def _stmatrix_statement(assembly: Assembly) -> None:
    assembly.always()
    match = _STMATRIX_PTX.fullmatch(assembly.statement.opcode)
    assert match is not None, assembly.statement.opcode
    values = [("i32", assembly.read(register, "i32")) for register in assembly.group(1)]
    if len(values) != int(match[1]):
        raise assembly.refuse(f"with {len(values)} registers")
    space = 3 if ".shared" in assembly.statement.opcode else 0
    assembly.lines += _store(assembly.kernel, assembly.pointer(0, space), values, bool(match[2]))


INTRINSICS: dict[str, Expansion] = {_LDMATRIX.pattern: _ldmatrix, _STMATRIX.pattern: _stmatrix}
STATEMENTS: dict[str, Rewrite] = {
    _LDMATRIX_PTX.pattern: _ldmatrix_statement,
    _STMATRIX_PTX.pattern: _stmatrix_statement,
}
