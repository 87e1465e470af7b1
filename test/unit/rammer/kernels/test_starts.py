# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on other slices of one tensor share a body in a persistent kernel, and each works on its own."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from graph_models import Array, lstm
from graph_runs import OF_GRAPHS, GraphRun
from linalg_models import pointwise

from roller_mlir.lowering.codegen.graph.start_operands import most_starts
from roller_mlir.lowering.codegen.graph.tables import BODY
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import BUFFERS
from roller_mlir.passes.rammer.form_graph import RammerFormGraph
from roller_mlir.passes.rtile import planning
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.pipeline import run_pipeline

DEVICES = ["a100", "h200", "mi300x"]
FMA = {"block-threads": "64", "instructions": "fma"}
TYPES = {"f32": np.float32, "f16": np.float16}


def products(
    shape: Sequence[int],
    offsets: Sequence[Sequence[int]],
    m: int,
    k: int,
    n: int,
    *,
    kind: str = "f32",
    before: str = "",
) -> tuple[str, list[Array], Array]:
    """Return the sum of the products of slices with a matrix, as linalg, with inputs and the result.

    Args:
        shape: Of the first argument.
        offsets: Where each slice of m x k elements begins.
        m: Rows of a slice.
        k: Its columns.
        n: Columns of the matrix.
        kind: Type of all elements.
        before: "tensor": an operator doubles the whole tensor before it is cut; "slice": each slice.
    """
    whole, part, weights, result = (
        f"tensor<{'x'.join(map(str, each))}x{kind}>" for each in (shape, (m, k), (k, n), (m, n))
    )

    def doubled(name: str, of: str, tensor: str) -> str:
        added = f"linalg.add ins(%{of}, %{of} : {tensor}, {tensor}) outs(%e{name} : {tensor}) -> {tensor}"
        return f"  %e{name} = tensor.empty() : {tensor}\n  %{name} = {added}\n"

    sizes = [1] * (len(shape) - 2) + [m, k]
    body = f"  %zero = arith.constant 0.0 : {kind}\n"
    body += doubled("h", "x", whole) if before == "tensor" else ""
    source, piece = "h" if before == "tensor" else "x", "d" if before == "slice" else "s"
    for i, at in enumerate(offsets):
        body += f"  %s{i} = tensor.extract_slice %{source}{list(at)} {sizes} {[1] * len(sizes)} : {whole} to {part}\n"
        body += doubled(f"d{i}", f"s{i}", part) if before == "slice" else ""
        body += f"""  %e{i} = tensor.empty() : {result}
  %f{i} = linalg.fill ins(%zero : {kind}) outs(%e{i} : {result}) -> {result}
  %y{i} = linalg.matmul ins(%{piece}{i}, %w : {part}, {weights}) outs(%f{i} : {result}) -> {result}\n"""
    names = ["%x0", *(f"%a{i}" for i in range(1, len(offsets) - 1)), "%y"]
    sums = "\n".join(f"{names[i]} = arith.addf {names[i - 1]}, %x{i} : {kind}" for i in range(1, len(offsets)))
    body += pointwise("y", [f"y{i}" for i in range(len(offsets))], m, n, sums).replace("f32", kind)
    rng = np.random.default_rng(1)
    x, w = (rng.integers(-2, 3, each).astype(TYPES[kind]) for each in (shape, (k, n)))
    cut = [x[tuple(slice(a, a + s) for a, s in zip(at, sizes, strict=True))].reshape(m, k) for at in offsets]
    expected = sum(one.astype(np.float32) @ w.astype(np.float32) for one in cut) * (2 if before else 1)
    text = f"func.func @f(%x: {whole}, %w: {weights}) -> {result} {{\n{body}\n  return %y : {result}\n}}"
    return text, [x, w], expected


def formed(text: str, device: str, *, planned: bool = False, **asked: str) -> str:
    """Return the operators of a function and their applications."""
    with make_context() as context:
        module = parse_module(text, context)
        passes = [] if planned else passes_to(BUFFERS, {"device": device, **OF_GRAPHS, **asked})
        run_pipeline(module, [*passes, RammerFormGraph()])
        return module.operation.get_asm(use_local_scope=True)


