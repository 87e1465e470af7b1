# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `roller run --check` compares with: the linalg ops that were compiled, or what --reference names."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.reached_stage import reached_stage
from roller_mlir.compiler.source import Source, parse_source, read_source, source_of
from roller_mlir.evaluation.reference import Comparison, compare_all, evaluate_function, random_inputs
from roller_mlir.evaluation.reference.compare import judged_by
from roller_mlir.evaluation.reference.draws import defined_inputs
from roller_mlir.importers.onnx.judge import runtime_results
from roller_mlir.plan.accuracy.accumulation import Accumulation
from roller_mlir.runtime import Artifact, RunResult
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.tools.console.errors import InputError, UsageError


@dataclass(frozen=True)
class CheckReference:
    """What results are compared with.

    Attributes:
        source: Linalg ops of the artifact's signature.
        name: Their function.
        model: A model of ONNX that gives the results instead; the linalg ops say how far results may be off.
    """

    source: Source
    name: str
    model: Path | None = None

    @property
    def judge(self) -> str:
        """Who says what is right."""
        return "numpy" if self.model is None else "ONNX Runtime"


def open_reference(arguments: argparse.Namespace, artifact: Artifact) -> CheckReference:
    """Return what an artifact's results are compared with.

    Raises:
        UsageError: The artifact was compiled from a later stage, and no reference is given.
        InputError: The reference is neither linalg nor a model, or of another signature.
    """
    model = Path(arguments.reference) if (arguments.reference or "").endswith(".onnx") else None
    other = arguments.reference if model is None else None
    if other:
        source = read_source(Path(other))
        arguments.source = (source.name, source.lines)
    else:
        # As the user wrote it, so that places are the user's; of a compiled artifact only its own copy is there.
        is_artifact = Path(arguments.file).is_dir()
        source = source_of(artifact) if is_artifact else arguments.program
    manifest = artifact.manifest
    with make_context() as context:
        module = parse_source(source, context)
        if reached_stage(module) is not None:
            if other:
                raise InputError(f"{other} holds no linalg ops to compare with, but a later stage of them")
            raise UsageError(
                f"'{manifest.function}' was not compiled from linalg ops, so that --check has nothing to compare with; "
                "name linalg ops of the same signature with --reference"
            )
        name = isolate_entry(module, None if other else manifest.function)
        if other:
            found = _signature(module, name)
            buffers = [[manifest.buffer(name) for name in names] for names in (manifest.inputs, manifest.outputs)]
            wanted = _spelled(*([_tensor(b.static_shape, b.element_type) for b in part] for part in buffers))
            if found != wanted:
                raise InputError(f"{other} is {found}, but '{manifest.function}' is {wanted}")
    return CheckReference(source, name, model)


def draw_inputs(arguments: argparse.Namespace, artifact: Artifact) -> list[np.ndarray[Any, Any]]:
    """Return random inputs on which the linalg ops are defined, or any where the artifact holds none of them."""
    manifest = artifact.manifest
    buffers = [manifest.buffer(name) for name in manifest.inputs]
    if not any(file.role == "input" for file in manifest.files):
        return random_inputs(buffers, arguments.seed, arguments.values)
    with make_context() as context:
        module = parse_source(source_of(artifact), context)
        if reached_stage(module) is not None:
            return random_inputs(buffers, arguments.seed, arguments.values)
        isolate_entry(module, manifest.function)
        return defined_inputs(module, manifest.function, buffers, arguments.seed, arguments.values).inputs


def check_result(
    reference: CheckReference, inputs: Sequence[np.ndarray[Any, Any]], result: RunResult, accumulation: Accumulation
) -> list[Comparison]:
    """Compare each output with what the reference gives.

    Args:
        reference: See `open_reference`.
        inputs: What the kernels were run on.
        result: What they gave.
        accumulation: How they sum.

    Raises:
        DiagnosedError: ONNX Runtime does not run the reference.
        InputError: The reference gives results of other types or shapes.
    """
    with make_context() as context:
        module = parse_source(reference.source, context)
        expected = evaluate_function(module, reference.name, inputs, accumulation)
    if reference.model is not None:
        try:
            expected = judged_by(expected, runtime_results(reference.model, inputs))
        except ValueError as error:
            raise InputError(f"{reference.model} {error}") from error
    return compare_all(result.outputs, expected)


def _signature(module: ir.Module, name: str) -> str:
    (function,) = [op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == name]
    attribute: Any = function.attributes["function_type"]
    kind = ir.FunctionType(attribute.value)
    return _spelled([_passed(one) for one in kind.inputs], [_passed(one) for one in kind.results])


def _passed(kind: ir.Type) -> str:
    """Return the tensor as which an argument is passed: scalars are of rank 0, an index is i64."""
    if isinstance(kind, ir.ShapedType):
        return str(kind)
    return _tensor((), "i64" if isinstance(kind, ir.IndexType) else str(kind))


def _spelled(inputs: Sequence[str], outputs: Sequence[str]) -> str:
    return f"({', '.join(inputs)}) -> ({', '.join(outputs)})"


def _tensor(shape: Sequence[int], element_type: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element_type])}>"
