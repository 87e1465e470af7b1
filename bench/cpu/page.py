# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/evaluation/cpu-peers.md from what bench/cpu/peers.py measured: `python bench/cpu/page.py`.

In the folder peers lie gemms.json and layers.json (each peer), fused.json (with bias and relu), and gemms-again.json
and layers-again.json (some of the first two once more, for the noise).
"""

import argparse
import json
import sys
from pathlib import Path
from textwrap import fill

from roller_mlir.evaluation.measure.cpu_peers.results import FLUSHED, HostResults
from roller_mlir.evaluation.measure.cpu_peers.tables import (
    best_peer,
    differences,
    geometric_mean,
    library_table,
    rate_table,
    spread,
    trouble_lines,
)
from roller_mlir.plan.records.codec import from_json

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "evaluation" / "cpu-peers.md"
FILES = ("gemms", "layers", "fused", "gemms-again", "layers-again")

TEXT = """# Libraries of a CPU: what a kernel has to reach

What oneDNN, MKL, OpenBLAS and IREE make of PolyDL's products and of twenty of its layers on one machine, in f32, with
one thread. The figure in bold of each row is what a kernel of this compiler has to reach.

{where}

```sh
pip install '.[cpu-peers]'                # oneDNN, MKL, OpenBLAS; IREE and numpy are there
{commands}
python bench/cpu/page.py                  # this page, from the files in bench/cpu
```

## How

- Each peer has a process of its own, without the variables that others set for its library (`OPENBLAS_CORETYPE` and the
  like); no two compute at a time. Peers take turns of a fiftieth of a second, another one first each round.
- Before anything is timed, the result is compared with numpy's in f64, element by element; what is wrong, or has more
  threads at work than were asked for, is told and not timed. The output is NaN before the run that is checked.
- With one thread the time is the processor time of the thread, with several the wall; the smallest sample counts. A
  sample is as many calls as last half a millisecond. With cleared caches it is one call, after twice their size was
  written.
- Packing beforehand is not timed: oneDNN's weights are in the layout that it likes best, and with `any` its input and
  output too. `packed B` is a product whose second factor is so; it does less than a product, and is nobody's rival.
  MKL, OpenBLAS and IREE pack in each call; IREE allocates its result in each call.
- GF/s count the whole loop nest, taps on padding too, as PolyDL's figures do. oneDNN skips rows of them, so that a
  layer of 7x7 may pass what a core can do; "of peak" counts taps on the input alone.
- MKL's part `libmkl_def` is its generic one, with kernels for AMD's cores in it. `openblas Haswell` is OpenBLAS with
  kernels of 256 bits, which on a core with units of that width are no slower than its own choice. IREE has the flags of
  `roller_mlir/evaluation/measure/cpu_peers/libraries/iree.py`; `iree nhwc` is the same layer written with channels
  last.

## Ours, or anybody's, beside them

```sh
python bench/cpu/peers.py --suite polydl-gemms --ours DEVICE -o both.json            # ours, run by the back end cpu
python bench/cpu/peers.py --suite polydl-gemms --peer mine=FILE.py:make -o both.json # any function over numpy arrays
```

`make(threads)` returns an object with `facts()`, `threads()` and `prepare(problem, inputs, variant)`, which returns a
`HostCall`: what to run, where it writes, and how its result is read
(`roller_mlir/evaluation/measure/cpu_peers/interface.py`). With ours in it, tables have a column of ours over the best
peer, and below them the geometric mean and the least of these ratios. Ours is compiled from the suite's text and, as
`ours nhwc`, from the same layer with channels last; `--epilogue 'bias relu'` or `'bn relu'` (batch normalisation as it
is for inference) puts these behind every operator, and `ours unfused` has them in a kernel of their own. Convolutions
come once more with their filter as a constant of the module, as models have it (`ours constant filter`): the compiler
may pack it, as oneDNN's is reordered before anything is timed. In the other columns it is an argument of each call,
packed in the call where that pays. Arrays are bound to a call before it is timed, as oneDNN's memories are.

## Who took part

{libraries}

## Products

{gemms}

With caches cleared before each call:

{gemms_flushed}

## Layers

Twenty of the 201, minibatch 1: of each network, and of each kind of window.

{layers}

With caches cleared before each call:

{layers_flushed}

## Bias and relu behind a layer

