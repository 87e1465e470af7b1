# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The index functions of a row of the class "generic", as text: `nc(2h+r)(2w+s) fcrs -> nfhw`.

Tensors are parted by blanks, the output stands behind `->`. A tensor is its dimensions one after the other: a letter
for a loop, or a sum in parentheses of loops with factors and of a constant, as in `(2h+3r+1)`. Loops that the output
does not have are reduced.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_DIMENSION = re.compile(r"([a-z])|\(([^()]*)\)")
_TERM = re.compile(r"([1-9]\d{0,3})?([a-z])|(\d{1,4})")


@dataclass(frozen=True)
class Dimension:
    """One dimension of a tensor.

    Attributes:
        terms: Factor by loop, in the text's order.
        constant: What is added.
    """

    terms: Mapping[str, int]
    constant: int = 0

    @property
    def is_loop(self) -> bool:
        """Whether it is one loop as it is."""
        return list(self.terms.values()) == [1] and not self.constant

    def size(self, extents: Mapping[str, int]) -> int:
        """Return the extent that holds every index."""
        return self.constant + sum(k * (extents[loop] - 1) for loop, k in self.terms.items()) + 1

    def __str__(self) -> str:
        """Spell it as MLIR does.

        >>> str(Dimension({"h": 2, "r": 1}, 3))
        'h * 2 + r + 3'
        """
        terms = [loop if k == 1 else f"{loop} * {k}" for loop, k in self.terms.items()]
        return " + ".join([*terms, *([str(self.constant)] if self.constant or not terms else [])])


@dataclass(frozen=True)
class Indices:
    """What a row indexes.

    Attributes:
        inputs: Dimensions of each input.
        output: Dimensions of the output, each one loop.
    """

    inputs: tuple[tuple[Dimension, ...], ...]
    output: tuple[Dimension, ...]

    @property
    def parallel(self) -> tuple[str, ...]:
        """The loops of the output, in its order."""
        return tuple(loop for dimension in self.output for loop in dimension.terms)

    @property
    def loops(self) -> tuple[str, ...]:
        """All loops: those of the output, then the others as they first occur."""
        found = [loop for tensor in self.inputs for dimension in tensor for loop in dimension.terms]
        return tuple(dict.fromkeys((*self.parallel, *found)))

    @property
    def without_extent(self) -> tuple[str, ...]:
        """The loops that are no dimension of any tensor by themselves."""
        alone = {next(iter(d.terms)) for tensor in (*self.inputs, self.output) for d in tensor if d.is_loop}
        return tuple(loop for loop in self.loops if loop not in alone)


def parse_indices(text: str) -> Indices:
    """Parse the index functions of a row.

    Raises:
        ValueError: The text is not of this form.

    >>> parsed = parse_indices("c(2h+r) -> hc")
    >>> parsed.loops, parsed.without_extent, [str(d) for d in parsed.inputs[0]]
    (('h', 'c', 'r'), ('r',), ['c', 'h * 2 + r'])
    """
    left, arrow, right = text.partition("->")
    if not arrow or not left.split() or len(right.split()) > 1:
        raise ValueError(f"must read inputs -> output as in ab bc -> ac, but got '{text}'")
    inputs = tuple(_tensor(one) for one in left.split())
    output = _tensor(right.strip())
    parsed = Indices(inputs, output)
    read = {loop for tensor in inputs for dimension in tensor for loop in dimension.terms}
    if (
        any(not d.is_loop for d in output)
        or len(set(parsed.parallel)) != len(output)
        or not set(parsed.parallel) <= read
    ):
        raise ValueError(f"must have an output of loops of the inputs, each once, but got '{right.strip()}'")
    return parsed


def parse_extents(text: str, loops: Sequence[str]) -> dict[str, int]:
    """Parse the extents of loops, as in `a=3 b=17`.

    Raises:
        ValueError: The text is not of this form, or gives other loops than these.

    >>> parse_extents("b=17 a=3", ("a", "b"))
    {'a': 3, 'b': 17}
    """
    found: dict[str, int] = {}
    for part in text.split():
        match = re.fullmatch(r"([a-z])=([1-9]\d{0,7})", part)
        if match is None or match[1] in found:
            raise ValueError(f"must give each loop once as in a=3 b=17, but got '{part}'")
        found[match[1]] = int(match[2])
    if set(found) != set(loops):
        raise ValueError(f"must give the extents of {' '.join(loops)}, but got those of {' '.join(found)}")
    return {loop: found[loop] for loop in loops}


def _tensor(text: str) -> tuple[Dimension, ...]:
    dimensions: list[Dimension] = []
    at = 0
    while at < len(text):
        match = _DIMENSION.match(text, at)
        if match is None:
            raise ValueError(f"must have letters and sums in parentheses as dimensions, but got '{text}'")
        dimensions.append(Dimension({match[1]: 1}) if match[1] else _sum(match[2]))
        at = match.end()
    return tuple(dimensions)


def _sum(text: str) -> Dimension:
    terms: dict[str, int] = {}
    constant = 0
    for part in text.split("+"):
        match = _TERM.fullmatch(part.strip())
        if match is None or (match[2] and match[2] in terms):
            raise ValueError(f"must have sums of loops, factors and a constant as in (2h+r+1), but got '({text})'")
        if match[2]:
            terms[match[2]] = int(match[1] or 1)
        else:
            constant += int(match[3])
    return Dimension(terms, constant)
