# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions about bare pointers and atomic operations on them: which memory they touch, and what they order."""

from typing import Any

from roller_mlir.sim.engine.layout import ShadowAccess, Space
from roller_mlir.sim.gpu.memory_types import as_memref, space_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_BY_ADDRESS_SPACE = {"!llvm.ptr<1>": Space.GLOBAL, "!llvm.ptr<3>": Space.WORKGROUP, "!llvm.ptr<5>": Space.OTHER}
_COMPUTES_ADDRESSES = frozenset(
    {
        "arith.addi", "arith.index_cast", "arith.index_castui", "llvm.addrspacecast", "llvm.getelementptr",
        "llvm.inttoptr", "llvm.ptrtoint",
    }
)  # fmt: skip
_FROM_MEMREF = "memref.extract_aligned_pointer_as_index"
_ORDERS = {
    0: None,  # not atomic
    1: ShadowAccess(0),  # unordered
    2: ShadowAccess(0),  # monotonic
    4: ShadowAccess.ACQUIRE,
    5: ShadowAccess.RELEASE,
    6: ShadowAccess.ACQUIRE | ShadowAccess.RELEASE,
    7: ShadowAccess.ACQUIRE | ShadowAccess.RELEASE,
}
"""By the number of LLVM's AtomicOrdering."""

_AMD_SCOPES = {
    "agent": ShadowAccess(0),
    "workgroup": ShadowAccess.BLOCK_SCOPE,
}
_NVIDIA_SCOPES = {
    "device": ShadowAccess(0),
    "cluster": ShadowAccess.BLOCK_SCOPE,
    "block": ShadowAccess.BLOCK_SCOPE,
}
_SMALL_SCOPES = ("wavefront", "singlethread")
_ONE_SPACE = "-one-as"
_READ_MODIFY_WRITE = "llvm.atomicrmw"


def space_of_pointer(value: Any) -> Space:
    """Return the memory that a pointer points to: what its type says, or the memref that its address comes from.

    A generic pointer whose origin is not known here points to global memory, as a memref without a memory space does.
    """
    space = _BY_ADDRESS_SPACE.get(str(value.type))
    if space is not None or isinstance(value, ir.BlockArgument):
        return space or Space.GLOBAL
    operation = value.owner.operation
    name = str(operation.name)
    if name == _FROM_MEMREF:
        return space_of(operation.operands[0]) or Space.GLOBAL
    if name not in _COMPUTES_ADDRESSES:
        return Space.GLOBAL
    found = [space_of_pointer(operand) for operand in operation.operands if as_memref(operand.type) is None]
    return next((one for one in found if one is not Space.GLOBAL), Space.GLOBAL)


def _scope(operation: Any) -> tuple[str, ShadowAccess]:
    """Return the name of the scope of an atomic operation or fence, "" for the whole system, and whether it is narrow.

    The simulator runs clusters of one block: to it, their scope is that of a block.

    Raises:
        DiagnosedError: No vendor has a scope of that name.
    """
    name = ""
    if "syncscope" in operation.attributes:
        name = str(ir.StringAttr(operation.attributes["syncscope"]).value).removesuffix(_ONE_SPACE)
    scopes = {"": ShadowAccess(0), "one-as": ShadowAccess(0), **_AMD_SCOPES, **_NVIDIA_SCOPES}
    scopes |= dict.fromkeys(_SMALL_SCOPES, ShadowAccess.BLOCK_SCOPE)
    if name not in scopes:
        known = ", ".join(sorted(one for one in scopes if one))
        fail(operation, f"'{operation.name}' has the scope '{name}', which no vendor has; give one of {known}, or none")
    return name, scopes[name]


def fence_order(operation: Any) -> ShadowAccess:
    """Return what an `llvm.fence` orders; nothing where its scope is smaller than a block."""
    name, scope = _scope(operation)
    order = _ORDERS[int(ir.IntegerAttr(operation.attributes["ordering"]).value)] or ShadowAccess(0)
    return ShadowAccess(0) if name in _SMALL_SCOPES else order | scope


def blindness(operation: Any) -> ShadowAccess:
    """Return what a read-modify-write is whose result nobody uses.

    No program can rely on the order with what it has not looked at; in one run there may be one by chance.
    """
    writes = str(operation.name) in (_READ_MODIFY_WRITE, "memref.atomic_rmw", "memref.generic_atomic_rmw")
    used = any(True for result in operation.results for _ in result.uses)
    return ShadowAccess.BLIND if writes and not used else ShadowAccess(0)


def atomicity(operation: Any) -> ShadowAccess:
    """Return what an operation on a bare pointer is beside a read or write: atomic, what it orders, and for whom.

    A volatile access is an atomic one that orders nothing: hardware performs it whole, and programs poll with it. A
    read-modify-write orders what it says where its scope is one of AMD's: NVPTX compiles `atomicrmw` to a relaxed
    `atom` of the device whatever its order and scope are, and `cmpxchg` as it is written.
    """
    attributes = operation.attributes
    name, scope = _scope(operation)
    if str(operation.name) == _READ_MODIFY_WRITE and name not in (*_AMD_SCOPES, *_SMALL_SCOPES):
        return ShadowAccess.ATOMIC
    orders = [
        _ORDERS[int(ir.IntegerAttr(attributes[name]).value)]
        for name in ("ordering", "success_ordering")
        if name in attributes
    ]
    known = [order for order in orders if order is not None]
    if not known:
        return ShadowAccess.ATOMIC if "volatile_" in attributes else ShadowAccess(0)
    return ShadowAccess.ATOMIC | scope | (ShadowAccess(0) if name in _SMALL_SCOPES else known[0])
