# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled function as what a C program links: an object, a shared library, and a header.

    void roller_matmul(const float *input0, const float *input1, float *output0);
    void matmul_0(const float *argument0, const float *argument1, float *argument2, int64_t first, int64_t end);

The first runs all kernels in order on the caller's thread; each of the others runs a range of one kernel's tasks, which
are independent of each other, for a caller with threads of its own. A kernel that packs takes a scratch, one for each
thread. Results in between lie in memory that the caller gives, and so do constants, which are the artifact's
constants.bin. Both have besides, for each kernel, what the package's own threads call, and the shared library has these
threads' functions (`roller_mlir.plan.team`).
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import prod

from roller_mlir.lowering.backend.child.frames import Message
from roller_mlir.lowering.backend.child.pool import process_pool
from roller_mlir.lowering.backend.cpu.team import body_of, team_module
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.job import KernelBinary
from roller_mlir.lowering.backend.target import DEFAULT_TIMEOUT_S
from roller_mlir.lowering.backend.vendor_tools.run import run_tool
from roller_mlir.lowering.backend.vendor_tools.toolchain import LLD_REMEDY, Toolchain
from roller_mlir.mapping.alignment import aligned
from roller_mlir.plan.manifest import MEMORY_ALIGNMENT_BYTES, PREPARE, Buffer, BufferView, Manifest

C_TYPES = {
    "f64": "double",
    "f32": "float",
    "f16": "uint16_t",
    "bf16": "uint16_t",
    "i64": "int64_t",
    "i32": "int32_t",
    "i16": "int16_t",
    "i8": "int8_t",
    "i1": "uint8_t",
}
"""How elements are spelled; halves are their bits."""
_DESCRIBES_TILES = "ldtilecfg"
_ARCH_PRCTL, _REQUEST, _TILE_DATA = 158, 0x1023, 18
"""Linux's numbers on x86-64: the system call, what is asked (ARCH_REQ_XCOMP_PERM), and for which state."""
_MEMORY = {"constant": "constants", "workspace": "workspace"}
"""What the caller gives beside inputs and outputs, by the role of the buffers that lie there."""


def library_files(
    manifest: Manifest, binaries: Sequence[KernelBinary], triple: str, toolchain: Toolchain
) -> dict[str, tuple[str, bytes]]:
    """Return the files of a function, by name, each with its role; none where its kernels have no objects.

    Args:
        manifest: Its record.
        binaries: Its kernels.
        triple: LLVM's name of the machine.
        toolchain: Where the linker is.

    Raises:
        CompileError: There is no linker, or it refuses.
    """
    if not binaries or any("object" not in binary.files for binary in binaries):
        return {}
    name, lld = manifest.symbol, toolchain.lld
    tiles = any(_DESCRIBES_TILES in binary.text("assembly") for binary in binaries)
    if lld is None:
        raise CompileError(name, f"no iree-lld was found to link its shared library; {LLD_REMEDY}")
    objects = [(f"{number}.o", binary.files["object"]) for number, binary in enumerate(binaries)]
    objects.append(("entry.o", _object(name, triple, "\n".join(_module(manifest, tiles=tiles)))))
    with_team = [*objects, ("team.o", _team(triple))]

    def link(how: str, members: Sequence[tuple[str, bytes]]) -> bytes:
        options = ("-flavor", "gnu", how, "--whole-archive", "-o", "output")
        result = run_tool(name, lld, options, _archive(members), suffix=".a", timeout_s=DEFAULT_TIMEOUT_S)
        if result.code != 0:
            raise CompileError(name, f"{lld} refused its objects: {result.complaint}")
        return result.output

    with ThreadPoolExecutor(max_workers=2) as threads:
        together, library = threads.map(link, ("-r", "-shared"), (objects, with_team))
    stem = name.removeprefix("roller_")
    return {
        f"{stem}.o": ("object", together),
        f"lib{stem}.so": ("library", library),
        f"{stem}.h": ("header", _header(manifest, tiles=tiles).encode()),
    }


def _parameters(manifest: Manifest) -> list[str]:
    """Return the names of the entry's parameters: inputs, outputs, and the memory that it needs beside them."""
    used = {buffer.role for buffer in manifest.buffers} | ({"workspace"} if _scratch_bytes(manifest) else set[str]())
    beside = [name for role, name in _MEMORY.items() if role in used]
    return [*manifest.inputs, *manifest.outputs, *beside]


