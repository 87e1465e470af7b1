# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page docs/evaluation/verification.md from what the verification found."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge import OLDER, judge_section

Row = dict[str, Any]

JUDGE = Path(__file__).parents[1] / "judge" / "results.json"

WITNESS_INDEX = Path(__file__).parents[3] / "test" / "unit" / "sim" / "data" / "witness" / "index.json"

HEAD = """# Verification in the simulator

{date}, {machine}, {jobs} processes. Made by

    python bench/correctness/verification/table.py --date {date} --jobs {jobs}

which does what these do, and writes this page from `bench/correctness/verification/results.json`:

    roller suite roller119 --target v100,a100,h200,mi300x --stage verify --jobs 2
    roller suite roller119 --only matmul,conv2d --dtype f16 --target v100,a100,h200,mi300x --stage verify --jobs 2
    roller suite roller119 --only matmul,conv2d --dtype bf16 --target v100,a100,h200,mi300x --stage verify --jobs 2
    roller suite shapes60 --target v100,a100,h200,mi300x --stage verify --jobs 2

Each operator is planned at full size. The plan that is best by the model is compiled and executed by the simulator, as
our kernels and as the LLVM IR that goes to the vendor's back end: threads in a shuffled order, memory poisoned, every
access checked. Both have to give numpy's result. An operator of more than 2^23 points keeps its plan and gets smaller
extents: along every loop at most two whole tiles and the remainder that it has at full size, of a reduction stages + 2
steps and the residue, windows whole. Extents change by whole tiles, so that vector widths, masks and residues are those
of full size; a hash of the plan, without its prediction and the points of a part, is compared between both. A reduction
that is divided over tasks is two programs, each run so, also where one kernel runs both: the counting between them
is run by operators that keep their size.

*equal*: bit for bit numpy's result on integers. Average pooling multiplies by 1/9 and the like, which rounds; it is
within its bounds. *error*: the largest error on normally distributed numbers, as a share of the element's bound (see
[The judge](#the-judge)). *bytes*: of how many the bytes that the simulator counted, loads and stores of
global and of workgroup memory, are the plan's to the byte. *sectors*, *phases*: counted over planned, of all operators
of the row together, and in parentheses the operator that is furthest from it; sectors are 32 bytes of global memory,
phases passes of the banks of workgroup memory. *instructions*: of how many operators a kernel has instructions of that
family; a second stage that joins partial sums has fma. What tensor copies move and what wgmma reads of workgroup memory
is planned and not counted, so that rows with wgmma show less than 1. Nothing here is a speed.
"""

TYPES = """## Types on matrix units

| factors | result | sums are in | a result differs from the exact one by at most |
|---|---|---|---|
| f16, bf16 | f32 | f32; products of two factors are exact there | 2.8 sqrt(n) 2^-24 |
| f16 | f16 | f32, rounded once to f16 at the end | half a unit in the last place, and the above |
| bf16 | bf16 | f32, rounded once to bf16 at the end | half a unit in the last place, and the above |
| i8 | i32 | i32, which wraps | 0 |
| f32 (CDNA) | f32 | f32 | 2.8 sqrt(n) 2^-24 |
| f32 as tf32, where the user allows it | f32 | f32 | 8 2^-11, and the above |

Shares are of the root mean square of the result, about, for sums of n products of normally distributed numbers.
Whole numbers are exact as long as the types hold factors and sums: f16 up to 2048, bf16 up to 256, tf32 up to 2048, f32
up to 2^24. `test/semantics/matrix/test_matrix_numerics.py` tests each row. What no matrix instruction computes (bf16 on
v100, products of other forms) rounds as its loop nest is written.
"""

