# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs pipelines in which our passes and upstream passes stand side by side.

Python passes cannot be registered with MLIR by name, so the text is parsed here: our passes become callbacks of one
MLIR pass manager, everything else goes to it as text. Timing and IR printing of MLIR then cover both kinds.

After each pass of ours the module is verified: by MLIR, and by the pass for what MLIR cannot see (`Pass.find_fault`).
What is wrong then was made by the pass. It is an `PassCrashError`, a bug of ours, and never blamed on the user's line.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.support import diagnostics
from roller_mlir.support.bindings import ir, passmanager
from roller_mlir.support.diagnostics import Collector, DiagnosedError
from roller_mlir.support.foreign.options import OptionError
from roller_mlir.support.passes.analyses import Analysis, drop_analyses, keeping_analyses
from roller_mlir.support.passes.passes import (
    NamedPipeline,
    Pass,
    find_pass,
    find_pipeline,
    registered_passes,
    registered_pipelines,
    suggest,
)
from roller_mlir.support.passes.pipeline_text import PipelineElement, PipelineError, parse_elements, parse_options
from roller_mlir.support.passes.upstream import refusal, unknown_pass, upstream_passes
from roller_mlir.support.stage import during, note

_MODULE = "builtin.module"

Step = Pass | str


class PassCrashError(Exception):
    """A pass raised something that is not a diagnostic: a bug of ours.

    Attributes:
      pass_name: The pass.
      subject: The op that it was at, as text, or an empty text.
      pipeline: The pipeline that was running, as text.
    """

    def __init__(self, pass_name: str, subject: str, pipeline: str, cause: BaseException) -> None:
        self.pass_name, self.subject, self.pipeline = pass_name, subject, pipeline
        at = f" at {subject}" if subject else ""
        super().__init__(f"internal error in pass '{pass_name}'{at}: {type(cause).__name__}: {cause}")


class BrokenModuleError(Exception):
    """A pass of ours left a module that is not valid, or built an op that is not; the message is the verifier's."""


@dataclass(frozen=True)
class Pipeline:
    """A checked pipeline on a module: our passes with their options, and texts of upstream passes."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{_MODULE}({','.join(str(step) for step in self.steps)})"


def _verify(module: Any) -> None:
    module.operation.verify()


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a pipeline runs.

    Attributes:
      verify_each: Verify the IR after each pass.
      print_before_all: Print the IR to stderr before each pass.
      print_after_all: Print the IR to stderr after each pass.
      print_generic: Print in generic form.
      timing: Print a table of the time of each pass to stderr.
      before: Names of passes before which the IR is printed to stderr.
      after: Likewise after which.
      print_after_change: With `print_after_all`: only after passes that changed it.
      print_after_failure: Print the IR to stderr after a pass that fails.
      print_module_scope: Print whole modules; on one thread only.
      tree_folder: Print the IR of each pass into files there instead.
      most_elements: Dense constants of more elements are printed elided; None: never.
      most_resource: Resources of more characters likewise.
      statistics: "list" or "pipeline": print what passes count to stderr; None: nothing.
      threads: Whether upstream passes may run on several threads.
      on_step: Called with each of our passes, and the module, after it ran.
      verify: Verifies the module after each of our passes, as MLIR does.
    """

    verify_each: bool = True
    print_before_all: bool = False
    print_after_all: bool = False
    print_generic: bool = False
    timing: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    print_after_change: bool = False
    print_after_failure: bool = False
    print_module_scope: bool = False
    tree_folder: str | None = None
    most_elements: int | None = None
    most_resource: int | None = None
    statistics: str | None = None
    threads: bool = True
    on_step: Callable[[Pass, Any], None] | None = None
    verify: Callable[[Any], None] = _verify


def parse_pipeline(text: str) -> Pipeline:
    """Parse `builtin.module(...)`, or the bare list inside it.

    Raises:
      PipelineError: Unknown pass or option, wrong value, or our pass in a nest; says where.
    """
    elements = parse_elements(text)
    if len(elements) == 1 and elements[0].nested is not None and elements[0].name in (_MODULE, "any"):
        elements = elements[0].nested
    steps = tuple(step for element in elements for step in _steps_of(element, text))
    check_order(steps)
    return Pipeline(steps)


def _steps_of(element: PipelineElement, text: str) -> Iterable[Step]:
    kind, named = find_pass(element.name), find_pipeline(element.name)
    if kind is None and named is None:
        _refuse_nested(element, text)
        _check_upstream(element, text)
        return [element.text]
    if element.nested is not None:
        raise PipelineError(f"'{element.name}' is a pass and takes no nested pipeline", text, element.position)
    inside = element.position + len(element.name) + 1
    options = parse_options(element.options or "", inside, text)
    try:
        return [kind.from_options(options)] if kind is not None else expand_pipeline(element.name, options)
    except OptionError as error:
        raise PipelineError(str(error), text, element.position) from None


