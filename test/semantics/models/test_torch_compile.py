# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.compile(model, backend="roller")` gives what eager mode gives; needs torch."""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Any

import pytest

from roller_mlir.torch import backend

torch = pytest.importorskip("torch")
from . import torch_models  # noqa: E402 - it imports torch

# torch warns of its own modules; what we warn of is an error where it is not expected
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.filterwarnings("error:torch.compile")]


@pytest.fixture(autouse=True)
def _forget_what_was_compiled() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _agree(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
    assert found.stride() == wanted.stride()


def _compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return torch.compile(function, backend=backend, options=options or None, fullgraph=True)


def test_torch_finds_the_back_end_by_its_name() -> None:
    (found,) = entry_points(group="torch_dynamo_backends", name="roller")
    assert found.load() is backend
    x = torch.randn(4)
    with torch.no_grad():
        _agree(torch.compile(lambda x: x * 2 + 1, backend="roller", options={"target": "mi300x"})(x), x * 2 + 1)


@pytest.mark.parametrize("name", ["mlp", "resnet_block", "mobilenet_block", "bert_layer", "gpt"])
def test_models_give_what_eager_gives(name: str) -> None:
    model, example = torch_models.make(name)
    with torch.no_grad():
        _agree(_compiled(model)(example), model(example))


@pytest.mark.parametrize("name", ["mlp", "bert_layer"])
def test_for_a_cpu_kernels_run_on_this_machine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roller_mlir.sim.launcher.SimulatorBackend.open", None)
    model, example = torch_models.make(name)
    fast = _compiled(model, target="host")
    with torch.no_grad():
        for _ in range(2):
            _agree(fast(example), model(example))


def test_dynamo_leaves_an_lstm_to_eager() -> None:
    model, example = torch_models.make("lstm")
    with torch.no_grad():
        _agree(torch.compile(model, backend=backend)(example), model(example))


def test_a_changed_weight_is_used() -> None:
    model, example = torch_models.make("mlp")
    fast = _compiled(model)
    with torch.no_grad():
        before = fast(example)
        model[0].weight.mul_(2)
        _agree(fast(example), model(example))
        assert not torch.equal(before, model(example))


def test_training_gives_the_gradients_of_eager() -> None:
    model, example = torch_models.make("mlp")
    gradients: list[Any] = []
    for function in (model, _compiled(model)):
        model.zero_grad()
        function(example).square().mean().backward()
        gradients.append([one.grad.clone() for one in model.parameters()])
    for found, wanted in zip(*gradients, strict=True):
        _agree(found, wanted)


def test_statistics_of_a_batch_norm_in_training_change_as_in_eager() -> None:
    (fast, slow), x = [torch.nn.BatchNorm1d(6).train() for _ in range(2)], torch.randn(8, 6)
    with torch.no_grad():
        _agree(_compiled(fast)(x), slow(x))
    _agree(fast.running_var, slow.running_var)


@pytest.mark.parametrize("dynamic", [None, True])
def test_each_shape_is_compiled(dynamic: bool | None) -> None:
    def function(x: Any) -> Any:
        return (x.relu() + x.shape[0]).sum(1)

    fast = torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True)
    for rows in (3, 5, 3, 7):
        x = torch.randn(rows, 4)
        _agree(fast(x), function(x))


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.bool])
def test_types_and_strides_are_those_of_eager(kind: Any) -> None:
    x = (torch.arange(24).reshape(4, 6) % 5).to(kind)
    for function in (
        lambda x: (x + x).t(),
        lambda x: x[:, ::2] + x[:, 1::2],
        lambda x: (x | x) if kind == torch.bool else x * x,
    ):
        _agree(_compiled(function)(x.clone()), function(x))
        _agree(_compiled(function)(x.t().contiguous().t()), function(x.t().contiguous().t()))


def test_what_is_returned_besides_tensors() -> None:
    def function(x: Any, y: Any) -> Any:
        return x, 3, None, x + y, x.shape[0]

    x = torch.ones(4)
    assert str(_compiled(function)(x, x)) == str(function(x, x))


