# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `roller tune` on a kit whose kernels the driver library of the tests can run; see test_tuning_measure.py.

The candidates' plans are real, their kernels are of the names that are given: what is compiled for an operator, the
driver library could not execute.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "measure" / "runner"))
sys.path.insert(0, str(Path(__file__).parent))

from runner_kits import kernel
from tuning_records import MATMUL
from tuning_results import item_of, kit_of

from roller_mlir.evaluation.measure.kit.pack import Packed
from roller_mlir.evaluation.measure.kit.writer import KitWriter
from roller_mlir.evaluation.measure.tune import tune
from roller_mlir.tools.roller import main


def pack(names: list[str], folder: Path, wanted: Any) -> Packed:
    """Writes a kit of these kernels."""
    (one,) = wanted
    item = item_of(MATMUL, len(names), id=one.id, title=one.title)
    folder.mkdir()
    with KitWriter(folder) as writer:
        for candidate, name in zip(item.candidates, names, strict=True):
            writer.add(candidate.artifact, kernel(name))
        kit = kit_of(item)
        writer.finish(kit)
    return Packed(kit=kit, size_bytes=0, seconds=0.0)


if __name__ == "__main__":
    kernels, *arguments = sys.argv[1:]
    tune.pack_kit = lambda folder, _target, wanted, _options: pack(kernels.split(","), folder, wanted)  # type: ignore[assignment]
    sys.exit(main(arguments))
