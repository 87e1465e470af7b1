# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline PTX and AMDGPU assembly."""
