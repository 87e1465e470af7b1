# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The predictions that miss most, each with its explanation from explanations.toml."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from across_operators import LAYERS, Across
from markdown_table import table
from within_operators import Layer, tile, worst_tiles

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.cnnopt_rows import row_work
from roller_mlir.model.cost.timing import seconds_by_layer

EXPLANATIONS = Path(__file__).with_name("explanations.toml")


def read_explanations(path: Path = EXPLANATIONS) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return explanations by part ("within", "across"), device and what is explained."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def explain(part: str, device: str, subject: str, path: Path = EXPLANATIONS) -> str:
    """Return an explanation on one line. Raises SuiteError where there is none."""
    try:
        return _marked(" ".join(read_explanations(path)[part][device][subject].split()))
    except KeyError:
        message = f"[{part}.{device}] explains no '{subject}', which is now among the worst predictions"
        raise SuiteError(message, file=str(path)) from None


def _marked(text: str) -> str:
    for word in ("established:", "conjecture:"):
        text = text.replace(word, f"*{word}*")
    return text


def worst_operators(one: Across, path: Path = EXPLANATIONS) -> str:
    """Return a device's ten worst operators: the layers are shares of the measured time."""
    rows: list[list[str]] = []
    for number, i in enumerate(one.worst(), 1):
        found, measured, work = one.found[i], float(one.measured[i]), one.found[i].work
        shares = ", ".join(f"{key} {found.seconds_by_layer[key] / measured:.2f}" for key in LAYERS)
        counts = f"{work.tasks} tasks, {work.resident} a unit, {work.steps} step{'s' * (work.steps > 1)}"
        name, tiles = one.operators[i].id, str(one.operators[i].tiles[one.name])
        what = f"{name}, {one.operators[i].kind}, `{tiles}`, {measured * 1e3:.3g} ms"
        why = explain("across", one.name, name, path)
        rows.append([str(number), what, f"{one.errors()[i]:+.2f}", f"**{found.saturated}**; {shares}; {counts}", why])
    return table(("", "operator, tile, measured", "log2", "what limits it in the model", "why"), rows)


def worst_rows(layers: Sequence[Layer], path: Path = EXPLANATIONS) -> str:
    """Return a device's ten worst tiles: the layers are shares of the predicted time."""
    rows: list[list[str]] = []
    for number, (signed, one, row) in enumerate(worst_tiles(layers), 1):
        work = row_work(one.rows[row], one.machine)
        if work is None:
            raise SuiteError(f"{one.name} {tile(one.rows[row])} was measured on {one.device}, which cannot hold it")
        seconds = seconds_by_layer(work, one.machine)
        del seconds["launch"]
        order = sorted(seconds, key=lambda key: -seconds[key])
        shares = ", ".join(f"{key} {seconds[key] / one.predicted[row]:.2f}" for key in order[1:3])
        slowest = f"**{order[0]}** {seconds[order[0]] / one.predicted[row]:.2f}"
        counts = f"{work.tasks} tasks, {work.resident} a unit, {work.steps} steps, {work.spilled_words:g} spilled words"
        name = f"{one.name} {tile(one.rows[row])}"
        what = f"`{one.name}`, `{tile(one.rows[row])}`"
        why = explain("within", one.device, name, path)
        rows.append([str(number), what, f"{signed:+.2f}", f"{slowest}, {shares}; {counts}", why])
    return table(("", "layer, tile", "log2", "what limits it in the model", "why"), rows)
