# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The connection to a Ray cluster, or a cluster of this machine for as long as it is needed. Ray is imported here only.

Ray is told to keep quiet, to report to nobody and to show no dashboard. A cluster of our own has its secret and its
files for itself, in a temporary folder; it ends with the connection, and with this process however that ends.
"""

import logging
import os
import secrets
import signal
import socket
import tempfile
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from roller_mlir.support.jobs.process_tree import without_interrupts
from roller_mlir.support.jobs.ray_guard import guarded

MISSING = "jobs on Ray need the package ray: pip install 'roller-mlir[ray]'"
CONNECT_S = 10.0
_STORE_BYTES = 128 << 20
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else it warns that this will change
    "RAY_LOG_TO_STDERR": "0",
}
_SET_BY_RAY = ("RAY_AUTH_MODE", "PYTHONBREAKPOINT")
# Sockets' names end at 107 characters, and Ray puts some 70 behind the folder's.
_LONGEST_FOLDER = 30


class JobsError(Exception):
    """There is nobody who could do the jobs; the text says why, and what helps."""


@contextmanager
def connected(address: str, cpus: int | None) -> Generator[Any, None, None]:
    """Connect to a cluster, or start one.

    Args:
        address: "auto", "local", "HOST:PORT" or "ray://HOST:PORT"; see `jobs.open_jobs`.
        cpus: Processors of a cluster that is started; None for all of this machine.

    Yields:
        The module `ray`, initialised. Where it was already, that connection is used and left as it is.

    Raises:
        JobsError: Ray is not installed, or there is no such cluster; the text says what helps.
    """
    _check_address(address)
    local = address == "local"
    # Ray asks for a secret by itself, and would keep one in the home folder.
    with _environment({**_QUIET, **({"RAY_AUTH_TOKEN": _own_secret()} if local else {})}, also=_SET_BY_RAY):
        try:
            ray = import_module("ray")
        except ImportError as error:
            raise JobsError(MISSING) from error
        if ray.is_initialized():
            yield ray
            return
        with _hushed(), _own_cluster(ray, cpus) if local else _running_cluster(ray, address):
            yield ray


@contextmanager
def _running_cluster(ray: Any, address: str) -> Generator[None, None, None]:
    with _disconnecting(ray):
        try:
            ray.init(address=address, **_silence())
        except Exception as error:  # what it raises is not documented
            raise JobsError(_no_cluster(address, error)) from error
        yield


@contextmanager
def _own_cluster(ray: Any, cpus: int | None) -> Generator[None, None, None]:
    base = tempfile.gettempdir()
    with without_interrupts():
        folder = tempfile.mkdtemp(prefix="roller-ray-", dir=base if len(base) <= _LONGEST_FOLDER else "/tmp")
        guard = ExitStack()
        guard.enter_context(guarded(folder))
    try:
        with _disconnecting(ray):
            # Temporary files of whatever is killed lie in the folder, too.
            with without_interrupts(), _sigterm_as_before(), _environment({"TMPDIR": folder}, replace=True):
                try:
                    ray.init(
                        address="local",
                        num_cpus=cpus,
                        include_dashboard=False,
                        object_store_memory=_STORE_BYTES,
                        _temp_dir=folder,
                        **_silence(),
                    )
                except Exception as error:
                    raise JobsError(f"no Ray cluster can be started on this machine: {first_line(error)}") from error
            yield
    finally:
        with without_interrupts():
            guard.close()


@contextmanager
def _disconnecting(ray: Any) -> Generator[None, None, None]:
    try:
        yield
    finally:
        with without_interrupts():
            ray.shutdown()


def _silence() -> dict[str, Any]:
    return {"log_to_driver": False, "logging_level": logging.CRITICAL, "configure_logging": True}


@contextmanager
def _hushed() -> Generator[None, None, None]:
    """Let nothing of what happens in the cluster be printed on standard output: an answer says which worker died."""
    inner, name = import_module("ray._private.worker"), "print_to_stdstream"
    before = getattr(inner, name, None)

    def say_nothing(*_: Any, **__: Any) -> None:
        """Print nothing."""

    setattr(inner, name, say_nothing)
    try:
        yield
    finally:
        setattr(inner, name, before)


@cache
def _own_secret() -> str:
    """Return what keeps others on this machine out of our clusters; Ray remembers the first that a process has."""
    return secrets.token_hex(32)


def _check_address(address: str) -> None:
    """Refuse what is no address, and one where nobody listens, for which Ray would wait for minutes."""
    if address in ("auto", "local"):
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit()):
        raise JobsError(f"a Ray cluster is 'auto', 'local', HOST:PORT or ray://HOST:PORT, but got '{address}'")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S):
            return
    except (OSError, OverflowError) as error:
        raise JobsError(_no_cluster(address, error)) from error


def _no_cluster(address: str, error: Exception) -> str:
    if address == "auto":
        why = "" if isinstance(error, ConnectionError) else f" ({first_line(error)})"
        text = f"no Ray cluster runs on this machine, and RAY_ADDRESS names none that answers{why}"
        return f"{text}; start one with 'ray start --head', or use 'local' for one of our own"
    return f"no Ray cluster answers at {address} ({first_line(error)}); is 'ray start --head' running there?"


def first_line(error: Exception) -> str:
    """Return the beginning of one of Ray's long texts, without the numbers of the system's."""
    lines = (getattr(error, "strerror", None) or str(error)).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(". ")


@contextmanager
def _environment(
    values: dict[str, str], *, replace: bool = False, also: tuple[str, ...] = ()
) -> Generator[None, None, None]:
    """Set variables that Ray reads here and passes on to what it starts, as long as the block runs.

    Args:
        values: By name.
        replace: Whether those that the user has set are set, too.
        also: Variables that Ray sets.
    """
    before = {name: os.environ.get(name) for name in (*values, *also)}
    os.environ.update({name: value for name, value in values.items() if replace or before[name] is None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _sigterm_as_before() -> Generator[None, None, None]:
    """Keep Ray from handling SIGTERM: it takes its time, and what it would do the guard does."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)
