# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a simulated kernel did wrong: errors, faults, findings of the sanitizer, threads that are stuck."""
