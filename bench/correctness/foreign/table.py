# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run other people's functions of linalg on tensors in the simulator, say in docs/reference/limits.md how they fared.

    python bench/correctness/foreign/table.py --named-ops                                    # upstream's named ops
    python bench/correctness/foreign/table.py --tree LLVM=llvm-toolchain-22-22.1.8/mlir/test --tree IREE=iree
    python bench/correctness/foreign/table.py ... --date 2026-11-22 --write        # in docs/reference/limits.md
    python bench/correctness/foreign/table.py --write                                        # from results.json alone

Sources that a run with --write does not name stay in results.json and on the page as they are. A tree is a checkout or
an unpacked source package, such as Debian's of LLVM (`apt-get source llvm-toolchain-22`). Nothing of it is kept here.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from functions import Function, Tree, functions_of
from job import ENTRY, Job, Outcome
from named_ops import named_op_functions

from roller_mlir.support.jobs.pool import JobPool

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "limits.md"
RESULTS = Path(__file__).parent / "results.json"
BEGIN, END = "<!-- foreign functions: begin -->", "<!-- foreign functions: end -->"
NAMED_OPS = "named ops"
RIGHT = ("matches", "shrunk")
FAILURES = ("wrong", "fault", "internal", "crash", "hang")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=DIR", help="a tree of .mlir files")
    parser.add_argument("--named-ops", action="store_true", help="upstream's named structured ops")
    parser.add_argument("--target", default="h200", help="device (h200)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--limit", type=float, default=300.0, metavar="SECONDS", help="time for a function (300)")
    parser.add_argument("--only", default="", help="functions whose file or name contains this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th function only (1)")
    parser.add_argument("--failures", type=Path, help="folder for the functions that fail or are refused, as they come")
    parser.add_argument("--date", type=date.fromisoformat, help="today, for the page: YYYY-MM-DD")
    parser.add_argument("--write", action="store_true", help="write the section of docs/reference/limits.md")
    options = parser.parse_args()
    if options.write and options.date is None and (options.tree or options.named_ops):
        parser.error("--write needs --date")
    # Workers import the module of the job by its name.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    results: dict[str, dict[str, Any]] = {}
    for name, tree, functions in sources(options):
        kept = [one for one in functions if options.only in f"{one.file} {one.name}"][:: options.every]
        started = time.perf_counter()
        outcomes = tried(kept, options, options.failures / name if options.failures else None)
        found = summary(name, tree, kept, outcomes, time.perf_counter() - started)
        results[name] = {"date": str(options.date), "target": options.target, **found}
        print(json.dumps(results[name], indent=1))
    if options.write:
        known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        results = {**known, **results}
        replace_file(RESULTS, json.dumps(results, indent=1) + "\n")
        replace_file(PAGE, with_section(PAGE.read_text(), section(results)))
    return 1 if any(one["outcomes"].get(kind) for one in results.values() for kind in FAILURES) else 0


def sources(options: argparse.Namespace) -> Iterator[tuple[str, Tree, Iterator[Function]]]:
    """Yield what is asked for: a name, what is counted of it, and its functions."""
    if options.named_ops:
        yield NAMED_OPS, Tree(), named_op_functions()
    for one in options.tree:
        name, _, folder = one.partition("=")
        if not Path(folder).is_dir():
            sys.exit(f"error: --tree {one}: {folder or 'a folder'} is no folder; write NAME=DIR")
        tree = Tree()
        yield name, tree, functions_of(Path(folder), tree)


def tried(functions: list[Function], options: argparse.Namespace, failures: Path | None) -> dict[int, Outcome]:
    """Return what became of each function that upstream's dialects can express, by its number.

    What does not match is written to the folder of failures at once: a run that is ended leaves what it found.
    """
    jobs = [(i, Job(one.text, options.target)) for i, one in enumerate(functions) if not one.unregistered]
    outcomes: dict[int, Outcome] = {}
    with JobPool[Job, Outcome](options.jobs, options.limit, ENTRY, Outcome) as pool:
        for number, outcome in pool.run(jobs):
            outcomes[number] = outcome
            if failures:
                keep(failures, number, functions[number], outcome)
            if len(outcomes) % 50 == 0:
                print(f"{len(outcomes)} of {len(jobs)}", file=sys.stderr, flush=True)
    return outcomes


