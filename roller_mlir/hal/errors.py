# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one error of this package: a device that cannot be named, read or believed."""


class DeviceError(ValueError):
    """A device is unknown, or its description is wrong.

    Attributes:
        reason: The rule that is broken and the value that breaks it, or the name that is unknown.
        key: The key of the description at fault, for example ``layers.global.latency_s``.
        file: The description at fault.
    """

    def __init__(self, reason: str, *, key: str | None = None, file: str | None = None) -> None:
        """Make an error out of its attributes."""
        super().__init__(reason)
        self.reason = reason
        self.key = key
        self.file = file

    def __str__(self) -> str:
        """Return ``file: key: reason``, without the parts that do not apply."""
        return ": ".join(part for part in (self.file, self.key and f"'{self.key}'", self.reason) if part)

    def within(self, table: str) -> "DeviceError":
        """Return this error with ``table`` put before its key."""
        return DeviceError(self.reason, key=f"{table}.{self.key}" if self.key else table, file=self.file)

    def in_file(self, file: str) -> "DeviceError":
        """Return this error with the file that it was found in."""
        return DeviceError(self.reason, key=self.key, file=file)
