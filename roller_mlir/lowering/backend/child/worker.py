# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code generation child: LLVM IR in, PTX or an AMDGPU object out.

LLVM ends the process on what it calls fatal errors, and may crash; so it runs here, where only the child dies. The
child is started once (`python -m roller_mlir.lowering.backend.child.worker`), imports nothing of the compiler but
`frames`, answers one job after the other on what was its standard output, and ends when its standard input does.
"""

import functools
import os
import queue
import re
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import llvmlite.binding as llvm

from roller_mlir.lowering.backend.child.frames import Message, decode, encode

_NAME = "roller"  # how LLVM calls the program that sets its options
_FEW_SPILLS = 4
"""Of vectors, that are left as they are."""
_MULTIPLIES_A_SPILL = 32
"""Of so many multiply-adds one spill is left, too."""
_ROTATED_INSTRUCTIONS = 16
"""Of a loop's header that LLVM copies in front of the loop at most, by itself."""
_BLOCK_END = re.compile(r"^(?:[^\s#][^\n]*:|\s+(?:j\w+|b|b\.\w+|cbn?z|tbn?z)\s[^\n]*)$", re.MULTILINE)
_MULTIPLIES = re.compile(r"\bvfn?m(?:add|sub)|\bfml[as]\b")
_STACKED = re.compile(r"%[yz]mm\d+, -?\d*\(%rsp|\(%rsp[^\n]*%[yz]mm|\b(?:str|ldr|stp|ldp)\s+q[^\n]*\[sp\b")


@functools.cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()
    # NVIDIA's workgroup memory is addressed by 32 bits.
    llvm.set_option(_NAME, "-nvptx-short-ptr")
    # Sums of a program of one step would be computed where they are stored, and all that they read live until there.
    llvm.set_option(_NAME, "-instcombine-code-sinking=false")
    llvm.set_option(_NAME, "-disable-machine-sink")


@functools.cache
def _library_subset(path: str, needed: frozenset[str]) -> bytes:
    """Return the bitcode of some functions of a library and of what they call. Linking all of it takes 0.1 s."""
    library: Any = llvm.parse_bitcode(Path(path).read_bytes(), llvm.create_context())
    have = {function.name for function in library.functions if not function.is_declaration}
    if missing := sorted(needed - have):
        raise ValueError(f"{path} has no function {', '.join(missing)}")
    for value in (*library.functions, *library.global_variables):
        if not value.is_declaration:
            value.linkage = "external" if value.name in needed else "internal"
    passes: Any = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(library, _pass_builder(llvm.Target.from_default_triple().create_target_machine()))
    return library.as_bitcode()


def _pass_builder(machine: Any, *, unroll: bool = True) -> Any:
    """Return a builder of the -O3 pipeline. Loops are vectorised by the plan, never by LLVM.

    Args:
        machine: what to generate code for.
        unroll: whether loops are unrolled.
    """
    options: Any = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = unroll
    return llvm.create_pass_builder(machine, options)


def _generate(job: Message) -> Message:
    """Optimise a module and generates code.

    Fields: `kernel`, `triple`, `cpu`, `features`, `library` (path of bitcode or ""), `needed` (functions of it),
    `object` (whether to give an object beside the assembly), `unroll` (whether to unroll loops), `shared` (whether the
    object is to be part of a shared library; may be left out), `as_it_is` (whether the code is made without passes and
    has no assembly; may be left out). Blob `llvm_ir`. The answer has the blobs `assembly` and, if wanted, `object`.
    """
    _initialize()
    fields = job.fields
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    # A context of its own: the global one keeps every type and constant that it ever saw.
    context: Any = llvm.create_context()
    module: Any = llvm.parse_assembly(job.blobs["llvm_ir"].decode(), context=context)
    if fields["needed"]:
        module.link_in(llvm.parse_bitcode(_library_subset(fields["library"], frozenset(fields["needed"])), context))
        for function in module.functions:
            if not function.is_declaration and function.name != fields["kernel"]:
                function.linkage = "internal"
    # Loop strength reduction gives each access of an NVIDIA kernel a 64-bit pointer that moves by two additions a step.
    nvidia = fields["triple"].startswith("nvptx")
    llvm.set_option(_NAME, f"-disable-lsr={'true' if nvidia else 'false'}")
    # What each target has by itself: an option that was ever given, as `_cpu_code` does, counts in its place.
    llvm.set_option(_NAME, f"-enable-misched={'false' if nvidia else 'true'}")
    llvm.set_option(_NAME, "-disable-machine-licm=false")
    # Code of a shared library runs wherever it is put.
    place = {"reloc": "pic", "codemodel": "small"} if fields.get("shared") else {}
    machine: Any = llvm.Target.from_triple(fields["triple"]).create_target_machine(
        cpu=fields["cpu"], features=fields["features"], opt=3, **place
    )
    module.triple = fields["triple"]
    module.data_layout = str(machine.target_data)
    module.verify()
    if fields.get("as_it_is"):
        return Message(fields={"seconds": seconds}, blobs={"object": machine.emit_object(module)})
    gpu = nvidia or fields["triple"].startswith("amdgcn")
    given = b"" if gpu else module.as_bitcode()

    def optimise(module: Any, *, rotated: bool) -> Any:
        llvm.set_option(_NAME, f"-rotation-max-header-size={_ROTATED_INSTRUCTIONS if rotated else 0}")
        builder = _pass_builder(machine, unroll=fields["unroll"])
        builder.getModulePassManager().run(module, builder)
        return module

    optimise(module, rotated=True)
    seconds["llvm_s"] = time.perf_counter() - start
    start = time.perf_counter()
    if gpu:
        blobs = _gpu_code(module, machine, context, with_object=fields["object"])
    else:

        def unrotated() -> Any:
            return optimise(llvm.parse_bitcode(given, context), rotated=False)

        blobs = _cpu_code(module, unrotated, machine, context, with_object=fields["object"])
    seconds["codegen_s"] = time.perf_counter() - start
    return Message(fields={"seconds": seconds}, blobs=blobs)


