# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PolyDL's Algorithm 1 as the paper writes it, by operations on integer sets: exact, and slow.

Of the package it takes the loops, extents and accesses of a nest, none of its arithmetic.
"""

from collections.abc import Sequence

import islpy as isl

from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.plan import Access


class Oracle:
    """The iteration space and the accesses of a nest."""

    def __init__(self, nest: TiledNest) -> None:
        self.nest = nest
        body = [
            min([extent, *[loop.size for loop in nest.loops if loop.axis == axis]])
            for axis, extent in enumerate(nest.extents)
        ]
        self.loops = [(loop.axis, loop.count, loop.size, loop.parallel) for loop in nest.loops if loop.count > 1]
        self.real = len(self.loops)
        self.loops += [(axis, count, 1, False) for axis, count in enumerate(body) if count > 1]
        self.names = [f"x{m}" for m in range(len(self.loops))]
        self.others = [f"y{m}" for m in range(len(self.loops))]
        one = nest.expression
        self.tensors = list(dict.fromkeys((*one.inputs, *one.outputs, *one.epilogue)))
        self.domain = isl.Set(f"{{ {self.point(self.names)} : {self.inside(self.names)} }}")
        self.maps = [isl.Map(self.access(number, access)) for number, access in enumerate(self.tensors)]

    def point(self, names: Sequence[str]) -> str:
        return f"S[{', '.join(names)}]"

    def axis(self, axis: int, names: Sequence[str]) -> str:
        return " + ".join(
            ["0", *[f"{one[2]}*{name}" for one, name in zip(self.loops, names, strict=True) if one[0] == axis]]
        )

    def inside(self, names: Sequence[str]) -> str:
        rows = [f"0 <= {name} < {one[1]}" for one, name in zip(self.loops, names, strict=True)]
        rows += [f"{self.axis(axis, names)} < {extent}" for axis, extent in enumerate(self.nest.extents)]
        return " and ".join(rows)

    def indices(self, access: Access, names: Sequence[str]) -> list[str]:
        return [
            " + ".join([str(i.constant), *[f"{c}*({self.axis(axis, names)})" for axis, c in enumerate(i.coefficients)]])
            for i in access.indices
        ]

    def access(self, number: int, access: Access) -> str:
        own = self.indices(access, self.names)
        held = " and ".join(["true", *[f"0 <= {i} < {n}" for i, n in zip(own, access.bounds, strict=True)]])
        return f"{{ {self.point(self.names)} -> T{number}[{', '.join(own)}] : {held} and {self.inside(self.names)} }}"

    def dependence(self, number: int, level: int) -> isl.Map:
        rows = [f"{x} = {y}" for x, y in zip(self.names[:level], self.others[:level], strict=True)]
        rows += [f"{self.names[level]} < {self.others[level]}"]
        later = isl.Map(f"{{ {self.point(self.names)} -> {self.point(self.others)} : {' and '.join(rows)} }}")
        return self.maps[number].apply_range(self.maps[number].reverse()).intersect(later)

    def touched_bytes(self, points: isl.Set) -> int:
        return sum(
            int(points.apply(one).count_val().to_python()) * access.element_bytes
            for access, one in zip(self.tensors, self.maps, strict=True)
        )

    def upto(self, target: isl.Set) -> isl.Set:
        return self.domain.lex_le_set(target).domain()

    def working_sets(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Return {(tensor, level): (smallest, largest)} in bytes."""
        found = {}
        outermost = next((m for m, one in enumerate(self.loops) if one[3]), len(self.loops))
        for number, access in enumerate(self.tensors):
            once = access in self.nest.expression.epilogue and access not in self.nest.expression.inputs
            for level in range(self.real):
                if once and self.nest.expression.loops[self.loops[level][0]].reduction:
                    continue
                relation = self.dependence(number, level)
                if relation.is_empty():
                    continue
                if self.spans(relation):
                    fixed = " and ".join(["true", *[f"{x} = 0" for x in self.names[:outermost]]])
                    points = isl.Set(f"{{ {self.point(self.names)} : {fixed} }}").intersect(self.domain)
                    found[number, level] = (self.touched_bytes(points),) * 2
                    continue
                source = relation.domain().lexmin()
                targets = source.apply(relation)
                before = self.domain.lex_lt_set(source).domain()
                found[number, level] = tuple(
                    self.touched_bytes(self.upto(target).subtract(before))
                    for target in (targets.lexmin(), targets.lexmax())
                )
        return found

    def spans(self, relation: isl.Map) -> bool:
        return any(
            not relation.intersect(
                isl.Map(f"{{ {self.point(self.names)} -> {self.point(self.others)} : {x} != {y} }}")
            ).is_empty()
            for one, x, y in zip(self.loops, self.names, self.others, strict=True)
            if one[3]
        )
