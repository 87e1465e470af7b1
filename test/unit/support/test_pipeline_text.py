# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grammar of pipelines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.support.passes.pipeline_text import PipelineElement, PipelineError, parse_elements, parse_options


def test_nests_and_options() -> None:
    (module,) = parse_elements('builtin.module( a{x=1 y={2,3}} , func.func(b,c{z="}"}) )')
    assert module.nested is not None
    a, func = module.nested
    assert (a.name, a.options, a.nested) == ("a", "x=1 y={2,3}", None)
    assert func.nested is not None
    assert [e.text for e in func.nested] == ["b", 'c{z="}"}']
    assert parse_elements("  ") == ()


def test_options() -> None:
    assert parse_options("a=1 b=\"x y\" c={2,3} d e='' ") == {"a": "1", "b": "x y", "c": "2,3", "d": None, "e": ""}


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("a,", 2, "expected the name of a pass"),
        ("a,,b", 2, "expected the name of a pass"),
        ("a b", 2, "expected ',' but got 'b'"),
        ("m(a", 3, "expected ')' or ','"),
        ("a)", 1, "expected ',' but got ')'"),
        ("a{x=1", 1, "this '{' is never closed"),
        ("a{x='}", 1, "this '{' is never closed"),
    ],
)
def test_mistakes_are_located(text: str, position: int, message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        parse_elements(text)
    assert (caught.value.position, caught.value.message) == (position, message)
    assert str(caught.value) == f"pipeline:1:{position + 1}: error: {message}\n{text}\n{' ' * position}^"


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("a=1 a=2", 4, "option 'a' is given twice"),
        ("=1", 0, "expected option=value"),
        ('a="x', 2, "this quote is never closed"),
        ('a="x"b', 5, "expected a blank between options"),
    ],
)
def test_option_mistakes_are_located(text: str, position: int, message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        parse_options(text)
    assert (caught.value.position, caught.value.message) == (position, message)


_names = st.from_regex(r"[a-z][a-z0-9.\-]{0,6}", fullmatch=True)
_options = st.from_regex(r"[a-z]=[a-z0-9]{1,3}( [a-z]{2}=[0-9])?", fullmatch=True)
_elements = st.recursive(
    st.builds(lambda n, o: n + (f"{{{o}}}" if o else ""), _names, st.none() | _options),
    lambda inner: st.builds(lambda n, i: f"{n}({','.join(i)})", _names, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=8,
)


def _spell(element: PipelineElement) -> str:
    options = "" if element.options is None else f"{{{element.options}}}"
    nested = "" if element.nested is None else f"({','.join(map(_spell, element.nested))})"
    return f"{element.name}{options}{nested}"


@given(st.lists(_elements, max_size=4))
def test_what_is_spelled_is_parsed_back(parts: list[str]) -> None:
    text = ",".join(parts)
    elements = parse_elements(text)
    assert [e.text for e in elements] == parts
    assert ",".join(map(_spell, elements)) == text


@given(st.text(alphabet="ab,(){}='\" ", max_size=30))
def test_no_text_hurts(text: str) -> None:
    try:
        parse_elements(text)
    except PipelineError as error:
        assert 0 <= error.position <= len(text)