oneDNN's own fusion. Operations are those of the convolution alone, so that what the epilogue costs shows beside the
table above.

{fused}

## What to reach

{goals}

## Noise

{noise}
"""


def page(found: dict[str, HostResults]) -> str:
    """Return the page from the results by the names of `FILES`."""
    gemms, layers = found["gemms"], found["layers"]
    machine = gemms.machine
    peaks = ", ".join(f"{rate * 1e-9:.0f} GF/s with {name}" for name, rate in machine.peak_flops.items())
    caches = ", ".join(f"{name} {size}" for name, size in machine.caches.items())
    where = (
        f"Measured on {machine.started[:10]}: {machine.processor}, {machine.cores} cores, "
        f"{', '.join(machine.vectors)}; caches {caches}. From registers alone a core does {peaks} (twelve chains of "
        "multiply-adds, timed by bench/cpu/peers.py), the larger of which is the peak below."
    )
    commands = "\n".join(f"python {found[name].machine.command}" for name in FILES[:3])
    troubles = [line for one in (gemms, layers) for line in trouble_lines(one)]
    return TEXT.format(
        where=fill(where, 120, break_on_hyphens=False),
        commands=commands,
        libraries="\n".join([library_table(gemms), "", *(f"- {line}" for line in troubles)]),
        gemms=rate_table(gemms),
        gemms_flushed=rate_table(gemms, FLUSHED),
        layers=rate_table(layers),
        layers_flushed=rate_table(layers, FLUSHED),
        fused=rate_table(found["fused"]),
        goals=goals(gemms, layers),
        noise=noise(found),
    )


def goals(gemms: HostResults, layers: HostResults) -> str:
    """Return what the best peers reach together."""
    lines: list[str] = []
    for name, results in (("products", gemms), ("layers", layers)):
        peak = max(results.machine.peak_flops.values())
        best = {one.id: best_peer(results, one) for one in results.problems}
        rates = [rate for _, rate in best.values() if rate]
        least = min((one for one in best.items() if one[1][1]), key=lambda one: one[1][1])
        winners = [who for who, _ in best.values()]
        counts = ", ".join(f"{who} {winners.count(who)}" for who in dict.fromkeys(winners) if who)
        mean = geometric_mean(rates)
        shares = [one.inside * best[one.id][1] / peak for one in results.problems if best[one.id][1]]
        text = (
            f"- The best peers of the {len(rates)} {name} reach {mean * 1e-9:.0f} GF/s in the geometric mean, "
            f"{geometric_mean(shares):.0%} of the peak; the least is {least[1][1] * 1e-9:.0f} of {least[0]} "
            f"({least[1][0]}). Best of how many: {counts}."
        )
        lines.append(fill(text, 120, subsequent_indent="  ", break_on_hyphens=False))
    return "\n".join(lines)


def noise(found: dict[str, HostResults]) -> str:
    """Return how far the numbers can be trusted."""
    loads = [load for name in FILES[:2] for load in found[name].machine.load]
    gaps = [gap for name in FILES[:2] for gap in differences(found[name], found[f"{name}-again"])]
    gaps.sort()
    cores, half, tenth = found["gemms"].machine.cores, gaps[len(gaps) // 2], gaps[int(0.9 * len(gaps))]
    text = (
        f"Others used the machine: {min(loads):.0f} to {max(loads):.0f} processes wanted its {cores} cores. The median "
        f"sample is {spread(found['gemms']):.0%} above the smallest one (products) and {spread(found['layers']):.0%} "
        f"(layers). {len(gaps)} times were taken once more in a later run: the smallest samples differ by {half:.1%} "
        f"in the median, by less than {tenth:.1%} in nine of ten, by {gaps[-1]:.1%} at most. Ratios closer than that "
        "are none. Times with cleared caches are of few samples, and others have cleared what was to be warm: they are "
        "the roughest. Two threads were not measured: the wall of such a machine shows what others do."
    )
    return fill(text, 120, break_on_hyphens=False)


def read(name: str) -> HostResults:
    """Return results of this folder."""
    return from_json(HostResults, json.loads((HERE / "peers" / f"{name}.json").read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=PAGE, help="the page to write (docs/evaluation/cpu-peers.md)")
    options = parser.parse_args()
    options.out.write_text(page({name: read(name) for name in FILES}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
