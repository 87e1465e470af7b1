# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peaks of instructions that multiply and add in registers: chains that depend on nothing but themselves.

All numbers are small and equal, so that sums are exact and nearly no bits toggle: a chip whose clock falls under load
keeps it up here longer than with random numbers.
"""

from collections.abc import Iterator

from microbenchmarks.experiment import Experiment, Run, control, values
from microbenchmarks.kernel_text import Array, CalibrationKernel, lines, listed, output, summed
from microbenchmarks.matrix_peaks import FORMS, matrix_experiment, operands_of
from microbenchmarks.scale import Scale
from microbenchmarks.warpgroup_peaks import FACTORS, warpgroup_experiment
from roller_mlir.evaluation.measure.calibration.constants import subject_of
from roller_mlir.hal import Instruction
from roller_mlir.hal.atoms import atom_family

_THREADS, _BLOCKS_PER_UNIT, _CHAINS = 512, 2, 8
_LARGEST = {"f32": 1 << 24, "f64": 1 << 52}
"""Counting by ones is exact up to here."""


def peaks(scale: Scale) -> Iterator[Experiment]:
    """Yield the experiments of a device."""
    for one in scale.device.instructions:
        made = peak(scale, one)
        if made is not None:
            yield made


def peak(scale: Scale, one: Instruction) -> Experiment | None:
    """Return the experiment of an instruction; None: there is none for it."""
    subject = subject_of(one)
    name = "peak/" + subject.replace(" ", "/")
    if not one.is_matrix:
        if one.operand_type != one.result_type or one.operand_type not in ("f16", "f32", "f64"):
            return None
        return _multiply_add(scale, one, name, subject)
    if atom_family(one.family).reads_memory:
        return warpgroup_experiment(scale, one, name, subject) if one.operand_type in FACTORS else None
    if one.family not in FORMS or operands_of(one) is None:
        return None
    return matrix_experiment(scale, one, name, subject)


def _multiply_add(scale: Scale, one: Instruction, name: str, subject: str) -> Experiment:
    scalar = one.operand_type
    lanes = atom_family(one.family).points
    packed = lanes > 1
    # Numbers of 16 bits cannot count far: their chains alternate between t and 1 - t, an odd number of times.
    x, y, unrolled = (-1.0, 1.0, 7) if scalar == "f16" else (1.0, 1.0, 8)
    threads = 2 * scale.device.subgroup_size if scale.small else _THREADS
    blocks = scale.units * _BLOCKS_PER_UNIT
    cycles = threads * _BLOCKS_PER_UNIT * _CHAINS * unrolled * lanes * 2 / one.flops_per_cycle_per_unit
    steps = min(scale.steps_for(cycles), _LARGEST.get(scalar, 1 << 30) // _CHAINS // unrolled // 2)

    kernel = CalibrationKernel(
        name="multiply_add",
        values=_body(scalar, unrolled, packed=packed) | {"results": blocks * threads},
        arrays=(Array(name="factors", element=scalar, shape=(2,)), output("sums", scalar, blocks * threads)),
        blocks=blocks,
        threads=threads,
    )

    def run(count: int) -> Run:
        links = count * unrolled
        ends = [1 - start if x < 0 and links % 2 else start + (links if x > 0 else 0) for start in range(_CHAINS)]
        flops = 2.0 * lanes * _CHAINS * links * blocks * threads
        return Run(work=flops, fill=(control(count), values(x, y)), expect=(f"constant {float(sum(ends) * lanes)}",))

    odd = 1 if x < 0 else 0
    return Experiment(
        name=name,
        quantity="flops",
        subject=subject,
        kernels=(kernel,),
        long=run(steps | odd),
        short=run(steps // 2 | odd),
    )


def _body(scalar: str, unrolled: int, *, packed: bool) -> dict[str, int | str]:
    kind = f"vector<2x{scalar}>" if packed else scalar
    x, y = ("%xs", "%ys") if packed else ("%x", "%y")
    links: list[str] = []
    for link in range(unrolled):
        before, after = f"t{link}_", f"t{link + 1}_" if link + 1 < unrolled else "r"
        links.append(lines(_CHAINS, f"%{after}{{i}} = math.fma %{before}{{i}}, {x}, {y} : {kind}"))
    spread = [f"%{name}s = vector.broadcast %{name} : {scalar} to {kind}" for name in "xy"]
    total = summed(_CHAINS, "e", f"arith.addf {{a}}, {{b}} : {kind}", "whole" if packed else "sum")
    if packed:
        total += f"\n%sum = vector.reduction <add>, %whole : {kind} into {scalar}"
    return {
        "type": kind,
        "scalar": scalar,
        "chains": _CHAINS,
        "unrolled": unrolled,
        "spread": "\n".join(spread) if packed else "",
        "starts": lines(_CHAINS, f"%i{{i}} = arith.constant {'dense<{i}.0>' if packed else '{i}.0'} : {kind}", 0),
        "ends": listed(_CHAINS, "%e{i}"),
        "begins": listed(_CHAINS, "%t0_{i} = %i{i}"),
        "types": listed(_CHAINS, kind),
        "links": "\n".join(links),
        "yields": listed(_CHAINS, "%r{i}"),
        "total": total,
    }
