# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/method/construction.md: the text for users, and the tables of `results.json`."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from roller_mlir.model import ConstructOptions

TEXT = """# Construction

For each operator the compiler constructs up to a few hundred candidate programs from the operator's indexing maps and
the device's data, predicts each one's time, and keeps the best: nothing is compiled or measured on the way. This page
says what the rules are, and how long it takes; `roller explain FILE.mlir --target h200` shows all of it for an
operator of yours. **Times called "predicted" are the model's expectations, not measurements.** Construction times are
measured.

## From an operator to its programs

1. The operator is read as loops and affine accesses; no rule looks at its name. Loops that every tensor walks
   together are fused into one (ROLLER section 3.2), so a relu of any rank is one loop.
2. The instruction follows from the element types and the device's list: FMA, packed FMA, or a matrix instruction,
   whose shape then is part of the alignment.
3. Where data is reused, a tile grows from its smallest aligned size, first in one thread's registers, then in
   workgroup memory (Figure 8). Of the axes that can grow, the one with the best reuse score is taken first: traffic
   saved over memory added, (Q(T) - Q(T')) / (F(T') - F(T)). A layer is left when nothing larger fits or when it feeds
   the tile as quickly as it is computed. Where nothing is reused, tiles are made for the top layer only.
4. Sizes are aligned: every rule has to allow them.

   | rule (`--disabled-rule`) | allows |
   |---|---|
   | `execution-unit` | tasks of whole subgroups (warps, wavefronts), tiles of whole matrix instructions |
   | `memory-transaction` | rows of a tile that are whole transactions, or the whole row of the tensor |
   | `tensor-shape` | sizes that pad an axis by at most a share epsilon of it |
   | `memory-bank` | decides layouts: rows padded to the fewest bank phases, no more than by the paper's formula |

   Epsilon begins at {epsilon} and grows until there are K programs. Small operators, whose tiles would leave units
   idle, shrink along the axis of least reuse score.
5. Candidates are ranked by predicted time and the first K are returned. The model takes time per layer (global
   memory, last cache, workgroup memory, issue of instructions, latency), the slowest of which limits: it is
   "saturated".

Beyond the paper: the best candidates are refined, step by step along the predicted time, where a thread's tile may
also be a divisor of an axis, or an axis of 17 to 24 points as it is; a reduction is divided over tasks where too few
tasks would be left otherwise, its second stage in the same plan; the order of tasks over the units (raster) is
chosen for reuse in the last cache; and candidates are collected up to a budget before they are ranked, where the
paper stops at the first K.

Who joins the parts of a divided reduction is a choice of the plan (`split.joined`). A second kernel costs a launch, and
all units share its work. Or the parts are joined where they are made: each block adds 1 to a counter of its tile behind
a release fence, and the block that finds all others counted reads the parts in their order, adds them and stores the
tile. That costs the way to the last cache three times, and one block alone joins a tile, so that it pays where tiles
are small and parts few. Sums are the same whichever block ends last; no block waits for another. The counters lie in
the function's state and are 0 between launches, so that calls of one loaded program follow each other, whatever streams
they are given to. What goes on with the sums (bias, activation, residual, conversion) is computed by who joins the
parts, a second kernel or that block, with the loops of the output. A plan with joined parts is taken where it promises
5 % of any other plan's time or more. `--no-join` rules it out. In a persistent kernel tasks of their own join parts, on
CPUs a second kernel does.

What is not built: a last round of tasks that all units share, as stream-K has it, or one whose reductions are divided.
Tiles of 96, 160 or 224 columns fill rounds, and reductions are divided where there are few tasks, so that less is left
to gain than a last round seems to waste. `python bench/compiling/construction/last_round.py h200 a100 v100 mi300x`
plans the suite once more by a model to which a last round takes its share of one, whatever it costs to join the parts.
So much shorter could first choices become at most, by prediction:

| device | type | operators | shorter, geometric mean | by more than 5 % | the most |
|---|---|--:|--:|--:|---|
| h200 | f32 | 119 | 1.017 | 11 | C26 1.16, C6 1.14, D0 1.11, C38 1.10, C4 1.09 |
| h200 | f16 | 51 | 1.007 | 1 | C40 1.05, C31 1.03, M6 1.03, C30 1.03, C39 1.03 |
| a100 | f32 | 119 | 1.009 | 3 | P12 1.15, P10 1.14, C11 1.05, C2 1.05, C26 1.05 |
| a100 | f16 | 51 | 1.029 | 9 | C6 1.23, C10 1.21, C29 1.20, M1 1.16, C39 1.12 |
| v100 | f32 | 119 | 1.007 | 5 | C26 1.08, C31 1.08, C4 1.07, C2 1.07, C11 1.07 |
| v100 | f16 | 51 | 1.011 | 3 | C26 1.10, C7 1.07, C6 1.07, C10 1.04, C39 1.04 |
| mi300x | f32 | 119 | 1.008 | 4 | D17 1.16, M2 1.09, M1 1.09, C26 1.05, C20 1.05 |
| mi300x | f16 | 51 | 1.028 | 7 | C38 1.23, C0 1.23, C30 1.15, C29 1.13, C26 1.10 |

How results leave is a choice of the plan, too (`store`). "synchronous": each thread stores what it holds. Where its
neighbours' results lie in other rows of the tensor, each store of a subgroup touches a line of the cache for every
lane, and the cache serves requests, one a line, not bytes: it is occupied for half a line by each at least, and for
twice as long by a store as by a load (`model/cost/task/stores.py`). "staged": threads write their results to workgroup
memory, in the place of the operands' tiles, which nobody reads any more; behind a barrier all threads store them along
the tensor's rows, in vectors where these are aligned. A tile that does not fit takes several passes, rows are padded
where that saves phases of the banks (`mapping/layout/staged_store.py`). Products by `wgmma`, whose operands' buffers
are never free, have 16 KiB for it. "tensor": `wgmma`'s results of 16 bits by tensor copies. A plan is staged where the
model promises 3 % or more; where it considers that, it searches a second time without, and takes the better plan.
`--no-staged-stores` (`staged-stores`) rules it out. Programs of persistent kernels of several operators, groups that
walk their rows in steps, the second stage in a kernel that joins parts, and CPUs store directly.

Threads that split a reduction all hold its results once they have joined them, a vector of neighbouring points each.
What follows point by point, such as the gates of a recurrent cell or a bias and an activation, each of them would then
compute for the whole vector alike. Where partial results pass workgroup memory anyway, it is spread (`spread` in a
plan, `mapping/layout/spread.py`): a thread takes one point of the vector, reads the partial results of that point
alone, and loads, computes and stores what belongs to it. Of a cell of 256 units by 256 threads that is a quarter of
the epilogue's instructions. Rows that a task walks in steps, staged stores, and results that subgroups join among
themselves stay as they are.

The prediction counts what follows a reduction in one way, whether one op reduces or several do
(`model/cost/task/tail.py`, `model/cost/task/epilogue.py`): the operations and loads of a point, functions as several,
for as many points as a thread has, spread or not; the exchanges of partial results that the code makes, one for all
sums that wait for the same reader; and the longest chain of operations each of which needs the result before it, at 4
cycles each (`dependent_cycles`), where threads have less than that to issue. A cell of LSTM-TC on an H200 issues 209
instructions behind its sums by that, and 8 loads of partial results; its PTX has 234. By the same count such a cell
without spreading, and with an exchange for each of its four sums, takes 2.1 us, where an H100 took 2.3 with such code.
These are not counted: the wait in front of each function of a unit of its own, such as `ex2`, beyond the cycles that it
occupies the unit; paths of divisions and roots for exceptions; the cost of a function beyond what `body_operations.py`
says of it, which is less than its PTX has (`exp` and `tanh`: 9 and 16 cycles); what rows that a task holds compute
between their sums (a variance's root), and how often a softmax or a normalization joins its rows.

The budget is a compromise with time. Ten times as much of it lowers the predicted times of the 119 operators on v100
and h200 by 1.8 % in the geometric mean (four times the construction time); single convolutions and depthwise
convolutions differ more, some in the other direction, because candidates are ranked before their layouts are decided.
"""

