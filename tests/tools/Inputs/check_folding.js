// check_folding.js HTML_LAYOUT.JS HTML_VIEW.JS PAGE: the places of a page's boxes and ways, with many choices of folded groups.
// Of the view only what stands before its drawing is run, on a document that has the page's sections, articles and reads.
"use strict";
const fs = require("fs");
const [layout, view, page] = process.argv.slice(2).map(name => fs.readFileSync(name, "utf8"));

function datasetOf(tag) {
  const dataset = {};
  for (const [, name, value] of tag.matchAll(/data-([a-z]+)="([^"]*)"/g)) dataset[name] = value;
  return dataset;
}
const idOf = tag => (tag.match(/ id="([^"]*)"/) || [])[1];
const sections = [...page.matchAll(/<section class="group"[^>]*>/g)].map(([tag]) => ({ id: idOf(tag), dataset: datasetOf(tag) }));
const articles = [...page.matchAll(/(<article[^>]*>)([^]*?)<\/article>/g)].map(([, tag, inside]) => ({
  id: idOf(tag), dataset: datasetOf(tag),
  querySelectorAll: () => [...inside.matchAll(/<li data-from[^>]*>/g)].map(([li]) => ({ dataset: datasetOf(li) }))
}));
const fake = {
  getElementById: () => ({}),
  querySelectorAll: what => what === "article" ? articles : sections,
  createElement: () => ({ getContext: () => ({ measureText: text => ({ width: 7 * text.length }) }) })
};
const { layOut, stages, groups, folded, reads, seenAs, unitOf } = new Function("document",
  layout + view.slice(0, view.indexOf("// --- drawing ---")) + "; return { layOut, stages, groups, folded, reads, seenAs, unitOf };")(fake);

function fail(what, detail) {
  console.log(what + ": " + JSON.stringify(detail) + " with " + [...folded].join(" ") + " folded");
  process.exit(1);
}
const close = (a, b) => Math.abs(a - b) < 0.01;
const apart = (a, b) => a.x + a.w <= b.x + 0.01 || b.x + b.w <= a.x + 0.01 || a.y + a.h <= b.y + 0.01 || b.y + b.h <= a.y + 0.01;
const within = (a, b) => a.x >= b.x - 0.01 && a.y >= b.y - 0.01 && a.x + a.w <= b.x + b.w + 0.01 && a.y + a.h <= b.y + b.h + 0.01;

function check() {
  const { boxes, ways } = layOut();
  const units = [...new Set([...stages.keys()].map(unitOf))];
  for (const a of units) for (const b of units) if (a < b && !apart(boxes.get(a), boxes.get(b))) fail("overlap", [a, b]);
  for (const stage of stages.values()) {
    const hidden = stage.group && folded.has(stage.group.id);
    if (boxes.has(stage.id) === Boolean(hidden)) fail("seen", stage.id);
    if (stage.group && !hidden && !within(boxes.get(stage.id), boxes.get(stage.group.id))) fail("outside its group", stage.id);
  }
  let carried = 0;
  for (const way of ways.values()) {
    const from = boxes.get(way.from), to = boxes.get(way.to), first = way.points[0], last = way.points[way.points.length - 1];
    carried += way.reads.length;
    if (!close(first.x, from.x + from.w / 2) || !close(first.y, from.y + from.h)) fail("begins elsewhere", [way.from, way.to]);
    if (!close(last.x, to.x + to.w / 2) || !close(last.y, to.y)) fail("ends elsewhere", [way.from, way.to]);
    for (let i = 1; i < way.points.length; i++) if (way.points[i].y < way.points[i - 1].y - 0.01) fail("turns back", [way.from, way.to]);
  }
  if (carried !== reads.filter(read => seenAs(read.from) !== seenAs(read.to)).length) fail("reads are lost", carried);
}

check();
for (let step = 1, seed = 1; step < 25; step++) {
  folded.clear();
  for (const id of groups.keys()) if ((seed = seed * 48271 % 2147483647) % 3 === 0 || step === 1) folded.add(id);
  check();
}
console.log(`${stages.size} stages, ${groups.size} groups: 25 foldings`);
