# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times whole models on this machine beside onnxruntime: those that are named, or three networks with random weights.

    python bench/cpu/models.py [FILE.onnx ... | --of-onnx | --recurrent | --quantized] [--threads 1,2] [-o RESULTS.json]

Without files: ResNet-50 and MobileNetV2 on an image of 224 x 224, channels first, each convolution followed by a batch
norm as exporters write it, and an encoder of the size of BERT-base (12 layers, 768 features, 12 heads) on 128 tokens.
With `--of-onnx` the networks that the package onnx brings, which others exported, with random weights: theirs are one
number each. With `--recurrent` one layer of LSTM, GRU or RNN, as ONNX has them. With `--quantized` the three networks
as onnxruntime's own tools quantize them: with scales of two inputs, numbers with sign or without, or by the range of
each input. Both run in this process by turns, on the same input; results are compared first. Times are of the wall, the
least and the median of all rounds. Threads of onnxruntime that wait do not spin, which would take cores from ours.
Neither gets weights in another form than the model has: each packs them when it compiles, which the last column counts
for ours.
"""

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TOLERANCE, STEPS = 1e-4, 0.1
"""Of the largest result: by how much results of f32 may differ, and those of integers of 8 bits, which layers round."""


class Network:
    """A graph that grows node by node, whose weights are random numbers that keep values in range."""

    def __init__(self, *shape: int) -> None:
        self._random = np.random.default_rng(0)
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self._given, self.value, self.channels = list(shape), "x", shape[1]

    def weight(self, *shape: int, scale: float = 1.0, shift: float = 0.0) -> str:
        """Add a weight of normal numbers."""
        return self.constant((scale * self._random.standard_normal(shape) + shift).astype(np.float32))

    def constant(self, value: Any) -> str:
        """Add a constant."""
        self._weights.append(numpy_helper.from_array(np.asarray(value), f"w{len(self._weights)}"))
        return self._weights[-1].name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and return its result."""
        self._nodes.append(helper.make_node(kind, inputs, [f"v{len(self._nodes)}"], **attributes))
        return f"v{len(self._nodes) - 1}"

    def convolution(
        self, value: str, channels: int, filters: int, window: int, *, stride: int = 1, group: int = 1, end: str = ""
    ) -> str:
        """Add a convolution, its batch norm, and what ends it: "Relu", "Relu6" or nothing."""
        each = channels // group
        weight = self.weight(filters, each, window, window, scale=(2 / (each * window * window)) ** 0.5)
        shape = {"kernel_shape": [window] * 2, "strides": [stride] * 2, "pads": [window // 2] * 4, "group": group}
        value = self.node("Conv", value, weight, **shape)
        factor, shift, mean = (self.weight(filters, scale=0.1, shift=at) for at in (1.0, 0.0, 0.0))
        variance = self.constant(self._random.uniform(0.5, 1.5, filters).astype(np.float32))
        value = self.node("BatchNormalization", value, factor, shift, mean, variance)
        if end == "Relu6":
            return self.node("Clip", value, self.constant(np.float32(0)), self.constant(np.float32(6)))
        return self.node(end, value) if end else value

    def classified(self, value: str, channels: int) -> bytes:
        """Return the model that ends with a thousand classes of an image."""
        value = self.node("Flatten", self.node("GlobalAveragePool", value))
        matrix = self.weight(1000, channels, scale=0.02)
        return self.model(self.node("Gemm", value, matrix, self.weight(1000, scale=0.02), transB=1), 1, 1000)

    def model(self, value: str, *shape: int) -> bytes:
        """Return the model whose result is a value."""
        given, made = (
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, each)]
            for name, each in (("x", self._given), (value, list(shape)))
        )
        graph = helper.make_graph(self._nodes, "network", given, made, self._weights)
        found = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        onnx.checker.check_model(found)
        return found.SerializeToString()


