# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What planning is asked where all programs become one persistent kernel: one block for all of them.

Blocks walk tasks of every program, so that all tasks have as many threads, and as many of them run on a unit at a time
as it holds of the most demanding one. Each of a few numbers of threads is planned for, and the one with the least
predicted time, wave after wave, is taken. Where warpgroups are whole, programs may compute by wgmma: its blocks have
threads beside those of the tasks, which copy.
Paper: RAMMER, section 4.1.1: a task is a thread block, and all of a kernel are equal; section 4.1.2: the vEUs of a unit
are as many as its most demanding task allows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal import Device, find_device
from roller_mlir.hal.atoms import FAMILIES, atom_family
from roller_mlir.lowering.linalg.group.dispatch_waves import DispatchWaves, waves_in
from roller_mlir.lowering.targets.family import family_of, passes_to
from roller_mlir.lowering.targets.stage import KERNELS, PLANNED, Stage
from roller_mlir.mapping.tensor_copy import WARPGROUP_THREADS
from roller_mlir.passes.rammer.select_kernels import KernelSelection, RammerSelectKernels
from roller_mlir.passes.rtile.construct import RTileConstruct
from roller_mlir.rammer.options import PersistentOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError, fail
from roller_mlir.support.passes.analyses import analysis
from roller_mlir.support.passes.passes import Pass

SUBGROUPS = (2, 4, 8)
"""Subgroups of a block that are planned for."""


@dataclass(frozen=True, kw_only=True)
class BlockChoice:
    """A number of threads of a block that programs were planned for.

    Attributes:
        threads: Threads of a task.
        blocks_per_unit: Blocks of a unit that programs were planned for, null where they cannot be.
        seconds: The sum of the predicted times of the waves of programs, likewise.
        refused: Why they cannot; "" where they can.
    """

    threads: int
    blocks_per_unit: int | None = None
    seconds: float | None = None
    refused: str = ""


def check_persistent(module: ir.Module, reached: Stage | None, device: Device, asked: str = "persistent") -> None:
    """Refuse what cannot become one persistent kernel, whatever is in it.

    Args:
        module: Where errors are.
        reached: The last stage that it has reached.
        device: What to compile for.
        asked: The option that asks for it, or for kernels as it has them.

    Raises:
        DiagnosedError: The device cannot hold such a kernel, or the module has kernels already.
    """
    if reached is KERNELS:
        fail(module.operation, f"{asked}: the module has its kernels already; begin with an earlier stage")
    if not family_of(device).has_grid_barrier(device):
        fail(module.operation, f"{asked}: {device.name} has no cooperative launch, so blocks cannot wait for others")


def with_block(
    module: ir.Module, device: Device, target: str, options: CompileOptions
) -> tuple[CompileOptions, tuple[BlockChoice, ...]]:
    """Return options with the threads of a task and the instructions that bodies of one kernel can have.

    Args:
        module: At stage "fused"; it is not changed.
        device: What to compile for.
        target: How it is named.
        options: They ask for a persistent kernel, or for kernels as it has them.

    Returns:
        The options, and what they were chosen from: nothing where the threads are asked for, or a file gives the plans.

    Raises:
        DiagnosedError: No number of threads suits all programs.
    """
    if options.plan_file is not None:
        return options, ()
    planned, choices = _planned(module, device, target, options)
    return min(planned.values(), key=lambda one: one.seconds).options, tuple(choices.values())


def _planned(
    module: ir.Module, device: Device, target: str, options: CompileOptions
) -> "tuple[dict[int, _Resident], dict[int, BlockChoice]]":
    """Return what programs get by each number of threads that suits all of them, and what was looked at for that.

    Nothing was where the threads are asked for.

    Raises:
        DiagnosedError: None suits them.
    """
    known = {one.family for one in device.instructions}
    families = tuple(family for family in options.instructions or FAMILIES if family in known)
    read = analysis(waves_in, module)
    if options.task_threads is not None:
        return {options.task_threads: _resident(read, target, options)}, {}
    if options.block_threads is not None:
        asked = _asked(module, options, families, options.block_threads)
        return {options.block_threads: _resident(read, target, asked)}, {}
    refused: dict[int, DiagnosedError] = {}
    choices: dict[int, BlockChoice] = {}
    planned: dict[int, _Resident] = {}
    for subgroups in SUBGROUPS:
        threads = subgroups * device.subgroup_size
        try:
            asked = _asked(module, options, families, threads, roles=threads % WARPGROUP_THREADS == 0)
            found = planned[threads] = _resident(read, target, asked)
        except DiagnosedError as error:
            refused[threads] = error
            choices[threads] = BlockChoice(threads=threads, refused=error.message)
        else:
            held = found.options.blocks_per_unit
            choices[threads] = BlockChoice(threads=threads, blocks_per_unit=held, seconds=found.seconds)
    if not planned:
        raise _refusal(refused)
    return planned, choices


