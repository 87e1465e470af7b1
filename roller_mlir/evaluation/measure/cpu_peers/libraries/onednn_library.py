# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN 3's C API by ctypes: the part of it that inference in f32 needs (dnnl.h, dnnl_types.h)."""

import ctypes
import ctypes.util
import sys
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.measure.cpu_peers.interface import Array
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError

SRC, DST, WEIGHTS, BIAS = 1, 17, 33, 41
"""DNNL_ARG_..."""
SRC_MD, WEIGHTS_MD, DST_MD = 129, 131, 133
"""dnnl_query_..._md"""
INFERENCE, DIRECT, AVERAGE = 96, 1, 0x2FF
"""dnnl_forward_inference, dnnl_convolution_direct, dnnl_pooling_avg_include_padding"""
_PLUS, _TIMES = 0x1FFF0, 0x1FFF1
"""dnnl_binary_add, dnnl_binary_mul"""
_CPU, _F32, _ANY, _RELU, _NAME = 1, 3, 1, 0x20, 8
_STATUS = {1: "out of memory", 2: "invalid arguments", 3: "not implemented", 5: "runtime error"}
_ISA = {
    0x1: "sse41", 0x3: "avx", 0x7: "avx2", 0xF: "avx2_vnni", 0x1F: "avx2_vnni_2", 0x27: "avx512_core",
    0x67: "avx512_core_vnni", 0xE7: "avx512_core_bf16", 0x1EF: "avx512_core_fp16", 0xFEF: "avx512_core_amx",
    0x1FEF: "avx512_core_amx_fp16",
}  # fmt: skip


def post_op(number: int) -> int:
    """Return a post-op's second operand: DNNL_ARG_ATTR_MULTIPLE_POST_OP(number) | DNNL_ARG_SRC_1."""
    return 32768 * (number + 1) | 2


class _Argument(ctypes.Structure):
    _fields_ = (("arg", c_int), ("memory", c_void_p))


class _Version(ctypes.Structure):
    _fields_ = (("major", c_int), ("minor", c_int), ("patch", c_int))


