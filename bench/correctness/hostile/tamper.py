# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tampers with what strangers may give, and looks at what the tools do with it.

    python bench/correctness/hostile/tamper.py --count 300 --seed 2026
    python bench/correctness/hostile/tamper.py --count 100 --first 100          a part of the same cases
    python bench/correctness/hostile/tamper.py --kinds program,kit              of some kinds only

Kinds: manifest, kernels and llvm (of an artifact), kit, archive (kits on the simulator), plans, device, results,
import, tuning, program. Each case is one file that a generator of `tamper_changes.py` changes, which knows its
structure. Each runs in a process of its own. Right is any exit code but 70 and death by a signal, within 5 s and 1 GiB,
with the canary alive: a folder in which nothing may be made. A process that asks for more memory is refused by the
kernel (RLIMIT_DATA) and counts as wrong. Time is that of the processor, so that a busy machine changes nothing; the
time on the wall is reported beside it.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tamper_changes import (
    tamper_bytes,
    tamper_json,
    tamper_lines,
    tamper_llvm,
    tamper_program,
    tamper_toml,
    tamper_zip,
)

MOST_SECONDS = 5.0
MOST_BYTES = 1 << 30
CANARY = "canary"
KINDS = (
    *("manifest", "kernels", "llvm", "kit", "archive", "plans", "device", "results", "import", "tuning", "program"),
)
SOURCE = """func.func @f(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>)
    -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
"""
MAKE = """import sys
from pathlib import Path
import roller_mlir
from roller_mlir.hal import find_device, template
from roller_mlir.evaluation.measure.kit.contents import of_gemms
from roller_mlir.evaluation.measure.kit.pack import pack_kit
from roller_mlir.evaluation.measure.kit.packing import PackOptions
place = Path(sys.argv[1])
roller_mlir.compile((place / "f.mlir").read_text(), "h200", binaries=False, llvm=True).save(place / "f.roller")
(place / "d.toml").write_text(template(find_device("h200")))
pack_kit(place / "kit", "h200", of_gemms((16,), "f32", top_k=2), PackOptions(jobs=1, simulator=True))
"""
"""Made by another process: the peak of this one's memory counts as that of its children."""
PYTHON = (sys.executable, "-m")
ROLLER = (*PYTHON, "roller_mlir.tools.roller")
RUNNER = (*PYTHON, "roller_mlir.evaluation.measure.runner")
DRY = ("--on", "sim", "--repeat", "1", "--peers", "none", "--step-limit", "4", "-o", "out")
PLAN = ("--target", "h200", "--emit", "plan")