MADE = """## What it takes, and what it gives

`python bench/compiling/construction/table.py --date {date}` wrote these tables, {date}:
{machine}, pinned to one core. Operators are the {count} of
[`bench/suites/roller119`](../../bench/suites/roller119/README.md), K = {top_k}. Times are of the construction alone,
from the tensor expression to K plans; reading the operator from its text comes before. They are medians of {repeat}
sweeps for each device with a table by class, and of one sweep for the others; what the construction remembers between
operators is cleared before each sweep. "CPU" is the time of the process, "wall" that of the clock: other work on the
machine shows in the second.
"""

UTILISATION = """### How close the first choices are to the device's limits

The paper's Table 2 counts operators by the utilisation of the saturated layer, measured on a V100: 5 % of them at 60
to 70 %, 11 % at 70 to 80 %, 18 % at 80 to 90 %, 66 % above 90 %. From the model, without a measurement, there are two
such figures. The first is the share of the predicted time that the saturated layer would need alone; the rest is
launch and what the other layers do not hide. The model charges that by formula, so the figure says how much of a
program is one limit. The second is stricter: the time that the device's peak arithmetic or its memory bandwidth would
need for the operator, each tensor moved once, over the predicted time. Cells are operators.
"""

SCALING = """### Size does not matter

ROLLER section 5.1, Figure 14: construction time over the size of a matmul (M rows, N = 4096, K = 1024) and of a 1x1
convolution of stride 2 by batch. CPU milliseconds, medians of {repeat} interleaved repeats, everything remembered
cleared before each; the last column is the slowest over the fastest.
"""

