# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The server of simulated devices: a process that makes a process for each program that asks for its device.

python -m roller_mlir.sim.driver.server     reads its settings (`ServerSettings`) as a line of JSON from standard input,
                                            prints "ready", or an error as JSON, and serves until standard input ends

Nothing lies in the file system: the socket is abstract, and a device's memory is a file without a name. A program that
ends, however it does, takes its device's process with it; the server takes all of them, and ends with who started it.
"""

import gc
import json
import os
import select
import shutil
import socket
import struct
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any, NoReturn

from roller_mlir.plan.records.codec import from_json
from roller_mlir.runtime import Artifact, ArtifactError
from roller_mlir.runtime.errors import BackendError
from roller_mlir.sim.driver import attributes
from roller_mlir.sim.driver.foreign import ForeignKernel, read_texts
from roller_mlir.sim.driver.kernels import KnownKernel, KnownKernels, UnknownImageError
from roller_mlir.sim.driver.launches import MismatchError, Shape
from roller_mlir.sim.driver.memory import MappedMemory
from roller_mlir.sim.driver.settings import ServerSettings
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.foreign.bounded import read_json
from roller_mlir.support.foreign.reasons import reason_of
from roller_mlir.support.tied import die_with_parent

# As in device.h.
_SUCCESS, _INVALID_VALUE, _OUT_OF_MEMORY, _NO_DEVICE = 0, 1, 2, 100
_INVALID_IMAGE, _NOT_FOUND, _LAUNCH_FAILED = 200, 500, 719
_HELLO, _ALLOCATE, _FREE, _CHECK, _MODULE, _FUNCTION, _LAUNCH = range(1, 8)
_MOST_MESSAGE_BYTES = 4000
_SHAPE = struct.Struct("<11I")


class _RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Device:
    """The device of one program."""

    def __init__(self, kernels: KnownKernels, settings: ServerSettings) -> None:
        self._kernels, self._settings = kernels, settings
        self.memory = MappedMemory(settings.memory_bytes)
        self._modules: list[Mapping[str, KnownKernel | ForeignKernel]] = []
        self._library = ""

    def hello(self, data: bytes) -> bytes:
        library = data.decode()
        device = self._kernels.devices.get(library)
        if device is None:
            raise _RefusedError(_NO_DEVICE, f"no artifact is for a device of this driver library ({library})")
        self._library = library
        return attributes.record(device, library, self.memory.size_bytes)

    def allocate(self, data: bytes) -> bytes:
        (size,) = struct.unpack("<Q", data)
        address = self.memory.allocate(max(size, 1))
        if address is None:
            raise _RefusedError(
                _OUT_OF_MEMORY, f"{size} B do not fit: the simulated device has {self.memory.size_bytes} B in all"
            )
        return struct.pack("<Q", address)

    def free(self, data: bytes) -> bytes:
        (address,) = struct.unpack("<Q", data)
        if not self.memory.free(address):
            raise _RefusedError(_INVALID_VALUE, f"nothing is allocated at {address:#x}")
        return b""

    def check(self, data: bytes) -> bytes:
        if fault := self.memory.fault(*struct.unpack("<QQ", data)):
            raise _RefusedError(_INVALID_VALUE, fault)
        return b""

    def module(self, data: bytes) -> bytes:
        try:
            self._modules.append(self._kernels.find_image(data, self._library))
        except (UnknownImageError, BackendError) as error:
            raise _RefusedError(_INVALID_IMAGE, str(error)) from None
        return struct.pack("<I", len(self._modules) - 1)

    def function(self, data: bytes) -> bytes:
        (module,) = struct.unpack_from("<I", data)
        kernel = self._find(module, data[4:].decode())
        try:
            sizes = kernel.parameter_bytes
        except (BackendError, DiagnosedError) as error:
            raise _RefusedError(_INVALID_IMAGE, str(error)) from None
        return struct.pack(f"<{1 + len(sizes)}I", len(sizes), *sizes)

    def _find(self, module: int, name: str) -> KnownKernel | ForeignKernel:
        kernel = self._modules[module].get(name)
        if kernel is None:
            known = ", ".join(self._modules[module])
            raise _RefusedError(_NOT_FOUND, f"the image has no kernel '{name}', but {known}")
        return kernel

    def launch(self, data: bytes) -> bytes:
        words = _SHAPE.unpack_from(data)
        module, size = struct.unpack_from("<II", data, _SHAPE.size)
        first = _SHAPE.size + 8
        values, name = data[first : first + size], data[first + size :].decode()
        shape = Shape(
            grid=words[0:3],
            block=words[3:6],
            dynamic_workgroup_bytes=words[6],
            cooperative=bool(words[7]),
            cluster=words[8:11],
        )
        record: dict[str, Any] = {"kernel": name, **asdict(shape)}
        try:
            kernel = self._find(module, name)
            record["source"] = kernel.source
            record["seconds"] = kernel.launch(shape, values, self.memory).seconds
        except (MismatchError, BackendError, DiagnosedError) as error:
            record["error"] = str(error)
            raise _RefusedError(
                _INVALID_VALUE if isinstance(error, MismatchError) else _LAUNCH_FAILED, str(error)
            ) from None
        finally:
            self._write(record)
        return b""

    def _write(self, record: dict[str, Any]) -> None:
        if self._settings.log:
            try:
                with open(self._settings.log, "a", encoding="utf-8") as stream:
                    stream.write(json.dumps(record) + "\n")
            except OSError as error:
                said = reason_of(error)
                raise _RefusedError(_LAUNCH_FAILED, f"{self._settings.log} cannot be written: {said}") from None


def _serve(connection: socket.socket, device: _Device) -> None:
    """Answer a program until it ends."""
    stream = connection.makefile("rb")
    actions = {
        _HELLO: device.hello,
        _ALLOCATE: device.allocate,
        _FREE: device.free,
        _CHECK: device.check,
        _MODULE: device.module,
        _FUNCTION: device.function,
        _LAUNCH: device.launch,
    }
    while len(head := stream.read(8)) == 8:
        kind, size = struct.unpack("<II", head)
        data = stream.read(size)
        if len(data) < size:  # it ended in the middle of a message
            return
        status, files = _SUCCESS, [device.memory.file] if kind == _HELLO else []
        try:
            reply = actions[kind](data)
        except _RefusedError as error:
            status, reply = error.status, str(error).encode()[:_MOST_MESSAGE_BYTES]
        answer = struct.pack("<iI", status, len(reply))
        if files:
            socket.send_fds(connection, [answer], files)
            connection.sendall(reply)
        else:
            connection.sendall(answer + reply)


def _end_with(connection: socket.socket) -> None:
    """End this process at once when the program at the other end has ended, also in the middle of a kernel."""

    def watch() -> None:
        poll = select.poll()
        poll.register(connection, select.POLLRDHUP)
        poll.poll()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _is_mine(connection: socket.socket) -> bool:
    """Return whether a program is of the same user: others see the socket, too."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1] == os.getuid()


