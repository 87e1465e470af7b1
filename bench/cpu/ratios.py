# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures this compiler beside the libraries of this machine, and writes the ratios into docs/cpu.md.

python bench/cpu/ratios.py short      # 8 products, twenty layers of one image, seven fused: below ten minutes, idle
python bench/cpu/ratios.py products   # 8 products, one thread and two
python bench/cpu/ratios.py threads    # 8 products and seven layers, one thread and two
python bench/cpu/ratios.py windows    # depthwise convolutions and poolings of one image, one thread: two minutes
python bench/cpu/ratios.py batch      # twenty layers of 28 images, one thread: ten minutes
python bench/cpu/ratios.py layers     # 201 layers, minibatch 28 and 1, one thread and two: about two hours
python bench/cpu/ratios.py all        # all of these
python bench/cpu/ratios.py avx2       # 8 products, twenty layers, the windows, of 256-bit vectors: ten minutes, idle
python bench/cpu/ratios.py none       # the page alone, of what the folders hold

What the folder holds is not measured again: a run that was ended goes on, and one for new code takes a new folder. All
tables are in docs/evaluation/cpu-ratios.md, docs/cpu.md has their summary and the short ones. Results of another
machine go into FOLDER-NAME (--folder bench/cpu/ratios-NAME --docs ELSEWHERE), of which `none` makes a chapter of its
own. Results of 256-bit vectors lie in FOLDER-avx2; --narrow says what ours are compiled for, in the place of host-avx2.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill

from roller_mlir.evaluation.measure.cpu_peers.campaign import PeerPart, parts_of, read_results, run_part
from roller_mlir.evaluation.measure.cpu_peers.interface import PeerSource
from roller_mlir.evaluation.measure.cpu_peers.results import HostResults
from roller_mlir.evaluation.measure.cpu_peers.rounds import HostRun
from roller_mlir.evaluation.measure.cpu_peers.sources import AVX2, PEERS, ours
from roller_mlir.evaluation.measure.cpu_peers.tables import (
    geometric_mean,
    is_ours,
    library_table,
    rate_table,
    rivals,
    spread,
    trouble_lines,
)
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.select import select

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
BEGIN, END = "<!-- python bench/cpu/ratios.py writes what follows -->", "<!-- end of the ratios -->"
GEMMS, LAYERS = "polydl-gemms", "polydl-layers"
TWENTY = (
    *("alexnet_02", "alexnet_04", "fastrcnn_06", "fastrcnn_25", "googlenetv1_08", "googlenetv1_11", "googlenetv3_05"),
    *("googlenetv3_20", "googlenetv3_21", "googlenetv3_43", "maskrcnn_42", "mobilenet_02", "mobilenet_09"),
    *("overfeat_03", "resnet_03", "resnet_05", "resnet_12", "resnet_13", "resnet_17", "yolov2_11"),
)
FUSED = ("alexnet_02", "fastrcnn_25", "googlenetv1_11", "mobilenet_02", "resnet_03", "resnet_12", "resnet_17")
WINDOWS = "windows"
"""What the part with ROLLER's depthwise convolutions and poolings is called, which come from another suite."""
NARROW = "-avx2"
"""How folders end that hold results of vectors of 256 bits."""
WHAT = ("short", "products", "threads", WINDOWS, "batch", "layers", "avx2", "all", "none")
SHORT = "short-"
"""What the files of parts begin with whose operators are some of a suite's."""


