# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order that launches need of each other is that of every pair which touches common bytes."""

import random

import pytest

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, Kernel, Launch, Manifest
from roller_mlir.runtime.dependences import launch_dependences

BYTES = 32


def random_manifest(seed: int) -> Manifest:
    """Return launches of random views: of an input, of an output, and of two buffers that may share the workspace."""
    rng = random.Random(seed)
    roles = {"x": "input", "y": "output", "a": "workspace", "b": "workspace"}
    apart = rng.choice([0, BYTES // 2, BYTES])
    buffers = tuple(
        Buffer(name=name, role=role, element_type="i8", shape=(BYTES,), offset_bytes=apart if name == "b" else 0)
        for name, role in roles.items()
    )
    launches: list[Launch] = []
    for number in range(rng.randint(1, 24)):
        views: list[BufferView] = []
        for name in rng.choices("xyab", k=rng.randint(1, 4)):
            start, end = sorted(rng.choices(range(0, BYTES + 1, 4), k=2))
            views.append(BufferView(buffer=name, element_type="i8", shape=(end - start,), offset_bytes=start))
        writable = [place for place, view in enumerate(views) if view.buffer != "x"]
        written = None if rng.random() < 0.2 else tuple(sorted(rng.sample(writable, rng.randint(0, len(writable)))))
        launches.append(
            Launch(kernel=f"k{number}", grid=(1, 1, 1), block=(32, 1, 1), arguments=tuple(views), written=written)
        )
    return Manifest(
        function="f",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90", subgroup_size=32),
        inputs=("x",),
        outputs=("y",),
        workspace_bytes=2 * BYTES,
        buffers=buffers,
        launches=tuple(launches),
        kernels=tuple(Kernel(name=one.kernel, files={}) for one in launches),
    )


def touched(manifest: Manifest, launch: Launch) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """Return the bytes that a launch touches, and those that it writes."""
    every, written = set[tuple[str, int]](), set[tuple[str, int]]()
    for number, view in enumerate(launch.arguments):
        buffer = manifest.buffer(view.buffer)
        shared = buffer.role == "workspace"
        start = view.offset_bytes + (buffer.offset_bytes if shared else 0)
        these = {("workspace" if shared else view.buffer, start + n) for n in range(view.size_bytes)}
        every |= these
        if number in launch.written if launch.written is not None else buffer.role != "input":
            written |= these
    return every, written


@pytest.mark.parametrize("seed", range(40))
def test_the_order_is_that_of_every_pair_with_common_bytes(seed: int) -> None:
    made = random_manifest(seed)
    found = launch_dependences(made)
    bytes_of = [touched(made, launch) for launch in made.launches]
    behind: list[set[int]] = []
    for number, (every, written) in enumerate(bytes_of):
        conflicting = {
            other for other, (its, its_written) in enumerate(bytes_of[:number]) if every & its_written or written & its
        }
        implied = set[int]().union(*(behind[one] for one in conflicting))
        assert found[number] == tuple(sorted(conflicting - implied))
        behind.append(conflicting | implied)
