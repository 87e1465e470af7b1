# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs: the same again for the same seed, of every element type, neither zeros nor each other's copies."""

from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.measure.runner.expected import inputs
from roller_mlir.evaluation.measure.runner.expected.element_arrays import element_type_of, to_numpy
from roller_mlir.evaluation.measure.runner.expected.inputs import make_inputs, make_tensors
from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, Launch, Manifest
from roller_mlir.runtime.arguments.element_types import bf16_values

TYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1")


def manifest(*buffers: tuple[str, tuple[int, ...]]) -> Manifest:
    given = [
        Buffer(name=f"in{number}", role="input", element_type=kind, shape=shape)
        for number, (kind, shape) in enumerate(buffers)
    ]
    out = Buffer(name="out", role="output", element_type="f32", shape=(4,))
    views = [BufferView(buffer="out", element_type="f32", shape=(4,))] * 2
    return Manifest(
        function="main",
        device=DeviceRecord(name="a100", vendor="nvidia", architecture="sm_80", subgroup_size=32),
        inputs=tuple(one.name for one in reversed(given)),
        outputs=("out",),
        buffers=(out, *given),
        launches=(Launch(kernel="", arguments=tuple(views)),),
        kernels=(),
    )


def check(arrays: list[Any], kinds: list[str]) -> None:
    for array, kind in zip(arrays, kinds, strict=True):
        assert element_type_of(array) == kind
        values = np.asarray(to_numpy(array))
        values = (bf16_values(values) if kind == "bf16" else values).astype(np.float64)
        if kind.startswith(("f", "bf")):
            assert values.min() < -0.9 and 0.9 < values.max() <= 1 and values.min() >= -1
            assert abs(values.mean()) < 0.06 and abs(values.var() - 1 / 3) < 0.05
        elif kind == "i8":
            assert values.min() < -120 and values.max() > 120
        else:
            assert values.min() == (0 if kind == "i1" else -64) and values.max() == (1 if kind == "i1" else 63)


def test_inputs_follow_the_manifest() -> None:
    made = make_inputs(manifest(*((kind, (50, 40)) for kind in TYPES)), "sim")
    check(made, list(reversed(TYPES)))
    assert all(array.shape == (50, 40) and array.flags.c_contiguous for array in made)


def test_a_kit_says_how_inputs_are_spread() -> None:
    one = manifest(("f32", (64, 64)), ("f16", (64, 64)), ("i8", (64, 64)))
    fill = ("", "normal 0.25 2.0", "normal 3 -1")  # in the order of the function's inputs, which is the other one here
    whole, half, single = make_inputs(one, "sim", fill=fill)
    assert whole.dtype == np.int8 and half.dtype == np.float16 and single.dtype == np.float32
    assert abs(half.astype(np.float64).mean() - 2) < 0.02 and abs(half.astype(np.float64).std() - 0.25) < 0.02
    assert abs(single.mean() + 1) < 0.2 and abs(single.std() - 3) < 0.2
    with pytest.raises(ValueError, match="a word for each input, but got 2 for 3"):
        make_inputs(one, "sim", fill=fill[:2])


@pytest.mark.parametrize(
    "word", ["zero", "normal", "normal 1", "normal -1 0", "normal nan 0", "normal 1 inf", "flat 1 1"]
)
def test_a_word_that_is_none(word: str) -> None:
    with pytest.raises(ValueError, match="an input is made by 'normal DEVIATION MEAN', but got"):
        make_inputs(manifest(("f32", (3,))), "sim", fill=(word,))


def test_equal_seeds_give_equal_inputs_and_no_two_inputs_are_alike() -> None:
    one = manifest(("f32", (30,)), ("f32", (30,)))
    first, again, other = make_inputs(one, "sim"), make_inputs(one, "sim"), make_inputs(one, "sim", 1)
    assert all(np.array_equal(left, right) for left, right in zip(first, again, strict=True))
    assert not np.array_equal(first[0], first[1])
    assert not any(np.array_equal(left, right) for left, right in zip(first, other, strict=True))


def test_a_device_without_torch_gets_numpy_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "import_torch", lambda: None)
    assert isinstance(make_inputs(manifest(("f32", (3,))), "cuda")[0], np.ndarray)


def test_scalars_and_empty_arrays_are_made() -> None:
    shapes = [(), (0, 3), (1,)]
    for kind in TYPES:
        made = make_inputs(manifest(*((kind, shape) for shape in shapes)), "sim")
        assert [array.shape for array in made] == [*reversed(shapes)]


def test_tensors_are_made_where_they_stay() -> None:
    torch = pytest.importorskip("torch")
    buffers = [Buffer(name="x", role="input", element_type=kind, shape=(50, 40)) for kind in TYPES]
    (normal,) = make_tensors(
        torch, [Buffer(name="n", role="input", element_type="f32", shape=(2000,))], "cpu", 0, [(0.5, 4.0)]
    )
    assert abs(float(normal.mean()) - 4) < 0.1 and abs(float(normal.std()) - 0.5) < 0.1
    made = make_tensors(torch, buffers, "cpu")
    check(made, list(TYPES))
    for left, right in zip(made, make_tensors(torch, buffers, "cpu"), strict=True):
        assert torch.equal(left, right)
    assert not torch.equal(made[0], make_tensors(torch, buffers, "cpu", 1)[0])
