# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller explain`: how an operator is planned and why, for a terminal and for a browser."""
