# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles LLVM IR for the host with llvmlite, and holds the runtime that all kernels of the process share."""

import ctypes
import functools
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as binding

from roller_mlir.sim.engine import fibers
from roller_mlir.sim.engine.copies_ir import emit_copies
from roller_mlir.sim.engine.counting_ir import emit_counter
from roller_mlir.sim.engine.elf_symbols import undefined_symbols
from roller_mlir.sim.engine.runtime_ir import PREFIX, TRUNCATE_TEXT, TRUNCATIONS, emit_runtime
from roller_mlir.sim.engine.sanitizer.clocks_ir import emit_order
from roller_mlir.sim.engine.sanitizer.shadow_access_ir import emit_sanitizer
from roller_mlir.sim.engine.scheduler_ir import emit_scheduler
from roller_mlir.support.diagnostics import fail

_PROLOGUE_BYTES = 96
_PASSES = ("always_inliner", "sroa", "instruction_combine", "simplify_cfg", "tail_call_elimination")
"""Enough for kernels, whose authors have unrolled and vectorised them: LLVM's whole pipeline takes several times as
long, and what it makes runs no faster."""

_FLUSHING = ("avx512bf16", "avxneconvert")
"""Features whose conversions of f32 to bf16 flush denormal numbers, which GPUs keep; the runtime has functions."""


@functools.cache
def _host() -> tuple[Any, str, str]:
    """Return the target, the processor's name and its features."""
    fibers.check_host()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()
    features: Any = binding.get_host_cpu_features()
    flags = ",".join([features.flatten(), *(f"-{name}" for name in _FLUSHING)])
    return binding.Target.from_default_triple(), binding.get_host_cpu_name(), flags


@dataclass(frozen=True)
class MachineCode:
    """Machine code in this process; it lives as long as the object.

    Attributes:
        engine: llvmlite's execution engine.
    """

    engine: Any

    def address(self, function: str) -> int:
        """Return a function's address."""
        return int(self.engine.get_function_address(function))

    def frame_bytes(self, function: str) -> int:
        """Return the size of a function's stack frame."""
        return fibers.frame_bytes(ctypes.string_at(self.address(function), _PROLOGUE_BYTES))


def compile_text(text: str, *, level: int = 1, kernels: tuple[str, ...] = ()) -> MachineCode:
    """Compile LLVM IR text; functions that it only declares come from the process or from the runtime.

    Args:
        text: The module.
        level: LLVM's optimisation level; 0 leaves products and sums apart, which the devices contract.
        kernels: What a refusal says is in the module.

    Raises:
        DiagnosedError: The module calls functions that nobody has.
    """
    target, processor, features = _host()
    # One a module: the engine takes it over and frees it.
    machine = target.create_target_machine(cpu=processor, features=features, opt=level, jit=True)
    try:
        module: Any = binding.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        fail(None, f"simulated: LLVM cannot read {_named(kernels)} as rewritten: {' '.join(str(error).split())[:300]}")
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    manager: Any = binding.create_new_module_pass_manager()
    for name in _PASSES:
        getattr(manager, f"add_{name}_pass")()
    manager.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=level)))
    code: bytes = machine.emit_object(module)
    missing = sorted(name for name in undefined_symbols(code) if not _is_known(name))
    if missing:
        fail(
            None, f"simulated: {_named(kernels)} needs functions that this process does not have: {', '.join(missing)}"
        )
    engine: Any = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return MachineCode(engine)


def _named(kernels: tuple[str, ...]) -> str:
    return " and ".join(f"'{kernel}'" for kernel in kernels) or "a module"


def _is_known(name: str) -> bool:
    """Return whether the runtime or the process has a function."""
    return binding.address_of_symbol(name) is not None or hasattr(ctypes.CDLL(None), name)


@functools.cache
def runtime() -> Any:
    """Return `run(address of the launch's record)`, compiled once a process.

    The runtime's functions become known to LLVM by name, so that kernels compiled later find them.
    """
    emitted = emit_runtime()
    order = emit_order(emitted)
    emit_copies(emitted, *emit_sanitizer(emitted, order))
    emit_scheduler(emitted, emit_counter(emitted), order)
    assembly = "".join(f'module asm "{line.strip()}"\n' for line in fibers.SWITCH.strip().splitlines())
    compiled = compile_text(f"{emitted.module}\n{assembly}{TRUNCATE_TEXT}")
    for function in emitted.module.functions:
        if not function.is_declaration and function.linkage != "internal":
            binding.add_symbol(function.name, compiled.address(function.name))
    for name, function in TRUNCATIONS.items():
        if not _is_known(name):
            binding.add_symbol(name, compiled.address(function))
    run: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(compiled.address(f"{PREFIX}run"))
    run.compiled = compiled
    return run
