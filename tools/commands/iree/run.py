# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a function of a module of IREE, on a simulated device or a real one, and check what it gives.

roller iree run mlp.vmfb --on sim --random --check                    the artifact beside it says what is right
roller iree run model.vmfb --on sim --random --check model.onnx       IREE's own build of the model, for the CPU
roller iree run model.vmfb --on cuda --input a.npy --output results -- --parameters=model=w.irpa

iree-run-module executes the module as it is; what stands behind -- is passed on to it. On sim, the CUDA or HIP device
is the simulator (`roller simulate`). It runs the kernels of the artifacts whose images the module holds: --artifact
names artifacts or folders of them; without it they are looked for beside the module, and in NAME.artifacts. Each launch
is held to its artifact. IREE's own kernels run from their LLVM IR: --llvm, or what lies in NAME.artifacts as *.ll.

--check without a model compares each element with numpy, within the bound that is proven for it: for a module that
`roller iree wrap` has made. --check MODEL compiles the model by IREE for the CPU, runs it on the same inputs, and
permits --tolerance of the largest magnitude in each result. The exit code is 1 where a result differs.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.hal import find_device
from roller_mlir.plan.records.codec import to_json
from roller_mlir.sim.options import SimulatorOptions
from roller_mlir.support.foreign.bounded import read_json
from roller_mlir.tools.commands.simulate import add_device_arguments, driver_libraries, llvm_files
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.output import print_json, print_line, print_tables, seconds, write_arrays

if TYPE_CHECKING:
    import numpy as np

    from roller_mlir.downstream.iree.run.module import Function, ModuleFile
    from roller_mlir.evaluation.reference import Comparison
    from roller_mlir.runtime import Artifact

_ARTIFACT = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("file", metavar="MODULE.vmfb", help="a module of IREE's compiler")
    parser.add_argument("--on", choices=("sim", "cuda", "hip", "cpu"), default="sim", help="where to run (sim)")
    parser.add_argument("--function", metavar="NAME", help="what is called (the only function)")
    add_device_arguments(
        parser.add_argument_group("the simulated device"),
        artifact="artifacts whose kernels run (those beside)",
        llvm="LLVM IR of IREE's own kernels, or a pattern of files (NAME.artifacts/*.ll)",
    )
    given = parser.add_argument_group("inputs")
    given.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="A.npy",
        help="one per input, in order: a .npy file (of bf16 its bits, as 16-bit integers), or what iree-run-module "
        "takes (4x4xf32=1)",
    )
    given.add_argument("--random", action="store_true", help="random inputs instead of --input")
    given.add_argument("--values", choices=("integers", "normal"), default="normal", help="kind of random (normal)")
    given.add_argument("--seed", type=int, default=0, metavar="N", help="seed of random inputs (0)")
    results = parser.add_argument_group("results")
    results.add_argument(
        "--check", nargs="?", const=_ARTIFACT, metavar="MODEL", help="compare, with the artifact or with a model"
    )
    results.add_argument("--tolerance", type=float, default=1e-5, metavar="X", help="permitted by --check MODEL (1e-5)")
    results.add_argument("--output", metavar="DIR", help="write the results there as output0.npy, output1.npy, ...")
    results.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from roller_mlir.downstream.iree import IreeError
    from roller_mlir.downstream.iree.run.module import ModuleFile

    if arguments.random and arguments.input:
        raise UsageError("--random makes the inputs and --input names them; give one of them")
    if arguments.seed < 0 or not 0 <= arguments.tolerance < 1:
        raise UsageError("--seed must be at least 0, and --tolerance in 0 to 1")
    if arguments.on != "sim" and (arguments.llvm or arguments.target):
        raise UsageError(f"--llvm and --target are for --on sim; {arguments.on} runs what is in the module")
    if arguments.artifact and arguments.on != "sim" and arguments.check != _ARTIFACT:
        raise UsageError(f"--artifact is for --on sim and --check; {arguments.on} runs what is in the module")
    try:
        module = ModuleFile.open(Path(arguments.file))
        function = module.function(arguments.function)
        with tempfile.TemporaryDirectory(prefix="roller-") as folder:
            return _run(arguments, module, function, Path(folder))
    except IreeError as error:
        raise InputError(str(error)) from None


