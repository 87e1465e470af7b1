# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function of a module gives, against what is right.

An artifact that is the whole function says it for each element, within a bound that is proven. For modules that are
ours in part, IREE's build of the model for the CPU says it. A right result differs from that by the order in which
both sum: as no bound is known for each element, a tolerance of the largest magnitude in the result is permitted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.reached_stage import reached_stage
from roller_mlir.compiler.source import Source, parse_source, read_source
from roller_mlir.downstream.iree.compiler import compile_program, spell_for_iree
from roller_mlir.downstream.iree.run.arrays import Array, read_inputs, read_results, result_files
from roller_mlir.downstream.iree.run.execute import run_module
from roller_mlir.downstream.iree.run.module import Function, ModuleFile
from roller_mlir.downstream.iree.targets import HOST_DRIVER
from roller_mlir.downstream.iree.tools import LIMIT_S, IreeError
from roller_mlir.evaluation.reference import Comparison, compare, compare_all, evaluate_function
from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.values import from_caller, is_float
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.plan.accuracy.rounding import EPSILON
from roller_mlir.plan.manifest import Buffer
from roller_mlir.runtime import Artifact
from roller_mlir.support.bindings import make_context

CPU_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
)
"""What makes `iree-compile` build a model for the processor that it runs on."""


def whole_artifact(artifacts: Iterable[Artifact], function: Function) -> Artifact | None:
    """Return the artifact that computes a function, from its arguments to its results."""
    for artifact in artifacts:
        manifest = artifact.manifest
        sides = ((manifest.inputs, function.inputs), (manifest.outputs, function.outputs))
        if manifest.function == function.name and all(
            tensors is not None and _types(map(manifest.buffer, names)) == _types(tensors) for names, tensors in sides
        ):
            return artifact
    return None


def compare_with_artifact(
    artifact: Artifact, function: Function, inputs: Sequence[str], results: Sequence[Array]
) -> list[Comparison]:
    """Compare results with what numpy makes of the program that an artifact was compiled from.

    Args:
        artifact: The whole function.
        function: What was called.
        inputs: What it got, as `iree-run-module` takes it.
        results: What it gave.

    Raises:
        IreeError: An input is in no file or cannot be read, or the artifact was not compiled from linalg.
    """
    arrays = read_inputs(inputs, function)
    if arrays is None:
        raise IreeError("--check without a model takes its inputs from .npy files; give those, or --random")
    with make_context() as context:
        module = parse_source(Source("-", artifact.text("input")), context)
        if reached_stage(module) is not None:
            raise IreeError(f"'{function.name}' was not compiled from linalg ops; name a model with --check MODEL")
        name = isolate_entry(module, artifact.manifest.function)
        expected = evaluate_function(module, name, arrays, accumulation_of(artifact.manifest, truncates=False))
    return compare_all(results, expected)


@dataclass(frozen=True, kw_only=True)
class CpuBuild:
    """IREE's build of a model for the CPU.

    Attributes:
        module: Its file.
        function: What of it gives the results of the function that is compared.
    """

    module: Path
    function: Function

    @staticmethod
    def of(model: Path, module: Path, function: Function, folder: Path) -> "CpuBuild":
        """Build a model.

        Args:
            model: What `roller import` reads, or linalg.
            module: The module whose results are compared, for messages.
            function: What is called of it.
            folder: Where the build is written.

        Raises:
            DiagnosedError: The model is not valid.
            IreeError: IREE's compiler is not there, or refuses it; or it has no such function.
        """
        built = folder / "model.vmfb"
        built.write_bytes(build_for_cpu(model))
        known = ModuleFile.open(built).functions
        found = [one for one in known if one.name == function.name] or known
        if len(found) != 1:
            names = ", ".join(one.name for one in known) or "none"
            raise IreeError(f"{model} has no function '{function.name}', but {names}; name the module's model")
        theirs, ours = (
            [tensors and _types(tensors) for tensors in (one.inputs, one.outputs)] for one in (found[0], function)
        )
        if theirs != ours:
            raise IreeError(
                f"'{found[0].name}' of {model} takes or gives other tensors than '{function.name}' of {module}; name "
                "the model that the module was made of"
            )
        return CpuBuild(module=built, function=found[0])

    def compare(
        self, inputs: Sequence[str], results: Sequence[Array], tolerance: float, *, flags: Sequence[str] = ()
    ) -> list[Comparison]:
        """Compare results with those of the build, which is run.

        Args:
            inputs: What both get, as `iree-run-module` takes it.
            results: Those of the function that is compared.
            tolerance: As of `compare_with`.
            flags: Of `iree-run-module`.

        Raises:
            IreeError: The build fails, or its results are of other shapes.
        """
        files = result_files(self.function, self.module.parent, "expected")
        run_module(self.module, self.function, HOST_DRIVER, inputs, files, flags=flags, timeout_s=LIMIT_S)
        return compare_with(results, read_results(files, self.function), self.function, tolerance)


def build_for_cpu(model: Path, *, timeout_s: float = LIMIT_S) -> bytes:
    """Return a model as a module for the processor that IREE's compiler runs on.

    Args:
        model: What `roller import` reads, or linalg.
        timeout_s: What IREE's compiler may take.

    Raises:
        DiagnosedError: The model is not valid.
        IreeError: IREE's compiler is not there, or refuses it.
    """
    with make_context() as context:
        module = parse_source(read_source(model), context)
        spell_for_iree(module)
        text = module.operation.get_asm(print_generic_op_form=True)
    return compile_program(text, *CPU_FLAGS, timeout_s=timeout_s)


def compare_with(
    found: Sequence[Array], expected: Sequence[Array], function: Function, tolerance: float
) -> list[Comparison]:
    """Compare results with those of another build.

    Args:
        found: The results.
        expected: Those of the other build.
        function: Which says their types: its results are tensors of static shape.
        tolerance: Of the largest magnitude in a result of floats, and never less than two units in its last place.

    Raises:
        IreeError: The results are of other shapes.
    """
    comparisons: list[Comparison] = []
    kinds = [one.element_type for one in function.outputs or ()]
    for number, (got, wanted, kind) in enumerate(zip(found, expected, kinds, strict=True)):
        if got.shape != wanted.shape:
            raise IreeError(f"result {number} is of shape {got.shape}, but the model gives {wanted.shape}")
        data = from_caller(wanted, kind)
        error = None
        if is_float(kind):
            finite = np.abs(data[np.isfinite(data)])
            largest = float(finite.max()) if finite.size else 0.0
            error = np.asarray(max(tolerance, 2 * EPSILON[kind]) * largest)
        comparisons.append(compare(got, Bounded(data, error), kind))
    return comparisons


def _types(tensors: Iterable[Buffer]) -> list[tuple[tuple[int, ...], str]]:
    return [(one.static_shape, one.element_type) for one in tensors]
