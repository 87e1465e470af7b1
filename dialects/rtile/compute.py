# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile.compute`: the body of a tensor expression at every point of a box.

For every point p of `box` with 0 <= origin(indices) + p < bounds, the region runs on the elements that the indexing
maps select in the tiles (maps take tile-local points), and what it yields replaces the accumulators' elements. Points
outside `bounds` are not executed. The operands are inputs, accumulators and indices; the results are the
accumulators, updated; a body without reduction gets the old elements too and ignores them. `threads` says how the box
is spread (#rtile.threads), `instruction` which matrix instruction computes it, if any (#rtile.instruction). `skips` are
inputs whose padding contributes nothing: points that read them outside of their tensors need not be executed.

    %s = "rtile.compute"(%at, %bt, %z, %i, %j, %k) ({
    ^bb0(%x: f32, %y: f32, %c: f32):
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %c, %m : f32
      "rtile.yield"(%n) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 2, 1, 3>,
        indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>,
                         affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>,
                          #linalg.iterator_type<reduction>],
        box = array<i64: 128, 128, 8>, bounds = array<i64: 1000, 1000, 1020>,
        origin = affine_map<(d0, d1, d2) -> (d0 * 128, d1 * 128, d2 * 8 - 4)>,
        threads = #rtile.threads<{axes = [[16, 4], [16, 4], [1, 1]], order = [1, 0], lane = 1, unroll = 8}>}
        : (tensor<128x8xf32>, tensor<8x128xf32>, tensor<128x128xf32>, index, index, index) -> tensor<128x128xf32>
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.dialects.rtile.attributes import InstructionAttr, InstructionRecord, ThreadsAttr, ThreadsRecord
from roller_mlir.dialects.rtile.checks import (
    InvalidOpError,
    check_index_operands,
    check_map,
    check_segments,
    check_types,
    check_yield,
    element_type,
    hook,
    integers,
    is_checked,
    known_attributes,
    optional_attribute,
    require,
    required_attribute,
    single_block,
    tile_shape,
)
from roller_mlir.dialects.rtile.dialect import ReadsMemrefs, Speculatable
from roller_mlir.dialects.rtile.ranges import map_ranges
from roller_mlir.dialects.rtile.slots import (
    OPERAND_SIZES,
    RESULT_SIZES,
    FreeOperandsAndResults,
    is_occupied,
    occupy,
    vacate,
)
from roller_mlir.support.bindings import ext, ir

ITERATOR_TYPES = ("parallel", "reduction")
_ATTRIBUTES = ("indexing_maps", "iterator_types", "box", "bounds", "origin", "threads", "instruction", "skips")


class ComputeOp(FreeOperandsAndResults, name="compute", traits=[ReadsMemrefs, Speculatable]):
    """Computes a box of points. See the module's description."""

    indexing_maps: ir.ArrayAttr
    iterator_types: ir.ArrayAttr
    box: Any
    bounds: Any
    origin: ir.AffineMapAttr
    threads: ThreadsAttr
    body: ext.Region

    def _group_sizes(self) -> tuple[int, ...]:
        if not is_occupied(self):
            return tuple(self.attributes[OPERAND_SIZES])
        accumulators, indices = len(self.results), self.attributes["origin"].value.n_dims
        return len(self.operands) - accumulators - indices, accumulators, indices

    def _group(self, number: int) -> tuple[Any, ...]:
        sizes = self._group_sizes()
        start = sum(sizes[:number])
        return tuple(self.operands)[start : start + sizes[number]]

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tiles that are only read."""
        return self._group(0)

    @property
    def accumulators(self) -> tuple[Any, ...]:
        """The tiles that are updated."""
        return self._group(1)

    @property
    def indices(self) -> tuple[Any, ...]:
        """Positions of the box: the arguments of the origin map."""
        return self._group(2)

    @property
    def maps(self) -> tuple[Any, ...]:
        """One ir.AffineMap per input, then per accumulator: from points of the box to elements of the tile."""
        return tuple(attribute.value for attribute in self.attributes["indexing_maps"])

    @property
    def iterators(self) -> tuple[str, ...]:
        """What each loop is: "parallel" or "reduction"."""
        return tuple(iterator_name(attribute) for attribute in self.attributes["iterator_types"])

    @property
    def box_shape(self) -> tuple[int, ...]:
        """Points per loop."""
        return tuple(self.attributes["box"])

    @property
    def loop_bounds(self) -> tuple[int, ...]:
        """Extent of each whole loop."""
        return tuple(self.attributes["bounds"])

    @property
    def origin_map(self) -> Any:
        """The affine map from `indices` to the box's first point."""
        return self.attributes["origin"].value

    @property
    def thread_map(self) -> ThreadsRecord:
        """How the box is spread over threads."""
        return self.attributes["threads"].read()

    @property
    def matrix_instruction(self) -> InstructionRecord | None:
        """The matrix instruction that computes the box, None where each thread computes by itself."""
        attribute = self.attributes.get("instruction")
        return None if attribute is None else attribute.read()

    @property
    def skips(self) -> tuple[int, ...]:
        """Inputs whose padding contributes nothing."""
        return tuple(self.attributes["skips"]) if "skips" in self.attributes else ()

    @property
    def entry(self) -> Any:
        """The block that computes one point; its arguments are elements of inputs, then of accumulators."""
        return self.regions[0].blocks[0]

    @hook
    def verify_invariants(self) -> None:
        """Check operands, attributes and results."""
        if not is_checked(self):
            self._check()
        occupy(self, results=True)

    def _check(self) -> None:
        origin = required_attribute(self, "origin", ir.AffineMapAttr, "an affine map")
        if is_occupied(self):
            missing = len(self.results) + origin.value.n_dims - len(self.operands)
            if missing > 0:
                raise InvalidOpError(f"needs {missing} more operands for its results and its origin's dimensions")
        else:
            check_segments(self, ("inputs", "accumulators", "indices"), (False, False, False), needed=True)
        known_attributes(self, (*_ATTRIBUTES, OPERAND_SIZES, RESULT_SIZES))
        box = integers(required_attribute(self, "box", ir.DenseI64ArrayAttr, "array<i64: ...>"), "box")
        loops = len(box)
        bounds = integers(required_attribute(self, "bounds", ir.DenseI64ArrayAttr, "array<i64: ...>"), "bounds")
        if len(bounds) != loops:
            raise InvalidOpError(f"bounds needs {loops} values, one per loop of the box, but has {len(bounds)}")
        iterators = required_attribute(self, "iterator_types", ir.ArrayAttr, "an array")
        for attribute in iterators:
            if iterator_name(attribute) not in ITERATOR_TYPES:
                known = " or ".join(f"#linalg.iterator_type<{name}>" for name in ITERATOR_TYPES)
                raise InvalidOpError(f"iterator_types must hold {known}, but holds {attribute}")
        if len(iterators) != loops:
            raise InvalidOpError(f"iterator_types needs {loops} entries, one per loop, but has {len(iterators)}")
        check_index_operands(self.indices)
        check_map(
            origin, "origin", dimensions=len(self.indices), of="index operand", results=loops, to="loop of the box"
        )
        required_attribute(self, "threads", ThreadsAttr, "#rtile.threads<{...}>").check(box)
        instruction = optional_attribute(self, "instruction", InstructionAttr, "#rtile.instruction<{...}>")
        if instruction is not None:
            instruction.check(self.iterators, self.thread_map)
        skips = optional_attribute(self, "skips", ir.DenseI64ArrayAttr, "array<i64: ...>")
        wrong = next((n for n in skips or () if not 0 <= n < len(self.inputs)), None)
        if wrong is not None:
            raise InvalidOpError(f"skips must hold numbers of its {len(self.inputs)} inputs, but holds {wrong}")
        self._check_tiles(box)
        require(len(self.accumulators) >= 1, "needs an accumulator operand, which the result updates")
        kinds = [value.type for value in self.accumulators]
        check_types([result.type for result in self.results], kinds, "results", "accumulator")

    def _check_tiles(self, box: tuple[int, ...]) -> None:
        tiles = [*self.inputs, *self.accumulators]
        maps = required_attribute(self, "indexing_maps", ir.ArrayAttr, "an array of affine maps")
        if len(maps) != len(tiles):
            raise InvalidOpError(
                f"indexing_maps needs {len(tiles)} maps, one per input and accumulator, but has {len(maps)}"
            )
        for number, (value, attribute) in enumerate(zip(tiles, maps, strict=True)):
            what = f"indexing map {number}"
            shape = tile_shape(value.type, f"tile operand {number}")
            affine_map = check_map(
                attribute, what, dimensions=len(box), of="loop of the box", results=len(shape), to="tile dimension"
            )
            for dimension, (low, high) in enumerate(map_ranges(affine_map, box)):
                if not (low >= 0 and high < shape[dimension]):
                    raise InvalidOpError(
                        f"{what} reaches {low} to {high} in dimension {dimension} of tile {value.type}, "
                        f"which has 0 to {shape[dimension] - 1}"
                    )
            if number >= len(self.inputs):
                self._check_output_map(affine_map, what)

    def _check_output_map(self, affine_map: Any, what: str) -> None:
        seen: set[int] = set()
        iterators = self.iterators
        for result in affine_map.results:
            if isinstance(result, ir.AffineConstantExpr):
                continue
            if not isinstance(result, ir.AffineDimExpr):
                raise InvalidOpError(f"{what} of an accumulator must select loops, but is {affine_map}")
            loop = result.position
            if loop in seen:
                raise InvalidOpError(f"{what} of an accumulator must select each loop once, but is {affine_map}")
            if iterators[loop] != "parallel":
                raise InvalidOpError(f"{what} of an accumulator must not use reduction loop {loop}")
            seen.add(loop)

    @hook
    def verify_region_invariants(self) -> None:
        """Check the region."""
        sizes = ir.DenseI32ArrayAttr.get(self._group_sizes())
        vacate(self, results=True)
        self.attributes[OPERAND_SIZES] = sizes
        if is_checked(self):
            return
        block = single_block(self)
        kinds = [element_type(value.type) for value in (*self.inputs, *self.accumulators)]
        check_types([argument.type for argument in block.arguments], kinds, "region arguments", "tile element")
        check_yield(block, kinds[len(self.inputs) :], "accumulator element")


def iterator_name(attribute: Any) -> str:
    """Return "parallel" of #linalg.iterator_type<parallel>."""
    return str(attribute).removeprefix("#linalg.iterator_type<").removesuffix(">")


def compute(
    inputs: Sequence[Any],
    accumulators: Sequence[Any],
    indices: Sequence[Any],
    *,
    indexing_maps: Sequence[Any],
    iterator_types: Sequence[str],
    box: Sequence[int],
    bounds: Sequence[int],
    origin: Any,
    threads: ThreadsAttr,
    instruction: InstructionAttr | None = None,
    skips: Sequence[int] = (),
) -> ComputeOp:
    """Build an `rtile.compute` with an empty `entry` block, which the caller fills and ends with `yield_`.

    Args:
        inputs: Tiles that are read.
        accumulators: Tiles that are updated; the results have their types.
        indices: Index values: the arguments of `origin`.
        indexing_maps: One ir.AffineMap per input and accumulator, from points of the box to tile elements.
        iterator_types: "parallel" or "reduction" per loop.
        box: Points per loop.
        bounds: Extent of each whole loop.
        origin: ir.AffineMap from the indices to the box's first point.
        threads: How the box is spread over threads.
        instruction: The matrix instruction that computes it; None where each thread computes by itself.
        skips: Inputs whose padding contributes nothing.
    """
    kinds = [value.type for value in accumulators]
    attributes: dict[str, ir.Attribute] = {
        OPERAND_SIZES: ir.DenseI32ArrayAttr.get([len(inputs), len(accumulators), len(indices)]),
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(affine_map) for affine_map in indexing_maps]),
        "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{n}>") for n in iterator_types]),
        "box": ir.DenseI64ArrayAttr.get(list(box)),
        "bounds": ir.DenseI64ArrayAttr.get(list(bounds)),
        "origin": ir.AffineMapAttr.get(origin),
        "threads": threads,
    }
    if instruction is not None:
        attributes["instruction"] = instruction
    if skips:
        attributes["skips"] = ir.DenseI64ArrayAttr.get(list(skips))
    operands = [*inputs, *accumulators, *indices]
    op = ir.Operation.create("rtile.compute", results=kinds, operands=operands, attributes=attributes, regions=1)
    tiles = [*inputs, *accumulators]
    op.regions[0].blocks.append(*[element_type(value.type) for value in tiles], arg_locs=[op.location] * len(tiles))
    return op.opview
