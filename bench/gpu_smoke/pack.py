# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the GPU smoke kit: PTX of three kernels and a launcher, for a machine with a GPU but without this compiler.

  python bench/gpu_smoke/pack.py -o kit [--target h200]
  # copy the folder to the machine with the GPU, where numpy (it comes with torch) and the driver suffice:
  python kit/launch.py

The kernels: a matmul planned and compiled by roller, a persistent kernel of two operators with a grid barrier
between them, and a copy. The last two are written by hand in `kernels/`. Each is an artifact of its own:

  roller run kit/matmul --random --check
  roller run kit/copy --random            # written by hand: there are no linalg ops for --check to compare with
  roller run kit/persistent --input a.npy --input b.npy --input zero.npy

The last input of `persistent` is the counter of its grid barrier, one i32 that must be 0 (or what an earlier launch
left): with another value, such as a random one, its blocks wait for ever.
"""

import argparse
import shutil
import string
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MATMUL = """func.func @matmul(%a: tensor<${n}x${n}xf32>, %b: tensor<${n}x${n}xf32>) -> tensor<${n}x${n}xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<${n}x${n}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<${n}x${n}xf32>) -> tensor<${n}x${n}xf32>
  %c = linalg.matmul ins(%a, %b : tensor<${n}x${n}xf32>, tensor<${n}x${n}xf32>)
    outs(%init : tensor<${n}x${n}xf32>) -> tensor<${n}x${n}xf32>
  return %c : tensor<${n}x${n}xf32>
}
"""


def fill(template: str, **values: int) -> str:
    """Put numbers into a template with $placeholders."""
    return string.Template(template).substitute({name: str(value) for name, value in values.items()})


def pack(folder: Path, target: str = "h200", matmul: int = 2048, copied: int = 1 << 26) -> None:
    """Write the kit.

    Args:
        folder: A new directory.
        target: An NVIDIA device.
        matmul: Extent of the square matrices.
        copied: Numbers that the copy moves, a multiple of 1024.

    Raises:
        FileExistsError: The directory exists.
        ValueError: The device is not NVIDIA's.
    """
    import roller_mlir
    from roller_mlir.compiler.driver import compile_kernel_module
    from roller_mlir.compiler.source import Source
    from roller_mlir.hal import find_device

    device = find_device(target)
    if device.vendor != "nvidia":
        raise ValueError(f"the kit runs on NVIDIA's devices, but got {device.name} of {device.vendor}")
    persistent = (HERE / "kernels" / "persistent.mlir.in").read_text()
    copy = (HERE / "kernels" / "copy.mlir.in").read_text()
    artifacts = {
        "matmul": roller_mlir.compile(fill(MATMUL, n=matmul), target=target),
        "persistent": compile_kernel_module(
            Source("-", fill(persistent, m=512, n=256, k=128, blocks=device.units)), target
        ),
        "copy": compile_kernel_module(Source("-", fill(copy, n=copied, blocks=copied // 1024)), target),
    }
    folder.mkdir()
    for name, artifact in artifacts.items():
        artifact.save(folder / name)
    shutil.copy(HERE / "launch.py", folder / "launch.py")


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    from roller_mlir.tools.roller_interrupt import interruptible

    return interruptible("pack.py", lambda: _main(argv), whole_process=False)


def _main(argv: list[str] | None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="directory to make")
    parser.add_argument("--target", default="h200", help="NVIDIA device (h200)")
    arguments = parser.parse_args(argv)
    output: Path = arguments.output
    try:
        if output.exists():
            raise FileExistsError(f"{output} exists; choose another name")
        with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as staging:
            pack(Path(staging) / "kit", arguments.target)
            (Path(staging) / "kit").rename(output)
    except (OSError, ValueError) as error:
        print(f"pack.py: error: {error}", file=sys.stderr)
        return 1
    size = sum(file.stat().st_size for file in output.rglob("*") if file.is_file())
    print(f"wrote {output} ({size} B); on the machine with the GPU: python {output.name}/launch.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
