// Layered drawings, after Sugiyama, Tagawa and Toda (1981): ranks by longest paths, few crossings by barycentres,
// and places
// within the ranks by least squares.
//
// drawLayers(items, edges): items are {id, w, h}; edges are {from, to, label, loose} of ids, `label` the width of a text
// in the edge's middle or 0; one that is loose may be long. Returns {w, h, at, routes}: `at` maps an id to its middle {x, y}; routes[i] is the way of edges[i]
// from the lower side of one item to the upper side of the other, [{x, y}, …], with `label` {x, y} where it has one.
// Edges that close a cycle go upwards.
const layerGap = { x: 16, y: 26, lane: 7 };
const layerSweeps = 12;

// Producers before their readers; where a cycle is left, its first cell in the order of the items goes on.
function orderCells(cells, arcs) {
  for (const c of cells) Object.assign(c, { missing: 0, readers: [] });
  for (const a of arcs) {
    a.to.missing++;
    a.from.readers.push(a.to);
  }
  const order = new Set(), waiting = cells.filter(c => c.missing === 0);
  for (let next = 0, oldest = 0; order.size < cells.length;) {
    while (order.has(cells[oldest])) oldest++;
    const cell = next < waiting.length ? waiting[next++] : cells[oldest];
    if (order.has(cell)) continue;
    order.add(cell);
    for (const reader of cell.readers) if (--reader.missing === 0) waiting.push(reader);
  }
  return [...order];
}

// Sets rank of every cell, below all that it reads, and nearer to its readers when they are more than what it reads;
// top and bottom of every arc, which are its ends unless it closes a cycle.
function rankCells(cells, arcs, step) {
  const order = orderCells(cells, arcs);
  order.forEach((cell, i) => Object.assign(cell, { turn: i, rank: 0, above: [], below: [] }));
  for (const a of arcs) {
    a.back = a.from.turn > a.to.turn;
    [a.top, a.bottom] = a.back ? [a.to, a.from] : [a.from, a.to];
    a.top.below.push(a);
    a.bottom.above.push(a);
  }
  for (const cell of order) for (const a of cell.below) a.bottom.rank = Math.max(a.bottom.rank, cell.rank + step);
  const tight = list => list.filter(a => !a.loose).length;
  for (const cell of order.reverse())
    if (tight(cell.below) > tight(cell.above)) cell.rank = Math.min(...cell.below.map(a => a.bottom.rank)) - step;
}

// A cell for each rank that an arc crosses; the chain of cells is arc.way. An arc without a label to the
// next rank of items is direct: it keeps the room of its lane, but is drawn as one curve.
function addLanes(arcs, layers, step) {
  for (const arc of arcs) {
    const { top, bottom } = arc;
    const label = arc.label ? Math.max(top.rank + 1, bottom.rank - 1) : -1;
    const way = [top];
    for (let rank = top.rank + 1; rank < bottom.rank; rank++) {
      const lane = { rank, w: rank === label ? arc.label : 1, h: rank === label ? 12 : 0, lane: true };
      layers[rank].push(lane);
      way.push(lane);
    }
    way.push(bottom);
    arc.label_cell = label < 0 ? null : way[label - top.rank];
    arc.way = way;
    arc.direct = !arc.label && bottom.rank - top.rank <= step;
  }
}

function linkNeighbours(layers, arcs) {
  for (const layer of layers) for (const cell of layer) Object.assign(cell, { up: [], down: [] });
  for (const arc of arcs)
    for (let i = 1; i < arc.way.length; i++) {
      arc.way[i - 1].down.push(arc.way[i]);
      arc.way[i].up.push(arc.way[i - 1]);
    }
}

const meanOf = (cells, value) => cells.reduce((sum, c) => sum + value(c), 0) / cells.length;

function numberCells(layer) {
  layer.forEach((cell, i) => { cell.place = i; });
}

// Crossings between a rank and the next, counted with a Fenwick tree (Barth, Mutzel, Jünger 2004).
function crossingsBelow(layer, next) {
  const tree = new Array(next.length + 1).fill(0);
  let crossings = 0, total = 0;
  for (const cell of layer) {
    const ends = cell.down.map(c => c.place).sort((a, b) => a - b);
    for (const end of ends) {
      let before = 0;
      for (let i = end + 1; i > 0; i -= i & -i) before += tree[i];
      crossings += total - before;
    }
    for (const end of ends) {
      for (let i = end + 1; i < tree.length; i += i & -i) tree[i]++;
      total++;
    }
  }
  return crossings;
}

function countCrossings(layers) {
  let sum = 0;
  for (let r = 0; r + 1 < layers.length; r++) sum += crossingsBelow(layers[r], layers[r + 1]);
  return sum;
}

function sweep(layers, direction, side) {
  const ranks = layers.map((_, r) => r);
  for (const r of direction > 0 ? ranks : ranks.reverse()) {
    for (const cell of layers[r])
      cell.wish = cell[side].length ? meanOf(cell[side], c => c.place) : cell.place;
    layers[r].sort((a, b) => a.wish - b.wish || a.place - b.place);
    numberCells(layers[r]);
  }
}

