# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalars that the bodies of operations take of tensors: read in the body, so that the operation takes the tensor.

    %s = tensor.extract %t[] : tensor<i1>         linalg.generic ins(%x) { ^bb0(%a):
    linalg.generic ins(%x) { ^bb0(%a):              %s = tensor.extract %t[] : tensor<i1>
      arith.select %s, %a, %b                       arith.select %s, %a, %b

IREE would bring such a number to the host, and pass it back to a kernel, before which the device is waited for; as an
argument that is no tensor it keeps us from compiling the operation. JAX makes them of choices by one condition.
"""

from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, operations_inside

_EXTRACT = "tensor.extract"


def sink_scalars(module: ir.Module) -> None:
    """Move what reads an element at a constant position into the bodies of linalg that use it, in place."""
    for op in [one for one in operations_inside(module.operation) if one.name == _EXTRACT]:
        if not all(_is_constant(position) for position in list(op.operands)[1:]):
            continue
        uses = [(use.owner.operation, use.operand_number) for use in op.results[0].uses]
        found = [_body_of(user, op.block) for user, _ in uses]
        bodies: list[ir.Block] = []
        for body in found:
            if body is not None and body not in bodies:
                bodies.append(body)
        # The last one takes the operation itself where nothing else does: what is erased could not be told from what
        # is made later.
        copied = bodies if any(one is None for one in found) else bodies[:-1]
        for body in copied:
            copy = op.clone(ir.InsertionPoint.at_block_begin(body)).operation
            for (user, number), place in zip(uses, found, strict=True):
                if place is not None and place == body:
                    user.operands[number] = copy.results[0]
        for body in bodies[len(copied) :]:
            op.move_before(body.operations[0].operation)


def _body_of(op: ir.Operation, block: ir.Block) -> ir.Block | None:
    """Return the body of the operation of linalg in a block in which an operation is; None where it is in none."""
    while op.parent is not None:
        owner = op.parent.operation
        if owner.name.startswith("linalg."):
            return op.block if owner.block == block else None
        op = owner
    return None


def _is_constant(value: ir.Value) -> bool:
    owner = defining_op(value)
    return owner is not None and owner.name == "arith.constant"
