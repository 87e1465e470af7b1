# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task of a persistent kernel costs beside its work, and what it costs to hand a result to the next one.

A chain of tiny tasks, each of which adds 1 to what the one before gave: all in one block, or in two blocks in turns. Of
tasks that wait for nobody, all in one block, the time is the walk over records alone. The time of short chains is
subtracted, and with it that of the launch.
"""

from microbenchmarks.scale import Scale
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.records import Probe
from roller_mlir.runtime import Artifact

ELEMENTS = 64
LONG, SHORT, SMALL = 514, 2, 10
"""Tasks, and those of what is subtracted; in dry runs."""


def tasks(scale: Scale, options: CompileOptions | None = None) -> list[tuple[Probe, Artifact]]:
    """Return the probes with their kernels, each behind its baseline; none where blocks cannot wait for each other.

    Args:
        scale: How large.
        options: How to compile.
    """
    found: list[tuple[Probe, Artifact]] = []
    for name, quantity, subject, blocks in (
        ("hand-over/inside", "hand-over", "inside a block", 1),
        ("hand-over/between", "hand-over", "between blocks", 2),
        ("task", "task", "of one block", 1),
    ):
        baseline = ""
        for count in (SHORT, SMALL if scale.small else LONG) if scale.has_grid_barrier else ():
            probe = Probe(
                name=f"{name}/{count}",
                quantity=quantity,
                subject=subject,
                artifact=f"probes/{name}/{count}",
                work=count,
                baseline=baseline,
                fill=("zero",),
                expect=(f"constant {1 if quantity == 'task' else count}",),
            )
            text = added(count * ELEMENTS, 1) if quantity == "task" else added(ELEMENTS, count)
            found.append((probe, _compiled(text, scale, options or CompileOptions(), blocks)))
            baseline = probe.name
    return found


def _compiled(text: str, scale: Scale, options: CompileOptions, blocks: int) -> Artifact:
    given = CompileOptions(
        persistent=True,
        policy="round-robin",
        blocks=blocks,
        block_threads=ELEMENTS,
        tile_sizes=(ELEMENTS,),
        fusion=False,
        binaries=options.binaries,
        gate=options.gate,
    )
    return compile_source(Source("-", text), scale.device.name, given)


def added(elements: int, times: int) -> str:
    """Return a function that adds 1 to each element so many times, by an operator each."""
    kind, identity = f"tensor<{elements}xi32>", "affine_map<(d0) -> (d0)>"
    body = "  %one = arith.constant 1 : i32\n"
    for n in range(times):
        body += f"""  %e{n} = tensor.empty() : {kind}
  %x{n + 1} = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = ["parallel"]}}
    ins(%x{n} : {kind}) outs(%e{n} : {kind}) {{
  ^bb0(%a: i32, %o: i32):
    %b = arith.addi %a, %one : i32
    linalg.yield %b : i32
  }} -> {kind}
"""
    return f"func.func @added(%x0: {kind}) -> {kind} {{\n{body}  return %x{times} : {kind}\n}}"
