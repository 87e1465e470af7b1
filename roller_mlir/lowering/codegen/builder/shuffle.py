# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that threads of a subgroup exchange, whatever their type: as words of 32 bits, which every device passes.

A vector<4xf16> or an f64 is 2 words; an f16, a bf16, an i8 or an i1 is one, extended by zeros.
"""

from roller_mlir.lowering.codegen.builder.task_context import TaskContext, vector_type
from roller_mlir.support.bindings import ir

_WORD_BITS = 32


def shuffle_xor(context: TaskContext, value: ir.Value, distance: int) -> ir.Value:
    """Return the value of the thread whose number differs by `distance`, a power of two, in its binary digits.

    Args:
        context: The task.
        value: A scalar or a vector of one dimension.
        distance: Below the subgroup's size.
    """
    emit = context.emit
    lanes, element = 1, value.type
    if isinstance(element, ir.VectorType):
        vector = ir.VectorType(element)
        lanes, element = vector.shape[0], vector.element_type
    width = ir.FloatType(element).width if isinstance(element, ir.FloatType) else ir.IntegerType(element).width
    if width == _WORD_BITS and lanes == 1:
        return _shuffle(context, value, distance)
    if lanes * width % _WORD_BITS:
        return _by_element(context, value, lanes, width, element, distance)
    words = lanes * width // _WORD_BITS
    i32 = ir.IntegerType.get_signless(_WORD_BITS)
    kind = ir.VectorType.get([words], i32)
    whole = value if lanes > 1 else emit.op("vector.from_elements", [value], ir.VectorType.get([1], element))
    split = emit.op("vector.bitcast", [whole], kind) if whole.type != kind else whole
    passed = [_shuffle(context, emit.extract(split, word), distance) for word in range(words)]
    joined = emit.op("vector.from_elements", passed, kind)
    if lanes > 1:
        return joined if value.type == kind else emit.op("vector.bitcast", [joined], value.type)
    return emit.extract(emit.op("vector.bitcast", [joined], ir.VectorType.get([1], element)), 0)


def _by_element(
    context: TaskContext, value: ir.Value, lanes: int, width: int, element: ir.Type, distance: int
) -> ir.Value:
    """Exchange elements that fill no whole words, each in a word of its own."""
    emit = context.emit
    i32, narrow = (ir.IntegerType.get_signless(bits) for bits in (_WORD_BITS, width))
    found: list[ir.Value] = []
    for lane in range(lanes):
        part = value if lanes == 1 else emit.extract(value, lane)
        bits = part if element == narrow else emit.op("arith.bitcast", [part], narrow)
        word = _shuffle(context, emit.op("arith.extui", [bits], i32), distance)
        back = emit.op("arith.trunci", [word], narrow)
        found.append(back if element == narrow else emit.op("arith.bitcast", [back], element))
    return found[0] if lanes == 1 else emit.op("vector.from_elements", found, vector_type(element, lanes))


def _shuffle(context: TaskContext, word: ir.Value, distance: int) -> ir.Value:
    """Exchange one value of 32 bits."""
    i32, i1 = ir.IntegerType.get_signless(_WORD_BITS), ir.IntegerType.get_signless(1)
    emit = context.emit
    offset = emit.typed_constant(ir.IntegerAttr.get(i32, distance))
    size = emit.typed_constant(ir.IntegerAttr.get(i32, context.subgroup_size))
    shuffle = ir.Operation.create(
        "gpu.shuffle",
        results=[word.type, i1],
        operands=[word, offset, size],
        attributes={"mode": ir.Attribute.parse("#gpu<shuffle_mode xor>")},
    )
    return shuffle.results[0]
