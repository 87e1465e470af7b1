# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether results are right and fast: a numpy reference, random programs, suites, measurements on devices."""
