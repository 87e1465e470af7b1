# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured control flow and operators over llvmlite's IR builder, enough to write the simulator's runtime readably.

Variables are stack slots, which LLVM turns into registers. Every integer is 64 bits wide in registers; narrower array
elements are widened when read.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
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


def _binary(name: str) -> tuple[Value, Value]:
    """Return an operator that emits what the builder calls `name`, and the same with its operands exchanged."""
    return (lambda self, other: self.emit(name, self, other), lambda self, other: self.emit(name, other, self))


def _comparison(relation: str) -> Value:
    return lambda self, other: self.emit("icmp_signed", relation, self, other)


class Word:
    """A 64-bit integer, or the i1 of a comparison, on which operators emit code; llvmlite takes it as an operand.

    Comparisons are signed; `//`, `%` and `>>` take what they divide as unsigned. `word[i]` is element `i` of the array
    of words at that address, `word[i, j]` a list of two of them.
    """

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub")
    __mul__, __rmul__ = _binary("mul")
    __floordiv__, __rfloordiv__ = _binary("udiv")
    __mod__, __rmod__ = _binary("urem")
    __lshift__, __rlshift__ = _binary("shl")
    __rshift__, __rrshift__ = _binary("lshr")
    __and__, __rand__ = _binary("and_")
    __or__, __ror__ = _binary("or_")
    __xor__, __rxor__ = _binary("xor")
    __eq__, __ne__ = _comparison("=="), _comparison("!=")
    __lt__, __le__ = _comparison("<"), _comparison("<=")
    __gt__, __ge__ = _comparison(">"), _comparison(">=")

    def __init__(self, code: "Code", value: Value) -> None:
        self._code = code
        self.type, self.get_reference = value.type, value.get_reference

    def emit(self, name: str, *operands: Value) -> "Word":
        """Emit what the builder calls `name`, of operands of this word's type."""
        typed = [ir.Constant(self.type, int(one)) if isinstance(one, int) else one for one in operands]
        return Word(self._code, getattr(self._code.builder, name)(*typed))

    def has(self, bits: int) -> "Word":
        """Return whether any of these bits is 1."""
        return (self & bits) != 0

    def row(self, number: Value | int, words: Value | int) -> "Word":
        """Return the address of a row of the table of words at this address."""
        return self + number * (words * 8)

    def __invert__(self) -> "Word":
        return self.emit("not_", self)

    def __bool__(self) -> bool:
        raise TypeError("a word has a value only where the code runs")

    def __getitem__(self, index: Value) -> Value:
        if isinstance(index, tuple):
            return [self._code.read(self, one) for one in index]
        return self._code.read(self, index)

    def __setitem__(self, index: Value, value: Value) -> None:
        self._code.write(self, index, value)


class Variable:
    """A mutable 64-bit variable of a function."""

    def __init__(self, code: "Code", initial: Value | int) -> None:
        self._code = code
        with code.builder.goto_entry_block():
            self._slot: Value = code.builder.alloca(I64)
        self.set(initial)

    def get(self) -> Value:
        """Read the variable."""
        return Word(self._code, self._code.builder.load(self._slot, typ=I64))

    def set(self, value: Value | int) -> None:
        """Write the variable."""
        self._code.builder.store(self._code.value(value), self._slot)

    def add(self, value: Value | int) -> None:
        """Add to the variable."""
        self.set(self.get() + value)


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
        self.parameters: list[Value] = [Word(self, one) for one in self.function.args]

    def value(self, value: Value | int) -> Value:
        """Turn a Python integer into a constant."""
        return Word(self, ir.Constant(I64, int(value))) if isinstance(value, int) else value

    def unsigned(self, relation: str, left: Value | int, right: Value | int) -> Value:
        """Compare unsigned integers."""
        return Word(self, self.builder.icmp_unsigned(relation, self.value(left), self.value(right)))

    def select(self, condition: Value, yes: Value | int, no: Value | int) -> Value:
        """Return one of two values."""
        return Word(self, self.builder.select(condition, self.value(yes), self.value(no)))

    def least(self, left: Value, right: Value) -> Value:
        """Return the lesser of two signed integers."""
        return self.select(left < right, left, right)

    def greatest(self, left: Value, right: Value) -> Value:
        """Return the greater of two signed integers."""
        return self.select(left > right, left, right)

    def wide(self, bit: Value) -> Value:
        """Return an i1 as 0 or 1."""
        return Word(self, self.builder.zext(bit, I64))

    def flag(self, value: int) -> Value:
        """Return 0 or 1 as an i1."""
        return Word(self, ir.Constant(ir.IntType(1), value))

    def lowest_bit(self, value: Value) -> Value:
        """Return the lowest bit as an i1."""
        return Word(self, self.builder.trunc(value, ir.IntType(1)))

    def pointer(self, address: Value) -> Value:
        """Return an address as a pointer."""
        return self.builder.inttoptr(address, POINTER)

    def address(self, pointer: Value) -> Value:
        """Return a pointer as an address."""
        return Word(self, self.builder.ptrtoint(pointer, I64))

    def element(self, address: Value, index: Value | int, kind: Value = I64) -> Value:
        """Return the pointer to element `index` of the array at `address`."""
        return self.builder.gep(self.pointer(address), [self.value(index)], source_etype=kind)

    def read(self, address: Value, index: Value | int, kind: Value = I64) -> Value:
        """Read element `index` of the array at `address`, widened to 64 bits."""
        found = self.builder.load(self.element(address, index, kind), typ=kind)
        return Word(self, found if kind == I64 else self.builder.zext(found, I64))

    def write(self, address: Value, index: Value | int, value: Value | int, kind: Value = I64) -> None:
        """Write element `index` of the array at `address`."""
        wide = self.value(value)
        self.builder.store(wide if kind == I64 else self.builder.trunc(wide, kind), self.element(address, index, kind))

    def is_stopped(self, state: Value) -> Value:
        """Return whether a thread in this state was stopped in between: by the clock, or by its full log."""
        return (state == State.PREEMPTED) | (state == State.LOG_FULL)

    def call(self, function: Value, *operands: Value | int) -> Value:
        """Call a function."""
        return Word(self, self.builder.call(function, [self.value(operand) for operand in operands]))

    def call_at(self, address: Value, *operands: Value) -> Value:
        """Call the function at an address; all of its operands and its result are 64-bit integers."""
        kind = ir.FunctionType(I64, [I64] * len(operands))
        return self.call(_Callee(self.pointer(address), kind), *operands)

    def give(self, value: Value | int | None = None) -> None:
        """Return from the function, with a value or without one."""
        if value is None:
            self.builder.ret_void()
        else:
            self.builder.ret(self.value(value))

    def end(self, value: Value | int | None = None) -> Value:
        """Return from the function, with a value or without one; return the function, which is complete."""
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

    def if_else(self, condition: Value, likely: bool | None = None) -> Any:
        """Return a context of two contexts: of what runs where an i1 holds, and of what runs elsewhere."""
        return self.builder.if_else(condition, likely)

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
        with self.loop(lambda: counter.get() < stop):
            yield counter.get()
            if not self.builder.block.is_terminated:
                counter.add(step)


def function(module: Value, name: str, parameters: int, result: Value = I64, **hidden: bool) -> list[Any]:
    """Declare a function as `Code` does; return what emits it, and its parameters."""
    code = Code(module, name, parameters, result, **hidden)
    return [code, *code.parameters]
