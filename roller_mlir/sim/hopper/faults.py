# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words for what Hopper kernels do wrong."""

from roller_mlir.sim.engine.layout import LaunchFault
from roller_mlir.sim.engine.sites import SiteTable

_FLAT = {
    LaunchFault.DESCRIPTORS_DIFFER: ("mixed-operands", "the threads of a warpgroup give different matrix descriptors"),
    LaunchFault.FENCE: (
        "missing-fence",
        "a product of a warpgroup comes without 'wgmma.fence' after the start, or after its accumulators were used",
    ),
    LaunchFault.WARPGROUP: (
        "divergent-warpgroup",
        "not all 128 threads of a warpgroup reached an operation that needs all of them",
    ),
}
HOPPER_FAULTS = frozenset(
    fault for fault in LaunchFault if LaunchFault.MBARRIER <= fault <= LaunchFault.OVERWRITES_STORE
)


def hopper_fault(fault: LaunchFault, table: SiteTable, values: list[int]) -> tuple[str, str]:
    """Return kind and message of a fault of what goes on beside the threads.

    Args:
        fault: The fault.
        table: The module's sites.
        values: What its check noted.
    """
    if fault in _FLAT:
        return _FLAT[fault]
    at = f"byte {values[0]} of workgroup memory"
    if fault is LaunchFault.MBARRIER:
        return "no-mbarrier", f"no mbarrier has been initialised at {at}"
    if fault is LaunchFault.MBARRIER_START:
        return "no-mbarrier", f"nothing orders the initialisation of the mbarrier at {at} before its use"
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
    if fault is LaunchFault.OVERWRITES_READ:
        return "early-release", (
            f"a copy overwrites {at}, which products of warpgroup {values[1]} may still read: nothing orders the wait "
            f"for their group before the copy"
        )
    if fault is LaunchFault.OVERWRITES_STORE:
        return "early-release", (
            f"{at} is overwritten, which a bulk store of warp {values[1]} may still read: nothing orders the wait for "
            f"it before"
        )
    if fault is LaunchFault.OVERWRITES_COPY:
        return "unfinished-copy", f"a copy overwrites {at}, which another copy may still write"
    if fault is LaunchFault.READS_COPY:
        return "unfinished-copy", f"{at} is read, which a copy may still write: nothing orders its mbarrier before"
    if fault is LaunchFault.PROXY:
        return "missing-fence", (
            f"{at} is read beside the threads, which thread {values[1]} of the block wrote without 'fence.proxy.async' "
            f"in between"
        )
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
    if fault is LaunchFault.TENSOR_MAP:
        return "tensor-map", f"there is no tensor map at address {values[0]:#x}"
    if fault is LaunchFault.REGISTERS:
        return "registers", _registers(values)
    if fault is LaunchFault.BULK_COPY:
        return "bulk-copy", (
            f"a bulk copy of {values[1]} B at {at} is outside of it, or address and size are not aligned to 16 B, or "
            f"a box of a tensor to 128 B"
        )
    return "cluster", {
        1: "a thread arrives twice at the barrier of the cluster, without a wait in between",
        2: "a thread waits at the barrier of the cluster, at which it has not arrived",
    }.get(values[0], "the simulator runs clusters of one block only")


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
