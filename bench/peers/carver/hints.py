# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks TileLang's carver for its first tiles of some operators, and keeps them in `hints.json`.

    python -m venv carver-venv && carver-venv/bin/pip install tilelang==0.1.15
    carver-venv/bin/python bench/peers/carver/hints.py

Only this script needs TileLang, and it needs nothing of roller_mlir: `table.py` works from the file. Carver describes a
device by asking the GPU of the machine; here the description is filled in by hand, so that no GPU is needed.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

HINTS = Path(__file__).with_name("hints.json")

DEVICES: dict[str, dict[str, Any]] = {
    # Units and last cache as in roller_mlir/hal/devices; 48 KiB is what carver reads on a real device of either kind
    # (cudaDevAttrMaxSharedMemoryPerBlock, without opting in to more). The rest is what carver writes for every device.
    "sm_70": {"units": 80, "l2_bytes": 6 << 20, "workgroup_bytes": 48 << 10, "compared_on": "v100"},
    "sm_90": {"units": 132, "l2_bytes": 50 << 20, "workgroup_bytes": 48 << 10, "compared_on": "h200"},
}

C0 = {"N": 128, "C": 128, "H": 28, "W": 28, "F": 128, "KH": 3, "KW": 3, "stride": 1, "pad_h": 2, "pad_w": 2}
OPERATORS: dict[str, dict[str, Any]] = {
    # Ids are those of the suite roller119, whose sizes table.py checks these against; the last two are not in it.
    "M0": {"kind": "matmul", "dtype": "f32", "sizes": {"M": 65536, "N": 1024, "K": 2}},
    "M1": {"kind": "matmul", "dtype": "f32", "sizes": {"M": 128, "N": 1000, "K": 4032}},
    "M3": {"kind": "matmul", "dtype": "f32", "sizes": {"M": 65536, "N": 4096, "K": 1024}},
    "C0": {
        "kind": "conv2d",
        "dtype": "f32",
        "sizes": C0,
    },
    "D0": {
        "kind": "depthwise_conv2d",
        "dtype": "f32",
        "sizes": {"N": 128, "C": 84, "H": 83, "W": 83, "KH": 5, "KW": 5, "stride": 2, "pad_h": 4, "pad_w": 4},
    },
    "R0": {"kind": "reduce_sum", "dtype": "f32", "sizes": {"M": 65536, "K": 1024}},
    "matmul-f16": {"kind": "matmul", "dtype": "f16", "sizes": {"M": 4096, "N": 4096, "K": 4096}},
    "C0-nhwc": {
        "kind": "conv2d_nhwc",
        "dtype": "f32",
        "sizes": C0,
    },
}
ELEMENTS = {"f32": "float32", "f16": "float16"}


def arch(name: str) -> Any:
    """Return carver's description of a device, without asking a GPU for it."""
    from tilelang.carver.arch.cuda import CUDA
    from tvm.target import Target

    given = DEVICES[name]
    made: Any = object.__new__(CUDA)
    facts = {
        "target": Target({"kind": "cuda", "arch": name}),
        "sm_version": int(name.removeprefix("sm_")),
        "compute_capability": name.removeprefix("sm_"),
        "name": name,
        "device": None,
        "platform": "CUDA",
        "smem_cap": given["workgroup_bytes"],
        "max_smem_usage": 2 * given["workgroup_bytes"],
        "compute_max_core": given["units"],
        "l2_cache_size_bytes": given["l2_bytes"],
        "warp_size": 32,
        "reg_cap": 65536,
        "sm_partition": 4,
        "transaction_size": [32, 128],
        "bandwidth": [750, 12080],
        "available_tensor_instructions": None,
    }
    for key, value in facts.items():
        setattr(made, key, value)
    return made


def matmul(sizes: dict[str, int], element: str) -> Any:
    from tilelang.carver.template import MatmulTemplate

    return MatmulTemplate(
        M=sizes["M"],
        N=sizes["N"],
        K=sizes["K"],
        trans_B=False,
        in_dtype=element,
        out_dtype="float32",
        accum_dtype="float32",
    )


def conv2d_nhwc(sizes: dict[str, int], element: str) -> Any:
    from tilelang.carver.template import ConvTemplate

    return ConvTemplate(
        N=sizes["N"],
        C=sizes["C"],
        H=sizes["H"],
        W=sizes["W"],
        F=sizes["F"],
        K=sizes["KH"],
        S=sizes["stride"],
        D=1,
        P=sizes["pad_h"] // 2,
        in_dtype=element,
        out_dtype="float32",
        accum_dtype="float32",
    )


def reduce_sum(sizes: dict[str, int], element: str) -> Any:
    from tilelang.carver.template import GeneralReductionTemplate

    return GeneralReductionTemplate(structure="SR", shape=[sizes["M"], sizes["K"]], dtype=element)