@dataclass(frozen=True)
class _Resident:
    """Options with as many blocks a unit as all programs can have that are planned with them, and what these get."""

    options: CompileOptions
    selection: KernelSelection

    @property
    def seconds(self) -> float:
        """The sum of the predicted times of the waves of programs."""
        return self.selection.seconds


def _resident(read: DispatchWaves, target: str, options: CompileOptions) -> _Resident:
    """Plan for fewer and fewer blocks a unit, until all programs can have as many as the others count on.

    A task is as quick as it is predicted, and tasks are as many, where so many run at a time: those of a program that
    counts on more would take a round more.
    """
    found = _selecting_pass(target, options).selection(read)
    while options.blocks_per_unit != found.tasks_per_unit:
        options = replace(options, blocks_per_unit=found.tasks_per_unit)
        found = _selecting_pass(target, options).selection(read)
    return _Resident(options, found)


def kernels_looked_at(
    module: ir.Module, target: str, options: CompileOptions
) -> Iterator[tuple[CompileOptions, tuple[tuple[int | None, ...], ...]]]:
    """Yield what kernels are planned for before they are chosen, with each number of threads that suits all programs.

    Args:
        module: At stage "fused"; it is not changed.
        target: A device's name, or the path of its description.
        options: They ask for a persistent kernel, or for kernels as it has them.

    Yields:
        The options, and of each dispatch the units that it might get; None for all of the device.

    Raises:
        DiagnosedError: No number of threads suits all programs.
    """
    for found in _planned(module, find_device(target), target, options)[0].values():
        most = {found.selection.all_units: options.max_units}
        yield found.options, tuple(tuple(most.get(one, one) for one in each) for each in found.selection.looked_at)


def planning_pass(target: str, options: CompileOptions) -> RTileConstruct:
    """Return the pass that plans under these options."""
    (found,) = [one for one in _planning_passes(target, options) if isinstance(one, RTileConstruct)]
    return found


def _selecting_pass(target: str, options: CompileOptions) -> RammerSelectKernels:
    """Return the pass that chooses kernels under these options."""
    (found,) = [one for one in _planning_passes(target, options) if isinstance(one, RammerSelectKernels)]
    return found


def _planning_passes(target: str, options: CompileOptions) -> list[Pass]:
    given: dict[str, str | None] = {"device": target, **options.pipeline_options()}
    if options.persistent:
        given |= options.pipeline_options(PersistentOptions)
    return passes_to(PLANNED, given, persistent=options.persistent, bounded=options.bounded)


def _refusal(refused: Mapping[int, DiagnosedError]) -> DiagnosedError:
    """Return the error of programs that no number of threads suits; one that has nothing to do with it is as it is."""
    threads, last = max(refused.items())
    if len({error.message for error in refused.values()}) == 1:
        return last
    text = f"persistent: no number of threads suits all programs; {threads} threads: {last.message}"
    return DiagnosedError([replace(last.diagnostics[0], message=text), *last.diagnostics[1:]])


def _asked(
    module: ir.Module, options: CompileOptions, families: tuple[str, ...], threads: int, *, roles: bool = False
) -> CompileOptions:
    """Return options that ask for tasks of so many threads; with roles, beside which others may copy."""
    copying = [family for family in families if atom_family(family).reads_memory]
    if roles and copying:
        return replace(options, instructions=families, task_threads=threads)
    usable = tuple(family for family in families if family not in copying)
    if not usable:  # nothing would ask for all
        fail(module.operation, f"persistent: blocks of {threads} threads compute by none of {', '.join(families)}")
    return replace(options, instructions=usable, block_threads=threads)
