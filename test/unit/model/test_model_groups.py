# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups with prologue and epilogue: composed accesses, legal plans, and what the model counts for them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joined_expressions import with_epilogue, with_prologue
from model_expressions import QUICK, Dimension, expression, matmul, row_sum, typed
from random_expressions import boxes, coordinates, evaluate, random_expressions
from test_construct import check_plan
from test_explanations import conv3x3
from tile_definitions import footprint_bytes

from roller_mlir.hal import Device, find_device
from roller_mlir.model import ConstructOptions, construct, operand_traffic, predict
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.instructions.choice import atoms
from roller_mlir.plan import LinearIndex, Plan, Prediction, TensorExpression
from roller_mlir.plan.rewrite.split import divisible_loops, join_expression

DEVICES = [find_device(name) for name in ("h200", "v100", "mi300x")]
H200 = DEVICES[0]
Tensor = tuple[str, Sequence[int], Sequence[Dimension]]


def element_wise(extents: Sequence[int], inputs: Sequence[Tensor], output: Tensor, flops: int = 1) -> TensorExpression:
    made = expression(extents, [], inputs, output, product=False)
    return replace(made, flops_per_point=flops, pad_values=tuple(None for _ in inputs))


def bias_relu(m: int, n: int) -> TensorExpression:
    """Return y[i, j] = max(C[i, j] + b[j], 0)."""
    return element_wise([m, n], [("C", (m, n), (0, 1)), ("b", (n,), (1,))], ("y", (m, n), (0, 1)), 2)


def add(m: int, n: int) -> TensorExpression:
    """Return z[i, j] = y[i, j] + r[i, j]."""
    return element_wise([m, n], [("y", (m, n), (0, 1)), ("r", (m, n), (0, 1))], ("z", (m, n), (0, 1)))


def turn(m: int, n: int) -> TensorExpression:
    """Return y[j, i] = C[i, j] + b[j]."""
    return element_wise([n, m], [("C", (m, n), (1, 0)), ("b", (n,), (0,))], ("y", (n, m), (0, 1)))


def relu(shape: Sequence[int], name: str) -> TensorExpression:
    loops = list(range(len(shape)))
    return element_wise(shape, [("raw", shape, loops)], (name, shape, loops))


def scaled(shape: Sequence[int], name: str) -> TensorExpression:
    """Return x = raw * s along the second dimension."""
    loops = list(range(len(shape)))
    return element_wise(shape, [("raw", shape, loops), ("s", (shape[1],), (1,))], (name, shape, loops))


GROUPS = {
    "bias_relu": with_epilogue(matmul(256, 384, 128), bias_relu(256, 384), 0),
    "bias_relu_residual": with_epilogue(with_epilogue(matmul(200, 136, 64), bias_relu(200, 136), 0), add(200, 136), 0),
    "turned": with_epilogue(matmul(256, 384, 128), turn(256, 384), 0),
    "relu_conv": with_prologue(conv3x3(2, 16, 32, 14), 0, relu((2, 16, 14, 14), "x"), keeps_pad=True),
    "scaled_conv": with_prologue(conv3x3(2, 16, 32, 14), 0, scaled((2, 16, 14, 14), "x"), keeps_pad=True),
    "deep": with_epilogue(matmul(64, 64, 8192), add(64, 64), 0),
    "deep_bias": with_epilogue(matmul(64, 64, 8192), bias_relu(64, 64), 0),
    "sum": with_epilogue(
        row_sum(100, 1000), element_wise([100], [("y", (100,), (0,)), ("c", (), ())], ("t", (100,), (0,))), 0
    ),
    "masked": with_prologue(matmul(100, 64, 90), 0, relu((100, 90), "A"), keeps_pad=False),
    "both": with_epilogue(
        with_prologue(matmul(128, 128, 96), 1, relu((96, 128), "B"), keeps_pad=True), bias_relu(128, 128), 0
    ),
}


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", DEVICES, ids=[device.name for device in DEVICES])
@pytest.mark.parametrize("name", GROUPS)
def test_plans_of_groups_are_legal(name: str, device: Device) -> None:
    group = GROUPS[name]
    for plan in construct(group, device, ConstructOptions(top_k=4)):
        check_plan(group, plan, device)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", GROUPS)
def test_explain_shows_groups(name: str) -> None:
    group = GROUPS[name]
    tensors = explain(group, H200).operator.tensors
    assert [(one.name, one.role) for one in tensors] == [
        *((one.name, "input") for one in group.inputs),
        *((one.name, "epilogue") for one in group.epilogue),
        (group.output.name, "output"),
    ]


