# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The child that runs LLVM: whatever happens to it, the caller gets an error that names the kernel, and can go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.hal import Device
from roller_mlir.lowering.backend import CompileError
from roller_mlir.lowering.backend.checks.code_object import section, section_names
from roller_mlir.lowering.backend.child.frames import Message, decode, encode
from roller_mlir.lowering.backend.child.pool import WorkerPool
from roller_mlir.lowering.targets import compile_kernels

FATAL = """
gpu.module @kernels {
  llvm.func @poison(%a: !llvm.ptr) attributes {rocdl.kernel} {
    %x = llvm.load %a : !llvm.ptr -> f32
    %y = llvm.intr.tanh(%x) : (f32) -> f32
    llvm.store %y, %a : f32, !llvm.ptr
    llvm.return
  }
}
"""
"""LLVM 22 has no tanh for AMD, and ends the process on it."""

COPY = "define void @copy(ptr %p) {\n  store float 0.0, ptr %p\n  ret void\n}\n"


def job(llvm_ir: str = COPY, cpu: str = "sm_80") -> Message:
    """A job for NVIDIA."""
    fields = {
        "kernel": "copy",
        "triple": "nvptx64-nvidia-cuda",
        "cpu": cpu,
        "features": "+ptx70",
        "library": "",
        "needed": [],
        "object": False,
        "unroll": True,
    }
    return Message(fields=fields, blobs={"llvm_ir": llvm_ir.encode()})


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def idle_pids(pool: WorkerPool) -> list[int]:
    """Process ids of the children that wait."""
    return [worker._process.pid for worker in pool._idle]


def when_at_work(pool: WorkerPool, act: Callable[..., object], *arguments: object) -> None:
    """Do something from another thread as soon as a job has a child."""

    def wait() -> None:
        while not pool._busy:
            time.sleep(0.01)
        act(*arguments)

    threading.Thread(target=wait, daemon=True).start()


def gone(pid: int, within_s: float = 600.0) -> bool:
    """Whether a process ends in time."""
    end = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def test_a_fatal_error_of_llvm_is_a_compile_error(parse: Any, kernels: Any, pool: WorkerPool, mi300x: Device) -> None:
    """The error names the kernel, how the child ended and what LLVM said; the next kernel compiles."""
    with pytest.raises(
        CompileError, match=r"kernel 'poison': LLVM code generation died with .*: error: no libcall available for ftanh"
    ):
        compile_kernels(parse(FATAL), "mi300x", pool=pool)
    (binary,) = compile_kernels(parse(kernels.scale), "mi300x", pool=pool)
    assert "hsaco" in binary.files


def test_a_bad_module_is_an_error_and_the_child_lives_on(pool: WorkerPool) -> None:
    """LLVM's message arrives; no new child is needed."""
    pool.run("copy", job(), 600)
    (pid,) = idle_pids(pool)
    with pytest.raises(
        CompileError, match=r"kernel 'bad': LLVM refused the module: LLVM IR parsing error .*expected type"
    ):
        pool.run("bad", job("define nonsense"), 600)
    assert idle_pids(pool) == [pid]


def test_a_child_that_takes_too_long_is_ended(pool: WorkerPool) -> None:
    """A stopped child stands for one that hangs."""
    pool.run("copy", job(), 600)
    (pid,) = idle_pids(pool)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(CompileError, match=r"kernel 'slow': LLVM code generation took more than 0\.3 s and was ended"):
        pool.run("slow", job(), 0.3)
    assert gone(pid)
    assert b".entry" in pool.run("copy", job(COPY.replace("define", "define ptx_kernel")), 600).blobs["assembly"]


def test_a_big_job_for_a_child_that_hangs_is_given_up_too(pool: WorkerPool) -> None:
    """The pipe fills up; writing must not wait forever."""
    pool.run("copy", job(), 600)
    os.kill(idle_pids(pool)[0], signal.SIGSTOP)
    with pytest.raises(CompileError, match=r"kernel 'big': .* took more than 0.3 s"):
        pool.run("big", job(COPY + ";" + "x" * 4_000_000), 0.3)


def test_a_child_that_died_while_idle_is_replaced(pool: WorkerPool) -> None:
    """Nobody's job was lost, so nobody hears of it."""
    pool.run("copy", job(), 600)
    (first,) = idle_pids(pool)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    pool.run("copy", job(), 600)
    assert idle_pids(pool) != [first]


