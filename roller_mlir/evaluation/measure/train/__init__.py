# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training of residuals from measurements, and their judgement."""
