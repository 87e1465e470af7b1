# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What who starts a server of simulated devices tells it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """What a server is told.

    Attributes:
        socket: Name of the abstract socket.
        artifacts: Folders of the artifacts whose kernels run.
        llvm: Files of LLVM IR of other kernels that run.
        target: A device that programs see, beside those of the artifacts; "" for none.
        level: What is executed: "gpu" or "llvm".
        assume_resident: Whether kernels whose blocks wait for each other may be launched as others are.
        timeout_s: After which a launch is given up.
        memory_bytes: Memory of a device.
        log: A file that gets a line of JSON for each launch; "" for none.
        temporary: A folder that goes with the server; "" for none.
    """

    socket: str
    artifacts: tuple[str, ...]
    llvm: tuple[str, ...]
    target: str
    level: str
    assume_resident: bool
    timeout_s: float
    memory_bytes: int
    log: str
    temporary: str
