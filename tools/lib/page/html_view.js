// The graph of a pipeline: boxes made from the page's articles (stages) and sections (groups), which stand beside it.
const ns = "http://www.w3.org/2000/svg";
const view = document.getElementById("view");
const stages = new Map(), groups = new Map();
const folded = new Set();
let svg, drawing = { w: 1, h: 1 }, camera = { x: 0, y: 0, zoom: 1 }, chosen = { id: "", stages: new Set() };

// --- what the page says ---

for (const section of document.querySelectorAll("section.group"))
  groups.set(section.id, { id: section.id, title: section.dataset.title, section, stages: [] });
for (const article of document.querySelectorAll("article")) {
  const stage = {
    id: article.id, article, name: article.dataset.name, kind: article.dataset.kind, note: article.dataset.note,
    group: groups.get(article.dataset.group) || null, reads: [], self: false
  };
  for (const li of article.querySelectorAll("li[data-from]"))
    if (li.dataset.from === stage.id) stage.self = true;
    else stage.reads.push({ from: li.dataset.from, to: stage.id, label: li.dataset.label, computed: "computed" in li.dataset });
  if (stage.group) stage.group.stages.push(stage);
  stages.set(stage.id, stage);
}
const reads = [...stages.values()].flatMap(stage => stage.reads);
const mostLabels = 40;

// --- boxes ---

const pen = document.createElement("canvas").getContext("2d");
function widthOf(text, size, weight = "normal") {
  pen.font = `${weight} ${size}px ui-monospace, "DejaVu Sans Mono", monospace`;
  return pen.measureText(text).width;
}

const nameOf = stage => stage.self ? stage.name + " ↻" : stage.name;
const shortNote = stage => stage.note.length > 30 ? stage.note.slice(0, 29) + "…" : stage.note;
const stageItem = stage => ({
  id: stage.id, w: 16 + Math.max(widthOf(nameOf(stage), 12, "bold"), widthOf(shortNote(stage), 10)), h: 36
});
const foldedItem = group => ({ id: group.id, w: 24 + Math.max(130, widthOf(group.title, 11)), h: 40 });

// The unit of a stage in the outer drawing: its group, or itself.
const unitOf = id => { const stage = stages.get(id); return stage && stage.group ? stage.group.id : id; };
const isFolded = id => groups.has(unitOf(id)) && folded.has(unitOf(id));
// What of a stage is seen: itself, or its folded group.
const seenAs = id => isFolded(id) ? unitOf(id) : id;

const labelWidth = (read, on) => on ? widthOf(read.label, 9.5) + 6 : 0;

// A group's stages with two more items, where reads come in and go out; a single stage needs no such.
function drawGroup(group, labels) {
  const single = group.stages.length === 1, inside = id => stages.get(id).group === group;
  const items = group.stages.map(stageItem), edges = [], lanes = new Map();
  const way = (from, to, label, loose) => {
    const key = from + ">" + to;
    if (!lanes.has(key)) lanes.set(key, edges.push({ from, to, label, loose }) - 1);
  };
  for (const read of reads) {
    if (inside(read.from) && inside(read.to)) way(read.from, read.to, labelWidth(read, labels), false);
    else if (single) continue;
    else if (inside(read.to)) way("in", read.to, 0, true);
    else if (inside(read.from)) way(read.from, "out", 0, true);
  }
  for (const port of ["in", "out"])
    if (edges.some(edge => edge.from === port || edge.to === port)) items.push({ id: port, w: 1, h: 0 });
  const drawn = drawLayers(items, edges);
  const width = Math.max(drawn.w, widthOf(group.title, 11)) + 24;
  return { drawn, lanes, dx: (width - drawn.w) / 2, dy: 26, w: width, h: drawn.h + 38 };
}

function outerEdges(labels) {
  const edges = new Map();
  for (const read of reads) {
    const from = unitOf(read.from), to = unitOf(read.to), key = from + ">" + to;
    if (from === to) continue;
    const single = from === read.from && to === read.to;
    if (!edges.has(key)) edges.set(key, { from, to, label: single ? labelWidth(read, labels) : 0 });
  }
  return edges;
}

const shifted = (points, dx, dy) => points.map(p => ({ x: p.x + dx, y: p.y + dy }));

