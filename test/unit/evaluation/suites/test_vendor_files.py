# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of published times: small ones of the same form are read, and what is wrong with one is said where it is."""

import gzip
from pathlib import Path

import pytest

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.vendor_times.deepbench import column_major_product
from roller_mlir.evaluation.suites.vendor_times.files import read_folder
from roller_mlir.evaluation.suites.vendor_times.measurement import MeasuredFile
from roller_mlir.evaluation.suites.vendor_times.programs import Convolution, product
from roller_mlir.evaluation.suites.vendor_times.row_programs import layer_norm, pointwise, softmax, total
from roller_mlir.hal import find_device
from roller_mlir.model.machine import machine_of

GEMM = "type,m,n,k,a_transposed,b_transposed,measured_ms\n"
CONV = "type,shape,measured_ms\n"
LOGIC = "type_layout,m,n,k,ms,efficiency,macro_tile0,macro_tile1,depth_u,threads,split_u,mfma_m,mfma_n\n"
XGEMM = "MWG,NWG,KWG,MDIMC,NDIMC,MDIMA,NDIMB,KWI,VWM,VWN,STRM,STRN,SA,SB,PRECISION,time_ms\n"
TILE = "64,128,32,16,8,16,32,2,4,4,0,0,1,1,32"
PUBLISHED = "device,problem,measured_us,predicted_us_2026_11,ratio,source\n"
RS = "K,H,W,C,R,TK,TH,TW,BK,BH,BW,CMult,Time\n128,28,28,128,3,2,4,7,32,1,2,4,0.5\n"
RS_FILE = "rs_128x28x28_128_3.csv"


def read(folder: Path, name: str, text: str) -> MeasuredFile:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    files, others = read_folder(folder)
    assert not others
    (file,) = files
    assert file.path == path
    return file


def test_products_of_deepbench(tmp_path: Path) -> None:
    file = read(tmp_path, "deepbench_v100_gemm.csv", GEMM + "f32,1760,32,1761,N,N,0.041\n\nf16,512,48,2816,T,N,0.02\n")
    first, second = file.measurements
    assert (file.source, file.failed, file.unread) == ("cuBLAS", 0, ())
    assert (first.device, first.kind, first.problem) == ("v100", "matmul f32 NN", "1760x32x1761")
    assert (first.seconds, first.line, first.work) == (pytest.approx(41e-6), 2, None)
    assert (second.kind, second.line) == ("matmul f16 TN", 4)
    assert first.text == product(32, 1760, 1761, "f32", "f32")
    assert second.text == product(48, 512, 2816, "f16", "f16", turned=(False, True))


def test_convolutions_of_deepbench(tmp_path: Path) -> None:
    file = read(tmp_path, "deepbench_v100_conv.csv", CONV + "f16,4 1 161 700 32 5 20 0 1 2 3,0.078\n")
    (one,) = file.measurements
    assert (one.kind, one.problem) == ("conv2d f16", "4x1x161x700 > 32, 5x20/2x3")
    assert one.text == Convolution(4, 1, 161, 700, 32, 5, 20, 0, 1, 2, 3).text("f16", "f16")


def test_logic_of_rocblas(tmp_path: Path) -> None:
    """An efficiency above 100 % is no kernel's; complex numbers are none of ours."""
    rows = ["HHS_TN,512,1930,1024,0.5,97.7", "BSS_NT,8,8,8,0.1,12", "SB_NN,64,64,64,0.1,100.5", "ZB_NN,8,8,8,1,9"]
    text = LOGIC + "".join(f"{row},128,144,16,256,1,16,16\n" for row in rows)
    file = read(tmp_path, "rocblas_mi300x.csv", text)
    first, second = file.measurements
    assert (file.source, file.failed, file.unread) == ("rocBLAS", 1, ((5, "ZB_NN"),))
    assert (first.device, first.kind, first.problem) == ("mi300x", "matmul f16 TN", "512x1930x1024")
    assert first.text == column_major_product(512, 1930, 1024, "TN", "f16", "f16")
    assert second.kind == "matmul bf16 to f32 NT"
    assert second.text == column_major_product(8, 8, 8, "NT", "bf16", "f32")


def test_tiles_of_xgemm(tmp_path: Path) -> None:
    """What tuners write in place of a time is a failed launch."""
    others = "".join(f"{TILE},{time}\n" for time in ("RuntimeFailedConfig", "1e20", "InvalidConfig"))
    direct = TILE.replace("1,1,32", "0,1,32")
    file = read(tmp_path, "clblast_gemm_2080ti.csv", XGEMM + f"{TILE},12.3\n{others}{direct},11.5\n")
    both, one = file.measurements
    assert (file.source, file.failed) == ("CLBlast", 3)
    assert (both.device, both.kind, one.kind) == ("2080ti", "Xgemm f32, both staged", "Xgemm f32, one staged")
    assert (both.problem, both.flops, both.seconds) == (one.problem, 2 * 4096**3, pytest.approx(12.3e-3))
    assert both.work is not None
    work = both.work(machine_of(find_device("2080ti")))
    assert work is not None and work.tasks == 64 * 32 and work.threads == 128


