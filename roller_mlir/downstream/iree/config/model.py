# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole model in config mode: IREE's code generator with our tiles, and the proof that it has used them."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.downstream.iree.config.configure import CUT, DUMP_FLAG, ConfiguredDispatch, check_used, configure
from roller_mlir.downstream.iree.model import CompiledModel, Mode, compile_model
from roller_mlir.downstream.iree.parts import Part, PartCompiler
from roller_mlir.downstream.iree.program import driver_of
from roller_mlir.downstream.iree.report import IREE, ROLLER, Line
from roller_mlir.downstream.iree.tools import LIMIT_S
from roller_mlir.hal import find_device
from roller_mlir.model.options import ConstructOptions
from roller_mlir.support.bindings import ir


def compile_configured(
    source: Source, target: str, options: CompileOptions, *, flags: Sequence[str] = (), timeout_s: float = LIMIT_S
) -> CompiledModel:
    """Compile a model by IREE, each dispatch with our tiles where its code generator can follow them.

    Args:
        source: The model, as linalg on tensors.
        target: A device.
        options: What plans may be.
        flags: Of `iree-compile`, for both of its runs.
        timeout_s: What each run may take.

    Raises:
        DiagnosedError: The model is not valid.
        IreeError: IREE's compiler is not there, refuses the program, or has lost a configuration; or IREE has no driver
            for the device.
    """
    device, found = find_device(target), list[ConfiguredDispatch]()

    def take(module: ir.Module, _: PartCompiler) -> tuple[list[Part], list[Line]]:
        found.extend(configure(module, device, driver_of(device), ConstructOptions(instructions=options.instructions)))
        return [], [line_of(one) for one in found]

    with tempfile.TemporaryDirectory(prefix="roller-") as dumps:
        mode = Mode(cut=CUT, take=take)
        compiled = compile_model(
            source, target, options, mode=mode, flags=(*flags, f"{DUMP_FLAG}{dumps}"), timeout_s=timeout_s
        )
        check_used(found, Path(dumps))
    return compiled


def line_of(dispatch: ConfiguredDispatch) -> Line:
    """Return who decides the tiles of a dispatch, for the report."""
    by = IREE if dispatch.configuration is None else ROLLER
    tiles = "" if dispatch.configuration is None else dispatch.configuration.lowering
    return Line(name=dispatch.name, by=by, reason=dispatch.reason, tiles=tiles)
