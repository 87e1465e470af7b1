# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our own programs: what the compiler makes of the operators by itself, and with the tile of a peer forced."""

from math import prod
from typing import Any

from machine_code import measure

import roller_mlir
from roller_mlir.hal import Device

FORCED = {"M3": ("tile of Triton's", {"tile_sizes": (128, 256, 16), "thread_tile": (8, 16, 16), "stages": 2})}
"""What is forced, by operator: the tile of the peer's program with the highest FMA share."""


def programs(name: str, operator: dict[str, Any], device: Device) -> list[dict[str, Any]]:
    """Return our programs for an operator, the compiler's own choice first."""
    found = [program("", {}, operator, device)]
    if name in FORCED:
        found.append(program(FORCED[name][0], FORCED[name][1], operator, device))
    return found


def program(note: str, options: dict[str, Any], operator: dict[str, Any], device: Device) -> dict[str, Any]:
    """Compile an operator and return its kernels with their figures; bytes asked are the plan's counts."""
    artifact = roller_mlir.compile(operator["mlir"], target=device.name, options=roller_mlir.CompileOptions(**options))
    files, asked, kernels = artifact.files, 0, []
    text = ""
    launches = {launch.kernel: launch for launch in artifact.manifest.launches}
    for kernel in artifact.kernels:
        plan, launch = kernel.plan, launches[kernel.name]
        assert plan is not None and plan.prediction is not None, "kernels of linalg ops have plans"
        ptx = files[kernel.files["ptx"]].decode()
        threads, tasks = prod(launch.block), prod(launch.grid)
        dynamic = launch.dynamic_workgroup_bytes
        found = measure(
            ptx, kernel.name, threads=threads, tasks=tasks, dynamic_shared_bytes=dynamic, device=device
        )  # fmt: skip
        kernels.append({**found.to_dict(), "tile": {"kind": "plan"}})
        asked += plan.prediction.global_load_bytes + plan.prediction.global_store_bytes
        blocks = "x".join(str(axis.block) for axis in plan.axes)
        text += f"{', ' if text else ''}{blocks}, {plan.stages} stage{'s' * (plan.stages != 1)}"
    return {"config": text + (f" ({note})" if note else ""), "kernels": kernels, "asked_bytes": asked}