def test_an_epilogue_reads_what_its_consumers_read() -> None:
    group = GROUPS["bias_relu_residual"]
    bias, residual = group.epilogue
    assert (bias.name, bias.shape, bias.indices) == ("b", (136,), (LinearIndex((0, 1, 0)),))
    assert (residual.name, residual.shape) == ("r", (200, 136))
    assert residual.indices == (LinearIndex((1, 0, 0)), LinearIndex((0, 1, 0))) == group.output.indices
    assert group.output.name == "z"
    assert group.epilogue_flops == 3
    assert group.flops == 200 * 136 * (2 * 64 + 3)
    traffic = operand_traffic(group, construct(group, H200)[0], H200)
    assert [one.name for one in traffic] == ["A", "B", "b", "r", "z"]
    assert traffic[3].global_load_bytes == residual.size_bytes
    assert traffic[3].global_load_sectors == residual.size_bytes // 32


def test_a_turned_consumer_turns_the_output() -> None:
    group = GROUPS["turned"]
    assert (group.output.shape, group.epilogue[0].shape) == ((384, 256), (384,))
    assert group.output.indices == (LinearIndex((0, 1, 0)), LinearIndex((1, 0, 0)))


def test_a_prologue_takes_halos_and_windows_along() -> None:
    plain, group, two = conv3x3(2, 16, 32, 14), GROUPS["relu_conv"], GROUPS["scaled_conv"]
    assert group.inputs == (replace(plain.inputs[0], name="raw"), plain.inputs[1])
    assert (group.prologue_flops, group.pad_values) == ((1, 0), (0.0, 0.0))
    assert [one.name for one in two.inputs] == ["raw", "s", "w"]
    assert two.inputs[1].indices == (LinearIndex((0, 0, 0, 0, 1, 0, 0)),)
    assert (two.prologue_flops, two.pad_values) == ((1, 0, 0), (0.0, 0.0, 0.0))
    tile = (1, 8, 7, 7, 4, 3, 3)
    assert footprint_bytes(group, tile) == footprint_bytes(plain, tile)
    assert footprint_bytes(two, tile) == footprint_bytes(plain, tile) + 4 * 4


def test_a_pad_that_is_not_kept_is_masked() -> None:
    group = with_prologue(matmul(64, 64, 40), 0, relu((64, 40), "A"), keeps_pad=False)
    assert group.pad_values == (None, 0.0)
    twice = with_prologue(group, 0, replace(relu((64, 40), "raw"), flops_per_point=5), keeps_pad=False)
    assert twice.prologue_flops == (6, 0)


@st.composite
def element_wise_beside(draw: st.DrawFn, shape: Sequence[int]) -> tuple[tuple[int, ...], list[Tensor]]:
    """Draw an order of the loops of an operator over a tensor, and two more tensors that it reads."""
    order = tuple(draw(st.permutations(range(len(shape)))))
    tensors: list[Tensor] = []
    for name in ("p", "q"):
        used = draw(st.permutations(range(len(shape))))[: draw(st.integers(0, len(shape)))]
        steps = {loop: draw(st.integers(1, 2)) for loop in used}
        extents = [1 + steps[loop] * (shape[order[loop]] - 1) for loop in used]
        tensors.append((name, extents, [{loop: steps[loop]} for loop in used]))
    return order, tensors


@QUICK
@given(st.data(), random_expressions(most_points=300))
def test_epilogues_touch_what_the_consumer_touches(data: st.DataObject, root: TensorExpression) -> None:
    shape = root.output.static_shape
    order, tensors = data.draw(element_wise_beside(shape))
    extents = [shape[dimension] for dimension in order]
    read: Tensor = ("y", shape, [order.index(dimension) for dimension in range(len(shape))])
    consumer = element_wise(extents, [tensors[0], read, tensors[1]], ("z", extents, list(range(len(extents)))))
    kind = root.output.element_type
    consumer = replace(
        consumer,
        inputs=tuple(replace(one, element_type=kind) for one in consumer.inputs),
        output=replace(consumer.output, element_type=kind),
    )
    group = with_epilogue(root, consumer, 1)
    others = group.epilogue[1:] if root.accumulates else group.epilogue
    assert group.accumulates is False
    assert group.inputs == root.inputs
    apart = {
        tuple(next(iter(coordinates(one, point))) for one in (*consumer.inputs, consumer.output))
        for point in boxes(consumer, [1] * len(extents), range(len(extents)))
    }
    together = {
        tuple(next(iter(coordinates(one, point))) for one in (others[0], root.output, others[1], group.output))
        for point in boxes(root, [1] * len(root.loops), root.parallel())
    }
    assert apart == together


