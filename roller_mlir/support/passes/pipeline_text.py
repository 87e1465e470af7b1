# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grammar of pass pipelines: `builtin.module(rtile-construct{device=h200 top-k=3},func.func(cse),canonicalize)`."""

import re
from dataclasses import dataclass

_NAME = re.compile(r"[\w.\-]+")
_SPACE = re.compile(r"\s*")
_OPTION = re.compile(r"\s*([\w\-]+)(=)?")


class PipelineError(ValueError):
    """The text of a pipeline is wrong; shows where.

    Attributes:
      message: What is wrong, without the place.
      text: The whole pipeline.
      position: Offset of the mistake in it.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        self.message, self.text, self.position = message, text, position
        super().__init__(f"pipeline:1:{position + 1}: error: {message}\n{text}\n{' ' * position}^")


@dataclass(frozen=True)
class PipelineElement:
    """One element of a pipeline.

    Attributes:
      name: Name of a pass or of a pipeline, or of the op that a nest is anchored on.
      options: Text between the braces, None without braces.
      nested: Elements between the parentheses, None without parentheses.
      text: The element as written.
      position: Offset of the element in the whole pipeline.
    """

    name: str
    options: str | None
    nested: tuple["PipelineElement", ...] | None
    text: str
    position: int


def parse_elements(text: str) -> tuple[PipelineElement, ...]:
    """Split a pipeline into its elements.

    >>> [e.name for e in parse_elements("builtin.module(cse,rtile-construct{device=h200})")[0].nested]
    ['cse', 'rtile-construct']

    Raises:
      PipelineError: The text does not follow the grammar.
    """
    elements, position = _parse_list(text, 0, "")
    assert position == len(text)
    return elements


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _parse_list(text: str, position: int, closer: str) -> tuple[tuple[PipelineElement, ...], int]:
    """Parse elements up to the closer, or to the end of the text where it is empty."""
    elements: list[PipelineElement] = []
    position = _skip(text, position)
    if text[position : position + 1] == closer:
        return (), position
    while True:
        element, position = _parse_element(text, _skip(text, position))
        elements.append(element)
        position = _skip(text, position)
        found = text[position : position + 1]
        if found == closer:
            return tuple(elements), position
        if found == "":
            raise PipelineError(f"expected '{closer}' or ','", text, position)
        if found != ",":
            raise PipelineError(f"expected ',' but got '{found}'", text, position)
        position += 1


def _parse_element(text: str, start: int) -> tuple[PipelineElement, int]:
    match = _NAME.match(text, start)
    if match is None:
        raise PipelineError("expected the name of a pass", text, start)
    position = match.end()
    options: str | None = None
    nested: tuple[PipelineElement, ...] | None = None
    if text[position : position + 1] == "{":
        end = _matching_brace(text, position)
        options, position = text[position + 1 : end], end + 1
    if text[position : position + 1] == "(":
        nested, position = _parse_list(text, position + 1, ")")
        position += 1
        if text[position : position + 1] == "{":
            position = _matching_brace(text, position) + 1
    return PipelineElement(match[0], options, nested, text[start:position], start), position


def _matching_brace(text: str, start: int) -> int:
    """Return the offset of the brace that closes the one at `start`, past quoted text."""
    depth, quote = 0, ""
    for position in range(start, len(text)):
        char = text[position]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        else:
            depth += (char == "{") - (char == "}")
            if depth == 0:
                return position
    raise PipelineError("this '{' is never closed", text, start)


def parse_options(text: str, offset: int = 0, whole: str | None = None) -> dict[str, str | None]:
    """Split `a=1 b="x y" c={2,3} d` into names and texts; None stands for a name without value.

    >>> parse_options('device=h200 tile-sizes=64,64,8 verify')
    {'device': 'h200', 'tile-sizes': '64,64,8', 'verify': None}

    Args:
      text: The options, separated by blanks.
      offset: Where the text starts in the whole pipeline, for errors.
      whole: The whole pipeline, for errors.

    Raises:
      PipelineError: The text does not follow the grammar, or names an option twice.
    """
    whole = text if whole is None else whole
    values: dict[str, str | None] = {}
    position = _skip(text, 0)
    while position < len(text):
        match = _OPTION.match(text, position)
        if match is None:
            raise PipelineError("expected option=value", whole, offset + position)
        name, position = match[1], match.end()
        if name in values:
            raise PipelineError(f"option '{name}' is given twice", whole, offset + match.start(1))
        values[name] = None
        if match[2]:
            values[name], position = _parse_value(text, position, offset, whole)
        if position < len(text) and not text[position].isspace():
            raise PipelineError("expected a blank between options", whole, offset + position)
        position = _skip(text, position)
    return values


def _parse_value(text: str, start: int, offset: int, whole: str) -> tuple[str, int]:
    opener = text[start : start + 1]
    if opener in ("'", '"'):
        end = text.find(opener, start + 1)
        if end < 0:
            raise PipelineError("this quote is never closed", whole, offset + start)
        return text[start + 1 : end], end + 1
    if opener == "{":
        end = _matching_brace(text, start)
        return text[start + 1 : end], end + 1
    match = re.compile(r"\S*").match(text, start)
    assert match is not None
    return match[0], match.end()