def two_products(shape: Sequence[int], offsets: Sequence[Sequence[int]]) -> tuple[str, list[Array], list[Array]]:
    """Return products of slices of 128 x 64 elements with a matrix, and of those with it, with inputs and results."""
    whole, part, square = f"tensor<{'x'.join(map(str, shape))}xf16>", "tensor<128x64xf16>", "tensor<64x64xf16>"
    sizes = [1] * (len(shape) - 2) + [128, 64]
    body = "  %zero = arith.constant 0.0 : f16\n"
    for i, at in enumerate(offsets):
        body += f"  %s{i} = tensor.extract_slice %x{list(at)} {sizes} {[1] * len(sizes)} : {whole} to {part}\n"
        for source, target in ((f"s{i}", f"h{i}"), (f"h{i}", f"y{i}")):
            body += f"""  %e{target} = tensor.empty() : {part}
  %f{target} = linalg.fill ins(%zero : f16) outs(%e{target} : {part}) -> {part}
  %{target} = linalg.matmul ins(%{source}, %w : {part}, {square}) outs(%f{target} : {part}) -> {part}\n"""
    rng = np.random.default_rng(1)
    x = rng.integers(-1, 2, shape).astype(np.float16)
    w = ((rng.integers(0, 8, (64, 64)) == 0) * 0.5).astype(np.float16)
    cut = [x[tuple(slice(a, a + s) for a, s in zip(at, sizes, strict=True))].reshape(128, 64) for at in offsets]
    kinds = ", ".join([part] * len(offsets))
    body += f"  return {', '.join(f'%y{i}' for i in range(len(offsets)))} : {kinds}"
    text = f"func.func @f(%x: {whole}, %w: {square}) -> ({kinds}) {{\n{body}\n}}"
    return text, [x, w], [(one.astype(np.float32) @ w @ w).astype(np.float16) for one in cut]


def mapped(starts: Sequence[Sequence[int]], threads: int, stores: Sequence[int] | None = None) -> str:
    """Return programs on buffers that add squares of 400 numbers: two of the input, and one of what those give.

    Args:
        starts: Of each program, where the numbers begin that it loads, two times as many as threads each time.
        threads: Threads of a task.
        stores: Where the results of the first two begin in one buffer; None: each has a buffer of its own.
    """
    whole, tile = "memref<400xf32>", f"tensor<{threads}xf32>"
    body, targets = "", ("h0", "h1", "r") if stores is None else ("h", "h", "r")
    for n, (source, target, own) in enumerate(zip(("a", "a", "h"), targets, starts, strict=True)):
        part = whole if target == "h" else f"memref<{2 * threads}xf32>"
        first = stores[n] if stores is not None and n < 2 else 0
        last, sums = "u0", ""
        for i in range(1, len(own)):
            last, sums = f"v{i}", sums + f"\n        %v{i} = arith.addf %{last}, %u{i} : f32"
        body += f"""
  "rtile.program"(%{source}, %{target}) ({{
  ^bb0(%x: {whole}, %y: {part}):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {{
      %init = tensor.empty() : {tile}"""
        for i, start in enumerate(own):
            body += f"""
      %t{i} = "rtile.map_load"(%x, %i) ({{
      ^bb0(%e: f32):
        %q = arith.mulf %e, %e : f32
        "rtile.yield"(%q) : (f32) -> ()
      }}) {{tile = #rtile.tile<[{threads}], "register", [1]>, origin = affine_map<(d0) -> (d0 * {threads} + {start})>}}
        : ({whole}, index) -> {tile}"""
        body += f"""
      %s = "rtile.compute"({", ".join(f"%t{i}" for i in range(len(own)))}, %init, %i) ({{
      ^bb0({", ".join(f"%u{i}: f32" for i in range(len(own)))}, %old: f32):{sums}
        "rtile.yield"(%{last}) : (f32) -> ()
      }}) {{operandSegmentSizes = array<i32: {len(own)}, 1, 1>, box = array<i64: {threads}>,
          bounds = array<i64: {2 * threads}>,
          indexing_maps = [{", ".join(["affine_map<(d0) -> (d0)>"] * (len(own) + 1))}],
          iterator_types = [#linalg.iterator_type<parallel>], origin = affine_map<(d0) -> (d0 * {threads})>,
          threads = #rtile.threads<{{axes = [[{threads}, 1]], order = [0], lane = -1, unroll = 1}}>}}
        : ({", ".join([tile] * (len(own) + 1))}, index) -> {tile}
      "rtile.store"(%s, %y, %i) {{origin = affine_map<(d0) -> (d0 * {threads} + {first})>, steps = array<i64: 1>}}
        : ({tile}, {part}, index) -> ()
    }} {{rtile.mapping = "unit"}}
    "rtile.yield"() : () -> ()
  }}) {{sym_name = "p{n}"}} : ({whole}, {part}) -> ()"""
    return f"""
func.func @main(%a: {whole} {{rtile.role = "input"}}, %r: {part} {{rtile.role = "output"}},
                %w: memref<1600xi8> {{rtile.role = "workspace"}}) {{
  %z0 = arith.constant 0 : index
  %z1 = arith.constant {8 * threads} : index
  %h = memref.view %w[%z0][] : memref<1600xi8> to {whole}
  %h0 = memref.view %w[%z0][] : memref<1600xi8> to {part}
  %h1 = memref.view %w[%z1][] : memref<1600xi8> to {part}{body}
  return
}}"""


