# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole model through IREE's compiler, with our kernels where we can compile it.

IREE's compiler runs twice: up to the phase of `cut`, where the program is linalg on tensors yet, and from there on,
when our dispatches stand in it. Between the two the program is text in MLIR's generic syntax, which needs none of
IREE's dialects.
"""

import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.hal import find_device
from roller_mlir.importers.asserts import erase_asserts
from roller_mlir.iree.calls import TARGET
from roller_mlir.iree.compiler import compile_program, export_weights, find_compiler
from roller_mlir.iree.dispatches import take_dispatches
from roller_mlir.iree.errors import IreeError
from roller_mlir.iree.graph import take_blocks
from roller_mlir.iree.parts import Part, PartCompiler
from roller_mlir.iree.program import driver_of, image_of
from roller_mlir.iree.report import Line
from roller_mlir.iree.targets import device_attribute, target_attribute
from roller_mlir.iree.tools import LIMIT_S
from roller_mlir.support.bindings import ir, make_context, passmanager
from roller_mlir.support.diagnostics import parse_module

# Named element-wise operations, which IREE's MLIR has no more, become one operation that both have.
_BRIDGE = "builtin.module(linalg-morph-ops{named-to-category})"
_GENERIC = ("--mlir-print-op-generic", "--mlir-print-debuginfo")


@dataclass(frozen=True, kw_only=True)
class Mode:
    """A way to share a program out between IREE and us.

    Attributes:
        cut: The phase of IREE's compiler at which we take our share.
        take: Replaces it by our dispatches; returns the parts and who compiles what.
        flags: What IREE's compiler is told.
    """

    cut: str
    take: Callable[[ir.Module, PartCompiler], tuple[list[Part], list[Line]]]
    flags: tuple[str, ...] = ()


MODES = {
    "graph": Mode(cut="global-optimization", take=take_blocks),
    # Without the flag paddings are dispatches of their own, which write parts of what others read.
    "dispatch": Mode(
        cut="flow",
        take=take_dispatches,
        flags=("--iree-dispatch-creation-enable-fuse-padding-into-linalg-consumer-ops",),
    ),
}


@dataclass(frozen=True, kw_only=True)
class CompiledModel:
    """A model as a module of IREE.

    Attributes:
        module: For IREE's runtime.
        programs: What we compiled.
        lines: Who compiles what.
        phases_s: Seconds per phase.
        notes: What was left out.
    """

    module: bytes
    programs: tuple[Part, ...]
    lines: list[Line]
    phases_s: dict[str, float]
    notes: tuple[str, ...] = field(default=())


def compile_model(
    source: Source,
    target: str,
    options: CompileOptions,
    *,
    mode: str | Mode = "graph",
    image: str | None = None,
    flags: Sequence[str] = (),
    weights: Path | None = None,
    assume_resident: bool = False,
    timeout_s: float = LIMIT_S,
) -> CompiledModel:
    """Compile a model for IREE's runtime.

    Args:
        source: The model, as linalg on tensors.
        target: A device.
        options: How our kernels are compiled; they make their tensor maps themselves, as IREE passes none.
        mode: One of `MODES`, or another.
        image: Kind of binaries; None: what IREE's driver takes best.
        flags: Of `iree-compile`, for both of its runs.
        weights: A file for the constants of 256 B and more, which become IREE's parameters of the scope "model";
            None: they are in the module.
        assume_resident: Whether kernels whose blocks wait for each other are launched as others are; see
            `roller_mlir.iree.program.iree_program`.
        timeout_s: What each run of IREE's compiler may take.

    Raises:
        DiagnosedError: The model is not valid.
        IreeError: IREE's compiler is not there, or refuses the program; or IREE has no driver for the device.
    """
    device, way = find_device(target), MODES[mode] if isinstance(mode, str) else mode
    device.require_compiles()
    driver = driver_of(device)
    kind = image_of(driver, image, counted=options.persistent)
    attribute = target_attribute(driver, device)
    compiler = find_compiler()
    clock = _Clock()
    with make_context(allow_unregistered=True) as context, ir.Location.unknown():
        module = parse_source(source, context)
        notes = erase_asserts(module)
        targets = ir.Attribute.parse(f"[{device_attribute(driver, attribute)}]")
        module.operation.attributes["hal.device.targets"] = targets
        passmanager.PassManager.parse(_BRIDGE).run(module.operation)
        given = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
        clock.lap("read")
        arguments = (*way.flags, *flags)
        cut = f"--compile-to={way.cut}"
        text = compile_program(given, *arguments, cut, *_GENERIC, timeout_s=timeout_s, compiler=compiler).decode()
        clock.lap(f"iree to {way.cut}")
        module = parse_module(text, context)
        parts = PartCompiler(
            target, replace(options, tensor_maps="device"), kind, source.name, assume_resident=assume_resident
        )
        found, lines = way.take(module, parts)
        text = module.operation.get_asm(print_generic_op_form=True)
        clock.lap("roller")
    program = _with_executables(text, attribute, found)
    resume = f"--compile-from={way.cut}"
    with _aside(weights) as aside:
        if aside:
            program = export_weights(program, aside, timeout_s=timeout_s, compiler=compiler)
            clock.lap("weights")
        binary = compile_program(program, *arguments, resume, timeout_s=timeout_s, compiler=compiler)
    clock.lap(f"iree from {way.cut}")
    return CompiledModel(
        module=binary,
        programs=tuple(found),
        lines=lines,
        phases_s=clock.phases(),
        notes=tuple(notes),
    )


@contextmanager
def _aside(path: Path | None) -> Generator[Path | None]:
    """Give a file to write that becomes another one, which is whole or not there; none where there is no other."""
    if path is None:
        yield None
        return
    try:
        with tempfile.TemporaryDirectory(prefix=".roller-", dir=path.parent) as folder:
            aside = Path(folder, "weights.irpa")
            yield aside
            if not aside.is_file():
                raise IreeError(
                    "the model has no constant of 256 B or more, which would be a weight; leave them inside"
                )
            aside.replace(path)
    except OSError as error:
        raise IreeError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from None


def _with_executables(text: str, attribute: str, parts: Sequence[Part]) -> str:
    """Return a program with the executables of its parts, which are in IREE's own syntax."""
    before, opening, body = text.partition("({\n")
    executables = [one for part in parts for one in part.calls.executables]
    return "\n".join((f"{TARGET} = {attribute}", before + opening.rstrip("\n"), *executables, body))


class _Clock:
    """Takes the time of phases, one after another."""

    def __init__(self) -> None:
        self._begun = self._last = time.perf_counter()
        self._phases: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._phases[name], self._last = now - self._last, now

    def phases(self) -> dict[str, float]:
        return {**self._phases, "total": self._last - self._begun}
