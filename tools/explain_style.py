# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Style and script of the page of `roller explain`: light and dark as the reader's system is, tables that sort."""

_STYLE = """
:root { color-scheme: light dark; --bg: #fcfcfb; --fg: #1c1f23; --soft: #676d75; --line: #e2e3e1; --card: #f4f4f2;
  --global: #1f77b4; --l2: #2a8f57; --workgroup: #9a4fb0; --compute: #b87400; --latency: #c0493f; --launch: #868b91;
  --join: #14858c; --block: #1f77b4; --thread: #d97a00; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #16181b; --fg: #e4e6e8; --soft: #979da5; --line: #2d3135; --card: #1e2124;
    --global: #62a9de; --l2: #62c48e; --workgroup: #c78ddb; --compute: #e3a743; --latency: #e5837a; --launch: #8d939a;
    --join: #4fc0c6; --block: #62a9de; --thread: #f0a040; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 28px 24px 64px; max-width: 1120px; background: var(--bg); color: var(--fg);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 17px; font-weight: 600; margin: 0; }
h2 { font-size: 22px; font-weight: 600; margin: 44px 0 2px; letter-spacing: -0.01em; }
h3 { font-size: 14px; font-weight: 600; margin: 34px 0 10px; padding-top: 10px; border-top: 1px solid var(--line); }
h4 { font-size: 13px; font-weight: 600; margin: 16px 0 4px; }
p { margin: 4px 0; max-width: 78ch; overflow-wrap: anywhere; } .note, .sub { color: var(--soft); }
nav { margin: 8px 0 0; } nav a { color: inherit; margin-right: 16px; }
code, .num, td.n, th.n, svg text, dd { font-variant-numeric: tabular-nums; }
code, td.m { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12.5px; }
.tiles { display: flex; flex-wrap: wrap; gap: 1px; margin: 16px 0 10px;
  background: var(--line); border: 1px solid var(--line); }
.tiles div { flex: 1 1 104px; background: var(--bg); padding: 9px 12px; }
.tiles span { display: block; color: var(--soft); font-size: 12px; }
.tiles .wide { flex: 2 1 178px; }
.tiles b { font-size: 15px; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; } table.tight { width: auto; }
table.tight th, table.tight td { padding-right: 22px; }
th { text-align: left; font-weight: 500; color: var(--soft); border-bottom: 1px solid var(--line); }
th, td { padding: 4px 14px 4px 0; vertical-align: baseline; } th.n, td.n { text-align: right; }
td { border-bottom: 1px solid var(--line); } tr:last-child td { border-bottom: 0; }
td.n, td.m, th { white-space: nowrap; } td.t { min-width: 170px; } td:last-child, th:last-child { padding-right: 0; }
th button { all: unset; cursor: pointer; } th button:hover, th button:focus-visible { color: var(--fg);
  text-decoration: underline; }
th[aria-sort=ascending] button::after { content: " \\2191"; } th[aria-sort=descending] button::after {
  content: " \\2193"; }
tr.first td { font-weight: 600; } tr.first td:first-child { box-shadow: inset 3px 0 var(--compute); }
td.rank { padding-left: 10px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 0; font-size: 13px; }
dt { color: var(--soft); } dd { margin: 0; }
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
svg.chart { display: block; width: 100%; height: auto; max-width: 760px; } svg.small { max-width: 440px; }
.scroll svg.chart { min-width: 560px; } .scroll svg.small { min-width: 320px; }
svg text { font-size: 12px; fill: var(--fg);
  paint-order: stroke; stroke: var(--bg); stroke-width: 4px;
  stroke-linejoin: round; } svg .tick { fill: var(--soft); font-size: 11px; }
svg .middle { text-anchor: middle; } svg .end { text-anchor: end; }
svg .grid { stroke: var(--line); } svg .roof { stroke-width: 2; fill: none; } svg .drop { stroke-dasharray: 2 3; }
svg .way { fill: none; stroke: var(--block); stroke-width: 1.5; }
svg .step { fill: var(--bg); stroke: var(--block); stroke-width: 1.5; } svg .full { fill: var(--block); }
svg .point { stroke: var(--bg); stroke-width: 1.5; }
svg .tensor { fill: var(--card); stroke: var(--soft); } svg .task { fill: var(--block); opacity: .16; }
svg rect.block { fill: var(--block); fill-opacity: .38; stroke: var(--block); }
svg .thread { fill: var(--thread); } svg .halo { fill: var(--soft); fill-opacity: .4; }
svg .ray { fill: none; stroke: var(--line); }
.key { color: var(--soft); font-size: 12px; max-width: none; }
.key i { display: inline-block; width: 10px; height: 10px; margin: 0 5px 0 12px; }
.key i:first-child { margin-left: 0; }
@media (max-width: 900px) { .roofline { grid-template-columns: 1fr; } }
@media (max-width: 600px) { body { padding: 18px 14px 48px; } h2 { font-size: 19px; }
  .bars { grid-template-columns: max-content 1fr max-content; } .bars .share { display: none; } }
"""

LAYERS = ("global", "l2", "workgroup", "compute", "latency", "launch", "join")

STYLE = _STYLE + "".join(
    f"svg text.{name} {{ fill: var(--{name}); }} svg line.{name} {{ stroke: var(--{name}); }}\n"
    f"svg circle.{name}, i.{name} {{ fill: var(--{name}); background: var(--{name}); }}\n"
    for name in LAYERS
)

SCRIPT = """
document.querySelectorAll("table.sortable th").forEach(function (head) {
  head.querySelector("button").addEventListener("click", function () {
    var table = head.closest("table"), body = table.tBodies[0];
    var column = Array.prototype.indexOf.call(head.parentNode.children, head);
    var down = head.getAttribute("aria-sort") === "ascending";
    var key = function (row) { return row.children[column].getAttribute("data-v"); };
    var rows = Array.prototype.slice.call(body.rows);
    rows.sort(function (a, b) {
      var x = key(a), y = key(b), order = isNaN(x) || isNaN(y) ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
      return down ? -order : order;
    });
    table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.forEach(function (row) { body.appendChild(row); });
  });
});
"""