def test_a_child_that_is_killed_at_work_is_a_compile_error(pool: WorkerPool) -> None:
    """As by the system when memory runs out."""
    pool.run("copy", job(), 600)
    (pid,) = idle_pids(pool)
    os.kill(pid, signal.SIGSTOP)
    when_at_work(pool, os.kill, pid, signal.SIGKILL)
    with pytest.raises(CompileError, match=r"kernel 'killed': LLVM code generation died with signal SIGKILL"):
        pool.run("killed", job(), 600)


def test_threads_have_a_child_each_and_reuse_them(pool: WorkerPool) -> None:
    """Two at a time need two children at most, however many jobs there are."""
    results: list[bytes] = []

    def work() -> None:
        results.extend(pool.run("copy", job(), 600).blobs["assembly"] for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 10
    assert len(set(results)) == 1
    assert 1 <= len(idle_pids(pool)) <= 2


def test_abort_ends_children_at_work(pool: WorkerPool) -> None:
    """Whoever waits for one gets an error."""
    pool.run("copy", job(), 600)
    os.kill(idle_pids(pool)[0], signal.SIGSTOP)
    when_at_work(pool, pool.abort)
    with pytest.raises(CompileError, match=r"kernel 'waiting': LLVM code generation died"):
        pool.run("waiting", job(), 600)


SCRIPT = """
import os, sys, time
from roller_mlir.lowering.backend.child.pool import process_pool
from roller_mlir.lowering.backend.child.frames import Message
fields = {"kernel": "copy", "triple": "nvptx64-nvidia-cuda", "cpu": "sm_80", "features": "+ptx70"}
fields |= {"library": "", "needed": [], "object": False, "unroll": True}
job = Message(fields=fields, blobs={"llvm_ir": b"define void @copy(ptr %p) { ret void }"})
process_pool().run("copy", job, 60)
print(process_pool()._idle[0]._process.pid, flush=True)
"""


def run_script(body: str) -> subprocess.Popen[str]:
    """Starts a process that has started a child."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", SCRIPT + body],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_the_child_ends_with_the_process() -> None:
    """At a normal exit, without a word."""
    process = run_script("")
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0
    assert err == ""
    assert gone(int(out))


def test_the_child_ends_when_the_process_is_killed() -> None:
    """Even where the process had no time to say so."""
    process = run_script("time.sleep(6000)")
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    assert alive(pid)
    process.kill()
    process.communicate(timeout=600)
    assert gone(pid)


def test_a_forked_process_starts_its_own_child() -> None:
    """Two processes on one pipe would read each other's answers."""
    process = run_script(
        """
first = process_pool()._idle[0]._process.pid
fork = os.fork()
if fork == 0:
    process_pool().run("copy", job, 60)
    print(process_pool()._idle[0]._process.pid != first, flush=True)
    os._exit(0)
os.waitpid(fork, 0)
process_pool().run("copy", job, 60)
print(process_pool()._idle[0]._process.pid == first)
"""
    )
    out, err = process.communicate(timeout=600)
    assert out.split()[1:] == ["True", "True"], err


def test_the_child_does_not_load_mlir() -> None:
    """It is what makes it start in a tenth of a second."""
    code = """
import sys, roller_mlir.lowering.backend.child.worker
print([name for name in sys.modules if name.startswith(("torch", "mlir"))])
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    out = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, env=environment, check=True
    ).stdout
    assert out.strip() == "[]"


def test_frames_hold_what_was_put_in() -> None:
    """Empty blobs and every byte."""
    message = Message(fields={"a": [1, None, "\u00fc"]}, blobs={"x": bytes(range(256)), "y": b""})
    data = encode(message)
    position = 0

    def read(count: int) -> bytes:
        nonlocal position
        position += count
        return data[position - count : position]

    assert decode(read) == message
    assert position == len(data)


def test_a_frame_that_is_none_is_refused() -> None:
    """A stray text on the pipe must not make the caller wait for exabytes."""
    with pytest.raises(ValueError, match="a frame's header must be at most 16777216 B, but got"):
        decode(lambda count: b"LLVM ERROR: what"[:count])


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])
def test_a_cpus_object_has_the_code_of_its_text(triple: str) -> None:
    """The object is assembled from the text where LLVM runs on such a machine, and generated elsewhere."""
    script = Path(__file__).with_name("worker_objects.py")
    shown = subprocess.run([sys.executable, script, triple], check=True, capture_output=True, text=True).stdout
    code, generated = map(bytes.fromhex, shown.splitlines())
    assert len(section(code, ".text")) > 32
    parts = {".text", ".rodata.cst4"} & set(section_names(generated))
    assert {name: section(code, name) for name in parts} == {name: section(generated, name) for name in parts}
