# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bad input: one located or named error each, exit code 1 or 2, no traceback, nothing half-written."""

import random
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import preloaded
import pytest

import roller_mlir
from roller_mlir.compiler import bytecode
from roller_mlir.runtime import ArtifactError, store
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main


@pytest.fixture(autouse=True)
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytecode is read in a fork, which ends as a process of its own would."""
    monkeypatch.setattr(bytecode, "subprocess", preloaded.stand_in(bytecode))


def matmul(
    a: str = "64x32xf32", b: str = "32x64xf32", c: str = "64x64xf32", zero: str = "0.0", kind: str = "f32"
) -> str:
    return f"""func.func @matmul(%a: tensor<{a}>, %b: tensor<{b}>) -> tensor<{c}> {{
  %zero = arith.constant {zero} : {kind}
  %e = tensor.empty() : tensor<{c}>
  %i = linalg.fill ins(%zero : {kind}) outs(%e : tensor<{c}>) -> tensor<{c}>
  %r = linalg.matmul ins(%a, %b : tensor<{a}>, tensor<{b}>) outs(%i : tensor<{c}>) -> tensor<{c}>
  return %r : tensor<{c}>
}}
"""


def identity(kind: str) -> str:
    return f"func.func @f(%a: {kind}) -> {kind} {{\n  return %a : {kind}\n}}\n"


TEXTS: dict[str, tuple[str | bytes, str]] = {
    "syntax error": ("func.func @f(%a: tensor<4xf32> {\n", ":1:33: error: "),
    "zero bytes": (b"", "' is empty; it must hold a function"),
    "only a comment": ("// nothing\n", "error: the module has no function to compile"),
    "white space": (" \n\t\n", "' is empty; it must hold a function"),
    "random bytes": (random.Random(1).randbytes(4096), "' is not UTF-8 at byte"),
    "NUL": ("module {\0}\n", "' holds NUL at byte 8"),
    "false bytecode": (b"ML\xefR" + random.Random(2).randbytes(512), "' is no MLIR bytecode that can be read: "),
    "deep regions": ("module {" * 5000 + "}" * 5000, ":1:1608: error: brackets are nested more than 200 deep"),
    "deep types": (identity("tuple<" * 9999 + ">" * 9999), "error: brackets are nested more than 200 deep"),
    "empty module": ("module {}\n", ":1:1: error: the module has no function to compile"),
    "declaration only": ("func.func private @f(tensor<4xf32>)\n", "error: the module has no function to compile"),
    "private functions": (
        identity("tensor<4xf32>").replace("@f", "private @f") + identity("tensor<4xf32>").replace("@f", "private @g"),
        ":4:1: error: the module has no public function; name the one to compile with --entry",
    ),
    "two functions": (
        identity("tensor<4xf32>") + identity("tensor<4xf32>").replace("@f", "@g"),
        ":4:1: error: the module has 2 public functions ('f', 'g'); name the one to compile with --entry",
    ),
    "no result": (
        "func.func @f(%a: tensor<4xf32>) {\n  return\n}\n",
        ":1:1: error: function 'f' returns nothing; it must return at least 1 tensor",
    ),
    "control flow": (
        "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  cf.br ^b\n^b:\n  return %a : tensor<4xf32>\n}\n",
        "'f' has 2 blocks; control flow cannot be compiled, write straight-line code",
    ),
    "scalar argument": (
        identity("i4"),
        ":1:14: error: argument 0 of 'f' has type i4; supported are ranked tensors, and scalars of f32, f16, bf16,",
    ),
    "buffer argument": (identity("memref<4xf32>"), "argument 0 of 'f' is a buffer (memref<4xf32>)"),
    "unranked tensor": (identity("tensor<*xf32>"), "tensor<*xf32>; ranked tensors can be compiled: give it a rank"),
    "dynamic shape": (
        identity("tensor<?x4xf32>"),
        ":1:14: error: argument 0 of 'f' has type tensor<?x4xf32>; shapes must",
    ),
    "dimension of 0": (
        identity("tensor<4x0xf32>"),
        "has type tensor<4x0xf32>, a dimension of 0; dimensions must be at least 1",
    ),
    "encoding": (identity('tensor<4xf32, "sparse">'), "tensors with an encoding are not supported"),
    "unknown element type": (identity("tensor<4xf8E4M3FN>"), "has element type f8E4M3FN; supported: f32"),
    "complex element type": (identity("tensor<4xcomplex<f32>>"), "has element type complex<f32>"),
    "unsupported element type": (
        matmul("8x8xi4", "8x8xi4", "8x8xi4", zero="0", kind="i4"),
        "has element type i4; supported: f32, f16, bf16, f64, i8, i16, i32, i64, i1",
    ),
    "unsupported op": (
        "func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {\n"
        "  %r = math.ipowi %a, %a : tensor<4xi32>\n"
        "  return %r : tensor<4xi32>\n}\n",
        ":2:8: error: ",
    ),
    "unknown dialect": ('func.func @f() { "a.b"() : () -> () return }\n', "error: "),
}


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", TEXTS)
def test_bad_text(name: str, tmp_path: Path, capsys: Any) -> None:
    content, message = TEXTS[name]
    (tmp_path / "bad.mlir").write_bytes(content if isinstance(content, bytes) else content.encode())
    for arguments in (["compile", "-o", str(tmp_path / "out")], ["run", "--random", "--check"]):
        assert main([arguments[0], str(tmp_path / "bad.mlir"), *arguments[1:]]) == 1
        said = capsys.readouterr()
        assert message in said.err
        assert said.err.count("error: ") == 1, said.err
        assert "Traceback" not in said.err
        assert not said.out
    assert [entry.name for entry in tmp_path.iterdir()] == ["bad.mlir"]


def test_bad_text_through_the_api(tmp_path: Path) -> None:
    for content, message in (
        ("{", "error: "),
        ("module {}\n", "has no function to compile"),
        (b"", "the source is empty"),
    ):
        with pytest.raises(DiagnosedError, match=message):
            roller_mlir.compile(content)
    with pytest.raises(DiagnosedError, match=r"missing\.mlir' cannot be read: no such file or directory"):
        roller_mlir.compile(tmp_path / "missing.mlir")
    with pytest.raises(ValueError, match="options are given once"):
        roller_mlir.compile(matmul(), options=roller_mlir.CompileOptions(), stages=1)
    with pytest.raises(ValueError, match="tile_sizes must be at least 1 each, but got 0"):
        roller_mlir.compile(matmul(), tile_sizes=(0,))
    with pytest.raises(ValueError, match="stages must be one of 0, 1, .*, 8, but got"):
        roller_mlir.compile(matmul(), stages=9)


def test_a_module_and_bytecode_are_taken_too(tmp_path: Path) -> None:
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(matmul())
        with open(tmp_path / "matmul.mlirbc", "wb") as stream:
            module.operation.write_bytecode(stream)
        made = roller_mlir.compile(module, binaries=False)
    again = roller_mlir.compile(tmp_path / "matmul.mlirbc", binaries=False)
    assert made.manifest.launches == again.manifest.launches


@pytest.mark.full
def test_damaged_bytecode_never_crashes_us(tmp_path: Path) -> None:
    with make_context(), ir.Location.unknown(), open(tmp_path / "matmul.mlirbc", "wb") as stream:
        ir.Module.parse(matmul()).operation.write_bytecode(stream)
    data = (tmp_path / "matmul.mlirbc").read_bytes()
    for seed in range(3):
        damaged = bytearray(data)
        for _ in range(40):
            damaged[random.Random(seed).randrange(10, len(data))] ^= 0x55
        with pytest.raises(DiagnosedError, match="is no MLIR bytecode that can be read"):
            roller_mlir.compile(bytes(damaged[: len(data) // 2]))


@pytest.mark.parametrize(
    ("file", "message"),
    [("missing.mlir", "no such file or directory"), ("", "it is a directory"), ("n" * 300, "file name too long")],
)
def test_files_that_cannot_be_read(file: str, message: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["compile", str(tmp_path / file), "-o", str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err.lower()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tile-sizes", "256,256,128"], "needs 524288 B of workgroup memory, 'h200' has 232448 B; lower tile-sizes"),
        (["--tile-sizes", "64,64"], "tile-sizes=64,64 has 2 size(s)"),
        (["--tile-sizes", "64,64,8", "--thread-tile", "3,4,1"], "3 points on loop 0, which must divide the 64"),
        (["--tile-sizes", "128,128,8", "--thread-tile", "1,1,1"], "threads per block, 'h200' has 1024"),
        (["--entry", "nothing"], "the module has no function 'nothing'; it has 'matmul'"),
    ],
)
def test_forced_plans_that_cannot_be(arguments: list[str], message: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "matmul.mlir").write_text(matmul("256x256xf32", "256x256xf32", "256x256xf32"))
    assert main(["compile", str(tmp_path / "matmul.mlir"), "-o", str(tmp_path / "out"), *arguments]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert f"{tmp_path / 'matmul.mlir'}:" in said
    assert [entry.name for entry in tmp_path.iterdir()] == ["matmul.mlir"]


def test_workgroup_memory_too_small_for_any_tile(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "matmul.mlir").write_text(matmul("256x256xf32", "256x256xf32", "256x256xf32"))
    lines: list[str] = []
    for line in resources.files("roller_mlir.hal").joinpath("devices/h200.toml").read_text().splitlines():
        key = line.split("=")[0].strip()
        if key in ("max_workgroup_bytes_per_block", "static_workgroup_bytes"):
            line = f"{key} = 64"
        elif line == 'name = "h200"':
            line = 'name = "tiny"'
        lines.append(line)
    (tmp_path / "tiny.toml").write_text("\n".join(lines))
    assert main(["compile", str(tmp_path / "matmul.mlir"), "--target", str(tmp_path / "tiny.toml")]) == 1
    said = capsys.readouterr().err
    assert "matmul.mlir:5:8: error: 'linalg.matmul' no aligned tile" in said
    assert "'tiny' has 64 B" in said
    (tmp_path / "broken.toml").write_text("name = ")
    assert main(["compile", str(tmp_path / "matmul.mlir"), "--target", str(tmp_path / "broken.toml")]) == 2
    assert main(["compile", str(tmp_path / "matmul.mlir"), "--target", str(tmp_path / "missing.toml")]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("output", ["missing/out", "matmul.mlir/out", "matmul.mlir", "/proc/out", "/dev/null"])
def test_outputs_that_cannot_be_written(output: str, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    (tmp_path / "matmul.mlir").write_text(matmul())
    monkeypatch.chdir(tmp_path)
    assert main(["compile", "matmul.mlir", "-o", output]) == 1
    said = capsys.readouterr().err
    assert f"roller: error: cannot write artifact '{output}'" in said
    assert [entry.name for entry in tmp_path.iterdir()] == ["matmul.mlir"]
    assert (tmp_path / "matmul.mlir").read_text() == matmul()


def test_no_space(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    (tmp_path / "matmul.mlir").write_text(matmul())

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(store, "_write_file", full)
    assert main(["compile", str(tmp_path / "matmul.mlir"), "-o", str(tmp_path / "out")]) == 1
    assert "no space left on device; free some and compile again" in capsys.readouterr().err
    assert [entry.name for entry in tmp_path.iterdir()] == ["matmul.mlir"]
    with pytest.raises(ArtifactError, match="no space left"):
        roller_mlir.compile(matmul(), binaries=False).save(tmp_path / "out")


def test_import_is_cheap_and_the_names_are_few() -> None:
    errors = {"ArtifactError", "DeviceError", "DiagnosedError"}
    assert set(roller_mlir.__all__) == {"Artifact", "CompileOptions", "__version__", "compile", "devices", *errors}
    assert dir(roller_mlir) == sorted(roller_mlir.__all__)
    assert {"h200", "mi300x"} <= set(roller_mlir.devices())
    assert all(getattr(roller_mlir, name) is not None for name in roller_mlir.__all__)
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        _ = roller_mlir.frobnicate
    assert "roller_mlir.compiler" in sys.modules


@pytest.mark.parametrize("suffix", ["mlir", "mlirbc"])
def test_places_name_the_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"wrong.{suffix}"
    path.write_text(identity("tensor<?xf32>"))
    with pytest.raises(DiagnosedError) as error:
        roller_mlir.compile(path)
    assert str(error.value).startswith(f"{path}:1:14: error: argument 0 of 'f' has type tensor<?xf32>; shapes must be")
    assert error.value.diagnostics[0].place is not None
    assert error.value.diagnostics[0].place.file == str(path)
    with pytest.raises(DiagnosedError) as error:
        roller_mlir.compile(identity("tensor<?xf32>"))
    assert str(error.value).startswith("-:1:14: error: ")