@pytest.mark.parametrize(
    ("name", "device", "source", "kind"),
    [
        (f"v100/exhaustive/{RS_FILE}", "v100", "CNNOpt, exhaustive", "RS kernel"),
        (f"2080/exhaustive/{RS_FILE.replace('rs_', 'st2_')}", "2080ti", "CNNOpt, exhaustive", "RS kernel, stride 2"),
        ("2080/train_rs.csv.gz", "2080ti", "CNNOpt, training", "RS kernel"),
    ],
)
def test_tiles_of_cnnopt(tmp_path: Path, name: str, device: str, source: str, kind: str) -> None:
    file = read(tmp_path, name, RS + "Error: too many resources requested for launch\n" + RS.splitlines()[1])
    (one,) = file.measurements
    assert (file.source, file.failed) == (source, 1)
    assert (one.device, one.kind, one.line, one.flops) == (device, kind, 2, 2 * 128 * 28 * 28 * 128 * 9)
    assert one.problem == f"128x28x28 128 3x3/{2 if 'stride' in kind else 1}"


@pytest.mark.parametrize(
    ("device", "problem", "found", "kind", "text"),
    [
        ("h100", "bf16 4096^3 cuBLAS", "h100", "matmul bf16 NN", product(4096, 4096, 4096, "bf16", "bf16")),
        ("h100", "f16 8192x64x256 TileLang H800", "h800", "matmul f16 NN", product(8192, 64, 256, "f16", "f16")),
        ("h200", "bf16 64^3 cuBLASLt (H200 NVL)", "h200-nvl", "matmul bf16 NN", product(64, 64, 64, "bf16", "bf16")),
        ("mi300x", "bf16 64^3 hipBLASLt MI325X", "mi325x", "matmul bf16 NN", product(64, 64, 64, "bf16", "bf16")),
        ("2080ti", "f32 64^2 Linear cuBLAS", "2080ti", "matmul f32 NN", product(64, 64, 64, "f32", "f32")),
        ("a100", "layernorm f32 4096x1024 Triton", "a100-80", "layernorm f32", layer_norm(4096, 1024, "f32")),
        ("h200", "softmax bf16 64x1024 Helion", "h200", "softmax bf16", softmax(64, 1024, "bf16")),
        ("h100", "relu^2 bf16 64x128 Triton", "h100", "relu^2 bf16", pointwise("squared relu", (64, 128), "bf16")),
        ("h100", '"sum of 2^30 i32/f32, fast.cu"', "h100", "sum f32", total(1 << 30, "f32")),
        ("v100", "read 2^28 (0.87 TB/s roofline)", "v100", "sum f32", total(1 << 28, "f32")),
        ("h200", "vec add bf16 537 M Helion", "h200", "add bf16", pointwise("add", (1 << 29,), "bf16")),
        ("h200", "scale A=B*c (1.73 TB/s)", "h200", "scale f32", pointwise("scale", (1 << 28,), "f32")),
    ],
)
def test_published_measurements(tmp_path: Path, device: str, problem: str, found: str, kind: str, text: str) -> None:
    """A device that the problem names is the one; the elements of a scale follow from its rate."""
    file = read(tmp_path, "published.csv", PUBLISHED + f"{device},{problem},1239.887,1,1,somebody\n")
    (one,) = file.measurements
    assert (one.device, one.kind, one.problem, one.text) == (found, kind, problem.strip('"'), text)
    assert one.seconds == pytest.approx(1.239887e-3) and file.source == "published"