def test_results_share_memory_as_those_of_eager_do() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        return y, y.t(), y[1], x, x.t(), x[1:].expand(2, 2, 4), y.sum().expand(3)

    memory = torch.randn(5, 4)
    fast = _compiled(function)
    for x in (memory[:3], memory[2:]):  # the offset is no part of what was compiled
        found, wanted = fast(x), function(x)
        for one, other in zip(found, wanted, strict=True):
            _agree(one, other)
        assert found[3] is x and found[5].data_ptr() == wanted[5].data_ptr()
        found[1].zero_()
        assert not found[0].any() and not found[2].any() and x.any()


def test_equal_sizes_with_other_strides_are_compiled_again() -> None:
    def function(x: Any) -> Any:
        return x[1:], x + 1

    fast, x = torch.compile(function, backend=backend, dynamic=True, fullgraph=True), torch.randn(16, 16)
    for one in (x[:4, :6], x[:4, ::2][:, :6], x.t()[:4, :6]):
        for found, wanted in zip(fast(one), function(one), strict=True):
            torch.testing.assert_close(found, wanted)


def test_constants_of_a_graph_are_compiled() -> None:
    def function(x: Any) -> Any:
        y = x + torch.tensor([3.0, 4.0])
        y[0] = 5
        return y, torch.tensor([1, 2])

    fast, x = _compiled(function), torch.randn(2)
    for _ in range(2):
        found = fast(x)
        for one, other in zip(found, function(x), strict=True):
            _agree(one, other)
        found[1].zero_()  # what is done to a result is not done to the constant


@pytest.mark.parametrize("kind", [torch.float32, torch.float16, torch.int32])
def test_clamps_and_comparisons_keep_nan(kind: Any) -> None:
    def function(x: Any) -> Any:
        limits = x.clamp(-1, 1), x.clamp(min=0), x.clamp_max(0.5), torch.nn.functional.hardtanh(x), x.clamp(2, 1)
        return *limits, torch.nn.functional.relu6(x), x == x, x.isfinite()

    special = [] if kind == torch.int32 else [float("nan"), float("inf")]
    x = torch.tensor([1.5, -2.5, -0.0, 7, *special]).to(kind)
    for found, wanted in zip(_compiled(function)(x), function(x), strict=True):
        torch.testing.assert_close(found, wanted, equal_nan=True)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_maxima_rests_and_quotients_are_those_of_eager(kind: Any) -> None:
    def function(x: Any, y: Any) -> Any:
        rests = torch.fmod(x, y), x % y, torch.fmod(x, 0.1), 3 % x
        return *rests, torch.maximum(x, y), torch.minimum(x, y), x // y, x // 0.1, 3 // x

    nan, inf = float("nan"), float("inf")
    x = torch.tensor([nan, 1.0, 1.0, 7.0, -7.0, 123456.7, inf, -1.0, 2.0]).to(kind)
    y = torch.tensor([2.0, nan, 0.1, -0.3, 0.1, 0.1, 3.0, inf, 0.0]).to(kind)
    for found, wanted in zip(_compiled(function)(x, y), function(x, y), strict=True):
        torch.testing.assert_close(found, wanted, equal_nan=True)


def test_quotients_and_rests_of_8_bits_are_compiled() -> None:
    def function(x: Any) -> Any:
        return x // 3, x % 3, x // -3, x % -3, torch.div(x, -3, rounding_mode="trunc")

    x = torch.arange(-128, 128).to(torch.int8)
    for found, wanted in zip(_compiled(function)(x), function(x), strict=True):
        _agree(found, wanted)


