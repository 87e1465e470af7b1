// Draws each run on its canvas: of a row only what is seen, and of tasks narrower than half a pixel one.
const data = JSON.parse(document.getElementById("data").textContent);
const said = document.getElementById("said");
const AXIS = 22;
const FIELDS = 7; // of a task: start, duration, operator, task, critical, how long before the start it began, and worked
const kinds = [...new Set(data.operators.map((name) => name.replace(/ \(\d+\)$/, "")))];
const hues = new Map(kinds.map((kind, at) => [kind, (at * 137.508) % 360]));
const colours = data.operators.map((name) => `hsl(${hues.get(name.replace(/ \(\d+\)$/, ""))} 52% 56%)`);

function time(ns) {
  const [unit, of] = ns < 1e3 ? ["ns", 1] : ns < 1e6 ? ["us", 1e3] : ["ms", 1e6];
  return `${(ns / of).toFixed(of === 1 ? 0 : 2)} ${unit}`;
}

function step(span) {
  const power = 10 ** Math.floor(Math.log10(span / 6));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => span / each <= 8);
}

class Timeline {
  constructor(canvas) {
    const run = data.runs[canvas.dataset.run];
    this.canvas = canvas;
    this.end = Math.max(run.span_ns, 1);
    this.rows = run.rows.map((row) => Float64Array.from(row === "" ? [] : row.split(/[ ;]/), Number));
    this.height = Math.max(3, Math.min(14, Math.floor(560 / this.rows.length)));
    this.from = 0;
    this.span = this.end;
    this.asked = 0;
    canvas.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("dblclick", () => this.show(0, this.end));
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.ask()).observe(canvas.parentElement);
    this.draw();
  }

  ask() {
    this.asked ||= requestAnimationFrame(() => { this.asked = 0; this.draw(); });
  }

  show(from, span) {
    this.span = Math.min(this.end, Math.max(10, span));
    this.from = Math.min(this.end - this.span, Math.max(0, from));
    this.ask();
  }

  zoom(event) {
    if (event.shiftKey) return;
    event.preventDefault();
    const part = event.offsetX / this.canvas.clientWidth;
    const span = this.span * 1.0015 ** event.deltaY;
    this.show(this.from + part * (this.span - Math.min(this.end, span)), span);
  }

  grab(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.held = { x: event.offsetX, from: this.from };
  }

  move(event) {
    if (event.buttons && this.held) {
      this.show(this.held.from - (event.offsetX - this.held.x) / this.canvas.clientWidth * this.span, this.span);
      return;
    }
    const block = Math.floor((event.offsetY - AXIS) / this.height);
    const row = this.rows[block];
    const at = this.from + event.offsetX / this.canvas.clientWidth * this.span;
    const next = row ? this.first(row, at) : 0;
    const hit = next > 0 && at <= row[next - FIELDS] + row[next - FIELDS + 1];
    const early = row && !hit && next < row.length && at >= row[next] - row[next + 5] && at <= row[next] - row[next + 5] + row[next + 6];
    const found = hit ? next - FIELDS : next;
    const [start, duration, operator, task] = hit || early ? row.slice(found, found + 4) : [];
    said.textContent = hit
      ? `block ${block}: ${data.operators[operator]}, task ${task}, ${time(start)} + ${time(duration)}`
      : early ? `block ${block}: ${data.operators[operator]}, task ${task}, before its waits are over`
      : row ? `block ${block} waits, or is done, at ${time(Math.max(0, at))}` : "\u00a0";
  }

  key(event) {
    const moved = { ArrowLeft: -0.2, ArrowRight: 0.2 }[event.key];
    const zoomed = { "+": 0.7, "-": 1.4 }[event.key];
    if (moved) this.show(this.from + moved * this.span, this.span);
    if (zoomed) this.show(this.from + (1 - zoomed) / 2 * this.span, this.span * zoomed);
  }

  // Place of the first task of a row that starts behind a time.
  first(row, at) {
    let low = 0, high = row.length / FIELDS;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row[FIELDS * middle] <= at) low = middle + 1; else high = middle;
    }
    return FIELDS * low;
  }

  draw() {
    const style = getComputedStyle(document.documentElement), ratio = devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = AXIS + this.rows.length * this.height;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const scale = width / this.span, thick = Math.max(2, this.height - 1);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const tick = step(this.span);
    for (let at = Math.ceil(this.from / tick) * tick; at <= this.from + this.span; at += tick) {
      const x = (at - this.from) * scale;
      context.fillStyle = style.getPropertyValue("--line");
      context.fillRect(x, AXIS - 4, 1, height);
      context.fillStyle = style.getPropertyValue("--soft");
      context.fillText(time(at), x + 3, AXIS / 2);
    }
    let drawn = 0;
    const edges = [];
    this.rows.forEach((row, block) => {
      const y = AXIS + block * this.height;
      let seen = -1;
      for (let at = Math.max(0, this.first(row, this.from) - FIELDS); at < row.length; at += FIELDS) {
        const x = (row[at] - this.from) * scale, end = x + row[at + 1] * scale;
        if (x - row[at + 5] * scale > width) break;
        if (end < 0) continue;
        if (row[at + 4]) edges.push([x, y, Math.max(1, end - x)]);
        if (end - seen < 0.5) continue;
        context.fillStyle = colours[row[at + 2]];
        if (row[at + 6] * scale > 0.5) {
          context.globalAlpha = 0.4;
          context.fillRect(x - row[at + 5] * scale, y, row[at + 6] * scale, thick);
          context.globalAlpha = 1;
        }
        context.fillRect(x, y, Math.max(0.5, end - x - (end - x > 4 ? 0.5 : 0)), thick);
        seen = end;
        drawn += 1;
      }
    });
    context.strokeStyle = style.getPropertyValue("--fg");
    for (const [x, y, wide] of edges) context.strokeRect(x, y, wide, thick);
    this.canvas.dataset.drawn = drawn;
  }
}

document.querySelectorAll("canvas[data-run]").forEach((canvas) => new Timeline(canvas));
document.documentElement.dataset.painted = performance.now().toFixed(0);
