# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running pipelines of our passes and upstream passes."""

import pytest
from sample_passes import SampleMark, SampleRead

from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import DiagnosedError, SourcePlace, parse_module
from roller_mlir.support.passes.passes import Pass
from roller_mlir.support.passes.pipeline import (
    PassCrashError,
    PipelineError,
    RunOptions,
    expand_pipeline,
    parse_pipeline,
    run_pipeline,
)

SOURCE = """func.func @f(%a: i32) -> i32 {
  %dead = arith.addi %a, %a : i32
  return %a : i32
}
"""


@pytest.fixture
def module() -> "ir.Module":
    return parse_module(SOURCE, make_context())


@pytest.mark.parametrize("text", ["builtin.module({})", "any({})", "{}"])
def test_our_passes_and_upstream_passes_mix(module: "ir.Module", text: str) -> None:
    run_pipeline(module, text.format("sample-mark{label=ab count=2},func.func(cse,canonicalize),sample-read"))
    assert module.operation.attributes["sample.label"].value == "abab"
    assert "arith.addi" not in str(module)


def test_a_named_pipeline_hands_its_options_to_each_pass_that_has_them(module: "ir.Module") -> None:
    pipeline = parse_pipeline("sample-both{label=q count=2}")
    assert pipeline.steps == (SampleMark(label="q", count=2), "canonicalize", SampleRead(label="q"))
    assert str(pipeline) == "builtin.module(sample-mark{label=q count=2},canonicalize,sample-read{label=q})"
    with module.context:
        assert parse_pipeline(str(pipeline)) == pipeline
    assert expand_pipeline("sample-both", {}) == [SampleMark(), "canonicalize", SampleRead()]


def test_steps_may_be_given_as_objects(module: "ir.Module") -> None:
    seen: list[Pass] = []
    options = RunOptions(on_step=lambda step, _: seen.append(step))
    run_pipeline(module, [SampleMark(label="z"), "cse", SampleRead()], options)
    assert seen == [SampleMark(label="z"), SampleRead()]


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("sample-marc", "unknown pass 'sample-marc'; did you mean 'sample-mark'?", "sample-marc"),
        ("cse,canonicalise", "unknown pass 'canonicalise'; did you mean 'canonicalize'?", "canonicalise"),
        ("func.func(cse,qqqq)", "unknown pass 'qqqq'", "qqqq"),
        ("sample-mark{lable=1}", "'sample-mark' has no option 'lable'; did you mean 'label'?", "sample-mark"),
        ("sample-both{lable=1}", "'sample-both' has no option 'lable'; did you mean 'label'?", "sample-both"),
        (
            "sample-both{zz=1}",
            "'sample-both' has no option 'zz'; its options are label, count, scale, loud, sizes, file, mode",
            "sample-both",
        ),
        ("func.func(cse,sample-mark)", "'sample-mark' runs on builtin.module, not on 'func.func'; "
         "move it out of the nest", "sample-mark"),
        ("sample-mark(cse)", "'sample-mark' is a pass and takes no nested pipeline", "sample-mark"),
        ("canonicalize{max=1}", "'canonicalize': no such option max", "canonicalize"),
        (
            "canonicalize{max-iterations=x}",
            "'canonicalize': for the --max-iterations option: 'x' value invalid for long argument!",
            "canonicalize",
        ),
        (
            "sample-read,cse,sample-mark",
            "'sample-read' requires 'marked', which 'sample-mark' establishes only later; "
            "put 'sample-mark' before 'sample-read'",
            "sample-read",
        ),
    ],
)  # fmt: skip
def test_mistakes_in_the_text(text: str, message: str, at: str) -> None:
    with pytest.raises(PipelineError) as caught:
        parse_pipeline(text)
    assert (caught.value.message, caught.value.position) == (message, text.index(at))


def test_a_pass_of_another_op_is_refused_with_its_reason() -> None:
    with pytest.raises(PipelineError, match="restricted to 'gpu.module'"):
        parse_pipeline("convert-gpu-to-nvvm")


def test_what_no_pass_establishes_is_left_to_the_input(module: "ir.Module") -> None:
    run_pipeline(module, "sample-read")
    assert module.operation.attributes["sample.read"].value == "y"


def test_a_failing_pass_is_located_and_keeps_its_notes_and_remarks(module: "ir.Module") -> None:
    with pytest.raises(DiagnosedError) as caught:
        run_pipeline(module, "sample-mark{mode=fail loud}")
    remark, error = caught.value.diagnostics
    assert (remark.severity, remark.message) == ("remark", "loud")
    assert (error.severity, error.message, error.place) == ("error", "no tile fits", SourcePlace("-", 1, 1))
    assert [note.message for note in error.notes] == ["asked for here"]
    assert caught.value.message == "no tile fits"


def test_remarks_come_back_from_a_good_run(module: "ir.Module") -> None:
    assert [d.message for d in run_pipeline(module, "sample-mark{loud}").diagnostics] == ["loud"]


def test_a_module_that_a_pass_of_ours_breaks_is_a_bug_of_that_pass(module: "ir.Module") -> None:
    with pytest.raises(PassCrashError) as caught:
        run_pipeline(module, "cse,sample-mark{mode=break},sample-read")
    assert str(caught.value) == (
        "internal error in pass 'sample-mark' at 'func.func' at -:1:1: BrokenModuleError: "
        "'func.func' op entry block must have 0 arguments to match function signature"
    )
    assert caught.value.pass_name == "sample-mark"
    again = parse_module(SOURCE, module.context)
    run_pipeline(again, "sample-mark{mode=break}", RunOptions(verify_each=False))


def test_what_only_the_pass_can_see_is_its_bug_too(module: "ir.Module") -> None:
    with pytest.raises(PassCrashError) as caught:
        run_pipeline(module, "sample-mark{mode=wrong}")
    assert str(caught.value) == (
        "internal error in pass 'sample-mark' at 'func.func' at -:1:1: BrokenModuleError: it is marked wrong"
    )
    run_pipeline(module, "sample-mark{mode=wrong}", RunOptions(verify_each=False))


def test_an_escaping_exception_names_pass_and_op(module: "ir.Module") -> None:
    with pytest.raises(PassCrashError) as caught:
        run_pipeline(module, "cse,sample-mark{mode=bug}")
    assert str(caught.value) == "internal error in pass 'sample-mark' at 'func.func' at -:1:1: KeyError: 'lost'"
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.pipeline == "builtin.module(cse,sample-mark{mode=bug})"


def test_an_interrupt_stays_an_interrupt(module: "ir.Module") -> None:
    with pytest.raises(KeyboardInterrupt):
        run_pipeline(module, "sample-mark{mode=interrupt}")


def test_printing_and_timing_cover_both_kinds(module: "ir.Module", capfd: pytest.CaptureFixture[str]) -> None:
    run_pipeline(module, "sample-mark,cse", RunOptions(print_before_all=True, print_after_all=True, timing=True))
    text = capfd.readouterr().err
    for expected in ("Before SampleMark", "After SampleMark", "After CSEPass", "Execution time report"):
        assert expected in text, text