ABLATION = """## What each alignment rule is worth

The paper's Table 3 switches the rules on one by one and finds 1.42x, 1.88x, 1.92x and 1.94x over no rule at all, in
measured time. The same by prediction, geometric means of the predicted time without rules over that with them, the
first choice of each construction:
"""

WHY = """
{streams}
The figures differ from the paper's, and for most classes are smaller, because rules are not all that chooses here:
without them the construction meets more shapes, aligned ones among them, and the ranking by predicted time, which
counts transactions, bank phases and idle lanes, finds good tiles among these. The paper's artifact takes the first
tiles that its search meets, whose quality is that of the rules. A figure below 1 says that the rules keep a tile out
that the model likes better, or that a budget of candidates is spent elsewhere. Programs that stream (element-wise
operators, reductions) are built of whole vectors and subgroups with or without the rules.

What a rule does to a kernel can be counted. Small operators of odd sizes, compiled with each setting and executed in
the simulator (`roller run --count --disabled-rule ...`); sectors are 32-byte transactions of global loads and stores,
phases are passes through workgroup memory. Each setting chooses its own tile, by predicted time and not by these
counts, so that a count may rise where another one or the number of tasks pays for it.
"""


STREAMS = """
A class that gains several times ({kinds}) has operators for which the search
without rules finds no tile with reuse: what is left are programs that stream.
"""


def page(results: dict[str, Any]) -> str:
    """Return the page of `results.json`."""
    facts = results["made"]
    parts = [
        TEXT.format(epsilon=ConstructOptions().epsilon),
        MADE.format(**facts),
        devices_table(results["sweeps"]),
        *refusals(results["sweeps"]),
        "",
    ]
    for device in facts["by_class"]:
        parts += [f"### By class on {device}\n", class_table(results["sweeps"][device]), ""]
    parts += [UTILISATION, utilisation_table(results["sweeps"], facts["by_class"]), ""]
    parts += [SCALING.format(repeat=facts["size_repeat"]), *scaling_tables(results["scaling"])]
    parts += [ABLATION, "\n\n".join(gain_table(device, found) for device, found in results["gains"].items())]
    parts += [WHY.format(streams=streams(results["gains"]))]
    parts += [*(counted_table(device, found) for device, found in results["counted"].items())]
    return "\n".join(parts).rstrip("\n") + "\n"


def devices_table(sweeps: dict[str, Any]) -> str:
    header = (
        "device",
        "operators",
        "programs, least",
        "CPU median",
        "CPU worst",
        "wall worst",
        "suite CPU",
        "suite wall",
    )
    rows: list[Sequence[str]] = []
    for device, sweep in sweeps.items():
        good = [one for one in sweep["operators"].values() if "error" not in one]
        refused = len(sweep["operators"]) - len(good)
        rows.append(
            (
                device,
                f"{len(good)}" + (f" ({refused} refused)" if refused else ""),
                str(min(one["programs"] for one in good)),
                milliseconds(median(one["cpu_s"] for one in good)),
                worst(sweep["operators"], "cpu_s"),
                worst(sweep["operators"], "wall_s"),
                f"{sweep['cpu_s']:.2f} s",
                f"{sweep['wall_s']:.2f} s",
            )
        )
    return table(header, rows, left=1)


def refusals(sweeps: dict[str, Any]) -> list[str]:
    """Return a line per operator that no program was found for."""
    found = [
        f"- {name} on {device}: {one['error']}"
        for device, sweep in sweeps.items()
        for name, one in sweep["operators"].items()
        if "error" in one
    ]
    return ["\nRefused:\n", *found] if found else []


