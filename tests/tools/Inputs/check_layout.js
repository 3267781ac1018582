// check_layout.js HTML_LAYOUT.JS
"use strict";
const fs = require("fs");
const drawLayers = new Function(fs.readFileSync(process.argv[2], "utf8") + "; return drawLayers;")();

function fail(what, graph) {
  console.log(what + ": " + JSON.stringify(graph));
  process.exit(1);
}

// Park and Miller's generator: the same graphs in every run.
let seed = 1;
const random = n => (seed = seed * 48271 % 2147483647) % n;

function randomGraph(n, wanted, cyclic, labels) {
  const items = [], edges = new Map();
  for (let i = 0; i < n; i++) items.push({ id: "s" + i, w: 20 + random(150), h: 10 + random(200) });
  for (let i = 0; i < wanted && n > 1; i++) {
    const a = random(n), b = random(n), [from, to] = cyclic || a < b ? [a, b] : [b, a];
    if (a !== b) edges.set(from + ">" + to, { from: "s" + from, to: "s" + to, label: labels ? 10 + random(60) : 0, loose: random(4) === 0 });
  }
  return { items, edges: [...edges.values()] };
}

const boxOf = (item, drawn) => {
  const { x, y } = drawn.at.get(item.id);
  return { id: item.id, left: x - item.w / 2, right: x + item.w / 2, top: y - item.h / 2, bottom: y + item.h / 2 };
};

function checkBoxes(boxes, drawn, graph) {
  for (const a of boxes) {
    if (![a.left, a.right, a.top, a.bottom].every(Number.isFinite)) fail("no place", graph);
    if (a.left < -0.01 || a.top < -0.01 || a.right > drawn.w + 0.01 || a.bottom > drawn.h + 0.01) fail("outside", graph);
    for (const b of boxes)
      if (a !== b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) fail("overlap", graph);
  }
}

const close = (a, b) => Math.abs(a - b) < 0.01;

function checkRoute(edge, points, boxes, cyclic, graph) {
  const from = boxes.find(box => box.id === edge.from), to = boxes.find(box => box.id === edge.to);
  const first = points[0], last = points[points.length - 1], down = last.y > first.y;
  const [begin, end] = down ? [from.bottom, to.top] : [from.top, to.bottom];
  if (!down && !cyclic) fail("upwards", graph);
  if (!close(first.y, begin) || !close(last.y, end)) fail("ends", graph);
  if (!close(first.x, (from.left + from.right) / 2) || !close(last.x, (to.left + to.right) / 2)) fail("middle", graph);
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1], b = points[i];
    if (down ? b.y < a.y - 0.01 : b.y > a.y + 0.01) fail("turns back", graph);
    for (const box of boxes)
      if (a.x === b.x && a.x > box.left && a.x < box.right && Math.min(a.y, b.y) < box.bottom - 0.01 && Math.max(a.y, b.y) > box.top + 0.01)
        fail("through a box", graph);
  }
  if (Boolean(edge.label) !== Boolean(points.label)) fail("label", graph);
}

function check(graph, cyclic) {
  const drawn = drawLayers(graph.items, graph.edges), boxes = graph.items.map(item => boxOf(item, drawn));
  if (drawn.routes.length !== graph.edges.length) fail("routes", graph);
  checkBoxes(boxes, drawn, graph);
  graph.edges.forEach((edge, i) => checkRoute(edge, drawn.routes[i], boxes, cyclic, graph));
  const again = drawLayers(graph.items, graph.edges);
  if (JSON.stringify([...again.at]) !== JSON.stringify([...drawn.at])) fail("differs the second time", graph);
}

let graphs = 0;
for (let i = 0; i < 400; i++, graphs++) {
  const n = random(25), cyclic = i % 5 === 4;
  check(randomGraph(n, random(3 * n + 1), cyclic, i % 2 === 1), cyclic);
}
console.log(graphs + " graphs drawn");

// Two chains side by side with the second written backwards: an order without crossings exists.
const ladder = { items: [], edges: [] };
for (let i = 0; i < 8; i++)
  for (const side of i % 2 ? ["a", "b"] : ["b", "a"]) {
    ladder.items.push({ id: side + i, w: 40, h: 20 });
    if (i) ladder.edges.push({ from: side + (i - 1), to: side + i, label: 0 });
  }
const drawn = drawLayers(ladder.items, ladder.edges);
let crossings = 0;
for (let i = 1; i < 8; i++) {
  const x = id => drawn.at.get(id).x;
  crossings += (x("a" + (i - 1)) < x("b" + (i - 1))) !== (x("a" + i) < x("b" + i)) ? 1 : 0;
}
console.log("crossings of a ladder: " + crossings);

const long = randomGraph(300, 700, false, false), begin = process.cpuUsage().user;
drawLayers(long.items, long.edges);
const seconds = (process.cpuUsage().user - begin) / 1e6;
console.log("300 stages: " + (seconds < 10 ? "fast enough" : seconds + " s"));
