# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that once were wrong, refused or crashed. Each file of `reported` says in its header what it gives now:

// gives: numpy on v100, h200     it runs in the simulator as in numpy
// gives: kernels on h200         it compiles, to LLVM IR; it is too large to be run here
// gives: error 1:14: text        it is refused by this one error, there in the program without its header
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

from .agreement import assert_agrees

FOLDER = Path(__file__).parent / "reported"
GIVES = "// gives: "
COMPILED = CompileOptions(binaries=False, llvm=True)


def cases() -> Iterator[tuple[str, str, str]]:
    """Yield each file's name, what it gives, and the device or the error's text."""
    for path in sorted(FOLDER.glob("*.mlir")):
        said = [line.removeprefix(GIVES) for line in path.read_text().splitlines() if line.startswith(GIVES)]
        assert said, f"{path.name} does not say what it gives"
        for line in said:
            what, rest = re.split(r" on | ", line, maxsplit=1)
            yield from ((path.stem, what, one) for one in ([rest] if what == "error" else rest.split(", ")))


def program(name: str) -> str:
    """Return the text of a file without its header."""
    return (FOLDER / f"{name}.mlir").read_text().partition("\n\n")[2]


@pytest.mark.full(every=9)
@pytest.mark.parametrize(("name", "what", "of"), list(cases()), ids=lambda text: text.partition(":")[0])
def test_a_program_gives_what_its_header_says(name: str, what: str, of: str) -> None:
    text = program(name)
    if what == "numpy":
        assert_agrees(text, of)
    elif what == "kernels":
        assert roller_mlir.compile(text, target=of, options=COMPILED).kernels
    else:
        assert what == "error"
        with pytest.raises(DiagnosedError) as error:
            roller_mlir.compile(text, target="h200", options=COMPILED)
        assert str(error.value) == f"-:{of.partition(': ')[0]}: error: {of.partition(': ')[2]}"


@pytest.mark.parametrize("level", ["gpu", "llvm"])
def test_either_answer_is_right_where_a_product_may_be_contracted(level: str) -> None:
    """x * y - x * y is 0, or what the rounding of one product left; of 2 x * y - x * y there is no doubt."""
    text = program("difference_of_products")
    numbers = np.random.default_rng(0)
    x, y = (numbers.uniform(1, 2, 64).astype(np.float32) for _ in range(2))
    z = np.where(np.arange(64) % 2, x, 2 * x).astype(np.float32)
    found = roller_mlir.compile(text, target="h200", options=COMPILED).run(z, y, x, y, level=level)
    with make_context() as context:
        expected = evaluate_function(parse_module(text, context), "f", [z, y, x, y])
    assert all(one.matches for one in compare_all(found, expected))
    assert not found[0][::2].any()
    wrong = found[0].copy()
    wrong[::2] = 1
    assert not any(one.matches for one in compare_all([wrong], expected))
