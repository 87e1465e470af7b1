# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peaks of matrix instructions of one subgroup: `mma.sync`, `wmma` and `mfma` in registers.

Factors are the same number everywhere, so which lane holds which element does not matter.
"""

from collections.abc import Callable
from dataclasses import dataclass

from microbenchmarks.experiment import Experiment, Run, control, values
from microbenchmarks.kernel_text import Array, CalibrationKernel, lines, listed, output, summed
from microbenchmarks.scale import Scale
from roller_mlir.hal import Instruction
from roller_mlir.hal.atoms import atom_family

_CHAINS, _UNROLLED = 8, 4
_SUBGROUPS = 8
_BLOCKS_PER_UNIT = 2
_LARGEST = {"f16": 1 << 11, "f32": 1 << 24, "i32": 1 << 31, "f64": 1 << 52}
"""Counting by ones is exact up to here."""


@dataclass(frozen=True)
class Operands:
    """Types of an instruction's operands.

    Attributes:
        first: MLIR's type of the rows' factor.
        second: Of the columns'.
        sums: Of the result.
        held: Numbers of the result that a thread has.
        product: The operation, with places for `{a}`, `{b}`, `{c}`.
    """

    first: str
    second: str
    sums: str
    held: int
    product: str


def _mma(one: Instruction) -> Operands | None:
    m, n, k = one.shape
    width = {"f16": 2, "bf16": 2, "tf32": 1, "i8": 4, "f64": 1}.get(one.operand_type)
    if width is None or one.result_type not in _LARGEST:
        return None
    kind = "f32" if one.operand_type == "tf32" else one.operand_type
    first, second = f"vector<{m * k // 32 // width}x{width}x{kind}>", f"vector<{n * k // 32 // width}x{width}x{kind}>"
    sums = f"vector<{m * n // 64}x2x{one.result_type}>"
    form = f"mmaShape = [{m}, {n}, {k}]" + (", tf32Enabled" if one.operand_type == "tf32" else "")
    types = f"({first}, {second}, {sums}) -> {sums}"
    return Operands(first, second, sums, m * n // 32, f"nvgpu.mma.sync({{a}}, {{b}}, {{c}}) {{{{{form}}}}} : {types}")


def _mfma(one: Instruction) -> Operands | None:
    m, n, k = one.shape
    if one.operand_type not in ("f16", "bf16", "f32", "i8", "f64") or one.result_type not in _LARGEST:
        return None
    count = m * k // 64
    factor = one.operand_type if count == 1 else f"vector<{count}x{one.operand_type}>"
    sums = f"vector<{m * n // 64}x{one.result_type}>"
    form = f"amdgpu.mfma {m}x{n}x{k} {{a}} * {{b}} + {{c}} blgp = none : {factor}, {factor}, {sums}"
    return Operands(factor, factor, sums, m * n // 64, form)


def _wmma(one: Instruction) -> Operands | None:
    m, n, k = one.shape
    if one.operand_type != "f16" or one.result_type not in ("f16", "f32"):
        return None
    first, second, third = (
        f'!gpu.mma_matrix<{rows}x{columns}x{kind}, "{role}">'
        for rows, columns, kind, role in ((m, k, "f16", "AOp"), (k, n, "f16", "BOp"), (m, n, one.result_type, "COp"))
    )
    form = f"gpu.subgroup_mma_compute {{a}}, {{b}}, {{c}} : {first}, {second} -> {third}"
    return Operands(first, second, third, m * n // 32, form)


FORMS: dict[str, Callable[[Instruction], Operands | None]] = {"mma": _mma, "mfma": _mfma, "wmma": _wmma}
"""By family: the operands of an instruction."""


def operands_of(one: Instruction) -> Operands | None:
    """Return the operands of an instruction of `FORMS`; None: no experiment for it."""
    return FORMS[one.family](one)


def matrix_experiment(scale: Scale, one: Instruction, name: str, subject: str) -> Experiment:
    """Return the experiment of an instruction of `FORMS`.

    Args:
        scale: How large.
        one: The instruction, which has operands.
        name: Of the experiment.
        subject: See `Probe.subject`.
    """
    operands = operands_of(one)
    assert operands is not None
    m, n, k = one.shape
    lanes = scale.device.subgroup_size
    subgroups = 1 if scale.small else _SUBGROUPS
    opaque = atom_family(one.family).is_opaque
    chains = 4 if operands.held >= 16 or opaque else _CHAINS
    blocks, threads = scale.units * _BLOCKS_PER_UNIT, subgroups * lanes
    flops = 2.0 * m * n * k * chains * _UNROLLED
    cycles = flops * subgroups * _BLOCKS_PER_UNIT / one.flops_per_cycle_per_unit
    x, gain = factor_of(one.result_type, k)
    # The sum of a thread's elements must be exact, too; those of 16 bits are added in 32.
    added = chains if opaque else 1 if one.result_type == "f16" else operands.held * chains
    most = int(_LARGEST[one.result_type] / gain) // _UNROLLED // added - chains
    steps = min(scale.steps_for(cycles), most // 2 * 2)
    summed_in = "f32" if one.result_type == "f16" and not opaque else one.result_type
    body = _body(one, operands, chains)
    shape = (blocks * subgroups, m, n) if opaque else (blocks * threads,)
    numbers: dict[str, int | str] = {"chains": chains, "subgroups": subgroups, "results": shape[0]}
    kernel = CalibrationKernel(
        name="wmma" if opaque else "matrix",
        values=body | numbers,
        arrays=(Array(name="factors", element="f32", shape=(2,)), output("sums", summed_in, *shape)),
        blocks=blocks,
        threads=threads,
    )

    def run(count: int) -> Run:
        ends = chains * (chains - 1) // 2 + chains * count * _UNROLLED * gain
        total = ends * (1 if opaque else operands.held)
        expect = f"constant {int(total) if one.result_type == 'i32' else float(total)}"
        return Run(work=flops * count * blocks * subgroups, fill=(control(count), values(x, x)), expect=(expect,))

    return Experiment(
        name=name, quantity="flops", subject=subject, kernels=(kernel,), long=run(steps), short=run(steps // 2)
    )


def factor_of(result_type: str, length: int) -> tuple[float, float]:
    """Return the number that factors hold, and by how much a product of that length raises a sum.

    Sums of 16 bits are exact up to 2048 only, and must not grow fast.

    >>> factor_of("f32", 16), factor_of("f16", 16)
    ((1.0, 16.0), (0.25, 1.0))
    """
    return (0.25, length / 16) if result_type == "f16" else (1.0, float(length))


def _body(one: Instruction, operands: Operands, chains: int) -> dict[str, int | str]:
    result, third = one.result_type, operands.sums
    factor = "f32" if one.operand_type == "tf32" else one.operand_type
    converted = {"f32": "", "i8": "arith.fptosi", "f64": "arith.extf"}.get(factor, "arith.truncf")
    products: list[str] = []
    for link in range(_UNROLLED):
        before, after = f"t{link}_", f"t{link + 1}_" if link + 1 < _UNROLLED else "r"
        for i in range(chains):
            products.append(f"  %{after}{i} = " + operands.product.format(a="%a", b="%b", c=f"%{before}{i}"))
    made = [f"%{n} = {converted} %{n}0 : f32 to {factor}" if converted else "" for n in "xy"]
    number = "{i}" if result == "i32" else "{i}.0"
    scalar = f"%n{{i}} = arith.constant {number} : {result}\n"
    if atom_family(one.family).is_opaque:
        starts = lines(chains, f"{scalar}%i{{i}} = gpu.subgroup_mma_constant_matrix %n{{i}} : {third}", 0)
        add = f"gpu.subgroup_mma_elementwise addf {{a}}, {{b}} : ({third}, {third}) -> {third}"
        total = summed(chains, "e", add, "sum")
    else:
        starts = lines(chains, f"%i{{i}} = arith.constant dense<{number}> : {third}", 0)
        kind, total, ends = third, "", "e"
        if result == "f16":
            result, kind, ends = "f32", third.replace("f16", "f32"), "f"
            total = lines(chains, f"%f{{i}} = arith.extf %e{{i}} : {third} to {kind}", 0) + "\n"
        add = f"arith.{'addi' if result == 'i32' else 'addf'} {{a}}, {{b}} : {kind}"
        flat = f"vector<{operands.held}x{result}>"
        total += summed(chains, ends, add, "whole")
        total += f"\n%flat = vector.shape_cast %whole : {kind} to {flat}" if flat != kind else ""
        name = "%flat" if flat != kind else "%whole"
        total += f"\n%sum = vector.reduction <add>, {name} : {flat} into {result}"
    return {
        "converted": "\n".join(made),
        "spread": "\n".join(_spread(one, operands, factor, "" if converted else "0")),
        "third": third,
        "result": result,
        "starts": starts,
        "ends": listed(chains, "%e{i}"),
        "begins": listed(chains, "%t0_{i} = %i{i}"),
        "types": listed(chains, third),
        "products": "\n".join(products),
        "yields": listed(chains, "%r{i}"),
        "total": total,
    }


def _spread(one: Instruction, operands: Operands, factor: str, suffix: str) -> list[str]:
    """Return the lines that make factors `%a` and `%b` of the numbers `%x` and `%y`."""
    found: list[str] = []
    for name, number, kind in (("a", "x", operands.first), ("b", "y", operands.second)):
        value = f"%{number}{suffix}"
        if atom_family(one.family).is_opaque:
            found.append(f"%{name} = gpu.subgroup_mma_constant_matrix {value} : {kind}")
        elif kind == factor:
            found.append(f"%{name} = arith.bitcast {value} : {factor} to {factor}")
        else:
            found.append(f"%{name} = vector.broadcast {value} : {factor} to {kind}")
    return found
