# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes of the tests: one with every kind of option, one that needs it, and ways to fail."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail, remark
from roller_mlir.support.foreign.options import option
from roller_mlir.support.passes.passes import NamedPipeline, Pass, register, register_pipeline


@register
@dataclass(frozen=True, kw_only=True)
class SampleMark(Pass):
    """Marks the module, or fails in the way that it is told."""

    name: ClassVar[str] = "sample-mark"
    summary: ClassVar[str] = "mark the module"
    establishes: ClassVar[frozenset[str]] = frozenset({"marked"})

    label: str = option("x", help="what to write")
    count: int = option(1, help="how often")
    scale: float = option(0.5, help="by how much")
    loud: bool = option(False, help="whether to remark")
    sizes: tuple[int, ...] = option((), help="sizes")
    file: Path | None = option(None, help="a file")
    mode: Literal["mark", "fail", "bug", "break", "wrong", "interrupt"] = option("mark", help="what to do")

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count must be at least 1, but got {self.count}")

    def run(self, module: "ir.Module") -> None:
        first: Any = next(iter(module.body.operations), None)
        if self.loud:
            remark(first, "loud")
        if self.mode == "fail":
            fail(first, "no tile fits", [(first, "asked for here")])
        if self.mode == "bug":
            raise KeyError("lost")
        if self.mode == "interrupt":
            raise KeyboardInterrupt
        if self.mode == "break":
            first.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([], []))
        module.operation.attributes["sample.label"] = ir.StringAttr.get(self.label * self.count)

    def find_fault(self, module: "ir.Module") -> "tuple[ir.Operation, str] | None":
        first: Any = next(iter(module.body.operations), None)
        return (first.operation, "it is marked wrong") if self.mode == "wrong" else None


@register
@dataclass(frozen=True, kw_only=True)
class SampleRead(Pass):
    """Needs the mark."""

    name: ClassVar[str] = "sample-read"
    summary: ClassVar[str] = "read the mark"
    requires: ClassVar[frozenset[str]] = frozenset({"marked"})

    label: str = option("y", help="what to write instead")

    def run(self, module: "ir.Module") -> None:
        module.operation.attributes["sample.read"] = ir.StringAttr.get(self.label)


register_pipeline(
    NamedPipeline(name="sample-both", summary="mark and read", passes=("sample-mark", "canonicalize", "sample-read"))
)


@register
@dataclass(frozen=True, kw_only=True)
class SampleKill(Pass):
    """Says that it runs and sleeps, so that a test can end the process in the middle of a pass."""

    name: ClassVar[str] = "sample-kill"
    summary: ClassVar[str] = "sleep"

    sleep: float = option(0.0, help="seconds")

    def run(self, module: "ir.Module") -> None:
        os.write(1, b"running\n")
        time.sleep(self.sleep)