def windows(sizes: dict[str, int], element: str, *, depthwise: bool) -> Any:
    """Return a convolution NCHW, for which carver has no template, as a function of the one form that it reads."""
    from tvm import te, tirx

    s = sizes
    low_h, low_w = s["pad_h"] // 2, s["pad_w"] // 2
    rows, columns = (
        (s[e] + s[p] - s[k]) // s["stride"] + 1 for e, p, k in (("H", "pad_h", "KH"), ("W", "pad_w", "KW"))
    )
    x = te.placeholder((s["N"], s["C"], s["H"], s["W"]), name="A", dtype=element)
    channels = s["C"] if depthwise else s["F"]
    shape = (channels, s["KH"], s["KW"]) if depthwise else (channels, s["C"], s["KH"], s["KW"])
    w = te.placeholder(shape, name="B", dtype=element)
    c = te.reduce_axis((0, s["C"]), name="c")
    kh = te.reduce_axis((0, s["KH"]), name="kh")
    kw = te.reduce_axis((0, s["KW"]), name="kw")

    def point(n: Any, f: Any, i: Any, j: Any) -> Any:
        h, v = i * s["stride"] - low_h + kh, j * s["stride"] - low_w + kw
        there = te.all(h >= 0, h < s["H"], v >= 0, v < s["W"])
        product = x[n, f, h, v] * w[f, kh, kw] if depthwise else x[n, c, h, v] * w[f, c, kh, kw]
        return te.sum(
            te.if_then_else(there, product, tirx.const(0, element)), axis=[kh, kw] if depthwise else [c, kh, kw]
        )

    y = te.compute((s["N"], channels, rows, columns), point, name="C")
    return te.create_prim_func([x, w, y])


WRITERS: dict[str, Callable[[dict[str, int], str], Any]] = {
    "matmul": matmul,
    "conv2d_nhwc": conv2d_nhwc,
    "reduce_sum": reduce_sum,
    "conv2d": lambda sizes, element: windows(sizes, element, depthwise=False),
    "depthwise_conv2d": lambda sizes, element: windows(sizes, element, depthwise=True),
}


def hints_of(operator: dict[str, Any], device: Any, top: int) -> list[dict[str, Any]]:
    """Return carver's first hints of an operator, as numbers."""
    from tilelang.carver.utils import get_roller_hints_from_func

    made = WRITERS[operator["kind"]](operator["sizes"], ELEMENTS[operator["dtype"]])
    if hasattr(made, "recommend_hints"):
        found = made.with_arch(device).recommend_hints(topk=top)
    else:
        found = get_roller_hints_from_func(made, device, topk=top, allow_gemv=True)
    return [record(hint) for hint in found or []]


def record(hint: Any) -> dict[str, Any]:
    """Return what a hint decides: `block`, threads (or warp tile) per parallel axis, `step`, `stages`."""
    tensor = bool(hint.use_tc)
    result: dict[str, Any] = {"block": numbers(hint.block)}
    result["warp" if tensor else "threads"] = numbers(hint.warp if tensor else hint.thread)
    result["step"] = numbers(hint.rstep)
    result["stages"] = int(hint.pipeline_stage)
    if any(count > 1 for count in numbers(hint.reduce_thread)):
        result["step_threads"] = numbers(hint.reduce_thread)
    if any(count > 1 for count in numbers(hint.step)):
        result["together"] = numbers(hint.step)
    return result


def numbers(values: Sequence[Any]) -> list[int]:
    return [int(value) for value in values]


def text(found: dict[str, Any]) -> str:
    """Return the JSON with one hint a line."""

    def lines(value: Any, depth: int) -> str:
        inner, outer = "  " * (depth + 1), "  " * depth
        if isinstance(value, dict) and not ("block" in value or "units" in value or "M" in value or "N" in value):
            items = [f"{inner}{json.dumps(key)}: {lines(one, depth + 1)}" for key, one in value.items()]
            return "{\n" + ",\n".join(items) + f"\n{outer}}}"
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n" + ",\n".join(f"{inner}{lines(one, depth + 1)}" for one in value) + f"\n{outer}]"
        return json.dumps(value)

    return lines(found, 0) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=int, default=10, help="hints per operator and device (10)")
    parser.add_argument("-o", "--output", type=Path, default=HINTS, help=f"the file to write ({HINTS.name})")
    options = parser.parse_args()
    try:
        version = metadata.version("tilelang")
        from tilelang.carver import matmul_analysis
    except ImportError as error:
        print(f"error: carver is a part of TileLang, which is not installed: {error}", file=sys.stderr)
        print(
            "note: 'pip install tilelang' in an environment of its own; table.py needs only hints.json", file=sys.stderr
        )
        return 1
    devices = {name: arch(name) for name in DEVICES}
    # Carver describes the device anew where it looks for tensor cores, and without a GPU falls back in silence.

    def described(target: Any) -> Any:
        return devices[str(target.attrs["arch"])]

    matmul_analysis.get_arch = described
    operators: dict[str, Any] = {}
    for name, operator in OPERATORS.items():
        per_device = {key: hints_of(operator, device, options.top) for key, device in devices.items()}
        operators[name] = {**operator, "hints": per_device}
        print(name, {key: len(found) for key, found in per_device.items()}, file=sys.stderr)
    written = options.output.with_name(f".{options.output.name}.partial")
    written.write_text(text({"tilelang": version, "devices": DEVICES, "operators": operators}))
    written.replace(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