def run(
    model: tuple[str, list[Array], Array], device: str, *, planned: bool = False, **asked: str
) -> tuple[GraphRun, int]:
    """Run a function twice, without a reset, and compare what it gives; return it, and how many bodies it has."""
    text, inputs, expected = model
    graph = GraphRun(text, device, planned=planned, **asked)
    for launch in range(2):
        (y,) = graph.run(inputs, seed=launch, sweep=launch == 1)
        assert (y == expected).all()
    return graph, int(graph.records()[:, BODY].max()) + 1


def starts_of(text: str, device: str, **asked: str) -> list[list[int]]:
    """Return the starts of each application of a function."""
    applied = re.findall('"rammer.apply".*?{(.*?)}', formed(text, device, **asked))
    found = [re.search("starts = array<i64: (.*?)>", one) for one in applied]
    return [list(map(int, one[1].split(", "))) if one else [] for one in found]


@pytest.mark.full
@pytest.mark.parametrize("device", DEVICES)
def test_steps_of_a_recurrent_layer(device: str) -> None:
    """They read slices of the input: there are as many bodies for four steps as for three."""
    for steps in (3, 4):
        text, inputs, expected, tolerance = lstm(steps, 1, 16)
        graph = GraphRun(text, device, **FMA)
        assert graph.records()[:, BODY].max() + 1 == 3
        for found, wanted in zip(graph.run(inputs), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.full(every=12)
# The first product adds the others up at the end, in a body of its own.
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("shape", "offsets", "before", "starts", "bodies"),
    [
        # Whole slices, two of them in the other order.
        ((5, 6, 32), [(3, 0, 0), (1, 0, 0), (0, 0, 0)], "", [[6], [0], []], 2),
        # They overlap in the workspace.
        ((12, 32), [(0, 0), (4, 0), (1, 0), (6, 0)], "tensor", [[], [3], [0], [5], []], 3),
        # Rows of vectors of 4 numbers share a body, and so do rows of vectors of 1.
        ((6, 64), [(0, 4), (0, 3), (0, 8), (0, 31), (0, 0)], "", [[0], [8], [28], [0], []], 3),
        # Rows that nothing divides.
        ((7, 35), [(0, 0), (1, 1), (0, 3)], "", [[1, 0], [0, 2], []], 2),
    ],
)
def test_slices(
    shape: Sequence[int], offsets: list[Sequence[int]], before: str, starts: list[list[int]], bodies: int, device: str
) -> None:
    model = products(shape, offsets, 6, 32, 16, before=before)
    assert starts_of(model[0], device, **FMA) == starts
    assert run(model, device, **FMA)[1] == bodies


@pytest.mark.full(every=3)
@pytest.mark.parametrize("device", DEVICES)
def test_matrix_instructions_beyond_the_ends_of_slices(device: str) -> None:
    """36 columns of 96 take blocks of an instruction that reach into what stands beside the slice."""
    model = products((40, 96), [(0, 0), (0, 8), (8, 24), (8, 16), (0, 3)], 32, 36, 32, kind="f16")
    asked = {"block-threads": "128", "instructions": "mfma" if device == "mi300x" else "mma"}
    graph, bodies = run(model, device, **asked)
    assert ("mfma" if device == "mi300x" else "mma.sync") in graph.text
    assert bodies == 3  # the first product adds the others up


