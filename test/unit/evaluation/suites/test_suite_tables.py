# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables that are committed say what their sources say, and a wrong table is one located error."""

from collections import Counter
from math import prod
from pathlib import Path

import pytest

from roller_mlir.evaluation.suites import Operator, PublishedTiles, SuiteError, find_suite, read_table, suite_names
from roller_mlir.evaluation.suites.select import points, select, shrink

COUNTS = {"matmul": 7, "conv2d": 44, "depthwise_conv2d": 23, "relu": 28, "avg_pool2d": 13, "reduce_sum": 4}
WINDOWS = ("conv2d", "depthwise_conv2d", "avg_pool2d")


def test_the_suites_are_there() -> None:
    assert suite_names() == ("cnnopt20", "polydl-gemms", "polydl-layers", "roller119", "shapes60")
    assert [len(find_suite(name)) for name in suite_names()] == [20, 8, 201, 119, 60]


def test_roller_has_119_operators_of_108_kernels() -> None:
    operators = find_suite("roller119")
    assert Counter(one.kind for one in operators) == COUNTS
    duplicates = {one.id: one.duplicate_of for one in operators if one.duplicate_of}
    assert len(operators) - len(duplicates) == 108
    assert duplicates["C41"] == "C12" and duplicates["R1"] == "R0" and duplicates["E15"] == "E2"
    by_id = {one.id: one for one in operators}
    for one, first in duplicates.items():
        assert first is not None
        assert by_id[first].duplicate_of is None and by_id[first].kind == by_id[one].kind
        assert points(by_id[one]) == points(by_id[first])


def test_every_roller_operator_has_times_and_tiles() -> None:
    systems = {f"v100_{name}" for name in ("library", "tvm", "ansor", "roller_top1", "roller_top10")}
    systems |= {f"{device}_{name}" for device in ("k80", "mi50") for name in ("library", "roller_top1", "roller_top10")}
    ranks = {"matmul": (2, 1), "conv2d": (2, 1), "depthwise_conv2d": (4, 2), "avg_pool2d": (3, 2), "relu": (1, 0)}
    ranks["reduce_sum"] = (1, 1)
    for one in find_suite("roller119"):
        assert set(one.times) == systems, one.id
        assert set(one.tiles) == {"k80", "mi50"}, one.id
        for device, tiles in one.tiles.items():
            assert (len(tiles.block), len(tiles.step)) == ranks[one.kind], one.id
            assert all(b % t == 0 for b, t in zip(tiles.block, tiles.thread, strict=True)), one.id
            assert one.times[f"{device}_roller_top10"] <= one.times[f"{device}_roller_top1"], one.id


def test_roller_rows_by_hand() -> None:
    operators = {one.id: one for one in find_suite("roller119")}
    assert dict(operators["M1"].sizes) == {"M": 128, "N": 1000, "K": 4032}
    assert operators["M1"].times["v100_roller_top10"] == pytest.approx(0.3248e-3)
    assert operators["M1"].tiles["k80"] == PublishedTiles((64, 64), (8,), (4, 4))
    odd = operators["D15"].sizes  # 42 points, windows of 5, stride 2: SAME pads 3 in all
    assert (odd["H"], odd["KH"], odd["stride"], odd["pad_h"], odd["OH"]) == (42, 5, 2, 3, 21)
    assert operators["R2"].shape == (128, 4032, 11, 11) and operators["R2"].axes == (2, 3)
    assert dict(operators["R2"].sizes) == {"M": 128 * 4032, "K": 121}


@pytest.mark.parametrize("suite", ["roller119", "polydl-layers", "cnnopt20"])
def test_windows_cover_the_padded_input(suite: str) -> None:
    for one in find_suite(suite):
        if one.kind in WINDOWS:
            for axis in "HW":
                s = one.sizes
                left = s[axis] + s[f"pad_{axis.lower()}"] - (s[f"K{axis}"] - 1) * s["dilation"] - 1
                assert 0 <= left - (s[f"O{axis}"] - 1) * s["stride"] < s["stride"], one.id


def test_cnnopt_times() -> None:
    operators = {one.id: one for one in find_suite("cnnopt20")}
    assert operators["R12"].times["v100_cnnopt"] == pytest.approx(73.664e-6)
    assert {one.id for one in operators.values() if not one.times} == {"Y12", "Y18"}


