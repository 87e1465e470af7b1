# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One level of a device's memory.

Paper: ROLLER section 3.1 (memory layers, transactions, banks).
"""

from dataclasses import dataclass

from roller_mlir.hal.checks import (
    require,
    require_at_most,
    require_member,
    require_multiple,
    require_plausible,
    require_positive,
    require_power_of_two,
)

LAYER_KINDS = ("cached", "distributed", "explicit")


@dataclass(frozen=True, kw_only=True)
class MemoryLayer:
    """One level of a device's memory.

    Attributes:
        name: "register", "workgroup", "l2", "l3" or "global"; a user's device may have others.
        kind: "explicit" (a program places data there), "cached" (the hardware does), or "distributed" (there is no
            such memory: the data lie in the workgroup memories of all units, and an exchange moves them).
        instances: How many of this memory the device has; a description may say "units" for one per unit, and where it
            says nothing there is 1, shared by all.
        capacity_bytes: Size of one instance.
        bandwidth_bytes_per_s: Peak of all instances together, reading.
        sustained_bandwidth_bytes_per_s: What a published benchmark reached of it.
        unit_bandwidth_bytes_per_s: What one unit draws by itself, reading, where that is less than all that there is.
        latency_s: Time of one dependent load that this layer answers.
        transaction_bytes: The smallest piece that is moved; unused bytes of it are lost bandwidth.
        line_bytes: Size of a cache line.
        ways: Lines of a set of a cache.
        banks: Number of banks that one instance serves in parallel.
        bank_bytes: Width of a bank.
        wide_load_lanes: Which lanes of a subgroup are served together when each loads 16 bytes, where these are not
            neighbours. Empty: neighbours, as many as fill the banks once.
        clocked: Which of these figures the description states in cycles, so that they follow the device's clock.
    """

    name: str
    kind: str
    instances: int
    capacity_bytes: int
    bandwidth_bytes_per_s: float | None = None
    sustained_bandwidth_bytes_per_s: float | None = None
    unit_bandwidth_bytes_per_s: float | None = None
    latency_s: float | None = None
    transaction_bytes: int | None = None
    line_bytes: int | None = None
    ways: int | None = None
    banks: int | None = None
    bank_bytes: int | None = None
    wide_load_lanes: tuple[tuple[int, ...], ...] = ()
    clocked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check each field and the fields against each other; raises DeviceError."""
        require(bool(self.name), "name", "must not be empty")
        require_member("kind", self.kind, LAYER_KINDS)
        require_positive({key: value for key, value in vars(self).items() if isinstance(value, (int, float))})
        for key in ("bandwidth_bytes_per_s", "sustained_bandwidth_bytes_per_s", "unit_bandwidth_bytes_per_s"):
            require_plausible(key, getattr(self, key), 1e7, 1e17, "B/s")
        require_plausible("latency_s", self.latency_s, 1e-11, 1e-3, "s")
        require_power_of_two("transaction_bytes", self.transaction_bytes)
        require_power_of_two("line_bytes", self.line_bytes)
        require_power_of_two("bank_bytes", self.bank_bytes)
        require((self.banks is None) == (self.bank_bytes is None), "banks", "must be given together with bank_bytes")
        if self.line_bytes is not None and self.transaction_bytes is not None:
            require_multiple("line_bytes", self.line_bytes, "transaction_bytes", self.transaction_bytes)
        if self.sustained_bandwidth_bytes_per_s is not None and self.bandwidth_bytes_per_s is not None:
            require_at_most(
                "sustained_bandwidth_bytes_per_s",
                self.sustained_bandwidth_bytes_per_s,
                "bandwidth_bytes_per_s",
                self.bandwidth_bytes_per_s,
            )

    @property
    def total_capacity_bytes(self) -> int:
        """Size of all instances together."""
        return self.instances * self.capacity_bytes
