# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups: an operator together with the element-wise operators before and behind it, as one expression.

The tensors between them are neither written nor read. Paper: ROLLER section 3.1 takes such a group as one tensor
expression; here its data tiles follow from the composed index maps, windows and halos included.
"""

from collections.abc import Mapping
from dataclasses import replace

from roller_mlir.plan.expression import Access, LinearIndex, TensorExpression
from roller_mlir.plan.rewrite.uneven import reads_outside

Substitution = Mapping[int, LinearIndex]
"""Loops of an element-wise operator, each as a function of the root's loops."""


def with_epilogue(root: TensorExpression, consumer: TensorExpression, operand: int) -> TensorExpression:
    """Return a root with an element-wise consumer of its result.

    The output is the consumer's; what else the consumer reads becomes the epilogue's, read once per point of the
    output. What the root, or the consumer, accumulates into is among it. Several consumers: one call each.

    Args:
        root: The operator, of any form.
        consumer: An operator without reductions that reads the result once, as a permutation of its dimensions.
        operand: Number of the input through which it does.

    Raises:
        ValueError: They cannot be one expression; the message says why.

    >>> from roller_mlir.plan.expression import Loop
    >>> i, j, k = (LinearIndex(tuple(int(at == loop) for at in range(3))) for loop in range(3))
    >>> a, b = Access("a", (8, 32), "f32", (i, k)), Access("b", (32, 16), "f32", (k, j))
    >>> c, loops = Access("c", (8, 16), "f32", (i, j)), (Loop(8), Loop(16), Loop(32, True))
    >>> matmul = TensorExpression(loops, (a, b), c, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)
    >>> p, q = LinearIndex((1, 0)), LinearIndex((0, 1))
    >>> turned, bias = Access("c", (8, 16), "f32", (q, p)), Access("bias", (16,), "f32", (p,))
    >>> y = Access("y", (16, 8), "f32", (p, q))
    >>> added = TensorExpression((Loop(16), Loop(8)), (turned, bias), y, None, 1, (None, None))
    >>> group = with_epilogue(matmul, added, 0)
    >>> group.output.indices == (j, i), [access.name for access in group.epilogue], group.epilogue_flops
    (True, ['bias'], 1)
    """
    _check_element_wise(consumer, "consumer")
    read, result = _operand(consumer, operand, "consumer"), root.output
    _check_tensor(result, read, f"the consumer reads '{read.name}'")
    written = _plain(result, root, f"the root writes '{result.name}'")
    loops = _plain(read, consumer, f"the consumer reads '{read.name}'")
    _check_all(set(written.values()), root, root.parallel(), f"the root writes '{result.name}'")
    _check_all(set(loops.values()), consumer, consumer.parallel(), f"the consumer reads '{read.name}'")
    for number, access in enumerate(consumer.inputs):
        if number != operand and reads_outside(consumer, access):
            raise ValueError(f"an epilogue reads inside of its tensors, but the consumer reads around '{access.name}'")
    count = len(root.loops)
    at: dict[int, LinearIndex] = {}
    for dimension, loop in loops.items():
        # A dimension of one element may be a loop on one side only.
        at[loop] = _unit(written[dimension], count) if dimension in written else LinearIndex((0,) * count)
    others = [access for number, access in enumerate(consumer.inputs) if number != operand]
    others += [*consumer.epilogue, *([consumer.output] if consumer.accumulates else [])]
    started = (result,) if root.accumulates else ()
    return replace(
        root,
        output=_composed(consumer.output, at, count),
        epilogue=(*started, *root.epilogue, *(_composed(access, at, count) for access in others)),
        epilogue_flops=root.epilogue_flops + _operations(consumer),
        accumulates=False,
        accumulator_type="" if root.result_type == consumer.output.element_type else root.result_type,
    )


