# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `roller suite` prints the records of a stage for people."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from roller_mlir.evaluation.suites import find_suite, suite_folder, suite_names
from roller_mlir.evaluation.suites.models import RAMMER6
from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.console.output import print_json, print_line, print_tables, seconds

Record = dict[str, Any]


def print_suites(as_json: bool) -> None:
    """Print the suites of the checkout."""
    found = {name: find_suite(name) for name in suite_names()}
    if as_json:
        print_json([{"suite": name, "operators": len(operators)} for name, operators in found.items()])
        return
    rows = [
        (name, str(len(operators)), ", ".join(dict.fromkeys(one.kind for one in operators)), str(suite_folder(name)))
        for name, operators in found.items()
    ]
    print_tables([("Suites", ("suite", "operators", "classes", "folder"), rows)])
    print_line(f"rammer6: whole models, each as one persistent kernel: {', '.join(RAMMER6)}")
    print_line("cnnopt-exhaustive --data DIR predicts the tiles in the CSV files of DIR")
    print_line("vendor-times --data DIR predicts what the files of DIR have published times of")


def print_records(stage: str, device: str, records: Sequence[Record]) -> None:
    """Print the records of a stage: a table, a summary, and on standard error what was refused."""
    good = [record for record in records if "error" not in record]
    title, header, row = _TABLES[stage]
    lines = [one for record in good for one in _candidates(record)] if stage == "ranked" else good
    if good:
        print_tables([(title.format(device=device), header, [row(line) for line in lines if "error" not in line])])
        print_line(_summary(stage, device, good))
    for record in (*records, *(line for line in lines if stage == "ranked")):
        if "error" in record:
            print_error(f"roller: error: {record['id']}: {record['error']}")


def _candidates(record: Record) -> list[Record]:
    """Return the candidates of an operator as records of their own, named as their artifacts are."""
    return [{**one, "id": f"{record['id']}.{one['rank']}", "class": record["class"]} for one in record["candidates"]]


def print_published(device: str, records: Sequence[Record]) -> None:
    """Print the predictions of published tiles."""
    header = ("id", "class", "block/step", "thread", "predicted", "limit", "published", "predicted/published")
    rows = [_published_row(record) for record in records]
    print_tables([(f"Published tiles on {device}: our prediction, and the time that was published", header, rows)])


def _published_row(record: Record) -> tuple[str, ...]:
    tiles, measured = record["tiles"], record["measured_s"]
    return (
        record["id"],
        record["class"],
        _extents(tiles["block"], tiles["step"]),
        _extents(tiles["thread"]),
        seconds(record["predicted_s"]),
        record["saturated"],
        "-" if measured is None else seconds(measured),
        "-" if measured is None else f"{record['predicted_s'] / measured:.2f}",
    )


def print_rows(device: str, records: Sequence[Record]) -> None:
    """Print which rows of each file are predicted to be the fastest, by their number from 1."""
    rows: list[Sequence[str]] = []
    for record in records:
        predicted: list[float | None] = record["predicted_s"]
        order = sorted((time, row) for row, time in enumerate(predicted, 1) if time is not None)
        fastest = seconds(order[0][0]) if order else "-"
        rows.append((record["file"], str(len(predicted)), fastest, " ".join(str(row) for _, row in order[:10])))
    header = ("file", "rows", "least predicted", "first ten rows by prediction")
    print_tables([(f"Tiles predicted for {device}", header, rows)])
    for note in dict.fromkeys(record["residual"] for record in records if record["residual"]):
        print_line(note)


def _summary(stage: str, device: str, records: Sequence[Record]) -> str:
    key = {"construct": "construct_s", "compile": "compile_s", "ranked": "compile_s", "run": "run_s"}[stage]
    times = [record[key] for record in records]
    worst = max(records, key=lambda record: record[key])
    verb = {"construct": "constructed", "run": "executed"}.get(stage, "compiled")
    text = (
        f"{len(records)} operator{'s' * (len(records) != 1)} {verb} for {device} in {seconds(sum(times))}: median "
        f"{seconds(median(times))}, worst {seconds(worst[key])} ({worst['id']})"
    )
    if stage in ("compile", "ranked"):
        compiled = records if stage == "compile" else [line for record in records for line in _candidates(record)]
        compiled = [one for one in compiled if "error" not in one]
        text += f"; {len(compiled)} candidates" if stage == "ranked" else ""
        text += f"; {_mismatches(compiled)}{_per_kernel(compiled)}"
    if stage == "run":
        wrong = [record["id"] for record in records if not record["matches"]]
        text += f"; do not match numpy: {', '.join(wrong)}" if wrong else "; all match numpy"
        shrunk = sum(record["shrunk"] for record in records)
        text += f"; {shrunk} shrunk, so that their plans are those of smaller operators" if shrunk else ""
    return text


