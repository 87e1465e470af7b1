# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divided reductions: the two ops say what the two expressions say, and together they compute what the one op did."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import Artifact
from roller_mlir.evaluation.fuzz.plans.divided import divided_plans
from roller_mlir.hal import find_device
from roller_mlir.lowering.linalg.reader import StructuredOp, is_structured, read_structured
from roller_mlir.lowering.linalg.rewrite.split_reduction import split_reduction
from roller_mlir.passes.rtile.normalize import RTileNormalize
from roller_mlir.plan import Plan, SplitK, TensorExpression
from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.records.codec import to_json
from roller_mlir.plan.rewrite.split import first_expression, points_expression
from roller_mlir.plan.rewrite.uneven import uneven_problem
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module
from roller_mlir.tools.roller import main

DEVICE = "h200"
PRODUCT = "%p = arith.mulf %x0, %x1 : f32\n %r = arith.addf %acc, %p : f32"
SUM = "%r = arith.addf %acc, %x0 : f32"
MAXIMUM = "%r = arith.maximumf %acc, %x0 : f32"
MULTIPLY = "%r = arith.mulf %acc, %x0 : f32"
SUM_OF_X_PLUS_1 = "%o = arith.constant 1.0 : f32\n %p = arith.addf %x0, %o : f32\n %r = arith.addf %acc, %p : f32"
SCALED = "%p = arith.mulf %x0, %x1 : f32\n %r = arith.addf %acc, %p : f32"


def tensor(shape: Sequence[int]) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}f32>"


@dataclass(frozen=True)
class Op:
    """A reduction as text, and what numpy says of it.

    Attributes:
        maps: Of the inputs and the output.
        kinds: "p" or "r" for each loop.
        shapes: Of the inputs and the output.
        body: Over %x0, %x1, ... and %acc; it defines %r.
        start: What fills the output; None for the last argument.
        reference: On the inputs (and the old output), the result.
        padding: Zeros before and behind the last two dimensions of the first input.
        values: What the inputs hold, whole numbers so that every order of joining gives the same.
    """

    maps: tuple[str, ...]
    kinds: str
    shapes: tuple[tuple[int, ...], ...]
    body: str
    reference: Callable[..., Any]
    start: str | None = "0.0"
    padding: tuple[int, int] = (0, 0)
    values: tuple[int, ...] = tuple(range(-4, 5))

    def text(self, before: str = "") -> str:
        """Return the function; `padding` is put around the last two dimensions of the first input."""
        *ins, out = [tensor(shape) for shape in self.shapes]
        given = list(self.shapes[:-1])
        pad = ""
        low, high = self.padding
        if low or high:
            given[0] = (*given[0][:-2], *(extent - low - high for extent in given[0][-2:]))
            zeros = ["0"] * (len(given[0]) - 2)
            arguments = ", ".join(f"%i{d}: index" for d in range(len(given[0])))
            lows, highs = (", ".join([*zeros, str(size), str(size)]) for size in self.padding)
            pad = (
                f"%z = arith.constant 0.0 : f32\n %p0 = tensor.pad %a0 low[{lows}] high[{highs}] {{\n"
                f"^bb0({arguments}):\n tensor.yield %z : f32 }} : {tensor(given[0])} to {ins[0]}"
            )
        names = ["%p0" if pad and i == 0 else f"%a{i}" for i in range(len(ins))]
        arguments = [f"%a{i}: {tensor(shape)}" for i, shape in enumerate(given)]
        init = f"%e = tensor.empty() : {out}\n %s = arith.constant {self.start} : f32\n"
        init += f"%init = linalg.fill ins(%s : f32) outs(%e : {out}) -> {out}"
        if self.start is None:
            arguments.append(f"%init: {out}")
            init = ""
        kinds = ", ".join('"parallel"' if kind == "p" else '"reduction"' for kind in self.kinds)
        return f"""func.func @main({", ".join(arguments)}) -> {out} {{
  {before}
  {pad}
  {init}
  %g = linalg.generic {{indexing_maps = [{", ".join(f"affine_map<{m}>" for m in self.maps)}],
      iterator_types = [{kinds}]}} ins({", ".join(names)} : {", ".join(ins)}) outs(%init : {out}) {{
  ^bb0({", ".join(f"%x{i}: f32" for i in range(len(ins)))}, %acc: f32):
    {self.body}
    linalg.yield %r : f32
  }} -> {out}
  return %g : {out}
}}"""