GOOD = "id,class,M,N,K\na,matmul,2,3,4\n"
WRONG = [
    ("", 1, 0, "names no columns"),
    ("id,M,N,K\na,2,3,4\n", 1, 0, "column 'class' is missing"),
    ("id,class,M,N,K,colour\n", 1, 16, "'colour' is no column"),
    ("id,class,M,N,M\n", 1, 14, "'M' is there twice"),
    ("id,class,M,N,K\n", 1, 0, "has no rows"),
    ("# words\n\nid,class,M,N,K\na,matmul,2,3\n", 4, 0, "must have 5 cells, one a column, but has 4"),
    ("id,class,M,N,K\na,matmul,2,,4\n", 2, 0, "'N' is missing; a matmul needs M, N, K"),
    ("id,class,M,N,K\na,matmul,2, x,4\n", 2, 13, "'N' must be an integer, but got 'x'"),
    ("id,class,M,N,K\na,matmul,2,-3,4\n", 2, 12, "'N' must be an integer, but got '-3'"),
    ("id,class,M,N,K\na,matmul,0,3,4\n", 2, 10, "'M' must lie between 1 and"),
    ("id,class,M,N,K\na,matmul,2,3," + "9" * 5000 + "\n", 2, 14, "'K' must lie between 1 and"),
    (GOOD + "a,matmul,5,5,5\n", 3, 1, "'a' is that of line 2; ids must differ"),
    ("id,class,M,N,K\n,matmul,2,3,4\n", 2, 0, "'id' must not be empty"),
    ("id,class,M,N,K\n../a,matmul,2,3,4\n", 2, 1, "'id' must be letters"),
    ("id,class,M,N,K\na,matmull,2,3,4\n", 2, 3, "'class' must be one of matmul, conv2d"),
    ('id,class,M,N,K\na,"matmul",2,3,4\n', 2, 3, "quotes are not supported"),
    ("id,class,shape,M\na,relu,4x4,2\n", 2, 12, "'M' says nothing of a relu"),
    ("id,class,shape\na,relu,4x0\n", 2, 8, "'shape' must lie between 1 and"),
    ("id,class,shape\na,relu,4*4\n", 2, 8, "'shape' must be an integer, but got '4*4'"),
    ("id,class,shape,axes\na,reduce_sum,4x4,2\n", 2, 18, "must be below 2"),
    ("id,class,shape,axes\na,reduce_sum,4x4,1 0\n", 2, 18, "must ascend, but got 1 0"),
    ("id,class,dtype,shape\na,relu,f8,4\n", 2, 8, "'dtype' must be one of f32, f16, bf16"),
    ("id,class,indices,extents\na,generic,ab -> c,a=2 b=3\n", 2, 11, "must have an output of loops of the inputs"),
    ("id,class,indices,extents\na,generic,ab,a=2 b=3\n", 2, 11, "must read inputs -> output as in ab bc -> ac"),
    ("id,class,indices,extents\na,generic,a(2b -> a,a=2 b=3\n", 2, 11, "must have letters and sums in parentheses"),
    ("id,class,indices,extents\na,generic,a(0b) -> a,a=2 b=3\n", 2, 11, "must have sums of loops, factors"),
    ("id,class,indices,extents\na,generic,ab -> a,a=2\n", 2, 19, "must give the extents of a b, but got those of a"),
    ("id,class,indices,extents\na,generic,ab -> a,a=2 b=0\n", 2, 19, "must give each loop once as in a=3 b=17"),
    ("id,class,indices,extents,combiner\na,generic,ab -> a,a=2 b=1,mean\n", 2, 27, "must be one of sum, max, min"),
    ("id,class,shape,v100_x_ms\na,relu,4,fast\n", 2, 10, "must be a time above 0, but got 'fast'"),
    ("id,class,shape,v100_x_ms\na,relu,4,0\n", 2, 10, "must be a time above 0, but got '0'"),
    ("id,class,shape,k80_tile\na,relu,4,128\n", 2, 10, "must read BLOCK/STEP THREAD"),
    ("id,class,shape,k80_tile\na,relu,4,8x8 2\n", 2, 10, "as many block as thread sizes"),
    ("id,class,shape,duplicate_of\na,relu,4,b\n", 2, 10, "must be an id of a row above, but got 'b'"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_a_wrong_table_is_one_located_error(text: str, line: int, column: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "operators.csv"
    path.write_text(text)
    with pytest.raises(SuiteError) as caught:
        read_table(path)
    error = caught.value
    assert message in error.reason
    assert (error.file, error.line, error.column) == (str(path), line, column)
    place = f"{path}:{line}:{column}: " if column else f"{path}:{line}: "
    assert str(error) == place + error.reason and "\n" not in str(error)


WINDOW = "id,class,N,C,H,W,F,KH,KW,stride,padding,pad_h,OH\n"
WRONG_WINDOWS = [
    ("a,conv2d,1,1,4,4,1,5,3,1,,,", 20, "'KH' reaches over 5 points, but padded inputs have 4"),
    ("a,conv2d,1,1,4,4,1,3,3,1,,,3", 28, "'OH' must be 2, which follows from the input, but got 3"),
    ("a,conv2d,1,1,4,4,1,3,3,1,SAME,1,", 31, "'pad_h' must be 2 in all for SAME padding, but got 1"),
    ("a,conv2d,1,1,4,4,1,3,3,1,VALID,1,", 32, "'pad_h' must be 0 in all for VALID padding, but got 1"),
    ("a,conv2d,1,1,4,4,1,3,3,1,FULL,,", 26, "'padding' must be SAME or VALID, but got 'FULL'"),
    ("a,depthwise_conv2d,1,2,4,4,3,3,3,1,,,", 28, "'F' must be C (2) of a depthwise convolution, but got 3"),
]


@pytest.mark.parametrize(("row", "column", "message"), WRONG_WINDOWS, ids=[message for *_, message in WRONG_WINDOWS])
def test_a_wrong_window_is_one_located_error(row: str, column: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "operators.csv"
    path.write_text(f"{WINDOW}{row}\n")
    with pytest.raises(SuiteError) as caught:
        read_table(path)
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == (2, column)


def test_a_table_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="cannot be read: no such file"):
        read_table(tmp_path / "operators.csv")
    (tmp_path / "operators.csv").write_bytes(b"id,class\n\xff")
    with pytest.raises(SuiteError, match="is not UTF-8 at byte 9"):
        read_table(tmp_path / "operators.csv")


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    """Comments, blanks, Windows line ends, a byte order mark, and what is left out."""
    path = tmp_path / "operators.csv"
    path.write_bytes(
        b"\xef\xbb\xbf# mine\r\nid, class,N,C,H,W,F,KH,KW,stride,padding\r\n\r\nx, conv2d,1,2,7,8,3,3,2,2,SAME\r\n"
    )
    (one,) = read_table(path)
    assert (one.id, one.kind, one.dtype, one.place) == ("x", "conv2d", "f32", (str(path), 4))
    assert [one.sizes[n] for n in ("pad_h", "pad_w", "OH", "OW", "dilation")] == [2, 0, 4, 4, 1]


def test_unknown_suites(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="did you mean 'roller119'"):
        find_suite("roller11")
    with pytest.raises(SuiteError, match="is no folder"):
        find_suite(str(tmp_path / "missing"))
    with pytest.raises(SuiteError, match="holds no operators.csv"):
        find_suite(str(tmp_path))


def test_an_installation_without_tables_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roller_mlir.evaluation.suites.tables.find._SUITES", tmp_path)
    assert suite_names() == ()
    with pytest.raises(SuiteError, match="unknown suite 'roller119': this installation has none"):
        find_suite("roller119")


def test_selecting() -> None:
    operators = find_suite("roller119")
    assert [one.id for one in select(operators, ["R?", "M0"])] == ["M0", "R0", "R1", "R2", "R3"]
    assert len(select(operators, ["relu"])) == 28 and select(operators, []) == operators
    assert len(select(find_suite("polydl-gemms"), ["GNMT"])) == 3
    with pytest.raises(SuiteError, match="no operator is 'X9'"):
        select(operators, ["M0", "X9"])


@pytest.mark.parametrize("suite", ["roller119", "cnnopt20"])
def test_shrinking_keeps_windows(suite: str) -> None:
    for one in find_suite(suite):
        small = shrink(one, 5000)
        assert 0 < (points(small) or 0) <= 5000
        kept = {n: v for n, v in one.sizes.items() if n in ("KH", "KW", "stride", "dilation", "pad_h", "pad_w")}
        assert kept.items() <= small.sizes.items()
        assert not small.times and not small.tiles
        assert len(small.shape) == len(one.shape) and prod(small.shape or (1,)) <= 5000


def test_what_cannot_be_shrunk() -> None:
    names = ("N", "C", "H", "W", "KH", "KW", "stride", "dilation", "pad_h", "pad_w", "OH", "OW")
    window = Operator("a", "avg_pool2d", "f32", dict(zip(names, (1, 1, 3, 3, 3, 3, 1, 1, 0, 0, 1, 1), strict=True)))
    with pytest.raises(SuiteError, match="'a' cannot have fewer than 9 points"):
        shrink(window, 8)
    with pytest.raises(SuiteError, match="is a file of its own"):
        shrink(Operator("b", "file", "f32", file="b.mlir"), 8)
    with pytest.raises(SuiteError, match="is of the class generic and is not shrunk"):
        shrink(Operator("c", "generic", "f32", {"a": 9}, indices="a -> a"), 8)
