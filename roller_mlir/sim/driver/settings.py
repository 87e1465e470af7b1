# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What who starts a server of simulated devices tells it."""

from dataclasses import dataclass

from roller_mlir.sim.options import SimulatorOptions


@dataclass(frozen=True, kw_only=True)
class ServerSettings(SimulatorOptions):
    """What a server is told.

    Attributes:
        socket: Name of the abstract socket.
        artifacts: Folders of the artifacts whose kernels run.
        llvm: Files of LLVM IR of other kernels that run.
        target: A device that programs see, beside those of the artifacts; "" for none.
        assume_resident: Whether kernels whose blocks wait for each other may be launched as others are.
        memory_bytes: Memory of a device.
        log: A file that gets a line of JSON for each launch; "" for none.
        temporary: A folder that goes with the server; "" for none.
    """

    socket: str
    artifacts: tuple[str, ...]
    llvm: tuple[str, ...]
    target: str
    assume_resident: bool
    memory_bytes: int
    log: str
    temporary: str
