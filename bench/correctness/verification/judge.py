# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The section of docs/evaluation/verification.md that says how results are judged, with what `judge` found."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

OLDER = """The figures of *error* below are of {date}, as shares of the tolerance of that time, 4 epsilon (8 + sqrt(n))
times the larger of the element and the root mean square of the result; they are to be made anew with the
bounds of [The judge](#the-judge).
"""

_HOW = """## The judge

`roller run --check`, the suites, the fuzzer, the tests and the kits for machines with a device judge by one bound, an
own one for each element. The reference is computed in f64, integers exactly. Beside each value it carries how far a
right program may be from it (running error analysis, `roller_mlir/evaluation/reference/bounds`).

*Where nothing rounds, results must be equal*: integers, floats that are moved or selected, and whole numbers within
what a type holds. An addition, product, quotient or square root of equal operands is rounded to the nearest number by
every target, so it must be equal too; only a product that a sum uses may keep its digits, because the two may be
contracted. Functions are off by what their makers state ([math.md](../reference/math.md)).

*Sums* may be in any order. With u = 2^-p for p binary digits, an addition errs by at most u times the partial sum
that it gives. Such errors have no common sign: n of them stay below 4 u sqrt(s1^2 + ... + sn^2), s the partial sums,
for 10^9 elements (Hoeffding; Higham and Mary 2019). The partial sums are those that an order has which knows nothing
of the terms, n (S^2 / 3 + (t1^2 + ... + tn^2) / 6) for the sum of their squares, or, of data with a structure, what
the sums of 8 parts of the loop allow, whichever is more; and never more than the certain bound n u (|t1| + ... + |tn|
+ |S|) / 2. Where all terms are multiples of q and their magnitudes add up to at most 2^p q, the bound is 0. An order
that gathers terms of one sign which alternate in memory can have larger partial sums than these; no kernel of ours
does.

*The type of the sums is that of the plan* (`roller_mlir/plan/accuracy/accumulation.py`): kernels of matrix instructions
sum products of f16 and bf16 in f32 and round once, those of f32 on NVIDIA cut factors to tf32, a divided reduction
rounds each part to the type of the result, and all others do what the body says. An operation may be that of any
kernel that executes enough operations; of several, the coarsest counts. Of results from elsewhere nothing is known:
sums in the type of the result, in one part, are permitted. On devices, matrix instructions also cut digits off
instead of rounding.

*Errors of operands* go through each operation at the ends of their intervals, so that jumps are seen: where a
comparison may go either way, the bound is the distance of both branches. The errors of many factors of a sum add up
as independent ones do, beside a part that all have alike (a mean that was subtracted from all) and a share that all
have alike (a norm that each was divided by). An operation without a rule is an error of the reference. NaN and
infinities must be where the reference has them.

A bound that is as large as the result, or infinite, says nothing of an element: such elements are counted, and named
beside the verdict.

{date}, {rounds} rounds on other numbers each, {minutes} minutes on one core, by

    python bench/correctness/judge/table.py --date {date} --rounds {rounds}

which emulates kernels in numpy: products of 16 x K times K x 24 with a bias, K of 16, 64, 256, 1024 and 4096, summed
in turn, backwards, in pairs, in lanes, in blocks, shuffled; and three functions in f32. Mutants leave out, add twice
or subtract one of the K terms in 8 x 8 results, subtract the bias there, swap two rows there, change one element by
20 bounds (by one, where it must be equal), or store zeros. Random numbers are normally distributed; whole numbers are
such that nothing rounds.
"""


def judge_section(found: dict[str, Any]) -> str:
    """Return the section.

    Args:
        found: What bench/correctness/judge/table.py wrote.
    """
    kernels, functions = found["kernels"], found["functions"]
    right = kernels["right"] + functions["right"]
    rejected = len(kernels["rejected"]) + len(functions["rejected"])
    head = _HOW.format(date=found["date"], rounds=found["rounds"], minutes=max(1, round(found["seconds"] / 60)))
    return "\n".join(
        [
            head,
            f"{right:,} right programs: {rejected} rejected.",
            "",
            "| sums of products | largest error of a right one, of its bound | mutants found, whole numbers "
            "| random, K to 256 | K = 1024 | K = 4096 |",
            "|---|---:|---:|---:|---:|---:|",
            *(_line(name, share, kernels["mutants"]) for name, share in kernels["worst"].items()),
            "",
            "Partial sums in f16 or bf16, as plain cores make them for a body that says so, err by more than one of",
            "many terms: of random numbers no judge can find a dropped one, of whole numbers this one does.",
            "",
            "| mutant, not of sums in f16 or bf16 | found, whole numbers | random |",
            "|---|---:|---:|",
            *_by_mutant(kernels["mutants"]),
            "",
            "| function, f32 | largest error of a right one, of its bound | mutants found |",
            "|---|---:|---:|",
            *(
                f"| {name} | {share:.2f} | {_share([row for row in functions['mutants'] if row[0] == name])} |"
                for name, share in functions["worst"].items()
            ),
            "",
            "Mutants of kernels' IR, in the simulator, are in `test/semantics/matrix/test_matrix_faults.py`: each is",
            "found on whole and on random numbers.",
            "",
        ]
    )


def _line(name: str, share: float, rows: Sequence[Any]) -> str:
    own = [row for row in rows if row[0] == name]
    random = [row for row in own if row[1] == "random"]
    cells = [
        _share([row for row in own if row[1] == "whole"]),
        _share([row for row in random if row[2] <= 256]),
        _share([row for row in random if row[2] == 1024]),
        _share([row for row in random if row[2] == 4096]),
    ]
    return f"| {name} | {share:.2f} | {' | '.join(cells)} |"


def _by_mutant(rows: Sequence[Any]) -> list[str]:
    groups: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        if row[0] not in ("f16, sums f16", "bf16, sums bf16"):
            groups[row[3]].append(row)
    return [
        f"| {name} | {_share([row for row in own if row[1] == 'whole'])} "
        f"| {_share([row for row in own if row[1] == 'random'])} |"
        for name, own in groups.items()
    ]


def _share(rows: Sequence[Any]) -> str:
    found, tried = sum(row[4] for row in rows), sum(row[5] for row in rows)
    return f"{found} of {tried}" if tried else "-"
