# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hopper's intrinsics at the LLVM level: mbarriers, bulk copies, fences, named barriers, registers, elections.

call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %to, ptr addrspace(3) %mbarrier, ptr %map,
i32 %x, i32 %y, i16 0, i64 0, i1 false, i1 false, i32 0)
"""

import re

from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.hopper.layout import CopyKind
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls.async_units import (
    ask_async_unit,
    call_async_unit,
    coordinates,
    require_warps,
    wide_operands,
)

_ALL_LANES = (-1, 0xFFFFFFFF)
_SCOPE = r"(?:\.relaxed)?\.scope\.(?:cta|cluster)\.space\.cta"


def _nothing(call: IntrinsicCall) -> list[str]:
    return []


def _mbarrier(function: str) -> Expansion:
    """Return the expansion to a function of the address and, where there is one, a number."""

    def expand(call: IntrinsicCall) -> list[str]:
        lines, values = wide_operands(call, *range(len(call.operands)))
        return [*lines, *call_async_unit(call.kernel, function, [str(call.site()), *values])]

    return expand


def _complete(call: IntrinsicCall) -> list[str]:
    """Expand `complete.tx`: transactions that are no longer missing."""
    lines, (address, amount) = wide_operands(call, 0, 1)
    less = call.fresh()
    lines.append(f"{less} = sub i64 0, {amount}")
    return [*lines, *call_async_unit(call.kernel, "transactions", [str(call.site()), address, less])]


def _arrive(call: IntrinsicCall) -> list[str]:
    """Expand `arrive` with the number of arrivals, or with the bytes to expect; its result is the phase's state."""
    lines, (address, *rest) = wide_operands(call, *range(len(call.operands)))
    expects = ".expect.tx" in call.callee
    count = rest[0] if rest and not expects else "1"
    flags = [str(int(".noComplete" not in call.callee)), str(int(".relaxed" not in call.callee))]
    operands = [str(call.site()), address, count, rest[0] if expects else "0", *flags]
    more, found = ask_async_unit(call.kernel, "arrive", operands)
    return [*lines, *more, f"{call.result} = add i64 {found}, 0"] if call.result else [*lines, *more]


_TENSOR = re.compile(r"llvm\.nvvm\.cp\.async\.bulk\.tensor\.(g2s|g2s\.cta|s2g)\.(tile|im2col)\.([1-5])d")


def _refuse_flags(call: IntrinsicCall, *numbers: int) -> None:
    for number in numbers:
        if call.constant(number):
            raise UnknownIntrinsicError(f"'{call.callee}' with a multicast mask")


def _tensor(call: IntrinsicCall) -> list[str]:
    way, mode, rank = call.match[1], call.match[2], int(call.match[3])
    first = 2 if way == "s2g" else 3
    lines, near = wide_operands(call, *range(first))
    more, places = wide_operands(call, *range(first, first + rank), signed=True)
    lines += more
    if way == "s2g":
        if mode != "tile":
            raise UnknownIntrinsicError(f"'{call.callee}'")
        shared, far = near
        head = [str(call.site()), str(int(CopyKind.TENSOR_STORE)), far, shared, "0"]
        return [*lines, *call_async_unit(call.kernel, "store", [*head, *coordinates(places)[:5]])]
    offsets: list[str] = []
    if mode == "im2col":
        more, offsets = wide_operands(call, *range(first + rank, first + 2 * rank - 2), signed=True)
        lines += more
    if way == "g2s":
        _refuse_flags(call, len(call.operands) - 3)
    shared, mbarrier, far = near
    head = [str(call.site()), str(int(CopyKind.TENSOR_LOAD)), shared, far, mbarrier, "0"]
    return [*lines, *call_async_unit(call.kernel, "load", [*head, *coordinates(places, offsets)])]


def _bulk_load(call: IntrinsicCall) -> list[str]:
    """Expand `bulk.global.to.shared.cluster(target, mbarrier, source, bytes, mask, hint, i1, i1)`."""
    if call.callee.endswith("cluster"):
        _refuse_flags(call, 6)
    lines, (shared, mbarrier, far, size) = wide_operands(call, *range(4))
    head = [str(call.site()), str(int(CopyKind.LOAD)), shared, far, mbarrier, size]
    return [*lines, *call_async_unit(call.kernel, "load", [*head, *coordinates([])])]


def _bulk_store(call: IntrinsicCall) -> list[str]:
    """Expand `bulk.shared.cta.to.global(target, source, bytes, hint, i1)`."""
    lines, (far, shared, size) = wide_operands(call, *range(3))
    head = [str(call.site()), str(int(CopyKind.STORE)), far, shared, size]
    return [*lines, *call_async_unit(call.kernel, "store", [*head, *coordinates([])[:5]])]


