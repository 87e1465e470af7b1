# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dispatches: what gets one plan each, taken out of a function as modules of their own.

A dispatch is a linalg op, or an `rtile.program` of joined ops without a plan, as it stands before planning. Its text
is a module with one function, whose arguments are the tensors that the dispatch reads (where plans may have constants
packed, as on CPUs, but for those); constants of its ops, empty tensors, paddings, slices and fills that it needs stand
inside, as they do in the program that planning makes of it. Compiling that text gives the plan and the kernel that the
dispatch gets in the function it is from.

    %1 = linalg.fill ...                                          func.func @matmul(%a, %b) {
    %2 = linalg.matmul ins(%x, %w : ...) outs(%1 : ...)             %1 = linalg.fill ...
    %3 = linalg.generic ins(%2 ...)                    // gives     %2 = linalg.matmul ins(%a, %b ...) outs(%1 ...)
                                                                    return %2 }
"""

from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.persistent import kernels_looked_at, planning_pass
from roller_mlir.compiler.reached_stage import open_entry, reached_stage
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.compiler.stages import run_stages
from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.evaluation.measure.tune.constant_inputs import alike_constant, has_alike
from roller_mlir.evaluation.measure.tune.dispatch_reference import reference_of_op
from roller_mlir.hal import find_device
from roller_mlir.hal.host import measured_as
from roller_mlir.lowering.linalg.group.dispatches import named_dispatches
from roller_mlir.lowering.linalg.group.wrap import unwrap, wrap
from roller_mlir.lowering.linalg.reader import read_structured
from roller_mlir.lowering.targets.stage import FUSED
from roller_mlir.model import ConstructOptions
from roller_mlir.model.options import ChoiceOptions
from roller_mlir.passes.rtile.planning import choices_of, options_of
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.files.tuning_key import tuning_key
from roller_mlir.support.bindings import func, ir, make_context
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """One operator, or several that are joined, to plan and to measure by itself.

    Attributes:
        name: Name of its program where its text is compiled ("matmul_0"), under which its plans stand.
        names: Names of the programs of the whole function that it stands for; several where planning sees no difference
            between them. The text is that of the first.
        key: Of the tuning data base.
        title: For people ("matmul 1024x1024, 1024x1024 -> 1024x1024 f32").
        text: The module.
        expression: What it computes, its axes fused.
        divisible: Whether its reduction may be divided over tasks.
        reference: What it computes, in words that another library knows; without a class where there are none.
        options: How its text is compiled to the kernel that it has in the whole function.
        constants: Inputs that are constants in its text, where the device's plans may have constants packed.
        finite: Those of them of finite numbers, where something is read outside of its tensor.
        kernel: Which of several kernels that it might have in a persistent one ("64-threads-17-units"); else "".
    """

    name: str
    names: tuple[str, ...]
    key: str
    title: str
    text: str
    expression: TensorExpression
    divisible: bool
    reference: Reference
    options: CompileOptions
    constants: tuple[int, ...] = ()
    finite: tuple[int, ...] = ()
    kernel: str = ""


def dispatches_of(source: Source, target: str, options: CompileOptions | None = None) -> list[Dispatch]:
    """Return the dispatches of a function, in order; those that are the same are one.

    Args:
        source: MLIR of linalg ops on tensors, or with joined ops that have no plan.
        target: A device's name, or the path of its description.
        options: How it is compiled; its entry and its fusion say what the dispatches are, and what the construction may
            do is part of their keys. Where kernels are those of a persistent one (`bounded`), each is a dispatch for
            each share of the device that it might get, by blocks of each number of threads that suits all.

    Raises:
        DiagnosedError: The source is refused, or is planned already.
    """
    device, options = find_device(target), options or CompileOptions()
    with make_context() as context, ir.Location.unknown():
        module = parse_source(source, context)
        reached = reached_stage(module)
        if reached not in (None, FUSED):
            fail(module.operation, "the module is planned already; begin with linalg ops on tensors")
        open_entry(module, reached, device, options)
        run_stages(module, target, options, until=FUSED, reached=reached)
        dispatches = named_dispatches(module)
        planned = [(options, ((options.max_units,),) * len(dispatches))]
        if options.for_shares:
            planned = list(kernels_looked_at(module, target, options))
        asked = [(planning_pass(target, given).construct_options(), units) for given, units in planned]
        found: dict[str, Dispatch] = {}
        for number, (name, dispatch) in enumerate(dispatches.items()):
            choices = [
                replace(options_of(dispatch, device, one), max_units=most)
                for one, units in asked
                for most in units[number]
            ]
            name_of = measured_as(device)
            asked_for = {tuning_key(dispatch.expression, name_of, choices_of(one)): one for one in choices}
            found |= {key: replace(found[key], names=(*found[key].names, name)) for key in asked_for if key in found}
            new = {key: of for key, of in asked_for.items() if key not in found}
            if not new:
                continue
            # A loose op is a program afterwards, as planning makes one before it goes on.
            root = dispatch.root_name
            text, reference, constant = _text_of(dispatch.operation, root, constants=device.vector_bytes is not None)
            one = Dispatch(
                name=f"{root}_0",
                names=(name,),
                key=next(iter(new)),
                title=title_of(root, dispatch.expression),
                text=text,
                expression=dispatch.expression,
                divisible=dispatch.divisible,
                reference=reference,
                # Its layout was decided where it stands; alone, with constants, it might get another one.
                options=replace(options, fusion=False) if constant else options,
                constants=choices[0].constants,
                finite=choices[0].finite,
            )
            for key, of in new.items():
                found[key] = replace(_on_share(one, of) if options.for_shares else one, key=key)
    return list(found.values())


def title_of(root: str, expression: TensorExpression) -> str:
    """Return what people know an operator by: its name, and the tensors that it reads and writes.

    >>> from roller_mlir.plan import Access, LinearIndex, Loop
    >>> x = Access("x", (64,), "f32", (LinearIndex((1,)),))
    >>> title_of("exp", TensorExpression((Loop(64),), (x,), x, None, 1, (None,)))
    'exp 64 f32 -> 64 f32'
    """
    read, written = (
        ", ".join(f"{'x'.join(map(str, one.shape)) or 'scalar'} {one.element_type}" for one in accesses)
        for accesses in ((*expression.inputs, *expression.epilogue), expression.outputs)
    )
    return f"{root} {read} -> {written}" if read else f"{root} -> {written}"


def _on_share(dispatch: Dispatch, choices: ConstructOptions) -> Dispatch:
    """Return a dispatch as a persistent kernel has it: what planning may choose of is decided already."""
    threads, units = choices.block_threads or choices.task_threads, choices.max_units or "all"
    return replace(
        dispatch,
        title=f"{dispatch.title}, {threads} threads, {units} units",
        options=replace(dispatch.options.launched(), **ChoiceOptions.values_of(choices)),
        kernel=f"{threads}-threads-{units}-units",
    )


def _text_of(operation: ir.Operation, root: str, *, constants: bool) -> tuple[str, Reference, bool]:
    """Return the module of one dispatch, what it computes, and whether it has constants; a loose op becomes a program.

    Args:
        operation: The dispatch.
        root: Its name.
        constants: Whether operands that are constants of the module are constants of its own text, too: others, of as
            many elements, so that large weights become small files.
    """
    loose = operation.name != "rtile.program"
    program: Any = operation
    if loose:
        read = read_structured(operation)
        program = wrap([read], list(operation.results), root, None).operation
    module = ir.Module.create()
    known = [constants and has_alike(value) for value in program.operands]
    kinds = [value.type for value, constant in zip(program.operands, known, strict=True) if not constant]
    with ir.InsertionPoint(module.body):
        function = func.FuncOp(root, ir.FunctionType.get(kinds, [value.type for value in program.results]))
    entry = function.add_entry_block()
    with ir.InsertionPoint(entry):
        arguments = iter(entry.arguments)
        given = [
            alike_constant(value, number) if constant else next(arguments)
            for number, (value, constant) in enumerate(zip(program.operands, known, strict=True))
        ]
        copy = program.clone().operation
        results: list[Any] = list(copy.results)
        if loose:
            _, results = unwrap(copy.opview, given)
        else:
            for number, value in enumerate(given):
                copy.operands[number] = value
        func.ReturnOp(results)
    reference = Reference()
    if loose:
        copy.erase()
        if len(results) == 1 and not any(known):
            reference = reference_of_op(results[0].owner, list(entry.arguments))
    assert module.operation.verify()
    return str(module), reference, any(known)
