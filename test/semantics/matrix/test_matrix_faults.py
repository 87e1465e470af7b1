# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in kernels for matrix units, planted into their IR: the simulator finds each of them.

The kernels are those of a product whose copies run ahead (mma.sync), and of one with two buffers (WMMA, MFMA).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.evaluation.reference import compare_all, evaluate_function, random_inputs
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.runtime import SanitizedRunError
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

from ..devices.test_sanitized import edited
from .matrix_programs import F16, product

SQUARE = product(F16, {"m": 128, "n": 128, "k": 128}, ("mk", "kn", "mn"))
TILES = {"a100": (64, 64, 32), "v100": (64, 64, 32), "mi300x": (64, 64, 32)}
_cache: dict[tuple[str, int], Artifact] = {}


def kernel(device: str, stages: int) -> Artifact:
    key = device, stages
    if key not in _cache:
        options = CompileOptions(binaries=False, tile_sizes=TILES[device], stages=stages, split=False)
        _cache[key] = roller_mlir.compile(SQUARE, target=device, options=options)
    return _cache[key]


def is_right(artifact: Artifact, *, sanitize: bool = False, values: str = "integers") -> bool:
    """Return whether a product gives what numpy gives, in an order of threads that is shuffled."""
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 0, values)
    with make_context() as context:
        module = parse_module(artifact.text("input"), context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
    outputs = artifact.run(*inputs, seed=0, **({"sanitize": True} if sanitize else {}))
    found = compare_all(outputs, expected)
    return all(one.equal if values == "integers" else one.matches for one in found)


def replaced(
    artifact: Artifact, pattern: str, change: str | Callable[[re.Match[str]], str], count: int = 1
) -> Artifact:
    """Return an artifact whose kernel IR has so many matches of a pattern replaced; below 0 counts from the last."""
    text = artifact.text("kernels")
    matches = list(re.finditer(pattern, text))
    assert len(matches) >= abs(count), pattern
    for match in reversed(matches[:count] if count > 0 else matches[count:]):
        text = text[: match.start()] + (change if isinstance(change, str) else change(match)) + text[match.end() :]
    return edited(artifact, artifact.text("kernels"), text)


@dataclass(frozen=True)
class Fault:
    """A mistake.

    Attributes:
        pattern: What is replaced in the kernel's IR.
        change: By what, where $1, $2 are what the pattern's groups matched.
        reported: What the sanitizer calls it; empty where only the results are wrong.
        device: Of the kernel.
        stages: Of its copies.
        count: How many matches are replaced, from the last one where it is below 0.
    """

    pattern: str
    change: str
    reported: str
    device: str = "a100"
    stages: int = 3
    count: int = 1

    def plant(self) -> Artifact:
        """Return the kernel with the mistake."""

        def fill(match: re.Match[str]) -> str:
            return re.sub(r"\$(\d)", lambda digit: match[int(digit[1])], self.change)

        return replaced(kernel(self.device, self.stages), self.pattern, fill, self.count)


WAIT, BARRIER, COMMIT = r"nvvm\.cp\.async\.wait\.group \d+\n", r"gpu\.barrier\n", r"nvvm\.cp\.async\.commit\.group\n"
SWIZZLE = r"arith\.xori (%\w+), (%\w+) : index"
WRITTEN = r"(%view\w*)\[%arg14, "
UNFINISHED, UNINITIALISED = "unfinished-copy", "uninitialised-read"
FAULTS = {
    "no wait for the copies": Fault(WAIT, "\n", UNFINISHED),
    "a wait that leaves one group too many": Fault(r"wait\.group 1\n", "wait.group 2\n", UNFINISHED),
    "a wait behind the barrier": Fault(rf"({WAIT})\s*({BARRIER})", "$2$1", UNFINISHED),
    "no barrier in the loop": Fault(BARRIER, "\n", UNINITIALISED),
    "copies that no group is committed for": Fault(COMMIT, "\n", UNFINISHED, count=-1),
    "rows written without their swizzle": Fault(SWIZZLE, "arith.addi $1, %c0 : index", ""),
    "rows read without their swizzle": Fault(SWIZZLE, "arith.addi $1, %c0 : index", "", count=-1),
    "a swizzle of other bits": Fault(SWIZZLE, "arith.ori $1, $2 : index", "write-after-write"),
    "fewer buffers than copies in flight": Fault(WRITTEN, "$1[%arg13, ", UNFINISHED, count=4),
    "one copy into the wrong buffer": Fault(WRITTEN, "$1[%arg13, ", UNFINISHED),
    "a matrix that is loaded untransposed": Fault("transpose = true", "transpose = false", ""),
    "a product that forgets the sum so far": Fault(
        r"nvgpu\.mma\.sync\((%\w+), (%\w+), %\w+\)", "nvgpu.mma.sync($1, $2, %13)", "", count=-1
    ),
    "wmma without a barrier": Fault(BARRIER, "\n", UNINITIALISED, "v100", 2),
    "wmma with another stride of rows": Fault("leadDimension = 40", "leadDimension = 48", UNINITIALISED, "v100", 2),
    "mfma without a barrier": Fault(BARRIER, "\n", UNINITIALISED, "mi300x", 2),
}


@pytest.mark.full(every=3)
@pytest.mark.parametrize(("device", "stages"), [("a100", 3), ("v100", 2), ("mi300x", 2)])
def test_the_kernels_are_right_as_they_are(device: str, stages: int) -> None:
    artifact = kernel(device, stages)
    (one,) = artifact.kernels
    assert one.plan is not None and one.plan.atom is not None and one.plan.stages == stages
    assert is_right(artifact)
    assert is_right(artifact, sanitize=True)
    assert is_right(artifact, values="normal")


@pytest.mark.full(every=6)
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_mistake_gives_wrong_results(name: str) -> None:
    artifact = FAULTS[name].plant()
    assert not is_right(artifact)
    assert not is_right(artifact, values="normal")


@pytest.mark.full(every=6)
@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.reported])
def test_the_sanitizer_names_a_planted_mistake(name: str) -> None:
    with pytest.raises(SanitizedRunError) as caught:
        is_right(FAULTS[name].plant(), sanitize=True)
    assert FAULTS[name].reported in {one.kind for one in caught.value.findings}
