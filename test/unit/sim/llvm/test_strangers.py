# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR of strangers is read as LLVM reads it: no spelling makes an instruction run that is not known or checked."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from llvm_kernels import launch

from roller_mlir.sim.diagnosis.errors import SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.sim.llvm.text.known import check_widths
from roller_mlir.support.diagnostics import DiagnosedError

NVIDIA = """
define ptx_kernel void @k(ptr noalias align 16 %0, ptr %1){more} {{
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i32, ptr %0, i64 %4
  %6 = load i32, ptr %5, align 4
  {body}
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
CANARY = "the canary"
# mkdir(path): the number of the system call, the address of the path, its mode.
SYSTEM = (
    'asm sideeffect "syscall", "={{ax}},{{ax}},{{di}},{{si}},~{{rcx}},~{{r11}},~{{memory}}"(i64 83, ptr {0}, i64 511)'
)

TRICKS = {
    "two spaces": ("", "%r  =  call  i64  {asm}", "inline assembly cannot be simulated"),
    "a tab": ("", "%r\t=\tcall\ti64\t{asm}", "inline assembly cannot be simulated"),
    "a quoted name": ("", '%"a = call b" = call i64 {asm}', "inline assembly cannot be simulated"),
    "a comment behind": ("", "%r = call i64 {asm} ; load i32, ptr %0", "inline assembly cannot be simulated"),
    "two lines": ("", "%r =\n call i64\n {asm}", "inline assembly cannot be simulated"),
    "another dialect": (
        "",
        '%r = call i64 asm sideeffect inteldialect "syscall", "={{ax}},{{ax}}"(i64 83)',
        "inline assembly cannot be simulated",
    ),
    "assembly as a kernel with labels": ("", '%r = call i64 asm "1: jmp 1b", "=r"()', "inline assembly cannot be"),
    "assembly with an output in memory": (
        "",
        'call void asm "mov.u32 $0, $1;", "=*m,r"(ptr elementtype(i32) %0, i32 %6)',
        "inline assembly cannot be simulated: its operands are not known",
    ),
    "assembly with a bundle": ("", 'call void asm "exit;", ""() [ "x"(i32 1) ]', "its operands are not known"),
    "a bundle of a call": ("", '%r = call i32 @llvm.nvvm.read.ptx.sreg.tid.x() [ "x"(i32 1) ]', "holds a string"),
    "a promise of a call": (
        "",
        '%r = call i32 @llvm.nvvm.read.ptx.sreg.tid.x() [ "align"(ptr %0, i64 512) ]',
        "holds a string",
    ),
    "assembly of the module": ('module asm ".globl x"\n', "", "is nothing that can be simulated"),
    "a constructor": (
        "@llvm.global_ctors = appending global [1 x {{ i32, ptr, ptr }}] "
        "[{{ i32, ptr, ptr }} {{ i32 1, ptr @k, ptr null }}]\n",
        "",
        "has a start that cannot be simulated",
    ),
    "an alias": ("@x = global i32 0\n@y = alias i32, ptr @x\n", "", "is no variable that can be simulated"),
    "a resolver": ("@y = ifunc void (), ptr @res\ndefine ptr @res() {{ ret ptr null }}\n", "", "cannot be"),
    "code in a section": (
        '@x = global [2 x i8] c"\\0F\\05", section ".text"\n',
        "%r = call i64 @x()",
        "an indirect call cannot be simulated",
    ),
    "an address in a variable": ("@x = global ptr @k\n", "", "has a start that cannot be simulated"),
    "a quoted variable": ('@"x = global" = global i32 0\n', "", "has a name that cannot be simulated"),
    "a variable of ours": ("@roller_record = global i32 0\n", "", "has a name that cannot be simulated"),
    "a function of the process": (
        "declare i32 @system(ptr)\n",
        "%r = call i32 @system(ptr %0)",
        "function 'system' is",
    ),
    "a quoted function": ('declare i32 @"system"(ptr)\n', '%r = call i32 @"system"(ptr %0)', "function 'system' is"),
    "the address of a function": (
        "declare i32 @system(ptr)\n",
        "%r = ptrtoint ptr @system to i64",
        "the address of 'system' cannot be simulated",
    ),
    "a function by its address": (
        "",
        "%f = inttoptr i64 4096 to ptr\n%r = call i32 %f(i32 1)",
        "an indirect call cannot be simulated",
    ),
    "a block's address": (
        "",
        "%r = ptrtoint ptr blockaddress(@k, %there) to i64\nbr label %there\nthere:",
        "'blockaddress' is not known",
    ),
    "a jump to an address": ("", "indirectbr ptr %0, [label %there]\nthere:", "instruction 'indirectbr' is not known"),
    "arguments of any number": (
        "declare void @llvm.va_start.p0(ptr)\n",
        "%r = va_arg ptr %0, i32",
        "instruction 'va_arg' is not known",
    ),
    "an exception": (
        "declare void @f()\ndeclare i32 @__gxx_personality_v0(...)\n",
        "invoke void @f() to label %a unwind label %b\nb:\n%p = landingpad {{ i32 }} cleanup\nbr label %a\na:",
        "instruction 'invoke' is not known",
    ),
    "a store of a named structure": (
        "%t = type {{ i64, i64 }}\n",
        "store %t zeroinitializer, ptr %0",
        "this store cannot be simulated",
    ),
    "a vector of any length": ("", "%r = load <vscale x 4 x i32>, ptr %0", "cannot be simulated"),
    "a division of vectors of any length": (
        "",
        "%r = sdiv <vscale x 4 x i32> splat (i32 4), splat (i32 2)",
        "a division of <vscale x 4 x i32> cannot be simulated",
    ),
    "an 80-bit number": ("", "%r = load x86_fp80, ptr %0", "this load cannot be simulated"),
    "an address of a constant": ("", "store i32 0, ptr inttoptr (i64 4096 to ptr)", "this store cannot be simulated"),
    "a wide vector": ("", "%r = load <100000 x i32>, ptr %0", "a vector of 100000 elements is above the limit 1024"),
    "a wide integer": ("", "%r = load i8000000, ptr %0", "an integer of 8000000 bits is above the limit 512"),
    "much private memory": ("", "%r = alloca [10000000 x i32]", "need 40000000 B of memory of their own"),
    "private memory in a loop": (
        "",
        "br label %loop\nloop:\n%p = alloca i32\n%c = icmp eq i32 %6, 99\nbr i1 %c, label %loop, label %end\nend:",
        "an alloca outside the first block cannot be simulated",
    ),
    "metadata as an operand": (
        "declare i64 @llvm.read_register.i64(metadata)\n",
        '%r = call i64 @llvm.read_register.i64(metadata !{{!"rsp"}})',
        "is not known",
    ),
    "a stack that is kept": ("declare ptr @llvm.stacksave.p0()\n", "%r = call ptr @llvm.stacksave.p0()", "not known"),
}


@pytest.mark.parametrize("what", TRICKS)
def test_no_spelling_slips_through(what: str, tmp_path: Path) -> None:
    head, body, message = TRICKS[what]
    place = tmp_path / CANARY
    path = ctypes.create_string_buffer(bytes(place))
    system = SYSTEM.format("%canary")
    body = body.format(asm=system)
    more = " personality ptr @__gxx_personality_v0" if "landingpad" in body else ""
    if "%canary" in body:
        body = f"%canary = inttoptr i64 {ctypes.addressof(path)} to ptr\n{body}"
    with pytest.raises(DiagnosedError, match="error: kernel 'k': ") as caught:
        launch(head.format() + NVIDIA.format(body=body, more=more), [np.zeros(64, np.float32)] * 2)
    assert message in str(caught.value)
    assert not place.exists()


OUTSIDE = {
    "two spaces": "store  i32  0 ,  ptr  %far",
    "a quoted address": '%"far, align 4" = getelementptr i8, ptr %far, i64 0\nstore i32 0, ptr %"far, align 4"',
    "an atomic": "%r  =  atomicrmw  add ptr  %far, i32 1 monotonic",
    "an exchange": "%r  =  cmpxchg ptr %far, i32 0, i32 1 monotonic monotonic",
    "a fill": "call  void @llvm.memset.p0.i64(ptr %far, i8 0, i64 8, i1 false)",
    "a promise that does not hold": (
        "%own = alloca [16 x i8]\n%n = load i32, ptr %1\n%m = sub i32 %n, 65536\n%w = sext i32 %m to i64\n"
        "%low = getelementptr inbounds nuw i8, ptr %own, i64 %w\nstore i32 0, ptr %low"
    ),
    "a number without meaning": "%p = getelementptr i8, ptr %1, i64 poison\nstore i32 0, ptr %p",
}


@pytest.mark.parametrize("what", OUTSIDE)
def test_every_access_is_checked_however_it_is_spelled(what: str) -> None:
    head = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
    body = f"%far = getelementptr i8, ptr %1, i64 65536\n{OUTSIDE[what]}"
    with pytest.raises(SimulationError, match="are outside the|are in no argument|is not a multiple"):
        launch(head + NVIDIA.format(body=body, more=""), [np.zeros(64, np.int32)] * 2)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%d = sub i32 %6, %6\n%r = sdiv i32 %6, %d", "an integer is divided by 0"),
        ("%d = sub i32 %6, %6\n%r = urem i32 5, %d", "5 / 0"),
        ("%r = sdiv i32 %6, 0", "an integer is divided by 0"),
        ("%m = or i32 %6, -1\n%r = sdiv i32 -2147483648, %m", "-2147483648 / -1 overflows"),
        ("%m = or i64 -1, 0\n%r = srem i64 -9223372036854775808, %m", "/ -1 overflows"),
        (
            "%v = insertelement <4 x i32> splat (i32 3), i32 0, i32 2\n%r = sdiv <4 x i32> splat (i32 7), %v",
            "7 / 0",
        ),
    ],
)
def test_divisions_that_would_end_the_process_are_faults(body: str, message: str) -> None:
    with pytest.raises(SimulationError, match=message) as caught:
        launch(NVIDIA.format(body=body, more=""), [np.zeros(64, np.int32)] * 2)
    assert caught.value.kind == "undefined"
    assert "div i" in body or "rem i" in body or "<4" in body


def test_names_of_strangers_mean_nothing() -> None:
    body = '%"roller.block" = add i32 %6, 1\n%n.3 = add i32 %"roller.block", 1\n%"= load" = add i32 %n.3, 1'
    body += '\n%"kernel_0" = add i32 %"= load", -3\n%r = icmp eq i32 %"kernel_0", %6\ncall void @llvm.assume(i1 %r)'
    launch(NVIDIA.format(body=body, more=""), [np.zeros(64, np.int32)] * 2)


def test_places_are_those_of_the_text_that_was_given() -> None:
    text = NVIDIA.format(body="; a comment\n\n%q = add i32 %6, 0\n%r = call i32 @llvm.nvvm.activemask()", more="")
    line = next(at for at, line in enumerate(text.splitlines(), start=1) if "activemask" in line)
    with pytest.raises(DiagnosedError, match=f"k.ll:{line}:1: error"):
        lower_llvm("k", text, subgroup_size=32)


def test_widths() -> None:
    check_widths("[60000 x <4 x i32>] i512 %i9999 @i9999", in_memory=True)
