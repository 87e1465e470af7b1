# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a peer is ahead of ours, by operator and metric: what its machine code shows. The page is not made without."""

REASONS: dict[tuple[str, str], str] = {}
