# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How IREE 3.13 names the devices of artifacts and what is theirs, by its runtime's name for their driver."""

from dataclasses import dataclass

from roller_mlir.hal import Device
from roller_mlir.plan.sm_architecture import sm_number

_TYPES = "compute = fp64|fp32|fp16|int64|int32|int16|int8, storage = b64|b32|b16|b8"
_TARGET = (
    '#hal.executable.target<"{backend}", "{format}", {{{more}iree_codegen.target_info = #iree_gpu.target<'
    'arch = "{arch}", features = "{features}", wgp = <{types}, subgroup = shuffle|arithmetic, dot = dp4xi8toi32, '
    "mma = [], subgroup_size_choices = [{lanes}], max_workgroup_sizes = [{threads}, {threads}, {threads}], "
    "max_thread_count_per_workgroup = {threads}, max_workgroup_memory_bytes = {memory}, "
    "max_workgroup_counts = [2147483647, 65535, 65535]>>}}>"
)


@dataclass(frozen=True, kw_only=True)
class IreeDriver:
    """A driver of IREE's runtime.

    Attributes:
        backend: IREE's compiler for it.
        format: What its executables hold.
        images: Kinds of files of a kernel that they may hold, the first by default.
        layouts: Its names of matrix instructions, which end in the result's type, the shape and the factors' type.
        specification_flag: By which `iree-compile` reads a specification, up to the file's name.
        features: Of the target's code generator, for what else is in the program.
        more: Further attributes of the target.
    """

    backend: str
    format: str
    images: tuple[str, ...]
    layouts: tuple[str, ...]
    specification_flag: str
    features: str = ""
    more: str = ""


DRIVERS = {
    "cuda": IreeDriver(
        backend="cuda",
        format="cuda-nvptx-fb",
        images=("ptx", "cubin"),
        layouts=("NV_MMA_SYNC_F32_16x8x16_F16", "NV_MMA_SYNC_F16_16x8x16_F16"),
        specification_flag="--iree-codegen-transform-dialect-library=",
        features="+ptx80",
    ),
    "hip": IreeDriver(
        backend="rocm",
        format="rocm-hsaco-fb",
        images=("hsaco",),
        layouts=(
            *("MFMA_F32_16x16x4_F32", "MFMA_F32_16x16x16_F16", "MFMA_F32_32x32x8_F16"),
            *("MFMA_F32_16x16x16_BF16", "MFMA_F32_32x32x8_BF16", "MFMA_I32_16x16x32_I8", "MFMA_I32_32x32x16_I8"),
        ),
        specification_flag="--iree-codegen-tuning-spec-path=",
        more='abi = "hip", ',
    ),
}
HOST_DRIVER = "local-task"
"""What runs modules for this machine, of which none holds our kernels."""

_BLACKWELL_FEATURES = "+ptx86"


def target_attribute(driver: str, device: Device) -> str:
    """Return the attribute of a target, whole: IREE does not know all of our devices by name.

    Args:
        driver: A name in `DRIVERS`.
        device: The device.
    """
    known = DRIVERS[driver]
    return _TARGET.format(
        backend=known.backend,
        format=known.format,
        more=known.more,
        arch=device.architecture.removesuffix("a") if known.features else device.architecture,
        features=_features(known, device),
        types=_TYPES,
        lanes=device.subgroup_size,
        threads=device.max_threads_per_block,
        memory=device.max_workgroup_bytes_per_block,
    )


def _features(driver: IreeDriver, device: Device) -> str:
    """Return features of a target's code generator: LLVM has instructions of Blackwell from PTX 8.6 on."""
    return _BLACKWELL_FEATURES if driver.features and sm_number(device.architecture) >= 100 else driver.features


def device_attribute(driver: str, target: str) -> str:
    """Return the attribute of a device with one target, of which the text or an alias is given."""
    return f'#hal.device.target<"{driver}", [{target}]> : !hal.device'
