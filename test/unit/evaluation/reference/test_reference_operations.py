# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference knows the operations that the compiler takes in bodies, each of them and no other."""

import pytest
from body_functions import body_function

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference.integers import EXTENDED
from roller_mlir.evaluation.reference.scalars import OPERATIONS
from roller_mlir.lowering.linalg.body_operations import BODY_OPERATIONS
from roller_mlir.support.diagnostics import DiagnosedError


def test_the_compiler_and_the_reference_know_the_same_operations() -> None:
    assert OPERATIONS == BODY_OPERATIONS
    assert not BODY_OPERATIONS & set(EXTENDED), "two operations of one result each"


@pytest.mark.parametrize(
    ("operation", "remedy"),
    [
        ("math.ipowi %x0, %x0 : i32", "multiply with arith.muli, or use math.fpowi on floats"),
        ("arith.flush_denormals %x0 : f32", "no back end has an instruction or a function for it"),
    ],
)
def test_other_operations_are_refused_where_they_stand(operation: str, remedy: str) -> None:
    kind = operation.split(" : ")[1]
    text = body_function(f"    %r0 = {operation}", [kind], [kind], 8)
    with pytest.raises(DiagnosedError, match=remedy) as caught:
        roller_mlir.compile(text, target="h200", options=CompileOptions(binaries=False))
    place = caught.value.diagnostics[0].place
    assert place is not None and text.splitlines()[place.line - 1].strip().startswith("%r0 = ")


def operand_types(name: str) -> tuple[list[str], str, str]:
    """Return types of operands and of the result of an operation, and how its types are spelled."""
    plain = name.split(".")[1]
    special = {
        "arith.select": (["i1", "f32", "f32"], "f32", "f32"),
        "arith.cmpf": (["f32"] * 2, "i1", "f32"),
        "arith.cmpi": (["i32"] * 2, "i1", "i32"),
        "math.fpowi": (["f32", "i32"], "f32", "f32, i32"),
        "math.clampf": (["f32"] * 3, "f32", "f32"),
        "math.fma": (["f32"] * 3, "f32", "f32"),
        "arith.extf": (["f16"], "f32", "f16 to f32"),
        "arith.truncf": (["f32"], "bf16", "f32 to bf16"),
        "arith.convertf": (["f16"], "bf16", "f16 to bf16"),
        "arith.bitcast": (["f32"], "i32", "f32 to i32"),
        "arith.trunci": (["i32"], "i8", "i32 to i8"),
        "arith.index_cast": (["i32"], "i64", "index to i64"),
        "arith.index_castui": (["i32"], "i64", "index to i64"),
    }
    if name in special:
        return special[name]
    if plain in ("extsi", "extui"):
        return ["i8"], "i32", "i8 to i32"
    if plain in ("sitofp", "uitofp"):
        return ["i32"], "f32", "i32 to f32"
    if plain in ("fptosi", "fptoui"):
        return ["f32"], "i32", "f32 to i32"
    if plain in ("isfinite", "isinf", "isnan"):
        return ["f32"], "i1", "f32"
    if name.startswith("math.") and plain not in ("absi", "ctpop", "ctlz", "cttz"):
        return ["f32"] * (2 if plain in ("atan2", "powf", "copysign") else 1), "f32", "f32"
    kind = (
        "f32"
        if plain in ("addf", "subf", "mulf", "divf", "remf", "negf") or plain.endswith(("mumf", "numf"))
        else "i32"
    )
    return [kind] * (1 if plain == "negf" or name.startswith("math.") else 2), kind, kind


@pytest.mark.full(each=["device", "part"])
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_every_operation_reaches_the_vendor_s_compiler(device: str, part: int) -> None:
    """A quarter of them in one body, each with operands of its own types, down to LLVM IR."""
    ins = ["i1", "f16", "f32", "f32", "f32", "i8", "i32", "i32"]
    body: list[str] = []
    outs: list[str] = []
    for name in sorted(BODY_OPERATIONS)[part::4]:
        kinds, result, spelled = operand_types(name)
        names: list[str] = []
        for kind in kinds:
            names.append(next(f"%x{i}" for i, one in enumerate(ins) if one == kind and f"%x{i}" not in names))
        number = len(outs)
        if spelled.startswith("index"):
            body.append(f"    %i{number} = {name} {names[0]} : i32 to index")
            names = [f"%i{number}"]
        operands = f"{names[0]} to [{names[1]}, {names[2]}]" if name == "math.clampf" else ", ".join(names)
        predicate = {"arith.cmpf": "olt, ", "arith.cmpi": "slt, "}.get(name, "")
        body.append(f"    %r{number} = {name} {predicate}{operands} : {spelled}")
        outs.append(result)
    text = body_function("\n".join(body), ins, outs, 8)
    artifact = roller_mlir.compile(text, target=device, options=CompileOptions(binaries=False, llvm=True))
    assert len(artifact.manifest.outputs) == len(outs)
