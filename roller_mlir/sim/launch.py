# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernel IR on the CPU: compiles a gpu.module once, launches its kernels on numpy arrays."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from roller_mlir.mapping.layout.bank_phases import Banks
from roller_mlir.runtime.findings import Triple
from roller_mlir.sim.counting import Counts, collect
from roller_mlir.sim.diagnosis.errors import Position, SimulationError, StuckWait
from roller_mlir.sim.diagnosis.faults import make_error, positions
from roller_mlir.sim.diagnosis.findings import SanitizerError, describe, ending
from roller_mlir.sim.diagnosis.stuck import stuck_waits, triple
from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.fibers import stack_bytes
from roller_mlir.sim.engine.jit import MachineCode, compile_text, runtime
from roller_mlir.sim.engine.layout import LaunchFault, LaunchRecord
from roller_mlir.sim.gpu.kernel_ir import Entry
from roller_mlir.sim.hopper.copy_ops import BULK_COPY
from roller_mlir.sim.hopper.records import prepare_async_units
from roller_mlir.sim.hopper.runtime.build import hopper_runtime
from roller_mlir.sim.kernel_limits import MOST_WORKGROUP_BYTES
from roller_mlir.sim.lowering import LoweredKernels, LoweringOptions, lower
from roller_mlir.sim.matrix.units import provide
from roller_mlir.sim.memory.buffers import Arguments
from roller_mlir.sim.memory.records import Records
from roller_mlir.sim.memory.shadow import Shadow
from roller_mlir.sim.options import SimulatorOptions
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.nesting import check_nesting
from roller_mlir.support.stage import during

Extent = int | tuple[int, ...]
"""Blocks of a grid or threads of a block: x, or up to (x, y, z)."""

MOST_THREADS = 1024
MOST_BLOCKS = 1 << 24
MOST_RESIDENT_THREADS = 1 << 20
IDLE_ROUNDS = 1000
"""Rounds over all resident blocks in which every thread only spins, before the launch counts as deadlocked."""


@dataclass(frozen=True, kw_only=True)
class LaunchResult:
    """What a launch gave.

    Attributes:
        seconds: Time of the compiled grid on this machine; says nothing about a GPU.
        counts: Memory accesses, where they were counted.
    """

    seconds: float
    counts: Counts | None


def _triple(what: str, extent: Extent) -> tuple[int, int, int]:
    sizes = (extent,) if isinstance(extent, int) else extent
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise ValueError(f"{what} must be 1 to 3 extents of at least 1, but got {extent}")
    padded = (*sizes, 1, 1)
    return padded[0], padded[1], padded[2]