def expand_pipeline(name: str, options: dict[str, str | None]) -> list[Step]:
    """Return the passes of a named pipeline with their options.

    Raises:
      OptionError: No pass of the pipeline has one of the options.
    """
    pipeline = find_pipeline(name)
    assert isinstance(pipeline, NamedPipeline)
    known = [o.name for o in pipeline.options()]
    for given in options:
        if given not in known:
            near = suggest(given, known) or f"; its options are {', '.join(known)}"
            raise OptionError(f"'{name}' has no option '{given}'{near}")
    steps: list[Step] = []
    for part in pipeline.passes:
        kind = find_pass(part)
        if kind is None:
            steps.append(part)
        else:
            names = {o.name for o in kind.options()}
            given = {k: v for k, v in options.items() if k in names}
            steps.append(kind.from_options({**given, **pipeline.presets.get(part, {})}))
    return steps


def _refuse_nested(element: PipelineElement, text: str) -> None:
    for inner in element.nested or ():
        if find_pass(inner.name) is not None or find_pipeline(inner.name) is not None:
            raise PipelineError(
                f"'{inner.name}' runs on {_MODULE}, not on '{element.name}'; move it out of the nest",
                text,
                inner.position,
            )
        _refuse_nested(inner, text)


def _check_upstream(element: PipelineElement, text: str) -> None:
    """Ask MLIR whether it takes an element that holds none of our passes."""
    reason = refusal(element.text, _MODULE)
    if reason is None:
        return
    unknown = unknown_pass(reason)
    if unknown is not None:
        at = next((e for e in _leaves(element) if e.name == unknown), element)
        raise PipelineError(f"unknown pass '{unknown}'{suggest(unknown, known_names())}", text, at.position)
    raise PipelineError(f"'{element.name}': {reason}", text, element.position)


def _leaves(element: PipelineElement) -> Iterable[PipelineElement]:
    if element.nested is None:
        yield element
    for inner in element.nested or ():
        yield from _leaves(inner)


def known_names() -> list[str]:
    """Return the names of our passes and pipelines and of upstream passes."""
    return [p.name for p in registered_passes()] + [p.name for p in registered_pipelines()] + list(upstream_passes())


def check_order(steps: Sequence[Step]) -> None:
    """Check that no pass stands before the pass that establishes what it requires.

    What no pass of the pipeline establishes is left to the input, which may already be at that stage.

    Raises:
      PipelineError: A pass comes too early.
    """
    spelled = ",".join(str(s) for s in steps)
    for at, step in enumerate(steps):
        if isinstance(step, str):
            continue
        before = {fact for s in steps[:at] if isinstance(s, Pass) for fact in s.establishes}
        for fact in sorted(step.requires - before):
            late = next((s for s in steps[at + 1 :] if isinstance(s, Pass) and fact in s.establishes), None)
            if late is not None and not any(isinstance(s, Pass) and s.requires & late.establishes for s in steps[:at]):
                position = len(",".join(str(s) for s in steps[:at])) + (1 if at else 0)
                raise PipelineError(
                    f"'{step.name}' requires '{fact}', which '{late.name}' establishes only later; "
                    f"put '{late.name}' before '{step.name}'",
                    spelled,
                    position,
                )


def run_pipeline(
    module: "ir.Module", pipeline: Pipeline | str | Sequence[Step], options: RunOptions | None = None
) -> Collector:
    """Run a pipeline on a module, in place.

    Args:
      module: The module; left in an unknown state where a pass fails.
      pipeline: A pipeline, its text, or a list of passes and upstream texts.
      options: How to run it.

    Returns:
      The warnings and remarks of the run.

    Raises:
      PipelineError: The text is wrong.
      DiagnosedError: A pass failed on the module.
      PassCrashError: A pass of ours raised something else; its cause is the exception.
    """
    options = options or RunOptions()
    with module.context:
        if isinstance(pipeline, str):
            pipeline = parse_pipeline(pipeline)
        elif not isinstance(pipeline, Pipeline):
            pipeline = Pipeline(tuple(pipeline))
        escaped: list[BaseException] = []
        with keeping_analyses(), diagnostics.collecting(module.context) as collector:
            manager = passmanager.PassManager(_MODULE)
            # Ours are verified where they run, so that it is known who broke the module.
            manager.enable_verifier(options.verify_each and any(isinstance(step, str) for step in pipeline.steps))
            _enable(manager, module, options)
            for index, step in enumerate(pipeline.steps):
                _add_print(manager, "Before", step, options.before, options)
                if isinstance(step, str):
                    manager.add(step)
                else:
                    behind = pipeline.steps[index + 1 :]
                    run = _callback(step, module, str(pipeline), collector, escaped, options, behind)
                    manager.add(run, type(step).__name__, step.name, step.summary)
                _add_print(manager, "After", step, options.after, options)
            if pipeline.steps and isinstance(pipeline.steps[0], str):
                drop_analyses()
            try:
                with during(_upstream_before(pipeline.steps)):
                    manager.run(module.operation)
            except ir.MLIRError as error:
                if escaped:
                    raise escaped[0] from escaped[0].__cause__
                raise diagnostics.diagnosed(collector, error) from None
    return collector


