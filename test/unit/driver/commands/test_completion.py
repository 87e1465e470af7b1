# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller completion`: scripts of shells that complete commands, flags and their values."""

import shutil
import subprocess

import pytest

from roller_mlir.tools.roller import COMMANDS, main

BASH = shutil.which("bash")


def complete(script: str, *words: str) -> list[str]:
    """Return what bash offers for the last of some words."""
    assert BASH is not None
    line = " ".join(f"'{word}'" for word in ("roller", *words))
    ask = f'{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _roller; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run([BASH, "--norc", "-c", ask], capture_output=True, text=True, check=True, timeout=600)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_bash_completes_commands_flags_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert complete(script, "") == list(COMMANDS)
    assert complete(script, "com") == ["compile", "completion"]
    assert complete(script, "compile", "--code-o") == ["--code-object"]
    assert complete(script, "compile", "--code-object", "") == ["5", "6"]
    assert complete(script, "run", "--sani") == ["--sanitize"]
    assert complete(script, "run", "--color", "n") == ["never"]


def test_other_shells(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("autoload -U +X compinit")
    assert main(["completion", "fish"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "complete -c roller -f -n __fish_use_subcommand -a run -d 'run an artifact or a .mlir file, " in "\n".join(
        lines
    )
    flag = next(line for line in lines if "seen_subcommand_from compile" in line and "-l code-object" in line)
    assert "-x -a '5 6'" in flag
    assert all(line.count("'") % 2 == 0 for line in lines)