def _fork(connection: socket.socket, kernels: KnownKernels, settings: ServerSettings) -> None:
    if os.fork():
        return
    code = 1
    try:
        die_with_parent()
        _end_with(connection)
        _serve(connection, _Device(kernels, settings))
        code = 0
    except OSError:  # the program has ended
        code = 0
    finally:
        if code and (error := sys.exception()) is not None:
            sys.excepthook(type(error), error, error.__traceback__)
        os._exit(code)


def main() -> NoReturn:
    """Serve until standard input ends."""
    settings = from_json(ServerSettings, read_json(sys.stdin.readline()))
    try:
        artifacts = {folder: Artifact.load(folder) for folder in settings.artifacts}
        kernels = KnownKernels(
            artifacts,
            level=settings.level,
            assume_resident=settings.assume_resident,
            timeout_s=settings.timeout_s,
            llvm=read_texts(settings.llvm),
            target=settings.target,
        )
    except (ArtifactError, BackendError, DiagnosedError, ValueError) as error:
        print(json.dumps(str(error)), flush=True)
        sys.exit(1)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"\0{settings.socket}")
    listener.listen()
    gc.freeze()
    print("ready", flush=True)
    while True:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        ready, _, _ = select.select([listener, sys.stdin], [], [], 1.0)
        if sys.stdin in ready:
            if settings.temporary:
                shutil.rmtree(settings.temporary, ignore_errors=True)
            os._exit(0)
        if listener in ready:
            with listener.accept()[0] as connection:
                if _is_mine(connection):
                    _fork(connection, kernels, settings)


if __name__ == "__main__":
    main()
