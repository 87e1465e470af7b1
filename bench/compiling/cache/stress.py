# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that compile the same and different ops with one cache, killed at random, while entries are damaged.

python bench/compiling/cache/stress.py --seconds 60 --processes 8

Each process compiles element-wise ops of random sizes, some of them over and over, and now and then writes and reads
larger entries of a known content. A process is killed (SIGKILL) and another begins every `--period` seconds, and every
fourth time an entry on the disk is cut short or has a bit turned over. Three things are checked:

- what the cache serves is what a compilation without it gives, and an entry's content is the one it was written with;
- every entry whose writing had come to an end before its process was killed is there at the end, and every entry is
  whole, unless it was damaged here; the cache is made too large for an eviction;
- of the processes that were killed nothing is left but temporary files, which the sweep removes.

It exits with 1 where one of them does not hold.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import roller_mlir
from roller_mlir.compiler.cache.store import CacheStore
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.runtime import Artifact

LIMIT_BYTES = 8 << 30
DAMAGE_EVERY = 4
HOT_SIZES = (1024, 2048, 4096)
MOST_POINTS = 1 << 20
WITHOUT = roller_mlir.CompileOptions(cache=False)


@dataclass
class Report:
    """What happened; `wrong` is empty where all is as it must be."""

    seconds: float = 0.0
    kills: int = 0
    damaged: int = 0
    compilations: int = 0
    served: int = 0
    published: int = 0
    entries: int = 0
    left_temporary: int = 0
    wrong: list[str] = field(default_factory=list[str])


def text_of(points: int) -> str:
    kind = f"tensor<{points}xf32>"
    return f"""func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{
  %e = tensor.empty() : {kind}
  %r = linalg.add ins(%a, %b : {kind}, {kind}) outs(%e : {kind}) -> {kind}
  return %r : {kind}
}}"""


def content_of(name: str) -> bytes:
    """Return the content that an entry of this name has in this test: up to 2 MB that follow from the name."""
    seed = hashlib.sha256(name.encode()).digest()
    return seed * (1 + int.from_bytes(seed[:2], "little"))


def what(artifact: Artifact) -> dict[str, str]:
    """Return what must be the same of two compilations: all but the times."""
    files = {name: hashlib.sha256(data).hexdigest() for name, data in artifact.files.items()}
    kernels = [(kernel.name, str(kernel.plan), str(kernel.statistics)) for kernel in artifact.kernels]
    return {**files, "kernels": repr(kernels), "launches": repr(artifact.manifest.launches)}


