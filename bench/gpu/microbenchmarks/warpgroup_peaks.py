# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peaks of `wgmma`: products of warpgroups, both factors in workgroup memory, 256 columns wide.

Tiles are as kernels have them (128-byte lines, swizzled), but hold one number everywhere.
"""

from microbenchmarks.experiment import Experiment, Run, control, values
from microbenchmarks.kernel_text import Array, CalibrationKernel, lines, listed, output, summed
from microbenchmarks.scale import Scale
from roller_mlir.hal import Instruction
from roller_mlir.lowering.codegen.builder.inline_assembly import BY_NAME

_UNROLLED = 4
_WARPGROUPS, _THREADS = 2, 128
_LINE_BYTES = 128
_FORM = 1 << 62 | (1024 // 16) << 32 | 1 << 16
"""Descriptor: swizzle of 128 bytes, groups of eight lines 1024 bytes apart."""

FACTORS = {
    "f16": ("f16", "f32", 0x3C003C00),
    "bf16": ("bf16", "f32", 0x3F803F80),
    "tf32": ("tf32", "f32", 0x3F800000),
    "i8": ("s8", "s32", 0x01010101),
}
"""By factor: what the instruction calls the types of factors and of the sum, and 32 bits of ones."""


def warpgroup_experiment(scale: Scale, one: Instruction, name: str, subject: str) -> Experiment | None:
    """Return the experiment of an instruction of family "wgmma"; None: no kernel for its types.

    Args:
        scale: How large.
        one: The instruction.
        name: Of the experiment.
        subject: See `Probe.subject`.
    """
    factor, total, pattern = FACTORS[one.operand_type]
    result = "i32" if total == "s32" else "f32"
    if one.result_type != result:
        return None
    m, n, k = one.max_shape
    held = m * n // _THREADS
    groups = 1 if scale.small else _WARPGROUPS
    blocks, threads = scale.units, groups * _THREADS
    words = (m + n) * _LINE_BYTES // 4 + 256
    flops = 2.0 * m * n * k * _UNROLLED
    steps = scale.steps_for(flops * groups / one.flops_per_cycle_per_unit)
    body = _body(factor, total, (m, n, k), result, held)
    kernel = CalibrationKernel(
        name="warpgroup",
        values={**body, "unrolled": _UNROLLED, "words": words, "results": blocks * threads, "form": _FORM}
        | {"second_place": m * _LINE_BYTES // 16},
        arrays=(Array(name="pattern", element="i32", shape=(1,)), output("sums", result, blocks * threads)),
        blocks=blocks,
        threads=threads,
        kept=Array(name="tiles", element="i32", shape=(words,)),
    )

    def run(count: int) -> Run:
        sum_of_thread = count * _UNROLLED * k * held
        expect = f"constant {sum_of_thread if result == 'i32' else float(sum_of_thread)}"
        return Run(work=flops * count * blocks * groups, fill=(control(count), values(pattern)), expect=(expect,))

    return Experiment(
        name=name, quantity="flops", subject=subject, kernels=(kernel,), long=run(steps), short=run(steps // 2)
    )


def _body(factor: str, total: str, shape: tuple[int, int, int], result: str, held: int) -> dict[str, int | str]:
    m, n, k = shape
    struct = f"!llvm.struct<({listed(held, result)})>"
    form = (
        f"<m = {m}, n = {n}, k = {k}>, D[<{total}>, <one>], A[<{factor}>, <one>, <row>], B[<{factor}>, <one>, <col>]"
        f" : {struct} -> {struct}"
    )
    step = _LINE_BYTES // _UNROLLED // 16
    descriptors: list[str] = []
    for number in range(_UNROLLED):
        descriptors.append(f"%d{number} = arith.constant {number * step} : i64")
        for side in "01":
            descriptors.append(f"%q{side}{number} = arith.addi %place{side}, %d{number} : i64")
            descriptors.append(f"%p{side}{number} = arith.ori %q{side}{number}, %form : i64")
    wait = BY_NAME["wgmma_wait_all"]
    template = wait.template.replace('"', "\\22")
    constraints = wait.constraints_of([result] * held)
    waited = (
        f'%waited = llvm.inline_asm has_side_effects asm_dialect = att "{template}", "{constraints}" '
        f"{listed(held, '%a{i}')} : ({listed(held, result)}) -> {struct}"
    )
    after = lines(held, f"%w{{i}} = llvm.extractvalue %waited[{{i}}] : {struct}", 0)
    add = f"arith.{'addi' if result == 'i32' else 'addf'} {{a}}, {{b}} : {result}"
    return {
        "struct": struct,
        "result": result,
        "descriptors": "\n".join(descriptors),
        "products": lines(_UNROLLED, f"%t{{j}} = nvvm.wgmma.mma_async %p0{{i}}, %p1{{i}}, %t{{i}}, {form}"),
        "elements": lines(held, f"%a{{i}} = llvm.extractvalue %end[{{i}}] : {struct}", 0),
        "waited": waited + "\n" + after,
        "total": summed(held, "w", add, "sum"),
    }
