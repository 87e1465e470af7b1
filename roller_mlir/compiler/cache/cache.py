# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile cache as the driver uses it: a slot for each result, which is empty or holds what was compiled before.

slot = artifact_slot(cache, text, first, "h200", options)
artifact = slot.read()
if artifact is None:
    artifact = slot.keep(compile_it())

The cache is an aid and never a condition: what is wrong with its folder (read-only, full, no home) is one warning for
the whole process, and then there is no cache, or none that is written to. See `store` for what other processes may do
to it, `entries` for the keys.
"""

import functools
import logging
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from roller_mlir.compiler.cache import entries
from roller_mlir.compiler.cache.settings import CacheSettingError, CacheSettings
from roller_mlir.compiler.cache.store import CacheStore
from roller_mlir.compiler.cache.versions import Versions, find_versions
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal import Device, DeviceError, find_device
from roller_mlir.importers.weights import digest_weights
from roller_mlir.lowering.backend import KernelBinary
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic
from roller_mlir.support.foreign.reasons import reason_of

if TYPE_CHECKING:
    from roller_mlir.importers.weights import Weights

T = TypeVar("T")
_LOG = logging.getLogger("roller_mlir.cache")


class CompileCache:
    """A store of results that are valid for this state of the compiler.

    Attributes:
        store: Where they are.
        versions: The state.
    """

    def __init__(self, store: CacheStore, versions: Versions) -> None:
        self.store = store
        self.versions = versions
        self._readable = self._writable = True

    def read(self, name: str) -> bytes | None:
        """Return the content of an entry; None where there is none."""
        if not self._readable:
            return None
        try:
            return self.store.get(name)
        except OSError as error:
            self._give_up("read", error)
            self._readable = self._writable = False
            return None

    def keep(self, name: str, content: bytes) -> None:
        """Write an entry, if it can be written."""
        if not self._writable or self.versions.mixed:
            return
        try:
            self.store.put(name, content)
        except OSError as error:
            self._give_up("written", error)
            self._writable = False

    def _give_up(self, action: str, error: OSError) -> None:
        if self._readable and self._writable:
            _warn(f"the compile cache {self.store.folder} cannot be {action}", error)


def _warn(subject: str, error: OSError) -> None:
    reason = reason_of(error)
    remedy = "ROLLER_CACHE_DIR names another folder, ROLLER_CACHE=0 switches it off"
    _LOG.warning("warning: %s: %s; compiling goes on without it (%s)", subject, reason, remedy)


def open_cache(options: CompileOptions) -> CompileCache | None:
    """Return the cache of this process, None where there is none.

    Raises:
        DiagnosedError: A variable of the environment has a value that it cannot have.
    """
    if not options.cache or options.dump_stages is not None or options.override_stages:
        return None
    try:
        settings = CacheSettings.of(os.environ)
    except CacheSettingError as error:
        raise DiagnosedError([Diagnostic("error", str(error))]) from None
    return _open(settings) if settings.enabled else None


@functools.cache
def _open(settings: CacheSettings) -> CompileCache | None:
    try:
        return CompileCache(CacheStore(settings.folder, settings.limit_bytes), find_versions())
    except OSError as error:
        _warn("what the compile cache depends on cannot be read", error)
        return None


class CacheSlot(Generic[T]):
    """The place of one result; without a cache it is always empty."""

    def __init__(
        self,
        cache: CompileCache | None,
        name: Callable[[], str],
        encode: Callable[[T], bytes],
        decode: Callable[[bytes], T],
    ) -> None:
        """Find the place.

        Args:
            cache: Where the result is, if anywhere.
            name: Computes the name of the entry from all that decides the result.
            encode: Makes bytes of a result.
            decode: Makes a result of them.
        """
        self._cache = cache
        self._name_of, self._encode, self._decode = name, encode, decode
        self._name = None if cache is None else self._find_name()

    @property
    def exists(self) -> bool:
        """Whether there is a place at all."""
        return self._name is not None

    def read(self) -> T | None:
        """Return the result; None where it was not computed yet."""
        data = self._cache.read(self._name) if self._cache is not None and self._name is not None else None
        try:
            return None if data is None else self._decode(data)
        except (ValueError, LookupError, TypeError):  # whole, but not written by us
            return None

    def keep(self, result: T) -> T:
        """Keep a result that was computed, unless a file that decides it has changed meanwhile; return it."""
        if self._cache is not None and self._name is not None and self._find_name() == self._name:
            self._cache.keep(self._name, self._encode(result))
        return result

    def _find_name(self) -> str | None:
        try:
            return self._name_of()
        except (OSError, DeviceError):  # a file that cannot be read: whoever needs it says so, at its place
            return None


def artifact_slot(
    cache: CompileCache | None, text: str, weights: "Weights", first: str, target: str, options: CompileOptions
) -> CacheSlot[Artifact]:
    """Return the place of a whole compilation; see `entries.artifact_name`."""
    digests = "" if cache is None else digest_weights(weights)

    def name() -> str:
        assert cache is not None
        return entries.artifact_name(cache.versions.digest, text, digests, first, find_device(target), options)

    return CacheSlot(cache, name, entries.encode_artifact, lambda data: entries.decode_artifact(data, weights))


def binaries_slot(
    cache: CompileCache | None, kernels_ir: str, device: Device, emit: str, gate: bool, code_object: int
) -> CacheSlot[Sequence[KernelBinary]]:
    """Return the place of the kernels of a module; see `entries.binaries_name`."""

    def name() -> str:
        assert cache is not None
        return entries.binaries_name(cache.versions.digest, kernels_ir, device, emit, gate, code_object)

    return CacheSlot[Sequence[KernelBinary]](cache, name, entries.encode_binaries, entries.decode_binaries)