def _acquire(call: IntrinsicCall) -> list[str]:
    """Expand `fence.proxy.tensormap_generic.acquire.gpu(map, 128)`."""
    if call.constant(1) != MAP_BYTES:
        raise UnknownIntrinsicError(f"'{call.callee}' of other than {MAP_BYTES} B")
    lines, values = wide_operands(call, 0)
    return [*lines, *call_async_unit(call.kernel, "map_acquire", [str(call.site()), *values])]


def _elect(call: IntrinsicCall) -> list[str]:
    """Elect lane 0; all lanes must take part."""
    require_warps(call.kernel, call.callee)
    if call.constant(0) not in _ALL_LANES:
        raise UnknownIntrinsicError(f"'{call.callee}' of some lanes")
    leads, first = call.fresh(), call.fresh()
    return [
        f"call void @{PREFIX}sync(i64 %roller.block, i64 {call.site()})",
        f"{leads} = icmp eq i64 %roller.lane, 0",
        f"{first} = insertvalue {call.kind} poison, i32 0, 0",
        f"{call.result} = insertvalue {call.kind} {first}, i1 {leads}, 1",
    ]


def _registers(call: IntrinsicCall) -> list[str]:
    operands = [str(call.site()), str(call.constant(0)), str(int(".inc." in call.callee))]
    return call_async_unit(call.kernel, "registers", operands)


def _named(call: IntrinsicCall) -> list[str]:
    """Expand `barrier.cta.sync.aligned.count(number, threads)`, `...arrive...`."""
    lines, values = wide_operands(call, 0, 1)
    waits = str(int(".arrive." not in call.callee))
    return [*lines, *call_async_unit(call.kernel, "named", [str(call.site()), *values, waits])]


def _cluster(call: IntrinsicCall) -> list[str]:
    operands = [str(call.site())]
    if ".wait" in call.callee:
        return call_async_unit(call.kernel, "cluster_wait", operands)
    return call_async_unit(call.kernel, "cluster_arrive", [*operands, str(int(".relaxed" not in call.callee))])


INTRINSICS: dict[str, Expansion] = {
    r"llvm\.nvvm\.mbarrier\.init(?:\.shared)?": _mbarrier("mbarrier_init"),
    r"llvm\.nvvm\.mbarrier\.inval(?:\.shared)?": _mbarrier("mbarrier_inval"),
    rf"llvm\.nvvm\.mbarrier\.expect\.tx{_SCOPE}": _mbarrier("transactions"),
    rf"llvm\.nvvm\.mbarrier\.complete\.tx{_SCOPE}": _complete,
    r"llvm\.nvvm\.mbarrier\.arrive(?:\.noComplete)?(?:\.shared)?": _arrive,
    rf"llvm\.nvvm\.mbarrier\.arrive(?:\.expect\.tx)?{_SCOPE}": _arrive,
    _TENSOR.pattern: _tensor,
    r"llvm\.nvvm\.cp\.async\.bulk\.global\.to\.shared\.(?:cluster|cta)": _bulk_load,
    r"llvm\.nvvm\.cp\.async\.bulk\.shared\.cta\.to\.global": _bulk_store,
    r"llvm\.nvvm\.cp\.async\.bulk\.commit\.group": lambda call: call_async_unit(call.kernel, "store_commit", []),
    r"llvm\.nvvm\.cp\.async\.bulk\.wait\.group(?:\.read)?": lambda call: call_async_unit(
        call.kernel, "store_wait", [str(call.constant(0))]
    ),
    r"llvm\.nvvm\.fence\.proxy\.async(?:\.\w+)?": lambda call: call_async_unit(call.kernel, "proxy_fence", ["3"]),
    r"llvm\.nvvm\.fence\.proxy\.tensormap_generic\.acquire\.(?:cta|cluster|gpu|sys)": _acquire,
    r"llvm\.nvvm\.elect\.sync": _elect,
    r"llvm\.nvvm\.setmaxnreg\.(?:inc|dec)\.sync\.aligned\.u32": _registers,
    r"llvm\.nvvm\.barrier\.cta\.(?:sync|arrive)(?:\.aligned)?\.count": _named,
    r"llvm\.nvvm\.barrier\.cluster\.(?:arrive(?:\.relaxed)?|wait)(?:\.aligned)?": _cluster,
    r"llvm\.nvvm\.(?:prefetch|cp\.async\.bulk\.(?:tensor\.)?prefetch)[\w.]*": _nothing,
    r"llvm\.nvvm\.griddepcontrol\.(?:wait|launch\.dependents)": _nothing,  # launches run one after the other
}