class Log:
    """A file that processes add lines to; a line is one write, which is there whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def write(self, *words: str) -> None:
        """Add a line."""
        os.write(self._descriptor, (" ".join(words) + "\n").encode())


class LoggedStore(CacheStore):
    """A store that notes what it has published."""

    log: Log

    def put(self, name: str, content: bytes) -> bool:
        """Publish an entry, and note it afterwards."""
        done = super().put(name, content)
        if done:
            self.log.write("published", name)
        return done


def work(folder: Path, log: Log, seed: int, compiling: bool) -> None:
    """Compile, or write and read, until killed."""
    choice = random.Random(seed)
    store = LoggedStore(folder, LIMIT_BYTES)
    store.log = log
    while True:
        if compiling and choice.random() < 0.5:
            _compile(choice, log)
        for _ in range(4):
            number = choice.randrange(64) if choice.random() < 0.5 else choice.randrange(1 << 30)
            name = f"stress-{hashlib.sha256(str(number).encode()).hexdigest()}"
            found = store.get(name)
            if found is None:
                store.put(name, content_of(name))
            elif found != content_of(name):
                log.write("wrong", f"{name} was served with another content")


def _compile(choice: random.Random, log: Log) -> None:
    points = choice.choice(HOT_SIZES) if choice.random() < 0.7 else choice.randrange(1, MOST_POINTS)
    source = Source("-", text_of(points))
    artifact = compile_source(source, "a100", roller_mlir.CompileOptions())
    served = not {"cache: artifact", "cache: binaries"}.isdisjoint(artifact.manifest.phases_s)
    if served and what(artifact) != what(compile_source(source, "a100", WITHOUT)):
        log.write("wrong", f"the op of {points} points was served as another one")
    log.write("served" if served else "compiled", str(points))


def start(folder: Path, log: Log, seed: int) -> int:
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        work(folder, log, seed, compiling=seed % 2 == 0)
    except BaseException as error:  # noqa: BLE001 - whatever ends a process before it is killed is a finding
        log.write("wrong", f"a process ended with {type(error).__name__}: {' '.join(str(error).split())}")
    finally:
        os._exit(code)


def damage(folder: Path, choice: random.Random) -> str | None:
    """Cut an entry short or turn one of its bits over, in place, as a failing disk does; return its name."""
    found = sorted(folder.glob("entries/*/*"))
    if not found:
        return None
    path = choice.choice(found)
    with suppress(FileNotFoundError), open(path, "r+b") as stream:
        size = os.fstat(stream.fileno()).st_size
        place = choice.randrange(size)
        if choice.random() < 0.5:
            stream.truncate(place)
        else:
            stream.seek(place)
            byte = stream.read(1)
            stream.seek(place)
            stream.write(bytes([byte[0] ^ 1 << choice.randrange(8)]))
    return path.name


def stress(folder: Path, seconds: float, processes: int, period_s: float, seed: int, least: int = 0) -> Report:
    """Run the test in a folder that is empty, until so many processes were killed and entries published at least."""
    choice, report = random.Random(seed), Report(seconds=seconds)
    cache, log_path = folder / "cache", folder / "log"
    log = Log(log_path)
    os.environ.update(ROLLER_CACHE="1", ROLLER_CACHE_DIR=str(cache), ROLLER_CACHE_LIMIT=str(LIMIT_BYTES))
    _note_publications(log)
    compile_source(Source("-", text_of(7)), "a100", WITHOUT)  # all is imported before the processes begin
    children = {start(cache, log, number) for number in range(processes)}
    damaged: set[str] = set()
    next_seed, deadline = processes, time.monotonic() + seconds
    try:
        while time.monotonic() < deadline or not _enough(report, log_path, least):
            time.sleep(choice.uniform(0.0, 2 * period_s))
            _end(children, choice.choice(sorted(children)))
            report.kills += 1
            children.add(start(cache, log, next_seed))
            next_seed += 1
            if report.kills % DAMAGE_EVERY == 0 and (name := damage(cache, choice)):
                damaged.add(name)
                report.damaged += 1
    finally:
        for child in sorted(children):
            _end(children, child)
    _check(cache, log_path.read_text().splitlines(), damaged, report)
    return report


def _enough(report: Report, log: Path, least: int) -> bool:
    published = sum(line.startswith("published ") for line in log.read_text().splitlines())
    return report.kills >= least and published >= least and (report.damaged > 0 or not least)


def _note_publications(log: Log) -> None:
    """Let the compiler's own store note what it has published."""
    from roller_mlir.compiler.cache import cache

    LoggedStore.log = log
    cache.CacheStore = LoggedStore


def _end(children: set[int], child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    children.remove(child)


def _check(cache: Path, lines: Sequence[str], damaged: set[str], report: Report) -> None:
    words = [line.split(" ", 1) for line in lines]
    published = {rest for kind, rest in words if kind == "published"}
    report.wrong += [rest for kind, rest in words if kind == "wrong"]
    report.served = sum(kind == "served" for kind, _ in words)
    report.compilations = report.served + sum(kind == "compiled" for kind, _ in words)
    report.published = len(published)
    store = CacheStore(cache, LIMIT_BYTES)
    report.entries = sum(store.statistics().entries.values())
    there = {path.name for path in cache.glob("entries/*/*")}
    report.wrong += [f"{name} was published and is lost" for name in sorted(published - there - damaged)]
    report.wrong += [f"{name} is not whole" for name in sorted(there - damaged) if store.get(name) is None]
    temporary = list((cache / "temporary").iterdir())
    report.left_temporary = len(temporary)
    for path in temporary:
        os.utime(path, (0, 0))
    store.evict(LIMIT_BYTES)
    report.wrong += [f"{path.name} was not swept" for path in temporary if path.exists()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (60)")
    parser.add_argument("--processes", type=int, default=8, help="at once (8)")
    parser.add_argument("--period", type=float, default=0.5, help="mean seconds from one kill to the next (0.5)")
    parser.add_argument("--least", type=int, default=0, help="go on until so many kills and publications (0)")
    parser.add_argument("--seed", type=int, default=0, help="of all choices but the system's (0)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="roller-cache-stress-") as folder:
        report = stress(Path(folder), options.seconds, options.processes, options.period, options.seed, options.least)
    print(json.dumps(asdict(report), indent=1))
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
