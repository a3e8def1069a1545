// The drawing of nodes, edges and paths in a result: the same result has the same picture. The shapes of the
// picture are data ({tag, attributes, inside}), made without a page, and become elements of the page at the end.

const DRAWN_MAX = 300, COLOURS = 8;
const NODE_RADIUS = 16, EDGE_LENGTH = 110, PICTURE_MARGIN = 56, TURNS = 200;
const CAPTIONS = ["name", "title", "nick_name", "nickname", "id", "key"];

// ------------------------------------------------------------------ the elements of a result

// The nodes and edges in the JSON columns of a result, by their identifiers; null without any.
function elementsOf(fields, rows) {
  const nodes = new Map(), edges = new Map();
  const take = value => {
    if (Array.isArray(value)) value.forEach(take);
    else if (value?.identifier && value.kind === "node") nodes.set(value.identifier, value);
    else if (value?.identifier && value.kind === "edge") edges.set(value.identifier, value);
  };
  fields.forEach((field, place) => {
    if (field.type.code !== "JSON") return;
    for (const row of rows) if (row[place]?.includes("\"identifier\"")) take(JSON.parse(row[place]));
  });
  // An edge may have been returned without its nodes.
  for (const edge of [...edges.values()]) {
    for (const end of endsOf(edge)) if (!nodes.has(end)) nodes.set(end, { identifier: end, kind: "node", labels: [], properties: {}, isOutside: true });
  }
  return nodes.size ? { nodes: sorted(nodes), edges: sorted(edges) } : null;
}

const sorted = elements => [...elements.values()].sort((one, other) => one.identifier < other.identifier ? -1 : 1);
const endsOf = edge => [edge.source_node_identifier, edge.destination_node_identifier];
const labelsOf = element => element.isOutside ? "not in the result" : (element.labels ?? []).join(", ") || "no label";

function captionOf(element) {
  const properties = Object.entries(element.properties ?? {});
  const isShown = ([, value]) => value !== null && typeof value !== "object";
  const wanted = CAPTIONS.flatMap(name => properties.filter(([own]) => own.toLowerCase() === name)).find(isShown) ?? properties.find(isShown);
  const text = wanted ? String(wanted[1]) : "";
  return text.length > 18 ? text.slice(0, 17) + "…" : text;
}

// ------------------------------------------------------------------ where the nodes lie

// Places of nodes, as springs and repulsion find them from a fixed start; arithmetic without functions that differ between browsers.
function graphPlaces(nodes, edges) {
  let seed = 1;
  const chance = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296 - 0.5;
  const span = EDGE_LENGTH * Math.sqrt(nodes.length), number = new Map(nodes.map((node, place) => [node.identifier, place]));
  const places = nodes.map(() => ({ x: chance() * span, y: chance() * span }));
  const pairs = new Set(edges.map(edge => endsOf(edge).map(end => number.get(end)).sort((one, other) => one - other).join(" ")));
  const links = [...pairs].map(pair => pair.split(" ").map(Number)).filter(([from, to]) => from !== to);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const moves = places.map(place => ({ x: -place.x * 0.06, y: -place.y * 0.06 }));
    const push = (one, other, force) => {
      const x = places[one].x - places[other].x, y = places[one].y - places[other].y, distance = Math.sqrt(x * x + y * y) || 1;
      const part = force(distance) / distance;
      moves[one].x += x * part;
      moves[one].y += y * part;
      moves[other].x -= x * part;
      moves[other].y -= y * part;
    };
    for (let one = 0; one < places.length; one += 1) {
      for (let other = 0; other < one; other += 1) push(one, other, distance => distance > 3 * EDGE_LENGTH ? 0 : EDGE_LENGTH * EDGE_LENGTH / (2 * distance));
    }
    for (const [from, to] of links) push(from, to, distance => -distance * distance / (2 * EDGE_LENGTH));
    const most = span * 0.1 * (1 - turn / TURNS) + 0.5;
    places.forEach((place, at) => {
      const { x, y } = moves[at], length = Math.sqrt(x * x + y * y) || 1, step = Math.min(length, most) / length;
      place.x += x * step;
      place.y += y * step;
    });
  }
  const left = Math.min(...places.map(({ x }) => x)), top = Math.min(...places.map(({ y }) => y));
  return places.map(({ x, y }) => ({ x: Math.round(x - left) + PICTURE_MARGIN, y: Math.round(y - top) + PICTURE_MARGIN }));
}