def _run(arguments: argparse.Namespace, module: "ModuleFile", function: "Function", folder: Path) -> int:
    from roller_mlir.downstream.iree.run.arrays import read_results, result_files
    from roller_mlir.downstream.iree.run.compare import CpuBuild, compare_with_artifact, whole_artifact
    from roller_mlir.downstream.iree.targets import DRIVERS

    if function.outputs is None and (arguments.check is not None or arguments.output):
        raise InputError(
            f"'{function.name}' gives a number or a tensor of dynamic shape, or the module does not say what it gives; "
            "only tensors of static shape are compared or written: leave out --check and --output"
        )
    by_numpy, on_sim = arguments.check == _ARTIFACT, arguments.on == "sim"
    artifacts = module.artifacts([Path(one) for one in arguments.artifact]) if on_sim or by_numpy else {}
    if not artifacts and (by_numpy or (on_sim and not arguments.target)):
        if not any(driver.format.encode() in module.data for driver in DRIVERS.values()):
            raise InputError(
                f"{module.path} holds no kernels for CUDA or HIP; --on cpu runs what IREE built for llvm-cpu, and "
                "--target names the simulated device of a module without kernels"
            )
        raise InputError(
            f"no artifact of which {module.path} holds an image lies beside it or in "
            f"{module.path.with_suffix('.artifacts')}; name it with --artifact"
            + ("" if by_numpy else ", or the device and IREE's LLVM IR with --target and --llvm")
        )
    whole = whole_artifact(artifacts.values(), function) if by_numpy else None
    if by_numpy and whole is None:
        raise InputError(
            f"no artifact is the whole of '{function.name}'; name the model to compare with: --check MODEL"
        )
    inputs = _inputs(arguments, function, folder)
    build = CpuBuild.of(Path(arguments.check), module.path, function, folder) if arguments.check else None
    outputs = result_files(function, folder, "output")
    printed, launches = _execute(arguments, module, function, artifacts, inputs, outputs, folder)
    results = read_results(outputs, function)
    comparisons: list[Comparison] = []
    if whole is not None:
        comparisons = compare_with_artifact(whole, function, inputs, results)
    elif build is not None:
        comparisons = build.compare(inputs, results, arguments.tolerance, flags=arguments.passed_on)
    if arguments.output:
        write_arrays(Path(arguments.output), results)
    _report(arguments, function, printed if not results else "", launches, results, comparisons)
    return 0 if all(one.matches for one in comparisons) else 1


def _inputs(arguments: argparse.Namespace, function: "Function", folder: Path) -> list[str]:
    """Return the inputs as iree-run-module takes them."""
    from roller_mlir.downstream.iree.run.arrays import take_inputs, write_input
    from roller_mlir.evaluation.reference import random_inputs

    if not arguments.random:
        if function.inputs is not None and len(arguments.input) != len(function.inputs):
            raise UsageError(
                f"'{function.name}' takes {len(function.inputs)} inputs, but got {len(arguments.input)}; give --input "
                "for each, or --random"
            )
        return take_inputs(arguments.input, function, folder)
    if function.inputs is None:
        raise InputError(
            f"'{function.name}' takes what is no tensor of static shape and of a type of numpy's or bf16, so that "
            "--random cannot make it; give --input"
        )
    arrays = random_inputs(function.inputs, arguments.seed, arguments.values)
    return [
        write_input(array, tensor, folder, number)
        for number, (array, tensor) in enumerate(zip(arrays, function.inputs, strict=True))
    ]


def _execute(
    arguments: argparse.Namespace,
    module: "ModuleFile",
    function: "Function",
    artifacts: "dict[Path, Artifact]",
    inputs: Sequence[str],
    outputs: Sequence[Path],
    folder: Path,
) -> tuple[str, list[dict[str, Any]]]:
    """Return what iree-run-module printed, and a record of each launch on the simulated device."""
    from roller_mlir.downstream.iree.program import driver_of
    from roller_mlir.downstream.iree.run.execute import run_module
    from roller_mlir.downstream.iree.targets import HOST_DRIVER
    from roller_mlir.sim.driver import simulated_device

    flags = arguments.passed_on
    if arguments.on != "sim":
        driver = HOST_DRIVER if arguments.on == "cpu" else arguments.on
        return run_module(module.path, function, driver, inputs, outputs, flags=flags), []
    named = next((one.manifest.device.name for one in artifacts.values()), arguments.target)
    driver = driver_of(find_device(named))
    log, beside = folder / "launches", sorted(module.path.with_suffix(".artifacts").glob("*.ll"))
    with simulated_device(
        list(artifacts),
        llvm=llvm_files(arguments.llvm) if arguments.llvm else beside,
        target=arguments.target,
        libraries=driver_libraries(),
        assume_resident=True,  # the module was made so: IREE has no other way to launch such kernels
        log=log,
        **SimulatorOptions.values_of(arguments),
    ) as environment:
        printed = run_module(module.path, function, driver, inputs, outputs, flags=flags, environment=environment)
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return printed, [read_json(line) for line in lines]


def _report(
    arguments: argparse.Namespace,
    function: "Function",
    printed: str,
    launches: "list[dict[str, Any]]",
    results: "list[np.ndarray[Any, Any]]",
    comparisons: "list[Comparison]",
) -> None:
    model = "numpy" if arguments.check == _ARTIFACT else "IREE's build for the CPU"
    if arguments.json:
        print_json(
            {
                "function": function.name,
                "on": arguments.on,
                "launches": launches,
                "compared_with": model if comparisons else None,
                "matches": all(one.matches for one in comparisons) if comparisons else None,
                "comparisons": to_json(comparisons),
            }
        )
        return
    if launches:
        header = ("launch", "kernel", "grid", "block", "time in the simulator (no speed of the device)")
        rows = [
            (str(n), one["kernel"], _extents(one["grid"]), _extents(one["block"]), seconds(one["seconds"]))
            for n, one in enumerate(launches)
        ]
        print_tables([("Launches", header, rows)])
    if printed:
        print_line(printed.rstrip("\n"))
    for number, array in enumerate(results):
        print_line(f"output {number}: {'x'.join(map(str, (*array.shape, array.dtype)))}")
    for number, one in enumerate(comparisons):
        subject = f"output {number}" if len(comparisons) > 1 else "result"
        print_line(f"{subject} {'matches' if one.matches else 'does not match'} {model} ({one})")


def _extents(values: Sequence[int]) -> str:
    return "x".join(map(str, values))
