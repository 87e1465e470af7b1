// What is wrong with a command line is said in one line, with the nearest name that exists; the exit code is 2.
// RUN: not roller-opt %s --rtile-constuct 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: roller-opt: error: unknown option '--rtile-constuct'; did you mean '--rtile-construct'?
// RUN: not roller-opt %s --rtile-construct=devise=h200 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: pipeline:1:16: error: 'rtile-construct' has no option 'devise'; did you mean 'device'?
// OPTION-NEXT: builtin.module(rtile-construct{devise=h200})
// OPTION-NEXT:                ^
// RUN: not roller-opt %s --pass-pipeline='builtin.module(rtile-normalize,canonicalise)' 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: pipeline:1:32: error: unknown pass 'canonicalise'; did you mean 'canonicalize'?
// RUN: not roller-opt %s --pass-pipeline='builtin.module(func.func(rtile-expand))' 2>&1 | FileCheck %s --check-prefix=NEST
// NEST: error: 'rtile-expand' runs on builtin.module, not on 'func.func'; move it out of the nest
// RUN: not roller-opt %s --rtile-expand --rtile-construct=device=h200 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: 'rtile-expand' requires 'plan', which 'rtile-construct' establishes only later; put 'rtile-construct' before 'rtile-expand'
// RUN: not roller-opt %s --rtile-construct=tile-sizes=64,x 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: 'rtile-construct': option 'tile-sizes' must be a list of int, but got '64,x'
// RUN: not roller-opt %s --roller-to-sim=devise=h200 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: 'roller-to-sim' has no option 'devise'; did you mean 'device'?
// RUN: not roller-opt %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: roller-opt: error: cannot open input file '{{.*}}.missing': No such file or directory
// RUN: not roller-opt %s -o %t.missing/x 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: roller-opt: error: cannot write output file '{{.*}}': No such file or directory
module {}