def _scratch_bytes(manifest: Manifest) -> int:
    """Return the largest scratch of a kernel."""
    return max((launch.dynamic_workgroup_bytes for launch in manifest.launches), default=0)


def _scratch_start(manifest: Manifest) -> int:
    """Return where in the workspace the entry's scratch begins, behind results in between."""
    return aligned(manifest.workspace_bytes, MEMORY_ALIGNMENT_BYTES)


@cache
def _team(triple: str) -> bytes:
    """Return the object of what threads call, the same in each library."""
    return _object("team", triple, team_module(triple))


def _object(name: str, triple: str, module: str) -> bytes:
    """Return the object of LLVM IR that is as it should be, for any processor of a kind."""
    fields = {"kernel": name, "triple": triple, "cpu": "", "features": "", "library": "", "needed": []}
    request = Message(
        fields={**fields, "object": True, "unroll": False, "shared": True, "as_it_is": True},
        blobs={"llvm_ir": module.encode()},
    )
    return process_pool().run(name, request, DEFAULT_TIMEOUT_S).blobs["object"]


def _module(manifest: Manifest, *, tiles: bool) -> Iterator[str]:
    """Yield the parts of the LLVM IR beside the kernels."""
    yield _entry(manifest)
    for launch in {launch.kernel: launch for launch in manifest.launches if launch.kernel}.values():
        yield body_of(launch.kernel, len(launch.arguments), scratch=launch.dynamic_workgroup_bytes > 0)
    if tiles:
        yield _permission(manifest.symbol)


def _entry(manifest: Manifest) -> str:
    """Return the entry as LLVM IR: each launch in order."""
    lines: list[str] = []
    declared: dict[str, str] = {}

    def address(view: BufferView) -> str:
        buffer = manifest.buffer(view.buffer)
        base = _MEMORY.get(buffer.role, buffer.name)
        offset = view.offset_bytes + (buffer.offset_bytes if buffer.role in _MEMORY else 0)
        lines.append(f"  %v{len(lines)} = getelementptr i8, ptr %{base}, i64 {offset}")
        return f"ptr %v{len(lines) - 1}"

    for launch in manifest.launches:
        given = [address(view) for view in launch.arguments]
        if launch.dynamic_workgroup_bytes:
            lines.append(f"  %v{len(lines)} = getelementptr i8, ptr %workspace, i64 {_scratch_start(manifest)}")
            given.append(f"ptr %v{len(lines) - 1}")
        if launch.kernel:
            kinds = ", ".join(["ptr"] * len(given) + ["i64", "i64"])
            declared[launch.kernel] = f"declare void @{launch.kernel}({kinds})"
            tasks = prod(launch.static_grid)
            lines.append(f"  call void @{launch.kernel}({', '.join([*given, 'i64 0', f'i64 {tasks}'])})")
        else:
            size = launch.arguments[0].size_bytes
            declared[""] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
            lines.append(f"  call void @llvm.memcpy.p0.p0.i64({given[1]}, {given[0]}, i64 {size}, i1 false)")
    parameters = ", ".join(f"ptr %{name}" for name in _parameters(manifest))
    body = "\n".join(
        [*declared.values(), f"define void @{manifest.symbol}({parameters}) {{", *lines, "  ret void", "}"]
    )
    return body + "\n"


def _permission(name: str) -> str:
    """Return LLVM IR that asks Linux for tile registers when the library is loaded, and of which a caller hears it.

    Source: Linux, Documentation/arch/x86/xstate.rst: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
    """
    ask = f"{name}_ask"
    kind = "{ i32, ptr, ptr }"
    return f"""
@llvm.global_ctors = appending global [1 x {kind}] [{kind} {{ i32 65535, ptr @{ask}, ptr null }}]
declare i64 @syscall(i64, ...)
declare ptr @__errno_location()
define internal void @{ask}() {{
  %ignored = call i32 @{name}{PREPARE}()
  ret void
}}
define i32 @{name}{PREPARE}() {{
  %answer = call i64 (i64, ...) @syscall(i64 {_ARCH_PRCTL}, i64 {_REQUEST}, i64 {_TILE_DATA})
  %refused = icmp slt i64 %answer, 0
  %place = call ptr @__errno_location()
  %reason = load i32, ptr %place
  %number = select i1 %refused, i32 %reason, i32 0
  ret i32 %number
}}
"""


