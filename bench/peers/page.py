# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page docs/evaluation/peers.md: the tables of `results.json`, and what they say of ours beside the peers."""

from collections.abc import Callable
from textwrap import fill
from typing import Any

from operators import LOOPS, TITLES, operators
from reasons import REASONS

TEXT = """# Machine code beside other compilers

Four operators in f32, compiled for {device} ({architecture}) by ours and by other compilers:
{peers}.
**Nothing here was run, and no number on this page is a speed**: the figures are counted in machine code and in tiles.

Made on {date} by `python bench/peers/compare.py`, which writes `bench/peers/results.json` (figures, with the
instructions of every main loop) and this page; `--page-only` writes the page alone. Needed are pip packages, no GPU.

- Everybody's PTX goes through the same assembler (ptxas {ptxas}) and disassembler, and the same code counts in it that
  `roller compile --stats` counts with. Of Triton and of TVM, products of f32 stay f32.
- **Triton** has no planner: its tiles are its user's, and are usually found by measuring. Every configuration of a grid
  is compiled (`bench/peers/peer_triton.py`); of those that do not spill, the page has the one with the highest FMA
  share, the same among those with no more registers than ours has, and the one that asks for the fewest bytes. The
  number in parentheses is that of the grid. The kernels are those of Triton's tutorials, and a convolution as implicit
  GEMM. `input_precision="ieee"`.
- **TVM dlight** is TVM's set of default schedules, without tuning; nvcc compiles its CUDA C++.
- **IREE** has no CUDA target of Hopper, so that its code is that for sm_80, assembled for {architecture}; it gets the
  text that ours gets. Its convolution multiplies and adds in two instructions: no FMA.
- **Ours** is the first plan of the compiler, which nobody chose by hand; a row in parentheses says what was forced.

| column | what |
|---|---|
| tile | points of a task along {loops} |
| registers, spilled | per thread; bytes stored and loaded for want of registers |
| shared | workgroup memory of a task, B |
| threads | of a task / of all tasks that a unit holds at a time, as registers and workgroup memory allow |
| FMA share | FMA instructions of the main loop over all of its instructions; "-" where the kernel has no loop |
| FMA/B | FMAs of the main loop per byte that the thread loads from workgroup memory; "-" where it loads none |
| loads | global loads in the text: number x bytes each ("async": copies to workgroup memory that pass no register) |
| asked | bytes that all tasks ask of the last cache: a tile's elements once per reduction step, padding not counted; of ours as the plan counts them, which the simulator checks |
| global | tensors that the kernels read and write, each once per kernel: the least that reaches global memory. The model's count for the tiles of M3 is the same for every row: its last cache serves the rest |

The model has no numbers for programs of others but those that follow from their tiles, by the same formulas
(`bench/peers/traffic.py`). Where threads load from global memory directly, as IREE's do, the first-level cache is given
the credit of a tile in workgroup memory.
"""  # noqa: E501 - rows of a Markdown table
COLUMNS = (
    "whose", "tile", "kernels", "registers", "spilled", "shared", "threads", "FMA share", "FMA/B", "loads", "asked",
    "global",
)  # fmt: skip
METRICS: dict[str, tuple[str, bool, Callable[[dict[str, Any]], float | None]]] = {
    "fma_per_shared_byte": ("FMA per byte of workgroup memory", True, lambda one: main(one)["fma_per_shared_byte"]),
    "fma_share": ("FMA share of the main loop", True, lambda one: main(one)["fma_share"]),
    "asked_bytes": ("bytes asked of the last cache", False, lambda one: one["asked_bytes"]),
    "global_bytes": ("bytes through global memory", False, lambda one: one["global_bytes"]),
    "registers": ("registers", False, lambda one: main(one)["registers"]),
    "spill_bytes": ("bytes spilled", False, lambda one: sum(kernel["spill_bytes"] for kernel in one["kernels"])),
    "kernels": ("kernels", False, lambda one: len(one["kernels"])),
}
"""By name: what it is called, whether more is better, and its value."""

MULTIPLIES = ("matmul", "conv2d")


