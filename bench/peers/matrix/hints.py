# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks TileLang's carver for its first tiles of products of f16, and keeps them in `hints.json`.

    python -m venv carver-venv && carver-venv/bin/pip install tilelang==0.1.15
    carver-venv/bin/python bench/peers/matrix/hints.py

Only this script needs TileLang, and it needs nothing of roller_mlir: `table.py` works from the file. As in
`bench/peers/carver/hints.py`, carver's description of each device is filled in by hand.
"""

import argparse
import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HINTS = HERE / "hints.json"

DEVICES: dict[str, dict[str, Any]] = {
    # Units and last cache as in roller_mlir/hal/devices; of workgroup memory, what the drivers report of one task.
    "sm_80": {"units": 108, "l2_bytes": 40 << 20, "workgroup_bytes": 48 << 10, "compared_on": "a100"},
    "sm_90": {"units": 132, "l2_bytes": 50 << 20, "workgroup_bytes": 48 << 10, "compared_on": "h200"},
    "gfx942": {"units": 304, "l2_bytes": 4 << 20, "workgroup_bytes": 64 << 10, "compared_on": "mi300x"},
}
SIZES = {
    "4096": {"M": 4096, "N": 4096, "K": 4096},
    "8192": {"M": 8192, "N": 8192, "K": 8192},
    "tall": {"M": 65536, "N": 4096, "K": 1024},
    "skinny": {"M": 16, "N": 8192, "K": 8192},
}


def cdna(name: str, given: dict[str, Any]) -> Any:
    """Return carver's description of a CDNA device; what is no size is as the package has it."""
    from tilelang.carver.arch.cdna import CDNA
    from tvm.target import Target

    made: Any = object.__new__(CDNA)
    facts = {
        "target": Target({"kind": "hip", "mcpu": name}),
        "platform": "CDNA",
        "device": None,
        "smem_cap": given["workgroup_bytes"],
        "max_smem_usage": 2 * given["workgroup_bytes"],
        "compute_max_core": given["units"],
        "warp_size": 64,
        "compute_capability": name.removeprefix("gfx"),
        "reg_cap": 32768,
        "sm_partition": 4,
        "l2_cache_size_bytes": given["l2_bytes"],
        "transaction_size": [32, 128],
        "bandwidth": [1300, 14000],
    }
    for key, value in facts.items():
        setattr(made, key, value)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=int, default=3, help="hints per operator and device (3)")
    parser.add_argument("-o", "--output", type=Path, default=HINTS, help=f"the file to write ({HINTS.name})")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "carver"))
    sys.modules.pop("hints", None)
    carver: Any = import_module("hints")
    try:
        version = metadata.version("tilelang")
        from tilelang.carver import matmul_analysis
    except ImportError as error:
        print(f"error: carver is a part of TileLang, which is not installed: {error}", file=sys.stderr)
        return 1
    carver.DEVICES.update(DEVICES)
    devices = {
        name: cdna(name, given) if name.startswith("gfx") else carver.arch(name) for name, given in DEVICES.items()
    }

    def described(target: Any) -> Any:
        return devices[str(target.attrs["arch"] if "arch" in target.attrs else target.attrs["mcpu"])]

    # Carver describes the device anew where it looks for tensor cores, and without a GPU falls back in silence.
    matmul_analysis.get_arch = described
    operators: dict[str, Any] = {}
    for name, sizes in SIZES.items():
        operator = {"kind": "matmul", "dtype": "f16", "sizes": sizes}
        found = {key: carver.hints_of(operator, device, options.top) for key, device in devices.items()}
        operators[name] = {**operator, "hints": found}
    written = options.output.with_name(f".{options.output.name}.partial")
    written.write_text(carver.text({"tilelang": version, "devices": DEVICES, "operators": operators}))
    written.replace(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
