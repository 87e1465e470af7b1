# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hash what the compiler emits for the suite and the examples, and compare two such fingerprints.

    python bench/fingerprint/fingerprint.py make -o FILE
    python bench/fingerprint/fingerprint.py make -o FILE --only 'roller119/M*/f32' --target v100,h200 --texts DIR
    python bench/fingerprint/fingerprint.py compare A B             # exit code 1 where they differ

A line of a fingerprint is a kernel: function, device, number of the kernel, and hashes of its plan, of how it is
launched, and of its code. Comments, names and places of the code do not count, the numbers of its registers do. With
`--texts` what is hashed is kept as DIR/FUNCTION/DEVICE/KERNEL.COLUMN; `diff -r` then says what a difference is.
To compare with another state of the compiler, run `make` there too.
"""

import argparse
import hashlib
import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from kernel_texts import COLUMNS, ENTRY, Answer, Job, lost

from roller_mlir.evaluation.measure.kit.contents import HALF_KINDS
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.hal import DeviceError, find_device
from roller_mlir.support.jobs.pool import JobPool
from roller_mlir.support.source import FileError, write_output

EXAMPLES = Path(__file__).parents[2] / "examples"
SUITE = "roller119"
TARGETS = "v100,a100,h200,mi300x"
LIMIT_S = 600.0
HASH_DIGITS = 16
HEADER = f"# function device kernel {' '.join(COLUMNS)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make", help="make a fingerprint")
    make.add_argument("-o", "--output", required=True, metavar="FILE", help="the fingerprint")
    make.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    make.add_argument("--only", default="*", metavar="PATTERN", help="functions, such as 'roller119/M*/f32' (*)")
    make.add_argument("--target", default=TARGETS, help=f"devices ({TARGETS})")
    make.add_argument("--texts", type=Path, metavar="DIR", help="new folder for what is hashed")
    compare = commands.add_parser("compare", help="compare two fingerprints")
    compare.add_argument("files", nargs=2, metavar="FILE")
    compare.add_argument("--columns", default=",".join(COLUMNS), help=f"what must be equal ({','.join(COLUMNS)})")
    options = parser.parse_args()
    if options.command == "compare":
        columns = options.columns.split(",")
        if not set(columns) <= set(COLUMNS):
            compare.error(f"--columns must be some of {', '.join(COLUMNS)}, but got '{options.columns}'")
        try:
            first, second = map(read, options.files)
        except (OSError, ValueError) as error:
            sys.exit(f"error: {error}")
        found = differences(first, second, options.files, columns)
        print("\n".join([*found, f"{len(first)} and {len(second)} lines, {len(found)} differ"]))
        return 1 if found else 0
    kept = {name: text for name, text in functions().items() if fnmatchcase(name, options.only)}
    if not kept:
        make.error(f"no function is '{options.only}'; write {SUITE}/ID/DTYPE, examples/NAME, or a pattern of these")
    if options.texts and options.texts.exists():
        make.error(f"--texts {options.texts} is there already; name a new folder")
    try:
        targets = [find_device(target).name for target in options.target.split(",")]
        lines, failed = made(kept, targets, options.jobs, options.texts)
        write_output(options.output, "".join(f"{line}\n" for line in [HEADER, *sorted(lines)]).encode())
    except (DeviceError, FileError) as error:
        sys.exit(f"error: {error}")
    return 1 if failed else 0


def functions() -> dict[str, str]:
    """Return the functions as MLIR: all of the suite in f32, its products and convolutions in f16, the examples."""
    rows = find_suite(SUITE)
    found = {f"{SUITE}/{row.id}/f32": function_text(row, "f32") for row in rows}
    found |= {f"{SUITE}/{row.id}/f16": function_text(row, "f16") for row in rows if row.kind in HALF_KINDS}
    return found | {f"examples/{path.stem}": path.read_text() for path in sorted(EXAMPLES.glob("*.mlir"))}


def made(kept: dict[str, str], targets: list[str], workers: int, texts: Path | None) -> tuple[list[str], bool]:
    """Compile functions for devices.

    Returns:
        A line per kernel, and one per function that is refused; and whether something other than a refusal went wrong.
    """
    # Workers import the module of the job by its name, and take nothing from the compile cache.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    os.environ["ROLLER_CACHE"] = "0"
    jobs = [((name, target), Job(text, target)) for target in targets for name, text in kept.items()]
    lines: list[str] = []
    done, failed = 0, False
    with JobPool[Job, Answer](workers, LIMIT_S, ENTRY, lost) as pool:
        for (name, target), answer in pool.run(jobs):
            done += 1
            if answer.problem:
                print(f"{name} on {target}: {answer.problem}", file=sys.stderr, flush=True)
                lines.append(f"{name} {target} - {answer.problem}")
                failed |= not answer.problem.startswith("refused: ")
            for number, kernel in enumerate(answer.kernels):
                hashes = (hashlib.sha256(kernel[column].encode()).hexdigest()[:HASH_DIGITS] for column in COLUMNS)
                lines.append(" ".join([name, target, str(number), *hashes]))
                for column in COLUMNS if texts else ():
                    keep(Path(texts or "", name, target, f"{number}.{column}"), kernel[column])
            if done % 50 == 0:
                print(f"{done} of {len(jobs)}", file=sys.stderr, flush=True)
    return lines, failed


def keep(path: Path, text: str) -> None:
    """Write what is hashed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def read(path: str) -> dict[str, str]:
    """Return what a fingerprint says of each function, device and kernel.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no fingerprint.
    """
    header, *lines = Path(path).read_text().splitlines() or [""]
    parts = [line.split(" ", 3) for line in lines]
    wrong = [one for one in parts if len(one) != 4 or (one[2] != "-" and len(one[3].split()) != len(COLUMNS))]
    if header != HEADER or wrong:
        raise ValueError(f"{path} is no fingerprint: its first line must be '{HEADER}', each other one of such words")
    return {" ".join(one[:3]): one[3] for one in parts}


def differences(first: dict[str, str], second: dict[str, str], names: list[str], columns: list[str]) -> list[str]:
    """Return a line for each kernel of which some of the columns differ, or that one side lacks."""
    found: list[str] = []
    for key in sorted(first.keys() | second.keys()):
        if key not in first or key not in second:
            found.append(f"{key}: only in {names[0] if key in first else names[1]}")
        elif key.endswith(" -"):  # refused on both sides
            found += [f"{key}: {first[key]} | {second[key]}"] * (first[key] != second[key])
        else:
            pairs = zip(COLUMNS, first[key].split(), second[key].split(), strict=True)
            differing = [name for name, one, other in pairs if one != other and name in columns]
            found += [f"{key}: {', '.join(differing)}"] * bool(differing)
    return found


if __name__ == "__main__":
    sys.exit(main())
