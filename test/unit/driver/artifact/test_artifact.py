# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts on disk: whole or not at all, verified when read."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import roller_mlir
from roller_mlir.evaluation.measure.kit.pack import PackOptions, pack_kit
from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Launch, Manifest
from roller_mlir.runtime import Artifact, ArtifactError, store


def artifact(data: bytes = b"gpu.module") -> Artifact:
    view = BufferView(buffer="input0", element_type="f32", shape=(4,))
    manifest = Manifest(
        function="main",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        inputs=("input0",),
        outputs=("output0",),
        buffers=(
            Buffer(name="input0", role="input", element_type="f32", shape=(4,)),
            Buffer(name="output0", role="output", element_type="f32", shape=(4,)),
        ),
        launches=(Launch(kernel="", arguments=(view, BufferView(buffer="output0", element_type="f32", shape=(4,)))),),
        kernels=(),
        files=(File(name="kernels.mlir", role="kernels", size_bytes=len(data), sha256=store.sha256(data)),),
    )
    return Artifact(manifest, {"kernels.mlir": data})


def test_it_is_named_in_one_line() -> None:
    said = repr(artifact(bytes(100_000)))
    assert "\n" not in said and len(said) < 120
    assert all(word in said for word in ("kernel", "files", artifact().manifest.device.name))


def test_the_errors_are_public() -> None:
    assert roller_mlir.ArtifactError is ArtifactError
    with pytest.raises(roller_mlir.DeviceError):
        roller_mlir.compile("module {}", target="h201")
    with pytest.raises(roller_mlir.DiagnosedError):
        roller_mlir.compile("module {}")


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_save_and_load(tmp_path: Path) -> None:
    made = artifact()
    made.save(tmp_path / "a")
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == ["kernels.mlir", "manifest.json"]
    again = Artifact.load(tmp_path / "a")
    assert again.manifest == made.manifest
    assert dict(again.files) == dict(made.files)
    assert again.text("kernels") == "gpu.module"
    with pytest.raises(KeyError):
        again.text("ptx")


def test_an_older_artifact_and_an_empty_directory_give_way(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    artifact(b"one").save(tmp_path / "a")
    artifact(b"two").save(tmp_path / "a")
    assert Artifact.load(tmp_path / "a").text("kernels") == "two"
    assert names(tmp_path) == ["a"]


def make_file(path: Path) -> None:
    path.write_text("precious")


def make_folder(path: Path) -> None:
    path.mkdir()
    (path / "precious.txt").write_text("precious")


def make_artifact_with_more(path: Path) -> None:
    artifact().save(path)
    (path / "precious.txt").write_text("precious")


def make_false_artifact(path: Path) -> None:
    path.mkdir()
    (path / "manifest.json").write_text("{}")


def make_link(path: Path) -> None:
    artifact().save(path.parent / "real")
    path.symlink_to(path.parent / "real")


@pytest.mark.parametrize("make", [make_file, make_folder, make_artifact_with_more, make_false_artifact, make_link])
def test_anything_else_is_kept(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "a")
    before = names(tmp_path)
    with pytest.raises(ArtifactError, match="something that is no artifact is there"):
        artifact().save(tmp_path / "a")
    assert names(tmp_path) == before


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing/a", "its parent is not a directory"),
        ("file/a", "its parent is not a directory"),
        ("..", "must be named like a new directory"),
        ("a\0b", "must be named like a new directory"),
        ("n" * 300, "file name too long"),
    ],
)
def test_paths_that_cannot_be_written(tmp_path: Path, monkeypatch: Any, path: str, message: str) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArtifactError, match=message):
        artifact().save(path)
    assert names(tmp_path) == ["file"]


def test_a_parent_without_write_permission_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ArtifactError, match="its parent directory is not writable"):
        artifact().save(tmp_path / "a")


@pytest.mark.parametrize("failing", ["_write_file", "_sync_directory"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: Any, failing: str) -> None:
    artifact(b"old").save(tmp_path / "a")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(store, failing, fail)
        with pytest.raises(ArtifactError, match=r"\(3 B\): no space left on device; free some"):
            artifact(b"new").save(tmp_path / "a")
    assert names(tmp_path) == ["a"]
    assert Artifact.load(tmp_path / "a").text("kernels") == "old"


def test_an_interrupt_at_the_rename_leaves_what_was_there(tmp_path: Path, monkeypatch: Any) -> None:
    artifact(b"old").save(tmp_path / "a")
    rename = os.rename

    def interrupt(source: Any, target: Any) -> None:
        if str(source).endswith(".partial"):
            raise KeyboardInterrupt
        rename(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", interrupt)
        with pytest.raises(KeyboardInterrupt):
            artifact(b"new").save(tmp_path / "a")
    assert names(tmp_path) == ["a"]
    assert Artifact.load(tmp_path / "a").text("kernels") == "old"


def test_damage_is_found(tmp_path: Path) -> None:
    artifact().save(tmp_path / "a")
    (tmp_path / "a" / "kernels.mlir").write_bytes(b"gpu.modulf")
    with pytest.raises(ArtifactError, match=r"kernels\.mlir is damaged: its SHA-256 is not the manifest's"):
        Artifact.load(tmp_path / "a")
    (tmp_path / "a" / "kernels.mlir").write_bytes(b"gpu.module and more")
    with pytest.raises(ArtifactError, match="is damaged"):
        Artifact.load(tmp_path / "a")
    (tmp_path / "a" / "kernels.mlir").unlink()
    with pytest.raises(ArtifactError, match=r"kernels\.mlir: no such file"):
        Artifact.load(tmp_path / "a")
    (tmp_path / "a" / "kernels.mlir").symlink_to("/etc/hostname")
    with pytest.raises(ArtifactError, match=r"kernels\.mlir: too many levels of symbolic links"):
        Artifact.load(tmp_path / "a")
    (tmp_path / "a" / "kernels.mlir").unlink()
    os.mkfifo(tmp_path / "a" / "kernels.mlir")
    with pytest.raises(ArtifactError, match="not a regular file"):
        Artifact.load(tmp_path / "a")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "not UTF-8 text"),
        (b"{", "not JSON"),
        (b"{}", "schema_version: this release reads version 1, but got None"),
    ],
)
def test_a_bad_manifest_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    artifact().save(tmp_path / "a")
    (tmp_path / "a" / "manifest.json").write_bytes(content)
    with pytest.raises(ArtifactError, match=message):
        Artifact.load(tmp_path / "a")


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="no such directory"):
        Artifact.load(tmp_path / "a")
    (tmp_path / "a").write_text("")
    with pytest.raises(ArtifactError, match="not a directory"):
        Artifact.load(tmp_path / "a")


def test_an_interrupt_as_a_directory_is_made_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = os.mkdir

    def interrupted(*arguments: Any, **settings: Any) -> None:
        make(*arguments, **settings)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt):
        artifact().save(tmp_path / "a.roller")
    with pytest.raises(KeyboardInterrupt):
        pack_kit(tmp_path / "kit", "h200", [], PackOptions(jobs=1))
    assert not list(tmp_path.iterdir())
