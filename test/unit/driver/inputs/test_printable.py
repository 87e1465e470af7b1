# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of strangers reach no terminal with the control characters that they hold; JSON is not changed."""

import json
import re
from pathlib import Path

import pytest

from roller_mlir.hal import find_device, template
from roller_mlir.support.foreign.printable import printable
from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.console.output import print_line, print_tables
from roller_mlir.tools.roller import main

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e[/bold]\r"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
MATMUL = """func.func @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> { return %a : tensor<8x8xf32> }"""


def test_output(capsys: pytest.CaptureFixture[str]) -> None:
    print_line(f"a{EVIL}")
    print_tables([(f"t{EVIL}", (f"h{EVIL}",), [(f"c{EVIL}",)])])
    print_error(f"e{EVIL}")
    out, err = capsys.readouterr()
    assert not CONTROL.search(out + err)
    assert out.startswith(r"a\x1b]0;owned\x07\x1b[2J\u202e[/bold]\r")
    for letter in "thc":  # rich drops some of them itself
        assert letter + r"\x1b]0;owned\x1b[2" in out
    assert err == "e" + r"\x1b]0;owned\x07\x1b[2J\u202e[/bold]\r" + "\n"


def test_lines_and_tabs_and_other_scripts_stay() -> None:
    text = "gr\u00f6\u00dfe\t10 \u00b5s\n\u5f35\u91cf"
    assert printable(text) == text


@pytest.mark.parametrize("what", ["a file", "a device", "a function", "a missing file"])
def test_names_in_errors(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"x{EVIL.replace('/', '')}.mlir"
    if what == "a file":
        path.write_text("nonsense")
    elif what == "a function":
        path.write_text(MATMUL.replace("@f", r'@"\1B[2Jevil"').replace("return", "nonsense.op\nreturn"))
    target = "h200"
    if what == "a device":
        path.write_text(MATMUL)
        target = str(tmp_path / "d.toml")
        Path(target).write_text('name = "\\u001b[2Jx"\nvendor = "\\u001b[31m"\n')
    assert main(["compile", str(path), "--target", target, "-o", str(tmp_path / "out")]) in (1, 2)
    out, err = capsys.readouterr()
    assert err and not CONTROL.search(out + err)


def test_devices_with_names_of_strangers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d.toml"
    text = re.sub(r"(?m)^#? ?name = .*$", 'name = "\\\\u001b[2Jx"', template(find_device("h200")), count=1)
    path.write_text(text)
    main(["devices", str(path)])
    out, err = capsys.readouterr()
    assert not CONTROL.search(out + err)
    assert out or err


def test_json_is_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    from roller_mlir.tools.console.output import print_json

    print_json({"name": EVIL})
    assert json.loads(capsys.readouterr().out) == {"name": EVIL}
