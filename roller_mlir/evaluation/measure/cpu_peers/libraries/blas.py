# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenBLAS and MKL by `cblas_sgemm`: products of row-major matrices, packed inside of each call.

OpenBLAS is that of scipy-openblas32, else the one that numpy's wheel bundles, else the system's. MKL is that of its
wheel; it runs on Intel's OpenMP or GNU's only where several threads are asked for.
"""

import ctypes
import ctypes.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.measure.cpu_peers.interface import Array, HostCall, aligned
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError

_ROW_MAJOR, _PLAIN = 101, 111


@dataclass(frozen=True)
class BlasPeer:
    """A library with `cblas_sgemm`.

    Attributes:
        sgemm: The function.
        wide: Whether its integers have 64 bits.
        identify: Returns its facts.
        count: Returns its number of threads.
    """

    sgemm: Callable[..., Any]
    wide: bool
    identify: Callable[[], Mapping[str, str]]
    count: Callable[[], int]

    def facts(self) -> Mapping[str, str]:
        """Return version and instruction set."""
        return self.identify()

    def threads(self) -> int | None:
        """Return how many it says that it uses."""
        return self.count()

    def prepare(self, problem: HostProblem, inputs: Sequence[Array], variant: str) -> HostCall | None:
        """Return a product made ready; the library has nothing else."""
        if problem.reference.kind != "matmul" or problem.epilogue:
            return None
        (m, k), n = inputs[0].shape, inputs[1].shape[1]
        output = aligned((m, n))
        integer = ctypes.c_int64 if self.wide else ctypes.c_int
        pointers = [one.ctypes.data_as(ctypes.c_void_p) for one in (*inputs, output)]
        a, b, c = zip(pointers, (k, n, n), strict=True)
        sizes = [integer(one) for one in (m, n, k)]
        one, zero = ctypes.c_float(1.0), ctypes.c_float(0.0)
        arguments = [_ROW_MAJOR, _PLAIN, _PLAIN, *sizes, one, a[0], integer(k), b[0], integer(n), zero]
        sgemm, every = self.sgemm, (*arguments, c[0], integer(n))
        note = "packs in each call"
        return HostCall(run=lambda: sgemm(*every), result=lambda: output, written=(output,), kept=inputs, note=note)


def openblas(threads: int) -> BlasPeer:
    """Return OpenBLAS.

    Raises:
        PeerError: It is nowhere.
    """
    for path in _openblas_files():
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for prefix, suffix in (("scipy_", ""), ("scipy_", "64_"), ("", ""), ("", "64_")):
            if hasattr(library, f"{prefix}cblas_sgemm{suffix}"):
                return _openblas_of(library, Path(path).name, prefix, suffix, threads)
    raise PeerError("no OpenBLAS is installed (pip install scipy-openblas32)", library=True)


def _openblas_files() -> list[str | Path]:
    found: list[str | Path] = []
    for package, folder in (("scipy_openblas32", "lib"), ("numpy", "../numpy.libs")):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            found += sorted((Path(spec.origin).parent / folder).glob("*openblas*"))
    system = ctypes.util.find_library("openblas")
    return [*found, *([system] if system else [])]


def _openblas_of(library: ctypes.CDLL, file: str, prefix: str, suffix: str, threads: int) -> BlasPeer:
    def function(name: str) -> Any:
        return getattr(library, f"{prefix}{name}{suffix}")

    core, config, count = (function(f"openblas_get_{name}") for name in ("corename", "config", "num_threads"))
    core.restype = config.restype = ctypes.c_char_p
    function("openblas_set_num_threads")(threads)
    words = str(config().decode()).split()
    facts = {"version": " ".join(words[:2]), "isa": f"core type {core().decode()}", "library": file}
    return BlasPeer(function("cblas_sgemm"), bool(suffix), lambda: facts, lambda: int(count()))


def mkl(threads: int) -> BlasPeer:
    """Return MKL, with 32-bit integers.

    Raises:
        PeerError: It is not installed.
    """
    files = sorted((Path(sys.prefix) / "lib").glob("libmkl_rt.so*"))
    if not files:
        raise PeerError("MKL is not installed (pip install mkl)", library=True)
    library = ctypes.CDLL(str(files[0]), mode=ctypes.RTLD_GLOBAL)
    library.MKL_Set_Dynamic(0)
    library.MKL_Set_Num_Threads(threads)
    text = ctypes.create_string_buffer(256)
    library.MKL_Get_Version_String(text, len(text))
    words = text.value.decode().split()
    version = words[words.index("Version") + 1] if "Version" in words else " ".join(words)

    def facts() -> Mapping[str, str]:
        return {"version": version, "isa": _loaded("libmkl_", ("avx10", "avx512", "avx2", "mc3", "def"))}

    return BlasPeer(library.cblas_sgemm, False, facts, lambda: int(library.MKL_Get_Max_Threads()))


def _loaded(prefix: str, names: Sequence[str]) -> str:
    """Return which of a library's parts, each for an instruction set, this process has loaded."""
    maps = Path("/proc/self/maps").read_text()
    return ", ".join(f"{prefix}{name}" for name in names if f"/{prefix}{name}.so" in maps) or "unknown"
