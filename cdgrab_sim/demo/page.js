"use strict";
// Draws what the library computed; decides nothing. Position: epoch t, and k = 1..n steps of it on show.
const data = JSON.parse(document.getElementById("data").textContent);
const { m, n, epochs, strands } = data;
const $ = (id) => document.getElementById(id);
const STEPS_PER_SECOND = [2, 4, 8, 16, 32, 64, 128];
let t = data.opening, k = n, timer = null;

function make(parent, tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent.append(node);
  return node;
}

function largest(points) {
  return Math.max(...points.flat().map(Math.abs));
}

const farthest = 1.06 * Math.max(...strands.flatMap((strand) => strand.walks.map(largest)));
const longest = 1.06 * largest(data.z);
const worst = 1.08 * Math.max(...strands.flatMap((strand) => strand.errors));
const across = (epoch) => 22 + (170 * epoch) / Math.max(1, epochs - 1);
const up = (error) => 130 - (122 * error) / worst;
const path = (points, scale) => points.map(([x, y]) => `${(x * scale).toFixed(2)},${(-y * scale).toFixed(2)}`).join(" ");

const dashes = (strand) => strand.dashes.split(" ").map((a) => 2 * a || "").join(" ");

function cross(svg) {
  make(svg, "line", { class: "axis", x1: -100, x2: 100, y1: 0, y2: 0 });
  make(svg, "line", { class: "axis", y1: -100, y2: 100, x1: 0, x2: 0 });
}

// Vectors
cross($("vectors"));
$("vectors").setAttribute("aria-label", `The ${m * n} vectors as lines from the origin.`);
const vectors = data.z.map(([x, y], j) =>
  make($("vectors"), "line", {
    class: "vector", x1: 0, y1: 0, x2: (100 * x) / longest, y2: (-100 * y) / longest, style: `--hue:${data.hues[j]}`,
  }));

// Herding errors
const chart = $("errors");
const power = 10 ** Math.floor(Math.log10(worst / 2)), tickStep = power * [5, 2, 1].find((a) => a * power <= worst / 2);
for (let error = 0; error <= worst; error += tickStep) {
  make(chart, "line", { class: "axis", x1: 22, x2: 196, y1: up(error), y2: up(error) });
  make(chart, "text", { class: "tick", x: 19, y: up(error) + 3, "text-anchor": "end" }).textContent = Number(error.toFixed(6));
}
for (const epoch of [0, epochs - 1]) {
  make(chart, "text", { class: "tick", x: across(epoch), y: 145, "text-anchor": "middle" }).textContent = epoch;
}
const markers = [chart, $("losses")].map((svg) => make(svg, "line", { class: "now", y1: 6, y2: 132 }));

// Losses, on a logarithmic axis
const logs = strands.flatMap((strand) => strand.losses.map(Math.log10)).filter(Number.isFinite);
const lowest = Math.floor(Math.min(...logs)), highest = Math.ceil(Math.max(...logs));
const raised = (power) => String(power).replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻");
const down = (loss) => 130 - (122 * (Math.log10(loss) - lowest)) / Math.max(1, highest - lowest);
for (let power = lowest; power <= highest; power += Math.max(1, Math.ceil((highest - lowest) / 4))) {
  make($("losses"), "line", { class: "axis", x1: 22, x2: 196, y1: down(10 ** power), y2: down(10 ** power) });
  make($("losses"), "text", { class: "tick", x: 20, y: down(10 ** power) + 3, "text-anchor": "end" }).textContent = `10${raised(power)}`;
}
for (const epoch of [0, epochs - 1]) {
  make($("losses"), "text", { class: "tick", x: across(epoch), y: 145, "text-anchor": "middle" }).textContent = epoch;
}

for (const strand of strands) {
  make(chart, "polyline", {
    class: "curve", style: `--color:${strand.color}`, "stroke-dasharray": dashes(strand),
    points: strand.errors.map((error, epoch) => `${across(epoch)},${up(error)}`).join(" "),
  });
  strand.dot = make(chart, "circle", { class: "dot", r: 3.5, style: `--color:${strand.color}` });
  make($("losses"), "polyline", {
    class: "curve", style: `--color:${strand.color}`, "stroke-dasharray": dashes(strand),
    points: strand.losses.map((loss, epoch) => `${across(epoch)},${down(loss)}`).join(" "),
  });
  strand.spot = make($("losses"), "circle", { class: "dot", r: 3.5, style: `--color:${strand.color}` });
  card(strand);
}

function card(strand) {
  const figure = document.createElement("figure");
  figure.className = "strand";
  figure.id = `strand-${strand.name}`;
  figure.style.setProperty("--color", strand.color);
  figure.innerHTML = '<figcaption><h2></h2><span class="value"></span><span class="about"></span></figcaption>';
  figure.querySelector("h2").textContent = strand.title;
  figure.querySelector(".about").textContent = strand.about;
  strand.value = figure.querySelector(".value");
  const swatch = make(figure.querySelector("figcaption"), "svg", { class: "swatch", viewBox: "0 0 32 8", "aria-hidden": "true" });
  make(swatch, "line", { class: "curve", x1: 0, x2: 32, y1: 4, y2: 4, "stroke-dasharray": dashes(strand) });
  strand.value.before(swatch);
  $("strands").append(figure);

  strand.walk = make(figure, "svg", { class: "walk", viewBox: "-100 -100 200 200", role: "img" });
  cross(strand.walk);
  strand.square = make(strand.walk, "rect", { class: "square" });
  strand.rest = make(strand.walk, "polyline", { class: "rest" });
  strand.trail = make(strand.walk, "polyline", { class: "trail" });
  make(strand.walk, "circle", { class: "origin", r: 2.5 });
  strand.head = make(strand.walk, "circle", { class: "head", r: 4 });

  const side = 200 / n;
  strand.strip = make(figure, "svg", { class: "strip", viewBox: `0 0 200 ${m * 8}`, role: "img", preserveAspectRatio: "none" });
  strand.cells = Array.from({ length: m * n }, (_, c) =>
    make(strand.strip, "rect", { class: "cell", x: (c % n) * side, y: Math.floor(c / n) * 8, width: side, height: 7 }));
  strand.cursor = make(strand.strip, "rect", { class: "cursor", y: 0, width: side, height: m * 8 - 1 });
}

