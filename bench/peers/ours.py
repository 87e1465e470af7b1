# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our own programs: what the compiler makes of the operators by itself, and with the tile of a peer forced."""

from math import prod
from typing import Any

from machine_code import measure

import roller_mlir
from roller_mlir.hal import Device

TRITON_TILE = {"tile_sizes": (128, 256, 16), "thread_tile": (8, 16, 16), "stages": 2}
"""That of Triton's program for M3 with the highest FMA share, whose threads have 128 points each."""

APPROXIMATE = (
    ("math.exp %d : f32", "math.exp %d fastmath<afn> : f32"),
    ("arith.divf %e, %s : f32", "arith.divf %e, %s fastmath<afn> : f32"),
)
"""What Triton's `exp` and `/` on f32 always are. Without the flag ours are correctly rounded or nearly so."""


def programs(name: str, operator: dict[str, Any], device: Device) -> list[dict[str, Any]]:
    """Return our programs for an operator, the compiler's own choice first."""
    found = [program("", operator["mlir"], {}, device)]
    if name == "M3":
        found.append(program("tile of Triton's", operator["mlir"], TRITON_TILE, device))
    if name == "softmax":
        text = operator["mlir"]
        for exact, approximate in APPROXIMATE:
            if exact not in text:
                raise ValueError(f"the softmax must hold '{exact}', but does not")
            text = text.replace(exact, approximate)
        found.append(program("approximations allowed", text, {}, device))
    return found


def program(note: str, mlir: str, options: dict[str, Any], device: Device) -> dict[str, Any]:
    """Compile a text and return its kernels with their figures; bytes asked are the plans' counts."""
    artifact = roller_mlir.compile(mlir, target=device.name, options=roller_mlir.CompileOptions(**options))
    files, asked, kernels = artifact.files, 0, []
    text = ""
    launches = {launch.kernel: launch for launch in artifact.manifest.launches}
    for kernel in artifact.kernels:
        plan, launch = kernel.plan, launches[kernel.name]
        assert plan is not None and plan.prediction is not None, "kernels of linalg ops have plans"
        ptx = files[kernel.files["ptx"]].decode()
        threads, tasks = prod(launch.block), prod(launch.static_grid)
        dynamic = launch.dynamic_workgroup_bytes
        found = measure(
            ptx, kernel.name, threads=threads, tasks=tasks, dynamic_shared_bytes=dynamic, device=device
        )  # fmt: skip
        kernels.append({**found.to_dict(), "tile": {"kind": "plan"}})
        asked += plan.prediction.global_load_bytes + plan.prediction.global_store_bytes
        blocks = "x".join(str(axis.block) for axis in plan.axes)
        text += f"{', ' if text else ''}{blocks}, {plan.stages} stage{'s' * (plan.stages != 1)}"
    return {"config": text + (f" ({note})" if note else ""), "kernels": kernels, "asked_bytes": asked}
