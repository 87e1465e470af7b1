# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch that are said otherwise before they are lowered give what eager mode gives; needs torch."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers.torch import import_model

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore")  # torch warns of its own modules
OPTIONS = CompileOptions(binaries=False)
NAN, INF = math.nan, math.inf
R, attend = torch.randn, torch.nn.functional.scaled_dot_product_attention


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Any) -> Any:
        return self.function(*inputs)


def agrees(function: Callable[..., Any], *inputs: Any) -> None:
    wanted = function(*(one.clone() for one in inputs))
    program = torch.export.export(Function(function), inputs, strict=False)
    artifact = roller_mlir.compile(import_model(program), target="h200", options=OPTIONS)
    found = artifact.run(*(one.numpy() for one in inputs))
    tensors = [one for one in (wanted if isinstance(wanted, tuple) else (wanted,)) if one is not None]
    for one, other in zip(found, tensors, strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-4, atol=1e-5)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(3)


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x: x.cumsum(1), lambda: [R(3, 7)]),
        (lambda x: x.cumsum(0), lambda: [torch.randint(0, 9, (601, 2))]),
        (lambda x: (x > 0).cumsum(-1), lambda: [R(3, 7)]),
        (lambda x: x.cumprod(0), lambda: [torch.rand(300, 2) * 0.1 + 0.95]),
        (lambda x: x.logcumsumexp(1), lambda: [R(2, 5)]),
        (lambda x: x.cummax(1), lambda: [torch.tensor([[1.0, 2, 2, NAN, 1, 5]])]),
        (lambda x: x.cummin(0), lambda: [torch.randint(-9, 9, (6, 3))]),
        (lambda x: x.sort(1), lambda: [torch.tensor([[1.0, NAN, 3, -2, INF, NAN, 0, 3]])]),
        (lambda x: x.sort(1, descending=True), lambda: [torch.tensor([[1.0, NAN, 3, -2, INF, NAN, 0, 3]])]),
        (lambda x: torch.sort(x, dim=0, stable=True), lambda: [torch.randint(0, 3, (9, 2))]),
        (lambda x: x.argsort(1), lambda: [R(3, 7)]),
        (lambda x: x.topk(3, 1), lambda: [R(3, 7)]),
        (lambda x: x.topk(2, 0, largest=False), lambda: [R(5, 1)]),
        (lambda x: x.topk(3, 1, sorted=False)[0].sum(1), lambda: [R(3, 7)]),
        (lambda x: x.kthvalue(3, 1), lambda: [R(3, 7)]),
        (lambda x: x.median(), lambda: [R(3, 5)]),
        (lambda x: x.median(0, True), lambda: [R(4, 5)]),
        (lambda x: x.median(1)[0], lambda: [torch.tensor([[1.0, NAN, 3], [3, 1, 2]])]),
        (lambda x: x.quantile(0.3, 1), lambda: [R(3, 7)]),
    ],
)
def test_order_of_rows(function: Callable[..., Any], inputs: Callable[[], list[Any]]) -> None:
    agrees(function, *inputs())


def _mask_rows(x: Any) -> Any:
    y = x.clone()
    y[x[:, 0] > 0] = 0.5
    return y


def _mask_elements(x: Any) -> Any:
    y = x.clone()
    y[x > 0] = -1
    return y


