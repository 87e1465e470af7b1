# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words for what Hopper kernels do wrong."""

from roller_mlir.plan.tensor_maps.fields import ELEMENT_CODES, MapField, field_name
from roller_mlir.sim.engine.layout import LaunchFault
from roller_mlir.sim.engine.sites import SiteTable
from roller_mlir.sim.hopper.layout import VALUE_RULES, MapFault

_TEXTS = {
    LaunchFault.DESCRIPTORS_DIFFER: ("mixed-operands", "the threads of a warpgroup give different matrix descriptors"),
    LaunchFault.FENCE: (
        "missing-fence",
        "a product of a warpgroup comes without 'wgmma.fence' after the start, or after its accumulators were used",
    ),
    LaunchFault.WARPGROUP: (
        "divergent-warpgroup",
        "not all 128 threads of a warpgroup reached an operation that needs all of them",
    ),
    LaunchFault.MBARRIER: ("no-mbarrier", "no mbarrier has been initialised at {at}"),
    LaunchFault.MBARRIER_START: (
        "no-mbarrier",
        "nothing orders the initialisation of the mbarrier at {at} before its use",
    ),
    LaunchFault.OVERWRITES_READ: (
        "early-release",
        "a copy overwrites {at}, which products of warpgroup {1} may still read: nothing orders the wait for their "
        "group before the copy",
    ),
    LaunchFault.OVERWRITES_STORE: (
        "early-release",
        "{at} is overwritten, which a bulk store of warp {1} may still read: nothing orders the wait for it before",
    ),
    LaunchFault.OVERWRITES_COPY: ("unfinished-copy", "a copy overwrites {at}, which another copy may still write"),
    LaunchFault.READS_COPY: (
        "unfinished-copy",
        "{at} is read, which a copy may still write: nothing orders its mbarrier before",
    ),
    LaunchFault.PROXY: (
        "missing-fence",
        "{at} is read beside the threads, which thread {1} of the block wrote without 'fence.proxy.async' in between",
    ),
    LaunchFault.TENSOR_MAP: ("tensor-map", "there is no tensor map at address {0:#x}"),
    LaunchFault.BULK_COPY: (
        "bulk-copy",
        "a bulk copy of {1} B at {at} is outside of it, or address and size are not aligned to 16 B, or a box of a "
        "tensor to 128 B",
    ),
}
"""Kind and message, in which numbers stand for what the check noted."""

_MADE = {
    MapFault.ALIGNMENT: "a tensor map is made, copied or acquired at address {2:#x}, which is no multiple of 128",
    MapFault.NOT_ZERO: "the tensor map at {2:#x} has {0}, which nobody wrote: its memory must be zeroed before",
    MapFault.UNPUBLISHED: "no tensor map has been copied to address {2:#x} by 'tensormap.cp_fenceproxy'",
    MapFault.MISSING: "the tensor map at {2:#x} has no {0}, which a map of its rank needs",
    MapFault.VALUE: "the tensor map at {2:#x} has {0} = {1}, which {3}",
    MapFault.OUTSIDE: "the tensor map at {2:#x} describes an array from {1:#x} to {3:#x}, which lies in no argument",
    MapFault.DIFFERS: "the tensor map at {2:#x} has {0} = {1}, but the kernel says that it is {3}",
    MapFault.UNFENCED: "the tensor map at {2:#x} is used without 'fence.proxy.tensormap::generic.acquire' of it before",
    MapFault.COUNT: "a block acquires more than {1} tensor maps",
}

HOPPER_FAULTS = frozenset(fault for fault in LaunchFault if LaunchFault.MBARRIER <= fault <= LaunchFault.MADE_MAP)