def convolution(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwrs,fcrs->nfhw", windows, w)


MATMUL = Op(
    ("(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"),
    "ppr", ((16, 1000), (1000, 24), (16, 24)), PRODUCT, lambda a, b: a @ b,
)  # fmt: skip
ROWS = Op(("(i, k) -> (i, k)", "(i, k) -> (i)"), "pr", ((7, 1001), (7,)), SUM, lambda a: a.sum(1))
# Each with the loop, the parts and the points of a part.
DIVIDED: dict[str, tuple[Op, int, int, int]] = {
    "matmul": (MATMUL, 2, 4, 256),
    "matmul in equal parts": (MATMUL, 2, 4, 250),
    "batched": (
        Op(
            ("(b, m, n, k) -> (b, m, k)", "(b, m, n, k) -> (b, k, n)", "(b, m, n, k) -> (b, m, n)"),
            "pppr", ((3, 8, 200), (3, 200, 12), (3, 8, 12)), PRODUCT, lambda a, b: a @ b,
        ), 3, 3, 72,
    ),
    "both transposed": (
        Op(
            ("(m, n, k) -> (k, m)", "(m, n, k) -> (n, k)", "(m, n, k) -> (n, m)"),
            "ppr", ((300, 9), (14, 300), (14, 9)), PRODUCT, lambda a, b: (a.T @ b.T).T,
        ), 2, 5, 64,
    ),
    "accumulated into an argument": (replace(MATMUL, start=None, reference=lambda a, b, c: c + a @ b), 2, 4, 256),
    "accumulated from 3": (replace(MATMUL, start="3.0", reference=lambda a, b: 3 + a @ b), 2, 2, 504),
    "row sum": (ROWS, 1, 4, 256),
    "row sum into an argument": (replace(ROWS, start=None, reference=lambda a, c: c + a.sum(1)), 1, 3, 334),
    "sum of all": (
        Op(("(k) -> (k)", "(k) -> ()"), "r", ((100003,), ()), SUM, lambda a: a.sum(dtype=np.float64)), 0, 7, 14336,
    ),
    "sum of all into an argument": (
        Op(("(k) -> (k)", "(k) -> ()"), "r", ((10003,), ()), SUM, lambda a, c: c + a.sum(), None), 0, 3, 3584,
    ),
    "outer of two reductions": (
        Op(("(i, k, l) -> (k, i, l)", "(i, k, l) -> (i)"), "prr", ((50, 6, 9), (6,)), SUM, lambda a: a.sum((0, 2))),
        1, 4, 16,
    ),
    "maximum below zero": (
        Op(
            ("(i, k) -> (k, i)", "(i, k) -> (i)"), "pr", ((1001, 33), (33,)), MAXIMUM,
            lambda a: a.max(0), "0xFF800000", values=(-9, -8, -7, -6),
        ), 1, 4, 256,
    ),
    "product": (
        Op(("(i, k) -> (i, k)", "(i, k) -> (i)"), "pr", ((5, 50), (5,)), MULTIPLY, lambda a: a.prod(1), "1.0",
            values=(-1, 1)),
        1, 3, 20,
    ),
    "every second element": (
        Op(
            ("(i, k) -> (i, k * 2 + 1)", "(i, k) -> (k)", "(i, k) -> (i)"), "pr", ((5, 100), (50,), (5,)), PRODUCT,
            lambda a, b: a[:, 1::2] @ b,
        ), 1, 4, 16,
    ),
    "no neutral pad, equal parts": (
        replace(ROWS, shapes=((7, 1000), (7,)), body=SUM_OF_X_PLUS_1, reference=lambda a: (a + 1).sum(1)), 1, 4, 250,
    ),
    "an input without the loop, equal parts": (
        Op(
            ("(i, k) -> (i, k)", "(i, k) -> (i)", "(i, k) -> (i)"), "pr", ((6, 96), (6,), (6,)), SCALED,
            lambda a, s: a.sum(1) * s,
        ), 1, 3, 32,
    ),
    "convolution, channels": (
        Op(
            (
                "(n, f, h, w, c, r, s) -> (n, c, h + r, w + s)",
                "(n, f, h, w, c, r, s) -> (f, c, r, s)",
                "(n, f, h, w, c, r, s) -> (n, f, h, w)",
            ),
            "pppprrr", ((2, 20, 8, 10), (5, 20, 3, 3), (2, 5, 6, 8)), PRODUCT, convolution, padding=(1, 1),
        ), 4, 3, 8,
    ),
}  # fmt: skip


def read_last(module: ir.Module) -> StructuredOp:
    block = module.body.operations[0].regions[0].blocks[0]
    return read_structured([op.operation for op in block.operations if is_structured(op.operation)][-1])


def unnamed(expression: TensorExpression) -> TensorExpression:
    inputs = tuple(replace(access, name="") for access in expression.inputs)
    return replace(expression, inputs=inputs, output=replace(expression.output, name=""))


def expression_of(text: str) -> TensorExpression:
    with make_context() as context, ir.Location.unknown():
        module = parse_module(text, context)
        RTileNormalize().run(module)
        return read_last(module).expression


def hand_plan(expression: TensorExpression, loop: int, parts: int, extent: int) -> Plan:
    """Return a plan that divides a loop, each stage as it is planned by itself, one part in a task."""
    return next(divided_plans(expression, (loop, parts, extent), find_device(DEVICE)))


def compiled(text: str, folder: Path, plans: dict[str, Plan], **options: Any) -> Artifact:
    (folder / "plan.json").write_text(json.dumps(to_json(plans)))
    return roller_mlir.compile(text, target=DEVICE, plan_file=folder / "plan.json", binaries=False, **options)


def inputs_of(op: Op) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = list(op.shapes if op.start is None else op.shapes[:-1])
    shapes[0] = (*shapes[0][:-2], *(extent - sum(op.padding) for extent in shapes[0][-2:]))
    return [rng.choice(op.values, shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("name", DIVIDED)
def test_the_two_ops_are_the_two_expressions(name: str) -> None:
    op, loop, parts, extent = DIVIDED[name]
    with make_context() as context, ir.Location.unknown():
        module = parse_module(op.text(), context)
        root = read_last(module)
        whole = root.expression
        expected = first_expression(whole, loop, parts, extent), points_expression(whole, parts)
        placeholder: Any = None
        split = SplitK(loop=loop, parts=as_extent(parts), extent=as_extent(extent), join=placeholder)
        ops = split_reduction(root, split, tiles=False)
        assert module.operation.verify()
        found = [read_structured(op).expression for op in ops]
    assert [unnamed(one) for one in found] == [unnamed(one) for one in expected]


@pytest.mark.full(every=6)
@pytest.mark.parametrize("name", DIVIDED)
def test_the_two_programs_compute_what_the_op_does(name: str, tmp_path: Path) -> None:
    op, loop, parts, extent = DIVIDED[name]
    expression = expression_of(op.text())
    plan = hand_plan(expression, loop, parts, extent)
    artifact = compiled(op.text(), tmp_path, {"generic_0": plan})
    assert [kernel.program for kernel in artifact.kernels] == ["generic_0", "generic_0_join"]
    inputs = inputs_of(op)
    (found,) = artifact.run(*inputs)
    np.testing.assert_array_equal(found, np.asarray(op.reference(*inputs), np.float32))
    points = int(np.prod(op.shapes[-1], dtype=int))
    assert artifact.manifest.workspace_bytes >= 4 * parts * points
    assert len([b for b in artifact.manifest.buffers if b.role == "workspace"]) == 1, "nothing else is kept"


def test_plans_come_back_as_they_went(tmp_path: Path, capsys: Any) -> None:
    text = MATMUL.text()
    plan = hand_plan(expression_of(text), 2, 4, 256)
    (tmp_path / "f.mlir").write_text(text)
    (tmp_path / "whole.json").write_text(json.dumps(to_json({"generic_0": plan})))

    def emitted(plan_file: str) -> dict[str, Any]:
        arguments = ["compile", str(tmp_path / "f.mlir"), "--emit", "plan", "--json", "--target", DEVICE]
        assert main([*arguments, "--plan-file", str(tmp_path / plan_file)]) == 0
        return json.loads(capsys.readouterr().out)

    stages = emitted("whole.json")
    assert list(stages) == ["generic_0", "generic_0_join"]
    assert stages["generic_0"]["part"] == {"loop": 2, "parts": 4, "extent": 256, "joined": False}
    assert len(stages["generic_0"]["axes"]) == 4
    (tmp_path / "stages.json").write_text(json.dumps(stages))
    assert emitted("stages.json") == stages


def test_other_programs_keep_their_names(tmp_path: Path) -> None:
    shape = tensor((16, 24))
    text = MATMUL.text().replace(f"return %g : {shape}", f"""%t = tensor.empty() : {shape}
  %n = linalg.exp ins(%g : {shape}) outs(%t : {shape}) -> {shape}
  return %n : {shape}""")  # fmt: skip
    apart = roller_mlir.compile(text, target=DEVICE, binaries=False, fusion=False)
    kept = [kernel.program for kernel in apart.kernels if not kernel.program.endswith("_join")]
    plan = hand_plan(expression_of(MATMUL.text()), 2, 4, 256)
    divided = compiled(text, tmp_path, {"generic_0": plan}, fusion=False)
    assert [kernel.program for kernel in divided.kernels] == [kept[0], "generic_0_join", kept[1]]
    with pytest.raises(DiagnosedError, match="has a plan for 2 loops and 1 inputs, but its op has 3 and 1"):
        compiled(text, tmp_path, {"generic_0": plan})


@cache
def _stages_of_matmul() -> str:
    """Return the plans of both stages of a product in four parts, as JSON."""
    text = MATMUL.text()
    with TemporaryDirectory() as folder:
        artifact = compiled(text, Path(folder), {"generic_0": hand_plan(expression_of(text), 2, 4, 256)})
    return json.dumps(to_json({kernel.program: kernel.plan for kernel in artifact.kernels}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.pop("generic_0_join"), "generic_0: a plan with 'part' needs the second stage 'generic_0_join'"),
        (lambda f: f.pop("generic_0"), "generic_0_join: a second stage needs a plan 'generic_0' with 'part'"),
        (lambda f: f["generic_0"].update(part=None), "generic_0_join: a second stage needs a plan 'generic_0'"),
        (lambda f: f["generic_0"]["axes"][0].update(block=2), "has 1 part in a task, outermost in unit_order"),
        (lambda f: f["generic_0"]["part"].update(parts=3), "into 3 parts of 256; there must be 2 parts or more"),
        (lambda f: f["generic_0"]["part"].update(loop=0), "cannot divide loop d0 over tasks; loops that can be: d2"),
        (
            lambda f: f["generic_0"]["operands"][0].update(pad_value=None),
            "is read outside of its tensor, where it is 0",
        ),
        (lambda f: f["generic_0_join"].update(part=f["generic_0"]["part"]), "a stage cannot be divided again"),
        (lambda f: f["generic_0_join"]["axes"].pop(), "has a plan for 1 loops"),
    ],
)
def test_plans_of_stages_that_cannot_be(tmp_path: Path, change: Callable[[dict[str, Any]], Any], message: str) -> None:
    text, stages = MATMUL.text(), json.loads(_stages_of_matmul())
    change(stages)
    (tmp_path / "plan.json").write_text(json.dumps(stages))
    with pytest.raises(DiagnosedError) as caught:
        roller_mlir.compile(text, target=DEVICE, plan_file=tmp_path / "plan.json", binaries=False)
    assert message in str(caught.value)
    assert str(caught.value).count("error: ") == 1


UNEVEN: dict[str, tuple[Op, int, str]] = {
    "no neutral pad": (replace(ROWS, body=SUM_OF_X_PLUS_1), 1, "no value outside of its inputs is known"),
    "an input without the loop": (
        Op(("(i, k) -> (i, k)", "(i, k) -> (i)", "(i, k) -> (i)"), "pr", ((6, 97), (6,), (6,)), SCALED, sum),
        1, "input 'arg1' does not depend on the loop",
    ),
    "elements behind the end": (
        Op(("(i, k) -> (i, k * 2)", "(i, k) -> (k)", "(i, k) -> (i)"), "pr", ((5, 111), (50,), (5,)), PRODUCT, sum),
        1, "input 'arg0' has elements behind the loop's end",
    ),
    "a padding that contributes": (
        Op(
            ("(i, j, k) -> (k, i, j)", "(i, j, k) -> (i, j)"), "ppr", ((50, 6, 7), (6, 7)), MAXIMUM, sum,
            "0xFF800000", (1, 1),
        ), 2, "no value outside of its inputs is known",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNEVEN)
def test_what_is_divided_into_equal_parts_only(name: str) -> None:
    op, loop, reason = UNEVEN[name]
    with make_context() as context, ir.Location.unknown():
        root = read_last(parse_module(op.text(), context))
        whole = root.expression.bounds[loop]
        assert reason in uneven_problem(root.expression, loop)
        placeholder: Any = None
        split = SplitK(loop=loop, parts=as_extent(2), extent=as_extent(whole // 2 + 1), join=placeholder)
        with pytest.raises(DiagnosedError, match="into equal parts only") as caught:
            split_reduction(root, split, tiles=False)
    assert reason in str(caught.value) and f"a size that divides {whole}" in str(caught.value)
