# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts of strangers are data: what lies about names, sizes or content is refused, and nothing else is read."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counted_work import calls

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.runtime import Artifact, ArtifactError
from roller_mlir.runtime.store import MANIFEST_NAME, sha256

PTX = b".version 8.0\n" * 1000


def artifact() -> Artifact:
    view = [BufferView(buffer=name, element_type="f32", shape=(64,)) for name in ("x", "y")]
    manifest = Manifest(
        function="main",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        inputs=("x",),
        outputs=("y",),
        buffers=(
            Buffer(name="x", role="input", element_type="f32", shape=(64,)),
            Buffer(name="y", role="output", element_type="f32", shape=(64,)),
        ),
        launches=tuple(Launch(kernel="k", arguments=tuple(view)) for _ in range(20)),
        kernels=(Kernel(name="k", files={"ptx": "k.ptx"}),),
        files=(File(name="k.ptx", role="ptx", size_bytes=len(PTX), sha256=sha256(PTX)),),
    )
    return Artifact(manifest, {"k.ptx": PTX})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    artifact().save(tmp_path / "main.roller")
    return tmp_path / "main.roller"


def edit(folder: Path, **changes: Any) -> None:
    """Changes the record of the only file."""
    data = json.loads((folder / MANIFEST_NAME).read_text())
    data["files"][0] |= changes
    if "name" in changes:
        data["kernels"][0]["files"]["ptx"] = changes["name"]
    (folder / MANIFEST_NAME).write_text(json.dumps(data))


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/b", "..", ".hidden", "a\\b", "a\0b", ""])
def test_names_stay_inside(folder: Path, name: str) -> None:
    (folder.parent / "secret").write_bytes(PTX)
    edit(folder, name=name)
    with pytest.raises(ArtifactError, match="a file name must be a plain name inside the artifact"):
        Artifact.load(folder)


def test_links_are_not_followed(folder: Path) -> None:
    (folder.parent / "secret").write_bytes(PTX)
    (folder / "k.ptx").unlink()
    (folder / "k.ptx").symlink_to(folder.parent / "secret")
    with pytest.raises(ArtifactError, match="k.ptx: too many levels of symbolic links"):
        Artifact.load(folder)


def test_what_is_no_file_is_not_waited_for(folder: Path) -> None:
    (folder / "k.ptx").unlink()
    os.mkfifo(folder / "k.ptx")
    with pytest.raises(ArtifactError, match="k.ptx: not a regular file"):
        Artifact.load(folder)


def test_sizes_are_bounded(folder: Path) -> None:
    with pytest.raises(ArtifactError, match=f"its files have {len(PTX)} B, which is above the limit of 100 B"):
        Artifact.load(folder, most_bytes=100)
    edit(folder, size_bytes=1 << 50)
    with pytest.raises(ArtifactError, match="which is above the limit of 17179869184 B"):
        Artifact.load(folder)
    edit(folder, size_bytes=-1)
    with pytest.raises(ArtifactError, match=r"files\[0\].size_bytes: expected an integer of at least 0, but got -1"):
        Artifact.load(folder)


@pytest.mark.parametrize("content", [PTX[:-1], PTX + b"x", b"X" + PTX[1:]])
def test_hashes_are_verified(folder: Path, content: bytes) -> None:
    (folder / "k.ptx").write_bytes(content)
    with pytest.raises(ArtifactError, match="k.ptx is damaged: its SHA-256 is not the manifest's"):
        Artifact.load(folder)


@pytest.mark.parametrize("content", [b"\x80\x04K\x01.", b"[" * 100000, b"{}", b"null", b'{"schema_version": 2}'])
def test_manifests_are_only_data(folder: Path, content: bytes) -> None:
    (folder / MANIFEST_NAME).write_bytes(content)
    with pytest.raises(ArtifactError, match="cannot read artifact"):
        Artifact.load(folder)


def test_loading_is_quick(folder: Path) -> None:
    """As many calls as a machine does in a few milliseconds."""
    Artifact.load(folder)
    assert calls(lambda: Artifact.load(folder)) < 20_000


class CountedName(str):
    """A name that counts how often one is compared or hashed."""

    __slots__ = ()
    work = 0

    def __eq__(self, other: object) -> bool:
        CountedName.work += 1
        return str.__eq__(self, other)  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        CountedName.work += 1
        return str.__hash__(self)


def test_work_grows_with_the_manifest_and_not_with_its_square() -> None:
    def work(count: int) -> int:
        def view(number: int) -> BufferView:
            return BufferView(buffer=CountedName(f"b{number}"), element_type="f32", shape=(1,))

        buffers = [Buffer(name=f"b{n}", role="workspace", element_type="f32", shape=(1,)) for n in range(2 * count)]
        CountedName.work = 0
        manifest = Manifest(
            function="main",
            device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
            inputs=(),
            outputs=(),
            buffers=tuple(replace(one, name=CountedName(one.name)) for one in buffers),
            workspace_bytes=4,
            launches=tuple(Launch(kernel="k", arguments=(view(2 * n), view(2 * n + 1))) for n in range(count)),
            kernels=(Kernel(name="k"),),
        )
        assert manifest.first_use(f"b{2 * count - 1}") == ("k", 1)
        return CountedName.work

    few, many = work(100), work(400)
    assert few > 100 and many < 5 * few


def test_a_manifest_with_too_many_buffers_and_launches_is_refused_before_it_is_parsed(folder: Path) -> None:
    data = json.loads((folder / MANIFEST_NAME).read_text())
    text = json.dumps(data)
    for key, count in (("buffers", 60_000), ("launches", 30_000)):
        first = json.dumps(data[key][0])
        text = text.replace(f'"{key}": [{first}', f'"{key}": [{", ".join([first] * count)}')
    (folder / MANIFEST_NAME).write_text(text)
    with pytest.raises(ArtifactError, match=r"has about \d+ values, which is above the limit of 1000000"):
        Artifact.load(folder)
