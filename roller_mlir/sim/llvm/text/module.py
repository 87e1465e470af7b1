# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the text of an LLVM IR module: the kernel's instructions with their lines, and what else it holds.

LLVM parses the text and prints it again, one instruction a line, and these lines are what is rewritten. A place is
one of the text as it came, right where that has one instruction a line, too. While it is worked on, `addrspace(3)` is
spelled `addrspace<3>`: then parentheses only enclose operands.

llvmlite has no API for metadata, and of variables none for address space, alignment, initial value, and whether they
change or each thread has its own: those are read from the printed lines.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import llvmlite.binding as binding
from llvmlite.binding import Linkage

from roller_mlir.sim.llvm.text.instruction import LlvmInstruction
from roller_mlir.sim.llvm.text.known import (
    KNOWN,
    MOST_TEXT_BYTES,
    UnknownTextError,
    check_line,
    check_widths,
    opcode_of,
    walk,
)
from roller_mlir.sim.llvm.text.types import is_known, respelled
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, SourcePlace
from roller_mlir.support.nesting import check_nesting
from roller_mlir.support.stage import during

WORKGROUP = 3

_GLOBAL = re.compile(r"(?:addrspace<(\d+)> )?(?:externally_initialized )?\b(global|constant) ")
_MOST_ALIGNMENT_BYTES = 1024
_MOST_SAID = 500
_COMMENT = re.compile(r'^((?:[^";]|"[^"]*")*);.*$')
_ALIGNED = re.compile(r", align (\d+)")
_ATTACHED = re.compile(r",? ![^\s,]+ !\d+| #\d+")
_IGNORED = ("declare ", "source_filename", "target ", "attributes #", "!", "$", "uselistorder")


@dataclass(frozen=True, kw_only=True)
class ParameterText:
    """A parameter of the kernel.

    Attributes:
        kind: LLVM type.
        attributes: What it promises, such as "noalias align 16".
        name: With its sigil.
    """

    kind: str
    attributes: str
    name: str

    @property
    def by_value(self) -> bool:
        """Whether it is a grid constant: the address of what the launch passes by value."""
        return self.attributes.startswith("byval") or " byval" in self.attributes


@dataclass(frozen=True, kw_only=True)
class GlobalText:
    """A global variable.

    Attributes:
        name: With its sigil.
        space: Address space.
        kind: LLVM type of its value.
        alignment: In bytes.
        line: The line that defines it.
        external: Whether it is only declared.
    """

    name: str
    space: int
    kind: str
    alignment: int
    line: str
    external: bool


@dataclass(kw_only=True)
class KernelText:
    """A module with one kernel, taken apart.

    Attributes:
        name: The kernel.
        file: What its places are called after.
        parameters: Of the kernel.
        body: Instructions of the kernel.
        variables: Global variables.
        types: Lines that define types.
        limits: Attributes and metadata of the kernel that bound the size of its blocks, by their names.
    """

    name: str
    file: str
    parameters: tuple[ParameterText, ...] = ()
    body: list[LlvmInstruction] = field(default_factory=list[LlvmInstruction])
    variables: list[GlobalText] = field(default_factory=list[GlobalText])
    types: list[str] = field(default_factory=list[str])
    limits: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    @cached_property
    def defined(self) -> dict[str, LlvmInstruction]:
        """Instructions by the names of their results."""
        return {one.result: one for one in self.body if one.result}

    def refuse(self, line: int, message: str) -> NoReturn:
        """Raise the error of something that cannot be simulated."""
        place = SourcePlace(self.file, line, 1) if line else None
        raise DiagnosedError([Diagnostic("error", f"kernel '{self.name}': {message}", place)])


def split_top(text: str) -> list[str]:
    """Split at the commas that no bracket encloses.

    >>> split_top("i32 1, <2 x float> <float 0.0, float 1.0>, ptr %p")
    ['i32 1', '<2 x float> <float 0.0, float 1.0>', 'ptr %p']
    """
    found: list[str] = []
    depth = start = 0
    quoted = False
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "([{<":
            depth += 1
        elif not quoted and letter in ")]}>":
            depth -= 1
        elif letter == "," and depth == 0 and not quoted:
            found.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*found, last] if last else found


