# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run ONNX's own operator tests in the simulator, and say what became of them.

    python bench/correctness/onnx_operators/table.py --every 8                          # each eighth case
    python bench/correctness/onnx_operators/table.py --only reduce_ --list              # some, a line each
    python bench/correctness/onnx_operators/table.py --date 2026-11-23 --write  # all, into the page in docs

Tried is each case of `onnx.backend.test` whose inputs and outputs are tensors of numbers with at least one element, and
behind them the models that come with it, of opsets 6 to 12, most of which PyTorch exported.
"""

import argparse
import os
import re
import sys
import warnings
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from job import ENTRY, Job, Outcome
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.loader import load_model_tests

from roller_mlir.support.jobs.pool import JobPool

PAGE = Path(__file__).parents[3] / "docs" / "evaluation" / "onnx-operators.md"
KINDS = ("pytorch-converted", "pytorch-operator", "simple")
PASSED = ("passed", "constants")
REFUSED = ("refused",)
# Operators that compute: arithmetic, products, convolutions, pooling, reductions, normalisation.
COMPUTING = re.compile(
    r"Abs|Add|Sub|Mul|Div|Neg|Pow|Sqrt|Exp|Log|Sin|Cos|Tan|Asin|Acos|Atan|Sinh|Cosh|Tanh|Asinh|Acosh|Atanh|Erf|Sign"
    r"|Floor|Ceil|Round|Mod|Min|Max|Mean|Sum|Clip|Reciprocal|Relu|LeakyRelu|PRelu|Elu|Selu|Celu|Gelu|Sigmoid"
    r"|HardSigmoid|HardSwish|Mish|Softplus|Softsign|ThresholdedRelu|Swish|MatMul|MatMulInteger|Gemm|Einsum|Conv"
    r"|ConvInteger|ConvTranspose|DeformConv|MaxPool|AveragePool|LpPool|Global\w+Pool|Reduce\w+|Softmax|LogSoftmax"
    r"|\w+Normalization|LRN"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="h200", help="device (h200)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS", help="time for a case (120)")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th case only (1)")
    parser.add_argument("--list", action="store_true", help="print a line for each case that does not pass")
    parser.add_argument("--date", type=date.fromisoformat, help="today, for the page: YYYY-MM-DD")
    parser.add_argument("--write", action="store_true", help="write docs/evaluation/onnx-operators.md")
    options = parser.parse_args()
    if options.write and options.date is None:
        parser.error("--write needs --date")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    cases = [one for one in collected() if options.only in one.name]
    tried_cases = [one for one in cases if is_of_tensors(one)][:: options.every]
    models = [one for one in exported() if options.only in one.name][:: options.every]
    outcomes = tried([*tried_cases, *models], options)
    if options.list:
        for case, outcome in zip((*tried_cases, *models), outcomes, strict=True):
            if outcome.status not in PASSED:
                print(f"{case.name}: {outcome.status}: {outcome.message.splitlines()[0] if outcome.message else ''}")
    every = f" --every {options.every}" if options.every > 1 else ""
    command = f"python bench/correctness/onnx_operators/table.py{every}"
    count = len(tried_cases)
    text = page(tried_cases, outcomes[:count], outcomes[count:], len(cases), command, options)
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0 if all(one.status in (*PASSED, *REFUSED) for one in outcomes) else 1


def collected() -> list[Any]:
    """Return ONNX's cases, without those that are other cases with their functions expanded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [one for one in collect_testcases(None) if one.model is not None and not one.name.endswith("_expanded")]


def exported() -> list[Any]:
    """Return the models that come with ONNX beside those of one operator, with their data as they are on the disk."""
    found: list[Any] = []
    for kind in KINDS:
        for case in load_model_tests(kind=kind):
            folder = Path(case.model_dir)
            data = [[_tensor(folder / "test_data_set_0", name, n) for n in range(16)] for name in ("input", "output")]
            inputs, outputs = ([one for one in each if one is not None] for each in data)
            model = onnx.load(folder / "model.onnx")
            case = replace(case, model=model, data_sets=[(inputs, outputs)])
            if len(outputs) == len(model.graph.output) and is_of_tensors(case):
                found.append(case)
    return found


