# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of kernels from the bodies in `kernels/`: the arguments, the host function and what every body begins with.

A body sees `%thread`, `%block` (of the first dimension), `%c0`, `%c1`, its arrays by name, and `%steps` and `%stride`,
the first two numbers of the array `control`: lengths of loops come from memory, so that one binary does runs of several
lengths, and no compiler unrolls them wholly or computes their results.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from roller_mlir.plan.manifest import Role


@dataclass(frozen=True, kw_only=True)
class Array:
    """One array of global memory.

    Attributes:
        name: What bodies call it.
        element: Element type.
        shape: Extents.
        role: Who owns it.
        written: Whether a kernel writes it.
    """

    name: str
    element: str
    shape: tuple[int, ...]
    role: Role = "input"
    written: bool = False

    @property
    def type(self) -> str:
        """MLIR's type."""
        return f"memref<{'x'.join(map(str, self.shape))}x{self.element}>"

    @property
    def attributes(self) -> str:
        """What LLVM may know of a kernel's argument."""
        return "{llvm.align = 16 : i64, llvm.noalias" + (", llvm.readonly}" if not self.written else "}")


CONTROL = Array(name="control", element="i32", shape=(4,))
"""Steps, stride, and two numbers that mean nothing."""


def output(name: str, element: str, *shape: int) -> Array:
    """Return an output."""
    return Array(name=name, element=element, shape=shape, role="output", written=True)


@dataclass(frozen=True, kw_only=True)
class CalibrationKernel:
    """One kernel.

    Attributes:
        name: Its name, and that of the body's file.
        values: For the placeholders of the body.
        arrays: Beside `CONTROL`.
        blocks: Of a launch.
        threads: Of a block.
        kept: An array in workgroup memory.
        cooperative: Whether all blocks run at the same time.
        launches: How often it is started.
    """

    name: str
    values: dict[str, int | str]
    arrays: tuple[Array, ...]
    blocks: int
    threads: int
    kept: Array | None = None
    cooperative: bool = False
    launches: int = 1

    @property
    def arguments(self) -> tuple[Array, ...]:
        """All arrays of the kernel."""
        return (CONTROL, *self.arrays)


def module_text(function: str, kernels: Sequence[CalibrationKernel]) -> str:
    """Return the module whose host function starts kernels one after another.

    Args:
        function: Name of the host function.
        kernels: In their order; arrays of one name are one array.

    Returns:
        MLIR, for `compile_kernel_module`.
    """
    arrays = {array.name: array for kernel in kernels for array in kernel.arguments}
    order = sorted(arrays.values(), key=lambda array: ("input", "output", "workspace").index(array.role))
    signature = ", ".join(f'%{a.name}: {a.type} {{rtile.role = "{a.role}"}}' for a in order)
    numbers = sorted({1} | {n for kernel in kernels for n in (kernel.blocks, kernel.threads)})
    lines = ["module attributes {gpu.container_module} {", "  gpu.module @kernels {"]
    lines += [line for kernel in kernels for line in _function(kernel)]
    lines += ["  }", f"  func.func @{function}({signature}) {{"]
    lines += [f"    %n{number} = arith.constant {number} : index" for number in numbers]
    lines += [line for kernel in kernels for line in [_launch(kernel)] * kernel.launches]
    return "\n".join([*lines, "    return", "  }", "}", ""])


def _function(kernel: CalibrationKernel) -> Iterable[str]:
    arguments = ", ".join(f"%{a.name}: {a.type} {a.attributes}" for a in kernel.arguments)
    yield f"    gpu.func @{kernel.name}({arguments})"
    if kernel.kept is not None:
        place = "#gpu.address_space<workgroup>"
        yield f"        workgroup(%{kernel.kept.name}: {kernel.kept.type[:-1]}, {place}>)"
    yield f"        kernel attributes {{known_block_size = array<i32: {kernel.threads}, 1, 1>}} {{"
    yield from ("      " + line for line in [*_PRELUDE, *_body(kernel).splitlines(), "gpu.return"])
    yield "    }"


_PRELUDE = (
    "%c0 = arith.constant 0 : index",
    "%c1 = arith.constant 1 : index",
    "%thread = gpu.thread_id x",
    "%block = gpu.block_id x",
    f"%control0 = memref.load %control[%c0] : {CONTROL.type}",
    f"%control1 = memref.load %control[%c1] : {CONTROL.type}",
    "%steps = arith.index_castui %control0 : i32 to index",
    "%stride = arith.index_castui %control1 : i32 to index",
)


def _body(kernel: CalibrationKernel) -> str:
    text = Path(__file__).with_name("kernels").joinpath(f"{kernel.name}.mlir.in").read_text()
    common = {"blocks": kernel.blocks, "threads": kernel.threads, "all": kernel.blocks * kernel.threads}
    return Template(text).substitute({key: str(value) for key, value in {**common, **kernel.values}.items()})


def _launch(kernel: CalibrationKernel) -> str:
    arguments = ", ".join(f"%{a.name} : {a.type}" for a in kernel.arguments)
    sizes = f"blocks in (%n{kernel.blocks}, %n1, %n1) threads in (%n{kernel.threads}, %n1, %n1)"
    mark = " {rtile.cooperative}" if kernel.cooperative else ""
    return f"    gpu.launch_func @kernels::@{kernel.name} {sizes} args({arguments}){mark}"


def lines(count: int, pattern: str, indent: int = 2) -> str:
    """Return a pattern once for each number from 0; `{i}` is the number, `{j}` the next one."""
    return "\n".join(" " * indent + pattern.format(i=i, j=i + 1) for i in range(count))


def listed(count: int, pattern: str) -> str:
    """Return a pattern once for each number from 0, parted by commas."""
    return ", ".join(pattern.format(i=i, j=i + 1) for i in range(count))


def summed(count: int, name: str, operation: str, result: str, indent: int = 0) -> str:
    """Return the lines that add `%name0`, `%name1`, ... in pairs of pairs.

    Args:
        count: How many.
        name: Their common name.
        operation: "arith.addi {a}, {b} : i32", with places for the two.
        result: Name of the sum.
        indent: Of the lines.
    """
    found: list[str] = []
    current = [f"%{name}{i}" for i in range(count)]
    while len(current) > 1:
        pairs = list(zip(current[::2], current[1::2], strict=False))
        names = [f"%{name}_{len(found) + number}" for number in range(len(pairs))]
        if len(current) == 2:
            names = [f"%{result}"]
        found += [f"{new} = {operation.format(a=a, b=b)}" for new, (a, b) in zip(names, pairs, strict=True)]
        current = names + current[len(pairs) * 2 :]
    return "\n".join(" " * indent + line for line in found)
