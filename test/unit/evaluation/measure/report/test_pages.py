# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Markdown, page and pictures: what is wrong first, every name escaped, dry runs say so, same in same out."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from fabricated_results import check, item, many, results, timing

from roller_mlir.evaluation.measure.records import MeasuredMachine, Results, Skipped, Trouble
from roller_mlir.evaluation.measure.report.groups import peer_names
from roller_mlir.evaluation.measure.report.report import make_report
from roller_mlir.plan.records.codec import to_json
from roller_mlir.tools.report.measured.charts import draw, ratio_picture
from roller_mlir.tools.report.measured.document import Document
from roller_mlir.tools.report.measured.folder import contents_of, default_folder
from roller_mlir.tools.report.measured.markdown import markdown
from roller_mlir.tools.report.measured.page import page
from roller_mlir.tools.report.measured.points import look, ticks
from roller_mlir.tools.report.measured.sections import document_of

DRY = "Dry run: seconds of the simulator, no speed of any device"
EVIL = "<script>alert(1)</script>|`x`*y*_z_[a](http://b)$\\x$&amp;\n# no\x1b[31m\ud800"
VOID = {"meta", "br"}


class Page(HTMLParser):
    """A page as a reader sees it: every element is closed; texts by their elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open
        assert {one.removeprefix("#") for one in self.links} <= set(self.ids) and len(set(self.ids)) == len(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    @property
    def seen(self) -> str:
        return "\n".join(text for tag, text in self.texts if tag not in ("style", "script"))


def written(made: Results, *, drawn: bool = False) -> tuple[str, Page]:
    report = make_report(made)
    document = document_of(report)
    found = draw(report, peer_names(report.items), document) if drawn else {}
    charts = {key: chart for key, (_, _, chart) in found.items()}
    text, shown = markdown(document, {}), page(report, document, charts)
    assert (text + shown).encode()
    return text, Page(shown)


def evil() -> Results:
    one, two = item("A"), item("B")
    one = replace(one, id=EVIL, title=EVIL, suite=EVIL, reference=replace(one.reference, kind=EVIL, dtype=EVIL))
    machine = MeasuredMachine(
        back_end="cuda", device=EVIL, driver=EVIL, started=EVIL, command=EVIL, versions={EVIL: EVIL}, facts={EVIL: EVIL}
    )
    made = results(
        [one, two],
        checks=[check(one, against=EVIL), check(two, ok=False, message=EVIL), check(one, who=EVIL, against=EVIL)],
        timings=[timing(one, 1e-3, note=""), timing(one, 2e-3, EVIL), timing(two, 1e-3)],
        troubles=[Trouble(item=EVIL, who=EVIL, message=EVIL)],
        kit={"target": EVIL, "command": EVIL, "compiler": EVIL, "skipped": (Skipped(id=EVIL, reason=EVIL),)},
    )
    return replace(made, machine=machine)


def test_names_out_of_results_are_text_everywhere() -> None:
    text, shown = written(evil(), drawn=True)
    assert "<script>" not in text and "http://b)" in text and "[a](http" not in text
    assert "\x1b" not in text and "\n# no" not in text and text.count("\n# ") == 0
    assert re.search(r"(?<!\\)\|`", text) is None
    assert shown.tags.count("script") == 2
    assert "<script>alert(1)</script>" in shown.seen and "\x1b" not in shown.seen
    (data,) = [text for tag, text in shown.texts if tag == "script" and text.startswith("{")]
    assert json.loads(data)["items"][0]["id"] == EVIL


def test_pictures_of_evil_names() -> None:
    report = make_report(evil())
    found = draw(report, [EVIL], document_of(report))
    assert {name for name, _, _ in found.values()} == {"predicted-vs-measured.png", ratio_picture(EVIL)}
    assert re.fullmatch(r"ratio-[A-Za-z0-9._-]+\.png", ratio_picture(EVIL)) and "/" not in ratio_picture("../../a")


def test_what_is_wrong_comes_before_every_figure() -> None:
    text, shown = written(many(40))
    headings = re.findall(r"^## (.*)$", text, re.M)
    assert headings[:4] == ["What is wrong", "What is missing", "What was compared with what", "Goals"]
    assert headings[-1] == "Published times" and headings[4] == "Ours beside torch"
    assert [text for tag, text in shown.texts if tag == "h2"] == headings
    assert "2 results of ours and 0 results of peers are wrong or missing" in text
    first = text.index("roller119/N16/f32")
    assert text.index("## What is wrong") < first < text.index("## Goals")
    assert "no kernel was written for this class" in text and "the time limit came first" in text


def test_the_page_is_one_file_with_all_figures_in_it() -> None:
    made = many(20)
    report = make_report(made)
    _, shown = written(made, drawn=True)
    assert shown.tags.count("svg") == 4
    (data,) = [text for tag, text in shown.texts if tag == "script" and text.startswith("{")]
    assert json.loads(data) == json.loads(json.dumps(to_json(report)))
    for part in ("torch.compile", "Spearman", "global-read/64MiB", "3.36 TB/s", "published over ours"):
        assert part in shown.seen
    assert all(one.id in shown.seen for one in report.items)


@pytest.mark.full
def test_a_dry_run_says_so_in_every_output() -> None:
    made = many(12, machine={"back_end": "sim", "device": "simulator"})
    report = make_report(made)
    contents = contents_of(report, made)
    text, shown = contents["results.md"].decode(), Page(contents["report.html"].decode())
    assert text.splitlines()[2] == f"> **{DRY}.**"
    for section in ("Goals", "Ours beside torch", "Predictions beside times", "Micro-benchmarks", "Every kernel"):
        assert DRY in text.split(f"## {section}")[1].split("\n## ")[0], section
    assert shown.seen.lstrip().startswith("Dry run for h200") and f"{DRY}." in shown.seen
    labels = [text for tag, text in shown.texts if tag == "text" and text == DRY]
    assert len(labels) == shown.tags.count("svg") == 4
    assert "flop/s" not in text and "TB/s" not in text and "not judged" in text and "reached:" not in text
    assert default_folder(report).name == "2026-01-03-h200-dry-run"
    plain = draw(report, ["torch"], Document("x", "", ()))
    assert len(plain) == 2 and all(contents[name] != png for name, png, _ in plain.values())


def test_partial_results_say_what_is_missing() -> None:
    made = many(40)
    kept = tuple(one for one in made.timings if one.item.endswith(("N0/f32", "N1/f32", "N2/f32")))
    checks = tuple(one for one in made.checks if not one.item.endswith("9/f32"))
    text, shown = written(replace(made, timings=kept, checks=checks, complete=False))
    for part in (
        "these results are partial",
        "4 kernels of 40 not checked: roller119/N9/f32, roller119/N19/f32",
        "35 kernels of 40 not timed",
        "and 23 more",
        "3 probes without a time",
    ):
        assert part in text and part in shown.seen


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    "made",
    [
        results([]),
        results([item("A")]),
        results([item("A")], timings=[timing(item("A"), 1e-3)]),
        results([item("A", predicted=(None,))], checks=[check(item("A"))], timings=[timing(item("A"), 1e-3)]),
        results([item("A")], timings=[timing(item("A"), float("nan")), timing(item("A"), 0.0, "torch")]),
        results([item("A")], timings=[timing(item("A"), 1e-300), timing(item("A"), 1e300, "torch")]),
        results([item("A")], timings=[timing(item("A"), 5e-324), timing(item("A"), 5e-324, "torch")]),
        results([item("A", predicted=(1e-9,)), item("B", predicted=(1e9,))], timings=[timing(item("B"), 1e-9)]),
    ],
)
def test_corners_give_whole_reports(made: Results) -> None:
    contents = contents_of(make_report(made), made)
    Page(contents["report.html"].decode())
    assert b"## Every kernel" in contents["results.md"]
    for name, content in contents.items():
        assert name.endswith(".png") == content.startswith(b"\x89PNG")


def test_huge_ratios_stay_in_the_chart() -> None:
    one, two = item("A"), item("B")
    timings = [timing(one, 1e-6), timing(one, 1e3, "torch"), timing(two, 1.0), timing(two, 1e-6, "torch")]
    text, shown = written(results([one, two], timings=timings), drawn=True)
    assert "1e+09" in text and shown.tags.count("svg") == 2
    assert len(ticks(1e-9, 1e9)) <= 10 and ticks(0.5, 2.0)[-1] == 2.0


@pytest.mark.full
def test_thousands_of_kernels() -> None:
    made = many(1000, candidates=1)
    report = make_report(made)
    shown = Page(page(report, document_of(report), {}))
    assert shown.tags.count("tr") > 1000


@pytest.mark.full
def test_the_same_results_give_the_same_bytes() -> None:
    one, two = many(4), many(4)
    assert contents_of(make_report(one), one) == contents_of(make_report(two), two)


def test_what_could_not_be_packed_is_told_by_reason() -> None:
    refused = [Skipped(id=f"roller119/A/f32/{rank}", reason="no such instruction") for rank in range(1, 30)]
    lacking = Skipped(id="roller119/B/f32", reason="too large")
    text, _ = written(results([item("A")], kit={"skipped": (*refused, lacking)}))
    part = text.split("## What is missing")[1].split("\n## ")[0]
    assert "1 kernel is not in the kit" in part and "| roller119/B/f32 | 1 | too large |" in part
    assert "29 candidates are not in the kit" in part and part.count("no such instruction") == 1
    assert "roller119/A/f32/6 and 23 more | 29 | no such instruction" in part


def test_every_class_has_a_look_of_its_own() -> None:
    looks = [look(place) for place in range(49)]
    assert len(set(looks)) == 49 and look(49) == look(0)


def test_peers_say_how_they_were_timed() -> None:
    one = item("A")
    note: Any = "result in f16, allocates its result"
    text, _ = written(results([one], timings=[timing(one, 1e-3), timing(one, 1e-3, "torch", note=note)]))
    assert "Its timings say: result in f16, allocates its result (1)." in text
