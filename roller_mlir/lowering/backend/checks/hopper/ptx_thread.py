# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One thread of a PTX kernel, followed through its integers: what it asks of Hopper's asynchronous units.

The thread is of the first block. It computes what descriptors, addresses, coordinates and branches are made of; every
wait is over at once, and of what it loads or computes in floating point nothing is known. So the operands stand here as
the hardware gets them, whatever LLVM made of the arithmetic before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.lowering.backend.checks.hopper.ptx_integers import Value, computed
from roller_mlir.lowering.backend.checks.hopper.ptx_text import PtxKernel, PtxStatement, address_parts, parts_of
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES

MOST_STATEMENTS = 60_000
_BEHIND_RING = 2
"""Steps that are followed when all buffers of a ring were seen."""

_WARP = 32
_ACQUIRE = "fence.proxy.tensormap::generic.acquire"
_PRODUCT, _COPY, _EXPECT, _WAIT = "wgmma.mma_async", "cp.async.bulk.tensor", "expect_tx", "mbarrier.try_wait"


@dataclass(frozen=True)
class WarpgroupProduct:
    """A product of a warpgroup.

    Attributes:
        number: Of the statement.
        name: The instruction.
        descriptors: Of the first and the second factor, 64 bits each.
        immediates: What follows the condition that adds the old sums: signs of the factors, and whether each is
            transposed, of which types but those of 16 bits have none.
    """

    number: int
    name: str
    descriptors: tuple[Value, Value]
    immediates: tuple[Value, ...]


@dataclass(frozen=True)
class BoxCopy:
    """A tensor copy.

    Attributes:
        number: Of the statement.
        name: The instruction.
        store: Whether it goes to global memory.
        address: In workgroup memory.
        parameter: Number of the kernel's parameter that is the tensor map; None where that is not known.
        coordinates: Of the box's first element, innermost first.
        barrier: Address of the barrier at which its bytes arrive; None of stores.
    """

    number: int
    name: str
    store: bool
    address: Value
    parameter: int | None
    coordinates: tuple[Value, ...]
    barrier: Value = None


@dataclass(frozen=True)
class ExpectTx:
    """An arrival that says how many bytes belong to a phase of the barrier at an address."""

    number: int
    barrier: Value
    size_bytes: Value


@dataclass(frozen=True)
class Waited:
    """A wait for a phase of the barrier at an address."""

    number: int
    barrier: Value


@dataclass(frozen=True)
class FieldWritten:
    """A field of a tensor map that is made in workgroup memory.

    Attributes:
        number: Of the statement.
        record: Address of the tensor map.
        field: Name of the field.
        dimension: Of it, 0 where the field has none.
        value: What is written.
    """

    number: int
    record: Value
    field: str
    dimension: Value
    value: Value


@dataclass(frozen=True)
class MapPublished:
    """A tensor map that is copied from workgroup memory: to the place of the map that stands for a parameter."""

    number: int
    record: Value
    parameter: int | None


@dataclass(frozen=True)
class MapAcquired:
    """A fence behind which the thread's copies see what was written to the tensor map that stands for a parameter."""

    number: int
    parameter: int | None


Event = WarpgroupProduct | BoxCopy | ExpectTx | Waited | FieldWritten | MapPublished | MapAcquired


@dataclass(frozen=True)
class Followed:
    """What a thread did.

    Attributes:
        events: In order.
        whole: Whether it was followed to its end; else the last step may lack something.
    """

    events: tuple[Event, ...]
    whole: bool


def follow(kernel: PtxKernel, thread: int, made: int = 0) -> Followed:
    """Follow a thread until its end, a branch that depends on data, or until it has seen enough.

    Args:
        kernel: The kernel.
        thread: Its number.
        made: Tensor maps that the block makes where the last parameter points; they stand for this parameter and those
            that would follow it.
    """
    return _Thread(kernel, thread, made).run()


