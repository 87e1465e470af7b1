# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of the `rtile` dialect.

    #rtile.tile<[128, 8], "workgroup", [1, 1]>
    #rtile.layout<{fragment_vector = 4, order = [1, 0], pad = 4, store_vector = 1, vector = 4}>
    #rtile.threads<{axes = [[16, 4], [16, 4], [1, 1]], lane = 1, order = [1, 0], unroll = 8}>
    #rtile.plan<{axes = [{block = 128, chunk = 4, threads = 16}, ...], device = "h200", ...}>

Integers of dictionaries print as `4 : i64`. The bindings allow no verifier on attributes, so that the ops which carry
them call `check`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from roller_mlir.dialects.rtile_checks import LAYERS, integers, require
from roller_mlir.dialects.rtile_dialect import RTile
from roller_mlir.dialects.rtile_fields import (
    Fields,
    check_axis,
    check_permutation,
    check_thread_order,
    check_tile,
    from_attribute,
    to_attribute,
)
from roller_mlir.hal.instructions import FAMILIES, MATRIX_FAMILIES
from roller_mlir.support.bindings import ir

SWIZZLES = ("xor", "tma128")
COPIES = ("synchronous", "asynchronous", "tensor")
VECTOR_KEYS = ("vector", "store_vector", "fragment_vector")
LAYOUT_KEYS = ("order", "pad", *VECTOR_KEYS, "swizzle", "copy")
THREADS_KEYS = ("axes", "order", "lane", "unroll", "lane_order")
AXIS_KEYS = ("block", "threads", "chunk", "lanes", "tile")
INSTRUCTION_KEYS = ("family", "shape", "row", "column", "depth")
ATOM_KEYS = ("shape", "row", "column", "depth", "lane_order")
PART_KEYS = ("loop", "parts", "extent")
OPERAND_KEYS = ("layer", *LAYOUT_KEYS, "pad_value")
PLAN_KEYS = (
    "device",
    "instruction",
    "axes",
    "thread_order",
    "lane",
    "unit_order",
    "reduction_order",
    "operands",
    "stages",
    "unroll",
    "edge",
    "tasks_per_unit",
    "split",
    "part",
    "max_units",
    "store",
    "persistent",
    "atom",
    "prediction",
)


class TileAttr(RTile.Attribute, name="tile"):
    """A data tile in a memory layer: element x holds source[origin + x * steps].

    Paper: ROLLER section 3.1 (rTile).
    """

    shape_parameter: ir.ArrayAttr
    layer_parameter: ir.StringAttr
    steps_parameter: ir.ArrayAttr

    @classmethod
    def of(cls, shape: Sequence[int], layer: str, steps: Sequence[int] | None = None) -> "TileAttr":
        """Build the attribute; steps are 1 where not given."""
        steps = [1] * len(shape) if steps is None else list(steps)
        return cls.get(to_attribute(list(shape)), to_attribute(layer), to_attribute(steps))

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dimension."""
        return integers(self.params[0].maybe_downcast(), "tile shape")

    @property
    def layer(self) -> str:
        """The memory layer: "workgroup" (staged) or "register" (read directly)."""
        return ir.StringAttr(self.params[1]).value

    @property
    def steps(self) -> tuple[int, ...]:
        """Distance in the source between neighbouring elements, per dimension."""
        return integers(self.params[2].maybe_downcast(), "tile steps")

    def check(self) -> None:
        """Raise `InvalidOpError` unless shape, layer and steps fit together."""
        require(
            len(self.shape) == len(self.steps), f"tile has {len(self.shape)} dimensions, but {len(self.steps)} steps"
        )
        layers = " or ".join(repr(layer) for layer in LAYERS)
        require(self.layer in LAYERS, f"tile layer must be {layers}, but is {self.layer!r}")


class LayoutAttr(RTile.Attribute, name="layout"):
    """How a staged tile lies in workgroup memory, and how wide the accesses to it are.

    Keys: `order` (dimensions, outermost first), `pad` (elements after each innermost row, default 0), `vector`
    (elements of one global read), `store_vector` (of one write of workgroup memory), `fragment_vector` (of one read
    of it); default 1; `swizzle` ("xor", "tma128": how the 16-byte pieces of each row are permuted, default none),
    `copy` ("synchronous", "asynchronous", "tensor": how the tile gets there, default synchronous).
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(
        cls,
        order: Sequence[int],
        *,
        pad: int = 0,
        vector: int = 1,
        store_vector: int = 1,
        fragment_vector: int = 1,
        swizzle: str | None = None,
        copy: str = COPIES[0],
    ) -> "LayoutAttr":
        """Build the attribute with all its keys but those of swizzle and copy that say the default."""
        values: dict[str, Any] = {
            "order": list(order),
            "pad": pad,
            "vector": vector,
            "store_vector": store_vector,
            "fragment_vector": fragment_vector,
            "swizzle": swizzle,
            "copy": copy if copy != COPIES[0] else None,
        }
        return cls.get(to_attribute(values))

    def _entries(self) -> Fields:
        return Fields.of("layout", self.params[0].maybe_downcast(), LAYOUT_KEYS)

    @property
    def order(self) -> tuple[int, ...]:
        """The tile's dimensions in memory order, outermost first."""
        return self._entries().integers("order")

    @property
    def pad(self) -> int:
        """Elements appended to each innermost row."""
        return self._entries().integer("pad", at_least=0, default=0)

    @property
    def vector(self) -> int:
        """Elements of one global read."""
        return self._entries().integer("vector", at_least=1, default=1)

    @property
    def store_vector(self) -> int:
        """Elements of one write of workgroup memory."""
        return self._entries().integer("store_vector", at_least=1, default=1)

    @property
    def fragment_vector(self) -> int:
        """Elements of one read of workgroup memory."""
        return self._entries().integer("fragment_vector", at_least=1, default=1)

    @property
    def swizzle(self) -> str | None:
        """How the 16-byte pieces of each row are permuted, None where they are not."""
        entries = self._entries()
        return entries.choice("swizzle", SWIZZLES) if entries.has("swizzle") else None

    @property
    def copy(self) -> str:
        """How the tile gets to workgroup memory."""
        return self._entries().choice("copy", COPIES, default=COPIES[0])

    def check(self, rank: int) -> None:
        """Raise `InvalidOpError` unless the layout fits a tile of this rank."""
        check_layout(self._entries(), rank)


