# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The back end "roller" of `torch.compile`; needs the package torch.

    fast = torch.compile(model, backend="roller", options={"target": "mi300x"})

Options are `target` ("h200" by default), `on` (where kernels run: "sim", "cuda", "hip" or "cpu"; by default this
machine for a CPU as the target, for GPUs the simulator for tensors of the host, and the GPU for those of a GPU), and
the fields of `CompileOptions`. A graph that cannot be compiled runs in PyTorch's eager mode, with one warning that
names the operator and its place.
"""

import copy
import dataclasses
import importlib
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from roller_mlir.compiler import CompileOptions, compile  # noqa: A004 - as in re.compile
from roller_mlir.hal import DEFAULT_TARGET, find_device
from roller_mlir.importers.imported import refuse
from roller_mlir.importers.torch.graph import array_of, import_graph, load_torch, results_of
from roller_mlir.importers.torch.operators import decompositions
from roller_mlir.runtime.registry import backend_here
from roller_mlir.support.diagnostics import DiagnosedError, render


def backend(
    module: Any, inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: str | None = None
) -> Callable[..., Any]:
    """Compile what `torch.compile` captured; PyTorch finds this function by the name "roller".

    Args:
        module: A `torch.fx.GraphModule`. Its parameters become arguments, so what they hold may change later.
        inputs: Examples of its inputs.
        options: What `torch.compile` was given as `options`.
        mode: Likewise as `mode`; there is none.

    Raises:
        ValueError: An option is unknown or breaks its rule.
        DeviceError: The target is unknown.
    """
    if mode is not None:
        raise ValueError(f"backend 'roller' has no modes, but got mode={mode!r}; what can be chosen are options")
    load_torch("-")
    settings = _Settings.of(options or {})
    aot: Any = importlib.import_module("torch._dynamo.backends.common")
    compiler = partial(_compile_graph, settings)
    return aot.aot_autograd(fw_compiler=compiler, decompositions=decompositions())(module, inputs)


@dataclass(frozen=True)
class _Settings:
    target: str
    on: str | None
    forced: Mapping[str, Any]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "_Settings":
        known = {one.name for one in dataclasses.fields(CompileOptions)}
        rest = {name: value for name, value in options.items() if name not in ("target", "on")}
        if unknown := sorted(set(rest) - known):
            raise ValueError(f"options are target, on and the fields of CompileOptions, but got {unknown[0]!r}")
        CompileOptions(**rest)
        target = options.get("target", DEFAULT_TARGET)
        find_device(target)
        return cls(target, options.get("on"), rest)

    def back_end(self, tensors: Sequence[Any]) -> str:
        """Return where kernels run."""
        here = self.on or backend_here(find_device(self.target).vendor)
        if here or not any(one.is_cuda for one in tensors):
            return here or "sim"
        version: Any = importlib.import_module("torch.version")
        return "hip" if version.hip else "cuda"


def _compile_graph(settings: _Settings, module: Any, inputs: Sequence[Any]) -> Any:
    """Return what AOTAutograd calls with a list of inputs; graphs whose sizes are fixed are compiled at once."""
    graph = _Graph(settings, module)
    if all(_is_static(one) for one in inputs):
        dispatch: Any = importlib.import_module("torch.utils._python_dispatch")
        # Constants of the graph hold data, unlike its inputs.
        with dispatch._disable_current_modes():  # noqa: SLF001 - as torch's own compiler does it
            graph.program_for(inputs)
    boxed: Any = importlib.import_module("functorch.compile").make_boxed_func
    return boxed(graph)


def _is_static(value: Any) -> bool:
    return all(isinstance(size, int) for size in (value.shape if hasattr(value, "shape") else (value,)))


class _Graph:
    """A graph of PyTorch, compiled once for each shapes of its inputs."""

    def __init__(self, settings: _Settings, module: Any) -> None:
        self._settings, self._module = settings, module
        self._programs: dict[tuple[Any, ...], Callable[..., Sequence[Any]]] = {}
        self._has_warned = False

    def __call__(self, *inputs: Any) -> Sequence[Any]:
        return self.program_for(inputs)(*inputs)

    def program_for(self, inputs: Sequence[Any]) -> Callable[..., Sequence[Any]]:
        key = tuple((tuple(one.shape), one.stride()) if hasattr(one, "shape") else one for one in inputs)
        if key not in self._programs:
            try:
                self._programs[key] = _Program(self._settings, self._static(inputs), inputs)
            except DiagnosedError as error:
                self._programs[key] = self._module.forward
                if not self._has_warned:
                    self._has_warned = True
                    said = render(next(one for one in error.diagnostics if one.severity == "error"))
                    message = f"torch.compile(backend='roller') runs a graph in PyTorch's eager mode: {said}"
                    warnings.warn(message, RuntimeWarning, stacklevel=2)
        return self._programs[key]

    def _static(self, inputs: Sequence[Any]) -> Any:
        """Return the graph for inputs of these sizes, to be changed."""
        fx: Any = importlib.import_module("torch.fx")
        nodes = self._module.graph.nodes
        if all(_is_static(one.meta["val"]) for one in nodes if one.op == "placeholder"):
            graph = copy.deepcopy(self._module.graph)
            owner = self._module
        else:
            tracing: Any = importlib.import_module("torch.fx.experimental.proxy_tensor")
            with importlib.import_module("torch.fx.traceback").preserve_node_meta():
                owner = tracing.make_fx(fx.Interpreter(self._module).run, tracing_mode="fake")(*inputs)
            graph = owner.graph
        for node in [one for one in graph.nodes if one.op == "get_attr"]:
            if hasattr(value := getattr(owner, node.target), "tolist"):
                node.replace_all_uses_with(value)
                graph.erase_node(node)
        # torch-mlir rewrites some operators only of a graph that has an owner.
        return fx.GraphModule(owner, graph).graph


def _check_data(tensors: Sequence[Any]) -> None:
    """Refuse tensors whose elements no array holds: those of the device "meta", and those that are not dense."""
    for one in tensors:
        is_empty = one.device.type == "meta"
        if is_empty or str(one.layout) != "torch.strided":
            kind = "of the device 'meta'" if is_empty else f"of the layout {one.layout}"
            refuse("-", f"takes or returns a tensor {kind}; kernels take dense tensors that hold data")


@dataclass
class _Result:
    """What a graph returns: a tensor that it computes, a part of the memory of one, or what is no value of it.

    Attributes:
        like: The tensor as PyTorch traced it; what is no value of the graph.
        node: Its node; None of what is no value of the graph.
        source: What is computed, or given, for it: its node, or the first one in whose memory it lies.
        number: Of the source among the inputs; None of one that is computed.
    """

    like: Any
    node: Any = None
    source: Any = None
    number: int | None = None

    @property
    def overlaps_itself(self) -> bool:
        extent = 1 + sum((size - 1) * step for size, step in zip(self.like.shape, self.like.stride(), strict=True))
        return extent < self.like.numel()

    def part_of(self, source: Any) -> Any:
        """Return the result where it lies in the memory of its source."""
        if self.node is self.source:
            return source
        offset = self.like.storage_offset() - self.source.meta["val"].storage_offset()
        return source.as_strided(self.like.shape, self.like.stride(), source.storage_offset() + offset)


def _described(graph: Any) -> list[_Result]:
    """Return what a graph returns."""
    given = [one for one in graph.nodes if one.op == "placeholder"]
    numbers = {node: number for number, node in enumerate(given)}
    first: dict[Any, Any] = {}
    for node in graph.nodes:
        first.setdefault(_memory(node), node)
    results: list[_Result] = []
    for one in results_of(graph):
        if not hasattr(one, "meta"):
            results.append(_Result(one))
            continue
        source = first[_memory(one)]
        results.append(_Result(one.meta["val"], one, source, numbers.get(source)))
    return results


def _memory(node: Any) -> Any:
    """Return what is equal for nodes whose elements lie in the same memory, as PyTorch tells it, of the same type."""
    value = node.meta.get("val")
    if not hasattr(value, "untyped_storage") or str(value.layout) != "torch.strided":
        return node
    return value.untyped_storage()._cdata, value.dtype  # noqa: SLF001 - what tells storages apart


def _computed(results: Sequence[_Result]) -> list[Any]:
    """Return the nodes that are computed, each once; results that share no memory are their own sources."""
    uses = Counter(one.source for one in results if one.node is not None)
    for one in results:
        if one.number is None and uses[one.source] == 1 and not one.overlaps_itself:
            one.source = one.node
    return list(dict.fromkeys(one.source for one in results if one.node is not None and one.number is None))


class _Program:
    """An artifact that takes and returns PyTorch's tensors."""

    def __init__(self, settings: _Settings, graph: Any, inputs: Sequence[Any]) -> None:
        """Compile a graph of static shapes.

        Raises:
            DiagnosedError: It cannot be compiled.
        """
        self._torch: Any = importlib.import_module("torch")
        (output,) = (node for node in graph.nodes if node.op == "output")
        self._results = _described(graph)
        computed = _computed(self._results)
        self._wanted = [one.meta["val"] for one in computed]
        self._numbers = {node: number for number, node in enumerate(computed)}
        output.args = (tuple(computed),)
        graph.eliminate_dead_code()
        tensors = [one for one in inputs if hasattr(one, "shape")]
        _check_data([*tensors, *(one.like for one in self._results if hasattr(one.like, "layout"))])
        self._on = settings.back_end(tensors)
        forced: dict[str, Any] = {"binaries": self._on != "sim", **settings.forced}
        self._run: Callable[..., Sequence[Any]] = lambda: ()
        if computed:
            artifact = compile(import_graph(graph, "-"), settings.target, **forced)
            is_here = self._on == backend_here(artifact.manifest.device.vendor)
            self._run = artifact.open(self._on) if is_here else partial(artifact.run, on=self._on)

    def __call__(self, *inputs: Any) -> list[Any]:
        arrays = [array_of(one.contiguous()) for one in inputs if hasattr(one, "shape")]
        outputs = self._run(*arrays)
        tensors = [self._tensor(array, wanted) for array, wanted in zip(outputs, self._wanted, strict=True)]
        found: list[Any] = []
        for one in self._results:
            if one.node is None:
                found.append(one.like)
            elif one.number is not None:
                found.append(one.part_of(inputs[one.number]))
            else:
                found.append(one.part_of(tensors[self._numbers[one.source]]))
        return found

    def _tensor(self, array: Any, wanted: Any) -> Any:
        """Return an output as a tensor of the type, strides and device that PyTorch expects."""
        found = self._torch.from_numpy(array).view(wanted.dtype).to(wanted.device)
        if found.stride() == wanted.stride():
            return found
        strided = self._torch.empty_strided(wanted.shape, wanted.stride(), dtype=found.dtype, device=found.device)
        return strided.copy_(found)
