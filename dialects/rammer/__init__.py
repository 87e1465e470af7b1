# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `rammer` dialect: the programs of a function as operators whose tasks one persistent kernel runs on a schedule.

    from roller_mlir.dialects import rammer
    rammer.load(context)

Ops: OperatorOp, ApplyOp, GraphOp with typed properties; build them with `operator`, `apply`, `program`.
Attributes: DeviceAttr and ScheduleAttr. Each module of the dialect documents its op, with an example.
Paper: RAMMER, section 3.
"""

from roller_mlir.dialects.rammer.apply import START, ApplyOp, apply, start_values
from roller_mlir.dialects.rammer.attributes import DeviceAttr, ScheduleAttr
from roller_mlir.dialects.rammer.dialect import Rammer, load
from roller_mlir.dialects.rammer.operator import OperatorOp, operator
from roller_mlir.dialects.rammer.program import GraphOp, program, programs_of

__all__ = [
    "START",
    "ApplyOp",
    "DeviceAttr",
    "GraphOp",
    "OperatorOp",
    "Rammer",
    "ScheduleAttr",
    "apply",
    "load",
    "operator",
    "program",
    "programs_of",
    "start_values",
]
