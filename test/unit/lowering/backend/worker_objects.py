# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints two objects of a function in hexadecimal: the one that a worker makes, and the one that LLVM generates.

A worker's options are those of LLVM in the whole process, in which nothing else may compile then.
"""

import sys

import llvmlite.binding as llvm

from roller_mlir.lowering.backend.child import worker

MODULE = """
  declare float @expf(float)
  define void @"a \\22name\\22 \\5C"(ptr %p, i64 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i64 [0, %entry], [%next, %loop]
    %at = getelementptr float, ptr %p, i64 %i
    %x = load float, ptr %at
    %y = call float @expf(float %x)
    %s = fadd float %y, 0x400921FB60000000
    store float %s, ptr %at
    %next = add i64 %i, 1
    %more = icmp slt i64 %next, %n
    br i1 %more, label %loop, label %end
  end:
    ret void
  }
"""


def main(triple: str) -> None:
    """Print both for a machine."""
    worker._initialize()
    context = llvm.create_context()
    machine = llvm.Target.from_triple(triple).create_target_machine(opt=3, reloc="pic", codemodel="small")
    module = llvm.parse_assembly(f'target triple = "{triple}"{MODULE}', context=context)
    code = worker._cpu_code(module, list, machine, context, with_object=True)["object"]
    print(code.hex())
    print(machine.emit_object(module).hex())


if __name__ == "__main__":
    main(sys.argv[1])
