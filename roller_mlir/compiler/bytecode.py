# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR bytecode to text in a child process, because MLIR's reader may crash on damaged bytecode.

Run as a module it is the child: bytecode on the standard input, text or an error on the standard output.
"""

import os
import subprocess
import sys

_TIMEOUT_S = 120.0
_REFUSED = 3


class BytecodeError(ValueError):
    """Bytes that are no valid MLIR bytecode."""


def bytecode_to_text(data: bytes) -> str:
    """Return the module in MLIR bytecode as text.

    Raises:
        BytecodeError: MLIR refuses the bytes, or crashes on them.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            input=data,
            capture_output=True,
            timeout=_TIMEOUT_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BytecodeError(f"MLIR did not read its bytecode in {_TIMEOUT_S:g} s") from None
    if child.returncode == 0:
        return child.stdout.decode()
    reason = child.stdout.decode(errors="replace").strip() if child.returncode == _REFUSED else "it is damaged"
    raise BytecodeError(f"is no MLIR bytecode that can be read: {reason}")


def _main() -> int:
    from roller_mlir.importers.stablehlo import portable_text
    from roller_mlir.support.bindings import make_context
    from roller_mlir.support.diagnostics import DiagnosedError, parse_module

    try:
        data = sys.stdin.buffer.read()
        text = portable_text(data) or str(parse_module(data, make_context()))
    except DiagnosedError as error:
        print(error.message)
        return _REFUSED
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