def summary(
    name: str, tree: Tree, functions: list[Function], outcomes: dict[int, Outcome], seconds: float
) -> dict[str, Any]:
    """Return what the page says of a source, but for the day and the target."""
    reasons = Counter(f"{one.status}: {one.signature}" for one in outcomes.values() if one.status not in RIGHT)
    return {
        "name": name,
        "files": tree.files,
        "unread": tree.unread,
        "dynamic": tree.dynamic,
        "functions": len(functions),
        "unregistered": sum(one.unregistered for one in functions),
        "outcomes": dict(Counter(one.status for one in outcomes.values())),
        "reasons": reasons.most_common(),
        "seconds": round(seconds),
    }


def keep(folder: Path, number: int, function: Function, outcome: Outcome) -> None:
    """Write a function that did not match, with the reason above it."""
    if outcome.status in RIGHT:
        return
    folder.mkdir(parents=True, exist_ok=True)
    head = f"// {outcome.status}: {outcome.message.splitlines()[0]}\n// {function.file}, part {function.part}\n"
    (folder / f"{outcome.status}-{number:04}.mlir").write_text(head + function.text)


def section(results: dict[str, dict[str, Any]]) -> str:
    """Return the section of the page."""
    rows = [
        "| source | date, device | functions | run and match | plans run at small extents | compile, too large to run "
        "| refused | wrong or failed | of unregistered dialects |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in results.values():
        outcomes = one["outcomes"]
        tried_count = sum(outcomes.values())
        share = f"{100 * outcomes.get('matches', 0) / max(1, tried_count):.1f} %"
        failed = sum(outcomes.get(kind, 0) for kind in FAILURES)
        rows.append(
            f"| {one['name']} | {one['date']}, {one['target']} | {one['functions']} | "
            f"{outcomes.get('matches', 0)} ({share}) | {outcomes.get('shrunk', 0)} | {outcomes.get('compiles', 0)} | "
            f"{outcomes.get('refused', 0)} | {failed} | {one['unregistered']} |"
        )
    reasons = Counter[str]()
    for one in results.values():
        for reason, count in one["reasons"]:
            reasons[reason] += count
    trees = "".join(f" --tree {name}=DIR" for name in results if name != NAMED_OPS)
    command = f"python bench/correctness/foreign/table.py --named-ops{trees} --date DATE --write"
    shrunk = any(one["outcomes"].get("shrunk") for one in results.values())
    small = " Of one that is too large, each kernel ran at small extents with its plan of full size." if shrunk else ""
    lines = [
        BEGIN,
        "## Functions that others wrote",
        "",
        f"In the simulator, against the reference; made by `{command}`.",
        "Shares are of the functions that need upstream's dialects alone." + small,
        "",
        *rows,
        "",
        "| what became of the others | functions |",
        "|---|---:|",
        *(f"| {reason.replace('|', '/')} | {count} |" for reason, count in reasons.most_common()),
        END,
    ]
    return "\n".join(lines) + "\n"


def with_section(page: str, text: str) -> str:
    """Return the page with the section, in the place of the old one or before the part that `roller fuzz` writes."""
    if BEGIN not in page:
        head, counted, rest = page.partition("## Random programs")
        return head.rstrip("\n") + "\n\n" + text + "\n" + counted + rest
    head, _, rest = page.partition(BEGIN)
    return head + text + rest.partition(END + "\n")[2]


def replace_file(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    aside = path.with_name(f".{path.name}.partial")
    aside.write_text(text)
    aside.replace(path)


if __name__ == "__main__":
    sys.exit(main())
