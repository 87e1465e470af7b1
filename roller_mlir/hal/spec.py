# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a device is: a frozen record in SI units that checks itself.

Words of the whole project: a *unit* runs blocks on its own (NVIDIA: streaming multiprocessor; AMD: compute unit), a
*subgroup* is the set of threads that execute together (warp, wavefront), *workgroup memory* is what the threads of a
block share. What is not known is `None`, never 0. A device without threads has vectors in their place: its units are
cores, each of which runs a task by itself, and its memory is cached. No record but `host`'s is derived from the machine
that the compiler runs on.

Paper: ROLLER section 3.1 (hardware abstraction: layers, execution units, transactions, banks), section 4 (instances).
"""

from dataclasses import dataclass

from roller_mlir.hal.atoms import check_instruction
from roller_mlir.hal.atoms.scalar import is_multiply_add
from roller_mlir.hal.checks import (
    check_clock,
    require,
    require_at_most,
    require_member,
    require_multiple,
    require_plausible,
    require_positive,
    require_power_of_two,
)
from roller_mlir.hal.errors import DeviceError
from roller_mlir.hal.instructions import Instruction
from roller_mlir.hal.layers import MemoryLayer
from roller_mlir.hal.model_constants import DEFAULT_MODEL, ModelConstants
from roller_mlir.hal.vector_constants import DEFAULT_VECTORS, VectorConstants
from roller_mlir.hal.vendors import compiling_vendors, vendor_named, vendors

__all__ = [
    "FEATURES",
    "REGISTER_BYTES",
    "Device",
    "Instruction",
    "MemoryLayer",
    "ModelConstants",
    "Override",
    "VectorConstants",
]

REGISTER_BYTES = 4
"""Size of one register of one thread, on every device described here."""

FEATURES = ("async_copy", "tensor_copy", "cluster", "matrix_load", "dependent_launch")
"""What a device may have beyond the common: cp.async; TMA; clusters of blocks; ldmatrix; launches of a kernel before
the one that it needs has ended (CUDA C++ Programming Guide, chapter 4.5)."""


_AVX512_BYTES = 64
_OF_VECTORS = ("vector_bytes", "vector_registers", "fma_ports", "load_ports")


@dataclass(frozen=True, kw_only=True)
class Override:
    """One constant of a device that a calibration replaced.

    Attributes:
        key: The key in the device's description, such as "layers.global.sustained_bandwidth_bytes_per_s".
        value: The value now.
        was: The value that the description gives; None where it leaves it out.
        source: Who measured it, with what command, and when.
        file: The calibration file.
    """

    key: str
    value: float
    was: float | None
    source: str
    file: str


@dataclass(frozen=True, kw_only=True)
class Device:
    """A device to compile for.

    Attributes:
        name: Its name for users, such as "h200".
        vendor: The target family: "nvidia", "amd" or "cpu", for which code is generated, or "graphcore", for the
            construction and its model only.
        architecture: The compiler's name of its instruction set, such as "sm_90a".
        description: Product, form and memory, for people.
        aliases: Other names of this very device.
        default_for: Architecture names that a user may give instead of a device, and that then mean this one.
        features: Which of `FEATURES` it has.
        ptx_version: The first PTX version that knows the architecture (NVIDIA), such as "8.0".
        units: Streaming multiprocessors, compute units or cores.
        clock_hz: The boost clock, at which the vendor states peaks.
        subgroup_size: Threads that execute together.
        schedulers_per_unit: Parts of a unit, each with its share of the registers, that issue for one subgroup a cycle.
        max_threads_per_block: Threads of one block at most.
        max_threads_per_unit: Threads of all blocks that a unit holds at a time, at most.
        max_blocks_per_unit: Blocks that a unit holds at a time, at most.
        max_multi_subgroup_blocks_per_unit: The limit for blocks of more than one subgroup, where it is lower.
        max_grid_blocks: Blocks along the first axis of a grid.
        registers_per_unit: 32-bit registers of all threads of a unit.
        max_registers_per_thread: What an instruction of one thread can address.
        accumulator_registers_per_thread: Further registers that only matrix instructions and moves can address.
        register_allocation_per_subgroup: A subgroup's registers are rounded up to a multiple of this.
        subgroup_allocation: A block's subgroups are rounded up to a multiple of this when registers are given out.
        max_workgroup_bytes_per_block: Workgroup memory that a block can ask for at launch.
        max_workgroup_bytes_per_unit: Workgroup memory of all resident blocks.
        reserved_workgroup_bytes_per_block: What the system takes of it for itself per resident block.
        workgroup_allocation_bytes: A block's workgroup memory is rounded up to a multiple of this.
        static_workgroup_bytes: Workgroup memory that a block can have without asking at launch.
        max_access_bytes: The widest load or store of one thread.
        unified_cache_bytes: The first cache and the workgroup memory of a unit together, where one memory holds both
            and what a kernel does not use as workgroup memory is cache.
        launch_latency_s: From one kernel to the next in a queue of empty-sized kernels.
        vector_bytes: Width of a vector register of a device without threads, None of one that has them. Vectors are
            loaded and stored at any multiple of their element's size, and under masks.
        vector_registers: How many of them a task has.
        fma_ports: Vector multiply-adds that a unit begins in a cycle.
        load_ports: Vectors that a unit loads from its first cache in a cycle.
        layers: From the registers outwards.
        instructions: What multiplies and adds.
        model: Constants of the performance model.
        vectors: Those of the model of vectors, which takes the place of the former where there are no threads.
        overrides: What a calibration replaced, in its order; empty for a device as it is described.
    """

    name: str
    vendor: str
    architecture: str
    description: str
    units: int
    clock_hz: float
    subgroup_size: int
    schedulers_per_unit: int
    max_threads_per_block: int
    max_threads_per_unit: int
    max_blocks_per_unit: int
    max_grid_blocks: int
    registers_per_unit: int
    max_registers_per_thread: int
    register_allocation_per_subgroup: int
    max_workgroup_bytes_per_block: int
    max_workgroup_bytes_per_unit: int
    static_workgroup_bytes: int
    max_access_bytes: int
    layers: tuple[MemoryLayer, ...]
    instructions: tuple[Instruction, ...]
    aliases: tuple[str, ...] = ()
    default_for: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    ptx_version: str | None = None
    max_multi_subgroup_blocks_per_unit: int | None = None
    accumulator_registers_per_thread: int | None = None
    subgroup_allocation: int = 1
    reserved_workgroup_bytes_per_block: int = 0
    workgroup_allocation_bytes: int = 1
    unified_cache_bytes: int | None = None
    launch_latency_s: float | None = None
    vector_bytes: int | None = None
    vector_registers: int | None = None
    fma_ports: int | None = None
    load_ports: int | None = None
    model: ModelConstants = DEFAULT_MODEL
    vectors: VectorConstants = DEFAULT_VECTORS
    overrides: tuple[Override, ...] = ()

    def __hash__(self) -> int:
        """Return the hash of the name: few devices share one, and much that is remembered has a device in its key."""
        return hash(self.name)

    def __post_init__(self) -> None:
        """Check each field and the fields against each other; raises DeviceError."""
        for key in ("name", "architecture", "description"):
            require(bool(getattr(self, key)), key, "must not be empty")
        require_member("vendor", self.vendor, vendors())
        for feature in self.features:
            require_member("features", feature, FEATURES)
        numbers = {key: value for key, value in vars(self).items() if isinstance(value, (int, float))}
        reserved = numbers.pop("reserved_workgroup_bytes_per_block")
        require(reserved >= 0, "reserved_workgroup_bytes_per_block", f"must not be negative, but got {reserved}")
        if self.vector_bytes is not None:
            rule = "must be left out: a device of vectors declares no workgroup memory"
            require(numbers.pop("static_workgroup_bytes") == 0, "static_workgroup_bytes", rule)
        require_positive(numbers)
        require_power_of_two("vector_bytes", self.vector_bytes)
        for key in _OF_VECTORS:
            known = getattr(self, key) is not None
            require(known == (self.vector_bytes is not None), key, f"must be given with {', '.join(_OF_VECTORS)}")
        of_vectors = self.vector_bytes is not None or self.vectors == DEFAULT_VECTORS
        require(of_vectors, "vectors", "must be left out: it is for a device with vector_bytes")
        check_clock(self.clock_hz)
        require_plausible("launch_latency_s", self.launch_latency_s, 1e-9, 1e-1, "s")
        require_power_of_two("subgroup_size", self.subgroup_size)
        require_power_of_two("max_access_bytes", self.max_access_bytes)
        has_ptx = vendor_named(self.vendor).has_ptx
        rule = f"must be {'given' if has_ptx else 'left out'} for vendor '{self.vendor}'"
        require(has_ptx == (self.ptx_version is not None), "ptx_version", rule)
        self._check_residency()
        self._check_workgroup_memory()
        self._check_layers()
        self._check_instructions()

    def _check_residency(self) -> None:
        for key in ("max_threads_per_block", "max_threads_per_unit", "register_allocation_per_subgroup"):
            require_multiple(key, getattr(self, key), "subgroup_size", self.subgroup_size)
        limit = self.max_threads_per_unit
        require_at_most("max_threads_per_block", self.max_threads_per_block, "max_threads_per_unit", limit)
        if self.max_multi_subgroup_blocks_per_unit is not None:
            key = "max_multi_subgroup_blocks_per_unit"
            require_at_most(key, getattr(self, key), "max_blocks_per_unit", self.max_blocks_per_unit)
        granule = self.register_allocation_per_subgroup * self.schedulers_per_unit
        of_key = "register_allocation_per_subgroup x schedulers_per_unit"
        require_multiple("registers_per_unit", self.registers_per_unit, of_key, granule)
        share = self.registers_per_unit // self.schedulers_per_unit // self.subgroup_size
        of_key = "registers_per_unit / schedulers_per_unit / subgroup_size"
        require_at_most("max_registers_per_thread", self.max_registers_per_thread, of_key, share)

    def _check_workgroup_memory(self) -> None:
        limit = self.max_workgroup_bytes_per_unit - self.reserved_workgroup_bytes_per_block
        of_key = "max_workgroup_bytes_per_unit - reserved_workgroup_bytes_per_block"
        require_at_most("max_workgroup_bytes_per_block", self.max_workgroup_bytes_per_block, of_key, limit)
        limit = self.max_workgroup_bytes_per_block
        require_at_most("static_workgroup_bytes", self.static_workgroup_bytes, "max_workgroup_bytes_per_block", limit)

    def _check_layers(self) -> None:
        names = [layer.name for layer in self.layers]
        require(len(set(names)) == len(names), "layers", f"must have distinct names, but got {', '.join(names)}")
        for name in ("register", "workgroup", "global") if self.vector_bytes is None else ("register", "global"):
            require(name in names, "layers", f"must have a layer '{name}', but got {', '.join(names) or 'none'}")
        self._check_unit_layer("register", self.registers_per_unit * REGISTER_BYTES, "registers_per_unit x 4 B")
        if self.vector_bytes is None:
            self._check_unit_layer("workgroup", self.max_workgroup_bytes_per_unit, "max_workgroup_bytes_per_unit")
            require(self.layer("workgroup").banks is not None, "layers.workgroup.banks", "must be given")
        for layer in self.layers:
            if layer.kind == "distributed":
                self._check_unit_layer(layer.name, self.max_workgroup_bytes_per_unit, "max_workgroup_bytes_per_unit")
        for layer in self.layers:
            known = layer.name not in ("workgroup", "global") or bool(
                layer.bandwidth_bytes_per_s or layer.sustained_bandwidth_bytes_per_s
            )
            require(known, f"layers.{layer.name}.bandwidth_bytes_per_s", "must be given")
            lanes = sorted(lane for group in layer.wide_load_lanes for lane in group)
            every = not lanes or lanes == list(range(self.subgroup_size))
            rule = f"must name each of the {self.subgroup_size} lanes of a subgroup once"
            require(every, f"layers.{layer.name}.wide_load_lanes", rule)

    def _check_unit_layer(self, name: str, capacity_bytes: int, of_key: str) -> None:
        layer = self.layer(name)
        rule = f"must equal units ({self.units}), but got {layer.instances}"
        require(layer.instances == self.units, f"layers.{name}.instances", rule)
        rule = f"must equal {of_key} ({capacity_bytes}), but got {layer.capacity_bytes}"
        require(layer.capacity_bytes == capacity_bytes, f"layers.{name}.capacity_bytes", rule)

    def _check_instructions(self) -> None:
        keys = [(one.name, one.operand_type, one.result_type) for one in self.instructions]
        require(len(set(keys)) == len(keys), "instructions", "must differ in name, operand_type or result_type")
        require(any(map(is_multiply_add, self.instructions)), "instructions", "must have one of family 'fma' on f32")
        for position, one in enumerate(self.instructions):
            try:
                check_instruction(one)
            except DeviceError as error:
                raise error.within(f"instructions[{position}]") from error
            if one.is_matrix:
                key = f"instructions.{one.name}.threads"
                require_multiple(key, one.threads, "subgroup_size", self.subgroup_size)

    @property
    def compiles(self) -> bool:
        """Whether code can be generated for it; if not, it is for the construction and its model only."""
        return vendor_named(self.vendor).compiles

    def require_compiles(self) -> None:
        """Raise a DeviceError that says so where no code can be generated for the device."""
        if not self.compiles:
            reason = (
                f"'{self.name}' of {self.vendor} is for the construction and its model only: there is no code for it"
            )
            raise DeviceError(f"{reason}; devices of {' and '.join(compiling_vendors())} have code")

    @property
    def tick_ns(self) -> int:
        """Nanoseconds of a tick of the counter that all units read; raises a DeviceError where none is known."""
        found = vendor_named(self.vendor).tick_ns
        if found is None:
            raise DeviceError(f"'{self.name}' of {self.vendor}: no counter of time is known that all its units read")
        return found

    @property
    def fence_covers_block(self) -> bool:
        """Whether a thread's release fence, behind a barrier, covers what the other threads of its block wrote."""
        return vendor_named(self.vendor).fence_covers_block

    @property
    def has_mask_registers(self) -> bool:
        """Whether a mask of a vector's access lies in a register of its own, so that making and using one costs little.

        AVX-512 has such registers (Intel SDM, volume 1, chapter 15). AVX2 takes masks from vectors, whose lanes are
        spread for it one access at a time; NEON has no accesses under masks.
        """
        return self.vector_bytes is not None and self.vector_bytes >= _AVX512_BYTES

    @property
    def caches(self) -> tuple[MemoryLayer, ...]:
        """The layers that the hardware fills, nearest first."""
        return tuple(layer for layer in self.layers if layer.kind == "cached")

    def second_cache_bytes(self, units: int) -> float:
        """Return a core's share of its second cache, or of the only one, while so many cores work; 0 without caches."""
        if not self.caches:
            return 0.0
        cache = self.caches[min(1, len(self.caches) - 1)]
        return cache.capacity_bytes * min(1.0, cache.instances / units)

    @property
    def multiply_add(self) -> Instruction:
        """The multiply-add of f32 of one thread, which each device has."""
        return next(filter(is_multiply_add, self.instructions))

    def layer(self, name: str) -> MemoryLayer:
        """Return the layer of that name, or raises a DeviceError."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        known = ", ".join(layer.name for layer in self.layers)
        raise DeviceError(f"device '{self.name}' has no memory layer '{name}'; it has {known}")

    def instruction(self, name: str, operand_type: str = "f32", result_type: str | None = None) -> Instruction:
        """Return the instruction of that name and those types, or raises a DeviceError.

        Args:
            name: The mnemonic, or "fma".
            operand_type: Element type of the factors.
            result_type: Element type of the sum; where left out, the operands'.
        """
        types = (operand_type, result_type or operand_type)
        for one in self.instructions:
            if one.name == name and (one.operand_type, one.result_type) == types:
                return one
        raise DeviceError(f"device '{self.name}' has no instruction '{name}' from {types[0]} to {types[1]}")

    def cycles_per_point(self, one: Instruction) -> float:
        """Return for how many cycles of one scheduler a subgroup's points of the loop nest, one a thread, occupy it.

        H200: 256 flops per cycle and unit of FMA are 32 lanes for each of 4 schedulers: 1 cycle for 32 threads.
        Where the instruction's sustained clock is half of the device's, the cycles, which are the device's, are twice
        as many.
        """
        clock = (one.sustained_clock_hz or one.clock_hz or self.clock_hz) / self.clock_hz
        lanes = one.flops_per_cycle_per_unit * clock / 2 / self.schedulers_per_unit
        return self.subgroup_size / lanes

    def peak_flops_per_s(self, instruction: Instruction) -> float:
        """Return the peak of the whole device with that instruction: units x flops per cycle and unit x clock.

        H200, fma on f32: 132 units x 256 flops x 1.98 GHz = 66.9e12 flop/s.
        """
        return self.units * instruction.flops_per_cycle_per_unit * (instruction.clock_hz or self.clock_hz)