class ThreadsAttr(RTile.Attribute, name="threads"):
    """How the box of a compute step is spread over threads and their registers.

    Keys: `axes` ([threads, chunk] per loop), `order` (loops with more than one thread, fastest in the thread number
    first), `lane` (loop whose chunk is the SSA vector, -1 for none), `unroll` (reduction points unrolled inside one
    step). Register r of thread t holds position r // chunk * (threads * chunk) + t * chunk + r % chunk of a loop.

    A loop that a matrix instruction spans has [threads, chunk, lanes, tile]: see `roller_mlir.plan.AxisPlan`. The lanes
    come first in the thread number, in `lane_order` (fastest first), then the subgroups in `order`.
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(
        cls,
        axes: Sequence[Sequence[int]],
        *,
        order: Sequence[int],
        lane: int = -1,
        unroll: int = 1,
        lane_order: Sequence[int] = (),
    ) -> "ThreadsAttr":
        """Build the attribute with all its keys, `lane_order` only where there is one."""
        entries = {"axes": [list(axis) for axis in axes], "order": list(order), "lane": lane, "unroll": unroll}
        return cls.get(to_attribute(entries | ({"lane_order": list(lane_order)} if lane_order else {})))

    def _entries(self) -> Fields:
        return Fields.of("threads", self.params[0].maybe_downcast(), THREADS_KEYS)

    @property
    def axes(self) -> tuple[tuple[int, int], ...]:
        """(threads, chunk) per loop."""
        return tuple((axis[0], axis[1]) for axis in self._axes())

    @property
    def tiles(self) -> tuple[tuple[int, int], ...]:
        """(lanes, tile) per loop, (0, 0) for those that no matrix instruction spans."""
        return tuple((axis[2], axis[3]) if len(axis) == 4 else (0, 0) for axis in self._axes())

    @property
    def lane_order(self) -> tuple[int, ...]:
        """Loops with lanes, fastest in the thread number first."""
        return self._entries().integers("lane_order") if self._entries().has("lane_order") else ()

    def _axes(self) -> list[list[int]]:
        return [axis for axis in self._entries().items("axes") if isinstance(axis, list) and len(axis) in (2, 4)]

    @property
    def order(self) -> tuple[int, ...]:
        """Loops with more than one thread, fastest in the thread number first."""
        return self._entries().integers("order")

    @property
    def lane(self) -> int:
        """Loop whose chunk is the SSA vector, -1 for none."""
        return self._entries().integer("lane", at_least=-1, default=-1)

    @property
    def unroll(self) -> int:
        """Reduction points unrolled inside one step."""
        return self._entries().integer("unroll", at_least=1, default=1)

    def check(self, box: Sequence[int]) -> None:
        """Raise `InvalidOpError` unless the map fits a box."""
        fields = self._entries()
        pairs = fields.items("axes")
        require(len(pairs) == len(box), f"threads 'axes' needs {len(box)} pairs, one per loop, but has {len(pairs)}")
        counts: list[int] = []
        tiled: list[int] = []
        for loop, (extent, pair) in enumerate(zip(box, pairs, strict=True)):
            good = isinstance(pair, list) and len(pair) in (2, 4) and all(type(v) is int and v > 0 for v in pair)
            require(good, f"threads 'axes' must hold [threads, chunk] of at least 1, but loop {loop} has {pair}")
            check_axis(f"threads of loop {loop}", extent, *pair[:2])
            if len(pair) == 4:
                check_tile(f"threads of loop {loop}", extent, *pair)
                tiled.append(loop)
            counts.append(pair[0])
        order = sorted(self.lane_order)
        require(order == tiled, f"threads 'lane_order' must name the loops with lanes, {tiled}, but is {order}")
        check_thread_order(fields.integers("order"), counts, "threads 'order'")
        require(self.lane < len(box), f"threads 'lane' must be -1 or one of {len(box)} loops, but is {self.lane}")
        require(self.unroll >= 1, "threads 'unroll' must be at least 1")


class InstructionAttr(RTile.Attribute, name="instruction"):
    """A matrix instruction that computes a box: its rows, columns and reduction are loops of the box.

    Keys: `family` (one of `MATRIX_FAMILIES`), `shape` ([rows, columns, reduction] of one instruction), `row`, `column`,
    `depth` (loops).
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(cls, family: str, shape: Sequence[int], *, row: int, column: int, depth: int) -> "InstructionAttr":
        """Build the attribute with all its keys."""
        entries = {"family": family, "shape": list(shape), "row": row, "column": column, "depth": depth}
        return cls.get(to_attribute(entries))

    def _entries(self) -> Fields:
        return Fields.of("instruction", self.params[0].maybe_downcast(), INSTRUCTION_KEYS)

    @property
    def family(self) -> str:
        """The family of instructions."""
        return self._entries().choice("family", MATRIX_FAMILIES)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns and reduction length of one instruction."""
        rows, columns, length = self._entries().integers("shape", at_least=1)
        return rows, columns, length

    @property
    def loops(self) -> tuple[int, int, int]:
        """The loops of rows, columns and reduction."""
        entries = self._entries()
        row, column, depth = (entries.integer(key, at_least=0) for key in ("row", "column", "depth"))
        return row, column, depth

    def check(self, iterators: Sequence[str], threads: ThreadsAttr) -> None:
        """Raise `InvalidOpError` unless the instruction fits loops and their threads."""
        fields = self._entries()
        fields.choice("family", MATRIX_FAMILIES)
        shape = fields.integers("shape", at_least=1)
        require(len(shape) == 3, f"instruction 'shape' must hold 3 extents, but holds {list(shape)}")
        require(len(set(self.loops)) == 3, f"instruction must span 3 different loops, but spans {list(self.loops)}")
        wanted = ("parallel", "parallel", "reduction")
        for key, loop, kind in zip(("row", "column", "depth"), self.loops, wanted, strict=True):
            known = loop < len(iterators) and iterators[loop] == kind
            require(known, f"instruction '{key}' must be a {kind} loop of the box, but is {loop}")
        row, column, _ = self.loops
        require(
            sorted(threads.lane_order) == sorted((row, column)),
            f"instruction needs threads whose 'lane_order' holds its rows and columns, {row} and {column}, but it is "
            f"{list(threads.lane_order)}",
        )


class PlanAttr(RTile.Attribute, name="plan"):
    """The plan of a program, field by field as `roller_mlir.plan.Plan.to_dict()` gives it (absent means None)."""

    fields_parameter: ir.DictAttr

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "PlanAttr":
        """Build the attribute from `Plan.to_dict()`."""
        return cls.get(to_attribute(dict(data)))

    def to_dict(self) -> dict[str, Any]:
        """Return data that `Plan.from_dict` takes."""
        data: dict[str, Any] = {
            "lane": None,
            "tasks_per_unit": None,
            "prediction": None,
            **from_attribute(self.params[0].maybe_downcast()),
        }
        data["operands"] = [{"pad_value": None, **operand} for operand in data.get("operands", [])]
        return data

    def check(self) -> None:
        """Raise `InvalidOpError` unless the plan is complete and consistent in itself."""
        check_plan(Fields.of("plan", self.params[0].maybe_downcast(), PLAN_KEYS))


def check_layout(fields: Fields, rank: int) -> None:
    """Check the layout keys of a layout or of a plan's operand."""
    check_permutation(fields.integers("order"), rank, f"{fields.what} 'order'")
    fields.integer("pad", at_least=0, default=0)
    for key in VECTOR_KEYS:
        width = fields.integer(key, at_least=1, default=1)
        require(width & (width - 1) == 0, f"{fields.what} '{key}' must be a power of two, but is {width}")
    if fields.has("swizzle"):
        fields.choice("swizzle", SWIZZLES)
    fields.choice("copy", COPIES, default=COPIES[0])


