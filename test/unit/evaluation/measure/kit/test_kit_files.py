# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kits on disk: what is written is read back; what a stranger may have done to one is a clear error."""

import json
import random
import resource
import signal
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.evaluation.measure.kit.files import ARCHIVE, INDEX, KitError, KitFiles, check_kit, open_kit
from roller_mlir.evaluation.measure.kit.writer import KitWriter, stripped
from roller_mlir.evaluation.measure.records import Item, ItemCandidate, Kit, Probe
from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest
from roller_mlir.plan.records.codec import CodecError
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.errors import ArtifactError
from roller_mlir.runtime.store import sha256

CONTENT: dict[str, tuple[str, bytes]] = {
    "input.mlir": ("input", b"the input"),
    "kernels.mlir": ("kernels", b"the kernels"),
    "constants.bin": ("constants", bytes(16)),
    "k.ll": ("llvm", b"llvm"),
    "k.ptx": ("ptx", b"ptx" * 100),
    "k.cubin": ("cubin", b"cubin" * 100),
}


def artifact(
    *, cubin: bool = True, change: bytes = b"", content: Mapping[str, tuple[str, bytes]] = CONTENT
) -> Artifact:
    kept = {name: one for name, one in content.items() if cubin or name != "k.cubin"}
    files = {name: data + (change if role == "cubin" else b"") for name, (role, data) in kept.items()}
    kernel = Kernel(
        name="k",
        files={role: name for name, (role, _) in kept.items() if name.startswith("k.")},
        phases_s={"lower_s": 1.0},
    )
    manifest = Manifest(
        function="f",
        device=DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        inputs=("x",),
        outputs=("y",),
        buffers=(
            Buffer(name="x", role="input", element_type="f32", shape=(4,)),
            Buffer(name="c", role="constant", element_type="f32", shape=(4,)),
            Buffer(name="y", role="output", element_type="f32", shape=(4,)),
        ),
        launches=(
            Launch(
                kernel="k",
                grid=(1, 1, 1),
                block=(32, 1, 1),
                arguments=tuple(BufferView(buffer=name, element_type="f32", shape=(4,)) for name in ("x", "c", "y")),
            ),
        ),
        kernels=(kernel,),
        files=tuple(
            File(name=name, role=kept[name][0], size_bytes=len(data), sha256=sha256(data))
            for name, data in files.items()
        ),
        phases_s={"total": 2.0},
    )
    return Artifact(manifest, files)


def kit(*names: str, **fields: Any) -> Kit:
    items = tuple(
        Item(id=name, suite="s", title=name, candidates=(ItemCandidate(rank=0, artifact=f"{name}/0"),))
        for name in names
    )
    base = Kit(
        target="h200",
        architecture="sm_90a",
        vendor="nvidia",
        created="2026-01-01T00:00:00Z",
        compiler="0",
        items=items,
    )
    return replace(base, **fields)


