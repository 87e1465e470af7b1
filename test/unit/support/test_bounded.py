# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of strangers are read within bounds, quickly, and what is above one is one error."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counted_work import calls

from roller_mlir.support.foreign import bounded
from roller_mlir.support.foreign.bounded import BoundsError, read_bytes, read_json, read_toml

JSON = {
    "a: the number 10000000000000000000 is too large": '{"a": 1' + "0" * 400 + "}",
    "a.b[1]: the number inf is too large": '{"a": {"b": [1, 1e400]}}',
    "NaN is no number of JSON": '{"a": NaN}',
    "-Infinity is no number of JSON": "[-Infinity]",
    "stand there twice, such as 'b'": '{"a": {"b": 1, "b": 2}}',
    "nested too deeply: the limit is 64": "[" * 65 + "]" * 65,
    "nested too deeply": "[" * 100000,
    "has about 1000001 values, which is above the limit of 1000000": "[" + "0," * 999999 + "0]" + "[",
    "not JSON: Expecting value: line 1 column 1": "\x00",
    "not UTF-8 at byte 1": "",
}
TOML = {
    "line 1 has 100000 dots, which is above the limit of 64": "a." * 100000 + "b=1",
    "has 300000 characters, which is above the limit of 262144": "#" * 300000,
    "line 2 has 65 dots, which is above the limit of 64": "a = 1\n" + "a." * 65 + "b = 1",
    "nested too deeply": "a = " + "[" * 100000,
    "not TOML: Cannot overwrite a value": "a = 1\na = 2",
}


def test_json() -> None:
    for message, text in JSON.items():
        with pytest.raises(BoundsError) as caught:
            read_json(text if text else b"{\xff}")
        assert message in str(caught.value)
        assert len(str(caught.value)) < 300
    assert read_json(b'{"a": [1, 2.5, true, null, "x"]}') == {"a": [1, 2.5, True, None, "x"]}


def test_toml() -> None:
    for message, text in TOML.items():
        with pytest.raises(BoundsError) as caught:
            read_toml(text)
        assert message in str(caught.value)
    assert read_toml('a.b = 1\n[c]\nd = "x"') == {"a": {"b": 1}, "c": {"d": "x"}}


@pytest.mark.full
def test_the_dearest_toml_within_the_bounds() -> None:
    line = "a." * (bounded.MOST_TOML_DOTS - 8)
    text = "".join(f"{line}b{number} = 1\n" for number in range(bounded.MOST_TOML_BYTES // (len(line) + 20)))
    assert calls(lambda: read_toml(text)) < 10 * len(text)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    assert read_bytes(path, 10) == b"0123456789"
    with pytest.raises(BoundsError, match="has 10 B, which is above the limit of 9 B"):
        read_bytes(path, 9)
    with pytest.raises(BoundsError, match="has more than 1000 B"):
        read_bytes("/dev/zero", 1000)
    with pytest.raises(OSError, match="Is a directory"):
        read_bytes(tmp_path, 10)
    os.truncate(path, 1 << 40)
    with pytest.raises(BoundsError, match="1099511627776 B"):
        read_bytes(path, 1 << 30)


def test_every_reader_is_bounded(tmp_path: Path) -> None:
    from roller_mlir.compiler.source import read_source
    from roller_mlir.evaluation.measure.kit.files import open_kit
    from roller_mlir.evaluation.measure.report.results_file import read_results
    from roller_mlir.hal.files.loader import load_device
    from roller_mlir.plan.files.by_name import read_plan_file
    from roller_mlir.plan.files.tuning import read_tuning
    from roller_mlir.runtime import Artifact

    folder = tmp_path / "folder"
    folder.mkdir()
    readers: dict[str, tuple[Path, Callable[[Path], Any]]] = {
        "artifact": (folder / "manifest.json", lambda path: Artifact.load(path.parent)),
        "kit": (folder / "index.json", lambda path: open_kit(path.parent)),
        "results": (tmp_path / "results.json", read_results),
        "plans": (tmp_path / "plans.json", read_plan_file),
        "tuning": (tmp_path / "tuning.jsonl", read_tuning),
        "device": (tmp_path / "device.toml", load_device),
        "source": (tmp_path / "source.mlir", lambda path: read_source(path)),
    }
    for name, (path, read) in readers.items():
        path.write_text(" ")
        os.truncate(path, 1 << 40)
        with pytest.raises(Exception, match="limit of|above the limit|more than") as caught:
            read(path)
        assert str(path.name) in str(caught.value) or str(path.parent) in str(caught.value), name
        path.write_text('{"a": ' + "9" * 400 + "}")
        if name not in ("device", "source"):
            with pytest.raises(Exception, match=r"a: the number 9+ is too large") as caught:
                read(path)
            assert len(str(caught.value)) < 400
