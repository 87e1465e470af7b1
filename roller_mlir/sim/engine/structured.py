# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured control flow over llvmlite's IR builder, enough to write the simulator's runtime readably.

Variables are stack slots, which LLVM turns into registers. Every integer is 64 bits wide in registers; narrower array
elements are widened when read.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

from llvmlite import ir

from roller_mlir.sim.engine.layout import State

I64 = ir.IntType(64)
I32 = ir.IntType(32)
I16 = ir.IntType(16)
I8 = ir.IntType(8)
POINTER = ir.PointerType()
VOID = ir.VoidType()

Value = Any
"""An llvmlite value; llvmlite ships no types."""


class _Callee:
    """A function that is known by its address, which llvmlite's opaque pointers cannot call."""

    def __init__(self, pointer: Value, function_type: Value) -> None:
        self.type, self.function_type, self.get_reference = pointer.type, function_type, pointer.get_reference


class Variable:
    """A mutable 64-bit variable of a function."""

    def __init__(self, code: "Code", initial: Value | int) -> None:
        self._code = code
        with code.builder.goto_entry_block():
            self._slot: Value = code.builder.alloca(I64)
        self.set(initial)

    def get(self) -> Value:
        """Read the variable."""
        return self._code.builder.load(self._slot, typ=I64)

    def set(self, value: Value | int) -> None:
        """Write the variable."""
        self._code.builder.store(self._code.value(value), self._slot)

    def add(self, value: Value | int) -> None:
        """Add to the variable."""
        self.set(self._code.builder.add(self.get(), self._code.value(value)))


class Code:
    """Emits one function; all operands are 64-bit integers or Python integers."""

    def __init__(
        self,
        module: Value,
        name: str,
        parameters: int,
        result: Value = I64,
        internal: bool = False,
        inline: bool = False,
    ) -> None:
        """Declare function `name` with `parameters` 64-bit parameters and start its body.

        `internal` hides it outside the module; `inline`, too, and puts its body into its callers.
        """
        self.function: Value = ir.Function(module, ir.FunctionType(result, [I64] * parameters), name)
        if internal or inline:
            self.function.linkage = "internal"
        if inline:
            self.function.attributes.add("alwaysinline")
        self.builder: Value = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.parameters: list[Value] = list(self.function.args)

    def value(self, value: Value | int) -> Value:
        """Turn a Python integer into a constant."""
        return ir.Constant(I64, int(value)) if isinstance(value, int) else value

    def compare(self, relation: str, left: Value, right: Value | int) -> Value:
        """Compare signed integers, giving an i1."""
        return self.builder.icmp_signed(relation, left, self.value(right))

    def element(self, address: Value, index: Value | int, kind: Value = I64) -> Value:
        """Return the pointer to element `index` of the array at `address`."""
        base = self.builder.inttoptr(address, POINTER)
        return self.builder.gep(base, [self.value(index)], source_etype=kind)

    def read(self, address: Value, index: Value | int, kind: Value = I64) -> Value:
        """Read element `index` of the array at `address`, widened to 64 bits."""
        found = self.builder.load(self.element(address, index, kind), typ=kind)
        return found if kind == I64 else self.builder.zext(found, I64)

    def write(self, address: Value, index: Value | int, value: Value | int, kind: Value = I64) -> None:
        """Write element `index` of the array at `address`."""
        wide = self.value(value)
        self.builder.store(wide if kind == I64 else self.builder.trunc(wide, kind), self.element(address, index, kind))

    def slots(self, address: Value, *names: IntEnum) -> list[Value]:
        """Read several slots of a record."""
        return [self.read(address, int(name)) for name in names]

    def least(self, left: Value, right: Value) -> Value:
        """Return the lesser of two signed integers."""
        return self.builder.select(self.builder.icmp_signed("<", left, right), left, right)

    def is_stopped(self, state: Value) -> Value:
        """Return whether a thread in this state was stopped in between: by the clock, or by its full log."""
        states = (State.PREEMPTED, State.LOG_FULL)
        preempted, full = (self.compare("==", state, one) for one in states)
        return self.builder.or_(preempted, full)

    def call(self, function: Value, *operands: Value | int) -> Value:
        """Call a function."""
        return self.builder.call(function, [self.value(operand) for operand in operands])

    def call_at(self, address: Value, *operands: Value) -> Value:
        """Call the function at an address; all of its operands and its result are 64-bit integers."""
        kind = ir.FunctionType(I64, [I64] * len(operands))
        return self.builder.call(_Callee(self.builder.inttoptr(address, POINTER), kind), list(operands))

    def give(self, value: Value | int) -> None:
        """Return a value from the function."""
        self.builder.ret(self.value(value))

    def end(self, value: Value | int | None = None) -> Value:
        """Return from the function, with a value or without one; return the function, which is complete."""
        if value is None:
            self.builder.ret_void()
        else:
            self.give(value)
        return self.function

    def variable(self, initial: Value | int = 0) -> Variable:
        """Declare a variable."""
        return Variable(self, initial)

    @contextmanager
    def when(self, condition: Value, likely: bool | None = None) -> Generator[None]:
        """Run the body where an i1 holds."""
        with self.builder.if_then(condition, likely=likely):
            yield

    @contextmanager
    def loop(self, condition: Callable[[], Value]) -> Generator[None]:
        """Run the body while `condition()` (evaluated before each iteration) holds."""
        head = self.function.append_basic_block("head")
        body = self.function.append_basic_block("body")
        done = self.function.append_basic_block("done")
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(condition(), body, done)
        self.builder.position_at_end(body)
        yield
        if not self.builder.block.is_terminated:
            self.builder.branch(head)
        self.builder.position_at_end(done)

    @contextmanager
    def count(self, start: Value | int, stop: Value, step: Value | int = 1) -> Generator[Value]:
        """Run the body with the counter from `start` up to below `stop`."""
        counter = self.variable(start)
        with self.loop(lambda: self.compare("<", counter.get(), stop)):
            yield counter.get()
            if not self.builder.block.is_terminated:
                counter.add(step)
