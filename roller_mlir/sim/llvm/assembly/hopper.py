# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hopper's inline assembly at the LLVM level: mbarriers, the loop that waits for one, and bulk copies of tensors."""

import re

from roller_mlir.plan.tensor_maps.fields import ELEMENTS, MapField
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES
from roller_mlir.sim.hopper.layout import CopyKind
from roller_mlir.sim.llvm.assembly.ptx import address, group
from roller_mlir.sim.llvm.assembly.statement import Assembly, Rewrite
from roller_mlir.sim.llvm.calls.async_units import call_async_unit, coordinates, require_warps
from roller_mlir.sim.llvm.text.module import split_top


def _at(assembly: Assembly, number: int) -> str:
    """Return the address `[a + 16]` of an operand, an i64."""
    register, offset = address(assembly.operand(number))
    value = assembly.read(register, "i64")
    return assembly.emitted(f"add i64 {value}, {offset}") if offset else value


def _call(assembly: Assembly, function: str, *operands: str) -> None:
    operands = (str(assembly.kernel.site()), *operands)
    assembly.lines += call_async_unit(assembly.kernel, function, operands, assembly.when())


def _init(assembly: Assembly) -> None:
    _call(assembly, "mbarrier_init", _at(assembly, 0), assembly.read(assembly.operand(1), "i64"))


def _inval(assembly: Assembly) -> None:
    _call(assembly, "mbarrier_inval", _at(assembly, 0))


def _arrive(assembly: Assembly) -> None:
    """Expand `mbarrier.arrive[.expect_tx] _, [a][, number]`; the state of the phase is not wanted."""
    if assembly.operand(0) != "_":
        raise assembly.refuse("whose result is used")
    number = "1" if len(assembly.statement.operands) < 3 else assembly.read(assembly.operand(2), "i64")
    expects = ".expect_tx" in assembly.statement.opcode
    count, expected = ("1", number) if expects else (number, "0")
    operands = [str(assembly.kernel.site()), _at(assembly, 1), count, expected, "1", "1"]
    assembly.lines += call_async_unit(assembly.kernel, "arrive", operands, assembly.when(), "i64")


_TENSOR = re.compile(
    r"cp\.async\.bulk\.tensor\.([1-5])d\.(?:shared::(?:cta|cluster)\.global(?:\.tile)?"
    r"\.mbarrier::complete_tx::bytes|global\.shared::cta(?:\.tile)?\.bulk_group)"
)


def _tensor(assembly: Assembly) -> None:
    """Expand `...shared::cta.global... [to], [map, {x}], [mbarrier]`, `...global.shared::cta... [map, {x}], [from]`."""
    loads = ".global.mbarrier" in assembly.statement.opcode or ".global.tile.mbarrier" in assembly.statement.opcode
    tensor = assembly.operand(1 if loads else 0)
    parts = split_top(tensor[1:-1].strip())
    if not tensor.startswith("[") or len(parts) != 2 or len(assembly.statement.operands) != (3 if loads else 2):
        raise assembly.refuse(f"with the operands {', '.join(assembly.statement.operands)}")
    far = assembly.read(parts[0], "i64")
    places = [assembly.emitted(f"sext i32 {assembly.read(one, 'i32')} to i64") for one in group(parts[1])]
    if loads:
        head = [str(int(CopyKind.TENSOR_LOAD)), _at(assembly, 0), far, _at(assembly, 2), "0"]
        _call(assembly, "load", *head, *coordinates(places))
    else:
        head = [str(int(CopyKind.TENSOR_STORE)), far, _at(assembly, 1), "0"]
        _call(assembly, "store", *head, *coordinates(places)[:5])


def _commit(assembly: Assembly) -> None:
    assembly.lines += call_async_unit(assembly.kernel, "store_commit", [], assembly.when())


def _wait_stores(assembly: Assembly) -> None:
    """Expand `cp.async.bulk.wait_group[.read] N`."""
    assembly.lines += call_async_unit(assembly.kernel, "store_wait", [str(assembly.constant(0))], assembly.when())


def _replace_field(assembly: Assembly) -> None:
    """Expand `tensormap.replace.tile.FIELD... [map], [dimension,] value`."""
    field = MapField[assembly.statement.opcode.split(".")[3]]
    indexed = ELEMENTS[field] > 1
    axis = assembly.constant(1) if indexed else 0
    if not 0 <= axis < ELEMENTS[field]:
        raise assembly.refuse(f"of dimension {axis}")
    value = assembly.read(assembly.operand(2 if indexed else 1), "i64")
    _call(assembly, "map_replace", _at(assembly, 0), str(field + axis), value)


def _publish(assembly: Assembly) -> None:
    """Expand `tensormap.cp_fenceproxy... [global], [shared], 128`, by all lanes of a warp."""
    require_warps(assembly.kernel, assembly.statement.opcode)
    _require_whole(assembly, 2)
    _call(assembly, "map_publish", _at(assembly, 0), _at(assembly, 1))


def _acquire(assembly: Assembly) -> None:
    """Expand `fence.proxy.tensormap::generic.acquire.SCOPE [map], 128`."""
    _require_whole(assembly, 1)
    _call(assembly, "map_acquire", _at(assembly, 0))


def _require_whole(assembly: Assembly, number: int) -> None:
    if assembly.constant(number) != MAP_BYTES:
        raise assembly.refuse(f"must be of {MAP_BYTES} B")


def _wait(assembly: Assembly) -> None:
    """The loop that asks until the phase of that parity has completed."""
    values = [assembly.read(f"${number}", "i64") for number in range(2)]
    assembly.lines += call_async_unit(assembly.kernel, "wait", [str(assembly.kernel.site()), *values])


def _compare(assembly: Assembly) -> None:
    """Expand `setp.ne.b32 p, a, b`."""
    relation, kind = assembly.statement.opcode.split(".")[1:]
    width = f"i{kind[1:]}"
    left, right = (assembly.read(assembly.operand(number), width) for number in (1, 2))
    assembly.write(assembly.operand(0), "i1", assembly.emitted(f"icmp {relation} {width} {left}, {right}"))


_SHARED = r"(?:\.shared(?:::cta)?)?"
_SCOPES = "(?:cta|cluster|gpu|sys)"
STATEMENTS: dict[str, Rewrite] = {
    rf"mbarrier\.init{_SHARED}\.b64": _init,
    rf"mbarrier\.inval{_SHARED}\.b64": _inval,
    rf"mbarrier\.arrive(?:\.expect_tx)?(?:\.release\.cta)?{_SHARED}\.b64": _arrive,
    _TENSOR.pattern: _tensor,
    rf"tensormap\.replace\.tile\.(?:{'|'.join(MapField.__members__)})\.shared::cta\.b1024\.b(?:32|64)": _replace_field,
    rf"tensormap\.cp_fenceproxy\.global\.shared::cta\.tensormap::generic\.release\.{_SCOPES}\.sync\.aligned": _publish,
    rf"fence\.proxy\.tensormap::generic\.acquire\.{_SCOPES}": _acquire,
    r"cp\.async\.bulk\.commit_group": _commit,
    r"cp\.async\.bulk\.wait_group(?:\.read)?": _wait_stores,
    r"setp\.(?:eq|ne)\.[bsu](?:16|32|64)": _compare,
}
STRINGS: dict[str, Rewrite] = {
    r"\{ \.reg \.pred (\w+);? ?(\S+): mbarrier\.try_wait\.parity\.shared::cta\.b64 \1, \[\$0\], \$1; "
    r"@!\1 bra(?:\.uni)? \2; ?\}": _wait
}
