# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a candidate costs: traffic, bank phases, arithmetic, time (ROLLER, section 4)."""
