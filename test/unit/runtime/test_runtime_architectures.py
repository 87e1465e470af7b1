# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which binaries run where, and how memory is rounded: rules that need no driver."""

import pytest

from roller_mlir.runtime.driver.cuda_architecture import image_kinds
from roller_mlir.runtime.driver.memory import rounded

BOTH = ("cubin", "ptx")


@pytest.mark.parametrize(
    ("architecture", "device", "kinds"),
    [
        ("sm_80", "sm_80", BOTH),
        ("sm_80", "sm_86", BOTH),
        ("sm_86", "sm_80", ()),
        ("sm_80", "sm_90", ("ptx",)),
        ("sm_90", "sm_100", ("ptx",)),
        ("sm_90a", "sm_90", BOTH),
        ("sm_90a", "sm_100", ()),
        ("sm_100a", "sm_103", ()),
        ("sm_100f", "sm_103", BOTH),
        ("sm_100f", "sm_120", ()),
        ("gfx942", "sm_90", ()),
        ("sm_90", "gfx942", ()),
    ],
)
def test_images(architecture: str, device: str, kinds: tuple[str, ...]) -> None:
    assert image_kinds(architecture, device) == kinds


def test_rounding() -> None:
    sizes = [0, 1, 512, 513, (1 << 20), (1 << 20) + 1, (2 << 20) + 1]
    assert [rounded(size) for size in sizes] == [512, 512, 512, 1024, 1 << 20, 2 << 20, 4 << 20]