@QUICK
@given(st.data(), random_expressions(most_points=300))
def test_prologues_touch_and_compute_what_the_producer_does(data: st.DataObject, root: TensorExpression) -> None:
    operand = data.draw(st.integers(0, len(root.inputs) - 1))
    read = root.inputs[operand]
    order, tensors = data.draw(element_wise_beside(read.static_shape))
    extents = [read.static_shape[dimension] for dimension in order]
    whole: Tensor = ("raw", extents, list(range(len(extents))))
    made: Tensor = (read.name, read.static_shape, [order.index(dimension) for dimension in range(len(order))])
    producer = element_wise(extents, [whole, *tensors], made)
    producer = replace(
        producer,
        inputs=tuple(replace(one, element_type=read.element_type) for one in producer.inputs),
        output=replace(producer.output, element_type=read.element_type),
    )
    group = with_prologue(root, operand, producer, keeps_pad=True)
    composed = group.inputs[operand : operand + 3]
    seed = np.random.default_rng(data.draw(st.integers(0, 99)))
    values = [seed.integers(-3, 4, one.static_shape).astype(np.float64) for one in group.inputs]
    between = evaluate(replace(producer, pad_values=(0.0,) * 3), values[operand : operand + 3])
    apart = evaluate(root, [*values[:operand], between, *values[operand + 3 :]])
    assert (evaluate(group, values) == apart).all()
    box = [range(loop.extent.static) for loop in root.loops]
    inside = {
        at for at in coordinates(read, box) if all(0 <= i < n for i, n in zip(at, read.static_shape, strict=True))
    }
    turned = [[at[dimension] for dimension in order] for at in inside]
    for one, original in zip(composed, producer.inputs, strict=True):
        found = {at for point in turned for at in coordinates(original, [range(i, i + 1) for i in point])}
        touched = {
            at for at in coordinates(one, box) if all(0 <= i < n for i, n in zip(at, one.static_shape, strict=True))
        }
        assert found <= touched
        assert found == touched or one is not composed[0]


def predicted(expr: TensorExpression, device: Device) -> tuple[Plan, Prediction]:
    plan = construct(expr, device, ConstructOptions(top_k=1))[0]
    assert plan.prediction is not None
    return plan, plan.prediction


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", DEVICES, ids=[device.name for device in DEVICES])
def test_a_group_saves_the_tensor_between(device: Device) -> None:
    """With the root's own tiles, a group moves what both operators move, less the tensor written and read back."""
    root, consumer = matmul(1024, 2048, 512), add(1024, 2048)
    root = replace(root, output=replace(root.output, name="y"))
    plan, one = predicted(root, device)
    _, two = predicted(consumer, device)
    assert plan.split is None
    group = with_epilogue(root, consumer, 0)
    same = predict(group, plan, device)
    assert one.global_load_bytes + two.global_load_bytes - same.global_load_bytes == root.output.size_bytes
    assert one.global_store_bytes + two.global_store_bytes - same.global_store_bytes == root.output.size_bytes
    assert one.global_load_sectors + two.global_load_sectors - same.global_load_sectors == root.output.size_bytes // 32
    assert same.flops == one.flops + two.flops
    assert one.seconds < same.seconds < one.seconds + two.seconds
    _, best = predicted(group, device)
    assert best.seconds < one.seconds + two.seconds


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", DEVICES, ids=[device.name for device in DEVICES])
def test_a_prologue_saves_the_tensor_before(device: Device) -> None:
    root, producer = conv3x3(8, 64, 64, 28), relu((8, 64, 28, 28), "x")
    plan, one = predicted(root, device)
    _, before = predicted(producer, device)
    group = with_prologue(root, 0, producer, keeps_pad=True)
    same = predict(group, plan, device)
    assert (same.global_load_bytes, same.global_store_bytes) == (one.global_load_bytes, one.global_store_bytes)
    assert same.flops > one.flops + before.flops, "elements that several tasks load are computed by each"
    # Where a matrix unit computes, other instructions may hide behind it.
    assert one.seconds <= same.seconds < one.seconds + before.seconds
    assert plan.atom is not None or one.seconds < same.seconds
    more = with_prologue(root, 0, replace(producer, flops_per_point=50), keeps_pad=True)
    assert predict(more, plan, device).seconds > same.seconds


