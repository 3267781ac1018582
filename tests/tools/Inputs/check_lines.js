// check_lines.js HTML_VIEW.JS PAGE: the lines of C that the page marks for a stage, for several, and for none.
"use strict";
const fs = require("fs");
const [view, page] = process.argv.slice(2).map(name => fs.readFileSync(name, "utf8"));
const part = view.slice(view.indexOf("// --- lines of C ---"), view.indexOf("// --- the program on the page ---"));
const { classesOfLines, firstLine } = new Function(part + "; return { classesOfLines, firstLine };")();

const code = page.match(/<div id="code">[^]*?<pre>([^]*?)<\/pre>/)[1].replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
const texts = code.split("\n");
const names = [...page.matchAll(/<article [^>]*data-name="([^"]*)"/g)].map(([, name]) => name);
const depth = text => text.search(/\S/);

function fail(what, detail) {
  console.log(what + ": " + JSON.stringify(detail));
  process.exit(1);
}

function check(chosen) {
  const classes = classesOfLines(texts, chosen), words = texts.map(text => new Set(text.replace(/\/\*[^]*?\*\//g, " ").match(/\w+/g)));
  texts.forEach((text, i) => {
    const named = chosen.some(name => words[i].has(name));
    if (named !== (classes[i] === "now")) fail("a line that names it", [chosen, text]);
    if (classes[i] !== "around") return;
    let k = i + 1;
    while (k < texts.length && (depth(texts[k]) < 0 || depth(texts[k]) > depth(text)) && classes[k] !== "now") k++;
    if (classes[k] !== "now" || depth(texts[k]) <= depth(text)) fail("nothing in it", [chosen, text]);
  });
  const first = firstLine(texts, classes, chosen);
  if (chosen.length && classes[first] !== "now") fail("no first line", chosen);
  return classes.filter(name => name === "around").length;
}

let loops = 0;
for (const name of names) loops += check([name]);
if (!loops) fail("no loops", names);
if (check(names) < check([names[0]])) fail("fewer loops for more stages", names);
if (check([]) !== 0 || firstLine(texts, classesOfLines(texts, []), []) !== -1) fail("something for nothing", []);
console.log(`${names.length} stages: lines of C`);