// Places of all that is seen, and a way for every read between two of them.
function layOut() {
  const seen = new Set(reads.map(read => seenAs(read.from) + ">" + seenAs(read.to)));
  const labels = seen.size <= mostLabels;
  const units = [], inner = new Map();
  for (const stage of stages.values()) if (!stage.group) units.push(stageItem(stage));
  for (const group of groups.values()) {
    if (!folded.has(group.id)) inner.set(group.id, drawGroup(group, labels));
    const box = inner.get(group.id) || foldedItem(group);
    units.push({ id: group.id, w: box.w, h: box.h });
  }
  const edges = outerEdges(labels), keys = [...edges.keys()];
  const outer = drawLayers(units, [...edges.values()]);
  const routes = new Map(keys.map((key, i) => [key, outer.routes[i]]));
  const boxes = new Map();
  for (const unit of units) {
    const { x, y } = outer.at.get(unit.id);
    boxes.set(unit.id, { x: x - unit.w / 2, y: y - unit.h / 2, w: unit.w, h: unit.h });
  }
  for (const [id, box] of inner) placeInside(boxes, boxes.get(id), groups.get(id), box);
  return { w: outer.w, h: outer.h, boxes, labels, ways: findWays(boxes, inner, routes, labels) };
}

function placeInside(boxes, frame, group, box) {
  for (const item of group.stages.map(stageItem)) {
    const { x, y } = box.drawn.at.get(item.id);
    boxes.set(item.id, { x: frame.x + box.dx + x - item.w / 2, y: frame.y + box.dy + y - item.h / 2, w: item.w, h: item.h });
  }
}

const edgeOf = (box, upper) => ({ x: box.x + box.w / 2, y: upper ? box.y : box.y + box.h });

// Reads that look the same (of a folded group) are one way.
function findWays(boxes, inner, routes, labels) {
  const ways = new Map();
  const lane = (unit, from, to) => {
    const box = inner.get(unit), frame = boxes.get(unit), route = box.drawn.routes[box.lanes.get(from + ">" + to)];
    if (!route) return [edgeOf(boxes.get(from === "in" ? to : from), from === "in")];
    const points = shifted(route, frame.x + box.dx, frame.y + box.dy);
    if (route.label) points.label = shifted([route.label], frame.x + box.dx, frame.y + box.dy)[0];
    return points;
  };
  for (const read of reads) {
    const a = unitOf(read.from), b = unitOf(read.to), key = seenAs(read.from) + ">" + seenAs(read.to);
    if (seenAs(read.from) === seenAs(read.to)) continue;
    if (ways.has(key)) { ways.get(key).reads.push(read); continue; }
    let points;
    if (a === b) points = lane(a, read.from, read.to);
    else {
      const middle = routes.get(a + ">" + b);
      points = [...(inner.has(a) ? lane(a, read.from, "out") : []), ...middle, ...(inner.has(b) ? lane(b, "in", read.to) : [])];
      points.label = middle.label;
    }
    ways.set(key, { from: seenAs(read.from), to: seenAs(read.to), points, reads: [read], label: labels ? points.label : null });
  }
  return ways;
}

// --- drawing ---

function add(parent, tag, attributes, text) {
  const element = document.createElementNS(ns, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// Vertical at each point, so that a way enters and leaves boxes from above and below and passes between others.
function pathOf(points) {
  const number = value => value.toFixed(1);
  let d = `M${number(points[0].x)},${number(points[0].y)}`;
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1], b = points[i], middle = number((a.y + b.y) / 2);
    d += a.x === b.x ? `L${number(b.x)},${number(b.y)}` : `C${number(a.x)},${middle} ${number(b.x)},${middle} ${number(b.x)},${number(b.y)}`;
  }
  return d;
}

function drawWay(layer, way) {
  const names = way.reads.map(r => `${stages.get(r.to).name} reads ${stages.get(r.from).name} at ${r.label}`);
  const path = add(layer, "path", { class: "edge" + (way.reads.every(r => r.computed) ? " computed" : ""), d: pathOf(way.points) });
  if (way.reads.length > 1) path.style.strokeWidth = Math.min(4, 1.1 + way.reads.length / 4);
  add(path, "title", {}, names.join("\n"));
  way.path = path;
}

function drawStage(layer, stage, box) {
  const g = add(layer, "g", { class: "node " + stage.kind, transform: `translate(${box.x},${box.y})` });
  add(g, "rect", { width: box.w, height: box.h, rx: 5 });
  add(g, "text", { class: "name", x: box.w / 2, y: 15, "text-anchor": "middle" }, nameOf(stage));
  add(g, "text", { class: "note", x: box.w / 2, y: 29, "text-anchor": "middle" }, shortNote(stage));
  add(g, "title", {}, `${stage.name}: ${stage.note}`);
  g.dataset.id = stage.id;
  canFocus(g, `${stage.kind} ${stage.name}`);
  stage.element = g;
}

