# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random linalg functions, compiled, run in the simulator and compared with numpy; failures are shrunk.

Making, writing and shrinking programs needs no MLIR: only the worker processes load the compiler.
"""
