# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `rtile` dialect: tiles, hierarchical tile programs, and the plans from which they are made.

    from roller_mlir.dialects import rtile
    rtile.load(context)

Attributes: TileAttr, LayoutAttr, ThreadsAttr, InstructionAttr, PlanAttr; build them with `.of(...)`. Ops: ProgramOp,
LoadOp, MapLoadOp, ComputeOp, IndexOp, GatherOp, StoreOp, YieldOp with typed properties; build them with `program`,
`load_tile`, `compute`, `index`, `gather`, `store`, `yield_`. Ops print in MLIR's generic form. Each module of the
dialect documents its op, with an example.
"""

from roller_mlir.dialects.rtile.attributes import InstructionAttr, LayoutAttr, PlanAttr, ThreadsAttr, TileAttr
from roller_mlir.dialects.rtile.compute import ComputeOp, compute
from roller_mlir.dialects.rtile.dialect import RTile, load
from roller_mlir.dialects.rtile.fields import from_attribute, to_attribute
from roller_mlir.dialects.rtile.gather import GatherOp, gather
from roller_mlir.dialects.rtile.index import IndexOp, index
from roller_mlir.dialects.rtile.loads import LoadOp, MapLoadOp, TileLoad, load_tile
from roller_mlir.dialects.rtile.program import (
    COUNTS,
    JOINED,
    MAPPING,
    MAX_UNITS,
    PERSISTENT,
    PIPELINE,
    STAGES,
    TASKS_PER_UNIT,
    ProgramOp,
    YieldOp,
    program,
    yield_,
)
from roller_mlir.dialects.rtile.store import StoreOp, store

__all__ = [
    "COUNTS",
    "JOINED",
    "MAPPING",
    "MAX_UNITS",
    "PERSISTENT",
    "PIPELINE",
    "STAGES",
    "TASKS_PER_UNIT",
    "ComputeOp",
    "GatherOp",
    "IndexOp",
    "InstructionAttr",
    "LayoutAttr",
    "LoadOp",
    "MapLoadOp",
    "PlanAttr",
    "ProgramOp",
    "RTile",
    "StoreOp",
    "ThreadsAttr",
    "TileAttr",
    "TileLoad",
    "YieldOp",
    "compute",
    "from_attribute",
    "gather",
    "index",
    "load",
    "load_tile",
    "program",
    "store",
    "to_attribute",
    "yield_",
]
