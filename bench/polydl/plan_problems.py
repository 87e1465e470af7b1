# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, layers and windows, as this compiler plans them: the problems whose best plans are measured."""

from dataclasses import dataclass, replace

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.cpu_peers.interface import Array
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem, with_minibatch
from roller_mlir.evaluation.measure.cpu_peers.texts import CONSTANT, LAST, has_filter, text_of, with_constant_filter
from roller_mlir.evaluation.measure.kit.contents import reference_of
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.select import select

PRODUCTS = (
    (128, 2048, 4096),
    (320, 3072, 1024),
    (320, 3072, 4096),
    (2048, 4096, 32),
    (1024, 16, 20000),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (1024, 1024, 8192),
    (8192, 1024, 1024),
    (256, 256, 8192),
    (256, 4096, 1024),
    (4096, 256, 1024),
    (512, 512, 512),
    (100, 1000, 300),
)
"""M, N, K: PolyDL's Table 1, the largest of them made smaller so that 36 plans are timed in seconds, and six more."""
LAYERS = (
    *("alexnet_02", "alexnet_04", "fastrcnn_06", "fastrcnn_25", "googlenetv1_08", "googlenetv1_11", "googlenetv3_05"),
    *("googlenetv3_20", "googlenetv3_21", "googlenetv3_43", "maskrcnn_42", "mobilenet_02", "mobilenet_09"),
    *("overfeat_03", "resnet_03", "resnet_05", "resnet_12", "resnet_13", "resnet_17", "yolov2_11"),
)
"""Of the 201 those of docs/evaluation/cpu-peers.md: of each network and kind of window; one image."""
WINDOWS = ("depthwise_conv2d", "avg_pool2d")
"""Of ROLLER's 119: depthwise convolutions and poolings; one image."""
FIRST = "channels first"
"""What names of problems end in whose layout is that of the suites; others have channels last."""


@dataclass(frozen=True)
class PlannedProblem:
    """A problem as MLIR.

    Attributes:
        name: How tables call it.
        problem: What it computes, for inputs and an expected result.
        layout: Of its text: "" or `LAST`.
        constant: Whether its filter is a constant of the module, which a plan may have packed when it is compiled.
    """

    name: str
    problem: HostProblem
    layout: str
    constant: bool = False

    @property
    def text(self) -> str:
        """The function `main`, of whose inputs all are arguments."""
        text = text_of(self.problem, self.layout)
        assert text is not None, "products and convolutions are written in their layouts"
        return text

    @property
    def constants(self) -> tuple[int, ...]:
        """Numbers of the inputs that are constants."""
        return (1,) if self.constant else ()

    def compiled_text(self, arrays: list[Array]) -> str:
        """Return the function as it is compiled, and take the inputs that are constants of it out of a list.

        Args:
            arrays: All inputs, in its layout.
        """
        return with_constant_filter(self.text, arrays.pop(1)) if self.constant else self.text

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the result in its layout; programs may have several of its axes as one."""
        shape = self.problem.output_shape
        return (shape[0], *shape[2:], shape[1]) if self.layout == LAST else shape


OPTIONS = CompileOptions(fusion=False, gate=False)
"""How problems are compiled: with plans that are forced."""


def dispatch_of(one: PlannedProblem) -> Dispatch | None:
    """Return a problem as what gets a plan; None where the compiler makes several programs of it, for its layout."""
    found = dispatches_of(Source("-", one.text), "host", OPTIONS)
    if len(found) > 1:
        return None
    return replace(found[0], constants=one.constants, finite=one.constants)


def planned_problems() -> list[PlannedProblem]:
    """Return the problems: products, layers with channels last, and these with constant filters and channels first."""
    found: list[PlannedProblem] = []
    for m, n, k in PRODUCTS:
        operator = Operator(f"{m}x{n}x{k}", "matmul", "f32", {"M": m, "N": n, "K": k})
        found.append(PlannedProblem(operator.id, HostProblem(id=operator.id, reference=reference_of(operator)), ""))
    windows = [row for row in find_suite("roller119") if row.kind in WINDOWS]
    last: list[PlannedProblem] = []
    for row in (*select(find_suite("polydl-layers"), LAYERS), *windows):
        problem = with_minibatch(HostProblem(id=row.id, reference=reference_of(row)), 1)
        last.append(PlannedProblem(row.id, problem, LAST))
    first = [replace(one, name=f"{one.name} {FIRST}", layout="") for one in last]
    constant = [
        replace(one, name=f"{one.name} {CONSTANT}", constant=True) for one in (*last, *first) if has_filter(one.problem)
    ]
    return [*found, *last, *first, *constant]
