# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the plans that the compiler ranks best for products, layers and windows, on this machine, with one thread.

python bench/polydl/measure_plans.py --date 2026-11-26 -o bench/polydl/results/plans.json  # 36 plans of each, 15 rounds
python bench/polydl/measure_plans.py --date 2026-11-26 --top-k 14 --rounds 9 -o some.json  # a quarter of an hour, idle
python bench/polydl/measure_plans.py --date 2026-11-26 --only 'resnet_*' -o some.json

Each plan is forced, compiled, and its result compared with numpy's. All plans of a problem then take turns; the least
processor time of the thread counts. What FILE holds already is not measured again. `rank_plans.py` reads it.
"""

import argparse
import fnmatch
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from measure import machine
from plan_problems import OPTIONS, PlannedProblem, dispatch_of, planned_problems
from plan_records import packed, plan_record

from roller_mlir.evaluation.measure.cpu_peers.interface import aligned
from roller_mlir.evaluation.measure.cpu_peers.problem import expected_of, inputs_of
from roller_mlir.evaluation.measure.cpu_peers.texts import arranged, restored
from roller_mlir.evaluation.measure.tune.candidates import candidates_of, compile_candidate
from roller_mlir.hal import find_device
from roller_mlir.runtime.cpu.backend import CpuBackend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.support.diagnostics import DiagnosedError

LEAST_S = 1e-3
"""Processor time of a sample: as many runs as fill it."""
LONG_S = 4e-3
"""A run of that length warms the caches itself."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, required=True, help="today: YYYY-MM-DD")
    parser.add_argument("--top-k", type=int, default=36, help="plans of each problem (36)")
    parser.add_argument("--rounds", type=int, default=15, help="samples of each, of which the least counts (15)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names of problems")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    data: dict[str, Any] = {"problems": {}}
    if options.output.exists():
        data = json.loads(options.output.read_text())
    data["provenance"] = {
        "machine": machine(),
        "date": options.date.isoformat(),
        "device": find_device("host").description,
        "command": f"python bench/polydl/measure_plans.py --top-k {options.top_k} --rounds {options.rounds}",
        "clock": "least of the processor time of one thread",
    }
    for one in sorted(planned_problems(), key=lambda one: one.problem.flops):
        if one.name in data["problems"] or not fnmatch.fnmatchcase(one.name, options.only):
            continue
        begun = time.monotonic()
        rows = measured(one, options.top_k, options.rounds)
        if not rows:
            print(f"{one.name}: it is several programs, as its layout changes", flush=True)
            continue
        data["problems"][one.name] = rows
        aside = options.output.with_suffix(".partial")
        aside.write_text(packed(data))
        aside.replace(options.output)
        rates = sorted(one.problem.flops / row["seconds"] * 1e-9 for row in rows)
        first = one.problem.flops / rows[0]["seconds"] * 1e-9
        load, took = os.getloadavg()[0], time.monotonic() - begun
        print(
            f"{one.name}: {len(rows)} plans, {rates[0]:.1f} to {rates[-1]:.1f} GF/s, the first {first:.1f}; "
            f"{took:.0f} s, load {load:.1f}",
            flush=True,
        )
    return 0


def measured(one: PlannedProblem, top_k: int, rounds: int) -> list[dict[str, Any]]:
    """Return the plans of a problem with their seconds, in the order in which the compiler ranks them."""
    dispatch = dispatch_of(one)
    if dispatch is None:
        return []
    inputs = inputs_of(one.problem)
    arrays = arranged(one.problem, inputs, one.layout)
    expected = expected_of(one.problem, inputs)
    dispatch = replace(dispatch, text=one.compiled_text(arrays))
    found: list[tuple[dict[str, Any], Callable[[], None]]] = []
    for plans in candidates_of(dispatch, "host", OPTIONS, top_k):
        (plan,) = plans.values()
        try:
            artifact = compile_candidate(dispatch, "host", OPTIONS, plans)
        except DiagnosedError as error:
            print(f"{one.name}: a plan is left out: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        output = aligned(one.output_shape)
        run = LoadedSequence(artifact.manifest, artifact.files, CpuBackend(threads=1)).bound(arrays, [output])
        output.fill(np.nan)
        run()
        verdict = expected.compare(restored(output, one.layout))
        if not verdict.ok:
            raise RuntimeError(f"{one.name}: {plan_record(dispatch.expression, plan)} is wrong: {verdict.message}")
        found.append((plan_record(dispatch.expression, plan), run))
    samples: list[list[float]] = [[] for _ in found]
    for number in range(rounds):
        order = range(len(found)) if number % 2 else reversed(range(len(found)))
        for place in order:
            samples[place].append(sample(found[place][1]))
    return [
        {"plan": record, "seconds": float(f"{min(taken):.5g}"), "median": float(f"{median(taken):.4g}")}
        for (record, _), taken in zip(found, samples, strict=True)
    ]


def sample(run: Callable[[], None]) -> float:
    """Return the processor seconds of one run, of as many as fill a sample; a short one warms caches first."""
    start = time.thread_time()
    run()
    passed = time.thread_time() - start
    if passed > LONG_S:
        return passed
    count, start = 0, time.thread_time()
    while True:
        run()
        count += 1
        passed = time.thread_time() - start
        if passed > LEAST_S:
            return passed / count


if __name__ == "__main__":
    sys.exit(main())
