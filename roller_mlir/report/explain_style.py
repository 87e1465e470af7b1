# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Style of the page of `roller explain`, beside what all pages have."""

from roller_mlir.report.page_style import STYLE as _PAGE_STYLE

_STYLE = """
:root {
  --global: #1f77b4; --l2: #2a8f57; --workgroup: #9a4fb0; --compute: #b87400; --latency: #c0493f; --launch: #868b91;
  --join: #14858c; --block: #1f77b4; --thread: #d97a00; }
@media (prefers-color-scheme: dark) {
  :root {
    --global: #62a9de; --l2: #62c48e; --workgroup: #c78ddb; --compute: #e3a743; --latency: #e5837a; --launch: #8d939a;
    --join: #4fc0c6; --block: #62a9de; --thread: #f0a040; } }
tr.first td { font-weight: 600; } tr.first td:first-child { box-shadow: inset 3px 0 var(--compute); }
td.rank { padding-left: 10px; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 8px 48px; }
.two > div { min-width: 0; }
.roofline { display: grid; grid-template-columns: 1.55fr 1fr; gap: 8px 40px; align-items: start; }
.roofline > div { min-width: 0; } .roofline { margin-bottom: 14px; }
.tensors p { font-size: 12.5px; }
.tensors { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); gap: 14px 28px; }
.bars { display: grid; grid-template-columns: max-content 1fr max-content max-content; gap: 2px 12px;
  align-items: center; font-size: 13px; font-variant-numeric: tabular-nums; }
.bars .r { text-align: right; } .bars .h { color: var(--soft); }
.bar { position: relative; height: 20px; } .bar i { position: absolute; left: 0; height: 11px; top: 2px;
  border-radius: 1px; }
.bar i.second { height: 3px; top: 15px; opacity: .55; } .bar i.end { background: none; height: 20px; top: 0;
  border-right: 1px dashed var(--soft); border-radius: 0; }
svg .roof { stroke-width: 2; fill: none; } svg .drop { stroke-dasharray: 2 3; }
svg .way { fill: none; stroke: var(--block); stroke-width: 1.5; }
svg .step { fill: var(--bg); stroke: var(--block); stroke-width: 1.5; } svg .full { fill: var(--block); }
svg .tensor { fill: var(--card); stroke: var(--soft); } svg .task { fill: var(--block); opacity: .16; }
svg rect.block { fill: var(--block); fill-opacity: .38; stroke: var(--block); }
svg .thread { fill: var(--thread); } svg .halo { fill: var(--soft); fill-opacity: .4; }
svg .ray { fill: none; stroke: var(--line); }
@media (max-width: 900px) { .roofline { grid-template-columns: 1fr; } }
@media (max-width: 600px) { .bars { grid-template-columns: max-content 1fr max-content; }
  .bars .share { display: none; } }
"""

LAYERS = ("global", "l2", "workgroup", "compute", "latency", "launch", "join")

STYLE = (
    _PAGE_STYLE
    + _STYLE
    + "".join(
        f"svg text.{name} {{ fill: var(--{name}); }} svg line.{name} {{ stroke: var(--{name}); }}\n"
        f"svg circle.{name}, i.{name} {{ fill: var(--{name}); background: var(--{name}); }}\n"
        for name in LAYERS
    )
)
