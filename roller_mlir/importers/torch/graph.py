# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of PyTorch's operators to linalg on tensors, through torch-mlir's importer.

Weights of `WEIGHT_BYTES` and more never pass through MLIR, as of ONNX models: they are arguments until the graph is
lowered. PyTorch has no types that are read here: what comes of it is `Any`.
"""

import importlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roller_mlir.importers.imported import WEIGHT_BYTES, Imported, make_weights, refuse, text_with_places
from roller_mlir.importers.lower import lower
from roller_mlir.support.bindings import ir, make_import_context, torch_importer
from roller_mlir.support.foreign.printable import printable

if TYPE_CHECKING:
    import numpy as np

_PIPELINES = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),torchdynamo-export-to-torch-backend-pipeline)",
    "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)",
    "replace tm_tensor",
)
_FOLDED_ELEMENTS = 16
"""Elements of constants that torch-mlir folds, where they are not equal."""

_EVALUATED_ELEMENTS = 2**24
"""Elements of a constant that is evaluated to find out whether all are equal."""

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


def import_graph(graph: Any, name: str, weights: Mapping[str, tuple[str, Any]] | None = None) -> Imported:
    """Bring a graph to linalg on tensors; it is changed.

    Args:
        graph: A `torch.fx.Graph` of operators that are replaced by `operators.decompositions` already.
        name: What diagnostics call it.
        weights: Name and tensor of each placeholder that is a weight, by the name of the placeholder.

    Returns:
        The graph as function `main`; its arguments are the placeholders that are tensors and no weights, in order.

    Raises:
        DiagnosedError: Shapes are not static, or an operator cannot be brought to linalg.
    """
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
    _rewrite(graph)
    for one in results_of(graph):
        if not hasattr(one, "meta"):
            value = "a constant or weight" if hasattr(one, "tolist") else printable(repr(one))
            refuse(name, f"returns {value}; only tensors that it computes are results")
    text = lower(_imported_text(graph, name), name, "PyTorch", _PIPELINES, _explain)
    module = ir.Module.parse(text, make_import_context())
    resources = make_weights(module, large)
    return Imported(name, text_with_places(module), resources)


def _rewrite(graph: Any) -> None:
    """Say otherwise what torch-mlir does not import, or folds wrongly.

    That is x == x, which it takes for true, also of NaN, and ops of constants that it folds, where numbers are of
    another kind: `torch.ones(3) > 0` reads the bits of floats as integers, `torch.ones(3) * -2` takes the number for
    2^64 - 2. Positions that count from the end are a third.
    """
    torch: Any = importlib.import_module("torch")
    aten = torch.ops.aten
    constants: dict[Any, Any] = {}
    for node in list(graph.nodes):
        constant = _constant(node, constants, torch)
        if constant is not None:
            constants[node] = constant
        if node.target == aten.lift_fresh_copy.default:
            node.target = aten.clone.default
        elif node.target == aten.eq.Tensor and node.args[0] is node.args[1]:
            with graph.inserting_before(node):
                unequal = graph.call_function(aten.ne.Tensor, node.args)
            unequal.meta = node.meta
            node.target, node.args = aten.logical_not.default, (unequal,)
        elif node.target in (aten.index_put.default, aten._unsafe_index_put.default):  # noqa: SLF001 - what graphs call it
            _count_from_the_front(graph, node, aten.remainder.Scalar)
        elif constant is None or not node.all_input_nodes or _is_unspecified(node):
            continue
        elif constant.numel() and not constant.is_complex():
            elements = array_of(constant).reshape(-1, 1).view("u1")
            if (elements == elements[0]).all():
                node.target, node.args = aten.full.default, ([*constant.shape], constant.flatten()[0].item())
                node.kwargs = {"dtype": constant.dtype}
            elif constant.numel() <= _FOLDED_ELEMENTS:
                node.target, node.args, node.kwargs = aten.clone.default, (constant,), {}


def _count_from_the_front(graph: Any, node: Any, remainder: Any) -> None:
    """Let the positions of an `index_put` be none that count from the end, as torch-mlir takes each as it is."""
    value, positions, *others = node.args
    shape = value.meta["val"].shape if hasattr(value, "meta") else value.shape
    counted: list[Any] = []
    for size, one in zip(shape, positions, strict=False):
        kind = one.meta["val"] if hasattr(one, "meta") else one
        if kind is None or str(kind.dtype) == "torch.bool":
            counted.append(one)
        elif kind is one:  # a constant
            counted.append(one % size)
        else:
            with graph.inserting_before(node):
                counted.append(graph.call_function(remainder, (one, size)))
            counted[-1].meta = {
                **node.meta,
                **{key: one.meta[key] for key in ("val", "tensor_meta") if key in one.meta},
            }
    node.args = (value, counted, *others)


def _is_unspecified(node: Any) -> bool:
    """Return whether a node is a tensor of unspecified content."""
    return "empty" in str(node.target)


def _constant(node: Any, constants: Mapping[Any, Any], torch: Any) -> Any:
    """Return the tensor that a node is whatever the graph's arguments are, None where that is not known.

    Args:
        node: It.
        constants: Those before it.
        torch: The package.
    """
    if node.op == "get_attr" and node.graph.owning_module is not None:
        return getattr(node.graph.owning_module, node.target, None)
    value = node.meta.get("val")
    tags = getattr(node.target, "tags", None)  # which operators have
    if node.op != "call_function" or tags is None or torch.Tag.nondeterministic_seeded in tags:
        return None
    if not hasattr(value, "numel") or any(not isinstance(size, int) for size in value.shape):
        return None
    if value.numel() > _EVALUATED_ELEMENTS:
        return None
    if any(_is_unspecified(one) for one in node.all_input_nodes) and not re.search("_like|fill", node.target.name()):
        return None
    if any(one not in constants for one in node.all_input_nodes):
        return None
    given, named = torch.fx.node.map_arg((node.args, node.kwargs), constants.__getitem__)
    return node.target(*given, **named)


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