def _write_some(x: Any) -> Any:
    y = x.clone()
    y[torch.tensor([0, -1])] = 0.5
    y[:, 2] = 3
    y[..., -1] += 1
    return y


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (lambda x, i, s: x.scatter(1, i, s), lambda: [R(4, 7, 3), torch.randint(0, 7, (2, 3, 2)), R(3, 5, 3)]),
        (lambda x, i: x.scatter(1, i, 2.0), lambda: [R(3, 7), torch.randint(0, 7, (3, 4))]),
        (lambda x, i, s: x.scatter_add(0, i, s), lambda: [R(4, 7), torch.randint(0, 4, (3, 5)), R(3, 5)]),
        (lambda x, i, s: x.scatter_reduce(1, i, s, "amax"), lambda: [R(3, 7), torch.randint(0, 7, (3, 4)), R(3, 4)]),
        (lambda x, i, y: x.index_put((i,), y), lambda: [R(3, 7), torch.tensor([-1, 0]), R(2, 7)]),
        (
            lambda x, i, y: x.index_put((i,), y, accumulate=True),
            lambda: [R(3, 7), torch.tensor([-1, 2, 0]), R(3, 7)],
        ),
        (
            lambda x, i, j, y: x.index_put((i, j), y),
            lambda: [R(3, 7), torch.tensor([2, -3]), torch.tensor([-2, 1]), R(2)],
        ),
        (lambda x, i, y: x.index_copy(1, i, y), lambda: [R(3, 7, 2), torch.tensor([5]), R(3, 1, 2)]),
        (lambda x, i, y: x.index_copy(0, i, y), lambda: [R(5, 2), torch.tensor([4, 1]), R(2, 2)]),
        (lambda x, i, y: x.index_add(1, i, y), lambda: [R(3, 7), torch.tensor([2, 2]), R(3, 2)]),
        (lambda x, i: x.index_fill(1, i, 2.0), lambda: [R(3, 7), torch.tensor([2, 5])]),
        (_mask_rows, lambda: [R(5, 3)]),
        (_mask_elements, lambda: [R(5, 3)]),
        (_write_some, lambda: [R(4, 5)]),
        (lambda x, y: x.masked_scatter(x > 0, y), lambda: [R(3, 4), R(3, 4)]),
        (lambda x: torch.histc(x, 7), lambda: [R(50)]),
        (lambda x: torch.histc(x, 4, -1, 1), lambda: [torch.tensor([-1.0, 1, 2, 0, 0.5, -3])]),
        (lambda x: torch.histc(x, 3), lambda: [torch.ones(4)]),
        (
            lambda s, v: torch.searchsorted(s, v, right=True),
            lambda: [torch.tensor([[1.0, 2, 2, 3], [0, 0, 5, 6]]), torch.tensor([[2.0, 0], [0, 9]])],
        ),
        (lambda s, v: torch.searchsorted(s, v), lambda: [torch.tensor([1.0, 2, 2]), torch.tensor([[2.0, NAN, 9]])]),
    ],
)
def test_writes_at_positions(function: Callable[..., Any], inputs: Callable[[], list[Any]]) -> None:
    agrees(function, *inputs())


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, INF])
def test_distances(p: float) -> None:
    agrees(lambda a, b: torch.cdist(a, b, p), R(2, 3, 4), R(2, 5, 4))


def test_lengths_of_sides_do_not_overflow() -> None:
    agrees(torch.hypot, torch.tensor([3.0, 0, 1e30, INF, -4]), torch.tensor([4.0, 0, 1e30, NAN, 3]))


@pytest.mark.parametrize("pads", [(0, 0, 1, -1), (-1, 2, 1, -1), (0, 0, -1, 1), (-1, -1)])
def test_paddings_that_cut_off(pads: tuple[int, ...]) -> None:
    agrees(lambda x: torch.nn.functional.pad(x, pads, value=2.0) * 0.5, R(1, 5, 4))


def _hidden_row() -> Any:
    mask = torch.rand(2, 1, 5, 7) > 0.5
    mask[0, 0, 2] = False
    return mask


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (attend, lambda: [R(2, 4, 5, 8), R(2, 4, 7, 8), R(2, 4, 7, 6)]),
        (attend, lambda: [R(5, 8), R(7, 8), R(7, 6)]),
        (lambda q, k, v: attend(q, k, v, is_causal=True), lambda: [R(2, 4, 5, 8), R(2, 4, 7, 8), R(2, 4, 7, 6)]),
        (lambda q, k, v: attend(q, k, v, is_causal=True), lambda: [R(1, 2, 9, 8), R(1, 2, 7, 8), R(1, 2, 7, 6)]),
        (attend, lambda: [R(2, 4, 5, 8), R(2, 4, 7, 8), R(2, 4, 7, 6), R(5, 7)]),
        (attend, lambda: [R(2, 4, 5, 8), R(2, 4, 7, 8), R(2, 4, 7, 6), _hidden_row()]),
        (
            lambda q, k, v, m: attend(q, k, v, m, enable_gqa=True, scale=0.3),
            lambda: [R(2, 4, 5, 8), R(2, 2, 7, 8), R(2, 2, 7, 6), torch.rand(2, 4, 5, 7) > 0.3],
        ),
        (
            lambda q, k, v, m: attend(q, k, v, m, enable_gqa=True),
            lambda: [R(2, 6, 5, 8), R(2, 2, 7, 8), R(2, 2, 7, 6), torch.rand(6, 5, 7)],
        ),
        (
            lambda q, k, v, m: attend(q, k, v, m, enable_gqa=True),
            lambda: [R(1, 4, 1, 8), R(1, 2, 7, 8), R(1, 2, 7, 8), _hidden_row()[:1, :, :1]],
        ),
        (
            lambda q, k, v: attend(q, k, v, is_causal=True, enable_gqa=True),
            lambda: [R(1, 9, 3, 8), R(1, 3, 7, 8), R(1, 3, 7, 6)],
        ),
    ],
)
def test_attention(function: Callable[..., Any], inputs: Callable[[], list[Any]]) -> None:
    agrees(function, *inputs())


