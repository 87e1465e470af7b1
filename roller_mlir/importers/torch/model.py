# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of `torch.export` to linalg on tensors, through torch-mlir's importer; needs the package torch.

torch.export.save(torch.export.export(model.eval(), example_inputs), "model.pt2")
"""

import importlib
import logging
import warnings
import zipfile
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from roller_mlir.importers.imported import Imported, refuse
from roller_mlir.importers.torch.graph import array_of, import_graph, load_torch, results_of
from roller_mlir.importers.torch.operators import decompositions
from roller_mlir.support.foreign.printable import printable

_QUANTIZED = "torch.ao.quantization.fx._decomposed"
"""Defines operators of quantized programs, which torch does not load by itself."""
_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


def import_model(model: Any, *, name: str | None = None) -> Imported:
    """Bring an exported program to linalg on tensors.

    Args:
        model: The path of a file of `torch.export.save`, or a `torch.export.ExportedProgram`.
        name: What diagnostics call it; by default the path, "-" of a program.

    Returns:
        The model as function `main`; its arguments and results are those of the program, in order. Parameters and
        buffers are its weights: arrays that share the memory of the program's tensors. Buffers that it changes are
        arguments behind the others, and what they become are results behind the others, followed by what inputs that
        it changes become.

    Raises:
        DiagnosedError: The package torch is not installed, the file is no program, or the program cannot be brought to
            linalg on static tensors.
        ValueError: The model is neither path nor program.
    """
    is_path = isinstance(model, str | PathLike)
    name = (str(model) if is_path else "-") if name is None else name
    torch = load_torch(name)
    if not is_path and not isinstance(model, torch.export.ExportedProgram):
        given = type(model).__name__
        raise ValueError(f"model is a path or a torch.export.ExportedProgram, but got {given}; see torch.export.export")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what torch says about its own modules is not for the user of a file
        program: Any = _load(Path(model), name) if is_path else model
        program = program.run_decompositions(decompositions())
    signature = program.graph_signature
    named = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    named.update(signature.inputs_to_lifted_tensor_constants)
    tensors = {**program.state_dict, **program.constants}
    if empty := [label for label in named.values() if tensors[label].device.type == "meta"]:
        refuse(name, f"has no data for its weight '{empty[0]}', which is of the device 'meta'; load the weights first")
    state = _take_state_out(program, name)
    labels: dict[Any, str] = {}  # tied weights are one
    for label in named.values():
        labels.setdefault(_memory(tensors[label]), label)
    weights = {key: (labels[_memory(tensors[at])], tensors[at]) for key, at in named.items() if at not in state}
    imported = import_graph(program.graph, name, weights)
    return replace(imported, state={label: array_of(tensors[label]) for label in state})


def _take_state_out(program: Any, name: str) -> list[str]:
    """Make arguments and results of the buffers that a program changes, behind its own, and return their names.

    Inputs that are changed are results behind those.
    """
    torch: Any = importlib.import_module("torch")
    signature, graph = program.graph_signature, program.graph
    kinds = torch.export.graph_signature.OutputKind
    specs, results = signature.output_specs, list(results_of(graph))
    found: dict[Any, list[Any]] = {kinds.USER_OUTPUT: [], kinds.BUFFER_MUTATION: [], kinds.USER_INPUT_MUTATION: []}
    for spec, result in zip(specs, results, strict=True):
        if spec.kind not in found:
            refuse(name, f"changes '{spec.target}' ({spec.kind.name.lower()}); only buffers and inputs may be changed")
        found[spec.kind].append((spec.target, result))
    (output,) = (node for node in graph.nodes if node.op == "output")
    output.args = (tuple(result for each in found.values() for _, result in each),)
    nodes: dict[str, Any] = {node.name: node for node in graph.nodes if node.op == "placeholder"}
    last = next(reversed(nodes.values()), None)
    places = {label: place for place, label in signature.inputs_to_buffers.items()}
    state = [label for label, _ in found[kinds.BUFFER_MUTATION]]
    if any(label.rpartition(".")[2] in _STATISTICS for label in state):
        said = f"{name!r} counts statistics of its batches, which are arguments and results; model.eval() freezes them"
        warnings.warn(said, RuntimeWarning, stacklevel=3)
    for label in state:
        node = nodes[places[label]]
        if last is not None and node is not last:
            last.append(node)
        last = node
    return state


def _memory(tensor: Any) -> tuple[Any, ...]:
    return tensor.data_ptr() or id(tensor), tensor.dtype, tuple(tensor.shape), tensor.stride()


def _load(path: Path, name: str) -> Any:
    """Read the file."""
    export: Any = importlib.import_module("torch.export")
    try:
        with path.open("rb") as file:
            is_archive = zipfile.is_zipfile(file)
    except OSError as error:
        refuse(name, f"cannot be read: {(error.strerror or str(error)).lower()}")
    unread = "is no program of torch.export that can be read"
    if not is_archive:
        refuse(name, f"{unread}: it is damaged, or of another format")
    logger = logging.getLogger("torch.export")
    silent, logger.disabled = logger.disabled, True  # it would print a traceback
    try:
        try:
            return export.load(path)
        except Exception:  # noqa: BLE001 - as below; it may have operators that are not known yet
            with suppress(ImportError):
                importlib.import_module(_QUANTIZED)
            return export.load(path)
    except Exception as error:  # noqa: BLE001 - of damaged files torch raises what its parts happen to raise
        refuse(name, f"{unread}: {printable(' '.join(str(error).split())) or type(error).__name__}")
    finally:
        logger.disabled = silent
