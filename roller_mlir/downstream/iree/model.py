# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole model through IREE's compiler, with our kernels where we can compile it.

IREE's compiler runs twice: up to the phase of `cut`, where the program is linalg on tensors yet, and from there on,
when our dispatches stand in it. Between the two the program is text in MLIR's generic syntax, which needs none of
IREE's dialects. Weights stay out of the text (`roller_mlir.downstream.iree.weights`).
"""

import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source, parse_names
from roller_mlir.downstream.iree.calls import TARGET
from roller_mlir.downstream.iree.compiler import (
    compile_file,
    compiler_folder,
    find_compiler,
    rewrite_file,
    spell_for_iree,
)
from roller_mlir.downstream.iree.dispatches import take_dispatches
from roller_mlir.downstream.iree.graph import take_blocks
from roller_mlir.downstream.iree.parts import Part, PartCompiler
from roller_mlir.downstream.iree.program import driver_of, image_of
from roller_mlir.downstream.iree.report import Line
from roller_mlir.downstream.iree.scalars import sink_scalars
from roller_mlir.downstream.iree.targets import device_attribute, target_attribute
from roller_mlir.downstream.iree.tools import LIMIT_S, IreeError
from roller_mlir.downstream.iree.weights import (
    export_pipeline,
    import_pipeline,
    restore_packed,
    restore_small,
    take_weights,
)
from roller_mlir.hal import find_device
from roller_mlir.importers.asserts import erase_asserts
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.foreign.reasons import reason_of

_GENERIC = ("--mlir-print-op-generic", "--mlir-print-debuginfo")


@dataclass(frozen=True, kw_only=True)
class Mode:
    """A way to share a program out between IREE and us.

    Attributes:
        cut: The phase of IREE's compiler at which we take our share.
        take: Replaces it by our dispatches; returns the parts and who compiles what.
        flags: What IREE's compiler is told.
        constants: Where the program's constants stand then: in functions, as globals, or in what IREE has packed for
            the device, from which they cannot be parted.
    """

    cut: str
    take: Callable[[ir.Module, PartCompiler], tuple[list[Part], list[Line]]]
    flags: tuple[str, ...] = ()
    constants: Literal["functions", "globals", "packed"] = "packed"


MODES = {
    "graph": Mode(cut="global-optimization", take=take_blocks, constants="functions"),
    # Without the flag paddings are dispatches of their own, which write parts of what others read.
    "dispatch": Mode(
        cut="flow",
        take=take_dispatches,
        flags=("--iree-dispatch-creation-enable-fuse-padding-into-linalg-consumer-ops",),
        constants="globals",
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
            `roller_mlir.downstream.iree.program.iree_program`.
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
    if weights and way.constants == "packed":
        raise ValueError(f"weights are parted from programs at an earlier phase than {way.cut}, but got {weights}")
    steps = _CompilerRuns(way, tuple(flags), find_compiler(), timeout_s)
    clock = _Clock()
    with (
        compiler_folder() as folder,
        _archive(weights, folder) as archive,
        make_context(allow_unregistered=True) as context,
        ir.Location.unknown(),
    ):
        module = parse_names(source, context)
        notes = erase_asserts(module)
        targets = ir.Attribute.parse(f"[{device_attribute(driver, attribute)}]")
        module.operation.attributes["hal.device.targets"] = targets
        spell_for_iree(module)
        sink_scalars(module)
        given = take_weights(module, source.weights, folder / "given.irpa")
        text = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
        clock.lap("read")
        text = steps.cut(text, folder, archive, given)
        if weights and not archive.is_file():
            raise IreeError("the model has no constant of 256 B or more, which would be a weight; leave them inside")
        clock.lap(f"iree to {way.cut}")
        module = parse_module(text, context)
        if way.constants == "functions":
            restore_small(module)
        if weights is None and archive.is_file():
            restore_packed(module, archive)
        parts = PartCompiler(
            target, replace(options, tensor_maps="device"), kind, source.name, assume_resident=assume_resident
        )
        found, lines = way.take(module, parts)
        text = module.operation.get_asm(print_generic_op_form=True)
        clock.lap("roller")
        program = _with_executables(text, attribute, found)
        binary = steps.resume(program, folder, archive if weights is None else None)
    clock.lap(f"iree from {way.cut}")
    return CompiledModel(module=binary, programs=tuple(found), lines=lines, phases_s=clock.phases(), notes=tuple(notes))


@dataclass(frozen=True)
class _CompilerRuns:
    """The runs of IREE's compiler; a file is removed as soon as the next one is made of it.

    Attributes:
        way: Where it is cut.
        flags: What the user tells `iree-compile`.
        compiler: Its path.
        timeout_s: What each run may take.
    """

    way: Mode
    flags: tuple[str, ...]
    compiler: str
    timeout_s: float

    def cut(self, text: str, folder: Path, archive: Path, given: tuple[str, ...]) -> str:
        """Return a program at the cut, as text; its constants go into an archive if they can be parted from it."""
        source, made, program = folder / "program.mlir", folder / "cut.mlirbc", folder / "cut.mlir"
        source.write_text(text, encoding="utf-8")
        flags = (f"--compile-to={self.way.cut}", *given)
        if self.way.constants == "packed":
            self._compile(source, program, *flags, *_GENERIC)
            return program.read_text(encoding="utf-8")
        self._compile(source, made, *flags, "--emit-mlir-bytecode")
        (folder / "given.irpa").unlink(missing_ok=True)
        pipeline = export_pipeline(archive, outline=self.way.constants == "functions")
        # In dialects that we do not know, names of attributes mean nothing: each is written out, as above.
        self._rewrite(made, program, pipeline, archive.parent, *_GENERIC, "--mlir-print-local-scope")
        made.unlink()
        return program.read_text(encoding="utf-8")

    def resume(self, text: str, folder: Path, archive: Path | None) -> bytes:
        """Return the module of a program from the cut on, with the constants of an archive in it if there is one."""
        source, module = folder / "ours.mlir", folder / "module.vmfb"
        source.write_text(text, encoding="utf-8")
        if archive is not None and archive.is_file():
            whole = folder / "ours.mlirbc"
            self._rewrite(source, whole, import_pipeline(archive), archive.parent, "--emit-bytecode")
            archive.unlink()
            source = whole
        self._compile(source, module, f"--compile-from={self.way.cut}")
        return module.read_bytes()

    def _compile(self, source: Path, made: Path, *more: str) -> None:
        flags = (*self.way.flags, *self.flags, *more)
        compile_file(source, made, *flags, timeout_s=self.timeout_s, compiler=self.compiler)

    def _rewrite(self, source: Path, made: Path, pipeline: str, folder: Path, *flags: str) -> None:
        rewrite_file(source, made, pipeline, *flags, timeout_s=self.timeout_s, compiler=self.compiler, folder=folder)


@contextmanager
def _archive(path: Path | None, folder: Path) -> Generator[Path]:
    """Give a file for weights: one that becomes another when all is done, or one in a folder that is removed."""
    name = "weights.irpa"
    if path is None:
        yield folder / name
        return
    with _writing(path):
        beside = tempfile.TemporaryDirectory(prefix=".roller-", dir=path.parent)
    with beside:
        archive = Path(beside.name, name)
        yield archive
        with _writing(path):
            archive.replace(path)


@contextmanager
def _writing(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise IreeError(f"{path} cannot be written: {reason_of(error)}") from None


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
