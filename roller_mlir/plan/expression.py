# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor expressions: loops, affine accesses and a combiner, all that planning needs to know of an operator.

Paper: ROLLER section 3.1 ("tensor expression"). An expression holds no operator name: a matmul, a convolution and a row
sum differ only in their loops and index functions.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from types import MappingProxyType

from roller_mlir.plan.extent import Extent, Size, as_extent, as_extents, static_sizes
from roller_mlir.plan.records.codec import seldom
from roller_mlir.plan.records.exact import exact_number
from roller_mlir.plan.records.hashed import hashed_once

ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i1": 1}

NEUTRAL = {
    "arith.addf": 0.0,
    "arith.addi": 0.0,
    "arith.mulf": 1.0,
    "arith.muli": 1.0,
    "arith.maximumf": -inf,
    "arith.maxnumf": -inf,
    "arith.minimumf": inf,
    "arith.minnumf": inf,
}
"""What leaves a combiner's other operand as it is, whatever its type."""

_NEUTRAL_OF_BITS: dict[str, Callable[[int], int]] = {
    "arith.maxsi": lambda bits: -(1 << (bits - 1)),
    "arith.minsi": lambda bits: (1 << (bits - 1)) - 1,
    "arith.maxui": lambda bits: 0,
    "arith.minui": lambda bits: -1,
    "arith.andi": lambda bits: -1,
    "arith.ori": lambda bits: 0,
    "arith.xori": lambda bits: 0,
}

COMBINERS = (*NEUTRAL, *_NEUTRAL_OF_BITS)
"""Operations that join partial results in any order."""


def neutral_of(combiner: str | None, element_type: str) -> float | None:
    """Return what leaves a combiner's other operand of a type as it is, None of what is no combiner.

    >>> neutral_of("arith.maximumf", "f16"), neutral_of("arith.maxsi", "i8"), neutral_of("arith.subf", "f32")
    (-inf, -128.0, None)
    """
    if combiner in _NEUTRAL_OF_BITS:
        bits = element_type.removeprefix("i")
        return exact_number(_NEUTRAL_OF_BITS[combiner](int(bits))) if bits.isdigit() else None
    return None if combiner is None else NEUTRAL.get(combiner)


@hashed_once
@dataclass(frozen=True, init=False)
class Loop:
    """One loop of an expression.

    Attributes:
        extent: Trip count, at least 1.
        reduction: Whether the loop is summed over (or otherwise combined) rather than stored.
    """

    extent: Extent
    reduction: bool = seldom(False)

    def __init__(self, extent: Size, reduction: bool = False) -> None:
        object.__setattr__(self, "extent", as_extent(extent))
        object.__setattr__(self, "reduction", reduction)


@hashed_once
@dataclass(frozen=True)
class LinearIndex:
    """The index of one tensor dimension as a linear function of the loops: sum(coefficient * loop) + constant.

    Attributes:
        coefficients: One integer per loop of the expression.
        constant: The offset, in elements.
    """

    coefficients: tuple[int, ...]
    constant: int = seldom(0)

    def terms(self) -> Mapping[int, int]:
        """Return {loop: coefficient} of the loops that occur."""
        return self._terms

    @cached_property
    def _terms(self) -> Mapping[int, int]:
        return MappingProxyType({loop: value for loop, value in enumerate(self.coefficients) if value})


def dense_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the elements from one to the next along each dimension of a row-major array.

    >>> dense_strides((4, 3, 5))
    (15, 5, 1)
    """
    return tuple([prod(shape[d + 1 :]) for d in range(len(shape))])


@hashed_once
@dataclass(frozen=True, init=False)
class Access:
    """A tensor read or written through affine indices.

    Attributes:
        name: How reports call the tensor.
        shape: Extents in elements, one a dimension.
        element_type: MLIR's spelling, such as "f32".
        indices: One linear index a dimension.
        gathered: Most elements of a tensor that each point reads at a position which is data; shape and indices are
            then empty. 0 of every other access.
    """

    name: str
    shape: tuple[Extent, ...]
    element_type: str
    indices: tuple[LinearIndex, ...]
    gathered: int = seldom(0)

    def __init__(
        self, name: str, shape: Iterable[Size], element_type: str, indices: tuple[LinearIndex, ...], gathered: int = 0
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "shape", as_extents(shape))
        object.__setattr__(self, "element_type", element_type)
        object.__setattr__(self, "indices", indices)
        object.__setattr__(self, "gathered", gathered)

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The largest extents, which planning asks."""
        return tuple([extent.bound for extent in self.shape])

    @property
    def static_shape(self) -> tuple[int, ...]:
        """The extents, which code generation asks."""
        return static_sizes(self.shape)

    @cached_property
    def element_bytes(self) -> int:
        """Bytes of one element."""
        return ELEMENT_BYTES[self.element_type]

    @cached_property
    def size_bytes(self) -> int:
        """Bytes of the whole tensor, at most."""
        return (self.gathered or prod(self.bounds)) * self.element_bytes

    def loops(self) -> frozenset[int]:
        """Return the loops that the access depends on."""
        return self._loops

    @cached_property
    def _loops(self) -> frozenset[int]:
        return frozenset(loop for index in self.indices for loop in index.terms())

    @cached_property
    def windows(self) -> bool:
        """Whether some dimension is indexed by several loops."""
        return any(len(index.terms()) > 1 for index in self.indices)

    def moves_window(self, loop: int) -> bool:
        """Return whether a loop moves a window over the tensor: it shares a dimension with another loop."""
        return any(index.coefficients[loop] and len(index.terms()) > 1 for index in self.indices)


