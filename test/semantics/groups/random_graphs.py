# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs of ops on tensors of 4 x 8, their rows and their flat forms, with reshapes between, as MLIR text.

Values are read by several ops, directly, through reshapes that add and drop dimensions of one element, and through
reshapes that stay copies: so paths leave most groups of ops and come back.
"""

import random

SHAPES = {"full": "4x8", "row": "4", "row1": "4x1", "flat": "32"}
_LOOPS = {"full": "(i, j)", "row": "(i, j)", "row1": "(i, j)", "flat": "(k)"}
_MAPS = {"full": "(i, j)", "row": "(i)", "row1": "(i, 0)", "flat": "(k)"}
_RESHAPES = {
    ("row", "row1"): ("expand_shape", "[[0, 1]] output_shape [4, 1]"),
    ("row1", "row"): ("collapse_shape", "[[0, 1]]"),
    ("full", "flat"): ("collapse_shape", "[[0, 1]]"),
    ("flat", "full"): ("expand_shape", "[[0, 1]] output_shape [4, 8]"),
}
_BODIES = ("addf", "subf", "maximumf")


def kind(shape: str) -> str:
    """Return the type of a tensor of one of the shapes."""
    return f"tensor<{SHAPES[shape]}xf32>"


def random_graph(seed: int, count: int) -> str:
    """Return a function of `count` ops and the reshapes between them; values that nobody reads are its results."""
    draw = random.Random(seed)
    values = [("%x", "full"), ("%y", "row1")]
    lines: list[str] = []
    read: set[str] = set()
    for number in range(count):
        value = f"%v{number}"
        name, shape = draw.choice(values[-6:])
        targets = [target for source, target in _RESHAPES if source == shape]
        if targets and draw.random() < 0.4:
            target = draw.choice(targets)
            operator, how = _RESHAPES[shape, target]
            lines.append(f"{value} = tensor.{operator} {name} {how} : {kind(shape)} into {kind(target)}")
            values.append((value, target))
            read.add(name)
            continue
        if shape == "full" and draw.random() < 0.35:
            lines.append(_reduction(value, name, draw.choice(("row", "row1")), draw.choice(("addf", "maximumf"))))
            values.append((value, "row1" if kind("row1") in lines[-1].splitlines()[-1] else "row"))
            read.add(name)
            continue
        others = [one for one in values if _LOOPS[one[1]] == _LOOPS[shape]]
        both = [(name, shape), draw.choice(others)]
        shapes = {one for _, one in both}
        result = "full" if "full" in shapes else ("flat" if "flat" in shapes else draw.choice(("full", "row", "row1")))
        lines.append(_element_wise(value, both, result, draw.choice(_BODIES)))
        values.append((value, result))
        read.update(name for name, _ in both)
    results = [(name, shape) for name, shape in values[2:] if name not in read]
    kinds = ", ".join(kind(shape) for _, shape in results)
    body = "\n".join("  " + line.replace("\n", "\n  ") for line in lines)
    return (
        f"func.func @f(%x: {kind('full')}, %y: {kind('row1')}) -> ({kinds}) {{\n{body}\n"
        f"  return {', '.join(name for name, _ in results)} : {kinds}\n}}\n"
    )


def _element_wise(value: str, inputs: list[tuple[str, str]], result: str, operator: str) -> str:
    loops = {"row": "(i)", "row1": "(i, j)"}.get(result, _LOOPS[result])
    shown = {**_MAPS, **({"row1": "(i, 0)"} if result != "row1" else {"row1": "(i, j)"})}
    maps = [f"affine_map<{loops} -> {shown[one]}>" for one in (*(shape for _, shape in inputs), result)]
    iterators = ", ".join(['"parallel"'] * (loops.count(",") + 1))
    return (
        f"{value}_e = tensor.empty() : {kind(result)}\n"
        f"{value} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}} "
        f"ins({', '.join(name for name, _ in inputs)} : {', '.join(kind(shape) for _, shape in inputs)}) "
        f"outs({value}_e : {kind(result)}) {{\n^bb0(%a: f32, %b: f32, %o: f32):\n"
        f"  %r = arith.{operator} %a, %b : f32\n  linalg.yield %r : f32\n}} -> {kind(result)}"
    )


def _reduction(value: str, source: str, result: str, operator: str) -> str:
    target = kind(result)
    return (
        f"{value}_c = arith.constant {'0.0' if operator == 'addf' else '-1.0e9'} : f32\n"
        f"{value}_e = tensor.empty() : {target}\n"
        f"{value}_i = linalg.fill ins({value}_c : f32) outs({value}_e : {target}) -> {target}\n"
        f"{value} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, "
        f'affine_map<(i, j) -> {_MAPS[result]}>], iterator_types = ["parallel", "reduction"]}} '
        f"ins({source} : {kind('full')}) outs({value}_i : {target}) {{\n^bb0(%a: f32, %o: f32):\n"
        f"  %r = arith.{operator} %o, %a : f32\n  linalg.yield %r : f32\n}} -> {target}"
    )
