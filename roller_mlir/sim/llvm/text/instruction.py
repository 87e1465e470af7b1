# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An instruction as LLVM has it, beside the line that LLVM prints of it.

    %v = load i32, ptr addrspace(3) %p, align 4   ->  opcode "load", result "%v", kind "i32",
                                                      operands (("ptr addrspace<3>", "%p"),)

llvmlite has no API for attributes of operands, alignment, volatility and order of accesses, flags, bundles of operands,
metadata, the predicate of a comparison, indices of `extractvalue`, the type that an `alloca` or `getelementptr` names,
the strings of inline assembly, and operands of constant expressions: these alone are read from the line.
"""

import ctypes
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from llvmlite.binding import TypeKind, ValueKind

from roller_mlir.sim.llvm.text.types import respelled

ASSEMBLY = "asm"
"""What stands for the callee of inline assembly, which no function can be called."""

SAFE = re.compile(r"(?!n\.|roller|kernel_\d)[A-Za-z$._-][\w$.-]*")
"""Names that can be taken for nothing else."""

_NAMELESS = re.compile(r'%"type 0x[0-9a-f]+"')


def _address(given: Any) -> int:
    """Return where LLVM has a value or type; `hash` gives it too, but each leaves a cycle of references behind."""
    return ctypes.addressof(given._as_parameter_.contents)


class Spelling:
    """How LLVM writes the types and values of a module; it is asked once for each."""

    def __init__(self, module: Any) -> None:
        """Take the module; its values keep it."""
        self._numbers = count()
        self._types: dict[int, str] = {}
        self._names: dict[int, str] = {}
        self._values: dict[int, tuple[str, str]] = {}
        # In what is less than the module, LLVM writes a structure without a name as `%"type 0x..."`.
        nameless = (one for one in module.struct_types if not one.is_literal_struct and not one.name)
        self._numbered = {str(one).partition(" = ")[0]: f"%{number}" for number, one in enumerate(nameless)}

    def name(self, value: Any) -> str:
        """Return the name of an argument, block or result with its sigil; it gets a safe one where it has none."""
        if not (name := str(value.name)) or not SAFE.fullmatch(name):
            value.name = f"n.{next(self._numbers)}"
            name = str(value.name)  # with more digits where another value is called so, too
        self._names[_address(value)] = spelled = f"%{name}"
        return spelled

    def kind(self, given: Any) -> str:
        """Return the text of a type."""
        key = _address(given)
        if key not in self._types:
            self._types[key] = self._text(given).partition(" = ")[0]
        return self._types[key]

    def typed(self, value: Any) -> tuple[str, str]:
        """Return type and text of a constant, or of what `name` was asked for."""
        key = _address(value)
        if key not in self._values:
            kind, local = self.kind(value.type), self._names.get(key)
            known = local or (f"@{name}" if (name := value.name) else self._text(value).removeprefix(f"{kind} "))
            self._values[key] = kind, known
        return self._values[key]

    def _text(self, given: Any) -> str:
        return _NAMELESS.sub(lambda found: self._numbered.get(found[0], found[0]), respelled(str(given)))


@dataclass(kw_only=True)
class LlvmInstruction:
    """An instruction of the kernel.

    Attributes:
        value: What llvmlite has of it.
        spelling: How its types and operands are written.
        opcode: As LLVM spells it.
        block: Label of the block around it.
        result: Its name with the sigil, "" for none.
        number: Its line in the text.
        line: As LLVM prints it, without metadata.
    """

    value: Any
    spelling: Spelling
    opcode: str
    block: str
    result: str = ""
    number: int = 0
    line: str = ""

    @cached_property
    def kind(self) -> str:
        """LLVM type of the result."""
        return self.spelling.kind(self.value.type)

    @cached_property
    def _typed(self) -> tuple[tuple[str, str], ...]:
        return tuple(map(self.spelling.typed, self.value.operands))

    @property
    def callee(self) -> str:
        """What it calls by its name, without the sigil: "" for another value, `ASSEMBLY` for inline assembly."""
        called = self._typed[-1][1] if self.opcode == "call" else ""
        return ASSEMBLY if called.startswith("asm ") else called[1:] if called.startswith("@") else ""

    @cached_property
    def operands(self) -> tuple[tuple[str, str], ...]:
        """Type and value of each, without what it calls."""
        return self._typed[:-1] if self.opcode == "call" else self._typed

    def constant(self, number: int) -> int | None:
        """Return an operand that is an integer constant, as LLVM prints it but for 0 and 1 of an i1; None: it is none.

        `get_constant_value` takes the sign of what is narrower than 64 bits for that of 64 bits: it is found here.
        """
        value = list(self.value.operands)[number]
        if value.value_kind != ValueKind.constant_int:
            return None
        bits, width = int(value.get_constant_value()), int(value.type.type_width)
        return bits - (1 << width) if width > 1 and bits >> (width - 1) else bits

    def vector(self, number: int | None = None) -> tuple[int, str] | None:
        """Return length and element of an operand, or of the result; None where that is no vector of a fixed length."""
        kind = self.value.type if number is None else list(self.value.operands)[number].type
        if kind.type_kind != TypeKind.vector:
            return None
        return int(kind.element_count), self.spelling.kind(next(kind.elements))

    @property
    def labels(self) -> list[str]:
        """Where a branch or switch may go; of a condition, first where it goes if that holds: LLVM has it last."""
        return [value[1:] for kind, value in reversed(self.operands) if kind == "label"]