GATE = """## What the codegen check compares

`roller compile` holds each kernel that a vendor's compiler made to its plan; what differs is a warning (`--no-gate`
leaves all of it out). The kernel carries the plan as `rtile.plan`, with the tensor expression that it is for; an edited
one is held to what it carries, and to no plan where these attributes are taken away. Before, operands that no device
takes are an error at the operation: widths of shuffles, distances of rows of `wmma` and `ldmatrix`, registers that
warpgroups exchange. Afterwards machine code is read: multiply-adds, matrix instructions, widths of accesses, local
memory, registers, workgroup memory.

Of kernels with `wgmma` the integers of PTX are followed, one thread of each warpgroup through all buffers of the ring,
and what they come to is compared with the plan and with NVIDIA's documents, whose rules stand in a file of their own
that the code generator does not use (`roller_mlir/lowering/backend/checks/hopper/rules.py`):

- Tensor maps: extents, strides (multiples of 16 B), boxes (up to 256, whole 16 B, lines within the span of the
  swizzle) and element strides are what the driver takes; type, extents, strides, element strides and swizzle are those
  of the plan's tensor. Of those that a kernel makes itself, every field that it writes but the address is the
  description's, and each thread that copies by one acquires it before.
- Tensor copies: the bytes that a barrier is told of (`expect_tx`), those of the step's boxes and those of the plan's
  tiles are equal. Boxes begin where the pattern of their swizzle does, arrive at the barrier that expects them and is
  waited at, and fill the plan's tiles. Buffers do not overlap.
- Products: shape, types, signs and transposed factors are the plan's. So is, of each element that a descriptor makes
  the hardware read (swizzle, leading and stride byte offset, base offset, reserved bits), its row or column and its
  place in the reduction. The products of a step are the plan's, each once. The first and the last subgroup of a
  warpgroup have the same descriptors.

Workgroup memory begins, there, at the worst address that its alignment allows, as the true one is known at the launch
only. Which part of a tensor a tile is (coordinates of boxes), phases of barriers and how results get to the memory that
tensor copies write from (`stmatrix`) are not compared: of these the simulator's results tell. Planted mistakes, one
each, are in `test/unit/lowering/backend/checks/test_hopper_codegen_check.py`,
`test/unit/lowering/backend/checks/test_made_maps.py` and `test/unit/lowering/backend/checks/test_operands.py`.
"""

WITNESSES = """## Who says so

The simulator and the code generator come from the same hands. For matrix instructions it was first held to kernels that
others compiled: LLVM IR of {compilers}, executed at the LLVM level and equal to numpy
(`test/unit/sim/data/witness`, made by `bench/peers/witness.py`).

| what | outside witness |
|---|---|
| `mma.sync` f16, bf16, tf32, i8; `ldmatrix`; `cp.async` and its groups | Triton for sm_80, IREE for sm_80 (f16) |
| `wgmma` f16, bf16, tf32, i8 with descriptors of workgroup memory | Triton for sm_90a |
| TMA loads and stores with swizzles, `mbarrier`, `stmatrix` | Triton for sm_90a (f16, boxes of 2 dimensions) |
| MFMA f16, bf16, f32, i8 on gfx942; i8, f32 on gfx90a | Triton, IREE (gfx942) |
| WMMA of sm_70 (`gpu.subgroup_mma_*`) | none; which lane holds which element does not matter, matrices stay whole |
| tensor maps that kernels make: `tensormap.replace`, the fence of their proxy | Triton for sm_90a (bf16) |
| the 128 bytes of a tensor map, boxes of 2 and 4 dimensions, steps; stores by them | an H100 |
| boxes of 3 and 5 dimensions, im2col mode | none until a GPU has run them |
| warp-specialised kernels | an H100 |

What an H100 has run is in [its results](../results/2026-11-27-h100/results.md): `smoke/product/f16`,
`smoke/strided/f16` (a convolution of NHWC in steps of two, of which each box has four dimensions), `smoke/stored`.

Planted mistakes that have to be found, each a test: a missing wait for copies, a wait for one group too few, a missing
barrier, rows written or read without their swizzle, fewer buffers than copies in flight
(`test/semantics/matrix/test_matrix_faults.py`); a missing wait at an `mbarrier`, a wrong phase bit, a wrong stride in a
descriptor (`test/unit/sim/hopper/test_matmul.py`).
"""


