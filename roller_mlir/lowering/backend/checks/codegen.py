# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled kernel through the codegen check: its code is read, see `quality` for what is compared.

NVIDIA's machine code is read from the cubin; where there is none, or its encoding is not known, PTX stands for it,
which tells multiply-adds, access widths and workgroup memory, but not registers. AMD's assembly is there anyway.
What tensor copies and products of warpgroups take is read from PTX and the tensor maps, see `hopper/codegen.py`.
"""

import time
from dataclasses import replace

from roller_mlir.lowering.backend.checks.assembly import Listing, read_gcn, read_ptx
from roller_mlir.lowering.backend.checks.hopper.codegen import hopper_mismatches
from roller_mlir.lowering.backend.checks.quality import mismatches, ptx_workgroup_bytes
from roller_mlir.lowering.backend.checks.sass import knows_sass, read_cubin
from roller_mlir.lowering.backend.job import BackendJob, KernelBinary
from roller_mlir.lowering.backend.sources import KernelSource
from roller_mlir.mapping.checks.expected_code import ExpectedCode


def compared(
    binary: KernelBinary, source: KernelSource, expected_code: ExpectedCode | None, job: BackendJob
) -> KernelBinary:
    """Return a kernel with its mismatches.

    Args:
        binary: the kernel.
        source: what it was made of.
        expected_code: what its plan expects; None for a kernel without a plan.
        job: how it was made.
    """
    start = time.perf_counter()
    statistics = binary.statistics
    ptx = binary.text("ptx")
    if statistics.shared_bytes is None and ptx:
        declared = ptx_workgroup_bytes(ptx) + source.dynamic_shared_bytes
        statistics = replace(statistics, shared_bytes=declared)
    found = mismatches(
        expected_code,
        statistics,
        listing_of(binary, job.target.architecture),
        fmas=source.fma_count,
        matrices=source.matrix_count,
        beside=(source.other_products, source.other_sums),
    )
    if ptx:
        products = None if expected_code is None else expected_code.products
        found += hopper_mismatches(ptx, source.tensor_maps, products, source.made_maps)
    phases = {**binary.phases_s, "gate_s": time.perf_counter() - start}
    return replace(binary, mismatches=found, phases_s=phases)


def listing_of(binary: KernelBinary, architecture: str) -> Listing | None:
    """Return the instructions of a kernel; None where there is nothing to read."""
    if "cubin" in binary.files and knows_sass(architecture):
        return read_cubin(binary.files["cubin"], binary.name, architecture)
    ptx, assembly = binary.text("ptx"), binary.text("assembly")
    if ptx:
        return read_ptx(ptx)
    return read_gcn(assembly, binary.name) if assembly else None
