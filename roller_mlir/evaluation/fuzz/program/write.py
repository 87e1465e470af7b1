# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs as MLIR text."""

import random
from collections.abc import Sequence
from math import prod

from roller_mlir.evaluation.fuzz.program.numbers import Whole, value_of
from roller_mlir.evaluation.fuzz.program.program import (
    ArgumentNode,
    ConcatNode,
    DenseNode,
    FillNode,
    GenericNode,
    Index,
    LoopNode,
    MovingSlice,
    NamedOpNode,
    Node,
    PackNode,
    PadNode,
    Program,
    Ref,
    ReshapeNode,
    SliceNode,
    SplatNode,
    Tensor,
)
from roller_mlir.evaluation.fuzz.program.scalars import BodyText, arithmetic, spell_constant
from roller_mlir.evaluation.fuzz.program.write_others import write_other

NAME = "fuzz"


class InvalidProgramError(Exception):
    """A program that a shrinker tried has an extent below 1, or reads outside a tensor."""


def write_program(program: Program) -> str:
    """Return the function as text.

    Raises:
        InvalidProgramError: An extent is below 1, or an index outside its tensor.
    """
    return _ProgramWriter(program).text()


class _ProgramWriter:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._names: dict[Ref, str] = {}
        self._lines: list[str] = []

    def text(self) -> str:
        arguments: list[str] = []
        for number, node in enumerate(self._program.nodes):
            if isinstance(node, ArgumentNode):
                self._names[number, 0] = f"%arg{len(arguments)}"
                arguments.append(f"%arg{len(arguments)}: {self._type(node.types[0])}")
        for number, node in enumerate(self._program.nodes):
            if not isinstance(node, ArgumentNode):
                self._write(number, node)
        kinds = [self._type(self._program.type_of(ref)) for ref in self._program.results]
        result = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
        body = "\n".join(f"  {line}" for line in self._lines)
        names = ", ".join(self._names[ref] for ref in self._program.results)
        return (
            f"func.func @{NAME}({', '.join(arguments)}) -> {result} {{\n{body}\n"
            f"  return {names} : {', '.join(kinds)}\n}}\n"
        )

    def _value(self, number: Whole) -> int:
        return value_of(number, self._program.knobs)

    def _shape(self, kind: Tensor) -> tuple[int, ...]:
        shape = tuple(self._value(extent) for extent in kind.shape)
        if any(extent < 1 for extent in shape):
            raise InvalidProgramError(f"extents must be at least 1, but got {list(shape)}")
        return shape

    def _type(self, kind: Tensor) -> str:
        if kind.scalar:
            return kind.element
        return f"tensor<{''.join(f'{extent}x' for extent in self._shape(kind))}{kind.element}>"

    def _write(self, number: int, node: Node) -> None:
        name = f"%v{number}"
        for result in range(len(node.types)):
            self._names[number, result] = name if len(node.types) == 1 else f"{name}#{result}"
        kinds = [self._type(kind) for kind in node.types]
        if isinstance(node, FillNode):
            self._fill(name, node, kinds[0])
        elif isinstance(node, DenseNode):
            self._lines.append(f"{name} = arith.constant dense<{self._dense(node)}> : {kinds[0]}")
        elif isinstance(node, GenericNode):
            self._generic(name, node, kinds)
        elif isinstance(node, NamedOpNode):
            self._named(name, node, kinds)
        elif isinstance(node, PackNode | SplatNode | LoopNode):
            sources = [self._type(self._program.type_of(ref)) for ref in node.operands]
            names = [self._names[ref] for ref in node.operands]
            self._lines += write_other(name, node, list(zip(names, sources, strict=True)), kinds[0], self._value)
        else:
            self._lines += [f"{name} = {self._tensor_op(node, kinds[0])}"]

    def _fill(self, name: str, node: FillNode, kind: str) -> None:
        empty = f"{name}e" if node.value is not None else name
        self._lines.append(f"{empty} = tensor.empty() : {kind}")
        if node.value is not None:
            element = node.types[0].element
            self._lines.append(f"{name}c = arith.constant {spell_constant(node.value, element)} : {element}")
            self._lines.append(f"{name} = linalg.fill ins({name}c : {element}) outs({empty} : {kind}) -> {kind}")

    def _dense(self, node: DenseNode) -> str:
        shape, element = self._shape(node.types[0]), node.types[0].element
        generator = random.Random(node.seed)
        values = [spell_constant(generator.randint(-4, 4), element) for _ in range(1 if node.splat else prod(shape))]
        if node.splat:
            return values[0]
        for extent in reversed(shape):
            values = [f"[{', '.join(values[i : i + extent])}]" for i in range(0, len(values), extent)]
        return values[0]

    def _operands(self, node: Node) -> str:
        results = len(node.types)
        inputs, starts = node.operands[:-results], node.operands[-results:]
        parts = [self._group("ins", inputs)] if inputs else []
        return " ".join([*parts, self._group("outs", starts)])

    def _group(self, word: str, refs: Sequence[Ref]) -> str:
        names = ", ".join(self._names[ref] for ref in refs)
        return f"{word}({names} : {', '.join(self._type(self._program.type_of(ref)) for ref in refs)})"

    def _generic(self, name: str, node: GenericNode, kinds: list[str]) -> None:
        loops = [self._value(loop) for loop in node.loops]
        maps: list[str] = []
        for ref, indices in zip(node.operands, node.maps, strict=True):
            shape = self._shape(self._program.type_of(ref))
            maps.append(self._map(loops, indices, shape))
        reduced = node.reductions()
        iterators = ", ".join('"reduction"' if loop in reduced else '"parallel"' for loop in range(len(loops)))
        types = [self._program.type_of(ref).element for ref in node.operands]
        inputs, outputs = types[: -len(kinds)], types[-len(kinds) :]
        tables = [(self._names[ref], self._type(self._program.type_of(ref))) for ref in node.tables]
        body = BodyText(inputs, outputs, tables)
        yielded = ", ".join(body.name(scalar) for scalar in node.body)
        arguments = [f"%x{i}: {kind}" for i, kind in enumerate(inputs)]
        arguments += [f"%acc{i}: {kind}" for i, kind in enumerate(outputs)]
        result = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
        left = name if len(kinds) == 1 else f"{name}:{len(kinds)}"
        self._lines += [
            f"{left} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}}",
            f"    {self._operands(node)} {{",
            f"^bb0({', '.join(arguments)}):",
            *(f"  {line}" for line in body.lines),
            f"  linalg.yield {yielded} : {', '.join(outputs)}",
            f"}} -> {result}",
        ]

    def _map(self, loops: list[int], indices: Sequence[Index], shape: Sequence[int]) -> str:
        spelled: list[str] = []
        for index, extent in zip(indices, shape, strict=True):
            steps = [self._value(k) for k in index.coefficients]
            constant = self._value(index.constant)
            reach = [k * (loop - 1) for k, loop in zip(steps, loops, strict=True)]
            low, high = constant + sum(min(r, 0) for r in reach), constant + sum(max(r, 0) for r in reach)
            divisor, modulus = self._value(index.divisor), self._value(index.modulus)
            low, high = ((-(-n // divisor) if index.up else n // divisor) for n in (low, high))
            low, high = (0, modulus - 1) if modulus else (low, high)
            if low < 0 or high >= extent:
                raise InvalidProgramError(f"index {low} to {high} is outside of {extent} elements")
            terms = [f"d{i}" if k == 1 else f"d{i} * {k}" for i, k in enumerate(steps) if k]
            terms += [str(constant)] if constant or not terms else []
            text = " + ".join(terms)
            text = f"({text}) {'ceildiv' if index.up else 'floordiv'} {divisor}" if divisor != 1 else text
            spelled.append(f"({text}) mod {modulus}" if modulus else text)
        return f"affine_map<({', '.join(f'd{i}' for i in range(len(loops)))}) -> ({', '.join(spelled)})>"

    def _named(self, name: str, node: NamedOpNode, kinds: list[str]) -> None:
        attributes = [
            f"{key} = dense<[{', '.join(str(self._value(v)) for v in values)}]> : tensor<{len(values)}xi64>"
            for key, values in node.attributes
        ]
        attributes += [node.extra] if node.extra else []
        text = f"linalg.{node.name}"
        if attributes:
            text += f" {', '.join(attributes)}" if node.extra else f" {{{', '.join(attributes)}}}"
        if node.combine:
            element = node.types[0].element
            text += f" {{ {arithmetic(node.combine, element)} }}"
        text += f" {self._operands(node)}"
        if node.tail is not None:
            text += f" {node.tail[0]} = [{', '.join(map(str, node.tail[1]))}]"
        if node.shows_result:
            text += f" -> {', '.join(kinds)}"
        self._lines.append(f"{name} = {text}")

    def _starts(self, node: MovingSlice, offsets: Sequence[int]) -> str:
        """Write what makes positions of data, and return where a slice begins."""
        spelled = [str(offset) for offset in offsets]
        for dimension, ref in zip(node.moving, node.operands[-len(node.moving) :], strict=True):
            name, kind = self._names[ref], self._program.type_of(ref)
            if not kind.scalar:
                self._lines.append(f"{name}e{len(self._lines)} = tensor.extract {name}[] : {self._type(kind)}")
                name = self._lines[-1].split(" ")[0]
            if kind.element != "index":
                self._lines.append(f"{name}i{len(self._lines)} = arith.index_cast {name} : {kind.element} to index")
                name = self._lines[-1].split(" ")[0]
            spelled[dimension] = name
        return f"[{', '.join(spelled)}]"

    def _tensor_op(self, node: Node, kind: str) -> str:
        source = self._type(self._program.type_of(node.operands[0]))
        names = ", ".join(self._names[ref] for ref in node.operands)
        if isinstance(node, PadNode):
            rank, element = len(node.types[0].shape), node.types[0].element
            low, high = ([self._value(v) for v in side] for side in (node.low, node.high))
            indices = ", ".join(f"%i{d}: index" for d in range(rank))
            number = f"{self._names[node.operands[0]]}p{len(self._lines)}".replace("#", "r")
            self._lines.append(f"{number} = arith.constant {spell_constant(node.value, element)} : {element}")
            return (
                f"tensor.pad {names} low{low} high{high} {{\n  ^bb0({indices}):\n"
                f"    tensor.yield {number} : {element}\n  }} : {source} to {kind}"
            )
        if isinstance(node, ConcatNode):
            sources = ", ".join(self._type(self._program.type_of(ref)) for ref in node.operands)
            return f"tensor.concat dim({node.dimension}) {names} : ({sources}) -> {kind}"
        if isinstance(node, SliceNode):
            given = node.operands[: -len(node.moving)] if isinstance(node, MovingSlice) else node.operands
            names = ", ".join(self._names[ref] for ref in given)
            whole, part = given[-1], node.types[0]
            if len(given) == 2:
                part = self._program.type_of(node.operands[0])
            sizes = list(self._shape(part))
            offsets, steps = ([self._value(v) for v in side] for side in (node.offsets, node.strides))
            for offset, size, step, extent in zip(
                offsets, sizes, steps, self._shape(self._program.type_of(whole)), strict=True
            ):
                if offset + (size - 1) * step >= extent:
                    raise InvalidProgramError("a slice reaches outside of its tensor")
            starts = str(offsets)
            if isinstance(node, MovingSlice):
                starts = self._starts(node, offsets)
            if len(given) == 2:
                names = names.replace(", ", " into ")
                return f"tensor.insert_slice {names}{starts} {sizes} {steps} : {source} into {kind}"
            return f"tensor.extract_slice {names}{starts} {sizes} {steps} : {source} to {kind}"
        assert isinstance(node, ReshapeNode)
        groups = f"[{', '.join(str(list(group)) for group in node.groups)}]"
        if len(node.types[0].shape) < len(self._program.type_of(node.operands[0]).shape):
            return f"tensor.collapse_shape {names} {groups} : {source} into {kind}"
        shape = list(self._shape(node.types[0]))
        return f"tensor.expand_shape {names} {groups} output_shape {shape} : {source} into {kind}"