def with_prologue(
    root: TensorExpression, operand: int, producer: TensorExpression, *, keeps_pad: bool
) -> TensorExpression:
    """Return a root with the element-wise producer of one of its inputs.

    The producer's inputs take the input's place, through composed index maps. Its operations are executed on each
    element of the first of them that is indexed by all of its loops, whenever that element is loaded: a task that loads
    a halo repeats them there.

    Args:
        root: The operator.
        operand: Number of the input.
        producer: An operator without reductions whose output's dimensions are its loops.
        keeps_pad: Whether the result of the producer is the input's pad value wherever the first of its inputs that is
            indexed by all of its loops has that value: so it is for relu and 0, for a scaling and 0; not for a bias.
            Without that, pads are no longer neutral, and points outside the reduction's range are masked.

    Raises:
        ValueError: They cannot be one expression; the message says why.
    """
    _check_element_wise(producer, "producer")
    if producer.accumulates:
        raise ValueError("a producer's old content must not take part, but it accumulates")
    read, result = _operand(root, operand, "root"), producer.output
    _check_tensor(result, read, f"the root reads '{read.name}'")
    loops = _plain(result, producer, f"the producer writes '{result.name}'")
    _check_all(set(loops.values()), producer, producer.parallel(), f"the producer writes '{result.name}'")
    inputs = (*producer.inputs, *producer.epilogue)
    moving = {loop for loop, one in enumerate(producer.loops) if one.extent.static > 1}
    main = next((number for number, access in enumerate(inputs) if moving <= access.loops()), None)
    if main is None:
        raise ValueError(
            "a producer's operations belong to the elements of an input that is indexed by all of its loops"
        )
    pad = root.pad_values[operand] if keeps_pad else None
    if reads_outside(root, read) and (pad is None or not _same_places(inputs[main], result)):
        raise ValueError(
            f"the root reads around '{read.name}': outside of it the producer must keep the pad value, and read "
            f"'{inputs[main].name}' at the same indices"
        )
    for access, value in zip(inputs, (*producer.pad_values, *(None for _ in producer.epilogue)), strict=True):
        if reads_outside(producer, access) and (pad is None or value != pad):
            raise ValueError(f"the producer reads around '{access.name}', where it finds {value}, but the root {pad}")
    count = len(root.loops)
    at = {loop: read.indices[dimension] for dimension, loop in loops.items()}
    composed = tuple(_composed(access, at, count) for access in inputs)
    before = root.prologue_flops or (0,) * len(root.inputs)
    operations = tuple(
        before[operand] + _operations(producer) if number == main else 0 for number in range(len(composed))
    )
    return replace(
        root,
        inputs=(*root.inputs[:operand], *composed, *root.inputs[operand + 1 :]),
        pad_values=(*root.pad_values[:operand], *(pad for _ in composed), *root.pad_values[operand + 1 :]),
        prologue_flops=(*before[:operand], *operations, *before[operand + 1 :]),
    )


def _check_element_wise(expression: TensorExpression, who: str) -> None:
    if expression.reductions():
        raise ValueError(f"the {who} must be element-wise, but it has reduction loops {list(expression.reductions())}")


def _operand(expression: TensorExpression, operand: int, who: str) -> Access:
    if not 0 <= operand < len(expression.inputs):
        raise ValueError(f"the {who} has {len(expression.inputs)} inputs, but got operand {operand}")
    return expression.inputs[operand]


def _check_tensor(made: Access, read: Access, what: str) -> None:
    """Check that what is read is what is made: shape and element type."""
    if (made.static_shape, made.element_type) != (read.static_shape, read.element_type):
        raise ValueError(f"{what} as {_type(read)}, but it is {_type(made)}")


def _type(access: Access) -> str:
    return "x".join((*map(str, access.static_shape), access.element_type))


def _plain(access: Access, expression: TensorExpression, what: str) -> dict[int, int]:
    """Return the loop of each dimension of a tensor that is a permutation of loops; dimensions of one element may lack.

    Raises:
        ValueError: A dimension is no loop by itself, or is not walked to its end.
    """
    found: dict[int, int] = {}
    for dimension, (index, extent) in enumerate(zip(access.indices, access.static_shape, strict=True)):
        terms = index.terms()
        if not terms and index.constant == 0 and extent == 1:
            continue
        loop = next(iter(terms), 0)
        alone = dict(terms) == {loop: 1} and index.constant == 0 and loop not in found.values()
        if not alone or expression.bounds[loop] != extent:
            raise ValueError(f"{what} not as a permutation of its loops: dimension {dimension} of {extent} elements")
        found[dimension] = loop
    return found


def _check_all(used: set[int], expression: TensorExpression, loops: tuple[int, ...], what: str) -> None:
    left = [loop for loop in loops if loop not in used and expression.bounds[loop] > 1]
    if left:
        raise ValueError(f"{what} several times: loop {left[0]} does not index it")


def _same_places(access: Access, result: Access) -> bool:
    """Return whether both tensors end at the same points: an index outside of one is outside of the other."""
    places = sorted(zip((index.coefficients for index in result.indices), result.static_shape, strict=True))
    own = sorted(zip((index.coefficients for index in access.indices), access.static_shape, strict=True))
    return places == own and not any(index.constant for index in access.indices)


def _operations(expression: TensorExpression) -> int:
    """Return the operations of an element-wise expression on one element."""
    return expression.flops_per_point + expression.epilogue_flops + sum(expression.prologue_flops)


def _unit(loop: int, count: int) -> LinearIndex:
    return LinearIndex(tuple(int(i == loop) for i in range(count)))


def _composed(access: Access, at: Substitution, count: int) -> Access:
    """Return an access with its loops replaced by functions of `count` others; loops of one point are left out."""

    def index(of: LinearIndex) -> LinearIndex:
        coefficients, constant = [0] * count, of.constant
        for loop, k in of.terms().items():
            if loop in at:
                coefficients = [old + k * new for old, new in zip(coefficients, at[loop].coefficients, strict=True)]
                constant += k * at[loop].constant
        return LinearIndex(tuple(coefficients), constant)

    return replace(access, indices=tuple(map(index, access.indices)))
