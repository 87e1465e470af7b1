# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of passes: their types, their spelling, and what is refused."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from sample_passes import SampleMark

from roller_mlir.support.foreign.options import OptionError
from roller_mlir.support.passes.passes import (
    NamedPipeline,
    Pass,
    find_pass,
    register,
    register_pipeline,
    suggest,
)


def test_options_are_typed() -> None:
    made = SampleMark.from_options(
        {"label": "a b", "count": "3", "scale": "1e-3", "loud": None, "sizes": "64, 64,8", "file": "p.json"}
    )
    assert made == SampleMark(label="a b", count=3, scale=1e-3, loud=True, sizes=(64, 64, 8), file=Path("p.json"))


@pytest.mark.parametrize(("text", "value"), [("true", True), ("1", True), ("False", False), ("0", False)])
def test_booleans(text: str, value: bool) -> None:
    assert SampleMark.from_options({"loud": text}).loud is value


def test_empty_list() -> None:
    assert SampleMark.from_options({"sizes": ""}).sizes == ()


def test_defaults_are_not_spelled() -> None:
    assert str(SampleMark()) == "sample-mark"
    assert str(SampleMark(sizes=(64, 8), loud=True, label="a b")) == 'sample-mark{label="a b" loud=true sizes=64,8}'


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lable": "x"}, "'sample-mark' has no option 'lable'; did you mean 'label'?"),
        (
            {"zzz": "x"},
            "'sample-mark' has no option 'zzz'; its options are label, count, scale, loud, sizes, file, mode",
        ),
        ({"count": "three"}, "'sample-mark': option 'count' must be an int, but got 'three'"),
        ({"count": None}, "'sample-mark': option 'count' needs a value: count=<int>"),
        ({"count": "0"}, "'sample-mark': count must be at least 1, but got 0"),
        ({"scale": "big"}, "'sample-mark': option 'scale' must be a float, but got 'big'"),
        ({"loud": "yes"}, "'sample-mark': option 'loud' must be a bool, but got 'yes'"),
        ({"sizes": "64,x"}, "'sample-mark': option 'sizes' must be a list of int, but got '64,x'"),
        (
            {"mode": "x"},
            "'sample-mark': option 'mode' must be mark | fail | bug | break | wrong | interrupt, but got 'x'",
        ),
    ],
)
def test_refusals(given: dict[str, str | None], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        SampleMark.from_options(given)
    assert str(caught.value) == message


def test_a_pass_without_options_says_so() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Plain(Pass):
        """Does nothing."""

        name: ClassVar[str] = "plain"
        summary: ClassVar[str] = "nothing"

    with pytest.raises(OptionError, match="^'plain' has no option 'a'; it has no options$"):
        Plain.from_options({"a": "1"})


def test_registry_refuses_what_cannot_be_documented_or_found() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Nameless(Pass):
        """Has a name that is none."""

        name: ClassVar[str] = "Not_A_Name"
        summary: ClassVar[str] = "x"

    @dataclass(frozen=True, kw_only=True)
    class Undocumented(Pass):
        name: ClassVar[str] = "undocumented"
        summary: ClassVar[str] = "x"

    @dataclass(frozen=True, kw_only=True)
    class Twin(Pass):
        """Takes a name that is taken."""

        name: ClassVar[str] = "sample-mark"
        summary: ClassVar[str] = "x"

    for kind, message in ((Nameless, "written-like-this"), (Undocumented, "docstring"), (Twin, "unique")):
        with pytest.raises(ValueError, match=message):
            register(kind)
    assert find_pass("sample-mark") is SampleMark
    with pytest.raises(ValueError, match="must not be a pass name"):
        register_pipeline(NamedPipeline(name="sample-mark", summary="x", passes=()))


def test_suggestions() -> None:
    assert suggest("canonicalise", ["cse", "canonicalize"]) == "; did you mean 'canonicalize'?"
    assert suggest("qqq", ["cse", "canonicalize"]) == ""
