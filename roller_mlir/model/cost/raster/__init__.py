# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of tasks: what of their inputs caches keep for neighbours."""
