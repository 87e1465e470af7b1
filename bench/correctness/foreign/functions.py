# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of linalg on tensors with static shapes in a tree of other people's .mlir files.

A file is cut at `// -----` as its own tool would. A function counts where it holds an op of linalg on tensors, all its
types are scalars and dense tensors of static shape, and no op of it works on memrefs or vectors; the same function
counts once. Each becomes a module of its own, with the functions and globals of its module that it names.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roller_mlir.support.bindings import ir, make_context

_CUT = re.compile(r"^// ?-----.*$", re.MULTILINE)
_SYMBOL = re.compile(r"@([\w$.-]+)")
_MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class Function:
    """One function of the tree.

    Attributes:
        file: Path below the tree's root.
        part: Number of the piece of the file between cuts, from 0.
        name: Of the function.
        text: A module with it and what it names.
        unregistered: Whether that holds ops, types or attributes of dialects that upstream MLIR has not.
    """

    file: str
    part: int
    name: str
    text: str
    unregistered: bool


@dataclass
class Tree:
    """What a tree of files held.

    Attributes:
        files: `.mlir` files.
        parts: Pieces of them.
        unread: Pieces that do not parse, even with unknown dialects allowed: other releases' syntax, errors on purpose.
        dynamic: Functions of linalg on tensors of which some type is dynamic.
        repeated: Functions with static shapes that were met before.
    """

    files: int = 0
    parts: int = 0
    unread: int = 0
    dynamic: int = 0
    repeated: int = 0


def functions_of(root: Path, tree: Tree) -> Iterator[Function]:
    """Yield the functions of a tree, file by file in the order of their names; count in `tree`."""
    seen = set[str]()
    for path in sorted(root.rglob("*.mlir")):
        if path.stat().st_size > _MOST_BYTES:
            continue
        tree.files += 1
        text = path.read_text(errors="replace")
        if "linalg." not in text:
            continue
        for number, part in enumerate(_CUT.split(text)):
            if "linalg." not in part:
                continue
            tree.parts += 1
            for one in _functions_of_part(str(path.relative_to(root)), number, part, tree):
                key = one.text.replace(f"@{one.name}(", "@(")
                if key in seen:
                    tree.repeated += 1
                    continue
                seen.add(key)
                yield one


def _functions_of_part(file: str, number: int, text: str, tree: Tree) -> Iterator[Function]:
    with make_context(allow_unregistered=True) as context, ir.Location.unknown():
        try:
            module: Any = ir.Module.parse(text, context)
        except ir.MLIRError:
            tree.unread += 1
            return
        found: list[tuple[str, str]] = []
        for function, siblings in _nested_functions(module.operation):
            kind = _kind(function)
            tree.dynamic += kind == "dynamic"
            if kind == "static":
                found.append((_name(function), _alone(function, siblings)))
    for name, alone in found:
        yield Function(file, number, name, alone, not _is_registered(alone))


def _nested_functions(op: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yield every function with a body below an op, with the ops beside it."""
    for region in op.regions:
        for block in region.blocks:
            siblings = [one.operation for one in block.operations]
            for one in siblings:
                if one.name == "func.func":
                    if len(one.regions[0].blocks):
                        yield one, siblings
                elif one.name in ("builtin.module",):
                    yield from _nested_functions(one)


def _name(op: Any) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _kind(function: Any) -> str:
    """Return "static", "dynamic", or "" where a function is none of linalg on tensors."""
    linalg = False
    dynamic = False
    for op in _walk(function):
        for kind in [value.type for value in op.results] + [value.type for value in op.operands]:
            if isinstance(kind, ir.RankedTensorType) and kind.encoding is None:
                dynamic = dynamic or not kind.has_static_shape
                linalg = linalg or op.name.startswith("linalg.")
            elif not isinstance(kind, (ir.FloatType, ir.IntegerType, ir.IndexType)):
                return ""
    arguments = [argument.type for argument in function.regions[0].blocks[0].arguments]
    for kind in arguments:
        if isinstance(kind, ir.RankedTensorType) and kind.encoding is None:
            dynamic = dynamic or not kind.has_static_shape
        elif not isinstance(kind, (ir.FloatType, ir.IntegerType, ir.IndexType)):
            return ""
    if not linalg:
        return ""
    return "dynamic" if dynamic else "static"


def _walk(op: Any) -> Iterator[Any]:
    for region in op.regions:
        for block in region.blocks:
            for one in block.operations:
                yield one.operation
                yield from _walk(one.operation)


def _alone(function: Any, siblings: list[Any]) -> str:
    """Return a module with a function and the siblings that it names, and those that these name."""
    named = {_name(one): one for one in siblings if _name(one)}
    chosen, pending = dict[str, Any](), [function]
    while pending:
        one = pending.pop()
        for symbol in _SYMBOL.findall(str(one)):
            if symbol in named and symbol not in chosen and symbol != _name(function):
                chosen[symbol] = named[symbol]
                pending.append(named[symbol])
    made = ir.Module.create()
    with ir.InsertionPoint(made.body):
        for one in chosen.values():
            one.clone()
        entry = function.clone().operation
    if "sym_visibility" in entry.attributes:
        del entry.attributes["sym_visibility"]
    return str(made)


def _is_registered(text: str) -> bool:
    with make_context() as context:
        try:
            ir.Module.parse(text, context)
        except ir.MLIRError:
            return False
    return True