function orderLayers(layers) {
  layers.forEach(numberCells);
  let best = layers.map(layer => layer.slice()), least = countCrossings(layers);
  for (let i = 0; i < layerSweeps && least > 0; i++) {
    sweep(layers, i % 2 ? -1 : 1, i % 2 ? "down" : "up");
    const crossings = countCrossings(layers);
    if (crossings >= least) continue;
    least = crossings;
    best = layers.map(layer => layer.slice());
  }
  best.forEach((layer, r) => { layers[r] = layer; numberCells(layer); });
}

const gapBetween = (a, b) => (a.w + b.w) / 2 + (a.lane || b.lane ? layerGap.lane : layerGap.x);

// Least squares under the order: the places x nearest to cell.wish, with weights, such that neighbours keep their
// distance. Pool adjacent violators (Ayer et al. 1955).
function placeLayer(layer) {
  const pools = [];
  let offset = 0;
  layer.forEach((cell, i) => {
    if (i) offset += gapBetween(layer[i - 1], cell);
    cell.offset = offset;
    let pool = { sum: cell.weight * (cell.wish - offset), weight: cell.weight, cells: [cell] };
    while (pools.length && pools[pools.length - 1].sum / pools[pools.length - 1].weight >= pool.sum / pool.weight) {
      const before = pools.pop();
      pool = { sum: before.sum + pool.sum, weight: before.weight + pool.weight, cells: before.cells.concat(pool.cells) };
    }
    pools.push(pool);
  });
  for (const pool of pools) for (const cell of pool.cells) cell.x = pool.sum / pool.weight + cell.offset;
}

// First below those above and above those below, in turn, then between both.
function placeCells(layers) {
  for (const layer of layers) {
    let x = 0;
    layer.forEach((cell, i) => { cell.x = x += i ? gapBetween(layer[i - 1], cell) : 0; });
    layer.forEach(cell => { cell.x -= x / 2; });
  }
  for (let i = 0; i < 3 * layerSweeps; i++) {
    const down = i % 2 === 0, both = i >= layerSweeps / 2;
    for (const layer of down ? layers : layers.slice().reverse()) {
      for (const cell of layer) {
        const near = both ? cell.up.concat(cell.down) : down ? cell.up : cell.down;
        cell.wish = near.length ? meanOf(near, c => c.x) : cell.x;
        cell.weight = cell.lane ? 4 : near.length ? 1 + near.length / 4 : 0.05;
      }
      placeLayer(layer);
    }
  }
}

// Sets y of every cell, the middle of its rank, and the rank's upper and lower side; returns the height.
function stackLayers(layers, gap) {
  let y = 0;
  for (const layer of layers) {
    const h = Math.max(0, ...layer.map(cell => cell.h));
    for (const cell of layer) Object.assign(cell, { y: y + h / 2, top: y, bottom: y + h });
    y += h + gap;
  }
  return Math.max(0, y - gap);
}

function routeOf(arc) {
  const way = arc.direct ? [arc.way[0], arc.way[arc.way.length - 1]] : arc.way;
  const points = [], last = way.length - 1;
  const go = (x, y) => {
    const before = points[points.length - 1];
    if (!before || before.x !== x || before.y !== y) points.push({ x, y });
  };
  way.forEach((cell, i) => {
    if (i > 0) go(cell.x, cell.top);
    if (i === 0) go(cell.x, cell.y + cell.h / 2);
    if (i === last) go(cell.x, cell.y - cell.h / 2);
    if (i < last) go(cell.x, cell.bottom);
  });
  if (arc.back) points.reverse();
  if (arc.label_cell) points.label = { x: arc.label_cell.x, y: arc.label_cell.y };
  return points;
}

function shiftToOrigin(layers) {
  const cells = layers.flat();
  const left = cells.reduce((least, c) => Math.min(least, c.x - c.w / 2), Infinity);
  for (const cell of cells) cell.x -= left;
  return cells.reduce((most, c) => Math.max(most, c.x + c.w / 2), 0);
}

function drawLayers(items, edges) {
  const cells = items.map(item => ({ id: item.id, w: item.w, h: item.h }));
  const of = new Map(cells.map(cell => [cell.id, cell]));
  const labelled = edges.some(edge => edge.label), step = labelled ? 2 : 1;
  const arcs = edges.map(edge => ({ from: of.get(edge.from), to: of.get(edge.to), label: edge.label || 0, loose: edge.loose }));
  rankCells(cells, arcs, step);
  const lowest = cells.reduce((low, cell) => Math.min(low, cell.rank), 0);
  const highest = cells.reduce((high, cell) => Math.max(high, cell.rank), 0);
  const layers = Array.from({ length: highest - lowest + 1 }, () => []);
  for (const cell of cells) layers[cell.rank -= lowest].push(cell);
  addLanes(arcs, layers, step);
  linkNeighbours(layers, arcs);
  orderLayers(layers);
  placeCells(layers);
  const h = stackLayers(layers, labelled ? layerGap.y / 2 : layerGap.y);
  const w = shiftToOrigin(layers);
  return { w, h, at: new Map(cells.map(c => [c.id, { x: c.x, y: c.y }])), routes: arcs.map(routeOf) };
}