@dataclass(frozen=True)
class MachineResults:
    """What was measured on a machine, by part.

    Attributes:
        wide: Where all used what vectors it has.
        narrow: Where all used vectors of 256 bits.
    """

    wide: Mapping[str, HostResults]
    narrow: Mapping[str, HostResults]

    @property
    def processor(self) -> str:
        """The machine's name."""
        return next((one.machine.processor for one in (*self.wide.values(), *self.narrow.values())), "another machine")

    @classmethod
    def of(cls, folder: Path) -> "MachineResults":
        """Return what a folder and the one beside it hold."""
        narrow = held(folder.with_name(folder.name + NARROW))
        return cls(held(folder), {name: with_narrow_peak(one) for name, one in narrow.items()})


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument(
        "--folder", type=Path, default=HERE / "ratios", help="of the results (bench/cpu/ratios); FOLDER-avx2 beside it"
    )
    parser.add_argument(
        "--narrow", default="host-avx2", metavar="TARGET", help="what `avx2` compiles ours for (host-avx2)"
    )
    parser.add_argument("--peers", default="onednn,mkl,openblas", help=f"of {', '.join(PEERS)}; IREE takes long")
    parser.add_argument("--limit", type=float, default=5.0, metavar="S", help="seconds for an operator's rounds (5)")
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder of the pages")
    options = parser.parse_args(arguments)
    narrow = options.what == "avx2"
    known: Mapping[str, PeerSource] = AVX2 if narrow else PEERS
    run = HostRun(flushed=0, limit_s=options.limit, say=lambda line: print(line, file=sys.stderr, flush=True))
    folder = options.folder.with_name(options.folder.name + NARROW) if narrow else options.folder
    folder.mkdir(parents=True, exist_ok=True)
    try:
        sources = [
            ours(options.narrow if narrow else "host", "cpu"),
            *(known[name] for name in options.peers.split(",") if name),
        ]
        for part in parts(options.what):
            run_part(part, sources, run, folder, f"bench/cpu/ratios.py {options.what}")
        others = [
            one for one in options.folder.parent.glob(f"{options.folder.name}-*") if not one.name.endswith(NARROW)
        ]
        write([MachineResults.of(one) for one in (options.folder, *sorted(others))], options.docs)
    except KeyError as error:
        print(f"error: {error.args[0]} cannot be measured so; there are {', '.join(known)}", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def parts(what: str) -> Iterator[PeerPart]:
    """Yield what is measured."""
    gemms, layers = [select(find_suite(name), []) for name in (GEMMS, LAYERS)]
    if what in ("short", "all"):
        yield from parts_of(GEMMS, gemms)
        some = select(find_suite(LAYERS), TWENTY)
        yield from parts_of(SHORT + LAYERS, some, (1,))
        fused = select(find_suite(LAYERS), FUSED)
        yield from parts_of(SHORT + LAYERS, fused, (1,), epilogue="bn relu")
    if what == "batch":
        yield from parts_of(SHORT + LAYERS, select(find_suite(LAYERS), TWENTY), (28,))
    if what == "avx2":
        yield from parts_of(GEMMS, gemms)
        yield from parts_of(SHORT + LAYERS, select(find_suite(LAYERS), TWENTY), (1,))
        yield from windows()
    if what == "threads":
        yield from parts_of(GEMMS, gemms, threads=(1, 2))
        yield from parts_of(SHORT + LAYERS, select(find_suite(LAYERS), FUSED), (1,), (1, 2))
    if what in ("products", "all"):
        yield from parts_of(GEMMS, gemms, threads=(1, 2))
    if what in (WINDOWS, "all"):
        yield from windows()
    if what in ("layers", "all"):
        yield from parts_of(LAYERS, layers, (1, 28), (1, 2))


def windows() -> Iterator[PeerPart]:
    """Yield the part with ROLLER's depthwise convolutions and poolings."""
    rows = [row for row in find_suite("roller119") if row.kind in ("depthwise_conv2d", "avg_pool2d")]
    yield from parts_of(WINDOWS, rows, (1,), (1,))


def with_narrow_peak(one: HostResults) -> HostResults:
    """Return results whose cores have the peak of vectors of 256 bits."""
    peaks = {name: rate for name, rate in one.machine.peak_flops.items() if name == "ymm"}
    return replace(one, machine=replace(one.machine, peak_flops=peaks))


def held(folder: Path) -> dict[str, HostResults]:
    """Return the results of a folder, by the names of their parts."""
    return {path.stem: read_results(path) for path in sorted(folder.glob("*.json"))}


def write(machines: Sequence[MachineResults], docs: Path) -> None:
    """Write all tables to one page, and their summary with the short tables into the page of CPUs.

    Args:
        machines: What was measured; those behind the first have chapters of their own.
        docs: Folder of the pages.
    """
    page = docs / "cpu.md"
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"{page} must have '{BEGIN}' and '{END}' once")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    chapters = [f"{summary(one.wide)}\n{narrow_summary(one.narrow)}" for one in machines]
    titles = ["", *(f"### {one.processor}\n\n" for one in machines[1:])]
    text = "".join(title + chapter for title, chapter in zip(titles, chapters, strict=True))
    page.write_text(f"{before}{BEGIN}\n\n{text}{END}{after}", encoding="utf-8")
    every: list[str] = []
    for number, one in enumerate(machines):
        where = f", {one.processor}" if number else ""
        every += [f"## {name}{where}\n\n{tables(part)}\n" for name, part in one.wide.items()]
        every += [f"## {name}{where}, AVX2\n\n{tables(part)}\n" for name, part in one.narrow.items()]
    head = "# CPUs beside libraries\n\nGF/s of each problem; how they are measured: [peers](cpu-peers.md). Written by\n"
    head += "`python bench/cpu/ratios.py`, of which [CPUs](../cpu.md#measured) has the summary.\n"
    room = docs / "evaluation"
    room.mkdir(exist_ok=True)
    (room / "cpu-ratios.md").write_text("\n".join([head, *every]), encoding="utf-8")


