# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN through its C API: products and convolutions whose primitives are created once (pip: onednn-cpu-gomp)."""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

_F32, _ANY = 3, 1
_SOURCE, _WEIGHTS, _RESULT = 1, 33, 17
_CPU, _INFERENCE, _DIRECT = 1, 96, 1
_SOURCE_MD, _WEIGHTS_MD, _RESULT_MD = 129, 131, 133
_Dims = ctypes.c_int64 * 12


class OneDnn:
    """The library, on one thread."""

    def __init__(self) -> None:
        """Load it.

        Raises:
            OSError: It is not installed.
        """
        os.environ["OMP_NUM_THREADS"] = "1"
        places = [Path(sys.prefix, "lib", name) for name in ("libdnnl.so.3", "libdnnl.so")]
        self._library = ctypes.CDLL(str(next((one for one in places if one.exists()), "libdnnl.so.3")))
        self._engine, self._stream = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("engine_create", ctypes.byref(self._engine), _CPU, ctypes.c_size_t(0))
        self._call("stream_create", ctypes.byref(self._stream), self._engine, 1)

    def product(self, rows: int, columns: int, depth: int, *, packed: bool) -> Callable[[], None]:
        """Return a product of row-major matrices; packed: oneDNN chooses how the second lies."""
        source, weights, result = ((rows, depth), (depth, columns), (rows, columns))
        descriptions = [
            self._description(source, (depth, 1)),
            self._description(weights, None if packed else (columns, 1)),
            self._description(result, (columns, 1)),
        ]
        made = ctypes.c_void_p()
        self._call(
            "matmul_primitive_desc_create",
            ctypes.byref(made),
            self._engine,
            *(descriptions[0], descriptions[1], None, descriptions[2], None),
        )
        return self._ready(made)

    def convolution(
        self, shape: Sequence[int], filters: int, window: int, stride: int, *, chosen: bool
    ) -> Callable[[], None]:
        """Return a convolution without padding; chosen: oneDNN chooses all layouts, else images are NHWC.

        Args:
            shape: Images, height, width and channels.
            filters: Channels of the result.
            window: Height and width of a filter.
            stride: Of both.
            chosen: Who chooses layouts.
        """
        n, h, w, c = shape
        oh, ow = ((h - window) // stride + 1, (w - window) // stride + 1)
        source, result = (n, c, h, w), (n, filters, oh, ow)
        descriptions = [
            self._description(source, None if chosen else (h * w * c, 1, w * c, c)),
            self._description((filters, c, window, window), None),
            self._description(result, None if chosen else (oh * ow * filters, 1, ow * filters, filters)),
        ]
        steps, none = _Dims(stride, stride), _Dims(0, 0)
        made = ctypes.c_void_p()
        self._call(
            "convolution_forward_primitive_desc_create",
            *(ctypes.byref(made), self._engine, _INFERENCE, _DIRECT),
            *(descriptions[0], descriptions[1], None, descriptions[2], steps, none, none, none, None),
        )
        return self._ready(made)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, f"dnnl_{name}")(*arguments)
        if status:
            raise OSError(f"dnnl_{name} gave status {status}")

    def _description(self, dims: Sequence[int], strides: Sequence[int] | None) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        if strides is None:
            self._call("memory_desc_create_with_tag", ctypes.byref(made), len(dims), _Dims(*dims), _F32, _ANY)
        else:
            given = (ctypes.byref(made), len(dims), _Dims(*dims), _F32, _Dims(*strides))
            self._call("memory_desc_create_with_strides", *given)
        return made

    def _ready(self, description: ctypes.c_void_p) -> Callable[[], None]:
        primitive = ctypes.c_void_p()
        self._call("primitive_create", ctypes.byref(primitive), description)

        class Argument(ctypes.Structure):
            _fields_ = (("arg", ctypes.c_int), ("memory", ctypes.c_void_p))

        query = self._library.dnnl_primitive_desc_query_md
        query.restype = ctypes.c_void_p
        size = self._library.dnnl_memory_desc_get_size
        size.restype = ctypes.c_size_t
        arguments, kept = (Argument * 3)(), list[Any]()
        for place, (argument, what) in enumerate(
            ((_SOURCE, _SOURCE_MD), (_WEIGHTS, _WEIGHTS_MD), (_RESULT, _RESULT_MD))
        ):
            layout = ctypes.c_void_p(query(description, what, 0))
            count = size(layout)
            raw = np.random.default_rng(place).random(count // 4 + 1024, np.float32) - 0.5
            start = -(-raw.ctypes.data // 4096) * 4096
            memory = ctypes.c_void_p()
            self._call("memory_create", ctypes.byref(memory), layout, self._engine, ctypes.c_void_p(start))
            arguments[place].arg, arguments[place].memory = argument, memory.value
            kept.append(raw)

        def run() -> None:
            self._library.dnnl_primitive_execute(primitive, self._stream, 3, arguments)
            self._library.dnnl_stream_wait(self._stream)

        run.kept = kept  # pyrefly: ignore[missing-attribute]
        return run
