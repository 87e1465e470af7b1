# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places, rendering and collection of diagnostics."""

import subprocess
import sys

import pytest

from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import (
    DiagnosedError,
    Diagnostic,
    SourcePlace,
    collecting,
    fail,
    parse_module,
    place_of,
    remark,
    render,
    subject_of,
)


def test_places_are_found_inside_every_kind_of_location() -> None:
    with make_context():
        file = ir.Location.file("f.mlir", 3, 4)
        unknown = ir.Location.unknown()
        wanted = SourcePlace("f.mlir", 3, 4)
        assert place_of(file) == wanted
        assert place_of(ir.Location.name("n", file)) == wanted
        assert place_of(ir.Location.fused([unknown, file])) == wanted
        assert place_of(ir.Location.callsite(file, [unknown])) == wanted
        assert place_of(unknown) is None
        assert place_of(None) is None


def test_render_like_mlir_opt() -> None:
    note = Diagnostic("note", "here", SourcePlace("-", 1, 1))
    error = Diagnostic("error", "bad", SourcePlace("-", 2, 3), (note,))
    assert render(error, {"-": "ab\n\tcd\n"}, {"-": "x.mlir"}) == (
        "x.mlir:2:3: error: bad\n\tcd\n\t ^\nx.mlir:1:1: note: here\nab\n^"
    )
    assert render(error) == "-:2:3: error: bad\n-:1:1: note: here"
    assert render(Diagnostic("error", "bad")) == "error: bad"
    assert render(Diagnostic("error", "bad", SourcePlace("-", 0, 0)), {}, {"-": "x.mlir"}) == "x.mlir: error: bad"
    assert render(Diagnostic("error", "bad", SourcePlace("-", 99, 1)), {"-": "a"}) == "-:99:1: error: bad"


def test_fail_takes_ops_values_and_locations() -> None:
    context = make_context()
    module = parse_module("func.func @f(%a: i32) {\n  return\n}", context)
    func = module.body.operations[0]
    for where in (func, func.operation, func.location, func.regions[0].blocks[0].arguments[0]):
        with pytest.raises(DiagnosedError) as caught:
            fail(where, "no", [(func, "see")])
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.place is not None
        assert diagnostic.place.line == 1
        assert diagnostic.notes[0].message == "see"
    with pytest.raises(DiagnosedError) as caught:
        fail(None, "no")
    assert caught.value.diagnostics[0].place is None


def test_parse_errors_are_located() -> None:
    with pytest.raises(DiagnosedError) as caught:
        parse_module("func.func @f() {\n  return %x : i32\n}", make_context())
    assert str(caught.value) == "-:2:10: error: use of undeclared SSA value name"


def test_parse_forwards_nothing_on_success_and_nests() -> None:
    context = make_context()
    with collecting(context) as outer:
        parse_module("module {}", context)
        with pytest.raises(DiagnosedError):
            parse_module("module {", context)
        remark(None, "careful")
    assert [d.message for d in outer.diagnostics] == ["careful"]
    assert outer.errors() == []
    remark(None, "nobody listens")


def test_collecting_takes_what_mlir_emits() -> None:
    context = make_context()
    with collecting(context) as collector, context:
        ir.Location.file("f", 1, 2).emit_error("oops")
    assert collector.errors() == [Diagnostic("error", "oops", SourcePlace("f", 1, 2))]


def test_an_error_needs_a_diagnostic() -> None:
    with pytest.raises(ValueError, match="at least 1 diagnostic, but got 0"):
        DiagnosedError([])


def test_subject_is_the_innermost_op() -> None:
    module = parse_module("func.func @f() {\n  return\n}", make_context())

    def inner(op: object) -> None:
        raise RuntimeError(str(op)[:0])

    def outer(func: object, terminator: object) -> None:
        inner(terminator)

    func = module.body.operations[0]
    terminator = func.regions[0].blocks[0].operations[0]
    with pytest.raises(RuntimeError) as caught:
        outer(func, terminator)
    assert subject_of(caught.value) == "'func.return' at -:2:3"
    assert subject_of(RuntimeError()) == ""


def test_an_op_that_its_constructor_has_not_made_yet_is_no_subject(recwarn: pytest.WarningsRecorder) -> None:
    def construct(_unmade: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError) as caught:
        construct(ir.OpView.__new__(ir.OpView))
    assert subject_of(caught.value) == ""
    assert not recwarn.list


def test_a_context_has_our_dialect_and_no_threads() -> None:
    context = make_context()
    assert context.is_dialect_loaded("rtile")
    assert context.get_num_threads() == 1
    with pytest.raises(DiagnosedError, match="unregistered dialect"):
        parse_module('"foo.bar"() : () -> ()', context)
    parse_module('"foo.bar"() : () -> ()', make_context(allow_unregistered=True))


MODULES = """
import sys
from roller_mlir.support.bindings import make_context
context = make_context()
print(context.is_dialect_loaded("rocdl"), any("rocdl" in name or "nvvm" in name for name in sys.modules))
"""


def test_a_context_has_dialects_whose_python_modules_nobody_has_imported() -> None:
    """Their import takes longer than most passes do."""
    done = subprocess.run([sys.executable, "-c", MODULES], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"
