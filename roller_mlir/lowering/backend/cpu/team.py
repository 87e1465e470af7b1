# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that share the tasks of a kernel, as LLVM IR, for each compiled library (see `roller_mlir.plan.team`).

A thread that waits looks at a word of its own a number of times and then sleeps on it (a futex of Linux): a job that
follows the last one at once is begun without the system, and one that comes late costs these looks alone. Only those
threads are told of a job that have a part of it.

The memory of a team, in lines:

    0      parts that are not done yet, without the caller's; whether the caller sleeps until there are none
    1      the job: body, arguments, scratches, tasks, and between how many ranks they are divided
    2...   of each rank but the caller's: how many jobs it was given so far; whether it sleeps until there is one more

A job without a body ends the threads that it is given to.
"""

from roller_mlir.plan.team import BODY, LINE_BYTES, RUN, SERVE, SHARE

_FUTEX = {"x86_64": 202, "aarch64": 98}
_WAIT, _WAKE = 128, 129
"""Linux's numbers: the system call by processor; FUTEX_WAIT and FUTEX_WAKE, both with FUTEX_PRIVATE_FLAG."""
_PAUSE = {"x86_64": "@llvm.x86.sse2.pause()", "aarch64": "@llvm.aarch64.hint(i32 1)"}
_DECLARED = {"x86_64": "@llvm.x86.sse2.pause()", "aarch64": "@llvm.aarch64.hint(i32)"}