def write(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    with KitWriter(folder) as writer:
        for name in names:
            writer.add(f"{name}/0", stripped(artifact()))
        writer.add_source(names[0], "func.func @main()")
        writer.finish(kit(*names))
    return folder


def rewrite(folder: Path, change: Callable[[str, bytes], tuple[str, bytes] | None]) -> None:
    with zipfile.ZipFile(folder / ARCHIVE) as old:
        entries = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(folder / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in entries.items():
            changed = change(name, data)
            if changed:
                new.writestr(*changed)


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    return write(tmp_path / "kit", "suite/A/f32", "suite/B/f32")


def test_what_is_written_is_read(packed: Path) -> None:
    with open_kit(packed) as opened:
        assert opened.kit == kit("suite/A/f32", "suite/B/f32")
        assert opened.sha256 == sha256((packed / INDEX).read_bytes())
        assert opened.artifact("suite/B/f32/0") == stripped(artifact())
        assert opened.source("suite/A/f32") == "func.func @main()"
        assert opened.source("suite/B/f32") is None


def test_a_file_is_packed_once_however_many_have_it(packed: Path) -> None:
    with zipfile.ZipFile(packed / ARCHIVE) as archive:
        names = archive.namelist()
    assert sum(name.startswith("blobs/") for name in names) == 3
    assert sum(name.startswith("artifacts/") for name in names) == 2


def test_the_same_contents_are_the_same_bytes(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name, "A", "B") for name in ("one", "two"))
    assert (first / ARCHIVE).read_bytes() == (second / ARCHIVE).read_bytes()
    assert (first / INDEX).read_bytes() == (second / INDEX).read_bytes()


def test_stripped_keeps_what_a_device_needs() -> None:
    small = stripped(artifact())
    assert [file.role for file in small.manifest.files] == ["constants", "ptx", "cubin"]
    assert small.kernels[0].files == {"ptx": "k.ptx", "cubin": "k.cubin"}
    assert not small.manifest.phases_s and not small.kernels[0].phases_s
    assert [file.role for file in stripped(artifact(cubin=False)).manifest.files] == ["constants", "ptx"]
    amd = artifact(
        content={name: CONTENT[name] for name in ("constants.bin", "k.ll")} | {"k.hsaco": ("hsaco", b"code")}
    )
    assert [file.role for file in stripped(amd).manifest.files] == ["constants", "hsaco"]
    roles = [file.role for file in stripped(artifact(), simulator=True).manifest.files]
    assert roles == ["kernels", "constants", "ptx", "cubin"]


def test_the_index_is_checked_before_it_is_written(tmp_path: Path) -> None:
    with KitWriter(tmp_path) as writer:
        with pytest.raises(CodecError, match="speaks of artifact 'A/0', which was not added"):
            writer.finish(kit("A"))
        with pytest.raises(ValueError, match="must be plain, but got '../A'"):
            writer.add("../A", artifact())
        writer.add("A/0", artifact())
        with pytest.raises(ValueError, match="each name once"):
            writer.add("A/0", artifact())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (kit("A", schema=2), "reads version 1, but got 2"),
        (kit("A", "A"), "items\\[1\\].id: names must be unique, but 'A' occurs twice"),
        (kit("../A"), "items\\[0\\].id: must be words"),
        (kit("A", items=(Item(id="A", suite="s", title="", candidates=()),)), "there must be some"),
        (
            kit(probes=(Probe(name="p", quantity="flops", subject="fma", artifact="p", work=1.0, baseline="q"),)),
            "its baseline 'q' is no probe",
        ),
    ],
)
def test_rules_of_an_index(wrong: Kit, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        check_kit(wrong)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Expecting value"),
        (b"\xff\xfe", "UTF|Expecting"),
        (b"[]", "expected an object"),
        (b"[" * 100_000, "nested"),
        (b'{"schema": 1}', "target: missing"),
        (b'{"schema": "1"}', "schema"),
    ],
)
def test_an_index_that_is_none(packed: Path, content: bytes, message: str) -> None:
    (packed / INDEX).write_bytes(content)
    with pytest.raises(KitError, match=f"cannot read kit: .*{INDEX}: .*({message})"):
        open_kit(packed)


def test_an_index_of_another_schema(packed: Path) -> None:
    data = json.loads((packed / INDEX).read_text())
    (packed / INDEX).write_text(json.dumps({**data, "schema": 7}))
    with pytest.raises(KitError, match="reads version 1, but got 7"):
        open_kit(packed)


