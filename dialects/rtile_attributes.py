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
    from_attribute,
    to_attribute,
)
from roller_mlir.support.bindings import ir

INSTRUCTIONS = ("fma", "packed_fma", "wmma", "mma", "wgmma", "mfma")
SWIZZLES = ("xor", "tma128")
VECTOR_KEYS = ("vector", "store_vector", "fragment_vector")
LAYOUT_KEYS = ("order", "pad", *VECTOR_KEYS)
THREADS_KEYS = ("axes", "order", "lane", "unroll")
AXIS_KEYS = ("block", "threads", "chunk")
PART_KEYS = ("loop", "parts", "extent")
OPERAND_KEYS = ("layer", *LAYOUT_KEYS, "pad_value", "swizzle")
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
    of it); default 1.
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(
        cls, order: Sequence[int], *, pad: int = 0, vector: int = 1, store_vector: int = 1, fragment_vector: int = 1
    ) -> "LayoutAttr":
        """Build the attribute with all its keys."""
        values = {
            "order": list(order),
            "pad": pad,
            "vector": vector,
            "store_vector": store_vector,
            "fragment_vector": fragment_vector,
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

    def check(self, rank: int) -> None:
        """Raise `InvalidOpError` unless the layout fits a tile of this rank."""
        check_layout(self._entries(), rank)


class ThreadsAttr(RTile.Attribute, name="threads"):
    """How the box of a compute step is spread over threads and their registers.

    Keys: `axes` ([threads, chunk] per loop), `order` (loops with more than one thread, fastest in the thread number
    first), `lane` (loop whose chunk is the SSA vector, -1 for none), `unroll` (reduction points unrolled inside one
    step). Register r of thread t holds position r // chunk * (threads * chunk) + t * chunk + r % chunk of a loop.
    """

    fields_parameter: ir.DictAttr

    @classmethod
    def of(
        cls, axes: Sequence[tuple[int, int]], *, order: Sequence[int], lane: int = -1, unroll: int = 1
    ) -> "ThreadsAttr":
        """Build the attribute with all its keys."""
        pairs = [list(axis) for axis in axes]
        return cls.get(to_attribute({"axes": pairs, "order": list(order), "lane": lane, "unroll": unroll}))

    def _entries(self) -> Fields:
        return Fields.of("threads", self.params[0].maybe_downcast(), THREADS_KEYS)

    @property
    def axes(self) -> tuple[tuple[int, int], ...]:
        """(threads, chunk) per loop."""
        pairs = [tuple(pair) for pair in self._entries().items("axes") if isinstance(pair, list)]
        return tuple(pair for pair in pairs if len(pair) == 2)

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
        for loop, (extent, pair) in enumerate(zip(box, pairs, strict=True)):
            good = isinstance(pair, list) and len(pair) == 2 and all(type(value) is int and value > 0 for value in pair)
            require(good, f"threads 'axes' must hold [threads, chunk] of at least 1, but loop {loop} has {pair}")
            check_axis(f"threads of loop {loop}", extent, *pair)
            counts.append(pair[0])
        check_thread_order(fields.integers("order"), counts, "threads 'order'")
        require(self.lane < len(box), f"threads 'lane' must be -1 or one of {len(box)} loops, but is {self.lane}")
        require(self.unroll >= 1, "threads 'unroll' must be at least 1")


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


def check_plan(plan: Fields) -> None:
    """Check the entries of a plan against each other."""
    plan.choice("device", ())
    plan.choice("instruction", INSTRUCTIONS, default="fma")
    plan.choice("edge", ("mask",), default="mask")
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
    threads: list[int] = []
    for loop, entry in enumerate(plan.items("axes")):
        axis = Fields(f"plan axis {loop}", entry, AXIS_KEYS)
        count, chunk = axis.integer("threads", at_least=1, default=1), axis.integer("chunk", at_least=1, default=1)
        check_axis(axis.what, axis.integer("block", at_least=1), count, chunk)
        threads.append(count)
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
        if operand.has("swizzle"):
            operand.choice("swizzle", SWIZZLES)
        check_layout(operand, len(operand.integers("order")))
