# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One native function that runs any nest around a micro kernel: counts and strides of its loops are data.

The micro kernel keeps rows x two vectors of C in registers, and adds the products of one tile of A and B to them.
"""

import ctypes
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from nest_problems import Problem, strides

from roller_mlir.model.polydl.nest import TiledNest

DEPTH = 12
"""Loops around the micro kernel; those that a nest does not have run once."""

VECTORS = 2


def native_columns() -> int:
    """Return the columns of the micro kernel on this machine."""
    return VECTORS * (16 if llvm.get_host_cpu_features().get("avx512f") else 8)


class Kernel:
    """A compiled function for micro kernels of so many rows.

    Attributes:
        columns: Columns of the micro kernel.
    """

    def __init__(self, rows: int) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        features = llvm.get_host_cpu_features()
        lanes = native_columns() // VECTORS
        self.rows, self.columns = rows, native_columns()
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=3, jit=True
        )
        module = llvm.parse_assembly(_text(rows, lanes))
        module.verify()
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        self._engine: Any = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        pointer = ctypes.c_void_p
        self._function = ctypes.CFUNCTYPE(None, *[pointer] * 4)(self._engine.get_function_address("nest"))

    def bound(self, problem: Problem, nest: TiledNest, arrays: tuple[Any, Any, Any]) -> Any:
        """Return a function without arguments that runs a nest on A, B and C."""
        axes = len(nest.extents)
        a, b, c = [strides(one, axes) for one in (*nest.expression.inputs, nest.expression.output)]
        row, deep = problem.rows, problem.depth
        if nest.body[row] != self.rows or nest.body[problem.columns] != self.columns:
            raise ValueError(f"the micro kernel has {self.rows} x {self.columns}, but got {nest.body}")
        numbers = [nest.body[deep], a[row], a[deep], b[deep], c[row]]
        loops = [
            (one.count, one.size * a[one.axis], one.size * b[one.axis], one.size * c[one.axis]) for one in nest.loops
        ]
        around = [(nest.body[x], a[x], b[x], c[x]) for x in range(axes) if x not in (row, problem.columns, deep)]
        loops += [one for one in around if one[0] > 1]
        if len(loops) > DEPTH:
            raise ValueError(f"a nest has at most {DEPTH} loops, but got {len(loops)}")
        for one in (*loops, *[(1, 0, 0, 0)] * (DEPTH - len(loops))):
            numbers += one
        held = np.array(numbers, dtype=np.int64)
        addresses = [one.ctypes.data for one in (*arrays, held)]

        def run(_held: tuple[Any, ...] = (held, arrays)) -> None:
            self._function(*addresses)

        return run


def _text(rows: int, lanes: int) -> str:
    """Return the function as LLVM IR."""
    vector = f"<{lanes} x float>"
    lines = ["define void @nest(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %p) {", "entry:"]

    def number(name: str, place: int) -> None:
        lines.append(f"  %at.{name} = getelementptr i64, ptr %p, i64 {place}")
        lines.append(f"  %{name} = load i64, ptr %at.{name}")

    for place, name in enumerate(("deep", "a.row", "a.deep", "b.deep", "c.row")):
        number(name, place)
    for loop in range(DEPTH):
        for place, name in enumerate(("n", "a", "b", "c")):
            number(f"{name}{loop}", 5 + 4 * loop + place)
    lines.append("  br label %h0")
    for loop in range(DEPTH):
        before = f"h{loop - 1}" if loop else "entry"
        lines += [f"h{loop}:", f"  %i{loop} = phi i64 [0, %{before}], [%i{loop}.next, %x{loop}]"]
        for name in "abc":
            outer = f"{name}.{loop - 1}" if loop else name
            lines.append(f"  %{name}.{loop} = phi ptr [%{outer}, %{before}], [%{name}.{loop}.next, %x{loop}]")
        lines.append(f"  br label %{f'h{loop + 1}' if loop + 1 < DEPTH else 'micro'}")
    last = DEPTH - 1
    lines.append("micro:")
    sums = [(r, v) for r in range(rows) for v in range(VECTORS)]
    for r in range(rows):
        lines.append(f"  %c.off{r} = mul i64 %c.row, {r}")
        lines.append(f"  %a.off{r} = mul i64 %a.row, {r}")
        lines.append(f"  %c.at{r} = getelementptr float, ptr %c.{last}, i64 %c.off{r}")
    for r, v in sums:
        lines.append(f"  %c.at{r}.{v} = getelementptr float, ptr %c.at{r}, i64 {v * lanes}")
        lines.append(f"  %s{r}.{v}.in = load {vector}, ptr %c.at{r}.{v}, align 4")
    lines += ["  br label %inner", "inner:", "  %k = phi i64 [0, %micro], [%k.next, %inner]"]
    for name in "ab":
        lines.append(f"  %{name}.k = phi ptr [%{name}.{last}, %micro], [%{name}.k.next, %inner]")
    for r, v in sums:
        lines.append(f"  %s{r}.{v} = phi {vector} [%s{r}.{v}.in, %micro], [%s{r}.{v}.next, %inner]")
    for v in range(VECTORS):
        lines.append(f"  %b.at{v} = getelementptr float, ptr %b.k, i64 {v * lanes}")
        lines.append(f"  %y{v} = load {vector}, ptr %b.at{v}, align 4")
    for r in range(rows):
        lines += [
            f"  %a.at{r} = getelementptr float, ptr %a.k, i64 %a.off{r}",
            f"  %x.{r} = load float, ptr %a.at{r}",
            f"  %x.{r}.one = insertelement {vector} poison, float %x.{r}, i64 0",
            f"  %x.{r}.all = shufflevector {vector} %x.{r}.one, {vector} poison, <{lanes} x i32> zeroinitializer",
        ]
        for v in range(VECTORS):
            call = f"call {vector} @llvm.fma.v{lanes}f32({vector} %x.{r}.all, {vector} %y{v}, {vector} %s{r}.{v})"
            lines.append(f"  %s{r}.{v}.next = {call}")
    lines += [
        "  %a.k.next = getelementptr float, ptr %a.k, i64 %a.deep",
        "  %b.k.next = getelementptr float, ptr %b.k, i64 %b.deep",
        "  %k.next = add i64 %k, 1",
        "  %k.more = icmp ult i64 %k.next, %deep",
        "  br i1 %k.more, label %inner, label %done",
        "done:",
    ]
    lines += [f"  store {vector} %s{r}.{v}.next, ptr %c.at{r}.{v}, align 4" for r, v in sums]
    lines.append(f"  br label %x{last}")
    for loop in reversed(range(DEPTH)):
        lines.append(f"x{loop}:")
        for name in "abc":
            lines.append(f"  %{name}.{loop}.next = getelementptr float, ptr %{name}.{loop}, i64 %{name}{loop}")
        lines += [
            f"  %i{loop}.next = add i64 %i{loop}, 1",
            f"  %i{loop}.more = icmp ult i64 %i{loop}.next, %n{loop}",
            f"  br i1 %i{loop}.more, label %h{loop}, label %{f'x{loop - 1}' if loop else 'exit'}",
        ]
    lines += ["exit:", "  ret void", "}"]
    lines.append(f"declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})")
    return "\n".join(lines)
