# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A simulated device for as long as a block runs: its driver libraries in the environment, its server beside.

with simulated_device(["matmul.roller"]) as environment:
    subprocess.run(["iree-run-module", "--device=cuda", ...], env={**os.environ, **environment})
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime.errors import BackendError
from roller_mlir.sim.driver.build import library_folder
from roller_mlir.sim.driver.settings import ServerSettings
from roller_mlir.sim.options import SimulatorOptions
from roller_mlir.support.foreign.bounded import read_json

DEFAULT_MEMORY_BYTES = 4 << 30


@contextmanager
def simulated_device(
    artifacts: Sequence[str | os.PathLike[str]],
    *,
    llvm: Sequence[str | os.PathLike[str]] = (),
    target: str = "",
    libraries: Path | None = None,
    level: str = SimulatorOptions.level,
    assume_resident: bool = False,
    timeout_s: float = SimulatorOptions.timeout_s,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    log: str | os.PathLike[str] = "",
) -> Generator[dict[str, str]]:
    """Start a server of simulated devices, and end it and all that runs in it.

    Args:
        artifacts: Folders of the artifacts whose kernels programs may launch; they say which device it is.
        llvm: Files of LLVM IR of other compilers' kernels that programs may launch.
        target: A device that programs see, where no artifact says it.
        libraries: Where the driver libraries are built; None: in a folder of their own that goes with the server.
        level: What is executed, one of `sim.options.LEVELS`.
        assume_resident: Whether kernels whose blocks wait for each other may be launched as others are.
        timeout_s: After which a launch is given up.
        memory_bytes: Memory of a program's device.
        log: A file that gets a line of JSON for each launch.

    Yields:
        What programs need in their environment; they find the libraries when they start.

    Raises:
        BackendError: An artifact cannot be simulated, or the libraries cannot be built.
    """
    if memory_bytes < 1:
        raise ValueError(f"memory_bytes must be at least 1, but got {memory_bytes}")
    temporary = tempfile.mkdtemp(prefix="roller-drivers-") if libraries is None else ""
    settings = ServerSettings(
        socket=f"roller-sim-driver-{os.getpid()}-{secrets.token_hex(8)}",
        artifacts=tuple(os.path.abspath(one) for one in artifacts),
        llvm=tuple(os.path.abspath(one) for one in llvm),
        target=target,
        level=level,
        assume_resident=assume_resident,
        timeout_s=timeout_s,
        memory_bytes=memory_bytes,
        log=os.path.abspath(log) if log else "",
        temporary=temporary,
    )
    try:
        folder = library_folder(libraries or Path(temporary))
        with _server(settings):
            found = os.environ.get("LD_LIBRARY_PATH")
            yield {
                "LD_LIBRARY_PATH": str(folder) + (f":{found}" if found else ""),
                "ROLLER_SIM_DRIVER": settings.socket,
            }
    finally:
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _server(settings: ServerSettings) -> Generator[None]:
    """Run a server, which also ends when this process does."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "roller_mlir.sim.driver.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,  # Ctrl-C is for the program
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(to_json(settings)) + "\n")
        process.stdin.flush()
        said = process.stdout.readline()
        if said != "ready\n":
            raise BackendError(read_json(said) if said else "the server of the simulated device has ended")
        yield
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()
