# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of numbers that are quantized while they may be others: of 8 bits, without sign, between bounds."""

import numpy as np
import pytest

from roller_mlir.evaluation.reference.bounds.body import compute
from roller_mlir.evaluation.reference.bounds.nests import Bounded, Written, join
from roller_mlir.evaluation.reference.undefined import looking_for_undefined


def clamped(values: list[float], errors: list[float]) -> Bounded:
    """Return floats between 0 and 255."""
    one = Bounded(np.array(values), np.array(errors))
    for name, bound in (("arith.maximumf", 0.0), ("arith.minimumf", 255.0)):
        function = np.maximum if name == "arith.maximumf" else np.minimum
        one = compute(name, function, "f32", [one, Bounded(np.array(bound, np.float32))])
    return one


def integers(values: list[float], errors: list[float]) -> Bounded:
    """Return integers of 8 bits, without sign, of floats between 0 and 255."""

    def converted(x: "np.ndarray") -> "np.ndarray":
        return np.trunc(x).astype(np.int64).astype(np.uint8).view(np.int8)

    return compute("arith.fptoui", converted, "i8", [clamped(values, errors)])


def without_sign(value: Bounded) -> Bounded:
    """Return such integers in more bits."""
    return compute("arith.extui", lambda x: x.view(np.uint8).astype(np.int32), "i32", [value])


def test_bounds_hold_what_may_be_beyond_them() -> None:
    """Of 0 that may be 3, -3 is not."""
    found = clamped([-2.0, 100.0, 254.0, 300.0], [5.0, 2.0, 9.0, 1.0])
    low, high = found.ends()
    assert np.all(low >= [0, 97.9, 244.9, 254.9]) and np.all(low <= [0, 98, 245, 255])
    assert np.all(high <= [3.1, 102.1, 255, 255]) and np.all(high >= [3, 102, 255, 255])
    assert found.errors()[3] == 0


def test_the_same_number_read_with_and_without_sign() -> None:
    """127 that may be 128 is far from it with a sign."""
    found = integers([127.0, 3.0, 254.0], [1.0, 1.0, 1.0])
    assert found.data.tolist() == [127, 3, -2]
    assert found.errors()[0] == 255.0
    wide = without_sign(found)
    assert wide.data.tolist() == [127, 3, 254] and np.all(wide.errors() <= 1.1) and np.all(wide.errors() >= 1)


def test_numbers_that_may_be_no_integers_without_sign_may_be_any() -> None:
    """Nothing says that they are not below 0, or above 255."""

    def converted(x: "np.ndarray") -> "np.ndarray":
        return np.trunc(x).astype(np.int64).astype(np.uint8).view(np.int8)

    found = compute("arith.fptoui", converted, "i8", [Bounded(np.array([0.5, 3.5, 255.5]), np.array([2.0, 2.0, 2.0]))])
    assert np.isinf(without_sign(found).errors()).tolist() == [True, False, True]


@pytest.mark.parametrize("name", ["arith.addi", "arith.xori"])
@pytest.mark.parametrize(("by", "known"), [(-128, True), (-127, False)])
def test_numbers_of_which_128_is_taken_keep_their_order(name: str, by: int, known: bool) -> None:
    function = np.add if name == "arith.addi" else np.bitwise_xor
    found = compute(name, function, "i8", [integers([127.0], [1.0]), Bounded(np.array([by], np.int8))])
    assert bool(found.errors()[0] <= 1.1) is known
    assert known or found.errors()[0] == np.inf


def test_what_is_stored_is_known_as_before() -> None:
    """Tensors that are selected of, written part by part, and put together."""
    value = integers([127.0, 128.0], [1.0, 0.0])
    assert (
        without_sign(value.map(lambda array: array[:1])).errors().tolist() == without_sign(value).errors()[:1].tolist()
    )
    whole = Written(Bounded(np.array([5, 6, 7], np.int8), np.array([0.0, 0.0, 1.0])))

    def write(target: "np.ndarray", part: "np.ndarray") -> None:
        target[:2] = part

    whole.put(value, write)
    assert without_sign(whole.value()).errors()[:2].tolist() == without_sign(value).errors().tolist()
    assert without_sign(whole.value()).errors()[2] == np.inf  # of it nothing was known before
    plain = Bounded(np.array([-1], np.int8))
    both = join([value, plain], np.concatenate)
    assert without_sign(both).errors().tolist() == [*without_sign(value).errors().tolist(), 0.0]


def test_whole_numbers_are_not_rounded() -> None:
    """A quantizer's chain of operations adds nothing to a doubt of one step."""
    one = compute("math.roundeven", np.rint, "f32", [Bounded(np.array([2.5001]), np.array([0.001]))])
    assert one.data.tolist() == [3.0] and one.errors().tolist() == [1.0]
    one = compute("arith.addf", np.add, "f32", [one, Bounded(np.array([131.0], np.float32))])
    assert one.errors().tolist() == [1.0] and one.whole
    one = compute("arith.addf", np.add, "f32", [one, Bounded(np.array([0.3], np.float32))])
    assert one.errors()[0] > 1.0 and not one.whole


def test_whole_numbers_that_the_type_does_not_hold_are_rounded() -> None:
    large = Bounded(np.array([2.0**24]), np.array([1.0]), whole=True)
    found = compute("arith.addf", np.add, "f32", [large, Bounded(np.array([1.0], np.float32))])
    assert found.errors()[0] > 1.0 and not found.whole


def test_doubts_beside_a_bound_are_no_undefined_conversions() -> None:
    with looking_for_undefined() as log:
        integers([0.0, 255.0], [3.0, 3.0])
    assert not log.findings()
