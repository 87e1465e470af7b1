# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of every class, compiled for this machine and for an older one, run by it and compared with numpy."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from cpu_programs import compiled, differences, product, targets

from roller_mlir.evaluation.fuzz.case import job_of
from roller_mlir.evaluation.fuzz.generate import make_case
from roller_mlir.evaluation.fuzz.jobs.execute import run_job

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
CASES = 24


@pytest.mark.full(every=7)
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("name", NAMES)
def test_examples_equal_numpy(name: str, target: str) -> None:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    assert differences(text, compiled(text, target), values="normal") == []


@pytest.mark.full(every=16)
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize(
    "extents",
    [(1, 1, 1), (7, 33, 5), (16, 64, 32), (3, 17, 129), (65, 15, 1), (1, 100, 64), (100, 1, 64), (13, 13, 13)],
)
def test_products_of_any_extents_equal_numpy(extents: tuple[int, int, int], target: str) -> None:
    text = product(*extents)
    assert differences(text, compiled(text, target)) == []


def test_forced_tiles_equal_numpy() -> None:
    for sizes in ((3, 48, 33), (14, 16, 1), (1, 1, 33)):
        text = product(31, 50, 33)
        assert differences(text, compiled(text, tile_sizes=sizes)) == []


def _numbers() -> Iterator[int]:
    yield from range(CASES)


@pytest.mark.full(every=6)
@pytest.mark.parametrize("number", list(_numbers()))
def test_random_programs_equal_numpy(number: int) -> None:
    case = make_case(18, number, targets() or ("spr",))
    outcome = run_job(job_of(case))
    assert not outcome.failed, outcome.message


def test_f64_is_rounded_to_f16_once() -> None:
    """Halfway cases of f16 that f32 does not see, among them denormals and the largest."""
    text = """func.func @narrow(%a: tensor<4096xf64>) -> tensor<4096xf16> {
  %e = tensor.empty() : tensor<4096xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : tensor<4096xf64>) outs(%e : tensor<4096xf16>) {
  ^bb0(%x: f64, %y: f16):
    %t = arith.truncf %x : f64 to f16
    linalg.yield %t : f16
  } -> tensor<4096xf16>
  return %r : tensor<4096xf16>
}"""
    halves = np.arange(0, 0x7BFF, 31, dtype=np.uint16).view(np.float16).astype(np.float64)[:1020]
    step = np.spacing(halves.astype(np.float16)).astype(np.float64) / 2
    halfway = halves + step
    values = np.concatenate([halfway, np.nextafter(halfway, 0), np.nextafter(halfway, np.inf), -halfway])
    values = np.resize(np.concatenate([values, [np.inf, -np.inf, 0.0, -0.0, 65519.99, 65520.0, 1e300]]), 4096)
    (found,) = compiled(text).run(values, on="cpu")
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    assert np.array_equal(found.view(np.uint16), expected.view(np.uint16))
