# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles operators with ours and with peers, without a GPU, counts in machine code, writes docs/evaluation/peers.md.

python bench/peers/compare.py --date 2026-11-21 --python-triton VENV/bin/python --python-tvm VENV/bin/python
python bench/peers/compare.py --page-only

`pip install triton==3.9.0 apache-tvm==0.27.0.post1` into an environment of its own serves the first two peers; IREE is
among our own tools. A peer whose interpreter lacks it is left out, and the page says so. Of peers that --peers does not
name, the figures that are there are kept. With --only, the results are of those operators alone.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from machine_code import ToolError, assembler_version, cuda_to_ptx, measure
from operators import ROOT, operators
from ours import programs as our_programs
from page import page
from traffic import asked_bytes, global_bytes

from roller_mlir.hal import Device, find_device

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = ROOT / "docs" / "evaluation" / "peers.md"
PEERS = {"triton": ("Triton", "triton"), "tvm": ("TVM dlight", "tvm"), "iree": ("IREE", "iree.compiler")}
DEVICE = "h200"
PEER_TIMEOUT_S = 1800


class PeerError(RuntimeError):
    """A peer cannot be used."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, help="the day that the page names; required to measure")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"comma-separated ({','.join(PEERS)})")
    for name in PEERS:
        parser.add_argument(f"--python-{name}", default=sys.executable, metavar="PYTHON", help=f"that has {name}")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="some operators; may be repeated")
    parser.add_argument("--nvcc", type=Path, help="compiler of TVM's CUDA C++ (the one beside ptxas)")
    parser.add_argument("--page-only", action="store_true", help="write the page from the results that are there")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the figures (results.json)")
    parser.add_argument("-o", "--out", type=Path, default=PAGE, help="the page to write (docs/evaluation/peers.md)")
    options = parser.parse_args()
    names = options.peers.split(",") if options.peers else []
    given = operators()
    if unknown := [name for name in options.only if name not in given]:
        parser.error(f"no operator '{unknown[0]}'; known: {', '.join(given)}")
    if unknown := [name for name in names if name not in PEERS]:
        parser.error(f"no peer '{unknown[0]}'; known: {', '.join(PEERS)}")
    if not options.page_only and options.date is None:
        parser.error("--date is required to measure")
    try:
        if options.page_only:
            found = json.loads(options.results.read_text())
        else:
            interpreters = {name: getattr(options, f"python_{name}") for name in names}
            before = json.loads(options.results.read_text()) if options.results.is_file() else None
            given = {name: given[name] for name in options.only or given}
            device = find_device(DEVICE)
            found = {"date": options.date.isoformat(), **results(given, interpreters, options.nvcc, device, before)}
            write(options.results, json.dumps(found, indent=1) + "\n")
        write(options.out, page(found))
    except (ToolError, PeerError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def results(
    given: dict[str, dict[str, Any]],
    interpreters: dict[str, str],
    nvcc: Path | None,
    device: Device,
    before: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return all figures: `programs` per operator, ours first, and what was left out.

    Args:
        given: The operators.
        interpreters: By peer, those that are to be compiled with.
        nvcc: Compiler of CUDA C++, see `cuda_to_ptx`.
        device: What is compiled for.
        before: Earlier results, of which the other peers' figures are kept.
    """
    programs: dict[str, list[dict[str, Any]]] = {}
    for name, operator in given.items():
        programs[name] = [finished("ours", one, operator) for one in our_programs(name, operator, device)]
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    for name, (title, _) in PEERS.items():
        if name not in interpreters:
            if before is not None and title in before["versions"]:
                versions[title] = before["versions"][title]
                for operator_name in programs:
                    programs[operator_name] += [
                        r for r in before["programs"].get(operator_name, []) if r["who"] == title
                    ]
            continue
        try:
            made = run_peer(name, interpreters[name], given)
        except PeerError as error:
            print(f"{title} is left out: {error}", file=sys.stderr)
            missing[title] = str(error)
            continue
        versions[title] = made["version"]
        for operator_name, variants in made["programs"].items():
            operator = given[operator_name]
            measured = [peer_program(title, one, operator, nvcc, device) for one in variants]
            programs[operator_name] += shown(measured, programs[operator_name][0])
    return {
        "device": device.name,
        "architecture": device.architecture,
        "ptxas": assembler_version(),
        "versions": versions,
        "missing": missing,
        "programs": programs,
    }


def run_peer(name: str, python: str, given: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Run a peer's script in its interpreter and return what it prints."""
    module = PEERS[name][1]
    with tempfile.TemporaryDirectory(prefix="peer-") as folder:
        path = Path(folder) / "operators.json"
        path.write_text(json.dumps(given))
        try:
            known = subprocess.run([python, "-c", f"import {module}"], capture_output=True, text=True, timeout=120)
            if known.returncode:
                raise PeerError(f"{Path(python).name} cannot import {module}")
            command = [python, str(HERE / f"peer_{name}.py"), str(path)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=PEER_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PeerError(str(error)) from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise PeerError(f"its script failed: {last[0][:200]}")
    return json.loads(done.stdout)


def peer_program(
    title: str, given: dict[str, Any], operator: dict[str, Any], nvcc: Path | None, device: Device
) -> dict[str, Any]:
    """Return a peer's program with its figures."""
    kernels: list[dict[str, Any]] = []
    for one in given["kernels"]:
        ptx = one["ptx"] if "ptx" in one else cuda_to_ptx(one["cuda"], one["name"], nvcc, device)
        found = measure(
            ptx, one["name"], threads=one["threads"], tasks=one["tasks"],
            dynamic_shared_bytes=one["dynamic_shared_bytes"], device=device,
        )  # fmt: skip
        kernels.append({**found.to_dict(), "tile": one["tile"]})
    return finished(title, {"config": given["config"], "kernels": kernels}, operator)


def finished(who: str, program: dict[str, Any], operator: dict[str, Any]) -> dict[str, Any]:
    """Return a program with its owner and its bytes."""
    kernels = program["kernels"]
    asked = program.get("asked_bytes")
    if asked is None:
        asked = sum(asked_bytes(operator, one, one["tile"]) for one in kernels)
    least = sum(global_bytes(operator, one["tile"]) for one in kernels)
    return {"who": who, **program, "asked_bytes": asked, "global_bytes": least}


def shown(variants: list[dict[str, Any]], own: dict[str, Any]) -> list[dict[str, Any]]:
    """Choose what of a peer's configurations is shown, each with the number of those that it was chosen from.

    All of up to four; of more, without those that spill: the one with the highest FMA share, the same among those with
    no more registers than ours has, and the one that asks for the fewest bytes.
    """
    if len(variants) <= 4:
        return variants
    clean = [one for one in variants if not one["kernels"][0]["spill_bytes"]] or variants

    def share(one: dict[str, Any]) -> float:
        return one["kernels"][0]["fma_share"] or 0.0

    limit = own["kernels"][0]["registers"]
    within = [one for one in clean if one["kernels"][0]["registers"] <= limit]
    chosen = [max(clean, key=share), *[max(group, key=share) for group in (within,) if group]]
    chosen.append(min(clean, key=lambda one: (one["asked_bytes"], -share(one))))
    return [{**one, "of": len(variants)} for at, one in enumerate(chosen) if one not in chosen[:at]]


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(text)
    partial.replace(path)


if __name__ == "__main__":
    sys.exit(main())
