# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller report`: what a kit's runner measured, as Markdown, a page and pictures."""
