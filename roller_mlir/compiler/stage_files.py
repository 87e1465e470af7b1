# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stages written to a folder as they are made, and stages that a file replaces, which somebody edited.

    roller compile matmul.mlir --dump-stages stages                       stages/plan.mlir, ..., stages/matmul_0.ptx
    roller compile matmul.mlir --override-stage loops=stages/loops.mlir

A stage is made, then the file is read in its place. Refused, at its place in the file: what is no MLIR or does not
verify; a module at another stage; a function with another name, or other inputs or outputs; text without the kernel.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.reached_stage import check_given, reached_stage
from roller_mlir.compiler.source import read_source
from roller_mlir.hal import Device
from roller_mlir.lowering.backend.job import KernelBinary, Replacement
from roller_mlir.lowering.backend.kernels.module import kernel_functions
from roller_mlir.lowering.codegen.buffers.order import argument_roles
from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.targets import Stage, family_of
from roller_mlir.lowering.targets.stage import FUSED, KERNELS, PERSISTENT
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, SourcePlace, fail, in_file, parse_module
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.nesting import check_nesting
from roller_mlir.support.passes.passes import Pass
from roller_mlir.support.source import FileError, check_resources, write_output


class StageFiles:
    """The files of one compilation."""

    def __init__(self, options: CompileOptions, device: Device) -> None:
        """Take what is asked for.

        Raises:
            DiagnosedError: A stage to replace is not known, or the folder cannot be made.
        """
        family, self._device, self._entry = family_of(device), device, options.entry
        self._stages = {stage.made_by or stage.role: stage for stage in family.stages} | {PERSISTENT[-1]: KERNELS}
        self._given = {name: Path(path) for name, path in options.override_stages}
        self._folder = None if options.dump_stages is None else Path(options.dump_stages)
        known = [stage.name for stage in family.stages if stage.replaceable]
        for name in self._given:
            if name not in known:
                _refuse(f"{family.name} has no stage '{name}' to replace; it has {', '.join(known)}")
        if self._folder is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                _refuse(f"cannot make folder '{self._folder}': {reason_of(error)}")

    def on_pass(self, step: Pass, module: Any) -> None:
        """Replace and write what a pass has made."""
        stage = self._stages.get(step.name)
        if stage is None:
            return
        if stage.name in self._given:
            self._replace(module, self._given.pop(stage.name), stage)
        self._write(f"{stage.name}{stage.suffix}", str(module).encode() if self._folder else b"")

    def replacements(self, kernels: Iterable[str]) -> Mapping[tuple[str, str], Replacement]:
        """Return the files that replace those of kernels, by kernel and role.

        Args:
            kernels: Names of the kernels; a file serves one, a folder has a file KERNEL.SUFFIX for each.

        Raises:
            DiagnosedError: A file is missing, or holds no such kernel.
        """
        found: dict[tuple[str, str], Replacement] = {}
        names = list(kernels)
        for stage in (stage for stage in self._stages.values() if stage.role and stage.name in self._given):
            path = self._given.pop(stage.name)
            if not path.is_dir() and len(names) != 1:
                _refuse(
                    f"'{path}' is 1 file, but '{stage.name}' is a file of each of {len(names)} kernels; give a folder"
                )
            for name in names:
                file = path / f"{name}{stage.suffix}" if path.is_dir() else path
                text = read_source(file).text
                if name not in text:
                    _refuse(f"the file holds no kernel '{name}'", file)
                found[name, stage.role] = Replacement(str(file), text.encode())
        return found

    def write(self, binaries: Iterable[KernelBinary]) -> None:
        """Write the files of kernels."""
        for binary in binaries:
            for role, data in binary.files.items():
                self._write(f"{binary.name}{self._stages[role].suffix}", data)

    def check_done(self) -> None:
        """Refuse a file for a stage that was not made.

        Raises:
            DiagnosedError: There is one.
        """
        for name, path in self._given.items():
            _refuse(
                f"'{path}' replaces nothing: stage '{name}' is not made on the way from this input to what is asked for"
            )

    def _replace(self, module: Any, path: Path, stage: Stage) -> None:
        """Put what a file holds in place of a module's contents."""
        try:
            given = _parse(path, module.context)
            _check(given, module, stage)
            check_given(given, reached_stage(given), self._device, self._entry)
        except DiagnosedError as error:
            raise DiagnosedError([in_file(one, str(path)) for one in error.diagnostics]) from None
        for op in list(module.body.operations):
            op.operation.erase()
        for op in list(given.body.operations):
            module.body.append(op)
        for name in list(module.operation.attributes):
            del module.operation.attributes[name]
        for name, value in given.operation.attributes.items():
            module.operation.attributes[name] = value

    def _write(self, name: str, data: bytes) -> None:
        if self._folder is None:
            return
        try:
            write_output(str(self._folder / name), data)
        except FileError as error:
            _refuse(str(error))


def _refuse(message: str, file: Path | None = None) -> NoReturn:
    raise DiagnosedError([Diagnostic("error", message, None if file is None else SourcePlace(str(file), 1, 1))])


def _parse(path: Path, context: Any) -> Any:
    text = read_source(path).text
    check_nesting(text)
    check_resources(text)
    return parse_module(text, context, file=str(path))


def _check(given: Any, made: Any, stage: Stage) -> None:
    """Refuse a module that does not fit in the place of another one."""
    reached, wanted = reached_stage(given), reached_stage(made)
    if reached != wanted and not (stage == FUSED and {reached, wanted} <= {None, FUSED}):
        at = f"at stage '{reached.name}'" if reached is not None else "of linalg operations"
        fail(_host(given) or given.operation, f"the module is {at}, which cannot replace stage '{stage.name}'")
    lowered, kernels = list(kernel_functions(made)), list(kernel_functions(given))
    if bool(lowered) != bool(kernels):
        kind = "a kernel that is not lowered" if kernels else "no gpu.func"
        fail(kernels[0] if kernels else given.operation, f"the module has {kind}, which cannot replace '{stage.name}'")
    have, need = _interface(given), _interface(made)
    if have != need:
        fail(_host(given) or given.operation, f"the function must be {need}, as at stage '{stage.name}', but is {have}")


def _host(module: Any) -> Any | None:
    """Return the function that is compiled; None where there is none."""
    return next(iter(compiled_functions(module)), None)


def _interface(module: Any) -> str:
    """Return name, inputs and outputs of the function that is compiled; workspaces are its own affair."""
    function = _host(module)
    if function is None:
        return "none"
    attributes: Any = function.attributes
    kind: Any = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value)
    said = zip(argument_roles(function), kind.inputs, strict=True)
    inputs = [f"{role or ''} {one}".strip() for role, one in said if role not in ("workspace", "state")]
    name = ir.StringAttr(attributes["sym_name"]).value
    return f"@{name}({', '.join(inputs)}) -> ({', '.join(map(str, kind.results))})"
