# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts for CPUs, run by this machine: shared libraries, arrays where they lie, a pool of threads."""