def _mismatches(records: Sequence[Record]) -> str:
    """Count what the static quality gate found."""
    found = {record["id"]: len(record["mismatches"]) for record in records if record["mismatches"]}
    if not found:
        return "all machine code is what the plans expect"
    total = sum(found.values())
    return f"{total} mismatch{'es' * (total != 1)} of machine code and plan: {', '.join(found)}"


def _per_kernel(records: Sequence[Record]) -> str:
    """Return the time of one kernel, and which kernels spill."""
    kernels = [(record["kernel_s"], record["id"], kernel) for record in records for kernel in record["kernels"]]
    if not kernels:
        return ""
    worst = max(kernels, key=lambda one: one[0])
    middle = median([one[0] for one in kernels])
    text = f"; {len(kernels)} kernels, source to binary each: median {seconds(middle)}, worst {seconds(worst[0])}"
    text += f" ({worst[1]})"
    known = [one for one in kernels if one[2]["spill_bytes"] is not None]
    spilling = list(dict.fromkeys(one[1] for one in known if one[2]["spill_bytes"]))
    if known:
        text += f"; spills: {', '.join(spilling) or 'none'}"
    return text


def _extents(parallel: Sequence[int], reduction: Sequence[int] = ()) -> str:
    text = "x".join(map(str, parallel)) or "-"
    return f"{text}/{'x'.join(map(str, reduction))}" if reduction else text


def _construct_row(record: Record) -> tuple[str, ...]:
    tiles, loops, published = record["tiles"], record["loops"], record["published_s"]
    split = tiles["split"]
    return (
        record["id"],
        _extents(loops["parallel"], loops["reduction"]),
        str(record["programs"]),
        seconds(record["construct_s"]),
        seconds(record["predicted_s"]),
        record["saturated"],
        _extents(tiles["block"], tiles["step"]),
        _extents(tiles["thread"]),
        str(tiles["threads"]),
        str(tiles["stages"]),
        str(split["parts"]) if split else "-",
        *(seconds(published[name]) if name in published else "-" for name in ("library", "roller_top10")),
    )


def _compile_row(record: Record) -> tuple[str, ...]:
    def each(key: str) -> str:
        return ", ".join("-" if kernel[key] is None else str(kernel[key]) for kernel in record["kernels"]) or "-"

    predicted = record["predicted_s"]
    return (
        record["id"],
        record["class"],
        seconds(record["compile_s"]),
        "-" if predicted is None else seconds(predicted),
        str(len(record["kernels"])),
        each("registers"),
        each("spill_bytes"),
        each("shared_bytes"),
    )


def _run_row(record: Record) -> tuple[str, ...]:
    return (
        record["id"],
        record["class"],
        " ".join(f"{name}={size}" for name, size in record["sizes"].items()) or "-",
        "yes" if record["shrunk"] else "no",
        seconds(record["compile_s"]),
        seconds(record["run_s"]),
        "equal" if record["equal"] else "within bounds" if record["matches"] else "differs",
        f"{record['max_error']:.2f}",
        str(record["unsaid"]),
    )


_COMPILED: tuple[str, Sequence[str], Callable[[Record], Sequence[str]]] = (
    "Compiled for {device}; registers, spills and workgroup memory as the vendor's tools say",
    ("id", "class", "compile", "predicted", "kernels", "registers", "spills (B)", "workgroup (B)"),
    _compile_row,
)

_TABLES: dict[str, tuple[str, Sequence[str], Callable[[Record], Sequence[str]]]] = {
    "construct": (
        "Best programs for {device}, predicted by the model (not measured); published: library, roller",
        (
            *("id", "loops", "programs", "construct", "predicted", "limit", "block/step", "thread", "threads"),
            *("stages", "split", "library", "roller"),
        ),
        _construct_row,
    ),
    "compile": _COMPILED,
    "ranked": _COMPILED,
    "run": (
        "Executed as compiled for {device}: by the simulator, or by this machine where it is one of its kind",
        ("id", "class", "sizes", "shrunk", "compile", "execution", "against numpy", "error of permitted", "unsaid"),
        _run_row,
    ),
}
