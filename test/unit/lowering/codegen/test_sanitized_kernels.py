# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the code generator emits is clean under the sanitizer, and a fault planted into it is found."""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from kernel_cases import MULTIPLY_ADD, SUM, Kernel, axis, expand, generic, integers, lower_loops, plan

from roller_mlir.sim import SanitizerError

CONV = "(n, f, y, x, c, h, w)"
MATMUL = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]


class Case(NamedTuple):
    """A function, a plan, and what numpy makes of its inputs."""

    maps: list[str]
    iterators: str
    inputs: list[tuple[int, ...]]
    output: tuple[int, ...]
    body: str
    make: Callable
    reference: Callable[..., np.ndarray]
    device: str = "h200"


def convolve(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("ncyxhw,fchw->nfyx", windows, w)


def matmul(make: Callable, m: int = 37, n: int = 53, k: int = 29, device: str = "h200") -> Case:
    return Case(MATMUL, "ppr", [(m, k), (k, n)], (m, n), MULTIPLY_ADD, make, np.matmul, device)


def sums(make: Callable, device: str = "h200") -> Case:
    maps = ["(i, k) -> (i, k)", "(i, k) -> (i)"]
    return Case(maps, "pr", [(7, 1000)], (7,), SUM, make, lambda a: a.sum(1), device)


CASES = {
    "matmul": matmul(plan([axis(16, 4, 4), axis(32, 8, 4), axis(8)], (1, 0), 1, (0, 1))),
    "matmul, two stages": matmul(plan([axis(16, 4, 4), axis(32, 8, 4), axis(8)], (1, 0), 1, (0, 1), stages=2)),
    "join through workgroup memory": matmul(
        plan([axis(16, 8), axis(16, 4, 4), axis(32, 8, 2)], (1, 0, 2), 1, (0, 1)), k=64
    ),
    "join of waves": matmul(
        plan([axis(8, 4), axis(16, 4, 4), axis(64, 32)], (1, 2, 0), 1, (0, 1)), k=200, device="mi300x"
    ),
    "convolution": Case(
        [f"{CONV} -> (n, c, y + h, x + w)", f"{CONV} -> (f, c, h, w)", f"{CONV} -> (n, f, y, x)"],
        "pppprrr",
        [(1, 4, 15, 17), (6, 4, 3, 3)],
        (1, 6, 13, 15),
        MULTIPLY_ADD,
        plan([axis(1), axis(4, 2, 2), axis(8, 8), axis(8, 4, 2), axis(2), axis(3), axis(3)], (1, 2, 3), 3, (0, 1)),
        convolve,
    ),
    "row reduction": sums(plan([axis(2), axis(512, 128, 4)], (1,), 1, ())),
    "row reduction, staged": sums(plan([axis(4, 4), axis(64, 16)], (0, 1), None, (0,))),
}


@cache
def kernel_of(name: str) -> Kernel:
    case = CASES[name]
    source = generic(case.maps, case.iterators, case.inputs, case.output, case.body)
    return lower_loops(expand(source, case.make), device=case.device)


def run(name: str, text: str | None = None) -> bool:
    """Run a case, or its kernel with other text, sanitized; return whether its result is right."""
    case, kernel = CASES[name], kernel_of(name)
    inputs = integers(case.inputs)
    found = kernel._replace(text=text or kernel.text).run(inputs, case.output, sanitize=True)
    return np.array_equal(found, case.reference(*inputs))


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", CASES)
def test_emitted_kernels_are_clean(name: str) -> None:
    assert run(name)


@pytest.mark.full(every=7)
@pytest.mark.parametrize("name", CASES)
def test_every_barrier_is_needed(name: str) -> None:
    text = kernel_of(name).text
    places = [found.start() for found in re.finditer("gpu.barrier", text)]
    assert places
    for at in places:
        with pytest.raises(SanitizerError) as caught:
            run(name, text[:at] + text[at + len("gpu.barrier") :])
        kinds = {finding.kind for finding in caught.value.findings}
        assert kinds <= {"read-after-write", "write-after-read", "write-after-write", "uninitialised-read"}
        first = caught.value.findings[0]
        assert re.match(r"'workgroup \w+( \w+)*' \((memref|vector)\.\w+ at -:\d+:\d+\)", first.site)
        if first.kind != "uninitialised-read":
            assert first.other_thread is not None
            assert first.other_thread != first.thread
            assert first.other_site in str(caught.value)


def without_mask(text: str, access: str) -> str:
    """Let the first masked access of a label always take place."""
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], 1):
        before = lines[number - 1]
        if access in line and re.search(r"scf\.if %", before):
            lines[number - 1] = "%always = arith.constant true\n" + re.sub(r"scf\.if %\S+", "scf.if %always", before)
            return "\n".join(lines)
    raise AssertionError(f"no masked {access}")


@pytest.mark.full(each=["access"])
@pytest.mark.parametrize("name", ["matmul", "matmul, two stages", "join of waves", "convolution"])
@pytest.mark.parametrize("access", ["global load arg0", "global store arg2"])
def test_a_removed_mask_is_found(name: str, access: str) -> None:
    with pytest.raises(SanitizerError) as caught:
        run(name, without_mask(kernel_of(name).text, access))
    last = caught.value.findings[-1]
    assert last.kind == "out-of-bounds"
    assert access in last.site
    assert "is outside the memref's shape" in last.message


def test_a_halo_that_is_one_row_short_is_found() -> None:
    def shorten(found: re.Match[str]) -> str:
        row, number = found[2].split(", ")[3], found.start()
        condition = f"%last{number} = arith.constant 9 : index\n"
        condition += f"%has{number} = arith.cmpi slt, {row}, %last{number} : index\n"
        return f"{condition}scf.if %has{number} {{\n{found[0]}\n}}"

    text, stores = re.subn(r"(?m)^ *(vector|memref)\.store .*%view\[(.*)\] .*workgroup store arg0.*$", shorten,
                           kernel_of("convolution").text)  # fmt: skip
    assert stores
    with pytest.raises(SanitizerError) as caught:
        run("convolution", text)
    first = caught.value.findings[0]
    assert first.kind == "uninitialised-read"
    assert "'workgroup load arg0'" in first.site
    assert "of workgroup memory, which nobody has written" in first.message


@pytest.mark.full(every=3)
@pytest.mark.parametrize("shift", [0, -2, -4])
def test_a_wrong_shift_of_the_first_step_is_found(shift: int) -> None:
    """29 = 3 x 8 + 5: the first step starts at -3. A wrong shift gives wrong results or leaves the array."""
    text, places = re.subn(
        r"= arith\.constant -3 : index", f"= arith.constant {shift} : index", kernel_of("matmul").text
    )
    assert places
    try:
        assert not run("matmul", text)
    except SanitizerError as error:
        assert error.findings[-1].kind in ("out-of-bounds", "misaligned")
