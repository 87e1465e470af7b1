# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Style and script of pages: light and dark as the reader's system is, tables that sort."""

STYLE = """
:root { color-scheme: light dark; --bg: #fcfcfb; --fg: #1c1f23; --soft: #676d75; --line: #e2e3e1; --card: #f4f4f2; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #16181b; --fg: #e4e6e8; --soft: #979da5; --line: #2d3135; --card: #1e2124; } }
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
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 0; font-size: 13px; }
dt { color: var(--soft); } dd { margin: 0; }
svg.chart { display: block; width: 100%; height: auto; max-width: 760px; } svg.small { max-width: 440px; }
.scroll svg.chart { min-width: 560px; } .scroll svg.small { min-width: 320px; }
svg text { font-size: 12px; fill: var(--fg);
  paint-order: stroke; stroke: var(--bg); stroke-width: 4px;
  stroke-linejoin: round; } svg .tick { fill: var(--soft); font-size: 11px; }
svg .middle { text-anchor: middle; } svg .end { text-anchor: end; }
svg .grid { stroke: var(--line); }
svg .point { stroke: var(--bg); stroke-width: 1.5; }
.key { color: var(--soft); font-size: 12px; max-width: none; }
.key i { display: inline-block; width: 10px; height: 10px; margin: 0 5px 0 12px; }
.key i:first-child { margin-left: 0; }
@media (max-width: 600px) { body { padding: 18px 14px 48px; } h2 { font-size: 19px; } }
"""

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
