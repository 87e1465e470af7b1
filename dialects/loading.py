# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How our dialects are loaded into a context: defined once a process, and read from that definition afterwards."""

import io
from typing import Any

from roller_mlir.support.bindings import ext, ir, irdl

_DEFINITIONS: dict[str, bytes] = {}
"""The IRDL of each dialect in MLIR's bytecode. To build and simplify it takes ten times as long as to read it."""


def load_dialect(dialect: Any, context: Any) -> None:
    """Load a dialect (a class of `ext.Dialect`) into `context`; loading it again does nothing.

    Multithreading of the context is switched off: the verifiers are Python, and MLIR's worker threads would wait for
    the interpreter lock that the calling thread holds, for ever.
    """
    name: str = dialect.DIALECT_NAMESPACE
    context.enable_multithreading(False)
    if context.is_dialect_loaded(name):
        return
    with context, ir.Location.unknown(context):
        if name not in _DEFINITIONS:
            dialect.load()
            written = io.BytesIO()
            dialect._mlir_module.operation.write_bytecode(written)  # noqa: SLF001 - upstream shows it nowhere else
            _DEFINITIONS[name] = written.getvalue()
            return
        # What `dialect.load` does in each context.
        irdl.load_dialects(ir.Module.parse(_DEFINITIONS[name]))  # pyrefly: ignore[missing-attribute] - no stub
        for operation in dialect.operations:
            operation._attach_traits()  # noqa: SLF001 - as upstream's `load`
        register: Any = ext._cext.register_type_caster  # noqa: SLF001 - as upstream's `load`
        for attribute in dialect.attributes:
            register(ir.DynamicAttr.lookup_typeid(attribute.attr_name), replace=True)(attribute)