@pytest.mark.full(every=3)
@pytest.mark.parametrize("device", DEVICES)
def test_loads_that_compute(device: str) -> None:
    """Two programs on other slices of the input share a body, and a third one reads across what both gave."""
    threads = 64 if device == "mi300x" else 32
    x = (np.arange(400) % 17 - 8).astype(np.float32)
    h = np.concatenate([x[at : at + 2 * threads] ** 2 for at in (3, 131)])
    model = mapped(((3,), (131,), (33,)), threads), [x], h[33 : 33 + 2 * threads] ** 2
    assert starts_of(model[0], device, planned=True) == [[0], [128], [30]]
    assert run(model, device, planned=True)[1] == 1


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("shape", "offsets", "starts", "bodies"),
    [
        ((5, 128, 64), [(1, 0, 0), (2, 0, 0), (4, 0, 0)], [[0], [], [128], [], [384], []], 2),
        ((152, 128), [(1, 0), (24, 64), (8, 3)], [[0, 0], [], [23, 64], [], [], []], 3),
    ],
)
def test_tensor_copies(
    shape: Sequence[int], offsets: list[Sequence[int]], starts: list[list[int]], bodies: int
) -> None:
    """They read all slices through one tensor map, at other coordinates."""
    text, inputs, expected = two_products(shape, offsets)
    asked = {"task-threads": "128", "fusion": "false", "instructions": "wgmma"}
    assert starts_of(text, "h200", **asked) == starts
    graph = GraphRun(text, "h200", **asked)
    assert "wgmma.mma_async" in graph.text
    assert graph.text.count("rtile.tensor_map = {argument = 0 ") == 1
    assert graph.records()[:, BODY].max() + 1 == bodies
    for launch in range(2):
        for found, wanted in zip(graph.run(inputs, seed=launch), expected, strict=True):
            assert (found == wanted).all()


@pytest.mark.full(each=["stores", "starts", "bodies", "device"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("stores", "starts", "bodies"),
    [((0, 128), [[0], [128], []], 2), ((0, 200), [[0, 0], [128, 200], []], 2), ((1, 160), [[], [], []], 3)],
)
def test_stores(stores: tuple[int, int], starts: list[list[int]], bodies: int, device: str) -> None:
    """Two programs write slices of one buffer by one body, where both begin at vectors or both do not."""
    x = (np.arange(400) % 17 - 8).astype(np.float32)
    threads = 64
    h = np.zeros(400, np.float32)
    for first, at in zip(stores, (4, 132), strict=True):
        h[first : first + 2 * threads] = x[at : at + 2 * threads] ** 2
    model = mapped(((4,), (132,), (stores[1],)), threads, stores), [x], h[stores[1] :][: 2 * threads] ** 2
    assert starts_of(model[0], device, planned=True) == starts
    assert run(model, device, planned=True)[1] == bodies


@pytest.mark.parametrize("offsets", [[(0, 0), (0, 0)], [(0, 0), (1, 0), (2, 0), (3, 1)]])
def test_plans_leave_memory_to_starts(offsets: list[Sequence[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning knows how long records may become, before programs are found to be equal."""
    told: list[int] = []

    def noted(expressions: Sequence[TensorExpression]) -> int:
        told.append(most_starts(expressions))
        return told[-1]

    monkeypatch.setattr(planning, "most_starts", noted)
    text, *_ = products((40, 40), offsets, 32, 32, 32)
    with make_context() as context:
        module = parse_module(text, context)
        run_pipeline(module, [*passes_to(BUFFERS, {"device": "a100", **FMA}, persistent=True), RammerFormGraph()])
        found = module.operation.get_asm(use_local_scope=True)
    starts = max((len(one.split(",")) for one in re.findall("starts = array<i64: (.*?)>", found)), default=0)
    assert (told[0] > 0) == (starts > 0) and told[0] >= starts


def test_more_starts_than_threads() -> None:
    """The record of a task has more words than a block has threads."""
    x, rng = (np.arange(400) % 5 - 2).astype(np.float32), np.random.default_rng(3)
    own = 2 * rng.integers(0, 32, (3, 40)) + 1
    h = np.concatenate([sum(x[at : at + 64] ** 2 for at in each) for each in own[:2].tolist()])
    expected = sum(h[at : at + 64] ** 2 for at in own[2].tolist())
    graph, bodies = run((mapped(own.tolist(), 32), [x], expected), "h200", planned=True)
    assert graph.threads == 32
    assert graph.records().shape[1] > 32
    assert bodies == 1
