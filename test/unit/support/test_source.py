# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and outputs that must not hurt."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.source import (
    MAX_NESTING,
    FileError,
    check_nesting,
    decode_source,
    read_source,
    write_output,
)


@given(st.binary(max_size=200))
def test_random_bytes_are_decoded_or_refused(content: bytes) -> None:
    try:
        source = decode_source(content, "f")
    except DiagnosedError:
        return
    assert source.bytecode == content or source.text.encode() == content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ab\ncd\xff", "f:2:3: error: not MLIR: this byte is not UTF-8 text"),
        (b"module {\0}", "f:1:9: error: not MLIR: the text holds a zero byte"),
        (b"(" * 200_000, f"f:1:{MAX_NESTING + 1}: error: nested too deeply: more than {MAX_NESTING} brackets are open"),
    ],
)
def test_refusals_are_located(content: bytes, message: str) -> None:
    with pytest.raises(DiagnosedError) as caught:
        decode_source(content, "f")
    assert str(caught.value).startswith(message)


def test_bytecode_is_passed_on() -> None:
    assert decode_source(b"ML\xefR\0\xff", "f").bytecode == b"ML\xefR\0\xff"


def test_nesting_counts_brackets_of_the_code_only() -> None:
    many = "(" * (MAX_NESTING * 2)
    check_nesting(f'"{many}" // {many}\n' + "() -> ()\n" * (MAX_NESTING * 2))
    check_nesting("(" * MAX_NESTING + ")" * MAX_NESTING)
    with pytest.raises(DiagnosedError):
        check_nesting("([{<" * MAX_NESTING)


@pytest.mark.parametrize(
    ("path", "reason"), [("missing.mlir", "No such file or directory"), (".", "Is a directory"), ("a\0b", "null")]
)
def test_unreadable_input(path: str, reason: str) -> None:
    with pytest.raises(FileError, match=reason):
        read_source(path)


def test_output_is_whole_or_absent(tmp_path: Path) -> None:
    target = tmp_path / "out.mlir"
    write_output(str(target), b"one")
    write_output(str(target), b"two")
    assert target.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["out.mlir"]


def test_output_keeps_the_usual_permissions(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        write_output(str(tmp_path / "out"), b"x")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/dev/full", "No space left on device"), ("missing/x", "No such file or directory"), (".", "Is a directory")],
)
def test_unwritable_output(path: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=reason):
        write_output(path if path.startswith("/") else str(tmp_path / path), b"x")
    assert os.listdir(tmp_path) == []


def test_no_half_written_output_when_space_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(FileError, match="No space left on device"):
        write_output(str(tmp_path / "out"), b"xyz")
    assert os.listdir(tmp_path) == []


def test_a_device_is_written_in_place() -> None:
    write_output("/dev/null", b"x")
    assert not Path("/dev/null").is_file()