def class_table(sweep: dict[str, Any]) -> str:
    layers = sorted({one["saturated"] for one in sweep["operators"].values() if "error" not in one})
    header = ("class", "operators", "programs, least", "CPU median", "CPU worst", *(f"limit {one}" for one in layers))
    rows: list[Sequence[str]] = []
    kinds = list(dict.fromkeys(one["class"] for one in sweep["operators"].values()))
    for kind in (*kinds, "all"):
        good = {
            name: one
            for name, one in sweep["operators"].items()
            if kind in (one["class"], "all") and "error" not in one
        }
        if not good:
            continue
        shares = [sum(one["saturated"] == layer for one in good.values()) / len(good) for layer in layers]
        rows.append(
            (
                kind,
                str(len(good)),
                str(min(one["programs"] for one in good.values())),
                milliseconds(median(one["cpu_s"] for one in good.values())),
                worst(good, "cpu_s"),
                *(f"{share:.0%}" if share else "-" for share in shares),
            )
        )
    return table(header, rows, left=1)


def utilisation_table(sweeps: dict[str, Any], devices: Sequence[str]) -> str:
    bounds = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
    names = ("below 50 %", "50-60 %", "60-70 %", "70-80 %", "80-90 %", "above 90 %")
    rows: list[Sequence[str]] = []
    for device in devices:
        good = [one for one in sweeps[device]["operators"].values() if "error" not in one]
        for key, name in (("share", "saturated layer alone"), ("roof", "peak or bandwidth")):
            bins = [0] * len(bounds)
            for one in good:
                bins[max(i for i, low in enumerate(bounds) if one[key] >= low)] += 1
            middle = median(one[key] for one in good)
            rows.append((device, name, *(str(count) if count else "-" for count in bins), f"{middle:.0%}"))
    return table(("device", "figure", *names, "median"), rows, left=2)


def scaling_tables(found: Iterable[dict[str, Any]]) -> list[str]:
    by_operator: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        by_operator.setdefault(one["operator"], []).append(one)
    parts: list[str] = []
    for operator, rows in by_operator.items():
        header = ("device", *rows[0]["cpu_s"], "ratio")
        lines = [
            (
                row["device"],
                *(f"{1e3 * one:.1f}" for one in row["cpu_s"].values()),
                f"{max(row['cpu_s'].values()) / min(row['cpu_s'].values()):.2f}",
            )
            for row in rows
        ]
        parts += [f"{operator[0].upper()}{operator[1:]}:\n", table(header, lines, left=1), ""]
    return parts


def gain_table(device: str, found: dict[str, Any]) -> str:
    settings = [name for name in next(iter(found.values())) if name != "operators"]
    rows = [(kind, str(one["operators"]), *(f"{one[name]:.2f}x" for name in settings)) for kind, one in found.items()]
    return table((f"on {device}", "operators", *settings), rows, left=1)


def streams(gains: dict[str, Any]) -> str:
    """Return what is to be said of classes whose figure is that of a search that came to nothing."""
    kinds = [
        kind
        for found in gains.values()
        for kind, one in found.items()
        if kind != "all" and any(gain >= 2 for name, gain in one.items() if name != "operators")
    ]
    return STREAMS.format(kinds=", ".join(dict.fromkeys(kinds))) if kinds else ""


def counted_table(device: str, found: Iterable[dict[str, Any]]) -> str:
    rows: list[Sequence[str]] = []
    for one in found:
        if "error" in one:
            rows.append((one["operator"], one["setting"], f"refused: {one['error']}", "", "", ""))
        else:
            verdict = "yes" if one["matches"] else "**no**"
            rows.append(
                (one["operator"], one["setting"], one["tile"], f"{one['sectors']:,}", f"{one['phases']:,}", verdict)
            )
    header = (f"on {device}", "rules", "tile", "global sectors", "workgroup phases", "matches numpy")
    return table(header, rows, left=3) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int) -> str:
    """Return a Markdown table whose first `left` columns are text."""
    rules = ["---"] * left + ["---:"] * (len(header) - left)
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rules, *rows))


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms"


def worst(operators: dict[str, Any], key: str) -> str:
    times = {name: one[key] for name, one in operators.items() if "error" not in one}
    name = max(times, key=lambda one: times[one])
    return f"{1e3 * times[name]:.1f} ms ({name})"