def _header(manifest: Manifest, *, tiles: bool) -> str:
    """Return the header."""
    name, device = manifest.symbol, manifest.device
    guard = f"{name.upper()}_H"
    arrays = [manifest.buffer(one) for one in (*manifest.inputs, *manifest.outputs)]
    lines = [
        f"/* {manifest.function} for {device.name} ({device.architecture}).",
        "   Link its object or its shared library, and libm.",
        "   Arrays are dense and row-major:",
        *(f"     {_described(one)}" for one in arrays),
        "*/",
        f"#ifndef {guard}",
        f"#define {guard}",
        "#include <stdint.h>",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
    ]
    workspace = manifest.workspace_bytes
    if _scratch_bytes(manifest):
        workspace = _scratch_start(manifest) + _scratch_bytes(manifest)
    if workspace:
        lines += [
            f"/* The size of `workspace`, which is aligned to {MEMORY_ALIGNMENT_BYTES} B, with any content. */",
            f"#define {name.upper()}_WORKSPACE_BYTES {workspace}",
        ]
    if any(buffer.role == "constant" for buffer in manifest.buffers):
        lines.append(f"/* `constants` is the content of constants.bin, aligned to {MEMORY_ALIGNMENT_BYTES} B. */")
    if tiles:
        lines += [
            "/* Whether this process may use tile registers (AMX): 0, or the number of an error (errno), with which",
            "   nothing else here may be called. The system is asked when the library is loaded, too. */",
            f"int {name}{PREPARE}(void);",
        ]
    lines += [
        "/* Runs the function on the caller's thread. */",
        f"void {name}({', '.join(_entry_types(manifest))});",
        "",
    ]
    lines += _kernel_lines(manifest)
    lines += ["", "#ifdef __cplusplus", "}", "#endif", f"#endif /* {guard} */", ""]
    return "\n".join(lines)


def _described(buffer: Buffer) -> str:
    shape = "x".join(map(str, buffer.static_shape)) or "one element"
    return f"{buffer.name}: {shape} of {buffer.element_type}, aligned to {buffer.alignment_bytes} B"


def _entry_types(manifest: Manifest) -> Iterator[str]:
    for name in _parameters(manifest):
        if name == "constants":
            yield "const void *constants"
        elif name == "workspace":
            yield "void *workspace"
        else:
            buffer = manifest.buffer(name)
            yield f"{'const ' if buffer.role == 'input' else ''}{C_TYPES[buffer.element_type]} *{name}"


def _kernel_lines(manifest: Manifest) -> list[str]:
    """Return the declarations of kernels, each once, in the order of their first launches."""
    lines, seen = (
        [
            "/* Each runs tasks of one kernel, from `first` to before `end`; they are independent of each other. A",
            f"   `scratch` is a thread's own, aligned to {MEMORY_ALIGNMENT_BYTES} B, with any content. */",
        ],
        set[str](),
    )
    for launch in manifest.launches:
        if not launch.kernel or launch.kernel in seen:
            continue
        seen.add(launch.kernel)
        count = len(launch.arguments)
        written = range(count) if launch.written is None else launch.written
        kinds = ["" if number in written else "const " for number in range(count)]
        types = [
            f"{kind}{C_TYPES[view.element_type]} *argument{number}"
            for number, (kind, view) in enumerate(zip(kinds, launch.arguments, strict=True))
        ]
        lines.append(f"#define {launch.kernel.upper()}_TASKS {prod(launch.static_grid)}")
        if launch.dynamic_workgroup_bytes:
            lines.append(f"#define {launch.kernel.upper()}_SCRATCH_BYTES {launch.dynamic_workgroup_bytes}")
            types.append("void *scratch")
        lines.append(f"void {launch.kernel}({', '.join([*types, 'int64_t first', 'int64_t end'])});")
    return lines


def _archive(members: Sequence[tuple[str, bytes]]) -> bytes:
    """Return a static archive of files."""
    parts = [b"!<arch>\n"]
    for name, data in members:
        parts.append(f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode())
        parts.append(data + b"\n" * (len(data) % 2))
    return b"".join(parts)