def test_missing_files(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(KitError, match=f"{INDEX}: no such file"):
        open_kit(tmp_path / "nowhere")
    (packed / ARCHIVE).unlink()
    with pytest.raises(KitError, match=f"{ARCHIVE}: no such file"):
        open_kit(packed)


def test_an_archive_cut_off_or_of_another_kit(packed: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other", "C")
    content = (packed / ARCHIVE).read_bytes()
    (packed / ARCHIVE).write_bytes(content[: len(content) // 2])
    with pytest.raises(KitError, match=ARCHIVE):
        open_kit(packed)
    (packed / ARCHIVE).write_bytes((other / ARCHIVE).read_bytes())
    with pytest.raises(KitError, match="lacks artifact 'suite/A/f32/0', of which index.json speaks"):
        open_kit(packed)


def test_a_blob_that_was_changed(packed: Path) -> None:
    rewrite(packed, lambda name, data: (name, data.replace(b"cubin", b"virus") if name.startswith("blobs/") else data))
    with open_kit(packed) as opened, pytest.raises(KitError, match="damaged"):
        opened.artifact("suite/A/f32/0")


def test_a_blob_that_is_missing(packed: Path) -> None:
    rewrite(packed, lambda name, data: None if name.startswith("blobs/") else (name, data))
    with open_kit(packed) as opened, pytest.raises(KitError, match="there is no such entry"):
        opened.artifact("suite/A/f32/0")


def test_bits_that_fell_over(packed: Path) -> None:
    content = bytearray((packed / ARCHIVE).read_bytes())
    for place in range(0, len(content) // 2, 7):
        content[place] ^= 0xFF
    (packed / ARCHIVE).write_bytes(content)
    with pytest.raises(ArtifactError, match=ARCHIVE), open_kit(packed) as opened:
        opened.artifact("suite/A/f32/0")


@pytest.mark.full
def test_a_bomb_is_not_decompressed(packed: Path) -> None:
    size = 64 << 20
    rewrite(packed, lambda name, data: (name, bytes(size) if name.startswith("blobs/") else data))
    assert (packed / ARCHIVE).stat().st_size < 1 << 20
    with open_kit(packed) as opened, pytest.raises(KitError, match=f"has {size} B, which is above the"):
        opened.artifact("suite/A/f32/0")


def test_an_artifact_that_is_too_large(packed: Path) -> None:
    with open_kit(packed) as opened, pytest.raises(KitError, match="816 B, which is above the limit of 100 B"):
        opened.artifact("suite/A/f32/0", most_bytes=100)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "artifacts/a b", "blobs\\x"])
def test_names_that_point_elsewhere(packed: Path, name: str) -> None:
    with zipfile.ZipFile(packed / ARCHIVE, "a") as archive:
        archive.writestr(name, b"x")
    with pytest.raises(KitError, match="its name is not plain"):
        open_kit(packed)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_twice(packed: Path) -> None:
    with zipfile.ZipFile(packed / ARCHIVE, "a") as archive:
        archive.writestr("artifacts/suite/A/f32/0/manifest.json", b"{}")
    with pytest.raises(KitError, match="it occurs twice"):
        open_kit(packed)


def test_a_method_that_takes_memory(packed: Path) -> None:
    with zipfile.ZipFile(packed / ARCHIVE, "a", zipfile.ZIP_LZMA) as archive:
        archive.writestr("blobs/x", b"x")
    with pytest.raises(KitError, match="neither stored nor deflated"):
        open_kit(packed)


CHANGES: list[tuple[Callable[[Any], str], str]] = [
    (lambda _: "{", "not JSON"),
    (lambda m: json.dumps({**m, "schema_version": 9}), "reads version 1"),
    (lambda m: json.dumps({**m, "files": []}), "is not one of"),
    (lambda m: json.dumps({**m, "files": m["files"][1:]}), "outside the constants file"),
    (lambda m: json.dumps({**m, "buffers": [{**m["buffers"][1], "offset_bytes": 8}]}), "is not one of"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_manifest_that_is_none(packed: Path, change: Callable[[Any], str], message: str) -> None:
    def changed(name: str, data: bytes) -> tuple[str, bytes]:
        return name, change(json.loads(data)).encode() if name.endswith("manifest.json") else data

    rewrite(packed, changed)
    with open_kit(packed) as opened, pytest.raises(ArtifactError, match=message):
        opened.artifact("suite/A/f32/0")


def write_big(folder: Path) -> None:
    with KitWriter(folder) as writer:
        writer.add("A/0", artifact(change=random.Random(0).randbytes(1 << 16)))
        writer.finish(kit("A"))


def test_a_full_disk_is_an_error_and_not_a_kit(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
        with pytest.raises(OSError, match="too large"):
            write_big(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert not (tmp_path / INDEX).exists()


def test_a_reader_closes_its_file(packed: Path) -> None:
    with open_kit(packed):
        pass
    rewrite(packed, lambda name, data: None if "A/f32/0" in name else (name, data))
    with pytest.raises(KitError):
        KitFiles(packed)


def test_another_binary_is_another_blob(tmp_path: Path) -> None:
    with KitWriter(tmp_path) as writer:
        writer.add("A/0", stripped(artifact()))
        size = writer.size_bytes
        writer.add("B/0", stripped(artifact(change=b"!")))
        assert writer.size_bytes > size
        size = writer.size_bytes
        total = writer.finish(kit("A", "B"))
    assert size == (tmp_path / ARCHIVE).stat().st_size
    assert total == sum((tmp_path / name).stat().st_size for name in (ARCHIVE, INDEX))
