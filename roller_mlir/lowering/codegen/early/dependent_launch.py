# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that may start before the launches that they need have ended, and wait for these themselves.

    nvvm.griddepcontrol launch_dependents      // who needs this kernel may start as soon as all of its blocks have
    %w = vector.load %weights                  // nothing writes them
    nvvm.griddepcontrol wait                   // the launches that this one needs have ended, all their writes are here
    %x = vector.load %x
    ...

Each thread waits, in front of its first access to what some launch of the function writes. So a kernel that has ended
has waited for all that it needs, and who waits for it waits for those, too: a graph needs no edges that others imply.
Buffers that something writes are not said to overlap with nothing: no read of them may go through the read-only cache,
whose lines may be older than the wait, and none moves in front of it.
Paper: none; PTX ISA, `griddepcontrol`; CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization".
"""

from roller_mlir.support.bindings import ir


def let_dependents_start() -> None:
    """Emit that launches that need this one may start, as soon as all of its blocks say so."""
    _control("launch_dependents")


def wait_for_launches() -> range:
    """Emit the wait for the launches that this one needs; return its place in the current block."""
    wait = _control("wait")
    operations = (one.operation for one in ir.InsertionPoint.current.block.operations)
    place = next(number for number, one in enumerate(operations) if one == wait)
    return range(place, place + 1)


def _control(kind: str) -> ir.Operation:
    action = ir.Attribute.parse(f"#nvvm<grid_dep_action {kind}>")
    return ir.Operation.create("nvvm.griddepcontrol", attributes={"kind": action})