function canFocus(element, label) {
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", label);
}

function drawFrame(layer, group, box) {
  const g = add(layer, "g", { class: folded.has(group.id) ? "box folded" : "box", transform: `translate(${box.x},${box.y})` });
  add(g, "rect", { width: box.w, height: box.h, rx: 8 });
  group.element = g;
}

// The sign folds, the title chooses.
function drawTitle(layer, group, box) {
  const closed = folded.has(group.id), n = group.stages.length;
  const g = add(layer, "g", { class: "title", transform: `translate(${box.x},${box.y})` });
  const title = add(g, "g", { class: "title" }), sign = add(g, "g", { class: "sign" });
  add(title, "rect", { x: 18, width: box.w - 18, height: closed ? box.h : 20 });
  add(title, "text", { class: "title", x: 20, y: 14 }, group.title);
  if (closed) add(title, "text", { class: "note", x: 20, y: 30 }, n === 1 ? group.stages[0].name : `${n} stages, to ${group.stages[n - 1].name}`);
  add(sign, "rect", { width: 20, height: closed ? box.h : 20 });
  add(sign, "text", { class: "title", x: 7, y: 14 }, closed ? "▸" : "▾");
  title.dataset.id = group.id;
  sign.dataset.fold = group.id;
  canFocus(title, group.title);
  canFocus(sign, (closed ? "unfold " : "fold ") + group.title);
}

function draw() {
  drawing = layOut();
  view.replaceChildren();
  svg = add(view, "svg", {});
  const tip = add(add(svg, "defs", {}), "marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" });
  add(tip, "path", { d: "M0,0.5L8,4L0,7.5z" });
  for (const stage of stages.values()) stage.element = null;
  const layers = ["frames", "edges", "nodes", "labels"].map(name => add(svg, "g", { class: name }));
  for (const group of groups.values()) drawFrame(layers[0], group, drawing.boxes.get(group.id));
  for (const way of drawing.ways.values()) drawWay(layers[1], way);
  for (const stage of stages.values()) if (!isFolded(stage.id)) drawStage(layers[2], stage, drawing.boxes.get(stage.id));
  for (const group of groups.values()) drawTitle(layers[3], group, drawing.boxes.get(group.id));
  for (const way of drawing.ways.values())
    if (way.label) add(layers[3], "text", { class: "label", x: way.label.x, y: way.label.y + 3 }, way.reads[0].label);
  look();
  mark();
}

// --- looking ---

function look() {
  const w = view.clientWidth / camera.zoom, h = view.clientHeight / camera.zoom;
  svg.setAttribute("viewBox", `${camera.x} ${camera.y} ${w} ${h}`);
}

function fit() {
  const margin = 14, w = drawing.w + 2 * margin, h = drawing.h + 2 * margin;
  camera.zoom = Math.min(1.5, view.clientWidth / w, view.clientHeight / h);
  centre(drawing.w / 2, drawing.h / 2);
}

function centre(x, y) {
  camera.x = x - view.clientWidth / camera.zoom / 2;
  camera.y = y - view.clientHeight / camera.zoom / 2;
  look();
}

// The point of the view (px, py) stays where it is.
function zoomBy(factor, px = view.clientWidth / 2, py = view.clientHeight / 2) {
  const zoom = Math.min(6, Math.max(0.03, camera.zoom * factor));
  camera.x += px / camera.zoom - px / zoom;
  camera.y += py / camera.zoom - py / zoom;
  camera.zoom = zoom;
  look();
}

// As wide as the view where it can be read then; from the top.
function begin() {
  camera.zoom = Math.min(1.3, Math.max(0.6, view.clientWidth / (drawing.w + 28)));
  centre(drawing.w / 2, view.clientHeight / camera.zoom / 2 - 14);
}

// Moves what is out of sight or too small into the middle.
function goTo(id) {
  const box = drawing.boxes.get(seenAs(id)), x = box.x + box.w / 2, y = box.y + box.h / 2;
  const right = camera.x + view.clientWidth / camera.zoom, low = camera.y + view.clientHeight / camera.zoom;
  if (camera.zoom >= 0.6 && x > camera.x && x < right && y > camera.y && y < low) return;
  camera.zoom = Math.max(camera.zoom, 0.9);
  centre(x, y);
}

// --- choosing and finding ---

