# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the examples with and without fusion, runs the kernels in the simulator, and writes docs/method/fusion.md.

python bench/fusion/table.py --date 2026-11-21
"""

import argparse
import sys
from datetime import date
from pathlib import Path

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.evaluation.measure.kit.example_sizes import LARGE, at_size
from roller_mlir.evaluation.reference import compare_all, evaluate_function, random_inputs
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "method" / "fusion.md"
TEXT = Path(__file__).with_name("page.md.in")
DEVICES = ("v100", "a100", "h200", "mi300x")
NAMES = (
    *("softmax", "layer_norm", "matmul_bias_gelu", "attention_scores", "conv_bn_relu_residual", "resnet_block"),
    "encoder_layer",
)
TOGETHER, APART = CompileOptions(binaries=False), CompileOptions(binaries=False, fusion=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, required=True, help="today, for the page: YYYY-MM-DD")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page (docs/method/fusion.md)")
    options = parser.parse_args()
    small: list[str] = []
    large: list[str] = []
    for name in NAMES:
        text = (ROOT / "examples" / f"{name}.mlir").read_text()
        for device in DEVICES:
            together = roller_mlir.compile(text, target=device, options=TOGETHER)
            apart = roller_mlir.compile(text, target=device, options=APART)
            small.append(f"| {name} | {device} | {row(together, apart)} | {checked(together)} |")
        if name in LARGE:
            scaled = at_size(text, LARGE[name])
            for device in DEVICES:
                together = roller_mlir.compile(scaled, target=device, options=TOGETHER)
                apart = roller_mlir.compile(scaled, target=device, options=APART)
                large.append(f"| {name} | {device} | {row(together, apart)} |")
    page = TEXT.read_text()
    page = page.replace("@DATE@", str(options.date)).replace("@SMALL@", "\n".join(small))
    temporary = options.output.with_suffix(".tmp")
    temporary.write_text(page.replace("@LARGE@", "\n".join(large)))
    temporary.replace(options.output)
    return 1 if any("differs" in line for line in small) else 0


def row(together: Artifact, apart: Artifact) -> str:
    """Return kernels, bytes of tensors and their ratio, bytes by the plans."""
    before, after = touched(apart), touched(together)
    kernels = f"{len(apart.manifest.launches)} | {len(together.manifest.launches)}"
    return f"{kernels} | {before:,} | {after:,} | {before / after:.2f} | {moved(apart):,} | {moved(together):,}"


def touched(artifact: Artifact) -> int:
    """Return the bytes of the tensors that each kernel reads or writes, once each: what must move between kernels."""
    return sum(view.size_bytes for launch in artifact.manifest.launches for view in launch.arguments)


def moved(artifact: Artifact) -> int:
    """Return the bytes that an artifact's kernels load from and store to global memory, by their plans."""
    total = 0
    for kernel in artifact.kernels:
        assert kernel.plan is not None and kernel.plan.prediction is not None
        total += kernel.plan.prediction.global_load_bytes + kernel.plan.prediction.global_store_bytes
    return total


def checked(artifact: Artifact) -> str:
    """Run an artifact in the simulator on random numbers; return how the results compare with numpy."""
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 0, "normal")
    outputs = artifact.run(*inputs, seed=0)
    with make_context() as context:
        module = parse_module(artifact.text("input"), context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
    found = compare_all(outputs, expected)
    error = max(one.max_error for one in found)
    return f"{error:.1e}" if all(one.matches for one in found) else f"differs by {error:.1e}"


if __name__ == "__main__":
    sys.exit(main())
