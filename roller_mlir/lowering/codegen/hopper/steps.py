# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reduction root of a wgmma program: its reduction steps, and where the tiles of a step lie in its buffer."""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.dialects.rtile import ComputeOp, ProgramOp, StoreOp, TileLoad
from roller_mlir.hal.atoms import atom_family
from roller_mlir.lowering.codegen.hopper.copies import TensorCopy, is_tensor_copy, tensor_copy
from roller_mlir.lowering.codegen.hopper.stores import TensorStore, is_tensor_store, tensor_store
from roller_mlir.lowering.loops.nest import LoopNest, is_parallel, parallel_nest, reduction_nest
from roller_mlir.lowering.loops.program import LOADS, loads_of, stores_of
from roller_mlir.mapping.tensor_copy import stage_offsets, store_piece_bytes
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op


@dataclass(frozen=True)
class Steps:
    """The reduction of a program.

    Attributes:
        compute: Its rtile.compute.
        nest: The reduction loops; None where one step is all.
        copies: The tiles of a step.
        offsets: Where each lies in the step's buffer, in bytes.
        stage_bytes: Bytes of a buffer.
        stages: Buffers.
        stores: What is written by tensor copies.
    """

    compute: ComputeOp
    nest: LoopNest | None
    copies: tuple[TensorCopy, ...]
    offsets: tuple[int, ...]
    stage_bytes: int
    stages: int
    stores: tuple[TensorStore, ...]

    @property
    def trips(self) -> int:
        """Steps of a task."""
        return self.nest.trips.static if self.nest is not None else 1

    @property
    def copied_bytes(self) -> int:
        """Bytes that arrive in a step."""
        return sum(copy.tile.size_bytes for copy in self.copies)

    @property
    def maps(self) -> tuple[TensorMap, ...]:
        """The tensor maps, each once."""
        return tuple(dict.fromkeys([*(copy.map for copy in self.copies), *(store.map for store in self.stores)]))

    @property
    def staging_bytes(self) -> int:
        """Bytes of the largest buffer of a warpgroup for what it writes."""
        return max((store_piece_bytes(store.width) for store in self.stores), default=0)


def reads_memory(computes: Sequence[ComputeOp]) -> bool:
    """Return whether the instruction of one of a program's computes takes its factors from workgroup memory."""
    instructions = [compute.matrix_instruction for compute in computes]
    return any(one is not None and atom_family(one.family).reads_memory for one in instructions)


def steps_of_program(program: ProgramOp) -> Steps:
    """Return the reduction of a program of wgmma, refusing loads that nothing copies."""
    body = parallel_nest(program.operation).body
    found: list[tuple[ComputeOp, LoopNest | None, list[TileLoad]]] = []
    for op in body:
        inner = op.operation
        if isinstance(op, ComputeOp) and reads_memory([op]):
            found.append((op, None, [one for one in body if isinstance(one, TileLoad) and is_tensor_copy(one)]))
        elif inner.name == "scf.for" and not is_parallel(inner):
            nest = reduction_nest(inner)
            computes = [one for one in nest.body if isinstance(one, ComputeOp)]
            if reads_memory(computes):
                found.append((computes[0], nest, [one for one in nest.body if one.operation.name in LOADS]))
    if len(found) != 1:
        fail(program, f"'rtile.program' '{program.program_name}' has {len(found)} reductions by wgmma; 1 can be built")
    compute, nest, loads = found[0]
    for load in loads_of(program.operation):
        staged = load.tile.layer == WORKGROUP
        if staged and not (is_tensor_copy(load) and load in loads):
            fail(
                load,
                "'rtile.load' into workgroup memory must be a tensor copy of the reduction in a program of wgmma; "
                'give its layout copy = "tensor", or use instruction mma',
            )
        if not staged and load in loads:
            fail(load, "'rtile.load' of a wgmma's factor must go to workgroup memory; change its layer")
    copies = tuple(tensor_copy(load, ir.BlockArgument(load.source).arg_number) for load in loads)
    offsets, size = stage_offsets([copy.tile.size_bytes for copy in copies])
    stages = 1
    if nest is not None:
        # Persistent blocks fill buffers for the next task, however few steps one has.
        stages = nest.stages if program.persistent else min(nest.stages, nest.trips.bound)
        if nest.stages < 2 and nest.trips != 1:
            fail(compute, "wgmma reads a buffer while the next one is filled: it needs at least 2; raise rtile.stages")
    stores = tuple(_store(one, compute, nest) for one in stores_of(program.operation) if is_tensor_store(one))
    return Steps(compute, nest, copies, tuple(offsets), size, stages, stores)


def _store(store: StoreOp, root: ComputeOp, nest: LoopNest | None) -> TensorStore:
    """Return the copies of a store of what a compute of the program made."""
    argument = ir.BlockArgument(store.destination).arg_number
    if nest is not None and store.tile in nest.results:
        return tensor_store(store, root, nest.results.index(store.tile), argument)
    made = defining_op(store.tile, "rtile.compute")
    if made is None:
        fail(store, "'rtile.store' stores a tile that no rtile.compute made")
    return tensor_store(store, made.opview, list(made.results).index(store.tile), argument)
