# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said of PyTorch programs that cannot be imported: the file, and the node with its place in the model."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main


def test_without_the_package_torch_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "torch_mlir.extras.fx_importer", raising=False)
    with pytest.raises(
        DiagnosedError, match=r"m\.pt2' is a PyTorch model, which needs .*pip install 'roller-mlir\[torch\]'"
    ):
        roller_mlir.compile(tmp_path / "m.pt2")


def test_sizes_of_dimensions_are_of_onnx_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(tmp_path / "m.pt2"), "--dim", "batch=8"]) == 2
    assert "--dim gives sizes to the named dimensions of an ONNX model" in capsys.readouterr().err


def test_files_that_are_no_programs(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "m.pt2"
    with pytest.raises(DiagnosedError, match=r"^error: '.*m\.pt2' cannot be read: no such file"):
        roller_mlir.compile(path)
    path.write_bytes(b"PK, but not really")
    with pytest.raises(
        DiagnosedError, match=r"^error: '.*m\.pt2' is no program of torch\.export .*: it is damaged, or"
    ):
        roller_mlir.compile(path)
    torch.save({"weight": torch.zeros(3)}, path)
    with pytest.raises(DiagnosedError, match=r"^error: '.*m\.pt2' is no program of torch\.export that can be read: "):
        roller_mlir.compile(path)


def _exported(function: Callable[..., Any], *example: Any, **options: Any) -> Any:
    torch = pytest.importorskip("torch")

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("total", torch.zeros(4))
            self.head = Head()

        def forward(self, *inputs: Any) -> Any:
            return function(self, *inputs)

    class Head(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.special.i0(x)

    return torch.export.export(Model(), example, **options)


def _refused(program: Any) -> str:
    from roller_mlir.importers.torch import import_model

    with pytest.raises(DiagnosedError) as caught:
        roller_mlir.compile(import_model(program, name="m.pt2"), options=CompileOptions(binaries=False))
    return str(caught.value)


@pytest.mark.filterwarnings("ignore")  # torch warns of its own modules
def test_refusals_name_file_and_node() -> None:
    torch = pytest.importorskip("torch")
    x = torch.zeros(4)
    place = rf" at {re.escape(__file__)}:\d+: error: "
    for function, message in (
        (lambda model, x: model.head(x), rf"node 'i0' \(aten\.i0\) of 'head'{place}this operator cannot be brought"),
        (lambda model, x: x.unique_consecutive(), rf"{place}this operator cannot be brought"),
        (lambda model, x: torch.fft.fft(x), rf"node 'fft_fft' \(aten\.fft_fft\){place}this operator cannot be brought"),
        (lambda model, x: torch.rand(4) + x, rf"node 'rand' \(aten\.rand\){place}'ml_program\.global_store' changes"),
        (lambda model, x: torch.view_as_complex(x.view(2, 2)).abs(), rf"{place}the node cannot be brought to linalg: "),
        (
            lambda model, x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)),
            r"node 'cond' \(cond\).*: error: torch-mlir cannot import it: Higher-order operation 'cond'",
        ),
    ):
        said = _refused(_exported(function, x))
        assert said.startswith("m.pt2: ")
        assert re.search(message, said), said


@pytest.mark.filterwarnings("ignore")
def test_refusals_of_shapes_that_data_says() -> None:
    torch = pytest.importorskip("torch")
    counted = _exported(lambda model, x: torch.bincount(x.long(), minlength=4), torch.zeros(4))
    assert re.match(r"m\.pt2: node 'bincount' \(aten\.bincount\).*: error: ", _refused(counted))


@pytest.mark.filterwarnings("ignore")
def test_refusals_of_what_is_no_function_of_static_tensors() -> None:
    torch = pytest.importorskip("torch")
    x = torch.zeros(4)
    assert _refused(_exported(lambda model, x: (x + 1, 3), x)) == (
        "error: 'm.pt2' returns 3; only tensors that it computes are results"
    )
    assert _refused(_exported(lambda model, x: (x + 1, model.total), x)) == (
        "error: 'm.pt2' returns a constant or weight; only tensors that it computes are results"
    )
    empty = torch.export.export(torch.nn.Linear(64, 64, device="meta"), (torch.empty(2, 64, device="meta"),))
    assert _refused(empty) == (
        "error: 'm.pt2' has no data for its weight 'weight', which is of the device 'meta'; load the weights first"
    )
    batch = _exported(lambda model, x: x + 1, x, dynamic_shapes={"inputs": ({0: torch.export.Dim("batch")},)})
    assert "error: dimension 0 is 's" in (said := _refused(batch)) and "shapes are static here" in said


def test_a_module_is_exported_first() -> None:
    torch = pytest.importorskip("torch")
    from roller_mlir.importers.torch import import_model

    with pytest.raises(
        ValueError, match=r"a torch\.export\.ExportedProgram, but got Linear; see torch\.export\.export"
    ):
        import_model(torch.nn.Linear(2, 2))


@pytest.mark.filterwarnings("ignore")
def test_numbers_of_the_signature_are_fixed_and_no_arguments() -> None:
    torch = pytest.importorskip("torch")
    from roller_mlir.importers.torch import import_model

    imported = import_model(_exported(lambda model, x, times, flag: x * times, torch.ones(4), 3, None))
    (found,) = roller_mlir.compile(imported, options=CompileOptions(binaries=False)).run(np.ones(4, np.float32))
    np.testing.assert_array_equal(found, np.full(4, 3, np.float32))


QUANTIZED = """
import sys
import torch
import torch.ao.quantization.fx._decomposed  # what defines the operators

OPS = torch.ops.quantized_decomposed


class Linear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        bits = torch.randint(-128, 128, (32, 64), generator=torch.Generator().manual_seed(0))
        self.register_buffer("bits", bits.to(torch.int8))
        self.register_buffer("scales", 2.0 ** -torch.arange(32).remainder(4))
        self.register_buffer("zeros", torch.zeros(32, dtype=torch.int64))

    def forward(self, x):
        whole = 0.25, 131, 0, 255, torch.uint8
        x = OPS.dequantize_per_tensor(OPS.quantize_per_tensor(x, *whole), *whole)
        weight = OPS.dequantize_per_channel(self.bits, self.scales, self.zeros, 0, -128, 127, torch.int8)
        return torch.nn.functional.linear(x, weight)


x = 0.25 * torch.arange(-300, 724).remainder(301).reshape(16, 64)
torch.export.save(torch.export.export(Linear().eval(), (x,)), sys.argv[1])
torch.save((x, Linear()(x)), sys.argv[2])
"""


def test_quantized_programs_multiply_integers(tmp_path: Path) -> None:
    """A file whose operators torch does not know by itself, read by a process that has not asked for them."""
    torch = pytest.importorskip("torch")
    path, results = tmp_path / "m.pt2", tmp_path / "results.pt"
    subprocess.run([sys.executable, "-W", "ignore", "-c", QUANTIZED, path, results], check=True, capture_output=True)
    text = tmp_path / "m.mlir"
    command = [sys.executable, "-W", "ignore", "-m", "roller_mlir.tools.roller", "import", path, "-o", text]
    subprocess.run(command, check=True, capture_output=True)
    x, expected = torch.load(results)
    artifact = roller_mlir.compile(text, "a100", options=CompileOptions(binaries=False))
    result = artifact.run(x.numpy())
    found = result[0] if isinstance(result, (list, tuple)) else result
    np.testing.assert_array_equal(np.asarray(found), expected.numpy())
    assert "mma" in {one.plan.instruction for one in artifact.kernels if one.plan is not None}