class SimulatedKernels:
    """The kernels of a gpu.module, compiled for this machine."""

    def __init__(
        self,
        module: Any,
        subgroup_size: int = 32,
        count: bool = False,
        *,
        check: bool = True,
        sanitize: bool = False,
        banks: Banks | None = None,
        file: str = "-",
    ) -> None:
        """Compile.

        Args:
            module: Text, an MLIR module, or a gpu.module; it is not changed. Or what `lower_llvm` gave, whose accesses
                are checked always and counted never.
            subgroup_size: Lanes of a subgroup, at most 64.
            count: Whether launches count memory accesses.
            check: Whether every access is checked against its memref's shape and its promised alignment.
            sanitize: Whether launches look for races, reads of what nobody has written, and copies that nobody has
                waited for; accesses are checked then, too.
            banks: Banks of workgroup memory, for counting.
            file: What reports call the file of a module that is text.

        Raises:
            DiagnosedError: The text is not valid, or holds what the simulator does not know.
            ValueError: An option is out of its range.
        """
        if not 1 <= subgroup_size <= layout.MAXIMUM_SUBGROUP:
            raise ValueError(f"subgroup_size must be 1 to {layout.MAXIMUM_SUBGROUP}, but got {subgroup_size}")
        self._subgroup_size, self._count, self._banks = subgroup_size, count, banks or Banks()
        named = sum(map(len, self._banks.wide_load_lanes))
        if named not in (0, subgroup_size):
            raise ValueError(f"banks must name all {subgroup_size} lanes of a subgroup or none, but got {named}")
        self._sanitize = sanitize
        options = LoweringOptions(
            subgroup_size=subgroup_size, check=check or sanitize, log=count, sanitize=sanitize, file=file
        )
        self._lowered: LoweredKernels = _lower(module, options)
        runtime()
        provide(self._lowered.needs.subgroup_ops)
        if self._lowered.needs.machine:
            hopper_runtime()
        with during(f"LLVM's code generation for {', '.join(self.names)}"):
            self._compiled: MachineCode = compile_text(self._lowered.text, kernels=self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the kernels."""
        return tuple(self._lowered.entries)

    def launch(
        self,
        name: str,
        grid: Extent,
        block: Extent,
        dynamic_workgroup_bytes: int,
        args: Sequence[Any],
        *,
        seed: int | None = 0,
        timeout_s: float = SimulatorOptions.timeout_s,
        resident_blocks: int | None = 1,
        sweep: bool = False,
        written: Sequence["np.ndarray[Any, Any] | None"] | None = None,
        before: Sequence["np.ndarray[Any, Any] | None"] = (),
        in_place: bool = False,
    ) -> LaunchResult:
        """Run a kernel to its end.

        Args:
            name: The kernel.
            grid: Blocks.
            block: Threads of a block.
            dynamic_workgroup_bytes: Workgroup memory behind `gpu.dynamic_shared_memory`.
            args: Arrays (changed in place) for memrefs, numbers for scalars.
            seed: Of the order in which blocks start, and in which subgroups and their threads run; None: ascending.
            timeout_s: Time after which the launch is given up, in seconds.
            resident_blocks: Blocks that run at the same time; None: all, as persistent kernels need it.
            sweep: Whether subgroups and resident blocks take turns after each wait, instead of running ahead until they
                can only wait for each other.
            written: For a sanitized launch, of each array which of its bytes have content, as uint8 (1: written), and
                None for all of them. What the launch writes is added. Without it, all arrays have content.
            before: For a sanitized launch that may begin before others have ended, of each array what these do to its
                bytes (`engine.layout.Before`), as uint8, and None for nothing.
            in_place: Whether arrays stay where they are, aligned or not, and may overlap.

        Raises:
            SanitizerError: The launch is sanitized, and the kernel did something wrong or did not end.
            SimulationError: The kernel did something wrong or did not end.
            ValueError: The launch does not fit the kernel.
        """
        entry = self._lowered.entries.get(name)
        if entry is None:
            raise ValueError(f"name must be one of {', '.join(self.names)}, but got {name!r}")
        grid3, block3 = _triple("grid", grid), _triple("block", block)
        if prod(block3) > MOST_THREADS:
            raise ValueError(f"block must have at most {MOST_THREADS} threads, but got {prod(block3)}")
        if dynamic_workgroup_bytes < 0 or timeout_s <= 0:
            raise ValueError(
                f"dynamic_workgroup_bytes must be at least 0 and timeout_s above 0, "
                f"but got {dynamic_workgroup_bytes} and {timeout_s}"
            )
        if prod(grid3) > MOST_BLOCKS:
            raise ValueError(f"grid must have at most {MOST_BLOCKS} blocks, but got {prod(grid3)}")
        if entry.static_bytes + dynamic_workgroup_bytes > MOST_WORKGROUP_BYTES:
            raise ValueError(
                f"workgroup memory must be at most {MOST_WORKGROUP_BYTES} B, "
                f"but got {entry.static_bytes} and {dynamic_workgroup_bytes} B"
            )
        if resident_blocks is not None and resident_blocks < 1:
            raise ValueError(f"resident_blocks must be at least 1, but got {resident_blocks}")
        arguments = Arguments(name, entry.parameters, args, in_region=self._sanitize, in_place=in_place)
        resident = min(prod(grid3), resident_blocks or prod(grid3))
        if resident * prod(block3) > MOST_RESIDENT_THREADS:
            raise ValueError(
                f"at most {MOST_RESIDENT_THREADS} threads run at the same time, "
                f"but got {resident} blocks of {prod(block3)} threads"
            )
        records = self._prepare(entry, arguments, grid3, block3, dynamic_workgroup_bytes, resident, seed)
        records.launch[LaunchRecord.SWEEP] = int(sweep)
        shadow = None
        if self._sanitize:
            lowered, needs = self._lowered, self._lowered.needs
            contents = written if written is not None else [None] * len(arguments.spans)
            shadow = Shadow(
                records,
                arguments,
                contents,
                before=before,
                granule_bytes=min(needs.widths, default=1),
                clocks=needs.atomic,
                narrow=needs.narrow,
                groups=lowered.table.groups(),
                proxies=[site.op.startswith(BULK_COPY) for site in lowered.table],
            )
        started = time.monotonic_ns()
        records.launch[LaunchRecord.DEADLINE_NS] = started + int(timeout_s * 1e9)
        with during(f"kernel '{name}'"):
            runtime()(records.launch.ctypes.data)
        seconds = (time.monotonic_ns() - started) / 1e9
        if not records.release():
            raise RuntimeError(
                f"kernel '{name}' used more than its {records.launch[LaunchRecord.STACK_BYTES]} B of stack"
            )
        arguments.copy_back()
        fault = None
        if records.launch[LaunchRecord.FAULT]:
            fault = self._fault(name, records, block3, arguments, f"{timeout_s:g} s")
        if shadow is not None:
            shadow.update_written()
            self._classify(name, shadow, entry, grid3, block3, fault)
        if fault is not None:
            raise fault
        counts = collect(self._lowered.table, records.counters) if self._count else None
        return LaunchResult(seconds=seconds, counts=counts)

    def _prepare(
        self,
        entry: Entry,
        arguments: Arguments,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        dynamic_bytes: int,
        resident: int,
        seed: int | None,
    ) -> Records:
        records = Records(
            threads=prod(block),
            subgroup_size=self._subgroup_size,
            resident=resident,
            arena_bytes=entry.static_bytes + dynamic_bytes,
            stack_bytes=stack_bytes(self._compiled.frame_bytes(entry.name)),
            sites=len(self._lowered.table),
            banks=self._banks,
            log=self._count,
            copies=self._lowered.needs.copies,
            polls=self._lowered.needs.polls,
        )
        generator = np.random.default_rng(seed)
        records.order_blocks(prod(grid), None if seed is None else generator)
        launch = records.launch
        launch[LaunchRecord.ENTRY] = self._compiled.address(entry.name)
        launch[LaunchRecord.ARGUMENTS] = records.keep(arguments.values)
        launch[LaunchRecord.RANGES] = records.keep(arguments.ranges)
        launch[LaunchRecord.RANGE_COUNT] = len(arguments.ranges)
        launch[LaunchRecord.GRID_X : LaunchRecord.GRID_Z + 1] = grid
        launch[LaunchRecord.BLOCK_X : LaunchRecord.BLOCK_Z + 1] = block
        launch[LaunchRecord.DYNAMIC_BYTES] = dynamic_bytes
        launch[LaunchRecord.RANDOM] = 0 if seed is None else int(generator.integers(1, 2**62))
        launch[LaunchRecord.IDLE_LIMIT] = IDLE_ROUNDS
        if self._lowered.needs.machine:
            prepare_async_units(records, arguments.map_addresses, arguments.described_maps)
        records.describe_sites(self._lowered.table, self._subgroup_size, self._banks)
        return records

    def _classify(
        self, name: str, shadow: Shadow, entry: Entry, grid: Triple, block: Triple, fault: SimulationError | None
    ) -> None:
        """Raise SanitizerError where the sanitizer found something, or the launch faulted."""
        hazards, more = shadow.hazards()
        found = describe(name, self._lowered.table, entry.parameters, grid, block, hazards)
        if fault is not None:
            found.append(ending(fault))
        if found:
            raise SanitizerError(name, found, more) from fault

    def _fault(self, name: str, records: Records, block: Triple, arguments: Arguments, budget: str) -> SimulationError:
        fault = LaunchFault(int(records.launch[LaunchRecord.FAULT]))
        thread, site = int(records.launch[LaunchRecord.FAULT_THREAD]), int(records.launch[LaunchRecord.FAULT_SITE])
        at = None
        if fault not in (LaunchFault.SPINS, LaunchFault.CLOCKS):
            at = records.place(int(records.launch[LaunchRecord.FAULT_CONTEXT]))
        blamed = None
        if fault not in (LaunchFault.SPINS, LaunchFault.CLOCKS, LaunchFault.DIVERGENT_BARRIER) and thread >= 0:
            blamed = triple(thread, block)
        found: tuple[Position, ...] = positions(self._lowered.table, records.standing())
        values = [int(value) for value in records.fault_values]
        site = site if at is not None else -1
        waits: tuple[StuckWait, ...] = ()
        if fault in (LaunchFault.SPINS, LaunchFault.TIMEOUT):
            table, parameters = self._lowered.table, self._lowered.entries[name].parameters
            arrays = [one for one in parameters if one.shape is not None]
            ranges = [(int(first), int(last)) for first, last in arguments.ranges]
            waits = stuck_waits(table, name, block, arrays, ranges, records.polling())
        return make_error(name, self._lowered.table, fault, site, at, blamed, values, found, waits, budget)


def _lower(module: Any, options: LoweringOptions) -> LoweredKernels:
    """Parse text, or clone what is already IR, and lower it; what is lowered already stays as it is."""
    if isinstance(module, LoweredKernels):
        if options.log or options.sanitize:
            raise ValueError("what is lowered already is neither counted nor sanitized, but one was asked for")
        return module
    if isinstance(module, str | bytes):
        check_nesting(module if isinstance(module, str) else module.decode())
        context = make_context()
        parsed = parse_module(module, context)
        return lower(parsed.operation, options)
    operation = module.operation
    with operation.context, ir.Location.unknown():
        holder = ir.Module.create()
        clone = operation.clone(ip=ir.InsertionPoint(holder.body))
        return lower(clone.operation, options)