function draw() {
  const moving = timer !== null;
  const lit = new Set();
  for (const strand of strands) {
    const points = strand.walks[t];
    const scale = 100 / ($("zoom").checked ? 1.06 * largest(points) || 1 : farthest);
    const half = strand.errors[t] * scale;
    strand.trail.setAttribute("points", path(points.slice(0, k + 1), scale));
    strand.rest.setAttribute("points", path(points.slice(k), scale));
    strand.head.setAttribute("cx", points[k][0] * scale);
    strand.head.setAttribute("cy", -points[k][1] * scale);
    for (const [name, value] of [["x", -half], ["y", -half], ["width", 2 * half], ["height", 2 * half]]) strand.square.setAttribute(name, value);
    strand.cursor.setAttribute("x", ((k - 1) * 200) / n);
    strand.value.textContent = strand.texts[t];
    strand.dot.setAttribute("cx", across(t));
    strand.dot.setAttribute("cy", up(strand.errors[t]));
    strand.spot.setAttribute("cx", across(t));
    strand.spot.setAttribute("cy", down(strand.losses[t]));
    if (strand.shown !== t) recolour(strand);
    for (let i = 0; i < m; i++) if (k < n) lit.add(i * n + strand.orders[t][i * n + k - 1]);
  }
  vectors.forEach((line, j) => line.classList.toggle("on", lit.has(j)));
  for (const marker of markers) for (const end of ["x1", "x2"]) marker.setAttribute(end, across(t));
  const losses = strands.map((strand) => `${strand.title} ${strand.losses[t].toExponential(1)}`).join(", ");
  $("losses").setAttribute("aria-label", `Losses over ${epochs} epochs. At the start of epoch ${t}: ${losses}.`);
  chart.setAttribute("aria-label", `Herding errors over ${epochs} epochs. ${data.sentences[t]}`);
  $("when").value = t;
  $("now").textContent = `${t}, step ${k} of ${n}`;
  $("when").setAttribute("aria-valuetext", `epoch ${t}, step ${k} of ${n}`);
  // A running film must not be read out frame by frame; the last sentence is, when it stops.
  $("summary").setAttribute("aria-live", moving ? "off" : "polite");
  if ($("summary").textContent !== data.sentences[t]) $("summary").textContent = data.sentences[t];
}

function recolour(strand) {
  strand.shown = t;
  strand.cells.forEach((cell, c) => {
    const j = strand.orders[t][c] + n * Math.floor(c / n);
    cell.style.setProperty("--hue", data.hues[j]);
  });
  strand.walk.setAttribute("aria-label", `${strand.title}: walk of the prefix sums in epoch ${t}, herding error ${strand.texts[t]}.`);
  strand.strip.setAttribute("aria-label", `${strand.title}: orders of ${m} workers in epoch ${t}, coloured by direction.`);
}

function go(epoch, step) {
  t = Math.min(epochs - 1, Math.max(0, epoch));
  k = epoch >= epochs ? n : epoch < 0 ? 1 : step;
  draw();
}
const forward = () => (k < n ? go(t, k + 1) : go(t + 1, 1));
const back = () => (k > 1 ? go(t, k - 1) : go(t - 1, n));
const atEnd = () => t === epochs - 1 && k === n;

function pause() {
  clearTimeout(timer);
  timer = null;
  $("play").textContent = "Play";
  draw();
}
function tick() {
  if (atEnd()) return pause();
  timer = setTimeout(tick, 1000 / STEPS_PER_SECOND[$("speed").value]);
  forward();
}
function play() {
  if (timer !== null) return pause();
  if (atEnd()) go(0, 1);
  $("play").textContent = "Pause";
  tick();
}

function say() {
  $("speed").setAttribute("aria-valuetext", `${STEPS_PER_SECOND[$("speed").value]} steps per second`);
}

const stopped = (act) => () => { if (timer !== null) pause(); act(); };
const actions = {
  " ": play,
  ArrowRight: stopped(forward),
  ArrowLeft: stopped(back),
  PageDown: stopped(() => go(t + 1, n)),
  PageUp: stopped(() => go(Math.max(0, t - 1), n)),
  Home: stopped(() => go(0, n)),
  End: stopped(() => go(epochs - 1, n)),
};
$("play").onclick = play;
$("step").onclick = actions.ArrowRight;
$("step-back").onclick = actions.ArrowLeft;
$("epoch").onclick = actions.PageDown;
$("epoch-back").onclick = actions.PageUp;
$("when").max = epochs - 1;
$("when").oninput = stopped(() => go(Number($("when").value), n));
$("speed").oninput = say;
$("zoom").onchange = draw;
document.addEventListener("keydown", (event) => {
  const own = event.target.closest("button, summary, input");
  if (own && (event.key === " " || own.tagName === "INPUT")) return; // these have a meaning of their own there
  if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
});
say();
draw();
