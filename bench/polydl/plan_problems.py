# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, layers and windows, as this compiler plans them: the problems whose best plans are measured."""

from dataclasses import dataclass

from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem, with_minibatch
from roller_mlir.evaluation.measure.cpu_peers.texts import LAST, text_of
from roller_mlir.evaluation.measure.kit.contents import reference_of
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
"""Of the 201 those of docs/evaluation/cpu-peers.md: of each network and kind of window; one image, channels last."""
WINDOWS = ("depthwise_conv2d", "avg_pool2d")
"""Of ROLLER's 119: depthwise convolutions and poolings; one image, channels last."""


@dataclass(frozen=True)
class PlannedProblem:
    """A problem as MLIR.

    Attributes:
        name: How tables call it.
        problem: What it computes, for inputs and an expected result.
        layout: Of its text: "" or `LAST`.
    """

    name: str
    problem: HostProblem
    layout: str

    @property
    def text(self) -> str:
        """The function `main`."""
        text = text_of(self.problem, self.layout)
        assert text is not None, "products and convolutions are written in their layouts"
        return text

    @property
    def output_shape(self) -> tuple[int, ...]:
        """Shape of the result in its layout; programs may have several of its axes as one."""
        shape = self.problem.output_shape
        return (shape[0], *shape[2:], shape[1]) if self.layout == LAST else shape


def planned_problems() -> list[PlannedProblem]:
    """Return the problems, products first."""
    found: list[PlannedProblem] = []
    for m, n, k in PRODUCTS:
        operator = Operator(f"{m}x{n}x{k}", "matmul", "f32", {"M": m, "N": n, "K": k})
        found.append(PlannedProblem(operator.id, HostProblem(id=operator.id, reference=reference_of(operator)), ""))
    windows = [row for row in find_suite("roller119") if row.kind in WINDOWS]
    for row in (*select(find_suite("polydl-layers"), LAYERS), *windows):
        problem = with_minibatch(HostProblem(id=row.id, reference=reference_of(row)), 1)
        found.append(PlannedProblem(row.id, problem, LAST))
    return found
