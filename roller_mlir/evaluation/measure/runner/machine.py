# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is noted of the machine: device, driver, clocks, and the versions of what takes part."""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version

from roller_mlir.evaluation.measure.records import MeasuredMachine
from roller_mlir.evaluation.measure.runner.expected.inputs import INPUTS
from roller_mlir.runtime.driver.interface import Driver

_LIBRARIES = ("nvidia-cublas", "nvidia-cublas-cu12", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13")
_PACKAGES = ("numpy", "torch", "triton", "pytorch-triton", "cuda-bindings", "hip-python", *_LIBRARIES)
# What NVIDIA's own tool says beside, by the names of its queries.
_QUERIES = ("driver_version", "clocks.max.sm", "clocks.max.mem", "power.limit", "persistence_mode")
_ASK_S = 10.0


def machine_of_driver(driver: Driver) -> MeasuredMachine:
    """Describe a device, without start and command.

    Args:
        driver: The device.

    Raises:
        BackendError: The driver refuses.
    """
    said = driver.describe()
    facts: dict[str, int | float | str] = {
        "architecture": driver.facts.architecture,
        "units": driver.facts.units,
        "memory_bytes": said.memory_bytes,
        "inputs": INPUTS,
    }
    if said.l2_bytes is not None:
        facts["l2_bytes"] = said.l2_bytes
    facts |= said.more
    if driver.query_tool:
        facts |= _ask_tool(driver.query_tool, driver.ordinal)
    return MeasuredMachine(
        back_end=driver.back_end, device=said.name, driver=said.driver, versions=versions(), facts=facts
    )


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that are here; none is imported."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _ask_tool(tool: str, ordinal: int) -> dict[str, int | float | str]:
    """Ask the vendor's tool; where it is missing or refuses, what the driver says of the device is all that is known.

    Devices are numbered here as the driver numbers them, which CUDA_VISIBLE_DEVICES may change; what is asked for is
    the same of all devices of a machine in practice, and noted under the tool's name.
    """
    command = [tool, f"--query-gpu={','.join(_QUERIES)}", "--format=csv,noheader,nounits", f"--id={ordinal}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    values = [value.strip() for value in done.stdout.strip().split(",")]
    if done.returncode or len(values) != len(_QUERIES):
        return {}
    return {f"{tool} {name}": value for name, value in zip(_QUERIES, values, strict=True)}
