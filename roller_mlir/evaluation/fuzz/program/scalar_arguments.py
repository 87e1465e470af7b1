# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program's scalars as tensors of rank 0: IREE passes no scalars of narrow types, and no index."""

import re

_FUNCTION = re.compile(
    r"(func\.func @\w+)\(([^\n]*?)\) -> (\([^\n]*\)|\S+) \{\n(.*)\n  return ([^\n]*) : ([^\n]*)\n\}\n?", re.DOTALL
)


def with_tensors(text: str) -> str:
    r"""Return a random program whose function takes and returns tensors only.

    >>> print(with_tensors("func.func @f(%a: index) -> index {\n  %x = foo\n  return %a : index\n}\n"))
    func.func @f(%at: tensor<i64>) -> (tensor<i64>) {
      %an = tensor.extract %at[] : tensor<i64>
      %a = arith.index_cast %an : i64 to index
      %x = foo
      %r0n = arith.index_cast %a : index to i64
      %r0t = tensor.from_elements %r0n : tensor<i64>
      return %r0t : tensor<i64>
    }
    """
    found = _FUNCTION.fullmatch(text)
    if found is None:
        return text
    head, arguments, _, body, returned, types = found.groups()
    before: list[str] = []
    after: list[str] = []
    taken: list[str] = []
    for argument in arguments.split(", ") if arguments else []:
        name, kind = argument.split(": ")
        taken.append(argument if kind.startswith("tensor<") else f"{name}t: tensor<{_passed(kind)}>")
        if kind == "index":
            before.append(f"{name}n = tensor.extract {name}t[] : tensor<i64>")
            before.append(f"{name} = arith.index_cast {name}n : i64 to index")
        elif not kind.startswith("tensor<"):
            before.append(f"{name} = tensor.extract {name}t[] : tensor<{kind}>")
    names, kinds = returned.split(", "), types.split(", ")
    for number, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if kind.startswith("tensor<"):
            continue
        if kind == "index":
            after.append(f"%r{number}n = arith.index_cast {name} : index to i64")
            name = f"%r{number}n"
        names[number], kinds[number] = f"%r{number}t", f"tensor<{_passed(kind)}>"
        after.append(f"%r{number}t = tensor.from_elements {name} : {kinds[number]}")
    lines = [*(f"  {line}" for line in before), body, *(f"  {line}" for line in after)]
    result = ", ".join(kinds)
    return "\n".join(
        [f"{head}({', '.join(taken)}) -> ({result}) {{", *lines, f"  return {', '.join(names)} : {result}", "}"]
    )


def _passed(kind: str) -> str:
    return "i64" if kind == "index" else kind
