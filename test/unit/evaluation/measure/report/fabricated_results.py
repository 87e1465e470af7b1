# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that were never measured, for the tests of what is made of results: of "a device of the tests"."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from roller_mlir.evaluation.measure.records import (
    Check,
    Item,
    ItemCandidate,
    Kit,
    MeasuredMachine,
    Probe,
    Reference,
    Results,
    Timing,
    Trouble,
)

KINDS = ("matmul", "conv2d", "depthwise_conv2d", "avg_pool2d", "relu", "reduce_sum")


def item(name: str, *, predicted: Sequence[float | None] = (1e-3,), **changes: Any) -> Item:
    """Return an item "suite/name/f32" with a candidate for each prediction."""
    suite = changes.pop("suite", "roller119")
    dtype = changes.pop("dtype", "f32")
    kind = changes.pop("kind", "matmul")
    candidates = tuple(
        ItemCandidate(rank=rank, artifact=f"{name}-{rank}", predicted_s=seconds, saturated="global")
        for rank, seconds in enumerate(predicted)
    )
    record = Item(
        id=f"{suite}/{name}/{dtype}",
        suite=suite,
        title=f"{kind} {name}, {dtype}",
        reference=Reference(kind=kind, dtype=dtype),
        flops=1_000_000,
        least_bytes=4_000,
        candidates=candidates,
    )
    return replace(record, **changes)


def timing(of: Item | str, seconds: float, who: str = "ours", rank: int = 0, note: str = "") -> Timing:
    """Return a timing."""
    name = of if isinstance(of, str) else of.id
    return Timing(
        item=name,
        who=who,
        rank=rank,
        median_s=seconds,
        least_s=seconds * 0.98,
        p10_s=seconds * 0.99,
        p90_s=seconds * 1.03,
        samples=20,
        note=note,
    )


def check(of: Item, *, ok: bool = True, who: str = "ours", rank: int = 0, **changes: Any) -> Check:
    """Return a check."""
    return replace(Check(item=of.id, who=who, rank=rank, ok=ok, against="torch f64", error=0.25), **changes)


def kit(items: Sequence[Item], **changes: Any) -> Kit:
    """Return a kit of items."""
    record = Kit(
        target="h200",
        architecture="sm_90a",
        vendor="nvidia",
        created="2026-01-02T03:04:05Z",
        compiler="0.0-tests",
        command="made by the tests",
        items=tuple(items),
    )
    return replace(record, **changes)


def machine(**changes: Any) -> MeasuredMachine:
    """Return a machine that is none."""
    record = MeasuredMachine(
        back_end="cuda",
        device="a device of the tests",
        driver="0.0",
        started="2026-01-03T04:05:06Z",
        command="python run.py -o out",
        versions={"python": "3.12.0", "torch": "0.0-tests"},
        facts={"clock_hz": 1.98e9, "units": 132},
    )
    return replace(record, **changes)


def results(items: Sequence[Item], **parts: Any) -> Results:
    """Return results of items; `parts` are fields of Results, and "kit" and "machine" changes of these."""
    kit_changes: Mapping[str, Any] = parts.pop("kit", {})
    machine_changes: Mapping[str, Any] = parts.pop("machine", {})
    record = Results(kit=kit(items, **kit_changes), machine=machine(**machine_changes), complete=True)
    return replace(record, **{name: tuple(v) if isinstance(v, list) else v for name, v in parts.items()})


def many(count: int, *, seed: int = 7, candidates: int = 4, dtype: str = "f32", **parts: Any) -> Results:
    """Return complete results of random times: checks, both rounds, three peers, some wrong, some troubles, probes."""
    draw = random.Random(seed)
    items: list[Item] = []
    checks: list[Check] = []
    timings: list[Timing] = []
    for number in range(count):
        base = 10 ** draw.uniform(-5.5, -2)
        predicted = sorted(base * draw.uniform(1, 1.6) for _ in range(candidates))
        same = (f"S{number}",) if number % 5 == 0 else ()
        published = {"roller_top10": base * 3, "library": base * 2}
        one = item(
            f"N{number}",
            predicted=predicted,
            kind=KINDS[number % len(KINDS)],
            dtype=dtype,
            same_as=same,
            published_s=published,
        )
        items.append(one)
        wrong = number % 17 == 16
        checks.append(check(one, ok=not wrong, error=35.5 if wrong else draw.uniform(0, 0.9)))
        if wrong:
            continue
        ours = [seconds * draw.lognormvariate(0.05, 0.12) for seconds in predicted]
        timings.append(timing(one, ours[0]))
        for who, spread in (("torch", 0.35), ("torch.compile", 0.3), ("triton", 0.4)):
            if who != "triton" or one.reference.kind == "matmul":
                checks.append(check(one, who=who, error=0.1))
                timings.append(timing(one, ours[0] * draw.lognormvariate(-0.05, spread), who))
        for rank, seconds in enumerate(ours):
            if rank:
                checks.append(check(one, rank=rank))
            timings.append(timing(one, seconds * draw.uniform(0.99, 1.01), rank=rank, note="top-k"))
    probes = (
        Probe(
            name="global-read/64MiB/base", quantity="bandwidth", subject="global", artifact="p1", work=float(16 << 20)
        ),
        Probe(
            name="global-read/64MiB",
            quantity="bandwidth",
            subject="global",
            artifact="p1",
            work=float(80 << 20),
            size_bytes=64 << 20,
            baseline="global-read/64MiB/base",
        ),
        Probe(name="atomics/one", quantity="atomics", subject="l2", artifact="p2", work=1e6),
    )
    timings += [timing("global-read/64MiB/base", 3e-6, "probe"), timing("global-read/64MiB", 23e-6, "probe")]
    troubles = [
        Trouble(item="roller119/N1/f32", who="triton", message="no kernel was written for this class"),
        Trouble(item="atomics/one", who="probe", message="the time limit came first"),
    ]
    given: dict[str, Any] = {"checks": checks, "timings": timings, "troubles": troubles}
    changes = {"probes": probes} | parts.pop("kit", {})
    return results(items, kit=changes, **(given | parts))
