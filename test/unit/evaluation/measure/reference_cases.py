# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Items to compute and their inputs: the operators of a suite of small shapes, and the examples."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.measure.records import Item, ItemCandidate, Reference
from roller_mlir.evaluation.measure.runner.expected.inputs import on_host
from roller_mlir.evaluation.suites import Operator, function_text, read_table
from roller_mlir.plan.manifest import Buffer
from roller_mlir.support.bindings import ir, make_context

ROOT = Path(__file__).parents[4]
CANDIDATES = (ItemCandidate(rank=0, artifact="one"),)
OPERATORS = {one.id: one for one in read_table(ROOT / "bench/suites/shapes60/operators.csv") if one.kind != "file"}
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.mlir"))


def item_of(operator: Operator, **changes: Any) -> Item:
    """Return an operator as an item, with other words about it where asked for."""
    words: dict[str, Any] = {
        "kind": operator.kind,
        "dtype": operator.dtype,
        "sizes": dict(operator.sizes),
        "shape": operator.shape,
        "axes": operator.axes,
        "indices": operator.indices,
        "combiner": operator.combiner,
    }
    return Item(
        id=operator.id, suite="test", title=operator.id, reference=Reference(**words | changes), candidates=CANDIDATES
    )


def example_item(name: str) -> Item:
    return Item(
        id=name, suite="examples", title=name, reference=Reference(kind="example", name=name), candidates=CANDIDATES
    )


def case(name: str) -> tuple[Item, str]:
    """Return an item and its linalg ops, by the name of an operator or of an example."""
    if name in OPERATORS:
        return item_of(OPERATORS[name]), function_text(OPERATORS[name])
    return example_item(name), (ROOT / f"examples/{name}.mlir").read_text()


def inputs_of(text: str, seed: int = 0) -> list[Any]:
    """Return random inputs of the only function of a module."""
    return [on_host(one, [seed, number]) for number, one in enumerate(_buffers(text))]


def _buffers(text: str) -> Iterator[Buffer]:
    with make_context() as context:
        module = parse_source(Source("-", text), context)
        (function,) = (one.operation for one in module.body.operations if one.operation.name == "func.func")
        for argument in function.regions[0].blocks[0].arguments:
            tensor = ir.RankedTensorType(argument.type)
            yield Buffer(name="x", role="input", element_type=str(tensor.element_type), shape=tuple(tensor.shape))
