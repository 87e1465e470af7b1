# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The size of an operator does not matter for the work of its construction.

Paper: ROLLER section 5.1, Figure 14.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from statistics import median

import pytest
from counted_work import calls
from model_expressions import expression, matmul

import roller_mlir.mapping
import roller_mlir.model
import roller_mlir.plan
from roller_mlir.hal import find_device
from roller_mlir.model import construct
from roller_mlir.plan import TensorExpression

MOST = 1.6
"""The most calls against the median, as small operators may be decided early; times are in the documentation."""


def caches() -> Iterator[Callable[[], None]]:
    """Yield what forgets each thing that planning remembers from one construction to the next."""
    for package in (roller_mlir.mapping, roller_mlir.model, roller_mlir.plan):
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(importlib.import_module(one.name)).values():
                if hasattr(value, "cache_clear"):
                    yield value.cache_clear


def conv(batch: int) -> TensorExpression:
    """Return a 3x3 convolution of 28x28 images of 128 channels, NCHW."""
    image = ("I", (batch, 128, 30, 30), (0, 4, {2: 1, 5: 1}, {3: 1, 6: 1}))
    weight = ("W", (128, 128, 3, 3), (1, 4, 5, 6))
    return expression([batch, 128, 28, 28], [128, 3, 3], [image, weight], ("O", (batch, 128, 28, 28), (0, 1, 2, 3)))


PRODUCTS = {m: matmul(m, 4096, 1024) for m in (512, 1024, 2048, 4096, 8192, 16384)}
CONVOLUTIONS = {batch: conv(batch) for batch in (128, 256, 512, 1024, 2048, 4096, 8192)}


def test_there_are_caches_to_clear() -> None:
    assert len(list(caches())) >= 8


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", ["v100", "h200"])
@pytest.mark.parametrize("family", [PRODUCTS, CONVOLUTIONS], ids=["matmul", "conv"])
def test_size_does_not_matter(family: dict[int, TensorExpression], name: str) -> None:
    """The calls of a construction that remembers nothing."""
    device, forget = find_device(name), list(dict.fromkeys(caches()))
    found: dict[int, int] = {}
    for size, expr in family.items():
        for clear in forget:
            clear()
        found[size] = calls(lambda expr=expr: construct(expr, device))
    assert max(found.values()) <= MOST * median(found.values()), found