class Decoder(torch.nn.Module):
    """A step of attention over a cache that it writes, as transformers' static caches do."""

    def __init__(self, steps: int = 6) -> None:
        super().__init__()
        self.project = torch.nn.Linear(8, 16)
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("keys", torch.zeros(1, 1, steps, 4))
        self.register_buffer("values", torch.zeros(1, 1, steps, 4))

    def forward(self, x: Any) -> Any:
        q, k, v = self.project(x).view(1, 4, 1, 4).split([2, 1, 1], 1)
        place = self.count.view(1)
        self.keys.index_copy_(2, place, k)
        self.values.index_copy_(2, place, v)
        mask = torch.arange(self.keys.shape[2]) <= self.count
        self.count += 1
        return attend(q, self.keys, self.values, mask.view(1, 1, 1, -1), enable_gqa=True)


@pytest.mark.parametrize("target", ["h200", "host"])
def test_buffers_that_a_model_changes_are_arguments_and_results(target: str) -> None:
    model, steps = Decoder().eval(), R(4, 1, 8)
    program = torch.export.export(model, (steps[0],))
    imported = import_model(program)
    assert list(imported.state) == ["count", "keys", "values"]
    assert [one.shape for one in imported.state.values()] == [(), (1, 1, 6, 4), (1, 1, 6, 4)]
    artifact = roller_mlir.compile(imported, target=target, options=CompileOptions(binaries=target == "host"))
    assert len(artifact.manifest.inputs) == len(artifact.manifest.outputs) == 4
    state: list[Any] = list(imported.state.values())
    for step in steps:
        found, *state = artifact.run(step.numpy(), *state)
        with torch.no_grad():
            wanted = model(step)
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-4, atol=1e-6)
    for ours, buffer in zip(state, (model.count, model.keys, model.values), strict=True):
        np.testing.assert_allclose(ours, buffer.numpy(), rtol=1e-4, atol=1e-6)


def test_inputs_that_a_model_changes_are_results() -> None:
    def function(x: Any, y: Any) -> Any:
        x.add_(y)
        return y * x

    x, y = R(3, 4), R(3, 4)
    program = torch.export.export(Function(function), (x.clone(), y))
    product, changed = roller_mlir.compile(import_model(program), options=OPTIONS).run(x.numpy(), y.numpy())
    np.testing.assert_allclose(changed, (x + y).numpy(), rtol=1e-6)
    np.testing.assert_allclose(product, (y * (x + y)).numpy(), rtol=1e-6)


def test_a_model_that_trains_is_imported_with_a_warning() -> None:
    model, x = torch.nn.BatchNorm1d(4).train(), R(6, 4)
    program = torch.export.export(model, (x,))
    with pytest.warns(RuntimeWarning, match=r"'-' counts statistics of its batches, .*model\.eval\(\) freezes them"):
        imported = import_model(program)
    assert sorted(imported.state) == ["num_batches_tracked", "running_mean", "running_var"]
    found, *state = roller_mlir.compile(imported, options=OPTIONS).run(x.numpy(), *imported.state.values())
    with torch.no_grad():
        np.testing.assert_allclose(found, model(x).numpy(), rtol=1e-4, atol=1e-5)
    means = dict(zip(imported.state, state, strict=True))["running_mean"]
    np.testing.assert_allclose(means, model.running_mean.numpy(), rtol=1e-4, atol=1e-6)