// ------------------------------------------------------------------ shapes

const shape = (tag, attributes, ...inside) => ({ tag, attributes, inside: inside.flat() });
const counted = (elements, word) => `${elements.length} ${word}${elements.length === 1 ? "" : "s"}`;
const fixed = number => String(Math.round(number * 10) / 10);

// The picture of a graph. Elements that can have the focus carry their kind and place in `nodes` or `edges`.
function graphPicture({ nodes, edges }) {
  const places = graphPlaces(nodes, edges), number = new Map(nodes.map((node, place) => [node.identifier, place]));
  const kinds = [...new Set(nodes.filter(node => !node.isOutside).map(labelsOf))].sort();
  const width = Math.max(...places.map(({ x }) => x)) + PICTURE_MARGIN, height = Math.max(...places.map(({ y }) => y)) + PICTURE_MARGIN;
  const lanes = lanesOf(edges.map(edge => endsOf(edge).map(end => number.get(end))));
  return {
    kinds,
    picture: shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": `${counted(nodes, "node")} and ${counted(edges, "edge")}` },
      edges.map((edge, at) => edgeShape(edge, at, places, lanes[at])),
      nodes.map((node, at) => nodeShape(node, at, places[at], node.isOutside ? "outside" : `g${kinds.indexOf(labelsOf(node)) % COLOURS}`))),
  };
}

function nodeShape(node, at, { x, y }, colour) {
  const caption = captionOf(node);
  return shape("g", { class: `node ${colour}`, tabindex: 0, role: "button", "data-kind": "nodes", "data-at": at, "aria-label": `Node ${labelsOf(node)} ${caption}`.trim() },
    shape("circle", { cx: x, cy: y, r: NODE_RADIUS }), shape("text", { x, y: y + NODE_RADIUS + 14 }, caption));
}

// For each edge its ends, and its lane among the edges between the same nodes: 0 in the middle, then to either side.
function lanesOf(ends) {
  const between = new Map(), key = ([from, to]) => from < to ? `${from} ${to}` : `${to} ${from}`;
  for (const pair of ends) between.set(key(pair), [...between.get(key(pair)) ?? [], pair]);
  return ends.map(([from, to]) => {
    const all = between.get(key([from, to])), place = all.findIndex(pair => pair[0] === from && pair[1] === to && !pair.isTaken);
    all[place].isTaken = true;
    return { from, to, lane: from === to ? place + 1 : (place - (all.length - 1) / 2) * (from < to ? 1 : -1) };
  });
}

function edgeShape(edge, at, places, { from, to, lane }) {
  const labels = labelsOf(edge), { path, tip, text } = from === to ? loop(places[from], lane) : arc(places[from], places[to], lane);
  return shape("g", { class: "edge", tabindex: 0, role: "button", "data-kind": "edges", "data-at": at, "aria-label": `Edge ${labels} ${captionOf(edge)}`.trim() },
    shape("path", { d: path }), shape("path", { class: "tip", d: tip }), shape("text", text, labels));
}