def test_published_words_that_are_not_known_are_kept(tmp_path: Path) -> None:
    text = PUBLISHED + "h100,attention f16 32x2048,10,,,somebody\nh100,f32 64^3,10,,,somebody\n"
    file = read(tmp_path, "published.csv", text)
    assert file.unread == ((2, "attention f16 32x2048"),) and len(file.measurements) == 1


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("rocblas_mi210.csv", "mi210"),
        ("rocblas_RTX_A6000.csv", "rtxa6000"),
        ("rocblas_titan_rtx.csv", "titanrtx"),
        ("rocblas_h200_nvl.csv", "h200-nvl"),
        ("rocblas_3090.csv", "rtx3090"),
    ],
)
def test_names_of_files_say_the_device(tmp_path: Path, name: str, device: str) -> None:
    (one,) = read(tmp_path, name, "type_layout,m,n,k,ms,efficiency\nSB_NN,64,64,64,0.1,50\n").measurements
    assert one.device == device


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("deepbench_v100_gemm.csv", "", ":1: the header must be type,m,n,k,a_transposed,b_transposed,measured_ms"),
        ("deepbench_v100_gemm.csv", GEMM.replace("k,", ""), ":1: the header must be type,m,n,k,"),
        ("deepbench_v100_gemm.csv", GEMM + "f32,1,2,3,N,N\n", ":2: must have 7 cells, but has 6"),
        ("deepbench_v100_gemm.csv", GEMM + "f64,1,2,3,N,N,1\n", ":2:1: 'type' must be one of f32, f16, but got 'f64'"),
        ("deepbench_v100_gemm.csv", GEMM + "f32,0,2,3,N,N,1\n", ":2:5: 'm' must lie between 1 and"),
        ("deepbench_v100_gemm.csv", GEMM + "f32,1,2,3,N,C,1\n", ":2:13: 'b_transposed' must be N or T, but got 'C'"),
        ("deepbench_v100_gemm.csv", GEMM + "f32,1,2,3,N,N,-1\n", ":2:15: 'measured_ms' must be a time above 0"),
        ("deepbench_v100_gemm.csv", GEMM + 'f32,1,"2,3,N,N,1\n', ":2:7: has a quote that does not enclose a cell"),
        ("deepbench_v100_conv.csv", CONV + "f32,4 1 161,1\n", ":2:5: 'shape' must be N C H W K R S pad_h pad_w"),
        ("deepbench_v100_conv.csv", CONV + "f32,4 1 2 2 4 3 3 0 0 1 1,1\n", "a window of 3x3, which does not fit"),
        ("rocblas_mi210.csv", LOGIC + "SB_NX,1,1,1,1,1,,,,,,,\n", ":2:1: 'type_layout' must read TYPES_LAYOUT"),
        ("rocblas_mi210.csv", LOGIC + "SB_NN,1,1,1,1,,,,,,,,\n", ":2: 'efficiency' must be a percentage above 0"),
        ("rocblas_mi999.csv", LOGIC, "must name a device that 'roller devices' lists, but 'mi999' is none"),
        (
            "clblast_gemm_2080ti.csv",
            XGEMM + f"{TILE},soon\n",
            ":2:39: 'time_ms' must be a time above 0, but got 'soon'",
        ),
        ("clblast_gemm_2080ti.csv", XGEMM + f"{TILE[:-2]}16,1\n", ":2: PRECISION must be 32, but got 16"),
        ("clblast_gemm_2080ti.csv", XGEMM + f"48{TILE[2:]},1\n", ":2: MDIMC * VWM = 64 must divide MWG = 48"),
        ("clblast_gemm_2080ti.csv", XGEMM + f"{TILE.replace('1,1,32', '2,1,32')},1\n", ":2: SA must be 0 or 1"),
        ("published.csv", PUBLISHED + "h999,f32 8^3,1,,,\n", ":2:1: 'device' must be a device that 'roller devices'"),
        ("published.csv", PUBLISHED + "h100,f32 0^3,1,,,\n", ":2:6: 'problem' has a size that no problem has"),
        ("published.csv", PUBLISHED + "h100,f32 8^3,fast,,,\n", ":2:14: 'measured_us' must be a time above 0"),
        (f"x/{RS_FILE}", RS, "must name a device that 'roller devices' lists, but no folder above it is one"),
        (f"v100/{RS_FILE}", RS.replace("0.5", "soon"), ":2: Time must be a number above 0, in ms, but got 'soon'"),
        (f"v100/{RS_FILE}", RS.replace(",Time", "").replace(",0.5", ""), "has no column Time"),
    ],
)
def test_malformed_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(SuiteError) as caught:
        read(tmp_path, name, text)
    assert str(caught.value).startswith(str(tmp_path / name)) and message in str(caught.value)


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="none: is no folder"):
        read_folder(tmp_path / "none")
    (tmp_path / "other.csv").write_text("a,b\n")
    with pytest.raises(SuiteError, match="holds no file of measurements whose name is known"):
        read_folder(tmp_path)
    (tmp_path / "published.csv").write_text(PUBLISHED + "h100,f32 8^3,1,,,\n")
    files, others = read_folder(tmp_path)
    assert [one.path.name for one in (*files,)] == ["published.csv"] and [one.name for one in others] == ["other.csv"]
    (tmp_path / "published.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(SuiteError, match="is not UTF-8 at byte 0"):
        read_folder(tmp_path)