def team_module(triple: str) -> str:
    """Return a module with the functions of a team.

    Args:
        triple: LLVM's name of the machine.
    """
    processor = triple.partition("-")[0]
    futex, pause = _FUTEX[processor], _PAUSE[processor]
    return f"""
%job = type {{ ptr, ptr, ptr, i64, i64 }}
%listed = type {{ ptr, ptr, i64, i64 }}
declare i64 @syscall(i64, ...)
declare void {_DECLARED[processor]}
declare i64 @llvm.umin.i64(i64, i64)

; Wait until a word has a value; the word behind it says that who waits sleeps.
define internal void @await(ptr %word, i32 %wanted, i64 %looks) {{
start:
  %sleeps = getelementptr i8, ptr %word, i64 4
  br label %look
look:
  %left = phi i64 [ %looks, %start ], [ %fewer, %pause ]
  %seen = load atomic i32, ptr %word seq_cst, align 4
  %there = icmp eq i32 %seen, %wanted
  br i1 %there, label %end, label %again
again:
  %tired = icmp sle i64 %left, 0
  br i1 %tired, label %sleep, label %pause
pause:
  call void {pause}
  %fewer = sub i64 %left, 1
  br label %look
sleep:
  store atomic i32 1, ptr %sleeps seq_cst, align 4
  br label %check
check:
  %now = load atomic i32, ptr %word seq_cst, align 4
  %come = icmp eq i32 %now, %wanted
  br i1 %come, label %awake, label %lie
lie:
  %woken = call i64 (i64, ...) @syscall(i64 {futex}, ptr %word, i32 {_WAIT}, i32 %now, ptr null)
  br label %check
awake:
  store atomic i32 0, ptr %sleeps seq_cst, align 4
  br label %end
end:
  ret void
}}

; Wake who sleeps on a word, which has been written.
define internal void @wake(ptr %word) {{
  %sleeps = getelementptr i8, ptr %word, i64 4
  %asleep = load atomic i32, ptr %sleeps seq_cst, align 4
  %awake = icmp eq i32 %asleep, 0
  br i1 %awake, label %end, label %wake
wake:
  %woken = call i64 (i64, ...) @syscall(i64 {futex}, ptr %word, i32 {_WAKE}, i32 1)
  br label %end
end:
  ret void
}}

; Do the part of a rank, and return whether there was a job: neighbours, and one more for each of the first ranks.
define internal i1 @part(ptr %team, i64 %rank) {{
  %job = getelementptr i8, ptr %team, i64 {LINE_BYTES}
  %body = load ptr, ptr %job
  %ended = icmp eq ptr %body, null
  br i1 %ended, label %end, label %work
work:
  %arguments_at = getelementptr %job, ptr %job, i64 0, i32 1
  %scratches_at = getelementptr %job, ptr %job, i64 0, i32 2
  %tasks_at = getelementptr %job, ptr %job, i64 0, i32 3
  %ranks_at = getelementptr %job, ptr %job, i64 0, i32 4
  %arguments = load ptr, ptr %arguments_at
  %scratches = load ptr, ptr %scratches_at
  %tasks = load i64, ptr %tasks_at
  %ranks = load i64, ptr %ranks_at
  %each = udiv i64 %tasks, %ranks
  %longer = urem i64 %tasks, %ranks
  %before = mul i64 %rank, %each
  %ahead = call i64 @llvm.umin.i64(i64 %rank, i64 %longer)
  %first = add i64 %before, %ahead
  %long = icmp ult i64 %rank, %longer
  %more = zext i1 %long to i64
  %size = add i64 %each, %more
  %behind = add i64 %first, %size
  %scratch_at = getelementptr ptr, ptr %scratches, i64 %rank
  %scratch = load ptr, ptr %scratch_at
  call void %body(ptr %arguments, ptr %scratch, i64 %first, i64 %behind)
  br label %end
end:
  %found = phi i1 [ false, %0 ], [ true, %work ]
  ret i1 %found
}}

define void @{SERVE}(ptr %team, i64 %rank, i64 %looks) {{
start:
  %number = add i64 %rank, 1
  %place = mul i64 %number, {LINE_BYTES}
  %given = getelementptr i8, ptr %team, i64 %place
  br label %next
next:
  %wanted = phi i32 [ 1, %start ], [ %following, %done ], [ %following, %last ]
  call void @await(ptr %given, i32 %wanted, i64 %looks)
  %going = call i1 @part(ptr %team, i64 %rank)
  br i1 %going, label %done, label %end
done:
  %following = add i32 %wanted, 1
  %parts = atomicrmw sub ptr %team, i32 1 seq_cst
  %was_last = icmp eq i32 %parts, 1
  br i1 %was_last, label %last, label %next
last:
  call void @wake(ptr %team)
  br label %next
end:
  ret void
}}

define void @{SHARE}(
    ptr %team, ptr %body, ptr %arguments, ptr %scratches, i64 %tasks, i64 %ranks, i64 %looks) {{
start:
  %job = getelementptr i8, ptr %team, i64 {LINE_BYTES}
  %arguments_at = getelementptr %job, ptr %job, i64 0, i32 1
  %scratches_at = getelementptr %job, ptr %job, i64 0, i32 2
  %tasks_at = getelementptr %job, ptr %job, i64 0, i32 3
  %ranks_at = getelementptr %job, ptr %job, i64 0, i32 4
  store ptr %body, ptr %job
  store ptr %arguments, ptr %arguments_at
  store ptr %scratches, ptr %scratches_at
  store i64 %tasks, ptr %tasks_at
  store i64 %ranks, ptr %ranks_at
  %others = sub i64 %ranks, 1
  %parts = trunc i64 %others to i32
  store atomic i32 %parts, ptr %team seq_cst, align 4
  br label %give
give:
  %rank = phi i64 [ 1, %start ], [ %number, %one ]
  %all = icmp uge i64 %rank, %ranks
  br i1 %all, label %own, label %one
one:
  %number = add i64 %rank, 1
  %place = mul i64 %number, {LINE_BYTES}
  %given = getelementptr i8, ptr %team, i64 %place
  %before = atomicrmw add ptr %given, i32 1 seq_cst
  call void @wake(ptr %given)
  br label %give
own:
  %going = call i1 @part(ptr %team, i64 0)
  br i1 %going, label %rest, label %end
rest:
  call void @await(ptr %team, i32 0, i64 %looks)
  br label %end
end:
  ret void
}}

define void @{RUN}(ptr %team, ptr %jobs, i64 %count, ptr %scratches, i64 %looks) {{
start:
  br label %next
next:
  %number = phi i64 [ 0, %start ], [ %following, %done ]
  %all = icmp uge i64 %number, %count
  br i1 %all, label %end, label %one
one:
  %body_at = getelementptr %listed, ptr %jobs, i64 %number, i32 0
  %arguments_at = getelementptr %listed, ptr %jobs, i64 %number, i32 1
  %tasks_at = getelementptr %listed, ptr %jobs, i64 %number, i32 2
  %ranks_at = getelementptr %listed, ptr %jobs, i64 %number, i32 3
  %body = load ptr, ptr %body_at
  %arguments = load ptr, ptr %arguments_at
  %tasks = load i64, ptr %tasks_at
  %ranks = load i64, ptr %ranks_at
  %single = icmp ule i64 %ranks, 1
  br i1 %single, label %alone, label %shared
alone:
  %scratch = load ptr, ptr %scratches
  call void %body(ptr %arguments, ptr %scratch, i64 0, i64 %tasks)
  br label %done
shared:
  call void @{SHARE}(
    ptr %team, ptr %body, ptr %arguments, ptr %scratches, i64 %tasks, i64 %ranks, i64 %looks)
  br label %done
done:
  %following = add i64 %number, 1
  br label %next
end:
  ret void
}}
"""


def body_of(kernel: str, arrays: int, *, scratch: bool) -> str:
    """Return the function of a range of a kernel's tasks that takes the addresses of its arrays in an array.

    Args:
        kernel: Its name, which the module declares.
        arrays: How many arrays it takes.
        scratch: Whether it takes a scratch, too.
    """
    lines: list[str] = []
    for number in range(arrays):
        lines.append(f"  %p{number} = getelementptr ptr, ptr %arguments, i64 {number}")
        lines.append(f"  %a{number} = load ptr, ptr %p{number}")
    given = [*(f"ptr %a{number}" for number in range(arrays)), *(["ptr %scratch"] if scratch else [])]
    call = f"  call void @{kernel}({', '.join([*given, 'i64 %first', 'i64 %end'])})"
    text = "\n".join([*lines, call])
    return f"""
define void @{kernel}{BODY}(ptr %arguments, ptr %scratch, i64 %first, i64 %end) {{
{text}
  ret void
}}
"""
