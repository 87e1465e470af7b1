# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may ask of a campaign of random programs."""

from dataclasses import dataclass
from pathlib import Path

from roller_mlir.support.foreign.options import Options, option


@dataclass(frozen=True, kw_only=True)
class CampaignOptions(Options):
    """What is drawn, and how it is tried."""

    seed: int = option(0, value="S", least=0, help="of all cases")
    jobs: int = option(1, value="J", least=1, help="processes at a time")
    keep: Path | None = option(None, value="DIR", help="write each failure, shrunk, to DIR")
    kernels: bool = option(True, help="whether kernels are compiled and run; without, --oracle iree is asked alone")
    case_timeout_s: float = option(60.0, value="S", least=1, help="time for a case, in seconds")
    shrink_s: float = option(60.0, value="S", least=0, help="time to shrink a failure, in seconds")
    sanitize: int = option(10, value="P", least=0, most=100, help="percent of cases that are searched for races")
    llvm: int = option(5, value="P", least=0, most=100, help="percent of cases run from the vendor's LLVM IR")
