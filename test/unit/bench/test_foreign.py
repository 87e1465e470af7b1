# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench that runs other people's functions: what it finds in a tree, and what it says of each."""

import json
import subprocess
from pathlib import Path
from types import ModuleType

import preloaded
import pytest

FOLDER = Path(__file__).parents[3] / "bench" / "correctness" / "foreign"

TREE = """
func.func @good(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = func.call @helper(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.add ins(%r, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}
func.func private @helper(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.exp ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// -----
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// -----
func.func @others(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %s = "other.op"(%r) : (tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
// -----
func.func @buffers(%a: memref<4xf32>) {
  linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  return
}
// -----
func.func @again(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.exp ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// -----
linalg.does not parse
"""


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    import functions

    return functions


def test_functions_of_a_tree(functions: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "file.mlir").write_text(TREE)
    tree = functions.Tree()
    found = list(functions.functions_of(tmp_path, tree))
    assert [(one.name, one.part, one.unregistered) for one in found] == [
        ("good", 0, False),
        ("helper", 0, False),
        ("others", 2, True),
    ]
    assert "@helper" in found[0].text
    assert (tree.files, tree.parts, tree.unread, tree.dynamic, tree.repeated) == (1, 6, 1, 1, 1)


def test_every_named_op_of_upstream_is_written(functions: ModuleType) -> None:
    import named_ops

    found = list(named_ops.named_op_functions())
    names = {name.split("_s1d1")[0].rsplit("_", 3)[0] for name in (one.name for one in found)}
    assert len(found) > 1000 and len(names) > 90


@pytest.mark.full
def test_what_became_of_them(tmp_path: Path) -> None:
    (tmp_path / "file.mlir").write_text(TREE)
    command = preloaded.python(str(FOLDER / "table.py"), "--tree", f"Mine={tmp_path}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["outcomes"] == {"matches": 2}
    assert (summary["functions"], summary["unregistered"]) == (3, 1)
