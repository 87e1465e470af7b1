# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells how a persistent kernel grows with the types of its bodies: registers, spills, code, time of compiling.

    python bench/rammer/bodies.py [--bodies 2,5,10,20,40] [--target a100,h200] [--type f32,f16]

Types are products, element-wise operators, sums of rows and windows (convolutions, depthwise ones, poolings), each of
another shape; products and element-wise ones read what the one before wrote. No two are fused. The largest body is
that with the most registers of the same programs as kernels of their own, of as many threads. f16 has products by
matrix instructions. Each compilation is a process of its own without a cache; its processor seconds are those of
Python, its imports, LLVM and the vendor's assembler, and planning and the rest are told apart.
Prints a table in Markdown, and exits with 1 where a limit is missed: the largest body's registers and 8 more, no
spills, 4 KB of code a body.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.hal import find_device
from roller_mlir.hal.atoms import FAMILIES, atom_family
from roller_mlir.lowering.backend.checks.code_object import section
from roller_mlir.lowering.backend.child.pool import process_pool
from roller_mlir.lowering.targets.stage import PERSISTENT

SIDE, WIDTH, STEP = 16, 64, 32
"""Rows of the images that windows slide over, width of the first operand, and how much wider each product makes it."""
MORE_REGISTERS, MOST_CODE_BYTES = 8, 4096
ONES = "{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"
WINDOWS = ("conv_2d_nhwc_hwcf", "depthwise_conv_2d_nhwc_hwc", "pooling_nhwc_sum")


