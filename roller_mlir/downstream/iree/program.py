# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An artifact as a whole program of IREE: a function of its name and signature, with its dispatches inside.

func.func @mlp(%input0: tensor<64x784xf32>, ...) -> (tensor<64x10xf32>) {
  %v0 = "flow.dispatch"(%input0, ...) <{...}> : (tensor<64x784xf32>, ...) -> tensor<64x256xf32>
"""

from roller_mlir.downstream.iree.calls import TARGET, calls_of, tensor_type
from roller_mlir.downstream.iree.compiler import F64_TO_F32
from roller_mlir.downstream.iree.targets import DRIVERS, device_attribute, target_attribute
from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.hal import Device, DeviceError, find_device
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.registry import backend_of_vendor
from roller_mlir.support.bindings import ir, make_context


def iree_program(artifact: Artifact, image: str | None = None, *, assume_resident: bool = False) -> str:
    """Return the text of a program that `iree-compile` takes, with a function of the artifact's name and signature.

    Args:
        artifact: The function, with binaries.
        image: Kind of its binaries: "ptx", "cubin" or "hsaco"; None: what IREE's driver for the device takes best.
        assume_resident: Whether kernels whose blocks wait for each other are launched as others are. All of their
            blocks run at once where the device holds so many, which is looked at here, and where no other such kernel
            runs on it, which the caller sees to.

    Raises:
        IreeError: IREE cannot run it, or the artifact has no such binaries.
    """
    manifest = artifact.manifest
    try:
        device = find_device(manifest.device.name)
    except DeviceError as error:
        raise IreeError(str(error)) from None
    driver = driver_of(device)
    kind = image_of(driver, image, counted=any(launch.cooperative for launch in manifest.launches))
    operands = [f"%{name}" for name in manifest.inputs]
    calls = calls_of(artifact, kind, operands, assume_resident=assume_resident)
    parameters = ", ".join(f"%{name}: {tensor_type(manifest.buffer(name))}" for name in manifest.inputs)
    results = ", ".join(tensor_type(manifest.buffer(name)) for name in manifest.outputs)
    with make_context():
        symbol = ir.FlatSymbolRefAttr.get(manifest.function)  # which knows when a name needs quotes
    wide = any(one.element_type == "f64" for one in manifest.buffers)
    return "\n".join(
        (
            *([f"// iree-compile makes f32 of f64 unless it is told otherwise: {F64_TO_F32}=false"] if wide else []),
            f"{TARGET} = {target_attribute(driver, device)}",
            f"module {symbol} attributes {{hal.device.targets = [{device_attribute(driver, TARGET)}]}} {{",
            *calls.executables,
            f"  func.func {symbol}({parameters}) -> ({results}) {{",
            *(f"    {line}" for line in calls.lines),
            f"    return {', '.join(calls.results)} : {results}",
            "  }",
            "}\n",
        )
    )


def driver_of(device: Device) -> str:
    """Return the name of IREE's driver for a device.

    Raises:
        IreeError: It has none.
    """
    driver = backend_of_vendor(device.vendor)
    if driver not in DRIVERS:
        raise IreeError(f"IREE has no driver for devices of {device.vendor}; known: {', '.join(DRIVERS)}")
    return driver


def image_of(driver: str, image: str | None = None, *, counted: bool = False) -> str:
    """Return the kind of binaries that a driver is given.

    Args:
        driver: IREE's.
        image: The kind that is asked for; None: what the driver takes best.
        counted: Whether it must be known how many of their blocks the device holds, which PTX does not tell.

    Raises:
        IreeError: It does not take that kind.
    """
    images = DRIVERS[driver].images
    if image is not None and image not in images:
        raise IreeError(f"IREE's driver {driver} takes {' or '.join(images)}, but got {image}")
    return image or images[-1 if counted else 0]
