# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries the judge on right kernels and on mutants, and writes bench/correctness/judge/results.json.

About 5 minutes on one core.

python bench/correctness/judge/table.py --date 2026-11-22 --rounds 40
python bench/correctness/verification/table.py --page-only      # docs/evaluation/verification.md with it
"""

import argparse
import json
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from trials import Tally, try_all, try_programs

RESULTS = Path(__file__).with_name("results.json")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, required=True, help="today, for the page: YYYY-MM-DD")
    parser.add_argument("--rounds", type=int, default=40, help="how often, each time on other numbers (40)")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS, help="what was found (results.json)")
    options = parser.parse_args()
    begun = time.perf_counter()
    kernels, functions = try_all(options.rounds), try_programs(options.rounds)
    found = {
        "date": str(options.date),
        "rounds": options.rounds,
        "seconds": round(time.perf_counter() - begun),
        "kernels": _record(kernels),
        "functions": _record(functions),
    }
    options.output.write_text(json.dumps(found, indent=1) + "\n")
    wrong = kernels.rejected + functions.rejected
    print("\n".join([*wrong, f"{kernels.right + functions.right} right programs, {len(wrong)} rejected"]))
    return 1 if wrong else 0


def _record(tally: Tally) -> dict[str, Any]:
    return {
        "right": tally.right,
        "rejected": tally.rejected,
        "worst": {name: round(share, 3) for name, share in tally.worst.items()},
        "mutants": [[*key, tally.found[key], tried] for key, tried in tally.tried.items()],
    }


if __name__ == "__main__":
    sys.exit(main())
