# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The template explains every key, and is itself a description that loads."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

from roller_mlir.hal import (
    Device,
    Instruction,
    MemoryLayer,
    ModelConstants,
    VectorConstants,
    device_names,
    find_device,
    parse_device,
)
from roller_mlir.hal.describe import describe
from roller_mlir.hal.files.template import attribute_docs, template
from roller_mlir.tools.generate_docs import devices_page


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", device_names())
def test_a_template_is_its_example_under_another_name(name: str) -> None:
    example = find_device(name)
    made = parse_device(template(example), file="mine.toml")
    assert made.name == "mine"
    again = replace(made, name=name, description=example.description, aliases=example.aliases)
    again = replace(again, default_for=example.default_for)
    assert [table.rows for table in describe(again)] == [table.rows for table in describe(example)]


def test_every_key_is_there_with_its_unit_and_its_meaning() -> None:
    text = template(find_device("a100"))
    words = " ".join(text.replace("\n#", " ").split())
    for record in (Device, MemoryLayer, Instruction, ModelConstants, VectorConstants):
        docs = attribute_docs(record)
        assert set(docs) == {field.name for field in fields(record)}
        for key in set(docs) - {"layers", "instructions", "model", "vectors", "overrides", "clocked"}:
            assert key == "name" or key in text
            assert docs[key].rstrip(".") in words
    assert "(number, hertz; required)" in words and "(number, seconds; optional)" in words
    assert "of cached, distributed, explicit" in words and "of nvidia, amd, cpu, graphcore" in words
    assert max(len(line) for line in text.splitlines()) <= 120 and text.isascii()


def test_an_optional_key_of_the_template_can_be_switched_on() -> None:
    """Each line that is commented out is a key of its own."""
    text = template(find_device("a100"))
    for line in [line for line in text.splitlines() if line.startswith("# launch_latency_s = ")]:
        text = text.replace(line, line.removeprefix("# "))
    text = text.replace("# stall_share = 0.3", "stall_share = 0.4")
    assert parse_device(text, file="mine.toml").model.stall_share == 0.4


def test_the_page_of_devices_is_current() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "devices.md"
    assert page.read_text(encoding="utf-8") == devices_page(), "run python -m roller_mlir.tools.generate_docs"