function show(...elements) {
  for (const element of document.querySelectorAll("aside .shown")) element.classList.remove("shown", "around");
  for (const element of elements) element.classList.add("shown");
  if (elements.length > 1) elements[0].classList.add("around");
  document.querySelector("aside").scrollTop = 0;
}

// What a stage, a group or a loop is about: stages, by id.
function stagesIn(id) {
  if (groups.has(id)) return groups.get(id).stages.map(stage => stage.id);
  const loop = program && program.querySelector("#" + (id || "none"));
  if (loop) return [...loop.querySelectorAll("a")].map(link => link.hash.slice(1)).filter(other => stages.has(other));
  return stages.has(id) ? [id] : [];
}

function choose(id) {
  chosen = { id, stages: new Set(stagesIn(id)) };
  const stage = stages.get(id) || stages.get([...chosen.stages][0]);
  if (stages.has(id) && stage.group) show(stage.group.section, stage.article);
  else if (stages.has(id)) show(stage.article);
  else if (stage && stage.group) show(stage.group.section);
  else show(document.getElementById("pipeline"));
  mark();
  markProgram();
}

const words = () => document.getElementById("search").value.trim().toLowerCase();
const matches = () => words() ? [...stages.values()].filter(stage => stage.name.toLowerCase().includes(words())) : [];

function mark(near = chosen.id) {
  const found = new Set(matches()), seen = new Set(stagesIn(near).map(seenAs));
  for (const stage of stages.values()) {
    if (!stage.element) continue;
    stage.element.classList.toggle("hit", found.has(stage));
    stage.element.classList.toggle("faded", words() !== "" && !found.has(stage));
    stage.element.classList.toggle("chosen", chosen.stages.has(stage.id));
  }
  for (const group of groups.values()) {
    group.element.classList.toggle("hit", folded.has(group.id) && group.stages.some(stage => found.has(stage)));
    group.element.classList.toggle("chosen", group.id === chosen.id || (folded.has(group.id) && group.stages.some(stage => chosen.stages.has(stage.id))));
  }
  for (const way of drawing.ways.values()) {
    const from = seen.has(way.from), to = seen.has(way.to);
    way.path.classList.toggle("into", to && !from);
    way.path.classList.toggle("from", from && !to);
    way.path.classList.toggle("faded", seen.size > 0 && !to && !from);
  }
  document.getElementById("found").textContent = words() ? `${found.size} found` : "";
}

function fold(id) {
  if (!folded.delete(id)) folded.add(id);
  draw();
  view.querySelector(`[data-fold="${id}"]`).focus();
}

function foldAll(all) {
  folded.clear();
  if (all) for (const id of groups.keys()) folded.add(id);
  draw();
  begin();
}

// --- the pointer and the keys ---

const targetOf = event => event.target.closest && event.target.closest("[data-id], [data-fold]");
let drag = null, nextFound = 0;

view.addEventListener("wheel", event => {
  event.preventDefault();
  const at = view.getBoundingClientRect();
  zoomBy(Math.exp(-event.deltaY * 0.0015), event.clientX - at.left, event.clientY - at.top);
}, { passive: false });
view.addEventListener("pointerdown", event => {
  drag = { x: event.clientX, y: event.clientY, moved: false, target: targetOf(event) };
});
window.addEventListener("pointermove", event => {
  if (!drag) return;
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
  Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
  camera.x -= dx / camera.zoom;
  camera.y -= dy / camera.zoom;
  look();
});
window.addEventListener("pointerup", () => {
  const { target, moved } = drag || { moved: true };
  drag = null;
  if (moved) return;
  act(target);
});
view.addEventListener("keydown", event => {
  const target = targetOf(event);
  if (!target) return;
  if (event.key === "Enter" || event.key === " ") act(target);
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") follow(target.dataset.id, event.key === "ArrowDown");
  else return;
  event.preventDefault();
});

function act(target) {
  if (target && target.dataset.fold) fold(target.dataset.fold);
  else location.hash = target ? target.dataset.id : "pipeline";
}

// From a stage to the first that reads it, or to the first that it reads.
function follow(id, down) {
  const read = reads.find(r => (down ? r.from : r.to) === id);
  const next = read && stages.get(down ? read.to : read.from).element;
  if (next) next.focus();
}
view.addEventListener("focusin", event => {
  const target = targetOf(event);
  if (!target || !target.dataset.id || !target.matches(":focus-visible")) return;
  goTo(target.dataset.id);
  mark(target.dataset.id);
});
view.addEventListener("pointerover", event => {
  const target = targetOf(event);
  if (target && target.dataset.id) mark(target.dataset.id);
});
view.addEventListener("pointerout", event => { if (targetOf(event)) mark(); });