def tables(one: HostResults) -> str:
    """Return the results of one part."""
    return "\n\n".join([library_table(one), rate_table(one), *(f"- {line}" for line in trouble_lines(one))])


def summary(found: Mapping[str, HostResults]) -> str:
    """Return who took part, ours over the best peer of each part, and the short tables."""
    if not found:
        return "Nothing was measured.\n"
    first = next(iter(found.values()))
    machine = first.machine
    peaks = ", ".join(f"{rate * 1e-9:.0f} GF/s with {name}" for name, rate in machine.peak_flops.items())
    caches = ", ".join(f"{name} {size}" for name, size in machine.caches.items())
    loads = [load for one in found.values() for load in one.machine.load]
    above = max(map(spread, found.values()))
    where = f"""{machine.processor}, {machine.cores} cores, caches {caches}, {machine.started[:10]}; f32, compiled for
        `host` without any choice by hand. From registers alone a core does {peaks}. {min(loads):.1f} to
        {max(loads):.1f} processes wanted the cores; the median sample is {above:.0%} above the smallest one at most.
        All take turns in processes of their own, results are compared with numpy's first. With one thread the least
        processor time of the thread counts, with two the wall. How, and what the others are:
        [peers](evaluation/cpu-peers.md); each problem: [ratios](evaluation/cpu-ratios.md). "Ours nhwc" is the
        same layer with channels last, of "constant filter" the filter is a constant of the module, as oneDNN's was
        reordered beforehand. Packed B does less than a product and is no rival."""
    lines = [
        fill(" ".join(where.split()), 120, break_on_hyphens=False),
        "",
        library_table(first),
        "",
        ratio_table(found),
    ]
    for name, title in (
        (f"{GEMMS}-t1", "Products, GF/s"),
        (f"{SHORT}{LAYERS}-n1-t1", "Twenty layers, one image, GF/s"),
        (f"{SHORT}{LAYERS}-n28-t1", "Twenty layers, 28 images, GF/s"),
        (f"{WINDOWS}-n1-t1", "Depthwise convolutions and poolings, one image, GF/s"),
    ):
        if name in found:
            lines += ["", f"{title}:", "", rate_table(found[name])]
    fused = found.get(f"{SHORT}{LAYERS}-n1-t1-bn-relu")
    if fused is not None:
        text = (
            "Batch normalisation and relu behind a layer, in its kernel (ours), in a kernel of their own (ours "
            "unfused), and as oneDNN's post-ops; operations are those of the convolution alone, GF/s:"
        )
        lines += ["", fill(text, 120), "", rate_table(fused), "", fusion_line(fused)]
    return "\n".join(lines) + "\n"


