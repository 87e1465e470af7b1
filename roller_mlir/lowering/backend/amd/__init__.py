# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMDGPU assembly and code objects."""
