# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of PyTorch's operators to linalg on tensors, through torch-mlir's importer.

Weights of `WEIGHT_BYTES` and more never pass through MLIR, as of ONNX models: they are arguments until the graph is
lowered. PyTorch has no types that are read here: what comes of it is `Any`.
"""

import importlib
import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from roller_mlir.importers.imported import WEIGHT_BYTES, Imported, make_weights, refuse, text_with_places
from roller_mlir.importers.lower import lower
from roller_mlir.support.bindings import ir, make_import_context, torch_decompositions, torch_importer
from roller_mlir.support.foreign.printable import printable

if TYPE_CHECKING:
    import numpy as np

_PIPELINES = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),torchdynamo-export-to-torch-backend-pipeline)",
    "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)",
)
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_NOT_THE_USERS = re.compile(r"^<|[/\\](?:site|dist)-packages[/\\]")


def load_torch(name: str) -> Any:
    """Return the package torch.

    Raises:
        DiagnosedError: It is not installed.
    """
    try:
        torch_importer()
        return importlib.import_module("torch")
    except ImportError as error:
        refuse(name, f"is a PyTorch model, which needs the package torch: pip install 'roller-mlir[torch]' ({error})")


def decompositions() -> dict[Any, Any]:
    """Return by what operators are replaced before the import.

    Of gelu torch-mlir's own constant has four digits; of clamps and hardtanh its own code gives a bound for NaN; its
    variances, of which layer norms are made, are computed in f64, which devices are slow at; its roll has slices of
    dynamic sizes.
    """
    torch: Any = importlib.import_module("torch")
    find: Any = importlib.import_module("torch._decomp").get_decompositions
    aten = torch.ops.aten

    def clamp(value: Any, min: Any = None, max: Any = None) -> Any:  # noqa: A002 - as the operator calls them
        if min is not None:
            value = torch.where(value < min, min, value)
        return value if max is None else torch.where(value > max, max, value)

    def clamp_max(value: Any, max: Any) -> Any:  # noqa: A002 - torch's name of the argument
        return clamp(value, None, max)

    def hardtanh(value: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
        if not value.is_floating_point():  # whose type the result has, whatever the bounds are
            min_val, max_val = int(min_val), int(max_val)
        return clamp(value, min_val, max_val)

    def var_mean(value: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
        if value.is_complex():
            return NotImplemented
        axes = [axis % value.dim() for axis in dim] if dim else list(range(value.dim()))
        wide = value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
        mean = wide.mean(axes, keepdim=True)
        off = wide - mean
        count = prod(value.shape[axis] for axis in axes) - (1 if correction is None else correction)
        variance = (off * off).sum(axes, keepdim=keepdim) / max(count, 0)
        mean = mean if keepdim else mean.squeeze(axes)
        return variance.to(value.dtype), mean.to(value.dtype)

    def var(value: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
        both = var_mean(value, dim, correction=correction, keepdim=keepdim)
        return both if both is NotImplemented else both[0]

    def roll(value: Any, shifts: Any, dims: Any = ()) -> Any:
        if not dims:
            return roll(value.flatten(), shifts, [0]).view(value.shape)
        for shift, axis in zip(shifts, dims, strict=True):
            size = value.shape[axis]
            at = size and -shift % size
            value = torch.cat([value.narrow(axis, at, size - at), value.narrow(axis, 0, at)], axis)
        return value

    ours = {
        aten.clamp.default: clamp,
        aten.clamp_min.default: clamp,
        aten.clamp_max.default: clamp_max,
        aten.hardtanh.default: hardtanh,
        aten.roll.default: roll,
        aten.var.correction: var,
        aten.var_mean.correction: var_mean,
    }
    return {**torch_decompositions(), **find([aten.gelu]), **ours}


def import_graph(graph: Any, name: str, weights: Mapping[str, tuple[str, Any]] | None = None) -> Imported:
    """Bring a graph to linalg on tensors; it is changed.

    Args:
        graph: A `torch.fx.Graph` of operators that are replaced by `decompositions` already.
        name: What diagnostics call it.
        weights: Name and tensor of each placeholder that is a weight, by the name of the placeholder.

    Returns:
        The graph as function `main`; its arguments are the placeholders that are tensors and no weights, in order.

    Raises:
        DiagnosedError: Shapes are not static, or an operator cannot be brought to linalg.
    """
    _rewrite(graph)
    large: dict[int, tuple[str, np.ndarray[Any, Any]]] = {}
    kept = 0
    for node in [one for one in graph.nodes if one.op == "placeholder"]:
        label, tensor = (weights or {}).get(node.name, ("", None))
        is_fixed = not node.users and not hasattr(node.meta.get("val"), "shape")
        if is_fixed or (tensor is not None and (not node.users or tensor.nbytes < WEIGHT_BYTES)):
            node.replace_all_uses_with(tensor)
            graph.erase_node(node)
            continue
        _check_type(node, label, name)
        if tensor is not None:
            large[kept] = (label, array_of(tensor))
        kept += 1
    for one in results_of(graph):
        if not hasattr(one, "meta"):
            value = "a constant or weight" if hasattr(one, "tolist") else printable(repr(one))
            refuse(name, f"returns {value}; only tensors that it computes are results")
    text = lower(_imported_text(graph, name), name, "PyTorch", _PIPELINES, _explain)
    module = ir.Module.parse(text, make_import_context())
    resources = make_weights(module, large)
    return Imported(name, text_with_places(module), resources)


def _rewrite(graph: Any) -> None:
    """Say otherwise what torch-mlir does not import, or folds wrongly: x == x, which it takes for true, also of NaN."""
    torch: Any = importlib.import_module("torch")
    aten = torch.ops.aten
    for node in list(graph.nodes):
        if node.target == aten.lift_fresh_copy.default:
            node.target = aten.clone.default
        elif node.target == aten.eq.Tensor and node.args[0] is node.args[1]:
            with graph.inserting_before(node):
                unequal = graph.call_function(aten.ne.Tensor, node.args)
            unequal.meta = node.meta
            node.target, node.args = aten.logical_not.default, (unequal,)


def results_of(graph: Any) -> Sequence[Any]:
    """Return what a graph returns: its nodes, or what is no value of it."""
    (output,) = (node for node in graph.nodes if node.op == "output")
    return output.args[0] if isinstance(output.args[0], list | tuple) else output.args


def array_of(tensor: Any) -> "np.ndarray[Any, Any]":
    """Return a tensor as an array, which shares its memory where that is on the host; of bf16 and f8 the bits."""
    torch: Any = importlib.import_module("torch")
    host = tensor.detach().cpu()
    if host.is_floating_point() and host.dtype not in (torch.float16, torch.float32, torch.float64):
        host = host.view(torch.uint8 if host.element_size() == 1 else torch.uint16)
    return host.numpy()


def _check_type(node: Any, label: str, name: str) -> None:
    """Refuse an argument that is no tensor, or has a dimension without a size."""
    value, where = node.meta.get("val"), f"input '{label or node.name}'"
    if not hasattr(value, "shape"):
        refuse(name, f"is a value of type {type(value).__name__}; what is no tensor must be fixed in the model", where)
    for axis, size in enumerate(value.shape):
        if not isinstance(size, int):
            refuse(name, f"dimension {axis} is '{size}', which has no size; shapes are static here", where)


def _imported_text(graph: Any, name: str) -> str:
    """Return the graph in MLIR's dialect torch, each operation at the label of its node."""
    importer: Any = torch_importer()
    context = make_import_context()
    at = ""

    def place(cache: Any, node: Any) -> "ir.Location":
        nonlocal at
        at = _label(node) if node.op != "output" else at
        return ir.Location.name(at, context=context)

    places: Any = type("Places", (importer.ContextCache,), {"get_node_location": place})(context)

    def literal(hooks: Any, importing: Any, value: Any, information: Any) -> "ir.Value | None":
        """Make a constant that passes see of a small weight; the importer's own would be a resource."""
        if not hasattr(value, "tolist"):
            return None
        elements, kind = array_of(value).tobytes().hex(), importer.create_mlir_tensor_type(value)
        attribute = ir.Attribute.parse(f'dense<"0x{elements}"> : {kind}', context)
        results = [places.tensor_to_vtensor_type(value)]
        return ir.Operation.create("torch.vtensor.literal", results=results, attributes={"value": attribute}).result

    def import_nodes(owner: Any, context: "ir.Context", cache: Any, block: "ir.Block") -> Any:
        return importer.GraphNodeImporter(owner, context, places, block)

    hooks = type("Hooks", (importer.FxImporterHooks,), {"resolve_literal": literal})()
    owner = importer.FxImporter(context=context, hooks=hooks, graph_node_importer_cls=import_nodes)
    try:
        owner.import_stateless_graph(graph, func_name="main")
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        refuse(name, f"torch-mlir cannot import it: {printable(str(error).splitlines()[0])}", at)
    return owner.module.operation.get_asm(enable_debug_info=True)


def _label(node: Any) -> str:
    """Return what diagnostics call a node: "node 'addmm' (aten.addmm) of 'fc1' at model.py:12"."""
    if node.op == "placeholder":
        return printable(f"input '{node.name}'")
    target = re.sub(r"\.default$", "", str(node.target))
    modules = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if path]
    module = re.sub(r"^L\['\w+'\]\.?", "", modules[-1]) if modules else ""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    frames = [one for one in frames if not _NOT_THE_USERS.search(one[0])]
    of = f" of '{module}'" if module else ""
    at = f" at {frames[-1][0]}:{frames[-1][1]}" if frames else ""
    return printable(f"node '{node.name}' ({target}){of}{at}")


def _explain(message: str) -> str:
    if "failed to legalize operation" in message:
        return "this operator cannot be brought to linalg as it is used here"
    return f"the node cannot be brought to linalg: {message.splitlines()[0]}"
