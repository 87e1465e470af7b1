// The manual names every pass and option; the list has ours and the upstream ones.
// RUN: roller-opt --help | FileCheck %s --check-prefix=HELP
// HELP: usage: roller-opt [FILE | -] [options]
// HELP: --pass-pipeline=TEXT
// HELP: --verify-diagnostics
// HELP: --rtile-construct
// HELP-NEXT: device=<string>
// HELP: tile-sizes=<list of int>
// HELP: --roller-to-sim
// HELP-NEXT: runs rtile-normalize, rtile-fuse, rtile-construct, rtile-expand, rtile-assign-buffers, rtile-lower-to-gpu
// HELP: exit codes: 0 done, 1 the input was refused, 2 wrong usage, 70 a bug of roller-opt
// RUN: roller-opt --list-passes | FileCheck %s --check-prefix=LIST
// LIST: rtile-expand
// LIST: roller-to-nvvm
// LIST: upstream passes:
// LIST: canonicalize
// RUN: roller-opt --version | FileCheck %s --check-prefix=VERSION
// VERSION: roller-opt {{[0-9]+\.[0-9]+\.[0-9]+}}
module {}
