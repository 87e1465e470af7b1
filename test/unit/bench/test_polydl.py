# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/polydl: variants run natively and compute the same; what is trained on made-up times ranks by them."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import preloaded
import pytest

from roller_mlir.model.polydl.tournament import TournamentNetwork, load_network, ranked

FOLDER = Path(__file__).parents[3] / "bench" / "polydl"
sys.path.append(str(FOLDER))


from nest_kernel import Kernel, native_columns  # noqa: E402
from nest_problems import convolution, product, variants  # noqa: E402
from nest_timing import measured  # noqa: E402
from rank_score import scored  # noqa: E402
from ranking_cases import Case, case, read_cases  # noqa: E402
from tournament_training import Settings, fit_factors, gradients, least_squares, train  # noqa: E402

from roller_mlir.model.polydl.caches import Cache  # noqa: E402

WIDTH = native_columns()

CACHES = [
    {"name": "l1", "capacity_bytes": 32 << 10, "latency_s": 1e-9, "bandwidth_bytes_per_s": 1e11},
    {"name": "l2", "capacity_bytes": 1 << 20, "latency_s": 4e-9, "bandwidth_bytes_per_s": 5e10},
    {"name": "l3", "capacity_bytes": 32 << 20, "latency_s": 1e-8, "bandwidth_bytes_per_s": 2e10},
    {"name": "global", "capacity_bytes": None, "latency_s": 1e-7, "bandwidth_bytes_per_s": 1e10},
]


@pytest.mark.parametrize(
    "problem", [product(16, 64, 48, WIDTH), convolution(16, 64, 7, 3, 1, WIDTH), convolution(16, 32, 8, 1, 2, WIDTH)]
)
def test_variants_compute_the_operator(problem: Any) -> None:
    rows = 8 if problem.expression.bounds[problem.rows] % 8 == 0 else 7
    kernel = Kernel(rows)
    found = variants(problem, rows, 3, seed=1)
    assert len({nest.loops for nest in found}) == len(found) == 3
    draw = np.random.default_rng(0)
    shapes = [one.static_shape for one in (*problem.expression.inputs, problem.expression.output)]
    a, b = [draw.integers(-4, 5, shape).astype(np.float32) for shape in shapes[:2]]
    c = np.zeros(shapes[2], np.float32)
    b_dense = np.moveaxis(b, 0, -2).reshape(*b.shape[1:-1], -1)
    if len(a.shape) == 2:
        expected = (a @ b_dense).reshape(c.shape)
    else:
        taps, size = b_dense.shape[0], c.shape[0]
        step = (a.shape[0] - taps) // (size - 1)
        pieces = [
            a[h : h + step * size : step, w : w + step * size : step][:size, :size] @ b_dense[h, w]
            for h in range(taps)
            for w in range(taps)
        ]
        expected = sum(pieces).reshape(c.shape)
    for nest in found:
        c[...] = 0
        kernel.bound(problem, nest, (a, b, c))()
        assert np.array_equal(c, expected), nest.loops
    with pytest.raises(ValueError, match=f"the micro kernel has {rows + 1} x {kernel.columns}, but got"):
        Kernel(rows + 1).bound(problem, found[0], (a, b, c))


def test_measured_variants_have_times() -> None:
    found = measured(product(16, 64, 48, WIDTH), 3, 1)
    assert len(found) == 3 and all(seconds > 0 for _, seconds in found)


def test_gradients_are_differences() -> None:
    draw = np.random.default_rng(1)
    widths = (8, 64, 32, 16, 8, 2)
    weights = [draw.normal(0, 0.3, ends) for ends in pairwise(widths)]
    biases = [draw.normal(0, 0.1, n) for n in widths[1:]]
    inputs, wanted = draw.random((5, 8)), np.eye(2)[draw.integers(0, 2, 5)]

    def loss() -> float:

        outputs = TournamentNetwork(("a", "b", "c", "d"), "held_bytes", tuple(weights), tuple(biases), {}).outputs(
            inputs
        )
        return float(-(np.log(outputs) * wanted).sum(axis=1).mean())

    for value, slope in zip([*weights, *biases], gradients(weights, biases, inputs, wanted), strict=True):
        place = tuple(int(draw.integers(0, n)) for n in value.shape)
        before, step = value[place], 1e-6
        value[place] = before + step
        above = loss()
        value[place] = before - step
        below = loss()
        value[place] = before
        assert slope[place] == pytest.approx((above - below) / (2 * step), abs=1e-6)


def made_up(count: int, seed: int) -> list[Case]:
    """Return variants whose time is that of the bytes which memory and the last cache hold."""
    draw = np.random.default_rng(seed)
    held = draw.integers(0, 1_000_000, (count, 4)) * np.array([0, 0.1, 1, 1])
    return [
        Case(("l1", "l2", "l3", "global"), tuple(map(int, row)), tuple(row), 0.0, (1.0,), float(row[3] + 0.2 * row[2]))
        for row in held
    ]


