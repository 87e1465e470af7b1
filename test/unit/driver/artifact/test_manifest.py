# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manifest: JSON there and back, and every rule that it states."""

import json
from typing import Any

import pytest

from roller_mlir.plan.manifest import Buffer, BufferView, DeviceRecord, File, Kernel, Launch, Manifest, Statistics
from roller_mlir.plan.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.plan.records.codec import CodecError, from_json, to_json

PLAN = Plan(
    device="h200",
    axes=(AxisPlan(block=64, threads=16, chunk=4),),
    thread_order=(0,),
    lane=None,
    unit_order=(0,),
    reduction_order=(),
    operands=(OperandPlan(layer="workgroup", order=(1, 0), pad=4, vector=4, pad_value=float("-inf")),),
)


def view(buffer: str, offset_bytes: int = 0, extent: int = 4) -> BufferView:
    return BufferView(buffer=buffer, offset_bytes=offset_bytes, element_type="f32", shape=(extent,))


def make(**changes: Any) -> Manifest:
    values: dict[str, Any] = {
        "function": "main",
        "device": DeviceRecord(name="h200", vendor="nvidia", architecture="sm_90a", subgroup_size=32),
        "inputs": ("input0",),
        "outputs": ("output0",),
        "buffers": (
            Buffer(name="input0", role="input", element_type="f32", shape=(4,)),
            Buffer(name="output0", role="output", element_type="f32", shape=(4,)),
            Buffer(name="workspace0", role="workspace", element_type="i8", shape=(64,), offset_bytes=256),
        ),
        "workspace_bytes": 320,
        "launches": (
            Launch(kernel="k", grid=(2, 1, 1), block=(32, 1, 1), arguments=(view("input0"), view("output0"))),
        ),
        "kernels": (Kernel(name="k", files={"ptx": "k.ptx"}, plan=PLAN, statistics=Statistics(registers=32)),),
        "files": (File(name="k.ptx", role="ptx", size_bytes=3, sha256="00"),),
    }
    return Manifest(**{**values, **changes})


def test_round_trip_keeps_everything_even_an_infinite_pad_value() -> None:
    manifest = make()
    again = Manifest.loads(manifest.dumps())
    assert again == manifest
    assert again.kernels[0].plan is not None
    assert again.kernels[0].plan.operands[0].pad_value == float("-inf")


def test_lanes_of_a_device_are_whole_numbers_that_share_out_a_subgroup() -> None:
    device = DeviceRecord(
        name="d", vendor="amd", architecture="gfx942", subgroup_size=4, workgroup_wide_load_lanes=((0, 3), (2, 1))
    )
    assert Manifest.loads(make(device=device).dumps()).device == device
    data: Any = json.loads(make(device=device).dumps())
    for lanes in ([[0, 3], [2]], [[0, 3], [2, 2]], [[0, 1, 2, 4]], [[0, 1, 2, 3, 4]]):
        data["device"]["workgroup_wide_load_lanes"] = lanes
        with pytest.raises(CodecError, match="device: workgroup_wide_load_lanes must name each of the 4 lanes once"):
            Manifest.loads(json.dumps(data))
    data["device"]["workgroup_wide_load_lanes"] = [[-1]]
    with pytest.raises(CodecError, match=r"lanes\[0\]\[0\]: expected an integer of at least 0"):
        Manifest.loads(json.dumps(data))


def test_json_is_strict() -> None:
    text = make().dumps()
    assert "Infinity" not in text
    assert json.loads(text, parse_constant=lambda name: pytest.fail(name))["schema_version"] == 1


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema_version",), 2, "schema_version: this release reads version 1, but got 2"),
        (("launches", 0, "grid", 0), 0, "launches[0].grid[0]: expected an integer of at least 1"),
        (("launches", 0, "grid"), [1, 1], "launches[0].grid: expected a list of 3"),
        (("buffers", 0, "shape", 0), "n", "buffers[0].shape[0]: expected an integer, but got 'n'"),
        (("buffers", 0, "shape", 0), -1, "buffers[0].shape[0]: expected an integer of at least 0"),
        (("buffers", 0, "element_type"), "f8", "buffers[0].element_type: expected 'f64' or"),
        (("buffers", 0, "name"), True, "buffers[0].name: expected a string, but got True"),
        (("files", 0, "name"), "../k.ptx", "files[0]: a file name must be a plain name"),
        (("files", 0, "name"), ".hidden", "files[0]: a file name must be a plain name"),
        (("kernels", 0, "extra"), 1, "kernels[0].extra: expected one of the keys"),
        (("kernels", 0, "plan", "stages"), 1.5, "kernels[0].plan.stages: expected an integer, but got 1.5"),
        (("device",), None, "device: expected an object (DeviceRecord), but got None"),
        (("phases_s",), {"read": "1"}, "phases_s.read: expected a number"),
        (("launches", 0, "cooperative"), 1, "launches[0].cooperative: expected true or false"),
        (("buffers",), {}, "buffers: expected a list"),
        (("versions",), [], "versions: expected an object"),
    ],
)
def test_bad_values_are_named_with_their_path(path: tuple[Any, ...], value: Any, message: str) -> None:
    data: Any = json.loads(make().dumps())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(CodecError) as caught:
        Manifest.loads(json.dumps(data))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100000, '{"schema_version": "1"}'])
def test_what_is_no_manifest_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        Manifest.loads(text)


def test_missing_key() -> None:
    data: Any = json.loads(make().dumps())
    del data["kernels"][0]["name"]
    with pytest.raises(CodecError, match=r"kernels\[0\]\.name: missing"):
        Manifest.loads(json.dumps(data))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inputs": ("nothing",)}, "inputs: 'nothing' is not one of"),
        ({"inputs": ("output0",)}, "inputs name buffers of that role, but 'output0' is 'output'"),
        ({"workspace_bytes": 319}, "workspace 'workspace0' must end within 319 B"),
        ({"launches": (Launch(kernel="other", arguments=()),)}, "launches[0]: 'other' is not one of ['k']"),
        (
            {"launches": (Launch(kernel="k", arguments=(view("input0", 4),)),)},
            "ends at 20 B of 'input0', which has 16 B",
        ),
        ({"launches": (Launch(kernel="k", arguments=(view("nothing"),)),)}, "arguments[0]: 'nothing' is not one of"),
        ({"launches": (Launch(kernel="", arguments=(view("input0"),)),)}, "a copy has two arguments of one size"),
        ({"files": ()}, "kernels k: files: 'k.ptx' is not one of []"),
        ({"kernels": (Kernel(name="k"), Kernel(name="k"))}, "kernels: names must be unique, but 'k' occurs twice"),
    ],
)
def test_cross_references_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r".*") as caught:
        make(**changes)
    assert message in str(caught.value)


def test_lookups_and_sizes() -> None:
    manifest = make()
    assert manifest.buffer("input0").size_bytes == 16
    assert manifest.kernel("k").name == "k"
    assert manifest.file("constants") is None
    assert manifest.file("ptx") is manifest.files[0]


def test_codec_refuses_what_is_no_data() -> None:
    with pytest.raises(TypeError, match="only dataclasses, sequences, mappings and scalars"):
        to_json(object())
    with pytest.raises(CodecError, match="top level: expected an object"):
        from_json(Kernel, [])