def test_a_division_joins_before_the_epilogue() -> None:
    group, biased = GROUPS["deep"], GROUPS["deep_bias"]
    assert divisible_loops(group) == divisible_loops(biased) == (2,)
    for joined in (True, False):
        join = join_expression(group, 8, joined=joined)
        assert [one.name for one in join.epilogue] == ["r"]
        assert (join.epilogue[0].shape, join.epilogue[0].indices) == ((64, 64), join.output.indices)
        assert (join.bounds, join.epilogue_flops) == ((64, 64, 8), 1)
        (bias,) = join_expression(biased, 8, joined=joined).epilogue
        assert bias.indices == (LinearIndex((0, 1, 0)),)
    plan, prediction = predicted(group, H200)
    assert plan.split is not None
    assert plan.split.join.operands and len(plan.split.join.operands) == 1
    plain_plan, plain = predicted(matmul(64, 64, 8192), H200)
    assert plain_plan.split is not None
    assert prediction.seconds > plain.seconds


def test_what_is_accumulated_into_is_read_by_the_epilogue() -> None:
    root = replace(matmul(64, 48, 32), accumulates=True)
    group = with_epilogue(root, replace(bias_relu(64, 48), accumulates=True), 0)
    assert [one.name for one in group.epilogue] == ["C", "b", "y"]
    assert not group.accumulates


def test_a_narrower_output_leaves_the_accumulators_as_they_are() -> None:
    """f16 factors, f32 sums, stored as f16: the instruction is that of f32 sums, and half the bytes are stored."""
    root = typed(matmul(1024, 1024, 1024), "f16", "f32")
    store = element_wise([1024, 1024], [("C", (1024, 1024), (0, 1))], ("y", (1024, 1024), (0, 1)))
    narrow = with_epilogue(root, replace(store, output=replace(store.output, element_type="f16")), 0)
    assert (narrow.result_type, narrow.output.element_type) == ("f32", "f16")
    assert atoms(narrow, H200) == atoms(root, H200) != atoms(typed(root, "f16", "f16"), H200)
    plan, one = predicted(root, H200)
    two = predict(narrow, plan, H200)
    assert plan.split is None
    assert two.global_store_bytes * 2 == one.global_store_bytes
    assert two.registers == one.registers
    wide = replace(store, inputs=(replace(store.inputs[0], element_type="f16"),))
    assert with_epilogue(narrow, wide, 0).accumulator_type == ""
    join = join_expression(narrow, 2, joined=False)
    assert (join.inputs[0].element_type, join.output.element_type, join.accumulator_type) == ("f32", "f16", "f32")


@pytest.mark.parametrize(
    ("consumer", "message"),
    [
        (matmul(64, 48, 8), "the consumer must be element-wise, but it has reduction loops"),
        (bias_relu(48, 64), "the consumer reads 'C' as 48x64xf32, but it is 64x48xf32"),
        (
            element_wise([5, 64, 48], [("C", (64, 48), (1, 2))], ("y", (5, 64, 48), (0, 1, 2))),
            "the consumer reads 'C' several times: loop 0 does not index it",
        ),
        (
            element_wise([32, 48], [("C", (64, 48), ({0: 2}, 1))], ("y", (32, 48), (0, 1))),
            "the consumer reads 'C' not as a permutation of its loops: dimension 0 of 64 elements",
        ),
        (
            element_wise([64, 48], [("C", (64, 48), (0, 1)), ("p", (9, 48), (0, 1))], ("y", (64, 48), (0, 1))),
            "an epilogue reads inside of its tensors, but the consumer reads around 'p'",
        ),
    ],
)
def test_consumers_that_cannot_join(consumer: TensorExpression, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message):
        with_epilogue(matmul(64, 48, 32), consumer, 0)


@pytest.mark.parametrize(
    ("root", "message"),
    [
        (
            expression([32], [4], [("x", (32, 4), (0, 1))], ("C", (64,), ({0: 2},))),
            "the root writes 'C' not as a permutation of its loops: dimension 0 of 64 elements",
        ),
        (
            expression([64, 3], [4], [("x", (64, 4), (0, 2))], ("C", (64,), (0,))),
            "the root writes 'C' several times: loop 1 does not index it",
        ),
        (
            typed(expression([64], [4], [("x", (64, 4), (0, 1))], ("C", (64,), (0,))), "f32", "f64"),
            "the consumer reads 'C' as 64xf32, but it is 64xf64",
        ),
    ],
)
def test_roots_that_take_no_consumer(root: TensorExpression, message: str) -> None:
    consumer = element_wise([64], [("C", (64,), (0,))], ("y", (64,), (0,)))
    with pytest.raises(ValueError, match="^" + message):
        with_epilogue(root, consumer, 0)


