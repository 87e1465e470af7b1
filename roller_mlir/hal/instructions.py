# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One arithmetic instruction of a device, as data.

Paper: ROLLER sections 3.1 and 5.1 (the shape of an execution unit; tensor cores).
"""

from dataclasses import dataclass
from typing import Literal

from roller_mlir.hal.checks import check_clock, require, require_member, require_positive


@dataclass(frozen=True, kw_only=True)
class InstructionFamily:
    """A family of instructions that devices may have; how they work is no matter of devices (`mapping.atoms`).

    Attributes:
        name: As device files and plans spell it.
        issued_by: What issues one instruction: a thread for points of its own ("points"), the threads of a subgroup to
            a matrix unit ("matrix"), or one thread on whole vectors ("vectors").
        rounds_to_tf32: Whether it rounds factors of type f32 to tf32; the others take all digits.
    """

    name: str
    issued_by: Literal["points", "matrix", "vectors"]
    rounds_to_tf32: bool = False


_FAMILIES = (
    InstructionFamily(name="fma", issued_by="points"),
    InstructionFamily(name="packed_fma", issued_by="points"),
    InstructionFamily(name="wmma", issued_by="matrix", rounds_to_tf32=True),
    InstructionFamily(name="mma", issued_by="matrix", rounds_to_tf32=True),
    InstructionFamily(name="wgmma", issued_by="matrix", rounds_to_tf32=True),
    InstructionFamily(name="mfma", issued_by="matrix"),
    InstructionFamily(name="dot", issued_by="vectors"),
    InstructionFamily(name="amx", issued_by="vectors"),
)
MATRIX_FAMILIES = tuple(one.name for one in _FAMILIES if one.issued_by == "matrix")
"""Instructions of a matrix unit."""
TF32_FAMILIES = tuple(one.name for one in _FAMILIES if one.rounds_to_tf32)
"""Those that round factors of type f32 to tf32."""
VECTOR_FAMILIES = tuple(one.name for one in _FAMILIES if one.issued_by == "vectors")
"""Instructions of one thread on whole vectors: each lane's sum of a few products; products of tile registers."""
FAMILIES = tuple(one.name for one in _FAMILIES)
"""All families of instructions."""


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """One instruction that multiplies and adds.

    Attributes:
        name: The vendor's mnemonic, or "fma".
        family: "fma" (one point per thread), "packed_fma" (two points per thread), or a matrix unit: "wmma", "mma",
            "wgmma", "mfma", or on whole vectors of one thread: "dot", "amx".
        operand_type: Element type of the factors ("f32", "f16", "bf16", "tf32", "xf32", "f8E4M3FN", "i8", ...).
        result_type: Element type of the sum.
        flops_per_cycle_per_unit: Peak, counting a multiplication and an addition as two.
        threads: How many threads issue it together (1: each thread by itself).
        shape: Rows, columns and reduction length of one instruction; empty where it is not a matrix.
        max_shape: The largest shape; the multiples of `shape` up to it exist. Where left out, only `shape` does.
        clock_hz: The clock at which the vendor states the peak, where that is not the device's.
        sustained_clock_hz: The clock that the device keeps while all units execute nothing else, where its power allows
            less than the clock of the peak. Predictions take it; peaks and efficiencies do not.
    """

    name: str
    family: str
    operand_type: str
    result_type: str
    flops_per_cycle_per_unit: int
    threads: int = 1
    shape: tuple[int, ...] = ()
    max_shape: tuple[int, ...] = ()
    clock_hz: float | None = None
    sustained_clock_hz: float | None = None

    def __post_init__(self) -> None:
        """Check each field and the fields against each other; raises DeviceError."""
        for key in ("name", "operand_type", "result_type"):
            require(bool(getattr(self, key)), key, "must not be empty")
        require_member("family", self.family, FAMILIES)
        require_positive({key: value for key, value in vars(self).items() if isinstance(value, (int, float))})
        check_clock(self.clock_hz)
        check_clock(self.sustained_clock_hz, "sustained_clock_hz")
        rank = 3 if self.family in (*MATRIX_FAMILIES, *VECTOR_FAMILIES) else 0
        got = list(self.shape)
        require(len(got) == rank, "shape", f"must have {rank} extents for family '{self.family}', but got {got}")
        require(all(extent > 0 for extent in got), "shape", f"must have extents above 0, but got {got}")
        require(
            (self.threads > 1) == self.is_matrix,
            "threads",
            f"must be above 1 for a matrix only, but got {self.threads}",
        )
        if not self.max_shape:
            object.__setattr__(self, "max_shape", self.shape)
        got = list(self.max_shape)
        require(len(got) == rank, "max_shape", f"must have as many extents as shape, but got {got}")
        for small, large in zip(self.shape, self.max_shape, strict=True):
            fits = large >= small and large % small == 0
            require(fits, "max_shape", f"must be a multiple of shape {list(self.shape)}, but got {got}")

    @property
    def is_matrix(self) -> bool:
        """Whether the threads of a subgroup issue it to a matrix unit."""
        return self.family in MATRIX_FAMILIES


def is_multiply_add(one: Instruction) -> bool:
    """Return whether an instruction is the multiply-add of f32 of one thread."""
    return one.family == "fma" and one.operand_type == one.result_type == "f32"