class _Thread:
    def __init__(self, kernel: PtxKernel, thread: int, made: int) -> None:
        self._kernel = kernel
        # Records are taken by their address: parameter n stands at -(n + 1) << 32, where no memory is.
        places = {name: -(n + 1) << 32 & (1 << 64) - 1 for n, name in enumerate(kernel.parameters)}
        self._parameters = {address: n for n, address in enumerate(places.values())}
        self._made_in = kernel.parameters[-1] if made else ""
        if made:
            last = len(kernel.parameters) - 1
            first = places[self._made_in]
            self._parameters |= {first + MAP_BYTES * number: last + number for number in range(made)}
        self._known: dict[str, Value] = {
            **places,
            **kernel.addresses,
            **{f"%{name}.{axis}": 0 for name in ("tid", "ctaid") for axis in "xyz"},
            "%tid.x": thread,
            "%ntid.x": kernel.threads or None,
            "%laneid": thread % _WARP,
            "WARP_SZ": _WARP,
        }
        self._events: list[Event] = []

    def run(self) -> Followed:
        statements, at, steps = self._kernel.statements, 0, 0
        # Two barriers a buffer; results leave behind the last step.
        names = [one.name for one in statements]
        enough = sum(name.startswith("mbarrier.init") for name in names) // 2 + _BEHIND_RING
        storing = any(name.startswith(_COPY) and ".global.shared" in name for name in names)
        for _ in range(MOST_STATEMENTS):
            if at >= len(statements):
                return Followed(tuple(self._events), True)
            statement = statements[at]
            taken: Value = 1
            if statement.guard:
                guard = self._value(statement.guard)
                taken = None if guard is None else int(bool(guard) != statement.negated)
            head = statement.name.split(".")[0]
            if head in ("bra", "ret", "exit", "brx"):
                if taken is None or (taken and head == "brx"):
                    break
                if taken and head != "bra":
                    return Followed(tuple(self._events), True)
                at = self._kernel.labels.get(statement.operands[0], -1) if taken else at + 1
                if at < 0:
                    break
                continue
            if taken != 0:
                self._execute(at, statement, sure=taken is not None)
                steps += _EXPECT in statement.name or (_PRODUCT in statement.name and self._begins_step())
                if steps > enough and (not storing or _EXPECT in statement.name or self._stored()):
                    break
            at += 1
        return Followed(tuple(self._events), False)

    def _stored(self) -> bool:
        return any(isinstance(one, BoxCopy) and one.store for one in self._events[-1:])

    def _begins_step(self) -> bool:
        return len(self._events) > 1 and isinstance(self._events[-2], Waited)

    def _execute(self, number: int, statement: PtxStatement, *, sure: bool) -> None:
        name, operands = statement.name, statement.operands
        event = self._event(number, name, operands) if sure else None
        if event is not None:
            self._events.append(event)
        if name.startswith(_WAIT):
            self._known[operands[0]] = 1
            return
        if not operands or (operands[0][:1] not in "%{" and not operands[0][:1].isalpha()):
            return  # nothing is written but memory
        if name.startswith("elect.sync"):
            lane, chosen = parts_of(operands[0])
            self._known.update({lane: 0, chosen: 1})
            return
        result: Value = None
        if sure:
            # Subgroups are followed by their first lane, which is whom they read such values from.
            read = operands[1:2] if name.startswith("shfl.sync.idx") else operands[1:]
            name = f"mov.{name.rsplit('.', 1)[1]}" if name.startswith("shfl.sync.idx") else name
            result = computed(name, [self._value(one) for one in read])
            if name.startswith("ld.param") and address_parts(operands[1])[0] == self._made_in:
                result = self._known[self._made_in]
        for target in parts_of(operands[0]):
            self._known[target] = result

    def _event(self, number: int, name: str, operands: Sequence[str]) -> Event | None:
        if name.startswith(_PRODUCT):
            first, second = (self._value(one) for one in operands[1:3])
            return WarpgroupProduct(number, name, (first, second), tuple(self._value(one) for one in operands[4:]))
        if _EXPECT in name:
            address = next(one for one in operands if one[:1] == "[")
            return ExpectTx(number, self._address(address), self._value(operands[-1]))
        if name.startswith(_WAIT):
            return Waited(number, self._address(operands[1]))
        if name.startswith("tensormap.replace"):
            *dimension, value = (self._value(one) for one in operands[1:])
            field = name.split(".")[3]
            return FieldWritten(number, self._address(operands[0]), field, (*dimension, 0)[0], value)
        if name.startswith("tensormap.cp_fenceproxy"):
            return MapPublished(number, self._address(operands[1]), self._map_at(operands[0]))
        if name.startswith(_ACQUIRE):
            return MapAcquired(number, self._map_at(operands[0]))
        if not name.startswith(_COPY):
            return None
        store = ".global.shared" in name
        tensor, memory = (operands[0], operands[1]) if store else (operands[1], operands[0])
        map_, coordinates = (*parts_of(tensor), "")[:2]
        address = self._value(map_)
        return BoxCopy(
            number,
            name,
            store,
            self._address(memory),
            None if address is None else self._parameters.get(address),
            tuple(self._value(one) for one in parts_of(coordinates)),
            None if store or len(operands) < 3 else self._address(operands[2]),
        )

    def _map_at(self, operand: str) -> int | None:
        address = self._address(operand)
        return None if address is None else self._parameters.get(address)

    def _address(self, operand: str) -> Value:
        name, offset = address_parts(operand)
        base = self._value(name)
        return None if base is None else base + offset

    def _value(self, operand: str) -> Value:
        if operand in self._known:
            return self._known[operand]
        try:
            return int(operand, 0)
        except ValueError:
            return None