def page(results: dict[str, Any]) -> str:
    """Return the page."""
    text = [HEAD.format(**{key: results[key] for key in ("date", "machine", "jobs")})]
    suites = results["suites"]
    if any("unsaid" not in row for rows in suites.values() for row in rows if "error" not in row):
        text += [OLDER.format(date=results["date"])]
    for name, title, by in (
        ("roller119", "The 119 operators of ROLLER, f32", "class"),
        ("f16", "Their matmuls and convolutions in f16, sums and results in f32", "class"),
        ("bf16", "Their matmuls and convolutions in bf16, sums and results in f32", "class"),
        ("shapes60", "60 awkward shapes, as they are", "dtype"),
    ):
        rows: list[Row] = suites[name]
        text += [f"## {title}", "", _sentence(rows, results["seconds"][name]), "", *_table(rows, by), ""]
        text += _refused(rows)
    text += [judge_section(json.loads(JUDGE.read_text())), TYPES, GATE, WITNESSES.format(compilers=_compilers())]
    return "\n".join(text).rstrip() + "\n"


def _sentence(rows: Sequence[Row], seconds: float) -> str:
    good = [row for row in rows if "error" not in row]
    wrong = [f"{row['id']} on {row['target']}" for row in good if not row["matches"]]
    verdict = f"{len(wrong)} do not match numpy: {', '.join(wrong)}" if wrong else "all match numpy"
    reduced = [f"{row['id']} on {row['target']}" for row in good if row["reduced"]]
    whole = sum(not row["shrunk"] for row in good)
    return (
        f"{len(rows)} plans in {seconds / 60:.0f} minutes, {len(rows) - len(good)} refused, {verdict}. "
        f"{whole} ran as they are. Fewer than two whole tiles: {', '.join(reduced) or 'none'}."
    )


def _table(rows: Sequence[Row], by: str) -> list[str]:
    lines = [
        f"| {by} | target | instructions | operators | equal | within bounds | error | bytes | sectors | phases |",
        "|---|---|---|---:|---:|---:|---:|---:|---|---|",
    ]
    groups = list(dict.fromkeys(row[by] for row in rows if by in row))
    for group in groups:
        for target in dict.fromkeys(row["target"] for row in rows):
            found = [row for row in rows if row.get(by) == group and row["target"] == target and "error" not in row]
            if found:
                lines.append(_line(group, target, found))
    return lines


def _line(group: str, target: str, rows: Sequence[Row]) -> str:
    equal = sum(row["equal"] for row in rows)
    near = sum(row["matches"] and not row["equal"] for row in rows)
    exact = sum(row["bytes_exact"] for row in rows)
    error = max(row["error_share"] for row in rows)
    cells = [
        group,
        target,
        _instructions(rows),
        str(len(rows)),
        str(equal),
        str(near),
        f"{error:.2f}",
        f"{exact} of {len(rows)}",
    ]
    return f"| {' | '.join([*cells, _ratio(rows, 'sectors'), _ratio(rows, 'phases')])} |"


def _instructions(rows: Sequence[Row]) -> str:
    """Return how many operators have kernels of each family; of all of them where there is no number."""
    count = Counter(family for row in rows for family in row["instructions"])
    every = [family for family, number in count.items() if number == len(rows)]
    if len(count) == 1 and every:
        return every[0]
    return ", ".join(f"{family} {number}" for family, number in count.most_common())


def _compilers() -> str:
    """Return which compilers made the witnesses, with versions."""
    index: dict[str, Row] = json.loads(WITNESS_INDEX.read_text())
    return " and ".join(sorted({f"{entry['compiler']} {entry['version']}" for entry in index.values()}, reverse=True))


def _ratio(rows: Sequence[Row], unit: str) -> str:
    counted, planned = (sum(row["moved"][unit][i] for row in rows) for i in (0, 1))
    if not counted:
        return "-"
    together = counted / max(1, planned)
    worst = max(rows, key=lambda row: max(row[unit], 1 / row[unit]) if row[unit] else float("inf"))
    return f"{together:.3f} ({worst[unit]:.2f} {worst['id']})"


def _refused(rows: Sequence[Row]) -> list[str]:
    refused = [f"- {row['id']} on {row['target']}: {row['error']}" for row in rows if "error" in row]
    return ["Refused:", "", *refused, ""] if refused else []
