# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model as linalg on tensors, and its weights (random, always the same) in a file beside it.

    python bench/models/write.py lstm --batch 1 -o lstm.mlir             also lstm.irpa
    python bench/models/write.py nasnet --batch 4 --scale 16 -o small.mlir

Models: resnext, nasnet, alexnet, deepspeech2, lstm, seq2seq, decoder. --scale K makes a smaller one of the same
structure.
"""

import argparse
from pathlib import Path

from roller_mlir.evaluation.suites.models import MODELS, Model, make_model
from roller_mlir.importers.weights import write_weights


def write_model(model: Model, path: Path) -> None:
    """Write a model and, beside it, its weights as an archive of IREE's parameters."""
    weights = path.with_suffix(".irpa")
    write_weights(weights, model.weights)
    path.write_text(model.text(weights.name))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, but got '{text}'")
    return int(text)


def main() -> None:
    """Write the model that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=tuple(MODELS))
    parser.add_argument("--batch", type=_positive, default=1, help="images, sequences or tokens (default 1)")
    parser.add_argument("--scale", type=_positive, default=1, metavar="K", help="divide its sizes (default 1)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the .mlir file")
    asked = parser.parse_args()
    write_model(make_model(asked.model, asked.batch, asked.scale), asked.output)


if __name__ == "__main__":
    main()
