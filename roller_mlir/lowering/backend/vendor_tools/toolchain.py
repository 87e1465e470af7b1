# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the vendors' tools are: on PATH, in pip's wheels, in /usr/local/cuda.

Nothing is downloaded, and no tool is needed to import the compiler. What is missing is named with its remedy where it
is needed.
"""

import functools
import importlib.util
import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PTXAS_REMEDY = "install pip's nvidia-cuda-nvcc, or put ptxas of a CUDA toolkit on PATH"
NVDISASM_REMEDY = "install pip's nvidia-cuda-nvdisasm, or put nvdisasm of a CUDA toolkit on PATH"
LIBDEVICE_REMEDY = "install pip's nvidia-nvvm"
LLD_REMEDY = "install pip's iree-base-compiler, which holds iree-lld and ocml.bc"

_CUDA_ROOT = Path("/usr/local/cuda")


@dataclass(frozen=True, kw_only=True)
class Toolchain:
    """The tools that were found.

    Attributes:
        ptxas: assemblers of PTX, the preferred first; each knows other architectures.
        nvdisasm: NVIDIA's disassembler.
        libdevice: NVIDIA's mathematical functions, LLVM bitcode.
        lld: the linker of AMD code objects.
        ocml: AMD's mathematical functions, LLVM bitcode.
    """

    ptxas: tuple[Path, ...] = ()
    nvdisasm: Path | None = None
    libdevice: Path | None = None
    lld: Path | None = None
    ocml: Path | None = None

    def only(self, names: Collection[str]) -> "Toolchain":
        """Return the tools of these names, without the others."""
        return Toolchain(**{name: getattr(self, name) for name in names})


def _package_folders(name: str) -> tuple[Path, ...]:
    """Return the folders of an installed package, of each of them where a namespace is spread over several."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ()
    return () if spec is None else tuple(Path(folder) for folder in spec.submodule_search_locations or ())


def _cuda_roots() -> Iterator[Path]:
    """Return the roots of CUDA in pip's wheels, newest first, and then the system's."""
    for folder in _package_folders("nvidia"):
        yield from sorted(folder.glob("cu[0-9]*"), reverse=True)  # CUDA 13 and later: nvidia/cu13/bin/ptxas
        yield folder / "cuda_nvcc"  # CUDA 12: nvidia/cuda_nvcc/bin/ptxas
        yield folder / "cuda_nvdisasm"
    yield _CUDA_ROOT


def _existing(candidates: Iterable[Path | None]) -> tuple[Path, ...]:
    found = [path for path in candidates if path is not None and path.is_file()]
    return tuple(dict.fromkeys(found))


def _first(candidates: Iterable[Path | None]) -> Path | None:
    return next(iter(_existing(candidates)), None)


def _on_path(name: str) -> Path | None:
    found = shutil.which(name)
    return None if found is None else Path(found)


@functools.cache
def find_toolchain() -> Toolchain:
    """Look for the tools, once per process. PATH goes before the wheels."""
    roots = tuple(_cuda_roots())
    iree = tuple(folder / "_mlir_libs" for folder in _package_folders("iree.compiler"))
    return Toolchain(
        ptxas=_existing((_on_path("ptxas"), *(root / "bin" / "ptxas" for root in roots))),
        nvdisasm=_first((_on_path("nvdisasm"), *(root / "bin" / "nvdisasm" for root in roots))),
        libdevice=_first(root / "nvvm" / "libdevice" / "libdevice.10.bc" for root in roots),
        lld=_first((*(folder / "iree-lld" for folder in iree), _on_path("iree-lld"))),
        ocml=_first(folder / "iree_platform_libs" / "rocm" / "ocml.bc" for folder in iree),
    )
