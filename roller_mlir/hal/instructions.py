# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One arithmetic instruction of a device, as data.

Paper: ROLLER sections 3.1 and 5.1 (the shape of an execution unit; tensor cores).
"""

from dataclasses import dataclass

from roller_mlir.hal.checks import check_clock, require, require_positive


@dataclass(frozen=True, kw_only=True)
class Instruction:
    """One instruction that multiplies and adds.

    Attributes:
        name: The vendor's mnemonic, or "fma".
        family: One of `hal.atoms`, which says how its instructions work.
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
        require_positive({key: value for key, value in vars(self).items() if isinstance(value, (int, float))})
        check_clock(self.clock_hz)
        check_clock(self.sustained_clock_hz, "sustained_clock_hz")
        got = list(self.shape)
        require(len(got) in (0, 3), "shape", f"must have 3 extents, or none, but got {got}")
        require(all(extent > 0 for extent in got), "shape", f"must have extents above 0, but got {got}")
        if not self.max_shape:
            object.__setattr__(self, "max_shape", self.shape)
        got = list(self.max_shape)
        require(len(got) == len(self.shape), "max_shape", f"must have as many extents as shape, but got {got}")
        for small, large in zip(self.shape, self.max_shape, strict=True):
            fits = large >= small and large % small == 0
            require(fits, "max_shape", f"must be a multiple of shape {list(self.shape)}, but got {got}")

    @property
    def is_matrix(self) -> bool:
        """Whether the threads of a subgroup issue it to a matrix unit."""
        return self.threads > 1