class Function:
    """A function of distinct operators, written op by op."""

    def __init__(self, kind: str, count: int) -> None:
        self.kind = kind
        self.width, self.value = WIDTH, "x"
        self.arguments = [f"%x: {self._tensor(SIDE * SIDE, WIDTH)}"]
        self.lines, self.results = [f"%zero = arith.constant 0.0 : {kind}"], dict[str, str]()
        for number in range(count):
            (self._product, self._pointwise, self._sum, self._window)[number % 4](number)
        self.results[self.value] = self._tensor(SIDE * SIDE, self.width)

    @property
    def text(self) -> str:
        """The function."""
        values, kinds = ", ".join(f"%{name}" for name in self.results), ", ".join(self.results.values())
        body = "\n  ".join(self.lines)
        return f"func.func @f({', '.join(self.arguments)}) -> ({kinds}) {{\n  {body}\n  return {values} : {kinds}\n}}"

    def _tensor(self, *shape: int) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{self.kind}>"

    def _zeros(self, number: int, kind: str) -> str:
        self.lines += [
            f"%e{number} = tensor.empty() : {kind}",
            f"%f{number} = linalg.fill ins(%zero : {self.kind}) outs(%e{number} : {kind}) -> {kind}",
        ]
        return f"outs(%f{number} : {kind})"

    def _product(self, number: int) -> None:
        before, self.width = self.width, self.width + STEP
        left, right = self._tensor(SIDE * SIDE, before), self._tensor(before, self.width)
        kind = self._tensor(SIDE * SIDE, self.width)
        self.arguments.append(f"%w{number}: {right}")
        zeros = self._zeros(number, kind)
        given = f"ins(%{self.value}, %w{number} : {left}, {right})"
        self.lines.append(f"%v{number} = linalg.matmul {given} {zeros} -> {kind}")
        self.value = f"v{number}"

    def _pointwise(self, number: int) -> None:
        kind = self._tensor(SIDE * SIDE, self.width)
        self.arguments.append(f"%w{number}: {kind}")
        self.lines += [
            f"%e{number} = tensor.empty() : {kind}",
            f"%v{number} = linalg.mul ins(%{self.value}, %w{number} : {kind}, {kind}) "
            f"outs(%e{number} : {kind}) -> {kind}",
        ]
        self.value = f"v{number}"

    def _sum(self, number: int) -> None:
        kind = self._tensor(SIDE * SIDE)
        zeros = self._zeros(number, kind)
        self.lines.append(
            f"%v{number} = linalg.reduce {{ arith.addf }} ins(%{self.value} : {self._tensor(SIDE * SIDE, self.width)}) "
            f"{zeros} dimensions = [1]"
        )
        self.results[f"v{number}"] = kind

    def _window(self, number: int) -> None:
        name = WINDOWS[number // 4 % 3]
        image, cut = self._tensor(1, SIDE, SIDE, self.width), (1, SIDE - 2, SIDE - 2)
        weight, result = {
            "conv_2d_nhwc_hwcf": (self._tensor(3, 3, self.width, 64), self._tensor(*cut, 64)),
            "depthwise_conv_2d_nhwc_hwc": (self._tensor(3, 3, self.width), self._tensor(*cut, self.width)),
            "pooling_nhwc_sum": (self._tensor(3, 3), self._tensor(*cut, self.width)),
        }[name]
        if name.startswith("pooling"):
            self.lines.append(f"%w{number} = tensor.empty() : {weight}")
        else:
            self.arguments.append(f"%w{number}: {weight}")
        zeros = self._zeros(number, result)
        self.lines += [
            f"%i{number} = tensor.expand_shape %{self.value} [[0, 1, 2], [3]] output_shape [1, {SIDE}, {SIDE}, "
            f"{self.width}] : {self._tensor(SIDE * SIDE, self.width)} into {image}",
            f"%v{number} = linalg.{name} {ONES} ins(%i{number}, %w{number} : {image}, {weight}) {zeros} -> {result}",
        ]
        self.results[f"v{number}"] = result


def compile_one(count: int, target: str, kind: str, threads: int | None) -> dict[str, Any]:
    """Compile one kernel of so many bodies in this process; with threads, its programs as kernels of their own."""
    started = time.perf_counter()
    options = CompileOptions(cache=False, fusion=False, split=False, persistent=True)
    if threads is not None:
        known = {one.family for one in find_device(target).instructions}
        usable = tuple(one for one in FAMILIES if one in known and not atom_family(one).reads_memory)
        options = replace(options, persistent=False, block_threads=threads, instructions=usable)
    artifact = roller_mlir.compile(Function(kind, count).text, target=target, options=options)
    seconds = time.perf_counter() - started
    process_pool().close()  # so that what its processes took is known
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    kernels = artifact.manifest.kernels
    cases = re.findall(r"^ *case \d+ {$", artifact.files["kernels.mlir"].decode(), re.MULTILINE)
    phases = artifact.manifest.phases_s
    return {
        "bodies": len(cases) + 1,
        "threads": artifact.manifest.launches[0].block[0],
        "registers": max(one.statistics.registers or 0 for one in kernels),
        "spill_bytes": max(one.statistics.spill_bytes or 0 for one in kernels),
        "code_bytes": sum(len(section(artifact.files[one.files["cubin"]], f".text.{one.name}")) for one in kernels),
        "seconds": seconds,
        "scheduling_s": sum(value for name, value in phases.items() if name in PERSISTENT[1:5]),
        "binaries_s": phases["binaries"],
        "processor_s": time.process_time() + children.ru_utime + children.ru_stime,
    }


def measure(count: int, target: str, kind: str, threads: int | None = None) -> dict[str, Any]:
    """Compile in a process of its own."""
    command = [sys.executable, __file__, "--one", json.dumps([count, target, kind, threads])]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", default="2,5,10,20,40", help="numbers of types (2,5,10,20,40)")
    parser.add_argument("--target", default="a100,h200", help="devices (a100,h200)")
    parser.add_argument("--type", default="f32,f16", help="types of elements (f32,f16)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(compile_one(*json.loads(asked.one))))
        return 0
    head = "| device | type | bodies | threads | registers | largest body | spills | code a body | alone | processor "
    print(f"{head}| wall: schedule and proof | binaries | all |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    missed = False
    for target in asked.target.split(","):
        for kind in asked.type.split(","):
            for count in map(int, asked.bodies.split(",")):
                one = measure(count, target, kind)
                assert one["bodies"] == count, f"{count} types made {one['bodies']} bodies"
                alone = measure(count, target, kind, one["threads"])
                code = one["code_bytes"] / count
                print(
                    f"| {target} | {kind} | {count} | {one['threads']} | {one['registers']} | {alone['registers']} "
                    f"| {one['spill_bytes']} B | {code:,.0f} B | {alone['code_bytes'] / count:,.0f} B "
                    f"| {one['processor_s']:.1f} s "
                    f"| {one['scheduling_s']:.1f} s | {one['binaries_s']:.1f} s | {one['seconds']:.1f} s |",
                    flush=True,
                )
                missed |= one["registers"] > alone["registers"] + MORE_REGISTERS
                missed |= one["spill_bytes"] > 0 or code > MOST_CODE_BYTES
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
