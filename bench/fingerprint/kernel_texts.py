# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler emits for one function, without what may differ: per kernel its plan, its launches, and its code.

The code is PTX or AMDGPU assembly, as LLVM gives it; no tool of a vendor runs.
"""

import json
import re
from dataclasses import dataclass

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.plan.manifest import Kernel
from roller_mlir.plan.records.codec import to_json
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

ENTRY = "kernel_texts:kernel_texts"
COLUMNS = ("plan", "launch", "code")
"""Parts of what is emitted for a kernel."""

_OPTIONS = CompileOptions(binaries=False, cache=False)
_PLACES = re.compile(r"^\s*\.(?:file|loc|ident)\b.*$", re.MULTILINE)
_DECLARED = re.compile(
    r"""^(?: ((?:\.L)?[A-Za-z_$][\w$]*):$                                 # a label; an AMD kernel has one
      | (?:\.visible\ |\.weak\ )?\.(?:entry|func)\ (?:\([^)]*\)\ ?)?([\w$]+)
      | (?:\.extern\ |\.visible\ )?\.(?:param|shared|global|const|local)\ (?:[.\d]\S*\ )*([A-Za-z_$][\w$]*)
    )""",
    re.MULTILINE | re.VERBOSE,
)
_TOKEN = re.compile(r"(?<![\w$%])\.?[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class Job:
    """A function as MLIR text, and a device's name."""

    text: str
    target: str


@dataclass(frozen=True)
class Answer:
    """What became of it.

    Attributes:
        kernels: Of each kernel, in the order of their first launches, a text per column; none where it failed.
        problem: Why it failed: "refused: ..." by the compiler, or "bug: ...", "crash: ...", "hang: ...".
    """

    kernels: tuple[dict[str, str], ...] = ()
    problem: str = ""


def lost(how: str, message: str) -> Answer:
    """Return the answer for a job without one."""
    return Answer(problem=f"{how}: {' '.join(message.split())}")


def kernel_texts(job: Job) -> Answer:
    """Compile a function."""
    try:
        artifact = roller_mlir.compile(job.text, target=job.target, options=_OPTIONS)
        with make_context() as context:
            module = parse_module(artifact.text("kernels"), context)
            binaries = {one.name: one for one in compile_kernels(module, job.target, emit="ptx")}
    except DiagnosedError as error:
        return lost("refused", str(error))
    found: list[dict[str, str]] = []
    for kernel in artifact.kernels:
        binary = binaries[kernel.name]
        ptx = binary.text("ptx")
        code = normalised(ptx, "//") if ptx else normalised(binary.text("assembly"), ";")
        plan = json.dumps(to_json(kernel.plan), indent=1, sort_keys=True) + "\n"
        found.append({"plan": plan, "launch": launch_text(artifact, kernel), "code": code})
    return Answer(tuple(found))


def launch_text(artifact: Artifact, kernel: Kernel) -> str:
    """Return how a kernel is launched: place among the launches, sizes, and arguments by the numbers of buffers."""
    buffers = {one.name: (number, one) for number, one in enumerate(artifact.manifest.buffers)}
    lines: list[str] = []
    for number, launch in enumerate(artifact.manifest.launches):
        if launch.kernel != kernel.name:
            continue
        for name in ("grid", "block", "cluster"):
            lines.append(f"{number} {name} {' '.join(map(str, getattr(launch, name)))}")
        lines.append(f"{number} dynamic {launch.dynamic_workgroup_bytes} cooperative {launch.cooperative}")
        for view in launch.arguments:
            place, buffer = buffers[view.buffer]
            shape = "x".join(map(str, (*view.shape, view.element_type)))
            lines.append(f"{number} {buffer.role} {place} at {buffer.offset_bytes} + {view.offset_bytes} {shape}")
    lines += [f"map {json.dumps(to_json(one), sort_keys=True)}" for one in kernel.tensor_maps]
    return "\n".join(lines) + "\n"


def normalised(text: str, comment: str) -> str:
    """Return assembly without comments, places and blanks, with names numbered in the order in which they appear.

    Registers, immediates, directives and the names of what is defined elsewhere stay.

    Args:
        text: PTX or AMDGPU assembly of one kernel.
        comment: What begins a comment.
    """
    bare = (" ".join(line.partition(comment)[0].split()) for line in _PLACES.sub("", text).splitlines())
    text = "".join(f"{line}\n" for line in bare if line)
    declared = {name for groups in _DECLARED.findall(text) for name in groups if name}
    numbers: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        name = found[0]
        return numbers.setdefault(name, f"@{len(numbers)}") if name in declared else name

    return _TOKEN.sub(renamed, text)
