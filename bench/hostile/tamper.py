# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tampers with artifacts, kits, plans, device files and LLVM IR, and looks at what the tools do with them.

    python bench/hostile/tamper.py --count 300 --seed 2026

Each case is one file changed by a generator that knows its structure: types swapped, numbers made huge, keys removed
and doubled, text cut off, bits turned over, nesting, instructions with other operands. Each runs in a process with a
limit of time and memory. Right is any exit code but 70 and death by a signal, within the limits, with the canary alive:
a folder that nothing may make.
"""

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import roller_mlir
from roller_mlir.hal import find_device, template
from roller_mlir.tools.roller import main as roller

MOST_SECONDS = 5.0
MOST_BYTES = 1 << 30
CANARY = "canary"
SOURCE = """func.func @f(%a: tensor<16x24xf32>, %b: tensor<24x16xf32>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.matmul ins(%a, %b : tensor<16x24xf32>, tensor<24x16xf32>) outs(%f : tensor<16x16xf32>)
    -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
"""
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


@dataclass(frozen=True, kw_only=True)
class Originals:
    """What is tampered with.

    Attributes:
        artifact: A folder.
        kit: A folder.
        plans: A plan file.
        device: A device description.
        source: A program.
    """

    artifact: Path
    kit: Path
    plans: Path
    device: Path
    source: Path


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a tool did.

    Attributes:
        name: The case.
        code: Exit code; negative: a signal.
        seconds: Time of the processor, so that a busy machine changes nothing.
        memory_bytes: Peak, or 0 where it is not known.
        said: The end of what it said.
        executed: Whether the canary is gone.
    """

    name: str
    code: int
    seconds: float
    memory_bytes: int
    said: str
    executed: bool

    @property
    def wrong(self) -> str:
        """What is wrong with it, "" for nothing."""
        if self.executed:
            return "executed"
        if self.code == 70 or self.code < 0:
            return f"exit {self.code}"
        if self.seconds > MOST_SECONDS:
            return f"{self.seconds:.1f} s"
        if self.memory_bytes > MOST_BYTES:
            return f"{self.memory_bytes >> 20} MiB"
        return "Traceback" if "Traceback" in self.said else ""


def make_originals(folder: Path) -> Originals:
    """Make right files of each kind below a folder."""
    source = folder / "f.mlir"
    source.write_text(SOURCE)
    artifact, plans, device, kit = (folder / name for name in ("f.roller", "plans.json", "d.toml", "kit"))
    roller_mlir.compile(SOURCE, "h200", binaries=False, llvm=True).save(artifact)
    done = subprocess.run(
        [*COMMAND, "compile", str(source), "--target", "h200", "--emit", "plan", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    plans.write_text(done.stdout)
    device.write_text(template(find_device("h200")))
    tune = ["tune", str(source), "--target", "h200", "--pack", str(kit), "--top-k", "1"]
    if roller(tune) != 0:
        raise SystemExit("no kit was made")
    return Originals(artifact=artifact, kit=kit, plans=plans, device=device, source=source)


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


Change = Callable[[random.Random, bytes], bytes]
COMMAND = (sys.executable, "-m", "roller_mlir.tools.roller")


READ_KIT = (
    sys.executable,
    "-c",
    "import sys\nfrom roller_mlir.measure.kit_files import KitError, open_kit\n"
    "try:\n with open_kit(sys.argv[1]): pass\nexcept KitError as error: sys.exit(str(error))",
)


def _resigned(folder: Path, name: str) -> None:
    """Give a file of an artifact its new size and hash, as a stranger would."""
    from roller_mlir.runtime.store import sha256

    data = json.loads((folder / "manifest.json").read_text())
    content = (folder / name).read_bytes()
    for file in data["files"]:
        if file["name"] == name:
            file.update(size_bytes=len(content), sha256=sha256(content))
    (folder / "manifest.json").write_text(json.dumps(data))


def make_case(random_: random.Random, originals: Originals, place: Path) -> list[str]:
    """Tamper with one file below a folder; return the arguments of the tool."""
    kind = random_.choice(("manifest", "kernels", "llvm", "kit", "plans", "device"))
    if kind in ("manifest", "kernels", "llvm"):
        folder = place / "f.roller"
        shutil.copytree(originals.artifact, folder)
        names = {"manifest": "manifest.json"} | {path.suffix.strip("."): path.name for path in folder.iterdir()}
        name = {"manifest": "manifest.json", "llvm": names["ll"], "kernels": "kernels.mlir"}[kind]
        change: dict[str, Change] = {"manifest": tamper_json, "llvm": tamper_llvm, "kernels": tamper_bytes}
        (folder / name).write_bytes(change[kind](random_, (folder / name).read_bytes()))
        if kind != "manifest":
            _resigned(folder, name)
        return ["run", str(folder), "--random", "--timeout", "2", *(["--level", "llvm"] if kind == "llvm" else [])]
    if kind == "kit":
        folder = place / "kit"
        shutil.copytree(originals.kit, folder)
        (folder / "index.json").write_bytes(tamper_json(random_, (folder / "index.json").read_bytes()))
        return [str(folder)]
    if kind == "plans":
        path = place / "plans.json"
        path.write_bytes(tamper_json(random_, originals.plans.read_bytes()))
        return ["compile", str(originals.source), "--target", "h200", "--plan-file", str(path), "--emit", "plan"]
    path = place / "d.toml"
    path.write_bytes(tamper_toml(random_, originals.device.read_bytes()))
    return ["compile", str(originals.source), "--target", str(path), "--emit", "plan"]


def run_case(number: int, arguments: list[str], place: Path) -> Outcome:
    """Run a tool with limits of memory and time, in a folder with the canary."""
    (place / CANARY).mkdir()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            [*(COMMAND if len(arguments) > 1 else READ_KIT), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            preexec_fn=limit,
            cwd=place,
        )
        code, said = done.returncode, done.stderr[-400:]
    except subprocess.TimeoutExpired:
        code, said = -9, "timeout"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    left = {path.name for path in place.iterdir()} - {"f.roller", "kit", "plans.json", "d.toml", "db.jsonl"}
    return Outcome(
        name=f"{number}: {' '.join(arguments)}",
        code=code,
        seconds=seconds,
        memory_bytes=after.ru_maxrss << 10 if after.ru_maxrss > before.ru_maxrss else 0,
        said=said,
        executed=left != {CANARY},
    )


def campaign(count: int, seed: int, first: int = 0) -> list[Outcome]:
    """Make and run cases.

    Args:
        count: How many.
        seed: Of all of them.
        first: Number of the first.
    """
    found: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="tamper-") as name:
        (Path(name) / "originals").mkdir()
        originals = make_originals(Path(name) / "originals")
        for number in range(first, first + count):
            place = Path(name) / str(number)
            place.mkdir()
            arguments = make_case(random.Random(f"{seed}/{number}"), originals, place)
            found.append(run_case(number, arguments, place))
            shutil.rmtree(place)
    return found


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    found = campaign(options.count, options.seed, options.first)
    for one in found:
        if one.wrong:
            print(f"WRONG ({one.wrong}): {one.name}\n{one.said}")
    codes = {code: sum(one.code == code for one in found) for code in sorted({one.code for one in found})}
    slowest = max(found, key=lambda one: one.seconds)
    peak = max(one.memory_bytes for one in found) >> 20
    print(f"{len(found)} cases; exit codes {codes}; slowest {slowest.seconds:.1f} s; peak {peak} MiB")
    return int(any(one.wrong for one in found))


if __name__ == "__main__":
    sys.exit(main())