def check_plan(plan: Fields) -> None:
    """Check the entries of a plan against each other."""
    plan.choice("device", ())
    plan.choice("instruction", FAMILIES, default="fma")
    plan.choice("edge", ("mask",), default="mask")
    plan.choice("store", (COPIES[0], COPIES[2]), default=COPIES[0])
    plan.integer("stages", at_least=1, default=1)
    plan.integer("unroll", at_least=1, default=1)
    plan.integer("tasks_per_unit", at_least=1, default=1)
    plan.integer("max_units", at_least=1, default=1)
    require(
        not plan.has("split"), "plan 'split' is of two programs; rtile-construct gives each stage a plan of its own"
    )
    if plan.has("part"):
        part = Fields("plan 'part'", plan.data["part"], PART_KEYS)
        for key, least in zip(PART_KEYS, (0, 2, 1), strict=True):
            part.integer(key, at_least=least)
    threads, tiled = list[int](), list[int]()
    for loop, entry in enumerate(plan.items("axes")):
        axis = Fields(f"plan axis {loop}", entry, AXIS_KEYS)
        count, chunk = axis.integer("threads", at_least=1, default=1), axis.integer("chunk", at_least=1, default=1)
        block = axis.integer("block", at_least=1)
        check_axis(axis.what, block, count, chunk)
        if axis.has("lanes"):
            lanes, tile = axis.integer("lanes", at_least=1), axis.integer("tile", at_least=1)
            check_tile(axis.what, block, count, chunk, lanes, tile)
            tiled.append(loop)
        threads.append(count)
    if plan.has("atom"):
        atom = Fields("plan 'atom'", plan.data["atom"], ATOM_KEYS)
        require(len(atom.integers("shape", at_least=1)) == 3, "plan 'atom' needs a 'shape' of 3 extents")
        for key in ("row", "column", "depth"):
            require(atom.integer(key, at_least=0) < len(threads), f"plan 'atom' {key} must be one of the loops")
        order = sorted(atom.integers("lane_order"))
        require(order == tiled, f"plan 'atom' lane_order must name the loops with lanes, {tiled}, but is {order}")
    else:
        require(not tiled, f"plan axes {tiled} have lanes, which only an 'atom' gives a meaning")
    check_thread_order(plan.integers("thread_order"), threads, "plan 'thread_order'")
    if plan.has("lane"):
        lane = plan.integer("lane", at_least=0)
        require(lane < len(threads), f"plan 'lane' must be one of {len(threads)} loops, but is {lane}")
    seen: set[int] = set()
    for key in ("unit_order", "reduction_order"):
        for loop in plan.integers(key):
            require(loop < len(threads), f"plan '{key}' must hold some of {len(threads)} loops, but holds {loop}")
            require(loop not in seen, f"plan orders must name a loop once, but loop {loop} occurs again in '{key}'")
            seen.add(loop)
    for number, entry in enumerate(plan.items("operands")):
        operand = Fields(f"plan operand {number}", entry, OPERAND_KEYS)
        operand.choice("layer", LAYERS)
        check_layout(operand, len(operand.integers("order")))
