# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process in which LLVM runs, so that its death is an error and not ours."""
