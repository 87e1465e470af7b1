# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""oneDNN as a peer: products, convolutions and poolings, with a problem's epilogue fused.

Of products the variants are "plain" (both factors row-major) and "packed B" (the second one in a layout of oneDNN's
choice, made beforehand). Of windows they are the layouts of input and output: "any" (oneDNN's choice, made beforehand;
the result is not brought back), "nhwc" and "nchw"; weights are always in the layout that oneDNN likes best. Padding
belongs to the operator, and taps on it may be skipped.
"""

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import c_void_p
from typing import Any

from roller_mlir.evaluation.measure.cpu_peers.interface import Array, HostCall, aligned
from roller_mlir.evaluation.measure.cpu_peers.libraries.onednn_library import (
    BIAS,
    DST,
    DST_MD,
    SRC,
    SRC_MD,
    WEIGHTS,
    WEIGHTS_MD,
    OneDnn,
    post_op,
)
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem

PRODUCTS, WINDOWS = ("plain", "packed B"), ("any", "nhwc", "nchw")
_NCHW = "nchw"


class OneDnnPeer:
    """The library."""

    def __init__(self, threads: int) -> None:
        """Load it for so many threads of OpenMP.

        Raises:
            PeerError: It is not installed.
        """
        self._library = OneDnn()
        try:
            self._openmp: Any = ctypes.CDLL("libgomp.so.1")
        except OSError:
            self._openmp = None
        else:
            self._openmp.omp_set_num_threads(threads)

    def facts(self) -> Mapping[str, str]:
        """Return version and instruction set."""
        return {"version": f"oneDNN {self._library.version}", "isa": self._library.isa}

    def threads(self) -> int | None:
        """Return how many OpenMP has."""
        return None if self._openmp is None else int(self._openmp.omp_get_max_threads())

    def prepare(self, problem: HostProblem, inputs: Sequence[Array], variant: str) -> HostCall | None:
        """Return a problem made ready: a primitive, and weights in its layout."""
        product = problem.reference.kind == "matmul"
        if variant not in (PRODUCTS if product else WINDOWS):
            return None
        build = self._matmul if product else self._windows
        return build(problem, inputs, variant)

    def _matmul(self, problem: HostProblem, inputs: Sequence[Array], variant: str) -> HostCall:
        library, (m, n) = self._library, problem.output_shape
        plain = [library.descriptor(shape, "ab", "ab") for shape in (*problem.shapes[:2], (m, n))]
        wanted = list(plain)
        if variant == "packed B":
            wanted[1] = library.descriptor(problem.shapes[1], None, "ab")
        bias = library.descriptor((1, n), "ab", "ab") if problem.has_bias else None
        norm = library.descriptor((1, n), "ab", "ab") if problem.has_norm else None
        attributes = library.attributes(relu=problem.has_relu, norm=norm)
        description = library.matmul([wanted[0], wanted[1], bias, wanted[2]], attributes)
        return self._call(problem, description, plain, bias, inputs, norm)

    def _windows(self, problem: HostProblem, inputs: Sequence[Array], variant: str) -> HostCall | None:
        library, s = self._library, problem.sizes
        shapes = [problem.shapes[0], problem.output_shape]
        plain = [library.descriptor(shape, _NCHW, _NCHW) for shape in shapes]
        order = None if variant == "any" else variant
        wanted = [library.descriptor(shape, order, _NCHW) for shape in shapes]
        stride, dilation, window = [s["stride"]] * 2, [s["dilation"]] * 2, [s["KH"], s["KW"]]
        low, high = ([pads[side] for pads in problem.nest.pads[2:]] for side in (0, 1))
        every = (1, problem.output_shape[1], 1, 1)
        norm = library.descriptor(every, _NCHW, _NCHW) if problem.has_norm else None
        attributes = library.attributes(relu=problem.has_relu, norm=norm)
        if problem.reference.kind == "avg_pool2d":
            if (
                problem.has_bias or problem.has_norm or variant == "any"
            ):  # a pooling takes its producer's layout and has no favourite
                return None
            description = library.pooling(wanted, stride, window, dilation, low, high, attributes)
            return self._call(problem, description, [plain[0], None, plain[1]], None, inputs)
        given = problem.shapes[1]
        grouped = problem.reference.kind == "depthwise_conv2d"
        shape, letters = ((given[0], 1, 1, *given[1:]), "goihw") if grouped else (given, "oihw")
        weights = library.descriptor(shape, letters, letters)
        bias = library.descriptor(problem.shapes[-1], "x", "x") if problem.has_bias else None
        best = library.descriptor(shape, None, letters)
        descriptors = [wanted[0], best, bias, wanted[1]]
        description = library.convolution(descriptors, stride, dilation, low, high, attributes)
        return self._call(problem, description, [plain[0], weights, plain[1]], bias, inputs, norm)

    def _call(
        self,
        problem: HostProblem,
        description: c_void_p,
        plain: Sequence[c_void_p | None],
        bias: c_void_p | None,
        inputs: Sequence[Array],
        norm: c_void_p | None = None,
    ) -> HostCall:
        """Return a description made ready: its arguments in its layouts.

        Args:
            problem: What it computes.
            description: Of the primitive.
            plain: Descriptors of input, weights (None without) and output in the problem's layout.
            bias: That of the bias.
            inputs: Of the problem.
            norm: That of the factor and of the summand of a batch normalisation.
        """
        library = self._library
        memories, kept = dict[int, c_void_p](), list[Array](inputs)

        def own(which: int) -> tuple[c_void_p, c_void_p, Array]:
            layout = library.layout(description, which)
            array = aligned((library.bytes_of(layout) // 4,))
            kept.append(array)
            return layout, library.memory(layout, array), array

        for argument, which, given, array in (
            (SRC, SRC_MD, plain[0], inputs[0]),
            (WEIGHTS, WEIGHTS_MD, plain[1], inputs[1] if plain[1] is not None else None),
        ):
            if given is None or array is None:
                continue
            memory = library.memory(given, array)
            if not library.equal(given, library.layout(description, which)):
                layout, packed, _ = own(which)
                library.reorder((given, memory), (layout, packed))
                memory = packed
            memories[argument] = memory
        if bias is not None:
            memories[BIAS] = library.memory(bias, inputs[-1])
        if norm is not None:
            for number, array in enumerate(inputs[-2:]):
                memories[post_op(number)] = library.memory(norm, array)
        layout, memory, written = own(DST_MD)
        memories[DST] = memory
        execute = library.execution(library.primitive(description), memories)
        output = aligned(problem.output_shape)
        target = plain[-1]
        assert target is not None, "every operator has an output"
        back = library.memory(target, output)

        def result() -> Array:
            library.reorder((layout, memory), (target, back))
            return output

        return HostCall(run=execute, result=result, written=(written,), kept=kept, note=library.name(description))
