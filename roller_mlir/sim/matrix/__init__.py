# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions of subgroups and their fragments."""