Change = Callable[[random.Random, bytes], bytes]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a tool did.

    Attributes:
        name: The case.
        kind: What was changed.
        code: Exit code; negative: a signal.
        seconds: Time of the processor, of the process and what it started.
        wall_s: Time on the wall.
        memory_bytes: Peak.
        said: The end of what it said.
        executed: Whether something was made in the canary or beside it.
    """

    name: str
    kind: str
    code: int
    seconds: float
    wall_s: float
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
        if self.memory_bytes > MOST_BYTES or "not enough memory" in self.said or "MemoryError" in self.said:
            return f"memory, {self.memory_bytes >> 20} MiB"
        return "Traceback" if "Traceback" in self.said else ""


def make_originals(place: Path) -> None:
    """Make right files of each kind in a folder."""
    (place / "f.mlir").write_text(SOURCE)

    def run(*command: str) -> str:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=place).stdout

    run(sys.executable, "-c", MAKE, str(place))
    (place / "plans.json").write_text(run(*ROLLER, "compile", "f.mlir", *PLAN, "--json"))
    run(*RUNNER, "kit", *DRY)
    results = (place / "out" / "results.json").read_text()
    (place / "results.json").write_text(results)
    told = json.loads(results)  # as if a device had measured it, or no data base would take it
    told["machine"] |= {"back_end": "cuda", "device": "NVIDIA H200"}
    for timing in told["timings"]:
        timing.update(note=timing["note"].partition("; ")[2], samples=20)
    (place / "import.json").write_text(json.dumps(told))
    run(*ROLLER, "tune", "--import", "import.json", "--db", "db.jsonl")
    if not (place / "db.jsonl").read_text():
        raise SystemExit("no tuning data base was made")


def _resigned(folder: Path, name: str) -> None:
    """Give a file of an artifact its new size and hash, as a stranger would."""
    data = json.loads((folder / "manifest.json").read_text())
    content = (folder / name).read_bytes()
    for file in data["files"]:
        if file["name"] == name:
            file.update(size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    (folder / "manifest.json").write_text(json.dumps(data))


def make_case(kind: str, random_: random.Random, originals: Path, place: Path, *, tampered: bool = True) -> list[str]:
    """Tamper with one file below a folder, or leave it as it is; return the command that reads it."""

    def changed(name: str, change: Change) -> str:
        content = (originals / name).read_bytes()
        (place / name).write_bytes(change(random_, content) if tampered else content)
        return name

    match kind:
        case "manifest" | "kernels" | "llvm":
            shutil.copytree(originals / "f.roller", place / "f.roller")
            llvm = next((originals / "f.roller").glob("*.ll")).name
            name = {"manifest": "manifest.json", "llvm": llvm, "kernels": "kernels.mlir"}[kind]
            how: dict[str, Change] = {"manifest": tamper_json, "llvm": tamper_llvm, "kernels": tamper_bytes}
            changed(f"f.roller/{name}", how[kind])
            if kind != "manifest":
                _resigned(place / "f.roller", name)
            level = ["--level", "llvm"] if kind == "llvm" else []
            return [*ROLLER, "run", "f.roller", "--random", "--timeout-s", "2", *level]
        case "kit" | "archive":
            shutil.copytree(originals / "kit", place / "kit")
            changed("kit/index.json", tamper_json) if kind == "kit" else changed("kit/artifacts.zip", tamper_zip)
            return [*RUNNER, "kit", *DRY]
        case "results":
            return [*ROLLER, "report", changed("results.json", tamper_json), "--json"]
        case "import":
            return [*ROLLER, "tune", "--import", changed("import.json", tamper_json), "--db", "db.jsonl"]
        case "program":
            emit = random_.choice((PLAN, ("--target", "h200", "--emit", "gpu")))
            return [
                *ROLLER,
                random_.choice(("compile", "compile", "explain")),
                changed("f.mlir", tamper_program),
                *emit,
            ]
        case _:
            shutil.copy(originals / "f.mlir", place)
    match kind:
        case "plans":
            return [*ROLLER, "compile", "f.mlir", *PLAN, "--plan-file", changed("plans.json", tamper_json)]
        case "tuning":
            return [*ROLLER, "compile", "f.mlir", *PLAN, "--tuning", changed("db.jsonl", tamper_lines)]
        case _:
            return [*ROLLER, "compile", "f.mlir", "--target", changed("d.toml", tamper_toml), "--emit", "plan"]


KNOWN = {"f.roller", "kit", "out", "plans.json", "d.toml", "results.json", "import.json", "db.jsonl", "f.mlir", "log"}


def run_case(kind: str, name: str, command: list[str], place: Path) -> Outcome:
    """Run a tool with limits of memory and time, in a folder with the canary."""
    (place / CANARY).mkdir()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        os.setsid()

    started = time.monotonic()
    with (place / "log").open("wb") as log:
        # ROLLER_CACHE: a result that was kept would hide what its compilation does.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            preexec_fn=limit,
            cwd=place,
            env={**os.environ, "ROLLER_CACHE": "0", "TMPDIR": str(place.parent)},
        )
        signal.alarm(60)
        try:
            _, status, used = os.wait4(process.pid, 0)
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            _, status, used = os.wait4(process.pid, 0)
        signal.alarm(0)
    process.returncode = os.waitstatus_to_exitcode(status)
    made = {path.name for path in place.iterdir()} - KNOWN
    return Outcome(
        name=name,
        kind=kind,
        code=process.returncode,
        seconds=used.ru_utime + used.ru_stime,
        wall_s=time.monotonic() - started,
        memory_bytes=used.ru_maxrss << 10,
        said=(place / "log").read_text(errors="replace")[-600:],
        executed=made != {CANARY} or any((place / CANARY).iterdir()),
    )


def campaign(count: int, seed: int, first: int, kinds: tuple[str, ...], keep: Path | None) -> list[Outcome]:
    """Make and run cases.

    Args:
        count: How many.
        seed: Of all of them.
        first: Number of the first.
        kinds: What is changed, in turn.
        keep: Where the folders of cases that are wrong go.
    """
    found: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="tamper-") as folder:
        originals = Path(folder) / "originals"
        originals.mkdir()
        make_originals(originals)
        for kind in kinds:  # a tool that refuses all would be right in each case
            place = Path(folder) / kind
            place.mkdir()
            command = make_case(kind, random.Random(0), originals, place, tampered=False)
            if (one := run_case(kind, kind, command, place)).wrong or one.code:
                raise SystemExit(f"{kind}, not tampered with: exit {one.code} {one.wrong}\n{one.said}")
        for number in range(first, first + count):
            place = Path(folder) / str(number)
            place.mkdir()
            kind = kinds[number % len(kinds)]
            command = make_case(kind, random.Random(f"{seed}/{number}"), originals, place)
            one = run_case(kind, f"{number}, {kind}: {' '.join(command[2:])}", command, place)
            found.append(one)
            if one.wrong:
                print(f"WRONG ({one.wrong}): {one.name}\n{one.said}", flush=True)
                if keep is not None:
                    shutil.copytree(place, keep / str(number), dirs_exist_ok=True)
            shutil.rmtree(place)
    return found


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kinds", type=lambda text: tuple(text.split(",")), default=KINDS, help="by default all")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to leave the files of cases that are wrong")
    options = parser.parse_args()
    if unknown := [kind for kind in options.kinds if kind not in KINDS]:
        parser.error(f"--kinds: unknown {', '.join(unknown)}; known: {', '.join(KINDS)}")

    def too_long(number: int, frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    found = campaign(options.count, options.seed, options.first, options.kinds, options.keep)
    codes = dict(sorted(Counter(one.code for one in found).items()))
    slowest, longest = max(one.seconds for one in found), max(one.wall_s for one in found)
    print(f"{len(found)} cases; exit codes {codes}; {sum(bool(one.wrong) for one in found)} wrong")
    print(f"most time of the processor {slowest:.1f} s, on the wall {longest:.1f} s (load {os.getloadavg()[0]:.1f})")
    print(f"peak of memory {max(one.memory_bytes for one in found) >> 20} MiB")
    return int(any(one.wrong for one in found))


if __name__ == "__main__":
    sys.exit(main())