// An edge between two nodes: a curve that leans to its lane, with its tip at the border of the second node.
function arc(start, end, lane) {
  const x = end.x - start.x, y = end.y - start.y, length = Math.sqrt(x * x + y * y) || 1, lean = lane * 36;
  const control = { x: (start.x + end.x) / 2 - y / length * lean, y: (start.y + end.y) / 2 + x / length * lean };
  const first = toward(start, control, NODE_RADIUS), last = toward(end, control, NODE_RADIUS + 7);
  const middle = { x: (start.x + end.x) / 4 + control.x / 2, y: (start.y + end.y) / 4 + control.y / 2 };
  return { path: `M ${at_(first)} Q ${at_(control)} ${at_(last)}`, tip: tipOf(last, toward(end, control, NODE_RADIUS)), text: { x: fixed(middle.x), y: fixed(middle.y - 4) } };
}

// An edge from a node to itself: a loop above the node, wider for each further lane.
function loop({ x, y }, lane) {
  const wide = 14 + 10 * lane, high = NODE_RADIUS + 18 + 14 * lane;
  const first = { x: x - 8, y: y - NODE_RADIUS + 2 }, last = { x: x + 8, y: y - NODE_RADIUS - 4 };
  return { path: `M ${at_(first)} C ${at_({ x: x - wide, y: y - high })} ${at_({ x: x + wide, y: y - high })} ${at_(last)}`, tip: tipOf(last, { x: x + 6, y: y - NODE_RADIUS + 2 }),
    text: { x, y: fixed(y - high + 6) } };
}

function toward(from, to, distance) {
  const x = to.x - from.x, y = to.y - from.y, length = Math.sqrt(x * x + y * y) || 1;
  return { x: from.x + x / length * distance, y: from.y + y / length * distance };
}

const at_ = ({ x, y }) => `${fixed(x)} ${fixed(y)}`;

function tipOf(base, point) {
  const x = (point.x - base.x) / 2, y = (point.y - base.y) / 2;
  return `M ${at_(point)} L ${at_({ x: base.x - y, y: base.y + x })} L ${at_({ x: base.x + y, y: base.y - x })} Z`;
}

// ------------------------------------------------------------------ the page

function graphDrawing(fields, rows) {
  const found = elementsOf(fields, rows);
  if (!found) return null;
  const count = found.nodes.length + found.edges.length;
  if (count > DRAWN_MAX) return el("p", { class: "lead" }, `The result has ${plural(count, "node or edge", "nodes and edges")}; up to ${DRAWN_MAX} are drawn.`);
  const { kinds, picture } = graphPicture(found), details = el("div", { class: "panel", "aria-live": "polite" }, el("p", { class: "faint" }, "A node or an edge that has the focus shows its properties here."));
  const drawing = elementOf(picture);
  const show = event => {
    const target = event.target.closest("[data-kind]");
    if (target) details.replaceChildren(...described(found[target.dataset.kind][target.dataset.at]));
  };
  for (const name of ["focusin", "click"]) drawing.addEventListener(name, show);
  return el("section", { class: "graph", "aria-label": "Graph" },
    el("p", { class: "legend" }, kinds.map((kind, place) => el("span", { class: `g${place % COLOURS}` }, kind))),
    el("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Picture of the graph" }, drawing), details,
    el("details", {}, el("summary", {}, "Nodes and edges as a table"), table(["Kind", "Labels", "Name", "From", "To"], [...found.nodes, ...found.edges].map(each => [each.kind, labelsOf(each), captionOf(each),
      ...(each.kind === "edge" ? endsOf(each).map(end => captionOf(found.nodes.find(node => node.identifier === end)) || end) : ["", ""])]))));
}

function described(element) {
  const values = Object.entries(element.properties ?? {}).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  return [el("p", {}, el("b", {}, `${element.kind === "edge" ? "Edge" : "Node"} ${labelsOf(element)}`)), facts(values) ?? el("p", { class: "faint" }, "No properties.")];
}

function elementOf({ tag, attributes, inside }) {
  const element = document.createElementNS(document.querySelector(".mark svg").namespaceURI, tag);  // as that of the mark on every page
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside.map(each => typeof each === "string" ? each : elementOf(each)));
  return element;
}