def _enable(manager: Any, module: "ir.Module", options: RunOptions) -> None:
    """Switch on what MLIR's own pass manager prints."""
    alone = options.print_module_scope or options.tree_folder is not None
    if alone or not options.threads:  # MLIR prints what is around a pass's op only where no other thread changes it
        module.context.enable_multithreading(False)
    files = options.tree_folder is not None and not (options.before or options.after or options.print_before_all)
    if options.print_before_all or options.print_after_all or options.print_after_failure or files:
        manager.enable_ir_printing(
            print_before_all=options.print_before_all,
            print_after_all=options.print_after_all or options.print_after_failure or files,
            print_module_scope=options.print_module_scope,
            print_after_change=options.print_after_change,
            print_after_failure=options.print_after_failure,
            large_elements_limit=options.most_elements,
            large_resource_limit=options.most_resource,
            print_generic_op_form=options.print_generic,
            tree_printing_dir_path=options.tree_folder,
        )
    if options.timing:
        manager.enable_timing()
    if options.statistics is not None:
        manager.enable_statistics(getattr(passmanager.PassDisplayMode, options.statistics.upper()))


def _names_in(step: Step) -> set[str]:
    """Return the names of the passes in a step of a pipeline."""
    if not isinstance(step, str):
        return {step.name}
    return {leaf.name for element in parse_elements(step) for leaf in _leaves(element)}


def _add_print(manager: Any, when: str, step: Step, wanted: Sequence[str], options: RunOptions) -> None:
    """Print the module before or after a step, if it holds one of the passes that are asked for."""
    for name in sorted(_names_in(step) & set(wanted)):

        def show(op: Any, _external: Any, name: str = name) -> None:
            text = op.operation.get_asm(
                large_elements_limit=options.most_elements,
                large_resource_limit=options.most_resource,
                print_generic_op_form=options.print_generic,
            )
            sys.stderr.write(f"// -----// IR Dump {when} {name} ('{_MODULE}' operation) //----- //\n{text}\n")
            sys.stderr.flush()

        manager.add(show, f"PrintIR{when}", f"print-ir-{when.lower()}", f"prints the IR {when.lower()} {name}")


def _upstream_before(steps: Sequence[Step]) -> str:
    """Return the stage in which the upstream passes run that stand before the next pass of ours."""
    names: list[str] = []
    for step in steps:
        if not isinstance(step, str):
            break
        names += [leaf.name for element in parse_elements(step) for leaf in _leaves(element)]
    return f"upstream's {', '.join(names)}" if names else "MLIR's pass manager"


def _callback(
    step: Pass,
    module: "ir.Module",
    pipeline: str,
    collector: Collector,
    escaped: list[BaseException],
    options: RunOptions,
    behind: Sequence[Step],
) -> Callable[[Any, Any], None]:
    """Wrap a pass so that no exception crosses MLIR's C++ frames; the steps `behind` follow."""
    after, upstream = _upstream_before(behind), bool(behind) and isinstance(behind[0], str)

    def run(_op: Any, external: Any) -> None:
        known = len(collector.diagnostics)
        preserved: Collection[Analysis] = ()
        subject = ""
        note(f"pass '{step.name}'")
        try:
            try:
                with ir.Location.unknown():
                    step.run(module)
                if options.verify_each:
                    options.verify(module)
            except ir.MLIRError as error:
                found = diagnostics.diagnosed(Collector(collector.diagnostics[known:]), error)
                del collector.diagnostics[known:]
                first = next(one for one in found.diagnostics if one.severity == "error")
                subject = diagnostics.subject_of_diagnostic(first)
                raise BrokenModuleError(first.message) from error
            fault = step.find_fault(module) if options.verify_each else None
            if fault is not None:
                subject = diagnostics.subject(fault[0])
                raise BrokenModuleError(fault[1])
            if not upstream:
                preserved = step.preserves
            if options.on_step is not None:
                options.on_step(step, module)
        except DiagnosedError as error:
            collector.diagnostics.extend(error.diagnostics)
            external.signal_pass_failure()
        except BaseException as error:  # noqa: BLE001 - re-raised by run_pipeline
            wrapped: BaseException = error
            if isinstance(error, Exception):
                wrapped = PassCrashError(step.name, subject or diagnostics.subject_of(error), pipeline, error)
                wrapped.__cause__ = error
            escaped.append(wrapped)
            external.signal_pass_failure()
        finally:
            drop_analyses(preserved)
            note(after)

    return run