class OneDnn:
    """The library with an engine and a stream. What it makes lives as long as the process."""

    def __init__(self) -> None:
        """Load it.

        Raises:
            PeerError: It is not installed, or not of version 3.
        """
        names = [str(path) for path in sorted((Path(sys.prefix) / "lib").glob("libdnnl.so*"))]
        system = ctypes.util.find_library("dnnl")
        for name in [*names, *([system] if system else [])]:
            try:
                self._library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
                break
            except OSError:
                continue
        else:
            raise PeerError("oneDNN is not installed (pip install onednn-cpu-gomp)", library=True)
        self._library.dnnl_version.restype = POINTER(_Version)
        version = self._library.dnnl_version().contents
        self.version = f"{version.major}.{version.minor}.{version.patch}"
        if version.major != 3:
            raise PeerError(f"oneDNN must be of version 3, but is {self.version}", library=True)
        self._execute = self._library.dnnl_primitive_execute
        self._engine = self._new("engine_create", c_int(_CPU), c_size_t(0))
        self._stream = self._new("stream_create", self._engine, c_int(1))

    @property
    def isa(self) -> str:
        """Instruction set that it dispatches to."""
        code = int(self._library.dnnl_get_effective_cpu_isa())
        return _ISA.get(code, hex(code))

    def descriptor(self, shape: Sequence[int], order: str | None, logical: str) -> c_void_p:
        """Return a memory descriptor.

        Args:
            shape: Extents in oneDNN's order of dimensions.
            order: Letters of `logical` from the slowest to the fastest in memory; None leaves the layout to oneDNN.
            logical: A letter for each dimension.
        """
        dims = _dims(shape)
        if order is None:
            return self._new("memory_desc_create_with_tag", c_int(len(shape)), dims, c_int(_F32), c_int(_ANY))
        strides, step = dict[str, int](), 1
        for letter in reversed(order):
            strides[letter] = step
            step *= shape[logical.index(letter)]
        steps = _dims([strides[letter] for letter in logical])
        return self._new("memory_desc_create_with_strides", c_int(len(shape)), dims, c_int(_F32), steps)

    def attributes(self, *, relu: bool, norm: c_void_p | None = None) -> c_void_p | None:
        """Return attributes with post-ops behind the operator, None without any.

        Args:
            relu: Whether a relu is the last.
            norm: Descriptor of a factor and of a summand, which come first; their arguments are `post_op`'s 0 and 1.
        """
        if not relu and norm is None:
            return None
        attributes, post_ops = self._new("primitive_attr_create"), self._new("post_ops_create")
        for algorithm in (_TIMES, _PLUS) if norm is not None else ():
            self._call("post_ops_append_binary", post_ops, c_int(algorithm), norm)
        if relu:
            self._call("post_ops_append_eltwise", post_ops, c_int(_RELU), c_float(0.0), c_float(0.0))
        self._call("primitive_attr_set_post_ops", attributes, post_ops)
        return attributes

    def convolution(
        self,
        descriptors: Sequence[c_void_p | None],
        stride: Sequence[int],
        dilation: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        attributes: c_void_p | None,
    ) -> c_void_p:
        """Return the description of a direct convolution of input, weights, bias (or None) and output."""
        numbers = [_dims(one) for one in (stride, [each - 1 for each in dilation], low, high)]
        kind = (c_int(INFERENCE), c_int(DIRECT))
        made = "convolution_forward_primitive_desc_create"
        return self._new(made, self._engine, *kind, *descriptors, *numbers, attributes)

    def pooling(
        self,
        descriptors: Sequence[c_void_p | None],
        stride: Sequence[int],
        window: Sequence[int],
        dilation: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        attributes: c_void_p | None,
    ) -> c_void_p:
        """Return the description of a pooling to averages, padding included."""
        numbers = [_dims(one) for one in (stride, window, [each - 1 for each in dilation], low, high)]
        kind = (c_int(INFERENCE), c_int(AVERAGE))
        made = "pooling_forward_primitive_desc_create"
        return self._new(made, self._engine, *kind, *descriptors, *numbers, attributes)

    def matmul(self, descriptors: Sequence[c_void_p | None], attributes: c_void_p | None) -> c_void_p:
        """Return the description of a product of input, weights, bias (or None) and output."""
        return self._new("matmul_primitive_desc_create", self._engine, *descriptors, attributes)

    def name(self, description: c_void_p) -> str:
        """Return the name of the kernel that a description took."""
        text = c_char_p()
        self._call("primitive_desc_query", description, c_int(_NAME), c_int(0), byref(text))
        return (text.value or b"").decode()

    def layout(self, description: c_void_p, which: int) -> c_void_p:
        """Return the memory descriptor that a description has for an argument (`SRC_MD`, ...)."""
        query = self._library.dnnl_primitive_desc_query_md
        query.restype = c_void_p
        return c_void_p(query(description, c_int(which), c_int(0)))

    def equal(self, one: c_void_p, other: c_void_p) -> bool:
        """Return whether two memory descriptors are of one layout."""
        return bool(self._library.dnnl_memory_desc_equal(one, other))

    def bytes_of(self, descriptor: c_void_p) -> int:
        """Return the size of a tensor in memory."""
        size = self._library.dnnl_memory_desc_get_size
        size.restype = c_size_t
        return int(size(descriptor))

    def primitive(self, description: c_void_p) -> c_void_p:
        """Return what can be executed."""
        return self._new("primitive_create", description)

    def memory(self, descriptor: c_void_p, array: Array) -> c_void_p:
        """Return a memory object over an array, which must be kept."""
        return self._new("memory_create", descriptor, self._engine, c_void_p(array.ctypes.data))

    def reorder(self, source: tuple[c_void_p, c_void_p], target: tuple[c_void_p, c_void_p]) -> None:
        """Copy from one layout to another, each given as descriptor and memory."""
        places = (source[0], self._engine, target[0], self._engine)
        description = self._new("reorder_primitive_desc_create", *places, None)
        self.execution(self.primitive(description), {SRC: source[1], DST: target[1]})()

    def execution(self, primitive: c_void_p, memories: dict[int, c_void_p]) -> Any:
        """Return a function that executes a primitive and waits for it.

        Raises:
            PeerError: When it is called, and the library refuses.
        """
        arguments = (_Argument * len(memories))(*(_Argument(key, one) for key, one in memories.items()))
        execute, wait, stream, count = self._execute, self._library.dnnl_stream_wait, self._stream, c_int(len(memories))

        def run() -> None:
            status = execute(primitive, stream, count, arguments) or wait(stream)
            if status:
                raise PeerError(f"execution failed: {_STATUS.get(status, status)}")

        return run

    def _new(self, name: str, *arguments: Any) -> c_void_p:
        made = c_void_p()
        self._call(name, byref(made), *arguments)
        return made

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, f"dnnl_{name}")(*arguments)
        if status:
            raise PeerError(f"dnnl_{name}: {_STATUS.get(status, f'status {status}')}")


def _dims(values: Sequence[int]) -> Any:
    return (c_int64 * 12)(*values)
