# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller explain`: what it prints, its page for a browser, its data, and what it refuses."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.tools.roller import main

HOSTILE = "<script>alert(1)</script>&'f"
MATMUL = """func.func @"NAME"(%a: tensor<128x256xTYPE>, %b: tensor<256x96xTYPE>,
    %c: tensor<128x96xTYPE>) -> (tensor<128x96xTYPE>, tensor<128x96xTYPE>) {
  %zero = arith.constant 0.0 : TYPE
  %e = tensor.empty() : tensor<128x96xTYPE>
  %i = linalg.fill ins(%zero : TYPE) outs(%e : tensor<128x96xTYPE>) -> tensor<128x96xTYPE>
  %r = linalg.matmul ins(%a, %b : tensor<128x256xTYPE>, tensor<256x96xTYPE>)
    outs(%i : tensor<128x96xTYPE>) -> tensor<128x96xTYPE>
  %s = linalg.exp ins(%c : tensor<128x96xTYPE>) outs(%e : tensor<128x96xTYPE>) -> tensor<128x96xTYPE>
  return %r, %s : tensor<128x96xTYPE>, tensor<128x96xTYPE>
}
"""
VOID = {"meta"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("explained") / "it's <b>.mlir"
    path.write_text(MATMUL.replace("NAME", HOSTILE).replace("TYPE", "f32"))
    return str(path)


class Page(HTMLParser):
    """Reads a page: checks that elements close in order, and gathers ids, links, attributes and cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def values(self, attribute: str) -> list[str]:
        return [found for _, attributes in self.elements if (found := attributes.get(attribute)) is not None]


def html(source: str, out: Path, *options: str) -> tuple[str, Page]:
    assert main(["explain", source, "--html", str(out), *options]) == 0
    text = out.read_text(encoding="utf-8")
    return text, Page(text)


@pytest.fixture(scope="module")
def shown(source: str) -> tuple[str, Page]:
    """Return the page of the source, as text and read."""
    found = html(source, Path(source).with_name("out.html"))
    assert not list(Path(source).parent.glob(".*"))
    return found


def data(capsys: Any, source: str, *options: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["explain", source, "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_section_is_printed_in_ascii(source: str, capsys: Any) -> None:
    assert main(["explain", source, "--op", "matmul_0"]) == 0
    text = capsys.readouterr().out
    assert text.isascii()
    for part in (
        "matmul_0 on h200",
        "no measurement",
        "Operator",
        "arithmetic intensity",
        "Limits of h200",
        "Alignment",
        "What keeps each loop from its next size",
        "by the paper's formula",
        "register layer",
        "workgroup layer",
        "reuse score",
        "stopped:",
        "The first 10",
        "Prediction of the winner",
        "share of the time",
        "Roofline",
        "predicted share",
    ):
        assert part in text, part
    assert "generic_1" not in text


def test_all_operators_of_the_function_are_shown(source: str, capsys: Any) -> None:
    assert main(["explain", source, "--target", "v100", "--top-k", "2"]) == 0
    text = capsys.readouterr().out
    assert "matmul_0 on v100" in text and "generic_1 on v100" in text and "The first 2" in text
    assert "12288, fused from 128x96" in text
    assert "streaming: the reuse score of a larger tile is constant (0)" in text


def test_json_is_the_record(source: str, capsys: Any) -> None:
    first, second = data(capsys, source, "--instruction", "fma", "--max-units", "16", "--disabled-rule", "memory-bank")
    assert (first["name"], second["name"]) == ("matmul_0", "generic_1")
    assert first["file"] == source and first["line"] == 6 and first["function"] == HOSTILE
    assert first["limits"]["units"] == 16 and first["alignment"]["disabled"] == ["memory-bank"]
    assert second["operator"]["source_extents"] == [128, 96]
    for one in (first, second):
        assert one["prediction"]["seconds"] == one["candidates"][0]["seconds"]
        assert {layer["layer"]: layer["seconds"] for layer in one["layers"]} == one["prediction"]["seconds_by_layer"]


def test_the_page_is_well_formed_and_needs_nothing_else(shown: tuple[str, Page]) -> None:
    text, page = shown
    assert not re.search(r"(https?:)?//[a-z]", text)
    assert not page.values("src") and "@import" not in text
    ids, inside = page.values("id"), set(re.findall(r"url\(([^)]*)\)", text))
    assert len(set(ids)) == len(ids)
    targets = [link.removeprefix("#") for link in page.values("href")]
    assert targets[:2] == ["op-0", "op-1"]
    assert {*targets, *(one.removeprefix("#") for one in inside)} <= set(ids)
    charts = [attributes["aria-label"] for tag, attributes in page.elements if tag == "svg"]
    assert charts[0] == "roofline of operator 0" and "tile of arg1, of operator 0" in charts
    assert "enlargement, register, of operator 0" in charts and "enlargement, register, of operator 1" not in charts
    painted = set(re.findall(r"(?:fill|stroke): ?(#\w+|var\([\w-]+\))", text))
    assert {"var(--global)", "var(--thread)", "var(--soft)"} <= painted
    assert not {colour for colour in painted if colour.startswith("#")}, "dark pages turn no colour of their own"
    assert "prefers-color-scheme: dark" in text
    classes = {name for value in page.values("class") for name in value.split()}
    assert {"candidates", "sortable", "chart", "bars", "roofs"} <= classes


def test_names_are_text_on_the_page(shown: tuple[str, Page]) -> None:
    text, page = shown
    assert "<script>alert" not in text and "<b>.mlir" not in text
    assert [tag for tag, _ in page.elements].count("script") == 2
    said = [value for tag, value in page.texts if tag == "p" and "function" in value]
    assert said and all(HOSTILE in value for value in said)


def test_the_page_has_the_numbers_of_the_json(source: str, shown: tuple[str, Page], capsys: Any) -> None:
    _, page = shown
    printed = data(capsys, source)
    (held,) = [json.loads(value) for tag, value in page.texts if tag == "script" and value.startswith("[")]
    for one, other in zip(held, printed, strict=True):
        del one["place"]
        assert all(other[key] == value for key, value in one.items())
    cells = [attributes["data-v"] for tag, attributes in page.elements if tag == "td" and "data-v" in attributes]
    rows = [row for one in printed for row in one["candidates"]]
    columns = 13 + (max(row["split"] for row in printed[0]["candidates"]) > 1)
    first = cells[: columns * len(printed[0]["candidates"])]
    for number, row in enumerate(printed[0]["candidates"]):
        line = first[number * columns : (number + 1) * columns]
        assert line[0] == str(row["rank"]) and line[-1] == row["saturated"]
        assert float(line[-2] or "nan") == row["seconds"]
        assert int(line[-3] or 0) == row["load_bytes"] + row["store_bytes"]
        assert float(line[-4] or "nan") == row["waves"]
    assert len(rows) == sum(1 for value in cells if value in {row["saturated"] for row in rows})


def test_a_family_without_code_is_said(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "half.mlir"
    path.write_text(MATMUL.replace("NAME", "f").replace("TYPE", "f16"))
    (first, _) = data(capsys, str(path))
    winner = first["candidates"][0]
    assert winner["emitted"] == (winner["instruction"] in first["families"])
    if not winner["emitted"]:
        assert f"does not emit {winner['instruction']} yet" in first["compiled_note"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--op", "conv_0"], 1, "no program is named 'conv_0'; the programs are matmul_0, generic_1"),
        (["--target", "nope"], 2, "unknown device 'nope'"),
        (["--instruction", "mma"], 1, "'matmul_0' has no instruction for f32"),
        (["--instruction", "foo"], 2, "must be some of fma, packed_fma"),
        (
            ["--disabled-rule", "gravity"],
            2,
            "memory-bank, tensor-shape, but got 'gravity'",
        ),
        (["--top-k", "0"], 2, "must be at least 1, but got 0"),
        (["--max-units", "-1"], 2, "must be at least 1, but got -1"),
        (["--html", ""], 2, "--html must name a file to write"),
        (["--html", "."], 2, "--html must name a file to write"),
        (["--html", "/"], 2, "--html must name a file to write"),
        (["--html", "/dev/null/page.html"], 1, "/dev/null/page.html cannot be written"),
        (["--entry", "other"], 1, "the module has no function 'other'"),
    ],
)
def test_what_is_refused(source: str, capsys: Any, options: list[str], code: int, message: str) -> None:
    assert main(["explain", source, *options]) == code
    captured = capsys.readouterr()
    assert message in captured.err and "Traceback" not in captured.err and not captured.out


def test_a_folder_is_no_page(source: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["explain", source, "--html", str(tmp_path)]) == 1
    assert f"{tmp_path} cannot be written: is a directory" in capsys.readouterr().err


def test_a_file_that_is_not_there(capsys: Any) -> None:
    assert main(["explain", "nothing.mlir"]) == 1
    assert "'nothing.mlir' cannot be read: no such file or directory" in capsys.readouterr().err


def test_a_result_that_is_an_argument_is_a_copy(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "empty.mlir"
    path.write_text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n")
    code = main(["explain", str(path)])
    captured = capsys.readouterr()
    assert code == 0 and "copy_0 on h200" in captured.out


def test_a_planned_module_is_refused(source: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["compile", source, "--emit", "loops"]) == 0
    path = tmp_path / "loops.mlir"
    path.write_text(capsys.readouterr().out)
    assert main(["explain", str(path)]) == 1
    assert "the module is planned already; explain begins with linalg ops" in capsys.readouterr().err


def test_the_schedule_of_a_persistent_kernel(tmp_path: Path, capsys: Any) -> None:
    """It is that of the compilation, whose remarks say the same."""
    source = str(tmp_path / "f.mlir")
    Path(source).write_text(MATMUL.replace("NAME", "f").replace("TYPE", "f32"))
    (found,) = [json.loads(printed(capsys, "explain", source, "--persistent", "--blocks", "20", "--json"))]
    artifact = tmp_path / "f.roller"
    remarks = printed(capsys, "compile", source, "--persistent", "--blocks", "20", "-o", str(artifact))
    assert (
        f"{found['tasks']} tasks on {found['blocks']} vEUs: {found['waits']} waits of {found['waits_before']}"
        in remarks
    )
    assert f"2 operators by {found['bodies']} bodies, blocks of {found['threads']} threads" in remarks
    assert f"{found['workspace_bytes']} B of workspace, {found['state_bytes']} B of state" in remarks
    assert found["blocks"] == 20 and found["longest"] >= found["tasks"] / 20
    assert [one["threads"] for one in found["choices"]] == [64, 128, 256]
    best = min(found["choices"], key=lambda one: one["seconds"])
    assert found["threads"] == best["threads"]
    operators = found["operators"]
    assert [one["name"] for one in operators] == ["matmul_0 (0)", "generic_1 (1)"]
    assert sum(one["tasks"] for one in operators) == found["tasks"]
    assert {one["body"] for one in operators} == set(range(found["bodies"]))
    assert 0 < operators[1]["task_seconds"] <= operators[1]["seconds"] < best["seconds"]
    text = printed(capsys, "explain", source, "--persistent", "--blocks", "20")
    assert re.search(rf"blocks +20, 1 a unit, of {found['threads']} threads and ", text)
    assert re.search(rf"^ +{best['threads']} .*taken$", text, re.MULTILINE)
    assert re.search(rf"^ matmul_0 \(0\) +{operators[0]['tasks']} +0 ", text, re.MULTILINE)
    forced = json.loads(printed(capsys, "explain", source, "--persistent", "--block-threads", "64", "--json"))
    assert (forced["threads"], forced["choices"]) == (64, [])


def printed(capsys: Any, *words: str) -> str:
    capsys.readouterr()
    assert main([*words]) == 0
    return capsys.readouterr().out


def test_schedules_and_operators_are_explained_apart(source: str, capsys: Any) -> None:
    assert main(["explain", source, "--policy", "wavefront"]) == 2
    assert "--policy: only a persistent kernel has a schedule; add --persistent" in capsys.readouterr().err
    assert main(["explain", source, "--persistent", "--op", "matmul_0", "--top-k", "3", "--html", "a.html"]) == 2
    said = "--html, --op, --top-k: --persistent explains a schedule, not operators; leave out one of them"
    assert said in capsys.readouterr().err