def page(found: dict[str, Any]) -> str:
    """Return the page.

    Raises:
        ValueError: A peer is ahead of ours somewhere, and `REASONS` does not say why.
    """
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    loops = " or ".join(", ".join(names) for names in LOOPS.values())
    head = TEXT.format(peers=versions or "nobody else", loops=loops, **found)
    parts = [head, *[f"{name} is left out: {why}.\n" for name, why in found["missing"].items()]]
    kinds = {name: one["kind"] for name, one in operators().items()}
    for name, rows in found["programs"].items():
        parts += [f"\n## {TITLES[name]}\n", f"| {' | '.join(COLUMNS)} |", "|---|---|" + "---:|" * 7 + "---|---:|---:|"]
        parts += [f"| {' | '.join(cells(row, found['versions']))} |" for row in rows]
        lines = verdicts(name, rows, multiplies=kinds[name] in MULTIPLIES)
        parts += ["", *[fill(line, 120, subsequent_indent="  ", break_on_hyphens=False) for line in lines]]
    return "\n".join(parts) + "\n"


def main(program: dict[str, Any]) -> dict[str, Any]:
    """Return a program's kernel with the longest main loop, which has the work."""
    return max(
        program["kernels"], key=lambda one: (sum(one["main_loop"].values()) * bool(one["fma_share"]), one["tasks"])
    )


def cells(program: dict[str, Any], versions: dict[str, str]) -> list[str]:
    """Return the row of a program; of several kernels the figures stand one after the other."""
    kernels = program["kernels"]
    of = f" (of {program['of']})" if "of" in program else ""
    each: list[Callable[[dict[str, Any]], str]] = [
        lambda one: str(one["registers"]),
        lambda one: str(one["spill_bytes"]),
        lambda one: f"{one['shared_bytes']:,}",
        lambda one: f"{one['threads']} / {one['threads'] * one['tasks_per_unit']}",
        lambda one: f"{one['fma_share']:.1%}" if one["fma_share"] is not None else "-",
        lambda one: f"{one['fma_per_shared_byte']:.2f}" if one["fma_per_shared_byte"] else "-",
        loads,
    ]
    return [
        program["who"] if program["who"] == "ours" else f"{program['who']}{of}",
        program["config"],
        str(len(kernels)),
        *["; ".join(text(one) for one in kernels) for text in each],
        size(program["asked_bytes"]),
        size(program["global_bytes"]),
    ]


def loads(kernel: dict[str, Any]) -> str:
    """Return a kernel's global loads as text."""
    found = [f"{count}x{width}" for width, count in kernel["loads"].items()]
    found += [f"{count}x{width} async" for width, count in kernel["async_loads"].items()]
    return " + ".join(found) or "-"


def verdicts(name: str, rows: list[dict[str, Any]], *, multiplies: bool) -> list[str]:
    """Return for each metric whether ours leads, and where it does not, why."""
    own, peers = rows[0], [row for row in rows if row["who"] != "ours"]
    lines: list[str] = []
    for metric, (title, more, value) in METRICS.items():
        mine = value(own)
        there = [(value(row), row) for row in peers]
        known = [(number, row) for number, row in there if number is not None]
        if mine is None or not known or (metric in ("fma_share", "fma_per_shared_byte") and not multiplies):
            continue
        best, row = (max if more else min)(known, key=lambda pair: pair[0])
        shown = f"{figure(metric, mine)}, the best peer ({row['who']}) {figure(metric, best)}"
        if abs(mine - best) <= 1e-9 * abs(best):
            lines.append(f"- {title}: as the best peer, {figure(metric, mine)}.")
        elif (mine > best) == more:
            lines.append(f"- {title}: **ours leads**, {shown}.")
        else:
            if (name, metric) not in REASONS:
                raise ValueError(f"{row['who']} is ahead in {metric} of {name}, and reasons.py must say why")
            lines.append(f"- {title}: **ours does not lead**, {shown}. {REASONS[name, metric]}")
    return lines


def figure(metric: str, value: float) -> str:
    """Return a metric's value as text."""
    if metric.endswith("_bytes") and metric != "spill_bytes":
        return size(value)
    return (
        f"{value:.1%}" if metric == "fma_share" else f"{value:.2f}" if metric == "fma_per_shared_byte" else f"{value:g}"
    )


def size(amount: float) -> str:
    """Return bytes in decimal units.

    >>> size(1_358_954_496), size(880_803_840)
    ('1.36 GB', '881 MB')
    """
    return f"{amount / 1e9:.2f} GB" if amount >= 1e9 else f"{amount / 1e6:.0f} MB"
