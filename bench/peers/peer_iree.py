# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the operators with IREE, without a GPU, and prints the PTX of their dispatches as JSON.

python bench/peers/peer_iree.py OPERATORS.json            (with an interpreter that has iree.compiler)

IREE 3.13 knows no CUDA target of Hopper ("missing GPU target"), so that the code is that for sm_80; the caller
assembles it for the device. The text is the one that our own compiler gets, the level of optimization is the highest.
"""

import importlib.metadata
import json
import math
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from iree.compiler import tools

ARGUMENTS = ("--iree-cuda-target=sm_80", "--iree-opt-level=O3")


def dispatches(text: str) -> tuple[str, dict[str, str]]:
    """Compile, and return the PTX and the configuration of each dispatch by the name of its kernel."""
    with tempfile.TemporaryDirectory(prefix="peer-iree-") as folder:
        dumps = (
            f"--iree-hal-dump-executable-files-to={folder}",
            f"--iree-hal-dump-executable-configurations-to={folder}",
        )
        tools.compile_str(text, target_backends=["cuda"], extra_args=[*ARGUMENTS, *dumps])
        ptx = [path.read_text() for path in Path(folder).glob("*.ptx")]
        configured = {}
        for path in Path(folder).glob("configured_*.mlir"):
            one = path.read_text()
            found = re.search(r"func\.func @(\w+)\(", one)
            assert found is not None, f"{path.name} holds a function"
            configured[found[1]] = one
    if len(ptx) != 1:
        raise RuntimeError(f"one file of PTX was expected, but there are {len(ptx)}")
    return ptx[0], configured


def sizes_of(key: str, text: str) -> list[int]:
    """Return a list of sizes of a dispatch's configuration."""
    found = re.search(rf"\b{key} = \[([\d, ]+)\]", text)
    if found is None:
        raise RuntimeError(f"a dispatch must say its {key}")
    return [int(one) for one in found[1].split(",")]


def kernel(name: str, text: str, ptx: str, operator: dict[str, Any]) -> dict[str, Any]:
    """Return one dispatch for the caller."""
    sizes, threads = operator["sizes"], math.prod(sizes_of("workgroup_size", text))
    if "slow_memcpy" in name:
        # It copies the input into a padded tensor, 4 elements a thread; a command that is no kernel fills that before.
        tasks = sizes["N"] * sizes["C"] * sizes["H"] * sizes["W"] // (4 * threads)
        tile: dict[str, Any] = {"kind": "pad"}
    elif operator["kind"] in ("matmul", "conv2d"):
        blocks, steps = sizes_of("workgroup", text), sizes_of("reduction", text)
        extents = [sizes[key] for key in operator["loops"]]
        parallel = [at for at, step in enumerate(steps) if not step]
        tasks = math.prod(-(-extents[at] // blocks[at]) for at in parallel)
        boxes = [block if at in parallel else steps[at] for at, block in enumerate(blocks)]
        tile = {"kind": "box", "blocks": boxes}
        if operator["kind"] == "matmul":
            tile = {"kind": "product", "rows": boxes[0], "columns": boxes[1], "step": boxes[2]}
    else:
        tasks, tile = sizes["M"], {"kind": "rows"}
    return {"name": name, "ptx": ptx, "threads": threads, "tasks": tasks, "dynamic_shared_bytes": 0, "tile": tile}


def program(operator: dict[str, Any]) -> dict[str, Any]:
    """Return an operator's program, a kernel per dispatch."""
    ptx, configured = dispatches(operator["mlir"])
    kernels = [kernel(name, configured[name], ptx, operator) for name in sorted(configured)]
    shape: list[int] = []
    for one in kernels:
        tile = one["tile"]
        if tile["kind"] in ("product", "box"):
            shape = tile["blocks"] if tile["kind"] == "box" else [tile["rows"], tile["columns"], tile["step"]]
    return {"config": "x".join(map(str, shape)) or "a row, 1 warp", "kernels": kernels}


def main() -> None:
    operators = json.loads(Path(sys.argv[1]).read_text())
    programs = {name: [program(operator)] for name, operator in operators.items()}
    json.dump({"version": importlib.metadata.version("iree-base-compiler"), "programs": programs}, sys.stdout)


if __name__ == "__main__":
    main()