def read_kernel(name: str, text: str, file: str) -> KernelText:
    """Take a module apart.

    Args:
        name: The kernel.
        text: LLVM IR in the spelling of llvmlite's LLVM.
        file: What places are called after.

    Raises:
        DiagnosedError: The text is not valid, has no such kernel, or its functions cannot be inlined.
    """
    kernel = KernelText(name=name, file=file)
    given = _numbers(name, text)
    try:
        module, function = _canonical(kernel, text)
        kernel.body = walk(module, function)
    except UnknownTextError as error:
        kernel.refuse(0, str(error))
    text = respelled(str(module))
    lines = [(_COMMENT.sub(r"\1", line) if ";" in line else line).strip() for line in text.splitlines()]
    _read_head(kernel, function, text)
    variables = iter(module.global_variables)
    places = _places(given, _numbers(name, text), named=kernel.body[0].block.startswith("n."))
    inside, found = False, list[tuple[int, str]]()
    for printed, line in enumerate(lines, start=1):
        number = places.get(printed, printed)
        if inside:
            if line == "}":
                inside = False
            elif line and not line.endswith(":"):
                _read_instruction(found, number, line)
        elif line.startswith("define"):
            inside = True
        elif line.startswith("@"):
            _read_global(kernel, number, line, next(variables, None))
        elif re.match(r"%\S+ = type ", line):
            kernel.types.append(line)
        elif line and not line.startswith(_IGNORED):
            kernel.refuse(number, f"'{line[:80]}' is nothing that can be simulated")
    _pair(kernel, found)
    return kernel


def _numbers(name: str, text: str) -> list[int]:
    """Return the lines from the one that defines the kernel to the last, without empty ones and comments."""
    lines = text.splitlines()
    head = re.compile(rf'\s*define\b.*@"?{re.escape(name)}"?\s*\(')
    start = next((number for number, line in enumerate(lines) if head.match(line)), len(lines))
    end = next((number for number in range(start, len(lines)) if lines[number].strip() == "}"), len(lines))
    return [at + 1 for at in range(start, end) if lines[at].strip() and not lines[at].lstrip().startswith((";", "#"))]


def _places(given: list[int], printed: list[int], *, named: bool) -> dict[int, int]:
    """Return the line of the given text for each line that LLVM prints; where they differ, by their distance.

    Args:
        given: Lines of the kernel in the text as it came.
        printed: The same in the text that LLVM prints.
        named: Whether the first block got its name here: LLVM prints a line with it, which the given text may lack.
    """
    if named and len(given) < len(printed):
        del printed[1]
    if len(given) == len(printed):
        return dict(zip(printed, given, strict=True))
    return {line: line + given[0] - printed[0] for line in printed} if given and printed else {}


def _read_instruction(lines: list[tuple[int, str]], number: int, line: str) -> None:
    """Take a line of the kernel: a switch is printed on several, which are joined; records of debuggers are dropped."""
    if line.startswith("#dbg_"):
        return
    line = _ATTACHED.sub("", line)
    if lines and lines[-1][1].startswith("switch ") and not lines[-1][1].endswith("]"):
        at, start = lines[-1]
        lines[-1] = at, f"{start} {line}"
    else:
        lines.append((number, line))


def _pair(kernel: KernelText, lines: list[tuple[int, str]]) -> None:
    """Give each instruction its line, which must be the one that LLVM read; refuse what it must not hold."""
    variables = frozenset(one.name[1:] for one in kernel.variables)
    if unknown := next((one.opcode for one in kernel.body if one.opcode not in KNOWN), None):
        where = next((number for number, line in lines if opcode_of(line) == unknown), 0)
        kernel.refuse(where, f"instruction '{unknown}' is not known to the simulator")
    if len(lines) != len(kernel.body):
        kernel.refuse(0, f"LLVM reads {len(kernel.body)} instructions in it, but prints {len(lines)} lines")
    for one, (number, line) in zip(kernel.body, lines, strict=True):
        one.number, one.line = number, line
        try:
            check_line(one, variables)
        except UnknownTextError as error:
            kernel.refuse(number, str(error))


def _canonical(kernel: KernelText, text: str) -> tuple[Any, Any]:
    """Let LLVM read the text, and put functions beside the kernel into it.

    Returns:
        The module and the kernel, as LLVM has them.

    Raises:
        DiagnosedError: It is not valid, or its functions cannot be put into it.
    """
    if len(text) > MOST_TEXT_BYTES:
        kernel.refuse(0, f"its LLVM IR has {len(text)} characters, which is above the limit of {MOST_TEXT_BYTES}")
    if "\0" in text:
        kernel.refuse(0, "its LLVM IR is not valid: it holds a zero byte")
    try:
        check_nesting(text)
    except DiagnosedError as error:
        found = error.diagnostics[0]
        kernel.refuse(found.place.line if found.place else 0, found.message)
    # Where these flags name debug information, LLVM ends the process on a module that is not valid.
    text = re.sub(r"(?m)^!llvm\.module\.flags\s*=.*$", "", text)
    try:
        # In the global context: one of its own could be freed before the module, where an error's traceback holds both.
        with during("LLVM's parser"):
            module: Any = binding.parse_assembly(text)
            module.verify()
    except RuntimeError as error:
        where = re.search(r"<string>:(\d+):", str(error))
        said = " ".join(str(error).split())
        kernel.refuse(int(where[1]) if where else 0, f"its LLVM IR is not valid: {said[:_MOST_SAID]}")
    if assembly := re.search(r"(?m)^module asm .*$", str(module)):
        kernel.refuse(0, f"'{assembly[0][:80]}' is nothing that can be simulated")
    defined = {function.name: function for function in module.functions if not function.is_declaration}
    if kernel.name not in defined:
        kernel.refuse(0, f"its LLVM IR defines {', '.join(sorted(defined)) or 'no function'}, not the kernel")
    if len(defined) > 1:
        _inline(kernel, module, defined)
    (function,) = [one for one in module.functions if not one.is_declaration]
    return module, function


