# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/fingerprint: what is emitted equals itself, a planted difference is found, and names do not count."""

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "bench" / "fingerprint"
HEADER = "# function device kernel plan launch code\n"
PTX = """.version 8.0
.extern .shared .align 1024 .b8 __dynamic_shmem__0[];
.visible .entry matmul_0(
	.param .u64 .ptr .align 16 matmul_0_param_0, // the first
	.param .align 64 .b8 matmul_0_param_1[128]
)
{
	.reg .b32 	%r<9>;
	.shared .align 128 .b8 __wg_matmul_0_0[16896];
$L__BB0_1:
	.loc	1 7 0
	ld.param.b64 	%rd1, [matmul_0_param_0];
	mov.b32 	%r5, __wg_matmul_0_0;
	call.uni vprintf;
	@%p1 bra 	$L__BB0_1;
}
"""
PTX_KEPT = """.version 8.0
.extern .shared .align 1024 .b8 @0[];
.visible .entry @1(
.param .u64 .ptr .align 16 @2,
.param .align 64 .b8 @3[128]
)
{
.reg .b32 %r<9>;
.shared .align 128 .b8 @4[16896];
@5:
ld.param.b64 %rd1, [@2];
mov.b32 %r5, @4;
call.uni vprintf;
@%p1 bra @5;
}
"""
GCN = """	.globl	generic_0
	.file	"some.c"
generic_0:
	s_load_dwordx4 s[4:7], s[0:1], 0x0 ; loads
.LBB0_2:
	s_cbranch_scc1 .LBB0_2
.Lfunc_end0:
	.size	generic_0, .Lfunc_end0-generic_0
	.set generic_0.num_vgpr, 27
    .args:
    .symbol:         generic_0.kd
"""
GCN_KEPT = """.globl @0
@0:
s_load_dwordx4 s[4:7], s[0:1], 0x0
@1:
s_cbranch_scc1 @1
@2:
.size @0, @2-@0
.set @0.num_vgpr, 27
.args:
.symbol: @0.kd
"""


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("PYTHONPATH", "ROLLER_CACHE"):  # what a run sets
        monkeypatch.setenv(name, os.environ.get(name, ""))


@pytest.fixture
def normalised() -> Callable[[str, str], str]:
    import kernel_texts

    return kernel_texts.normalised


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    import fingerprint

    def call(*arguments: object) -> int:
        monkeypatch.setattr(sys, "argv", ["fingerprint.py", *map(str, arguments)])
        try:
            return fingerprint.main()
        except SystemExit as ended:
            if isinstance(ended.code, str):
                print(ended.code, file=sys.stderr)
            return ended.code if isinstance(ended.code, int) else 1

    return call


@pytest.mark.parametrize(("text", "comment", "kept"), [(PTX, "//", PTX_KEPT), (GCN, ";", GCN_KEPT)])
def test_names_comments_and_places_do_not_count(
    normalised: Callable[[str, str], str], text: str, comment: str, kept: str
) -> None:
    assert normalised(text, comment) == kept
    renamed = text.replace("matmul_0", "product_12").replace("generic_0", "softmax_3").replace("BB0_", "BB7_")
    assert renamed != text and normalised(renamed, comment) == kept


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("1024", "512"), ("%r5", "%r6"), ("[16896]", "[16384]"), ("mov.b32", "mov.b64"), ("vprintf", "vprintg")),
        *(("[matmul_0_param_0]", "[matmul_0_param_1]"), ("\t@%p1 bra \t$L__BB0_1;\n", ""), ("8.0", "8.1")),
    ],
)
def test_what_a_kernel_does_counts(normalised: Callable[[str, str], str], old: str, new: str) -> None:
    assert old in PTX and normalised(PTX.replace(old, new), "//") != PTX_KEPT


@pytest.mark.full
def test_a_fingerprint_is_of_what_is_emitted(run: Callable[..., int], tmp_path: Path) -> None:
    from kernel_texts import Job, kernel_texts

    output, texts = tmp_path / "output", tmp_path / "texts"
    targets = ("h200", "mi300x")
    assert run("make", "-o", output, "--only", "*/ma*mul*_f16", "--target", ",".join(targets), "--texts", texts) == 0
    lines = [line.split() for line in output.read_text().splitlines()[1:]]
    assert [line[:3] for line in lines] == [["examples/matmul_f16", target, "0"] for target in targets]
    text = (FOLDER.parents[1] / "examples" / "matmul_f16.mlir").read_text()
    for target, line in zip(targets, lines, strict=True):
        (again,) = kernel_texts(Job(text.replace("@dense", "@renamed"), target)).kernels
        assert line[3:] == [hashlib.sha256(one.encode()).hexdigest()[:16] for one in again.values()]
        kept = [(texts / "examples/matmul_f16" / target / f"0.{column}").read_text() for column in again]
        assert kept == list(again.values())
        assert ("wgmma" if target == "h200" else "v_mfma") in again["code"]
        assert "grid" in again["launch"] and '"instruction"' in again["plan"]
    assert run("compare", output, output) == 0


def test_a_run_goes_on_where_a_function_fails(
    run: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fingerprint

    class Pool:
        def run(self, jobs: list[tuple[Any, Any]]) -> Any:
            problems = iter(problem)
            return ((key, fingerprint.lost(next(problems), "for\na reason")) for key, _ in jobs)

    monkeypatch.setattr(
        fingerprint, "JobPool", {(fingerprint.Job, fingerprint.Answer): lambda *_: contextlib.nullcontext(Pool())}
    )
    arguments = ("make", "-o", tmp_path / "output", "--only", "roller119/M0/*", "--target", "v100")
    for problem, code in ((("refused", "refused"), 0), (("hang", "refused"), 1)):
        assert run(*arguments) == code
        lines = [
            f"roller119/M0/f{bits} v100 - {how}: for a reason" for bits, how in zip((32, 16), problem, strict=True)
        ]
        assert (tmp_path / "output").read_text().splitlines()[1:] == sorted(lines)


def test_what_is_refused_and_what_cannot_be_meant(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from kernel_texts import Job, kernel_texts

    answer = kernel_texts(Job("func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }", "h200"))
    assert answer.problem.startswith("refused: ") and "\n" not in answer.problem
    for arguments, message in (
        (("--only", "nothing"), "no function is 'nothing'"),
        (("--texts", tmp_path), "is there already; name a new folder"),
        (("--target", "h2000"), "h2000"),
    ):
        assert run("make", "-o", tmp_path / "output", *arguments) in (1, 2)
        assert message in capsys.readouterr().err
    assert not (tmp_path / "output").exists()


def test_what_differs_and_what_is_missing_is_said(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(f"{HEADER}M0 h200 0 a b c\nM0 h200 1 a b c\nM0 v100 - refused: too large\nM1 h200 0 a b c\n")
    second.write_text(f"{HEADER}M0 h200 0 a b d\nM0 h200 1 e b c\nM0 v100 - refused: too small\nM2 h200 0 a b c\n")
    assert run("compare", first, second) == 1
    assert capsys.readouterr().out.splitlines() == [
        "M0 h200 0: code",
        "M0 h200 1: plan",
        "M0 v100 -: refused: too large | refused: too small",
        f"M1 h200 0: only in {first}",
        f"M2 h200 0: only in {second}",
        "4 and 4 lines, 5 differ",
    ]
    assert run("compare", first, second, "--columns", "launch,code") == 1
    assert "M0 h200 1" not in capsys.readouterr().out
    second.write_text("other\n")
    assert run("compare", first, second) == 1
    assert f"error: {second} is no fingerprint" in capsys.readouterr().err
