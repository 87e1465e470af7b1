# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent kernels behind the vendors' assemblers: what they load, and whether all their blocks run at once."""

import re

import pytest
from graph_models import attention, branches, equal_layers

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.checks.residency import Residency
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.support.diagnostics import DiagnosedError

_LINE = re.compile(r"^\t(?:@!?%p\d+ )?([a-z][\w.:]*)\s+(.*);$", re.MULTILINE)
_REGISTER = re.compile(r"%rd?\d+")


def parameters_of_loads(ptx: str) -> tuple[set[int], set[int]]:
    """Return the parameters that addresses of ld.global.nc may come from, and those of all other global loads."""
    lines = [(name, operands) for name, operands in _LINE.findall(ptx) if not name.startswith(("st.", "bra", "bar"))]
    origins: dict[str, set[int]] = {}
    changed = True
    while changed:  # registers of loops have several definitions
        changed = False
        for name, operands in lines:
            results, _, rest = operands.partition(", ") if operands[0] != "{" else operands.partition("}")
            found = {int(n) for n in re.findall(r"_param_(\d+)\]", rest)}
            # What is loaded is data, and no address.
            found |= (
                set()
                if name.startswith("ld.")
                else set().union(*(origins.get(one, set()) for one in _REGISTER.findall(rest)))
            )
            for result in _REGISTER.findall(results):
                if found - origins.setdefault(result, set()):
                    origins[result] |= found
                    changed = True
    loads: tuple[set[int], set[int]] = (set(), set())
    for name, operands in lines:
        if name.startswith(("ld.global", "ld.relaxed")):
            (address,) = re.findall(r"\[(%rd\d+)", operands)
            loads[0 if ".nc" in name else 1].update(origins[address])
    return loads


@pytest.mark.full
@pytest.mark.parametrize(("model", "device"), [("branches", "h200"), ("attention", "a100"), ("layers", "a100")])
def test_no_cached_load_of_what_the_kernel_writes(model: str, device: str) -> None:
    """A load through the read-only cache (ld.global.nc) may not see what another block wrote."""
    text, *_ = {"branches": branches, "attention": attention, "layers": equal_layers}[model]()
    artifact = roller_mlir.compile(text, target=device, options=CompileOptions(persistent=True))
    manifest = artifact.manifest
    (launch,), (kernel,) = manifest.launches, manifest.kernels
    cached, ordered = parameters_of_loads(artifact.files[kernel.files["ptx"]].decode())
    roles = [manifest.buffer(view.buffer).role for view in launch.arguments]
    assert {roles[n] for n in cached} == {"input", "constant"}
    assert {"workspace", "state"} <= {roles[n] for n in ordered}
    assert kernel.statistics.spill_bytes == 0


def test_the_search_for_parameters_sees_a_cached_load() -> None:
    ptx = """
\tld.param.b64 \t%rd1, [f_param_1];
\tcvta.to.global.u64 \t%rd2, %rd1;
$L__BB0_1:
\tadd.s64 \t%rd3, %rd2, %rd4;
\tmov.b64 \t%rd4, %rd3;
\tld.global.nc.v2.b32 \t{%r1, %r2}, [%rd4+16];
"""
    assert parameters_of_loads(ptx) == ({1}, set())


def test_blocks_that_do_not_all_run_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    h200 = find_device("h200")
    residency = Residency(device=h200, blocks=2 * h200.units, threads=256)
    residency.check("mlp", KernelStatistics(registers=128, shared_bytes=4096))
    with pytest.raises(CompileError, match="needs 264 blocks at a time, but of 256 threads, 136 registers and 4096 B"):
        residency.check("mlp", KernelStatistics(registers=136, shared_bytes=4096))
    text, *_ = equal_layers()
    monkeypatch.setattr(Residency, "held", lambda *_: 1)
    with pytest.raises(DiagnosedError, match=r"schedule fewer \(rammer-schedule{blocks=1}\), or lower block-registers"):
        roller_mlir.compile(text, target="mi300x", options=CompileOptions(persistent=True))