def hopper_fault(fault: LaunchFault, table: SiteTable, values: list[int]) -> tuple[str, str]:
    """Return kind and message of a fault of what goes on beside the threads.

    Args:
        fault: The fault.
        table: The module's sites.
        values: What its check noted.
    """
    at = f"byte {values[0]} of workgroup memory"
    if fault in _TEXTS:
        kind, text = _TEXTS[fault]
        return kind, text.format(*values, at=at)
    if fault is LaunchFault.MBARRIER_COUNT:
        return "mbarrier-count", _count(values, at)
    if fault is LaunchFault.MBARRIER_DEADLOCK:
        _, parity, pending, missing, phase, expected = values[:6]
        missed = [f"{pending} of {expected} arrivals are missing"] if pending else []
        if missing > 0:
            missed.append(f"{missing} B of transactions are missing")
        elif missing < 0:
            missed.append(f"{-missing} B more than expected have come")
        why = " and ".join(missed) or "nobody arrives"
        return "deadlock", (
            f"a wait for parity {parity} of the mbarrier at {at} can never end: of its phase {phase} {why}"
        )
    if fault is LaunchFault.TRANSACTIONS:
        return "transaction-count", (
            f"a phase of an mbarrier completes before the {values[1]} B that {table[values[0]].name} copies for it "
            f"have come: fewer bytes are expected than are copied"
        )
    if fault is LaunchFault.NAMED_BARRIER:
        return _named(values)
    if fault is LaunchFault.DESCRIPTOR:
        if values[1]:
            return (
                "descriptor",
                f"a matrix descriptor has the base offset {values[0]}, which the simulator does not know",
            )
        return "out-of-bounds", f"a matrix descriptor leads to {at}, which is outside of it"
    if fault is LaunchFault.ACCUMULATORS:
        state = "in a group that nobody has waited for" if values[0] <= values[1] else "that is in no group yet"
        return "unfinished-product", f"accumulators are used while a product on them is under way, {state}"
    if fault is LaunchFault.REGISTERS:
        return "registers", _registers(values)
    if fault is LaunchFault.MADE_MAP:
        return _made(values)
    return "cluster", {
        1: "a thread arrives twice at the barrier of the cluster, without a wait in between",
        2: "a thread waits at the barrier of the cluster, at which it has not arrived",
    }.get(values[0], "the simulator runs clusters of one block only")


def _made(values: list[int]) -> tuple[str, str]:
    why, number, found, address, more = values[:5]
    kind = "missing-fence" if why == MapFault.UNFENCED else "tensor-map"
    rule: object = more
    if why == MapFault.VALUE:
        low, high, multiple = VALUE_RULES[number]
        rule = f"must be {low} to {high}" if low != high else f"must be {low}"
        rule += f", in multiples of {multiple}" if multiple > 1 else ""
        if number == MapField.box_dim:
            rule += ", and fill the span of its swizzle, or whole pieces of 16 B where there is none"
        if number == MapField.elemtype:
            rule = f"must be one of {', '.join(map(str, sorted(ELEMENT_CODES.values())))}"
    shown: object = found
    if why == MapFault.DIFFERS and number == MapField.global_address:
        shown, rule = hex(found), hex(more)
    return kind, _MADE[MapFault(why)].format(field_name(number), shown, address, rule)


def _count(values: list[int], at: str) -> str:
    _, count, bound = values[:3]
    if bound < 0:
        return f"the mbarrier at {at} expects {count} B of transactions in a phase, more than it can count"
    if bound == 0 and count <= 0:
        return f"the mbarrier at {at} has a count of {count}, which is out of its range"
    return f"{count} arrivals at the mbarrier at {at}, of whose phase only {bound} are missing"


def _named(values: list[int]) -> tuple[str, str]:
    number, count, expected = values[:3]
    if expected == -2:
        return "deadlock", f"not all threads that named barrier {number} is for reach it"
    if expected == -1:
        return "named-barrier", f"named barrier {number} for {count} threads: ids are 0 to 15, counts whole warps"
    return "named-barrier", f"named barrier {number} is for {count} threads here, and for {expected} elsewhere"


def _registers(values: list[int]) -> str:
    count, before, total = values[:3]
    if total > 0:
        return f"the warpgroups want {total} registers, of which there are 65536"
    return (
        f"a warpgroup of threads with {before} registers cannot have {count}: multiples of 8 from 24 to 256, up or down"
    )
