# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the LLVM IR that the simulator is tested with and that our code generator did not write.

python bench/peers/witness.py --python-triton VENV/bin/python

`pip install triton==3.9.0` into an environment of its own; IREE is among our own tools. Small matrix multiplications of
ours, compiled for targets that are not there, are written as they are given to LLVM's code generators, without debug
information, with an index of how they are launched. `test/unit/sim/llvm/test_witness_products.py` runs them.
"""

import argparse
import importlib.metadata
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DATA = ROOT / "test" / "unit" / "sim" / "data" / "witness"
TIMEOUT_S = 600

# Name: device, target, option, element, sum, extents.
IREE: dict[str, tuple[str, str, str, str, str, tuple[int, int, int]]] = {
    "sm_80-f16": ("cuda", "sm_80", "--iree-cuda-target=sm_80", "f16", "f32", (32, 64, 64)),
    "gfx942-f16": ("hip", "gfx942", "--iree-rocm-target=gfx942", "f16", "f32", (32, 64, 64)),
    "gfx942-f32": ("hip", "gfx942", "--iree-rocm-target=gfx942", "f32", "f32", (32, 32, 64)),
    "gfx942-i8": ("hip", "gfx942", "--iree-rocm-target=gfx942", "i8", "i32", (32, 64, 64)),
}
PRODUCT = """
func.func @f(%a: tensor<{m}x{k}x{e}>, %b: tensor<{k}x{n}x{e}>) -> tensor<{m}x{n}x{s}> {{
  %zero = arith.constant {zero} : {s}
  %empty = tensor.empty() : tensor<{m}x{n}x{s}>
  %first = linalg.fill ins(%zero : {s}) outs(%empty : tensor<{m}x{n}x{s}>) -> tensor<{m}x{n}x{s}>
  %c = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{e}>, tensor<{k}x{n}x{e}>)
    outs(%first : tensor<{m}x{n}x{s}>) -> tensor<{m}x{n}x{s}>
  return %c : tensor<{m}x{n}x{s}>
}}
"""


def without_debug(text: str) -> str:
    r"""Return LLVM IR without what its instructions carry, and without metadata that nothing names then.

    >>> print(without_debug("  ret void, !dbg !1\n!1 = !{i32 1}\n!2 = !{}"))
      ret void
    """
    text = re.sub(r"(?m)^(;|source_filename|target ).*\n|^!llvm\..*\n|,? !dbg !\d+|(?<=\S), ![a-z.]+ !\d+", "", text)
    nodes = dict(re.findall(r"(?m)^(!\d+) = (.*)$", text))
    text = re.sub(r"(?m)^!\d+ = .*(?:\n|$)", "", text).rstrip("\n")
    wanted: dict[str, None] = {}
    pending = re.findall(r"![0-9]+", text)
    while pending:
        name = pending.pop()
        if name in nodes and name not in wanted:
            wanted[name] = None
            pending += re.findall(r"![0-9]+", nodes[name])
    return "\n".join([text, *(f"{name} = {nodes[name]}" for name in sorted(wanted))])


def from_triton(interpreter: str) -> tuple[str, dict[str, dict[str, Any]]]:
    """Return Triton's version and kernels."""
    script = Path(__file__).with_name("witness_triton.py")
    done = subprocess.run([interpreter, script], capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    if done.returncode:
        raise RuntimeError(f"{interpreter} {script.name} failed: {done.stderr.strip()[-2000:]}")
    found = json.loads(done.stdout)
    return found["version"], found["kernels"]


def from_iree(name: str) -> dict[str, Any]:
    """Compile a product with IREE, and return the kernel that it makes of it."""
    device, target, option, element, total, (m, n, k) = IREE[name]
    zero = "0" if total.startswith("i") else "0.0"
    source = PRODUCT.format(m=m, n=n, k=k, e=element, s=total, zero=zero)
    compiler = Path(sys.executable).with_name("iree-compile")
    with tempfile.TemporaryDirectory(prefix="witness-iree-") as folder:
        command = [str(compiler), f"--iree-hal-target-device={device}", option, "-", "-o", f"{folder}/f.vmfb"]
        command += [f"--iree-hal-dump-executable-{what}-to={folder}" for what in ("intermediates", "configurations")]
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
        files = list(Path(folder).glob("*.optimized.ll"))
        if done.returncode or len(files) != 1:
            raise RuntimeError(f"iree-compile {option} made {len(files)} kernels: {done.stderr.strip()[-2000:]}")
        text = files[0].read_text()
        (configured,) = Path(folder).glob("configured_*.mlir")
        tile = re.search(r"\bworkgroup = \[([\d, ]+)\]", configured.read_text())
    kernel = re.search(r"define \w+_kernel void @(\w+)", text)
    threads = re.search(r'"nvvm\.(?:req|max)ntid"="(\d+)|"amdgpu-flat-work-group-size"="(\d+)', text)
    if kernel is None or threads is None or tile is None:
        raise RuntimeError(f"IREE's kernel of '{name}' has no name, no number of threads or no tile")
    blocks = [-(-extent // int(block)) for extent, block in zip((m, n), tile[1].split(","), strict=False)]
    return {
        "text": text,
        "kernel": kernel[1],
        "target": target,
        "element": element,
        "sum": total,
        "extents": [m, n, k],
        "threads": int(threads[1] or threads[2]),
        "blocks": math.prod(blocks),
    }


def write(compiler: str, version: str, name: str, found: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write a kernel, and return its entry of the index."""
    text = without_debug(found.pop("text"))
    entry = {"compiler": compiler, "version": version, **found}
    said = ", ".join(f"{key} {value}" for key, value in entry.items() if key not in ("compiler", "version"))
    head = f"; Made by bench/peers/witness.py with {compiler} {version} of our own source, do not edit.\n; {said}\n"
    (folder / f"{compiler.lower()}-{name}.ll").write_text(f"{head}{text.strip()}\n")
    return entry


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python-triton", default=sys.executable, metavar="PYTHON", help="that has Triton")
    parser.add_argument("-o", "--out", type=Path, default=DATA, help="folder to write (test/unit/sim/data/witness)")
    options = parser.parse_args()
    try:
        version, kernels = from_triton(options.python_triton)
        options.out.mkdir(parents=True, exist_ok=True)
        index: dict[str, Any] = {}
        for name, found in kernels.items():
            index[f"triton-{name}"] = write("Triton", version, name, found, options.out)
        version = importlib.metadata.version("iree-base-compiler")
        for name in IREE:
            index[f"iree-{name}"] = write("IREE", version, name, from_iree(name), options.out)
        (options.out / "index.json").write_text(json.dumps(index, indent=1) + "\n")
    except (RuntimeError, OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