function arrive() {
  const id = location.hash.slice(1);
  choose(id);
  if (stages.has(id) || groups.has(id)) goTo(id);
}
window.addEventListener("hashchange", arrive);
window.addEventListener("resize", look);

document.getElementById("search").addEventListener("input", () => { nextFound = 0; mark(); });
document.getElementById("search").addEventListener("keydown", event => {
  const found = matches();
  if (event.key === "Escape") { event.target.value = ""; event.target.blur(); mark(); }
  if (event.key !== "Enter" || !found.length) return;
  location.hash = found[nextFound++ % found.length].id;
});
window.addEventListener("keydown", event => {
  if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = { "/": () => document.getElementById("search").focus(), "+": () => zoomBy(1.25), "-": () => zoomBy(0.8), "0": fit, "c": program ? showProgram : undefined }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
document.getElementById("fold").onclick = () => foldAll(true);
document.getElementById("unfold").onclick = () => foldAll(false);
document.getElementById("in").onclick = () => zoomBy(1.25);
document.getElementById("out").onclick = () => zoomBy(0.8);
document.getElementById("fit").onclick = fit;

// --- lines of C ---

const indentOf = text => text.search(/\S/);

// The heads of the blocks around line number i.
function markAround(texts, classes, i) {
  for (let k = i - 1, indent = indentOf(texts[i]); k >= 0 && indent > 0; k--) {
    if (indentOf(texts[k]) < 0 || indentOf(texts[k]) >= indent) continue;
    indent = indentOf(texts[k]);
    if (!classes[k] && /^\s*(for|if|\} else) /.test(texts[k])) classes[k] = "around";
  }
}

const withoutComments = text => text.replace(/\/\*.*?\*\//g, "");

// Of lines of C, by line: "now" where a name stands, "around" of loops and conditions around these, "" of others.
function classesOfLines(texts, names) {
  const word = new RegExp(`\\b(${names.join("|")})\\b`);
  const classes = texts.map(text => names.length && word.test(withoutComments(text)) ? "now" : "");
  texts.forEach((text, i) => { if (classes[i] === "now") markAround(texts, classes, i); });
  return classes;
}

// The line that stores one of the names first, or the first that has one; -1: there is none.
function firstLine(texts, classes, names) {
  const store = new RegExp(`^\\s*(${names.join("|")})(\\[| = )`);
  const stored = texts.findIndex((text, i) => classes[i] === "now" && store.test(text));
  return stored < 0 ? classes.indexOf("now") : stored;
}

// --- the program on the page ---

const program = document.getElementById("program"), code = document.querySelector("#code pre");
const lines = code ? code.textContent.split("\n").map(text => { const line = document.createElement("span"); line.textContent = text + "\n"; return line; }) : [];
if (code) code.replaceChildren(...lines);
const texts = lines.map(line => line.textContent);

// What of the loops, of the C and of the drawn tiles is about what is chosen.
function markProgram() {
  const names = [...chosen.stages].map(id => stages.get(id).name), classes = classesOfLines(texts, names);
  lines.forEach((line, i) => { line.className = classes[i]; });
  for (const link of document.querySelectorAll("#loops a")) link.classList.toggle("now", link.hash.slice(1) === chosen.id || chosen.stages.has(link.hash.slice(1)));
  for (const part of document.querySelectorAll(".tile a")) part.classList.toggle("now", part.getAttribute("href") === "#" + chosen.id);
  if (!document.body.classList.contains("both")) return;
  for (const first of [lines[firstLine(texts, classes, names)], document.querySelector("#loops .now")])
    if (first) first.scrollIntoView({ block: "center" });
}

// A line of C leads to the stage that it stores, or to the first that it names.
if (code) code.addEventListener("click", event => {
  if (String(getSelection()) || !lines.includes(event.target)) return;
  const found = event.target.textContent.match(/\w+/g) || [];
  const stage = [...stages.values()].find(one => one.name === found.find(name => [...stages.values()].some(other => other.name === name)));
  if (stage) location.hash = stage.id;
});

function showProgram() {
  document.body.classList.toggle("both");
  document.getElementById("both").setAttribute("aria-pressed", document.body.classList.contains("both"));
  markProgram();
  begin();
}
document.getElementById("both").hidden = !program;
document.getElementById("both").onclick = showProgram;

document.body.classList.add("drawn");
document.getElementById("fold").hidden = document.getElementById("unfold").hidden = groups.size === 0;
draw();
begin();
arrive();