def _inline(kernel: KernelText, module: Any, defined: dict[str, Any]) -> None:
    """Put the functions of a module into its kernel."""
    for name, function in defined.items():
        if name != kernel.name:
            function.linkage = "internal"
    for name in defined.keys() - {kernel.name}:
        defined[name].add_function_attribute("alwaysinline")
    binding.initialize_native_target()
    machine: Any = binding.Target.from_default_triple().create_target_machine()
    passes: Any = binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options()))
    if left := [f.name for f in module.functions if not f.is_declaration and f.name != kernel.name]:
        kernel.refuse(0, f"its function '{left[0]}' cannot be put into it; recursion cannot be simulated")


_LIMIT = re.compile(r'"(nvvm\.maxntid|nvvm\.reqntid|amdgpu-flat-work-group-size)"="([\d,]+)"')


def _read_head(kernel: KernelText, function: Any, text: str) -> None:
    """Take the kernel's parameters and limits; llvmlite has no metadata of functions, these stand in the text."""
    parameters: list[ParameterText] = []
    for argument in function.arguments:
        kind = respelled(str(argument.type))
        if not is_known(kind):
            kernel.refuse(0, f"a parameter '{kind[:60]}' cannot be passed in the simulator")
        attributes = " ".join(respelled(one.decode()) for one in argument.attributes if one != b"inreg")
        parameters.append(ParameterText(kind=kind, attributes=attributes, name=f"%{argument.name}"))
    kernel.parameters = tuple(parameters)
    for attributes in function.attributes:
        kernel.limits.update((name, _numbered(sizes)) for name, sizes in _LIMIT.findall(attributes.decode()))
    head = re.search(r"(?m)^define .* !reqd_work_group_size (!\d+)", text)
    node = re.search(rf"(?m)^{head[1]} = (?:distinct )?!{{(.*)}}$", text) if head else None
    if node:
        kernel.limits["reqd_work_group_size"] = tuple(map(int, re.findall(r"i32 (\d+)", node[1])))


def _numbered(sizes: str) -> tuple[int, ...]:
    return tuple(map(int, sizes.split(",")))


def _read_global(kernel: KernelText, number: int, line: str, variable: Any) -> None:
    """Read a line that begins with a name; LLVM prints variables in their order, and aliases behind them."""
    found = _GLOBAL.search(line)
    if variable is None or found is None:
        kernel.refuse(number, f"'{line[:80]}' is no variable that can be simulated")
    name, kind = str(variable.name), kernel.body[0].spelling.kind(variable.global_value_type)
    if name in ("llvm.used", "llvm.compiler.used"):
        return
    if not is_known(kind):
        kernel.refuse(number, f"variable '{name}' has a type that cannot be simulated: {kind[:60]}")
    space, sort = found.groups()
    rest, before = line[found.end() :].removeprefix(kind), line[: found.start()]
    aligned, initial = _ALIGNED.search(rest), _initial(rest)
    external = bool(variable.is_declaration) and variable.linkage == Linkage.external
    if not external and (initial is None or " thread_local" in before):
        kernel.refuse(number, f"variable '{name}' has a start that cannot be simulated: {rest[:60]}")
    try:
        check_widths(kind, in_memory=True)
    except UnknownTextError as error:
        kernel.refuse(number, str(error))
    alignment = min(int(aligned[1]), _MOST_ALIGNMENT_BYTES) if aligned else 16
    spelled = f" addrspace<{space}>" if space else ""
    kernel.variables.append(
        GlobalText(
            name=f"@{name}",
            space=int(space or 0),
            kind=kind,
            alignment=alignment,
            line=f"@{name} = internal{spelled} {sort} {kind}{initial or ' zeroinitializer'}, align {alignment}",
            external=external,
        )
    )


def _initial(text: str) -> str | None:
    """Return the value that a variable starts with, without section, alignment and the like; None: not known."""
    first = next(iter(split_top(text)), "")
    bare = re.sub(r'"[^"]*"', "", first)
    return None if not first or "(" in bare or "@" in bare else f" {first}"