def test_ops_of_constants_are_those_of_eager() -> None:
    def function(x: Any) -> Any:
        mask, flags, equal = torch.ones(3, 3).tril(), torch.tensor([True, False, True]), torch.full((3,), 0.1)
        masked = x.masked_fill(mask == 0, -7), x.masked_fill(flags == 1, 2), x.masked_fill(equal > 0, 3)
        return *masked, x + (equal < 1), x + (equal == 0.1), x + torch.ones(3) * -2, x + (torch.ones(3) * 0 == -0.0)

    x = torch.randn(3, 3)
    for found, wanted in zip(_compiled(function)(x), function(x), strict=True):
        _agree(found, wanted)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_variances_are_those_of_eager(kind: Any) -> None:
    def function(x: Any) -> Any:
        few = x.var(1, correction=5), x.var(1, correction=9), x[:1].var(0)  # 0 and fewer degrees of freedom
        some = x.var(), x.std(0), x.var((0, -1)), *torch.var_mean(x, 1, correction=0, keepdim=True)
        return *some, *few, *torch.std_mean(x, (0, 2)), x[0, 0, 0].var()

    x = torch.randn(3, 5, 4).to(kind)
    bound = {torch.float32: 1e-5, torch.float64: 1e-12, torch.float16: 2e-3, torch.bfloat16: 2e-2}[kind]
    for found, wanted in zip(_compiled(function)(x), function(x), strict=True):
        torch.testing.assert_close(found, wanted, rtol=bound, atol=bound, equal_nan=True)


@pytest.mark.parametrize(("shifts", "dims"), [(2, 1), ((-1, 7), (0, 2)), (5, None), (0, 0), (3, -1)])
def test_rolls_are_compiled(shifts: Any, dims: Any) -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    _agree(_compiled(lambda x: torch.roll(x, shifts, dims))(x), torch.roll(x, shifts, dims))


def test_a_warning_names_the_error_and_no_remark() -> None:
    def function(x: Any, at: Any) -> Any:
        return torch.sort(x.gather(1, at))[0].view(torch.int32)

    fast, x, at = _compiled(function), torch.randn(4, 4), torch.zeros(4, 1, dtype=torch.int64)
    with pytest.warns(RuntimeWarning, match="eager mode: node .*: error: "):
        _agree(fast(x, at), function(x, at))


def test_an_unsupported_graph_runs_in_eager_mode_with_one_warning() -> None:
    def function(x: Any) -> Any:
        return torch.special.i0(x * 2) + 1

    fast, x = _compiled(function), torch.randn(8)
    with pytest.warns(RuntimeWarning, match="runs a graph in PyTorch's eager mode") as said:
        found = [fast(x), fast(x)]
    _agree(found[0], function(x))
    _agree(found[1], function(x))
    (message,) = [str(one.message) for one in said if "roller" in str(one.message)]
    place = rf"node 'i0' \(aten\.i0\) at {re.escape(__file__)}:{function.__code__.co_firstlineno + 1}: error: "
    assert re.search(place, message), message


def test_a_graph_without_data_runs_in_eager_mode() -> None:
    fast = _compiled(torch.nn.Linear(4, 3, device="meta"))
    with torch.no_grad(), pytest.warns(RuntimeWarning, match="in PyTorch's eager mode: error: the model takes or "):
        found = fast(torch.empty(2, 4, device="meta"))
    assert found.shape == (2, 3) and found.device.type == "meta"


def test_options_are_those_of_compile() -> None:
    def function(x: Any, y: Any) -> Any:
        return x @ y

    a, b = torch.randn(16, 16), torch.randn(16, 16)
    _agree(_compiled(function, target="a100", tile_sizes=(16, 16, 8))(a, b), a @ b)
    for options, message in (
        ({"mood": "good"}, "options are target, on and the fields of CompileOptions, but got 'mood'"),
        ({"target": "h1000"}, "h1000"),
    ):
        torch._dynamo.reset()
        with pytest.raises(Exception, match=message):
            _compiled(function, **options)(a, b)
    with pytest.raises(Exception, match="backend 'roller' has no modes, but got mode='max-autotune'"):
        torch.compile(function, backend="roller", mode="max-autotune")(a, b)