def test_a_trained_network_ranks_what_it_has_not_seen() -> None:
    network = train([made_up(24, seed) for seed in range(6)], "held_bytes", Settings(epochs=8))
    others = made_up(24, 99)
    order = ranked(network, [one.held for one in others])
    places = np.empty(24)
    places[list(order)] = np.arange(24)
    assert scored(places, np.array([one.seconds for one in others])).correlation > 0.9


def test_factors_are_found() -> None:
    draw = np.random.default_rng(0)
    matrix = draw.random((50, 4))
    assert least_squares(matrix, matrix @ [1, 0, 3, 0.5]) == pytest.approx(np.array([1, 0, 3, 0.5]), abs=1e-6)
    assert least_squares(matrix, -matrix.sum(axis=1)).tolist() == [0, 0, 0, 0]


def data(tmp_path: Path, time_of: Any) -> Path:
    """Write measurements of some variants whose times are a function of what the model says of them."""
    caches = [Cache(**one) for one in CACHES]
    rows = []
    for problem in (product(512, 512, 512, 32), product(1024, 64, 2048, 32), convolution(64, 64, 56, 3, 1, 32)):
        for nest in variants(problem, 8, 10, seed=3):
            loops = [[one.axis, one.count, one.size] for one in nest.loops]
            rows.append([problem.name, loops, time_of(case(nest, caches, 0.0))])
    file = tmp_path / "data.json"
    file.write_text(json.dumps({"provenance": {"machine": "made up"}, "panel": 32, "caches": CACHES, "rows": rows}))
    return file


def trained(tmp_path: Path, file: Path, *more: str) -> tuple[int, str, str, Path]:
    weights = tmp_path / "weights.json"
    command = preloaded.python(str(FOLDER / "train.py"), str(file), "-o", str(weights), "--folds", "3", *more)
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr, weights


def test_weights_are_written_where_the_network_is_better(tmp_path: Path) -> None:
    file = data(tmp_path, lambda one: 1 / (1 + sum(one.served)))
    code, out, err, weights = trained(tmp_path, file, "--epochs", "40")
    assert (code, err) == (0, "")
    assert "| mean |" in out and "'tournament, served' ranks better than the best cost model" in out
    network = load_network(weights)
    assert (network.layers, network.statistic) == (("l1", "l2", "l3", "global"), "served_bytes")
    assert network.provenance["machine"] == "made up" and network.provenance["variants"] == "30"
    assert "tournament" in network.provenance["held out"]
    assert len(read_cases(json.loads(file.read_text()))) == 3


def test_no_weights_where_it_is_not(tmp_path: Path) -> None:
    """Times that are the fitted model's own: no network does better."""
    file = data(tmp_path, lambda one: sum(one.terms[:3]))
    code, out, err, weights = trained(tmp_path, file, "--epochs", "1")
    assert code == 1 and "does not rank better" in out
    assert err == f"error: no weights are written to {weights}\n" and not weights.exists()


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([["1x1x1", [], 1.0]], "'1x1x1' is no problem of nest_problems.py"),
        ([], "folds must be 2 to the number of problems, 0"),
    ],
)
def test_refusals(tmp_path: Path, rows: list[Any], problem: str) -> None:
    file = tmp_path / "data.json"
    file.write_text(json.dumps({"provenance": {}, "panel": 32, "caches": CACHES, "rows": rows}))
    code, _, err, _ = trained(tmp_path, file)
    assert code == 1 and problem in err


@pytest.mark.full
def test_page_says_what_the_cost_models_do() -> None:
    """The means of what is computed alike everywhere: Equation 1 and the fitted model, on the data that are here."""
    problems = read_cases(json.loads((FOLDER / "results" / "zen4.json").read_text()))
    names = sorted(problems)
    found: dict[str, list[Any]] = {"equation 1": [], "seconds, fitted": []}
    for fold in range(6):
        factors = fit_factors([problems[name] for name in names if name not in names[fold::6]])
        for name in names[fold::6]:
            cases = problems[name]
            seconds = np.array([one.seconds for one in cases])
            found["equation 1"].append(scored(np.array([one.cost for one in cases]), seconds))
            found["seconds, fitted"].append(scored(np.array([one.terms for one in cases]) @ factors, seconds))
    page = (FOLDER.parents[1] / "docs" / "method" / "polydl.md").read_text()
    means = [line for line in page.splitlines() if line.startswith("| mean |")]
    for scores in found.values():
        first, five, correlation = np.mean(scores, axis=0)
        entry = f"| {100 * first:.1f} %, {100 * five:.1f} %, {correlation:.2f} |"
        assert any(entry in line for line in means)
