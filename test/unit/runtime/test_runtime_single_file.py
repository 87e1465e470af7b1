# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime as one file: works without the package, and says what it lacks."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import preloaded
import pytest
from test_runtime_untrusted import artifact

from roller_mlir.runtime import single_file


def run(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=folder)


def write(name: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return run(preloaded.python("-m", "roller_mlir.runtime.single_file", "-o", name), folder)


def test_it_works_without_the_package(tmp_path: Path) -> None:
    artifact().save(tmp_path / "main.roller")
    assert write("runtime_here.py", tmp_path).returncode == 0
    script = (
        "import sys\n"
        "sys.modules['roller_mlir'] = None\n"
        "from runtime_here import Artifact, ArtifactError, BackendError, backend_names, find_backend\n"
        "found = Artifact.load('main.roller')\n"
        "assert found.manifest.function == 'main' and len(found.manifest.launches) == 20\n"
        "assert backend_names() == ('cpu', 'cuda', 'hip', 'sim')\n"
        "sys.modules['cuda.bindings.driver'] = sys.modules['hip'] = None\n"
        "for name in backend_names():\n"
        "    try:\n"
        "        found.open(name)\n"
        "    except BackendError as error:\n"
        "        print(error)\n"
        "try:\n"
        "    Artifact.load('missing')\n"
        "except ArtifactError as error:\n"
        "    import traceback\n"
        "    assert 'raise ArtifactError' in traceback.format_exc()\n"  # tracebacks have source lines
    )
    done = run([sys.executable, "-c", script], tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert "cpu runs devices of cpu" in said[0]
    assert "needs cuda-bindings" in said[1] and "needs hip-python" in said[2]
    assert "back end 'sim' is not available here" in said[3]


def layers(names: Iterable[str]) -> set[str]:
    """Return the layers of modules, without those folders that only hold others."""
    parts = [name.split(".")[1:] for name in names]
    known = [".".join(one[: 2 if one[0] in ("evaluation", "support") else 1]) for one in parts if one]
    return set(known) - {"evaluation", "support"}


def test_only_what_the_runtime_needs_is_in_it() -> None:
    assert layers(single_file.sources()) == {"plan", "runtime", "support.foreign"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a-b.py", "must be named like a module, such as roller_runtime.py, but got 'a-b.py'"),
        ("runtime.txt", "must be named like a module"),
        ("missing/runtime.py", "error: cannot write 'missing/runtime.py': No such file or directory"),
    ],
)
def test_wrong_names(tmp_path: Path, name: str, message: str) -> None:
    done = write(name, tmp_path)
    assert done.returncode in (1, 2) and message in done.stderr


@pytest.mark.full
def test_other_modules_with_a_main_function(tmp_path: Path) -> None:
    modules, main = ["roller_mlir.evaluation.measure.runner"], "roller_mlir.evaluation.measure.runner.main:main"
    assert layers(single_file.sources(modules)) == {"evaluation.measure", "hal", "plan", "runtime", "support.foreign"}
    (tmp_path / "run.py").write_text(single_file.single_file("run", modules=modules, main=main))
    done = run([sys.executable, "-P", "run.py", "--help"], tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("usage: run.py [-h]"), done.stderr
    script = (
        "import inspect, linecache, sys\n"
        "sys.modules['roller_mlir'] = None\n"
        "import run\n"
        "from _roller_runtime.evaluation.measure.runner import summary, work\n"
        "linecache.checkcache()\n"  # as tracebacks and pdb do
        "print(inspect.getsource(summary.seconds).splitlines()[0])\n"  # as Triton reads kernels
        "print(inspect.getsourcelines(work.StepWorker.do)[0][0].strip())\n"
        "print(inspect.getsourcefile(work.StepWorker) == work.__file__, "
        "work.__file__.endswith('run.py:' + work.__name__))\n"
    )
    done = run([sys.executable, "-c", script], tmp_path)
    assert done.stdout.splitlines() == [
        "def seconds(value: float | None) -> str:",
        "def do(self, step: Step) -> StepOutcome:",
        "True True",
    ], done.stderr


def test_modules_that_are_not_there() -> None:
    with pytest.raises(ValueError, match="modules must be of roller_mlir, but got 'os'"):
        single_file.single_file("run", modules=["os"])
    with pytest.raises(ValueError, match="modules must be of roller_mlir, but got 'roller_mlir.missing'"):
        single_file.single_file("run", modules=["roller_mlir.missing"])
    with pytest.raises(ValueError, match="main must be MODULE:FUNCTION of .*, but got 'roller_mlir.runtime:x'"):
        single_file.single_file("run", main="roller_mlir.runtime:x")