def test_a_padding_of_the_producer_is_the_roots() -> None:
    """A producer that reads around its input, where it finds what the root takes as neutral, and no other value."""
    raw = relu((64, 40), "A").inputs[0]
    around = replace(raw, indices=(replace(raw.indices[0], constant=-1), raw.indices[1]))
    producer = replace(relu((64, 40), "A"), inputs=(around,))
    with pytest.raises(ValueError, match="the producer reads around 'raw', where it finds None, but the root 0.0"):
        with_prologue(matmul(64, 64, 40), 0, producer, keeps_pad=True)
    group = with_prologue(matmul(64, 64, 40), 0, replace(producer, pad_values=(0.0,)), keeps_pad=True)
    assert group.inputs[0].indices[0] == LinearIndex((1, 0, 0), -1)


def test_matrix_instructions_take_groups() -> None:
    """Element types and the form of the body decide; what a prologue changes passes through registers."""
    root = typed(matmul(1024, 1024, 1024), "f16", "f32")
    half = relu((1024, 1024), "A")
    half = replace(
        half,
        inputs=(replace(half.inputs[0], element_type="f16"),),
        output=replace(half.output, element_type="f16"),
    )
    group = with_epilogue(with_prologue(root, 0, half, keeps_pad=True), bias_relu(1024, 1024), 0)
    plan, one = predicted(root, H200)
    two = predict(group, plan, H200)
    assert plan.instruction == "wgmma"
    assert predicted(group, H200)[0].instruction == "mma", "tensor copies change nothing"
    assert two.seconds > one.seconds
    assert two.registers > one.registers


def test_operands_are_checked() -> None:
    with pytest.raises(ValueError, match="the consumer has 2 inputs, but got operand 2"):
        with_epilogue(matmul(64, 48, 32), bias_relu(64, 48), 2)
    with pytest.raises(ValueError, match="the root has 2 inputs, but got operand -1"):
        with_prologue(matmul(64, 48, 32), -1, relu((64, 32), "A"), keeps_pad=True)


def shifted(by: int) -> TensorExpression:
    """Return x[n, c, h, w] = raw[n, c, h + by, w]."""
    made = relu((2, 16, 14, 14), "x")
    raw = made.inputs[0]
    indices = (*raw.indices[:2], replace(raw.indices[2], constant=by), raw.indices[3])
    return replace(made, inputs=(replace(raw, shape=(2, 16, 14 + by, 14), indices=indices),))


@pytest.mark.parametrize(
    ("producer", "keeps_pad", "message"),
    [
        (row_sum(4, 4), True, "the producer must be element-wise"),
        (replace(relu((2, 16, 14, 14), "x"), accumulates=True), True, "a producer's old content must not take part"),
        (relu((2, 16, 14, 14), "x"), False, "the root reads around 'x': outside of it the producer must keep"),
        (shifted(2), True, "the root reads around 'x': .* read 'raw' at the same indices"),
        (
            element_wise(
                (2, 16, 14, 14),
                [("r", (2, 14), (0, 2)), ("s", (16, 14), (1, 3))],
                ("x", (2, 16, 14, 14), (0, 1, 2, 3)),
            ),
            True,
            "a producer's operations belong to the elements of an input that is indexed by all of its loops",
        ),
        (
            element_wise(
                (2, 16, 7, 14), [("r", (2, 16, 7, 14), (0, 1, 2, 3))], ("x", (2, 16, 14, 14), (0, 1, {2: 2}, 3))
            ),
            True,
            "the producer writes 'x' not as a permutation",
        ),
    ],
)
def test_producers_that_cannot_join(producer: TensorExpression, keeps_pad: bool, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message):
        with_prologue(conv3x3(2, 16, 32, 14), 0, producer, keeps_pad=keeps_pad)


def test_a_group_without_either_is_the_operator() -> None:
    """What an expression has no epilogue and prologue of costs nothing: the same numbers as before."""
    expr = matmul(512, 512, 512)
    plan, prediction = predicted(expr, H200)
    empty = replace(expr, epilogue=(), epilogue_flops=0, prologue_flops=(0, 0))
    assert predict(empty, plan, H200) == prediction
