# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copying a linalg body into an rtile.compute."""

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.reader import StructuredOp
from roller_mlir.support.bindings import ir


def clone_region(source: StructuredOp, compute: rtile.ComputeOp | rtile.MapLoadOp) -> None:
    """Fill the empty region of a compute, or of a load of what the op makes, with a linalg op's body.

    Arguments that stand for scalar constants are replaced by those constants; arguments that are never read vanish.
    """
    old = source.operation.regions[0].blocks[0]
    new = compute.entry
    mapped: dict[ir.Value, ir.Value] = {}
    for position, number in enumerate(source.inputs):
        mapped[old.arguments[number]] = new.arguments[position]
    for number in range(len(new.arguments) - len(source.inputs)):
        mapped[old.arguments[source.body.inputs + number]] = new.arguments[len(source.inputs) + number]
    with ir.InsertionPoint(new):
        for number in range(source.body.inputs):
            if number not in source.inputs and source.body.reads(number):
                constant = source.operation.operands[number].owner
                mapped[old.arguments[number]] = constant.clone(ip=ir.InsertionPoint(new)).operation.results[0]
        for op in old.operations:
            operation = op.operation
            if operation.name == "linalg.yield":
                rtile.yield_([mapped.get(value, value) for value in operation.operands])
                continue
            if operation.name == "linalg.index":
                loop = ir.IntegerAttr(operation.attributes["dim"]).value
                mapped[operation.results[0]] = rtile.index(loop, loc=operation.location).operation.results[0]
                continue
            copy = operation.clone(ip=ir.InsertionPoint(new)).operation
            for i, value in enumerate(operation.operands):
                copy.operands[i] = mapped.get(value, value)
            for before, after in zip(operation.results, copy.results, strict=True):
                mapped[before] = after
