# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is accepted beyond plain loop nests: control flow, modules, scalars, views, positions."""
