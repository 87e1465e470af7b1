# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `tamper.py` changes files: by generators that know the structure of each kind."""

import json
import random
import sys
import zipfile
from io import BytesIO
from typing import Any

VALUES: list[Any] = [
    *(None, True, -1, 0, 2**31, 2**63, 10**39, 10**400, 1e308, "", "x" * 10000, "../../etc/passwd", "\x1b[2J", "inf"),
    *([], {}, [[]], {"a": 1}, [0] * 5000, "nan", 0.5, -0.0, 3, "f32", "input"),
]
LINES = (
    '%c  =  call i64  asm sideeffect "syscall", "={ax},{ax},{di},{si}"(i64 83, ptr %0, i64 511)',
    "%c = load i32, ptr inttoptr (i64 4096 to ptr)",
    "store  i32  0,  ptr  null",
    "%c = sdiv i32 1, 0",
    "%c = alloca i8, i64 1000000000000",
    "unreachable",
    "call void @llvm.assume(i1 false)",
    "%c = load <100000 x i32>, ptr %0",
    "%c = call i32 @system(ptr %0)",
    "br label %nowhere",
)


def tamper_bytes(random_: random.Random, content: bytes) -> bytes:
    """Cut off, turn bits over, repeat, nest."""
    data = bytearray(content)
    at = random_.randrange(max(1, len(data)))
    match random_.randrange(5):
        case 0:
            del data[at:]
        case 1:
            for _ in range(random_.choice((1, 3, 30))):
                data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
        case 2:
            data[at:at] = random_.choice((b"[", b"{", b"(", b"a.", b"<")) * 200_000
        case 3:
            data[at:at] = random_.choice((b"\x00", b"\xff\xfe", b"\x1b[2J", b"9" * 5000, b"\xf0\x9f\x92\xa9"))
        case _:
            data += bytes(data)
    return bytes(data)


def tamper_json(random_: random.Random, content: bytes) -> bytes:
    """Swap a value, remove a key, double an entry, add a key, somewhere in the data."""
    if random_.random() < 0.25:
        return tamper_bytes(random_, content)
    data = json.loads(content)
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in list(pairs):
            places.append((value, key))
            visit(inner)

    visit(data)
    for _ in range(random_.choice((1, 1, 1, 3))):
        holder, key = random_.choice(places)
        if random_.random() < 0.2:
            if key in holder if isinstance(holder, dict) else key < len(holder):
                del holder[key]
        elif random_.random() < 0.1 and isinstance(holder, list) and key < len(holder):
            holder[key : key + 1] = [holder[key]] * 1000
        elif isinstance(holder, dict) or key < len(holder):
            holder[key] = random_.choice(VALUES)
    sys.set_int_max_str_digits(0)
    return json.dumps(data).encode()


def tamper_toml(random_: random.Random, content: bytes) -> bytes:
    """Change the value of a key, a key, or the bytes."""
    if random_.random() < 0.4:
        return tamper_bytes(random_, content)
    lines = content.decode().split("\n")
    keys = [at for at, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    at = random_.choice(keys)
    key, _, _ = lines[at].partition(" = ")
    other = random_.choice(("inf", "nan", "-1", "0", "1e308", "9" * 4000, '"x"', "[]", "{}", "true", "1" + "0" * 30))
    lines[at] = random_.choice((f"{key} = {other}", f"{'a.' * 50}{key} = {other}", lines[at] + "\n" + lines[at], key))
    return "\n".join(lines).encode()


def tamper_llvm(random_: random.Random, content: bytes) -> bytes:
    """Insert an instruction, change numbers, or the bytes."""
    if random_.random() < 0.2:
        return tamper_bytes(random_, content)
    lines = content.decode().split("\n")
    inside = [at for at, line in enumerate(lines) if line.startswith("  ")]
    at = random_.choice(inside)
    match random_.randrange(4):
        case 0 | 1:
            lines.insert(at, random_.choice(LINES))
        case 2:
            numbers = [word for word in lines[at].split() if word.strip(",").isdigit()]
            lines[at] = (
                lines[at].replace(numbers[-1], f"{random_.choice((0, 2**31, 2**63, 65536))},") if numbers else ""
            )
        case _:
            lines[at], other = lines[random_.choice(inside)], lines[at]
            lines.append(random_.choice((other, 'module asm "nop"', "@llvm.global_ctors = appending global i32 0")))
    return "\n".join(lines).encode()


def tamper_lines(random_: random.Random, content: bytes) -> bytes:
    """Change one line of a file with a JSON document on each, or double lines."""
    lines = content.split(b"\n")
    at = random_.randrange(max(1, len(lines) - 1))
    lines[at] = tamper_json(random_, lines[at])
    return b"\n".join(lines * random_.choice((1, 1, 1, 50)))


_WORDS = (
    *("16", "0", "-1", "99999999999", "1073741824", "4611686018427387904", "i1", "i32", "f64", "bf16", "index", "?"),
    *("%a", "%b", "%e", "tensor<16x16xf32>", "tensor<16xf32>", "memref<16x16xf32>", "vector<16xf32>", "none", "()"),
    *("linalg.matmul", "linalg.fill", "linalg.exp", "linalg.transpose", "tensor.empty", "arith.constant", "return"),
    *(
        "linalg.generic",
        "tensor.cast",
        "linalg.elementwise kind=#linalg.elementwise_kind<exp>",
        "arith.divf",
        "{",
        "->",
    ),
)


def tamper_program(random_: random.Random, content: bytes) -> bytes:
    """Put other words in the place of words of MLIR, move or double lines, or change the bytes."""
    if random_.random() < 0.2:
        return tamper_bytes(random_, content)
    words = content.decode().split(" ")
    for _ in range(random_.choice((1, 1, 2, 5))):
        at = random_.randrange(len(words))
        end = "\n" if "\n" in words[at] else ""
        match random_.randrange(4):
            case 0:
                words[at] = end
            case 1:
                words.insert(at, words[random_.randrange(len(words))])
            case _:
                words[at] = random_.choice(_WORDS) + end
    text = " ".join(words)
    if random_.random() < 0.2:
        text = text.replace(
            "16x16", random_.choice(("0x0", "1x1", "1000000x1000000", "4294967296x2", "?x?", "16x16x16"))
        )
    return text.encode()


def tamper_zip(random_: random.Random, content: bytes) -> bytes:
    """Change a member of an archive as a stranger would, with a right checksum, name it otherwise, or the bytes."""
    if random_.random() < 0.4:
        return tamper_bytes(random_, content)
    made = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as given, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        names = given.namelist()
        changed = random_.choice(names)
        for name in names:
            data = given.read(name)
            if name == changed:
                how = tamper_json if name.endswith(".json") else tamper_llvm if name.endswith(".ll") else tamper_bytes
                match random_.randrange(4):
                    case 0:
                        name = random_.choice(
                            ("../out", "/etc/x", "a" * 60000, "con\x1b[2J", name + "/", names[0] + "x")
                        )
                    case 1:
                        data = b"\0" * (1 << 28)
                    case _:
                        data = how(random_, data)
            out.writestr(name, data)
    return made.getvalue()