def resnet50() -> bytes:
    """Return ResNet-50 (He et al., CVPR 2016, table 1; strides in the windows of 3 x 3)."""
    net = Network(1, 3, 224, 224)
    value = net.convolution("x", 3, 64, 7, stride=2, end="Relu")
    value = net.node("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for blocks, inner, first in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
        for number in range(blocks):
            stride = first if number == 0 else 1
            inside = net.convolution(value, channels, inner, 1, end="Relu")
            inside = net.convolution(inside, inner, inner, 3, stride=stride, end="Relu")
            inside = net.convolution(inside, inner, 4 * inner, 1)
            beside = net.convolution(value, channels, 4 * inner, 1, stride=stride) if number == 0 else value
            value, channels = net.node("Relu", net.node("Add", inside, beside)), 4 * inner
    return net.classified(value, channels)


def mobilenet_v2() -> bytes:
    """Return MobileNetV2 (Sandler et al., CVPR 2018, table 2)."""
    net = Network(1, 3, 224, 224)
    value, channels = net.convolution("x", 3, 32, 3, stride=2, end="Relu6"), 32
    table = (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)
    for factor, filters, blocks, first in table:
        for number in range(blocks):
            stride, wide = first if number == 0 else 1, factor * channels
            inside = net.convolution(value, channels, wide, 1, end="Relu6") if factor > 1 else value
            inside = net.convolution(inside, wide, wide, 3, stride=stride, group=wide, end="Relu6")
            inside = net.convolution(inside, wide, filters, 1)
            value = net.node("Add", value, inside) if stride == 1 and filters == channels else inside
            channels = filters
    return net.classified(net.convolution(value, channels, 1280, 1, end="Relu6"), 1280)


def encoder(layers: int = 12, features: int = 768, tokens: int = 128, heads: int = 12) -> bytes:
    """Return an encoder (Devlin et al., BERT, 2019: layer norms behind the sums, gelu by erf), without embeddings."""
    net = Network(1, tokens, features)

    def linear(value: str, inputs: int, outputs: int) -> str:
        product = net.node("MatMul", value, net.weight(inputs, outputs, scale=0.03))
        return net.node("Add", product, net.weight(outputs, scale=0.03))

    def normalized(value: str) -> str:
        ones, zeros = (net.constant(np.full(features, at, np.float32)) for at in (1, 0))
        return net.node("LayerNormalization", value, ones, zeros, axis=-1)

    parted, whole = (
        net.constant(np.array([1, tokens, heads, features // heads])),
        net.constant(np.array([1, tokens, features])),
    )
    scale, half, one, root = (net.constant(np.float32(at)) for at in ((features // heads) ** -0.5, 0.5, 1, 0.5**0.5))
    value = "x"
    for _ in range(layers):
        query, key, content = (
            net.node("Transpose", net.node("Reshape", linear(value, features, features), parted), perm=perm)
            for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        )
        scores = net.node("Softmax", net.node("Mul", net.node("MatMul", query, key), scale), axis=-1)
        mixed = net.node("Transpose", net.node("MatMul", scores, content), perm=[0, 2, 1, 3])
        value = normalized(net.node("Add", value, linear(net.node("Reshape", mixed, whole), features, features)))
        inner = linear(value, features, 4 * features)
        bent = net.node("Add", net.node("Erf", net.node("Mul", inner, root)), one)
        gelu = net.node("Mul", net.node("Mul", inner, half), bent)
        value = normalized(net.node("Add", value, linear(gelu, 4 * features, features)))
    return net.model(value, 1, tokens, features)


NETWORKS: dict[str, Callable[[], bytes]] = {"resnet50": resnet50, "mobilenet_v2": mobilenet_v2, "encoder": encoder}


def recurrent(kind: str, gates: int, steps: int, batch: int, size: int, directions: int = 1) -> bytes:
    """Return a layer of so many features, of one operator of ONNX with so many gates."""
    net = Network(steps, batch, size)
    weights = [net.weight(directions, gates * size, size, scale=0.1) for _ in range(2)]
    both = {} if directions == 1 else {"direction": "bidirectional"}
    bias = net.weight(directions, 2 * gates * size, scale=0.1)
    return net.model(net.node(kind, "x", *weights, bias, hidden_size=size, **both), steps, directions, batch, size)


RECURRENT: dict[str, Callable[[], bytes]] = {
    "lstm, 16 steps of 128": partial(recurrent, "LSTM", 4, 16, 1, 128),
    "lstm, 32 steps of 256": partial(recurrent, "LSTM", 4, 32, 1, 256),
    "lstm, 16 steps of 8 x 128": partial(recurrent, "LSTM", 4, 16, 8, 128),
    "lstm, 16 steps of 128, both ways": partial(recurrent, "LSTM", 4, 16, 1, 128, 2),
    "gru, 16 steps of 128": partial(recurrent, "GRU", 3, 16, 1, 128),
    "rnn, 32 steps of 128": partial(recurrent, "RNN", 1, 32, 1, 128),
}


def networks_of_onnx() -> dict[str, Path]:
    """Return the networks of image classification that the package onnx tests backends with, by name."""
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    return {path.stem.removeprefix("light_"): path for path in sorted(folder.glob("light_*.onnx"))}


def randomized(path: Path) -> bytes:
    """Return a network with random weights, which keep values in range as those of `Network` do."""
    model, random = onnx.load(path), np.random.default_rng(0)
    graph = model.graph
    known = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    filled = {node.output[0]: node for node in graph.node if node.op_type == "ConstantOfShape"}
    shapes = {name: tuple(int(extent) for extent in known[node.input[0]]) for name, node in filled.items()}
    shapes.update({name: array.shape for name, array in known.items() if array.dtype == np.float32})
    same = {node.input[0]: node.output[0] for node in graph.node if node.op_type in ("Unsqueeze", "Reshape")}
    readers = {(name, node.op_type, at) for node in graph.node for at, name in enumerate(node.input)}
    for name, kind, at in sorted(readers):
        source = next((one for one in shapes if name in (one, same.get(one))), None)
        if source is None or kind in ("Unsqueeze", "Reshape"):
            continue
        shape = shapes.pop(source)
        value = 0.1 * random.standard_normal(shape)
        if (kind, at) == ("BatchNormalization", 4):
            value = random.uniform(0.5, 1.5, shape)
        elif (kind, at) in (("BatchNormalization", 1), ("Mul", 0), ("Mul", 1)):
            value += 1
        elif kind in ("Conv", "Gemm", "MatMul") and at == 1:
            value *= 10 * (2 / np.prod(shape[1:])) ** 0.5
        tensor = numpy_helper.from_array(value.astype(np.float32), source)
        if source in filled:
            graph.node.remove(filled[source])
            graph.initializer.append(tensor)
            graph.input.append(helper.make_tensor_value_info(source, TensorProto.FLOAT, shape))
        else:
            next(one for one in graph.initializer if one.name == source).CopyFrom(tensor)
    onnx.checker.check_model(model)
    return model.SerializeToString()


@contextmanager
def quiet() -> Generator[None]:
    """Keep what onnxruntime's tools warn of to themselves."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


@quiet()
def quantized(make: Callable[[], bytes], kind: str) -> bytes:
    """Return a network as onnxruntime's tools quantize it.

    Args:
        make: Makes it, with one input `x`.
        kind: "u8" or "s8", numbers without sign or with one, of scales that two inputs of normal numbers give; or
            "dynamic", of scales that each input gives.
    """
    from onnxruntime import quantization as tools
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as folder:
        source, plain, made = (str(Path(folder, f"{name}.onnx")) for name in ("source", "plain", "made"))
        Path(source).write_bytes(make())
        quant_pre_process(source, plain, skip_symbolic_shape=True)
        weights = tools.QuantType.QInt8
        if kind == "dynamic":
            tools.quantize_dynamic(plain, made, weight_type=weights)
        else:
            signs = tools.QuantType.QInt8 if kind == "s8" else tools.QuantType.QUInt8
            (given,) = onnx.load(plain).graph.input
            shape = [one.dim_value for one in given.type.tensor_type.shape.dim]
            random = np.random.default_rng(5)
            inputs = iter([{given.name: random.standard_normal(shape).astype(np.float32)} for _ in range(2)])

            class Inputs(tools.CalibrationDataReader):
                def get_next(self) -> Any:
                    return next(inputs, None)

            tools.quantize_static(plain, made, Inputs(), activation_type=signs, weight_type=weights, per_channel=True)
        return Path(made).read_bytes()


QUANTIZED: dict[str, Callable[[], bytes]] = {
    f"{name}, {kind}": partial(quantized, NETWORKS[name], kind)
    for name, kinds in (
        ("resnet50", ("u8", "s8")),
        ("mobilenet_v2", ("u8", "s8")),
        ("encoder", ("u8", "s8", "dynamic")),
    )
    for kind in kinds
}


def times_of(file: str, threads: int, rounds: int, tolerance: float = TOLERANCE) -> dict[str, Any]:
    """Time a model on so many threads, in this process, which must have timed none before.

    Args:
        file: A model of one input.
        threads: How many.
        rounds: How often it runs.
        tolerance: Of the largest result, by how much results may differ.

    Raises:
        SystemExit: The results differ.
    """
    os.environ["ROLLER_NUM_THREADS"] = str(threads)
    import onnxruntime

    import roller_mlir
    from roller_mlir import CompileOptions

    begun = time.perf_counter()
    artifact = roller_mlir.compile(file, "host", options=CompileOptions(cache=False, max_units=threads))
    compile_s = time.perf_counter() - begun
    asked = onnxruntime.SessionOptions()
    asked.intra_op_num_threads, asked.inter_op_num_threads = threads, 1
    asked.log_severity_level = 3  # no words of weights that are not used
    asked.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(file, asked, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    x = np.random.default_rng(1).standard_normal(given.shape).astype(np.float32)
    program = artifact.open("cpu")
    ways: dict[str, Callable[[], Any]] = {
        "ours": lambda: program(x),
        "onnxruntime": lambda: session.run(None, {given.name: x})[0],
    }
    ours, theirs = (np.asarray(run()).reshape(-1) for run in ways.values())
    error = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    if not error <= tolerance:
        sys.exit(f"{file}: results differ by {error:.2g} of the largest")
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            begun = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begun)
    return {
        "model": Path(file).stem,
        "threads": threads,
        "kernels": len(artifact.manifest.launches),
        "compile_s": compile_s,
        "error": error,
        **{f"{name}_s": {"least": min(each), "median": statistics.median(each)} for name, each in times.items()},
    }


def row(record: dict[str, Any]) -> str:
    """Return a row of the table."""
    ours, theirs = record["ours_s"], record["onnxruntime_s"]
    cells = [record["model"], str(record["threads"]), str(record["kernels"])]
    cells += [f"{1e3 * each[which]:.2f}" for each in (ours, theirs) for which in ("least", "median")]
    cells += [f"{theirs['least'] / ours['least']:.2f}", f"{record['compile_s']:.1f}"]
    return f"| {' | '.join(cells)} |"


def each_alone(
    script: str, names: Sequence[str], asked: argparse.Namespace, line: Callable[[dict[str, Any]], str]
) -> None:
    """Time each model, for each number of threads, in a process of its own, print it, and write all that there are.

    Args:
        script: What such a process runs, with a model's name, `--one THREADS` and `--rounds N`; it prints JSON.
        names: Of the models.
        asked: Its `threads`, `rounds` and `output` are the command line's.
        line: Makes a line of the table.
    """
    records: list[dict[str, Any]] = []
    for name in names:
        for threads in asked.threads.split(","):
            command = [sys.executable, script, name, "--one", threads, "--rounds", str(asked.rounds)]
            command += [f"--{flag}" for flag in ("inductor", "bf16", "quantized") if getattr(asked, flag, False)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                sys.exit(done.returncode)
            records.append(json.loads(done.stdout))
            print(line(records[-1]), flush=True)
            if asked.output:
                Path(asked.output).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Time each model in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE.onnx", help="models of one input (three networks)")
    parser.add_argument("--of-onnx", action="store_true", help="the networks of the package onnx")
    parser.add_argument("--recurrent", action="store_true", help="layers of LSTM, GRU and RNN")
    parser.add_argument("--quantized", action="store_true", help="the three networks in integers of 8 bits")
    parser.add_argument("--threads", default="1", help="numbers of threads (1)")
    parser.add_argument("--rounds", type=int, default=20, help="times that each runs (20)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the times as JSON")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        tolerance = STEPS if asked.quantized else TOLERANCE
        print(json.dumps(times_of(asked.files[0], asked.one, asked.rounds, tolerance)))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = list(asked.files)
        networks = RECURRENT if asked.recurrent else QUANTIZED if asked.quantized else NETWORKS
        if asked.of_onnx:
            networks = {name: partial(randomized, path) for name, path in networks_of_onnx().items()}
        for name, make in () if files else networks.items():
            file = Path(folder, f"{name}.onnx")
            file.write_bytes(make())
            asked.files.append(str(file))
        print(
            "| model | threads | kernels | ours, ms | median | onnxruntime, ms | median | over ours | compiled in, s |"
        )
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        each_alone(__file__, asked.files, asked, row)


if __name__ == "__main__":
    main()