def narrow_summary(found: Mapping[str, HostResults]) -> str:
    """Return who took part with vectors of 256 bits, and the tables; nothing where that was not measured."""
    if not found:
        return ""
    first = next(iter(found.values()))
    peak = ", ".join(f"{rate * 1e-9:.0f} GF/s" for rate in first.machine.peak_flops.values())
    loads = [load for one in found.values() for load in one.machine.load]
    where = f"""The same with vectors of 256 bits: ours compiled for a device that has these, the others told to use
        AVX2 alone, by `python bench/cpu/ratios.py avx2`; {first.machine.processor}, {first.machine.started[:10]},
        {peak} from registers, {min(loads):.1f} to {max(loads):.1f} processes wanted the cores."""
    lines = ["", "#### AVX2", "", fill(" ".join(where.split()), 120, break_on_hyphens=False), ""]
    lines += [library_table(first), "", ratio_table(found)]
    for name, one in found.items():
        lines += ["", f"{name}, GF/s:", "", rate_table(one)]
    return "\n".join(lines) + "\n\n"


def ratio_table(found: Mapping[str, HostResults]) -> str:
    """Return ours over the best peer of each part, and what a second thread gives."""
    lines = ["| part | problems | ours / best peer | least | of | at least 1 | two threads over one |"]
    lines.append("| --- | ---: | ---: | ---: | --- | ---: | ---: |")
    for name, one in found.items():
        ratios = ratios_of(one)
        if not ratios:
            lines.append(f"| {name} | {len(one.problems)} | - | - | - | - | - |")
            continue
        least = min(ratios, key=ratios.__getitem__)
        single = found.get(name.replace("-t2", "-t1")) if "-t2" in name else None
        faster = "" if single is None else f"{speedup(single, one):.2f}"
        more = sum(ratio >= 1 for ratio in ratios.values())
        lines.append(
            f"| {name} | {len(ratios)} | {geometric_mean([*ratios.values()]):.2f} | {ratios[least]:.2f} | {least} | "
            f"{more} | {faster} |"
        )
    return "\n".join(lines)


def ratios_of(one: HostResults) -> dict[str, float]:
    """Return ours over the best peer of each problem that both have."""
    found: dict[str, float] = {}
    for problem in one.problems:
        rates = one.rates(problem)
        own, peers = [rate for who, rate in rates.items() if is_ours(who)], rivals(rates)
        if own and peers:
            found[problem.id] = max(own) / max(peers.values())
    return found


def speedup(single: HostResults, double: HostResults) -> float:
    """Return the geometric mean of ours with two threads over ours with one."""
    gains: list[float] = []
    for problem in double.problems:
        pair = [
            [rate for who, rate in one.rates(problem).items() if is_ours(who)]
            for one in (double, single)
            if problem.id in {each.id for each in one.problems}
        ]
        if len(pair) == 2 and all(pair):
            gains.append(max(pair[0]) / max(pair[1]))
    return geometric_mean(gains) if gains else float("nan")


def fusion_line(one: HostResults) -> str:
    """Return what fusion gains, ours and in the layout of channels last."""
    parts: list[str] = []
    for layout in ("ours", "ours nhwc"):
        gains = [
            rates[layout] / rates[f"{layout} unfused"]
            for rates in map(one.rates, one.problems)
            if layout in rates and f"{layout} unfused" in rates
        ]
        if gains:
            parts.append(f"{layout} {geometric_mean(gains):.2f} times (least {min(gains):.2f})")
    return f"Fused over unfused: {', '.join(parts)}." if parts else "Fusion was not measured."


if __name__ == "__main__":
    sys.exit(main())
