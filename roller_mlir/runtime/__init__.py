# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts, argument checks and the launch sequence that all back ends share. No compiler package is imported here."""

from roller_mlir.runtime.artifact import Artifact, RunResult
from roller_mlir.runtime.cpu.program import HostProgram
from roller_mlir.runtime.driver.program import LoadedProgram
from roller_mlir.runtime.errors import ArgumentError, ArtifactError, BackendError
from roller_mlir.runtime.findings import SanitizedRunError, SanitizerFinding
from roller_mlir.runtime.registry import backend_names, find_backend, register_backend

__all__ = [
    "ArgumentError",
    "Artifact",
    "ArtifactError",
    "BackendError",
    "HostProgram",
    "LoadedProgram",
    "RunResult",
    "SanitizedRunError",
    "SanitizerFinding",
    "backend_names",
    "find_backend",
    "register_backend",
]
