# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of inline assembly: each string once, found again, and emitted with all that LLVM must know."""

import pytest

from roller_mlir.lowering.codegen.builder.inline_assembly import (
    BY_NAME,
    TABLE,
    InlineAssembly,
    emit_assembly,
    find_assembly,
)
from roller_mlir.support.bindings import ir, llvm, make_context

TEXT = "llvm.func @k(%a: !llvm.ptr<3>, %b: i32, %c: f32, %d: f32) { llvm.return }"


def emitted(name, *numbers):
    """The call in LLVM IR, with the function's arguments of these numbers."""
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        block = module.body.operations[0].regions[0].blocks[0]
        with ir.InsertionPoint(block.operations[0]):
            results = emit_assembly(name, [block.arguments[number] for number in numbers])
        module.operation.verify()
        text = llvm.translate_module_to_llvmir(module.operation)
        return len(results), next(line.strip() for line in text.splitlines() if " asm " in line)


def test_names_and_strings_are_unique():
    assert len(BY_NAME) == len(TABLE) == len({entry.template for entry in TABLE})


def test_what_is_emitted_is_found_again():
    for entry in TABLE:
        assert find_assembly(entry.template) == entry.name
    assert find_assembly("wgmma.wait_group.sync.aligned 7;") is None


def test_a_wait_for_an_mbarrier():
    results, line = emitted("mbarrier_try_wait_parity", 0, 1)
    assert results == 0
    assert line.startswith("call void asm sideeffect")
    assert '"r,r,~{memory}"(ptr addrspace(3) %0, i32 %1)' in line


def test_accumulators_pass_through_a_wait():
    results, line = emitted("wgmma_wait_all", 2, 3)
    assert results == 2
    assert '"wgmma.wait_group.sync.aligned 0;", "=f,=f,0,1,~{memory}"(float %2, float %3)' in line
    assert emitted("wgmma_wait_all", 1)[0] == 1


def test_refusals():
    with pytest.raises(ValueError, match="must be one of mbarrier_try_wait_parity, .*, but got 'nothing'"):
        emitted("nothing")
    with pytest.raises(ValueError, match="but got 0 results and 1 operands"):
        emitted("mbarrier_try_wait_parity", 0)
    with pytest.raises(ValueError, match="must be of f32, .*, but got !llvm.ptr<3>"):
        emitted("wgmma_wait_all", 0)
    with pytest.raises(ValueError, match="must have constraints or be tied"):
        InlineAssembly(name="x", template="x;", memory_clobber=False)
