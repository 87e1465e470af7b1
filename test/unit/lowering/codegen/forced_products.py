# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with a chosen plan for a matrix instruction: text, plan, and a run in the simulator against numpy."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import compare_all, evaluate_function, random_inputs
from roller_mlir.hal.atoms import atom_family
from roller_mlir.hal.atoms.fragments import lane_order, result_shares
from roller_mlir.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.plan.plan import AtomPlan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.bindings import make_context

BYTES = {"f16": 2, "bf16": 2, "f32": 4, "i8": 1, "i32": 4}
BODIES = {
    True: ("arith.extsi", "arith.muli", "arith.addi"),
    False: ("arith.extf", "arith.mulf", "arith.addf"),
}


@dataclass(frozen=True)
class Product:
    """A product of matrices and how it is to be computed.

    Attributes:
        extents: M, N, K.
        blocks: Points of a task and a step along each.
        subgroups: Subgroups along M and N.
        shape: Of the instruction.
        family: Of the instruction.
        device: What it is for.
        factor: Element type of the factors.
        result: Element type of the result.
        transposed: Whether each factor lies transposed.
        stages: Buffers.
        vector: Elements of one access to global memory, per factor.
        fragment: Elements of one read of workgroup memory.
        pad: Elements behind each row in workgroup memory.
        swizzle: "xor" or None.
        copy: "asynchronous" or "synchronous".
        turned: Elements along the other dimension than the tensor's rows of one write of workgroup memory, per factor;
            0 where rows lie there as in the tensor.
        start: What the sums start from.
        store: How results leave.
    """

    extents: tuple[int, int, int] = (64, 64, 64)
    blocks: tuple[int, int, int] = (32, 32, 32)
    subgroups: tuple[int, int] = (2, 2)
    shape: tuple[int, int, int] = (16, 8, 16)
    family: str = "mma"
    device: str = "a100-80"
    factor: str = "f16"
    result: str = "f32"
    transposed: tuple[bool, bool] = (False, False)
    stages: int = 3
    vector: tuple[int, int] = (8, 8)
    fragment: int = 8
    pad: int = 0
    swizzle: str | None = "xor"
    copy: str = "asynchronous"
    turned: tuple[int, int] = (0, 0)
    start: float = 0
    store: str = "synchronous"

    @property
    def plan(self) -> Plan:
        """The plan."""
        result = atom_family(self.family).fragments(self.shape, BYTES[self.factor]).result
        shares = result_shares(result)
        # AMD's lanes hold neighbours of a row of the instruction: the product is computed transposed.
        row, column = (1, 0) if self.family == "mfma" else (0, 1)
        axes = [AxisPlan(block=self.blocks[2])] * 3
        for loop, side in ((row, "m"), (column, "n")):
            share = shares[side]
            threads = share.lanes * self.subgroups[loop]
            axes[loop] = AxisPlan(
                block=self.blocks[loop], threads=threads, chunk=share.chunk, lanes=share.lanes, tile=share.tile
            )
        operands = tuple(
            OperandPlan(
                layer="workgroup",
                order=(1, 0) if turned else (0, 1),
                pad=self.pad,
                vector=vector,
                store_vector=turned or vector,
                fragment_vector=self.fragment,
                pad_value=0.0,
                swizzle=self.swizzle,
                copy=self.copy,
            )
            for vector, turned in zip(self.vector, self.turned, strict=True)
        )
        loops = {"m": row, "n": column}
        return Plan(
            device=self.device,
            instruction=self.family,
            axes=tuple(axes),
            thread_order=(0, 1),
            lane=row if shares["m"].chunk > 1 else column,
            unit_order=(0, 1),
            reduction_order=(2,),
            operands=operands,
            stages=self.stages,
            store=self.store,
            unroll=self.blocks[2],
            atom=AtomPlan(
                shape=self.shape,
                row=row,
                column=column,
                depth=2,
                lane_order=tuple(loops[side] for side in lane_order(result)),
            ),
        )

    @property
    def text(self) -> str:
        """The function."""
        m, n, k = self.extents
        shapes = [[k, m] if self.transposed[0] else [m, k], [n, k] if self.transposed[1] else [k, n]]
        a, b = (f"tensor<{'x'.join(map(str, shape))}x{self.factor}>" for shape in shapes)
        maps = ["(k, m)" if self.transposed[0] else "(m, k)", "(n, k)" if self.transposed[1] else "(k, n)", "(m, n)"]
        affine = ", ".join(f"affine_map<(m, n, k) -> {one}>" for one in maps)
        c, kind = f"tensor<{m}x{n}x{self.result}>", self.result
        widen, multiply, add = BODIES[kind.startswith("i")]
        start = str(int(self.start)) if kind.startswith("i") else str(float(self.start))
        x, y, casts = "%x", "%y", ""
        if self.factor != kind:
            x, y = "%xw", "%yw"
            casts = f"%xw = {widen} %x : {self.factor} to {kind}\n    %yw = {widen} %y : {self.factor} to {kind}\n    "
        return f"""func.func @product(%a: {a}, %b: {b}) -> {c} {{
  %z = arith.constant {start} : {kind}
  %e = tensor.empty() : {c}
  %f = linalg.fill ins(%z : {kind}) outs(%e : {c}) -> {c}
  %r = linalg.generic {{indexing_maps = [{affine}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : {a}, {b}) outs(%f : {c}) {{
  ^bb0(%x: {self.factor}, %y: {self.factor}, %acc: {kind}):
    {casts}%p = {multiply} {x}, {y} : {kind}
    %q = {add} %acc, %p : {kind}
    linalg.yield %q : {kind}
  }} -> {c}
  return %r : {c}
}}"""

    def but(self, **changes: object) -> "Product":
        """Return another with some attributes changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


def options(product: Product, folder: Path) -> CompileOptions:
    """Return the options that force a product's plan."""
    path = folder / "plans.json"
    path.write_text(json.dumps({"generic_0": to_json(product.plan)}))
    return CompileOptions(plan_file=path, binaries=False)


def run_product(
    product: Product, folder: Path, *, values: str = "integers", sanitize: bool = False
) -> Sequence[np.ndarray]:
    """Run a product and its reference; return both results. The reference's numbers agree within the type's bound."""
    source = Source("-", product.text)
    artifact = compile_source(source, product.device, options(product, folder))
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 3, values)
    (got,) = artifact.run(*inputs, on="sim", seed=5, **({"sanitize": True} if sanitize else {}))
    with make_context() as context:
        module = parse_source(source, context)
        expected = evaluate_function(module, "product", inputs, accumulation_of(manifest))
    (found,) = compare_all([got], expected)
    assert found.matches, found
    return got, expected.outputs[0]
