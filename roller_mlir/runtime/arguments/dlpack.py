# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack: reads the capsules that other libraries give, and makes capsules of memory of ours.

Layouts as in dlpack.h 1.x (https://dmlc.github.io/dlpack/latest/c_api.html). A capsule is read without consuming it:
as long as it lives, so does the tensor; who drops it unconsumed has it call the deleter itself.
"""

import ctypes
from dataclasses import dataclass
from typing import Any

_VERSION = (1, 0)
_READ_ONLY = 1
_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"

_api = ctypes.pythonapi
_IS_VALID = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
# While a capsule dies it may not be referenced, so its destructor gets and passes on a bare address.
_IS_VALID_AT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_POINTER_AT = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR)(("PyCapsule_New", _api))
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

# Type code and bits to MLIR's spelling; u16, which MLIR's types here are not, may carry the bits of bf16.
_ELEMENT_TYPES = {
    (0, 8): "i8",
    (0, 16): "i16",
    (0, 32): "i32",
    (0, 64): "i64",
    (1, 16): "u16",
    (2, 16): "f16",
    (2, 32): "f32",
    (2, 64): "f64",
    (4, 16): "bf16",
    (6, 8): "i1",
}
_CODES = {name: key for key, name in _ELEMENT_TYPES.items()}
_CODE_NAMES = ("i", "u", "f", "opaque", "bf", "complex", "bool")


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _DELETER))


class _ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


@dataclass(frozen=True, kw_only=True)
class DlpackTensor:
    """What a capsule says.

    Attributes:
        address: Of the first element.
        shape: Extents, outermost first.
        strides: In elements; None: dense.
        element_type: MLIR's spelling, or a description of a type that MLIR has not or we do not take.
        device: DLPack's device type and the device's number.
        read_only: Whether it must not be written.
        capsule: Keeps the memory alive.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    element_type: str
    device: tuple[int, int]
    read_only: bool
    capsule: Any


def read(array: Any, stream: int | None) -> DlpackTensor:
    """Ask an array for its capsule and read it.

    Args:
        array: With `__dlpack__`.
        stream: On which it will be used, as DLPack numbers streams; None: the producer's default.

    Raises:
        BufferError: The producer refuses, or speaks another major version.
    """
    try:
        capsule = array.__dlpack__(stream=stream, max_version=_VERSION)
    except TypeError:  # of before DLPack 1.0
        capsule = array.__dlpack__(stream=stream)
    read_only = False
    if _IS_VALID(capsule, _VERSIONED):
        managed = _ManagedVersioned.from_address(_POINTER(capsule, _VERSIONED) or 0)
        if managed.major != _VERSION[0]:
            raise BufferError(f"it speaks DLPack {managed.major}.{managed.minor}; this release reads {_VERSION[0]}.x")
        read_only = bool(managed.flags & _READ_ONLY)
        tensor = managed.tensor
    elif _IS_VALID(capsule, _PLAIN):
        tensor = _Managed.from_address(_POINTER(capsule, _PLAIN) or 0).tensor
    else:
        raise BufferError("its __dlpack__ gives no DLPack capsule")
    rank = int(tensor.ndim)
    element_type = _ELEMENT_TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if element_type is None:
        code = _CODE_NAMES[tensor.code] if tensor.code < len(_CODE_NAMES) else f"type {tensor.code} of "
        element_type = f"{code}{tensor.bits}" + (f"x{tensor.lanes}" if tensor.lanes != 1 else "")
    return DlpackTensor(
        address=(tensor.data or 0) + tensor.byte_offset,
        shape=tuple(tensor.shape[:rank]) if rank else (),
        strides=tuple(tensor.strides[:rank]) if rank and tensor.strides else None,
        element_type=element_type,
        device=(int(tensor.device_type), int(tensor.device_id)),
        read_only=read_only,
        capsule=capsule,
    )


# What capsules of ours refer to, by the address of their record, until their deleter is called.
_exports: dict[int, tuple[Any, ...]] = {}


def _forget(address: int, exports: dict[int, tuple[Any, ...]] = _exports) -> None:
    exports.pop(address, None)


def _drop(capsule: int, name: bytes = _VERSIONED, plain: bytes = _PLAIN) -> None:
    for one in (name, plain):
        if _IS_VALID_AT(capsule, one):
            _forget(_POINTER_AT(capsule, one) or 0)


_forget_callback, _drop_callback = _DELETER(_forget), _DESTRUCTOR(_drop)
for _callback in (_forget_callback, _drop_callback):  # other libraries call them to the end of the process
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_callback))


def make(
    owner: Any, address: int, shape: tuple[int, ...], element_type: str, device: tuple[int, int], *, versioned: bool
) -> Any:
    """Return a capsule of dense memory.

    Args:
        owner: What keeps the memory; it is held until the consumer is done.
        address: Of the first element.
        shape: Extents.
        element_type: MLIR's spelling.
        device: DLPack's device type and the device's number.
        versioned: Whether the consumer reads DLPack 1.0.
    """
    code, bits = _CODES[element_type]
    extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    strides = (ctypes.c_int64 * max(len(shape), 1))()
    step = 1
    for axis in reversed(range(len(shape))):
        strides[axis], step = step, step * shape[axis]
    record = (_ManagedVersioned if versioned else _Managed)()
    if isinstance(record, _ManagedVersioned):
        record.major, record.minor = _VERSION
    record.deleter = _forget_callback
    tensor = record.tensor
    tensor.data, tensor.device_type, tensor.device_id = address or None, *device
    tensor.ndim, tensor.code, tensor.bits, tensor.lanes = len(shape), code, bits, 1
    tensor.shape = ctypes.cast(extents, ctypes.POINTER(ctypes.c_int64))
    tensor.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
    place = ctypes.addressof(record)
    _exports[place] = (record, extents, strides, owner)
    return _NEW(place, _VERSIONED if versioned else _PLAIN, _drop_callback)
