# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kit holds and what comes back from it, as frozen records; read and written as JSON by `plan.records.codec`.

A kit is a folder: `index.json` (a `Kit`), `artifacts.zip` (see `kit.files`) and a runner for a machine without this
compiler. The runner writes `results.jsonl` while it works (one record a line, the journal from which it resumes) and
`results.json` (`Results`) when it ends, however it ends.
"""

from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import Range

KIT_SCHEMA = 1
RESULTS_SCHEMA = 1

Count: TypeAlias = Annotated[int, Range(0)]


def back_ends() -> tuple[str, ...]:
    """Return the names of the back ends that kits run on: those of devices, this machine, and the simulator."""
    from roller_mlir.runtime.registry import device_backends, host_backends  # brings numpy, which records do without

    return (*device_backends(), *host_backends(), "sim")


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What an item computes, in words that a library of operators knows.

    Attributes:
        kind: A class of `roller_mlir.evaluation.suites.kinds.KINDS` (what `sizes` and the rest then mean is said there,
            at `evaluation.suites.operator.Operator`), "example" for a function that the runner knows by `name`, or ""
            where nobody else can compute it: its candidates are then compared with each other.
        name: Of the class "example": the function.
        dtype: Element type of the inputs.
        sizes: Extents, strides and paddings by name.
        shape: Of relu and reduce_sum: the extents of the input.
        axes: Of reduce_sum: the dimensions that are reduced.
        indices: Of generic: the index functions.
        combiner: Of generic: "sum", "max" or "min".
    """

    kind: str = ""
    name: str = ""
    dtype: str = ""
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    shape: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()
    indices: str = ""
    combiner: str = ""


@dataclass(frozen=True, kw_only=True)
class ItemCandidate:
    """One way to compute an item.

    Attributes:
        rank: 0 for the model's first choice.
        artifact: Name in `artifacts.zip`.
        predicted_s: The model's word, summed over kernels; None where a kernel has no prediction.
        saturated: What limits it, as the model sees it, kernel by kernel, parted by " + ".
        plans: The whole decision, by program name as in a plan file; empty for what was not planned, and where an
            earlier candidate has the same artifact, and with it the plans.
        family: Its kernels' (`families.family_of`); a fault of one makes the others suspect. "" for none.
        way: How its launches come about, where candidates differ in that ("a launch each"); "" where in plans only.
        graph: Whether its launches are queued as one graph.
        in_line: Whether each launch of that graph waits for the one before it, and not for what it needs alone.
    """

    rank: Count
    artifact: str
    predicted_s: float | None = None
    saturated: str = ""
    plans: dict[str, Plan] = field(default_factory=dict[str, Plan])
    family: str = ""
    way: str = ""
    graph: bool = False
    in_line: bool = False