def _tensor(folder: Path, name: str, number: int) -> np.ndarray[Any, Any] | None:
    """Return a tensor of a case; None of what is not there, or is none."""
    path = folder / f"{name}_{number}.pb"
    if not path.exists():
        return None
    try:
        return onnx.numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))
    except (DecodeError, TypeError, ValueError):
        return None


def is_of_tensors(case: Any) -> bool:
    """Return whether a case's data are tensors of numbers that are not empty."""
    inputs, outputs = case.data_sets[0]
    return all(isinstance(one, np.ndarray) and one.dtype.kind in "fiub" and one.size for one in (*inputs, *outputs))


def tried(cases: list[Any], options: argparse.Namespace) -> list[Outcome]:
    """Return what became of each case."""
    jobs = [(number, job_of(case, options.target)) for number, case in enumerate(cases)]
    outcomes: dict[int, Outcome] = {}
    with JobPool[Job, Outcome](options.jobs, options.limit, ENTRY, Outcome) as pool:
        for number, outcome in pool.run(jobs):
            outcomes[number] = outcome
            if len(outcomes) % 25 == 0:
                print(f"{len(outcomes)} of {len(jobs)}", file=sys.stderr, flush=True)
    return [outcomes[number] for number in range(len(cases))]


def job_of(case: Any, target: str) -> Job:
    """Return the job of a case."""
    inputs, outputs = case.data_sets[0]
    return Job(case.model.SerializeToString(), tuple(inputs), tuple(outputs), target, case.rtol, case.atol)


def operator_of(case: Any) -> str:
    """Return the operator that a case is about."""
    kinds = [node.op_type for node in case.model.graph.node if node.op_type not in ("Constant", "Identity")]
    return kinds[0] if kinds else "Identity"


def page(
    cases: list[Any],
    outcomes: list[Outcome],
    of_models: list[Outcome],
    known: int,
    command: str,
    options: argparse.Namespace,
) -> str:
    """Return the page.

    Args:
        cases: That were tried.
        outcomes: What became of each.
        of_models: What became of the models.
        known: How many cases there are.
        command: What makes it.
        options: Of the command line.
    """
    computing = [o for c, o in zip(cases, outcomes, strict=True) if COMPUTING.fullmatch(operator_of(c))]
    rows: dict[str, Counter[str]] = {}
    for case, outcome in zip(cases, outcomes, strict=True):
        rows.setdefault(operator_of(case), Counter())[outcome.status] += 1
    reasons = Counter(f"{o.status}: {o.signature}" for o in (*outcomes, *of_models) if o.status not in PASSED)
    lines = [
        "# ONNX's operator tests",
        "",
        f"Of onnx {onnx.__version__}, on {options.target} in the simulator, {options.date}; made by `{command}`.",
        f"Tried are {len(cases)} of {known} cases. Small integer inputs of some (shapes, axes, bounds) are constants,",
        "as exporters write them.",
        "",
        "| cases | passed | of these with constants | refused | wrong or failed |",
        "|---|---:|---:|---:|---:|",
        _row("all", outcomes),
        _row("arithmetic, products, convolutions, pooling, reductions, normalisation", computing),
        _row("models of opsets 6 to 12, most of which PyTorch exported", of_models),
        "",
        "| operator | passed | refused | wrong or failed |",
        "|---|---:|---:|---:|",
    ]
    for operator, counts in sorted(rows.items()):
        good, refused = sum(counts[one] for one in PASSED), counts["refused"]
        lines.append(f"| {operator} | {good} | {refused} | {counts.total() - good - refused} |")
    lines += ["", "| why the others did not pass | cases |", "|---|---:|"]
    lines += [f"| {reason.replace('|', '/')} | {count} |" for reason, count in reasons.most_common()]
    return "\n".join(lines) + "\n"


def _row(what: str, outcomes: list[Outcome]) -> str:
    counts = Counter(one.status for one in outcomes)
    good = sum(counts[one] for one in PASSED)
    share = f"{100 * good / max(1, len(outcomes)):.1f} %"
    failed = len(outcomes) - good - counts["refused"]
    return f"| {what}: {len(outcomes)} | {good} ({share}) | {counts['constants']} | {counts['refused']} | {failed} |"


if __name__ == "__main__":
    sys.exit(main())
