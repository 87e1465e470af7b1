# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What documentation and comments name is there: files of the repository, and a reason beside each silenced rule."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from package_sources import ROOT, package_folders, sources

FOLDERS = (*package_folders().values(), "test", "bench", "docs", "examples", "include")
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
SOURCES = list(sources().values())
BENCHES = sorted((ROOT / "bench").rglob("*.py"))
# A word in capitals stands for any name; a star for many.
_PATH = re.compile(rf"(?<![\w/.$}}<>-])(?:{'|'.join(FOLDERS)})(?:/[\w.*-]+)*/[\w.*-]*\w(?![\w*{{<(/])")
_PLACEHOLDER = re.compile(r"(?<![a-z])[A-Z]{2,}(?![a-z])|\*|\d{4}-\d\d-\d\d")
_SILENCED = re.compile(
    r"#[ ]*(?:ruff:[ ]*)?(?:noqa|type:[ ]*ignore|pyrefly:[ ]*ignore)\b[\w:, [\]-]*?(?P<reason> --? [\w`].+)?$",
    re.MULTILINE,  # sought in whole files first
)


def paths_in(text: str) -> set[str]:
    return {path for path in _PATH.findall(text) if not _PLACEHOLDER.search(path) or Path(path).name == "README.md"}


def prose_of(source: str, sought: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield the comments and docstrings of a file, with their lines, if what is sought is anywhere in it."""
    if not sought.search(source):  # to take a file apart takes long
        return
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        stands_alone = token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or stands_alone:
            yield token.start[0], token.string
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    missing = [path for path in paths_in(page.read_text(encoding="utf-8")) if not (ROOT / path).exists()]
    assert not missing


def test_every_path_that_a_comment_names_is_there() -> None:
    missing = [
        f"{source.relative_to(ROOT)}:{line} {path}"
        for source in SOURCES
        for line, text in prose_of(source.read_text(encoding="utf-8"), _PATH)
        for path in paths_in(text)
        if not (ROOT / path).exists()
    ]
    assert not missing


def test_every_silenced_rule_has_a_reason() -> None:
    bare = [
        f"{source.relative_to(ROOT)}:{line}"
        for source in (*SOURCES, *BENCHES)
        for line, text in prose_of(source.read_text(encoding="utf-8"), _SILENCED)
        if (found := _SILENCED.search(text)) and not found["reason"]
    ]
    assert not bare


def test_a_planted_mistake_is_found() -> None:
    assert paths_in("see `test/unit/none.py` and tools/check.") == {"test/unit/none.py", "tools/check"}
    assert paths_in("passes/rtile/NAME.py, docs/results/2026-11-21-h200, kit/run.py, <bench/x") == set()
    source = '"""In bench/none.py."""\nx = "docs/no.md"  # noqa: E501\ny = x  # type: ignore[a] - b is a\n'
    prose = [text for _, text in prose_of(source, _PATH)]
    assert [sorted(paths_in(text)) for text in prose] == [["bench/none.py"], [], []]
    assert [bool(found["reason"]) for text in prose if (found := _SILENCED.search(text))] == [False, True]
    source = "x = 1  # noqa: E501\ny = f(x)  # pyrefly: ignore[a]\nz = {}.get(y)\n"
    assert [text for _, text in prose_of(source, _SILENCED)] == ["# noqa: E501", "# pyrefly: ignore[a]"]