@dataclass(frozen=True, kw_only=True)
class Item:
    """One function to check and to time.

    Attributes:
        id: Unique in the kit ("roller119/C0/f32").
        suite: Where it is from ("roller119", "examples", a file's name).
        title: What a reader knows it by ("conv2d 128x3x230x230 64x7x7 stride 2, f32").
        key: Of the tuning data base, see `plan.files.tuning`; "" for a function of several programs.
        reference: What it computes.
        flops: Arithmetic operations.
        least_bytes: Bytes of inputs and outputs, each once.
        published_s: Published times on this kit's target, by system, in seconds.
        same_as: Ids of rows of the suite that are the same kernel.
        fill: How each input is made, in their order: "normal DEVIATION MEAN", or "" as `runner.expected.inputs` says;
            no words at all say that of every input.
        base: Rank of the candidate that the others are compared with where nobody else computes the item; None for the
            first one that is right.
        candidates: Best first; at least one.
    """

    id: str
    suite: str
    title: str
    key: str = ""
    reference: Reference = field(default_factory=Reference)
    flops: Count = 0
    least_bytes: Count = 0
    published_s: dict[str, float] = field(default_factory=dict[str, float])
    same_as: tuple[str, ...] = ()
    fill: tuple[str, ...] = ()
    base: Count | None = None
    candidates: tuple[ItemCandidate, ...]

    @property
    def has_ways(self) -> bool:
        """Whether its candidates differ in how their launches come about."""
        return any(one.way for one in self.candidates)


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One micro-benchmark of the device.

    Attributes:
        name: Unique in the kit ("read/64MiB").
        quantity: What it measures ("bandwidth", "latency", "flops", "clock", "launch", "barrier", "atomics",
            "hand-over", "task").
        subject: Layer or instruction, as the device's description names it ("global", "fma f32").
        artifact: Name in `artifacts.zip`.
        work: What one run does, in the unit of the quantity: bytes moved, operations, barriers, dependent loads.
        size_bytes: The working set, 0 where there is none.
        baseline: Name of the probe whose time and work are subtracted, "" for none.
        fill: How its inputs are made, by input: "zero", "random", "values A B ...", "chase STRIDE" (a cycle of
            indices).
        expect: What its outputs must hold, by output, in the words of `runner.probe_values`; "" for anything.
    """

    name: str
    quantity: str
    subject: str
    artifact: str
    work: float
    size_bytes: Count = 0
    baseline: str = ""
    fill: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """What a kit lacks, and why."""

    id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Kit:
    """All that a runner needs beside the binaries.

    Attributes:
        schema: `KIT_SCHEMA`.
        target: The device that it is for ("h200").
        architecture: What the code generator was told ("sm_90a").
        vendor: "nvidia" or "amd".
        created: Date and time, ISO 8601, UTC.
        compiler: Version of this package.
        command: How it was packed.
        items: What to check and to time, the most valuable first.
        probes: Micro-benchmarks.
        skipped: What could not be packed.
    """

    schema: int = KIT_SCHEMA
    target: str
    architecture: str
    vendor: str
    created: str
    compiler: str
    command: str = ""
    items: tuple[Item, ...] = ()
    probes: tuple[Probe, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MeasuredMachine:
    """Where it was measured.

    Attributes:
        back_end: One of `back_ends()`; "sim": a dry run, whose times say nothing of any device.
        device: As its driver names it ("NVIDIA H200").
        driver: The driver's version.
        started: Date and time, ISO 8601, UTC.
        command: How the runner was called.
        versions: Of python, numpy, torch, triton and the vendor's libraries, those that are there.
        facts: What else the driver said: clocks, units, memory.
    """

    back_end: str
    device: str = ""
    driver: str = ""
    started: str = ""
    command: str = ""
    versions: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[str, int | float | str] = field(default_factory=dict[str, int | float | str])

    def __post_init__(self) -> None:
        """Raise ValueError where kits do not run on the back end."""
        if self.back_end not in back_ends():
            raise ValueError(f"back_end must be one of {', '.join(back_ends())}")


@dataclass(frozen=True, kw_only=True)
class Check:
    """Whether a result is right.

    Attributes:
        item: Id of the item.
        who: "ours", or a peer: "torch", "torch.compile", "triton".
        rank: Of the candidate, for ours.
        ok: Whether every element is within its bound.
        against: What it was compared with ("torch f64", "numpy", "candidate 0").
        error: The largest difference, in units of its bound; None where there is no result.
        message: Why there is none.
        note: Which better binary of its kernels the driver refused, and why.
    """

    item: str
    who: str = "ours"
    rank: Count = 0
    ok: bool
    against: str = ""
    error: float | None = None
    message: str = ""
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Seconds of one way to compute an item, or of a probe.

    Attributes:
        item: Id of the item, or name of the probe.
        who: "ours", a peer, or "probe".
        rank: Of the candidate, for ours.
        median_s: Median of the samples.
        least_s: The smallest.
        p10_s: Tenth percentile.
        p90_s: Ninetieth percentile.
        samples: How many.
        note: How it was timed where that differs ("caches warm": right after itself, with caches as it leaves them).
    """

    item: str
    who: str = "ours"
    rank: Count = 0
    median_s: float
    least_s: float
    p10_s: float
    p90_s: float
    samples: Count
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """What went wrong beside wrong results: a peer that is missing, a kernel that cannot be loaded, a timeout."""

    item: str
    who: str
    message: str


@dataclass(frozen=True, kw_only=True)
class LostFamily:
    """A family of kernels of which one faulted, hung or killed the process: the others were not run after it.

    Attributes:
        family: Of candidates, or of probes.
        item: Where it happened: id of the item, or name of the probe.
        rank: Of the candidate.
        message: What happened.
    """

    family: str
    item: str
    rank: Count = 0
    message: str


@dataclass(frozen=True, kw_only=True)
class Results:
    """What came back.

    Attributes:
        schema: `RESULTS_SCHEMA`.
        kit: The kit without its artifacts: what the ids stand for, plans included.
        machine: Where.
        checks: In the order in which they were done.
        timings: Likewise.
        troubles: Likewise.
        lost: Families that were given up, in the order in which they were.
        complete: Whether everything that was asked for was done but what is of lost families, or a time limit came
            first.
    """

    schema: int = RESULTS_SCHEMA
    kit: Kit
    machine: MeasuredMachine
    checks: tuple[Check, ...] = ()
    timings: tuple[Timing, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    lost: tuple[LostFamily, ...] = ()
    complete: bool = False
