# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RAMMER: the tasks of a graph, their schedule on the blocks of one persistent kernel, and its proof.

Paper: RAMMER (OSDI 2020), sections 3 and 4.
"""
