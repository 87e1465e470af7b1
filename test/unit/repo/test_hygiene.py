# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every file of the repository owes its readers."""

import re
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from package_sources import ROOT, setup_arguments, sources

import roller_mlir.passes  # noqa: F401 - makes them known
from roller_mlir.lowering.targets import families
from roller_mlir.support.passes.passes import find_pass, registered_passes

BENCH = ROOT / "bench"
MOST_LINES = 500
LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
RUN_BY_PYTEST = ROOT / "test" / "semantics" / "reported"
WRITTEN_BY_IMPORTERS = ROOT / "test" / "semantics" / "models" / "data"
BUILT_BY_CMAKE = ROOT / "examples" / "iree_project"
DOCSTRING = re.compile(r'(?:#[^\n]*\n|\n)*r?"""')
TEXT = {".py", ".mlir", ".md", ".toml", ".txt", ".yaml", ".sh", ".json", ""}


def files() -> list[Path]:
    """Return what git has, or would take; everything but build products where there is no git."""
    try:
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        found = [ROOT / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        skipped = {".venv", "build", "__pycache__", ".git"}
        found = [path for path in ROOT.rglob("*") if not skipped & set(path.relative_to(ROOT).parts)]
    return [path for path in found if path.is_file() and path.suffix in TEXT]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


PYTHON = [path for path in files() if path.suffix == ".py"]
IR_TESTS = [
    path
    for path in files()
    if path.suffix == ".mlir"
    and path.relative_to(ROOT).parts[0] in ("test", "examples")
    and path.parent not in (RUN_BY_PYTEST, WRITTEN_BY_IMPORTERS, BUILT_BY_CMAKE)
]


def test_text_is_ascii() -> None:
    wrong = [named(path) for path in files() if not path.read_bytes().isascii()]
    assert not wrong, "\n".join(wrong)


def test_files_are_short() -> None:
    code = [path for path in files() if path.suffix in (".py", ".mlir", ".sh", "")]
    code = [path for path in code if path.parent != WRITTEN_BY_IMPORTERS]
    code = [path for path in code if path.name != "LICENSE" and not path.name.endswith("-invalid.mlir")]
    wrong = [named(path) for path in code if len(path.read_text().splitlines()) > MOST_LINES]
    assert not wrong, "\n".join(wrong)
    assert len((ROOT / "README.md").read_text().splitlines()) < 150


def test_no_paths_of_a_machine() -> None:
    pattern = re.compile(r"/(home|root|Users|work)/\w|/tmp/\w")
    wrong = [
        f"{named(path)}:{number}"
        for path in files()
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not wrong, "\n".join(wrong)


def test_python_files_have_licence_and_header() -> None:
    wrong: list[str] = []
    for path in PYTHON:
        text = path.read_text()
        if LICENSE_LINE not in text.partition("\n")[0]:
            wrong.append(f"{named(path)}: first line is not the licence")
        is_test_folder = path.name in ("conftest.py", "__init__.py") and "test" in path.parts
        if not DOCSTRING.match(text) and not is_test_folder:
            wrong.append(f"{named(path)}: no docstring")
    assert not wrong, "\n".join(wrong)


def test_no_todo_without_a_condition() -> None:
    pattern = re.compile(r"\b(TODO(?!\([^)]{8,}\))|FIXME|XXX)\b")
    wrong = [named(p) for p in PYTHON if p != Path(__file__) and pattern.search(p.read_text())]
    assert not wrong, "\n".join(wrong)


OUR_PASSES = [kind for kind in registered_passes() if kind.__module__.startswith("roller_mlir.passes.")]


@pytest.mark.parametrize("kind", OUR_PASSES, ids=lambda kind: kind.name)
def test_a_pass_is_where_its_name_says_and_has_its_tests(kind: type) -> None:
    name = str(kind.name)  # type: ignore[attr-defined]
    dialect, _, file = name.partition("-")
    assert kind.__module__ == f"roller_mlir.passes.{dialect}.{file.replace('-', '_')}"
    assert kind.__name__.lower() == name.replace("-", "")
    for test in (f"{name}.mlir", f"{name}-invalid.mlir"):
        assert len(list((ROOT / "test/passes").rglob(test))) == 1, f"{test} is not in one folder of test/passes"


def test_named_pipelines_are_made_of_our_passes() -> None:
    assert OUR_PASSES
    for pipeline in (family.pipeline for family in families()):
        assert [name for name in pipeline.passes if find_pass(name) is None] == []


def test_every_check_prefix_is_used_by_a_run_line() -> None:
    wrong: list[str] = []
    kinds = "(?:-NEXT|-SAME|-DAG|-NOT|-LABEL|-EMPTY|-COUNT-[0-9]+)?"
    for path in IR_TESTS:
        text = path.read_text()
        runs = [line for line in text.splitlines() if "RUN:" in line]
        if not runs:
            wrong.append(f"{named(path)}: no RUN line")
        used = {
            p for run in runs for given in re.findall(r"--check-prefix(?:es)?[= ](\S+)", run) for p in given.split(",")
        }
        used |= {"CHECK"} if any("FileCheck" in run and "--check-prefix" not in run for run in runs) else set()
        for prefix in set(re.findall(rf"^\s*//\s*([A-Z][A-Z0-9_-]*?){kinds}:", text, re.MULTILINE)) - {
            "RUN",
            "REQUIRES",
        }:
            if prefix not in used:
                wrong.append(f"{named(path)}: prefix {prefix} is in no RUN line")
    assert not wrong, "\n".join(wrong)


def test_checks_name_their_operands() -> None:
    wrong = [
        f"{named(path)}:{number}"
        for path in IR_TESTS
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(r"%\{\{\.\*\}\}", line)
    ]
    assert not wrong, "\n".join(wrong)


def test_every_package_is_packaged() -> None:
    beside = {path for path in PYTHON if path.relative_to(ROOT).parts[0] in ("bench", "examples", "setup.py", "test")}
    assert set(PYTHON) - beside == set(sources().values())
    wanted: set[str] = set()
    for module, path in sources().items():
        assert (path.parent / "__init__.py").is_file(), f"{named(path.parent)} has no __init__.py"
        wanted.add(module if path.name == "__init__.py" else module.rpartition(".")[0])
    packages = setup_arguments()["packages"]
    assert wanted == set(packages) and len(wanted) == len(packages)


def undescribed(page: str, folders: Iterable[str]) -> set[str]:
    """Return the folders that the first column of a page's tables lacks."""
    cells = re.findall(r"^\| ([^|]*) \|", page, re.MULTILINE)
    return set(folders) - {name for cell in cells for name in re.findall(r"`([\w/-]+)`", cell)}


def test_the_page_of_benches_describes_each_folder() -> None:
    """Of recorded results and of kernels that a folder of scripts reads, the row of that folder tells."""
    page = (ROOT / "bench/README.md").read_text()
    read = {path.parent.relative_to(BENCH) for path in files() if BENCH in path.parents and path.suffix != ".json"}
    rooms = {"/".join(folder.parts[:depth]) for folder in read for depth in (1, 2)} - {""}
    assert not undescribed(page, rooms)
    assert undescribed("see `b` in\n| `a`, `c-d/f` | what `e` is |\n", ("a", "b", "c-d/f", "e")) == {"b", "e"}


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    init = (ROOT / "roller_mlir/__init__.py").read_text()
    assert f'__version__ = "{project["version"]}"' in init
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_documents_link_to_files_that_exist() -> None:
    wrong: list[str] = []
    for path in [p for p in files() if p.suffix == ".md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            if not (path.parent / target).exists():
                wrong.append(f"{named(path)}: {target}")
    assert not wrong, "\n".join(wrong)
