# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What documentation and comments name is there: files, modules and what is in them, and why a rule is silenced."""

import functools
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from package_sources import ROOT, package_folders, sources

FOLDERS = (*package_folders().values(), "test", "bench", "docs", "examples", "include")
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("*/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
SOURCES = list(sources().values())
BENCHES = sorted((ROOT / "bench").rglob("*.py"))
# A word in capitals stands for any name.
_PATH = re.compile(rf"(?<![\w/.$}}<>-])(?:{'|'.join(FOLDERS)})(?:/[\w.*-]+)*/[\w.*-]*\w(?![\w*{{<(/])")
_PLACEHOLDER = re.compile(r"(?<![a-z])[A-Z]{2,}(?![a-z])|\d{4}-\d\d-\d\d")
_SILENCED = re.compile(
    r"#[ ]*(?:ruff:[ ]*)?(?:noqa|type:[ ]*ignore|pyrefly:[ ]*ignore)\b[\w:, [\]-]*?(?P<reason> --? [\w`].+)?$",
    re.MULTILINE,  # sought in whole files first
)
_UNSAID = re.compile(r'^ *"""[^"].*?"""|`[^`\n]+`', re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"`([a-zA-Z]\w*(?:\.\w+)*)`")
_WORD = re.compile(r"\w+")
_ENDINGS = {"bc", "csv", "json", "jsonl", "md", "txt"}
# Dialects, instructions and packages that a module of ours has its name from, and what others call theirs.
_FOREIGN = {
    *("affine", "gpu", "ir", "layers", "linalg", "llvm", "math", "mma", "nvvm", "roller", "rtile", "torch"),
    *("wmma", "cifar_config", "do_bench", "factorized_reduction", "libmkl_def"),
    *("mlir_module_serialized", "num_residual", "residual_layer", "roller_read_times", "s_memtime", "while_loop"),
    "tma_descriptor_replace_dims_strides_in_shared_mem",
}


def paths_in(text: str) -> set[str]:
    return {path for path in _PATH.findall(text) if not _PLACEHOLDER.search(path) or Path(path).name == "README.md"}


def is_there(path: str) -> bool:
    """Return whether a file or a folder has a path, or any has it where stars stand for parts of names."""
    return any(ROOT.glob(path)) if "*" in path else (ROOT / path).exists()


@functools.cache
def words() -> Mapping[str, set[str]]:
    """Return the words of each file of Python outside of docstrings, by its path without the suffix."""
    return {
        str(file.relative_to(ROOT).with_suffix("")): set(_WORD.findall(_UNSAID.sub(" ", file.read_text("utf-8"))))
        for file in (*SOURCES, *BENCHES)
    }


@functools.cache
def modules() -> Mapping[str, list[set[str]]]:
    """Return the words of each module by its name: of a folder, those of all files in it and their names."""
    found: dict[str, dict[str, set[str]]] = {}
    for path, inside in words().items():
        parts = path.split("/")
        for number, name in enumerate(parts, 1):
            found.setdefault(name, {}).setdefault("/".join(parts[:number]), set()).update(inside, parts[number:])
    return {name: list(homes.values()) for name, homes in found.items()}


@functools.cache
def all_words() -> set[str]:
    return set().union(*words().values(), modules())


def stale_names(text: str) -> set[str]:
    """Return the quoted names of modules that are gone, or have no such thing, and names that no code uses."""
    return {name for name in _NAME.findall(text) if not _means_something(*name.split("."))}


def _means_something(head: str, *rest: str) -> bool:
    if rest == ("py",):
        return head in modules()
    if head in _FOREIGN or set(rest[-1:]) & _ENDINGS:
        return True
    if rest and head in modules():
        return any(inside.issuperset(rest) for inside in modules()[head])
    ours = {word for word in (head, *rest) if re.fullmatch(r"[a-z]+(_[a-z]+)+", word)}
    return ours <= all_words()


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
    missing = [path for path in paths_in(page.read_text(encoding="utf-8")) if not is_there(path)]
    assert not missing


def test_every_path_that_a_comment_names_is_there() -> None:
    missing = [
        f"{source.relative_to(ROOT)}:{line} {path}"
        for source in SOURCES
        for line, text in prose_of(source.read_text(encoding="utf-8"), _PATH)
        for path in paths_in(text)
        if not is_there(path)
    ]
    assert not missing


def test_every_name_in_quotation_marks_means_something() -> None:
    stale = [
        f"{file.relative_to(ROOT)}:{number} {name}"
        for file in (*PAGES, *SOURCES)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for name in sorted(stale_names(line))
    ]
    assert not stale


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
    assert not is_there("test/unit/repo/none*.py") and is_there("test/unit/*/test_named*.py")
    assert stale_names(
        "`families.Families`, `targets.families.no_such`, `none_such`, `none_such.a`, `none_such.py`"
    ) == {*("families.Families", "targets.families.no_such", "none_such", "none_such.a", "none_such.py")}
    assert (
        stale_names("`targets.families`, `family.TargetFamily`, `families.py`, `ds_read_b128`, `math.ipowi`") == set()
    )
    source = '"""In bench/none.py."""\nx = "docs/no.md"  # noqa: E501\ny = x  # type: ignore[a] - b is a\n'
    prose = [text for _, text in prose_of(source, _PATH)]
    assert [sorted(paths_in(text)) for text in prose] == [["bench/none.py"], [], []]
    assert [bool(found["reason"]) for text in prose if (found := _SILENCED.search(text))] == [False, True]
    source = "x = 1  # noqa: E501\ny = f(x)  # pyrefly: ignore[a]\nz = {}.get(y)\n"
    assert [text for _, text in prose_of(source, _SILENCED)] == ["# noqa: E501", "# pyrefly: ignore[a]"]