def _gpu_code(module: Any, machine: Any, context: Any, *, with_object: bool) -> dict[str, bytes]:
    """Return the assembly of an optimised module and, if wanted, its object."""
    blobs: dict[str, bytes] = {}
    if with_object:
        # Generating code changes the module, so each output is generated from its own copy of the optimised one.
        blobs["object"] = machine.emit_object(llvm.parse_bitcode(module.as_bitcode(), context))
    blobs["assembly"] = machine.emit_assembly(module).encode()
    return blobs


class _Generation(NamedTuple):
    """How code is generated.

    Attributes:
        optimised: The module.
        scheduled: Whether LLVM's scheduler orders what stands in a block.
        hoisted: Whether constants are loaded in front of the loops that use them.
    """

    optimised: bytes
    scheduled: bool = True
    hoisted: bool = True


def _cpu_code(
    module: Any, unrotated: Callable[[], Any], machine: Any, context: Any, *, with_object: bool
) -> dict[str, bytes]:
    """Return the assembly of a module and, if wanted, its object.

    LLVM's scheduler may keep more loads in flight than there are registers, and then spills sums inside of their loop.
    A CPU reorders by itself what it runs: where vectors are spilled, code is generated in the order of the IR, too.
    Where a loop was rotated, sums may be spilled in it for what is done with them behind it: then it is left as it is.
    Both are tried at once. Where they leave more than half of the spills, constants are loaded where they are used
    (LLVM holds those of the epilogue, such as the permutations that turn a tile, in registers through all loops), and
    each of the first two is tried alone. The code with the fewest spills is taken, of equals the first.

    Args:
        module: The module, optimised.
        unrotated: Returns the same with loops that are not rotated.
        machine: What to generate code for.
        context: Where modules are read.
        with_object: Whether to return the object.
    """

    def generated(emit: Any, way: _Generation) -> Any:
        llvm.set_option(_NAME, f"-enable-misched={'true' if way.scheduled else 'false'}")
        llvm.set_option(_NAME, f"-disable-machine-licm={'false' if way.hoisted else 'true'}")
        return emit(llvm.parse_bitcode(way.optimised, context))

    def spills(way: _Generation) -> tuple[int, str, _Generation]:
        assembly = generated(machine.emit_assembly, way)
        return spilled_vectors(assembly), assembly, way

    def tried() -> Iterator[tuple[int, str, _Generation]]:
        rotated = _Generation(module.as_bitcode())
        first = spills(rotated)
        yield first
        spilled, assembly, _ = first
        few = max(_FEW_SPILLS, len(_MULTIPLIES.findall(assembly)) // _MULTIPLIES_A_SPILL)
        if spilled <= few:
            return
        loops = _Generation(unrotated().as_bitcode())
        in_order = loops._replace(scheduled=False)
        for way in (in_order, rotated._replace(hoisted=False), loops, rotated._replace(scheduled=False)):
            one = spills(way)
            yield one
            if one[0] <= max(few, spilled // 2):
                return

    _, assembly, way = min(tried(), key=lambda one: one[0])
    blobs: dict[str, bytes] = {}
    if with_object and llvm.Target.from_triple(machine.triple).name == llvm.Target.from_default_triple().name:
        blobs["object"] = machine.emit_object(_assembler_module(assembly, machine.triple))
    elif with_object:
        blobs["object"] = generated(machine.emit_object, way)
    return {**blobs, "assembly": assembly.encode()}


def _assembler_module(assembly: str, triple: str) -> Any:
    """Return a module that is nothing but assembly, which is read sooner than it would be generated again."""
    lines = (line.replace("\\", r"\5C").replace('"', r"\22") for line in assembly.splitlines())
    text = "\n".join(f'module asm "{line}"' for line in lines)
    return llvm.parse_assembly(f'target triple = "{triple}"\n{text}', context=llvm.create_context())


def spilled_vectors(assembly: str) -> int:
    r"""Return how often a CPU's code reads or writes a vector on the stack in a block that multiplies and adds.

    >>> block = "vmovups 64(%rsp), %zmm1\nvfmadd231ps %zmm1, %zmm2, %zmm3\n"
    >>> spilled_vectors(f"vmovups %zmm0, -64(%rsp)\n.LBB0_1:\n{block}"), spilled_vectors("fma.rn.f32 %f1, %f2, %f3;")
    (1, 0)
    """
    return sum(len(_STACKED.findall(block)) for block in _BLOCK_END.split(assembly) if _MULTIPLIES.search(block))


def _answer(job: Message) -> Message:
    try:
        return _generate(job)
    except Exception as error:  # noqa: BLE001 - the caller makes of it a CompileError that names the kernel
        kind = (
            "" if isinstance(error, RuntimeError) else f"{type(error).__name__}: "
        )  # llvmlite's own are RuntimeErrors
        return Message(fields={"error": kind + " ".join(str(error).split())})


def _receive(stream: BinaryIO, jobs: queue.SimpleQueue[Message]) -> None:
    """Read jobs while LLVM works, so that the end of the compiler ends the child at once, whatever LLVM is doing."""

    def read_exactly(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise EOFError
        return data

    try:
        while True:
            jobs.put(decode(read_exactly))
    finally:
        os._exit(0)


def main() -> None:
    """Serve jobs until standard input ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what LLVM prints must not get between the frames
    jobs: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        data = memoryview(encode(_answer(jobs.get())))
        while data:
            data = data[answers.write(data) :]


if __name__ == "__main__":
    main()