@dataclass(frozen=True)
class RowPass:
    """One pass of a task over a row that it does not hold.

    Attributes:
        inputs: Numbers of the inputs that it reads.
        flops: Arithmetic operations at one point.
        point_cycles: Cycles that functions take there beyond one an operation, see `TensorExpression`.
    """

    inputs: tuple[int, ...]
    flops: int
    point_cycles: int = seldom(0)


@dataclass(frozen=True)
class TensorExpression:
    """An operator as loops, accesses and a combiner.

    Attributes:
        loops: Outermost first.
        inputs: The tensors that the body reads.
        output: The tensor that it writes; its indices use parallel loops only.
        combiner: The operation that joins the reduction's points ("arith.addf"), None without reduction loops.
        flops_per_point: Arithmetic operations of the body at one point of the loop nest.
        pad_values: Per input, what an out-of-range element may read as so that a point outside the reduction's range
            contributes nothing; None where no value has that property, so that such points must be masked.
        accumulates: Whether the old content of the output takes part.
        fused_multiply_add: Whether the body is acc + a * b, one FMA a point.
        widens_only: Of a product, whether its factors are the inputs' elements as they are, or widened with their sign,
            which is what matrix instructions do.
        epilogue: Tensors that are read once per point of the output, after the reduction, to compute what is stored;
            their indices use parallel loops only.
        epilogue_flops: Arithmetic operations on each point of the output after the reduction.
        prologue_flops: Per input, arithmetic operations on each element that is loaded, before the body sees it; empty
            for none.
        accumulator_type: Element type of the reduction's results where the epilogue stores another; empty for the
            output's.
        more_outputs: Further tensors that the body writes, each at all parallel loops as the output is; those of a
            group with `whole` loops at any of its loops.
        whole: Loops that lie in one task from end to end, since one part of a group reduces over them and another needs
            the result at each of their points.
        point_cycles: Cycles of a scheduler that functions of the body, such as an exponential, take at one point beyond
            one for each of flops_per_point.
        epilogue_cycles: The same of the epilogue, for a point of the output.
        epilogue_chain: Cycles of the epilogue's longest chain of operations each of which takes the result of the one
            before it, counted as those of a scheduler are.
        prologue_cycles: The same of the prologue, per input and element; empty for none.
        input_flops: Per input, operations of the body, with casts, that ask for its element and for those of inputs
            along fewer loops alone, where the body is a sum of products: who holds an element for several points may
            do them once; empty for none.
        live_words: Of a group: 32-bit words that a thread holds at most for each of its points, 0 where one op is all
            there is.
        joined_results: Of a group: the most results of reductions over the same loops that are joined together, before
            the first op that reads one of them; 0 where none are.
        tail_apart: Of a group: whether every op behind its reductions computes point by point, from their results, from
            each other's and from tensors that no op before them reads, so that any thread may have any of its points.
        tail_inputs: Numbers of the inputs that only these ops read.
        tail_exchanges: Of a group of several reductions with an epilogue: how many results threads that split the
            reduction join at a time, exchange by exchange.
        starts: Of a group: tensors that results start from, but those that the epilogue adds, in the order of the ops.
        row_passes: Of a group with `whole` loops: the passes in which a task may walk these in steps instead of holding
            them; empty where it must hold them.
    """

    loops: tuple[Loop, ...]
    inputs: tuple[Access, ...]
    output: Access
    combiner: str | None
    flops_per_point: int
    pad_values: tuple[float | None, ...]
    accumulates: bool = seldom(False)
    fused_multiply_add: bool = False
    widens_only: bool = True
    epilogue: tuple[Access, ...] = seldom(())
    epilogue_flops: int = seldom(0)
    prologue_flops: tuple[int, ...] = seldom(())
    accumulator_type: str = seldom("")
    more_outputs: tuple[Access, ...] = seldom(())
    whole: tuple[int, ...] = seldom(())
    live_words: int = seldom(0)
    row_passes: tuple[RowPass, ...] = seldom(())
    point_cycles: int = seldom(0)
    epilogue_cycles: int = seldom(0)
    epilogue_chain: int = seldom(0)
    prologue_cycles: tuple[int, ...] = seldom(())
    input_flops: tuple[int, ...] = seldom(())
    joined_results: int = seldom(0)
    tail_apart: bool = seldom(False)
    tail_inputs: tuple[int, ...] = seldom(())
    tail_exchanges: tuple[int, ...] = seldom(())
    starts: tuple[Access, ...] = seldom(())

    def parallel(self) -> tuple[int, ...]:
        """Return the parallel loops, outermost first."""
        return tuple(i for i, loop in enumerate(self.loops) if not loop.reduction)

    def reductions(self) -> tuple[int, ...]:
        """Return the reduction loops, outermost first."""
        return tuple(i for i, loop in enumerate(self.loops) if loop.reduction)

    def with_accesses(self, changed: Callable[[Access], Access]) -> "TensorExpression":
        """Return the expression with each of its accesses changed."""
        return replace(
            self,
            inputs=tuple(map(changed, self.inputs)),
            output=changed(self.output),
            epilogue=tuple(map(changed, self.epilogue)),
            more_outputs=tuple(map(changed, self.more_outputs)),
            starts=tuple(map(changed, self.starts)),
        )

    def moves_window(self, loop: int) -> bool:
        """Return whether a loop moves a window over some input (see `Access.moves_window`)."""
        return any(access.moves_window(loop) for access in self.inputs)

    @property
    def outputs(self) -> tuple[Access, ...]:
        """Every tensor that the body writes."""
        return (self.output, *self.more_outputs)

    @property
    def beside(self) -> tuple[Access, ...]:
        """What is read once a point beside the inputs: the epilogue's tensors, old outputs, what results start from."""
        return (*self.epilogue, *(self.outputs if self.accumulates else ()), *self.starts)

    @property
    def ordered(self) -> bool:
        """Whether no operation joins partial results, so that one thread must walk a point's reduction in order."""
        return self.combiner is None and any(loop.reduction for loop in self.loops)

    @property
    def has_tail(self) -> bool:
        """Whether something is read or computed at each point of the output after the reduction."""
        counts = self.epilogue_flops, self.epilogue_cycles, self.epilogue_chain
        return bool(self.epilogue or self.starts or self.accumulator_type or any(counts))

    def walks_rows(self, blocks: Sequence[int]) -> bool:
        """Return whether a task of boxes of so many points walks its rows in steps: holds no row from end to end."""
        return any(self.loops[loop].extent.most_tiles(blocks[loop]) > 1 for loop in self.whole)

    @property
    def result_type(self) -> str:
        """Element type of the body's results, before an epilogue."""
        return self.accumulator_type or self.output.element_type

    @property
    def result_bytes(self) -> int:
        """Bytes of one of them."""
        return ELEMENT_BYTES[self.result_type]

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The loops' largest extents, which planning asks."""
        return tuple([loop.extent.bound for loop in self.loops])

    @property
    def points(self) -> int:
        """Number of points of the loop nest, at most."""
        return prod(self.bounds)

    def prologue_operations(self, number: int) -> int:
        """Return the operations on each element of an input that is loaded, functions by the cycles that they take."""
        operations = self.prologue_flops[number] if self.prologue_flops else 0
        return operations + (self.prologue_cycles[number] if self.prologue_cycles else 0)

    @property
    def flops(self) -> int:
        """Arithmetic operations of the whole operator, at most: a prologue's once for each element of its input."""
        total = self.points * self.flops_per_point
        if self.epilogue_flops:
            total += prod(self.bounds[i] for i in self.parallel()) * self.epilogue_flops
        for access, operations in zip(self.inputs, self.prologue_flops, strict=False):
            total += prod(access.bounds) * operations
        return total
