// The drawing of a heatmap, in the heatmap page and in the console.
// `runs` are the figures of one run or two, as `spanemu.hotspots.heatmap.files.figures` returns them.

function heatmapView(host, runs) {
  const GAP = 2, HEAD = 22, STRIP = 14, CELLS_HEIGHT = 600;
  const STEPS = [[5, 5, 20], [70, 20, 120], [200, 60, 90], [250, 180, 60], [255, 255, 255]];

  function make(tag, props, ...children) {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  }
  const checkbox = checked => make("input", { type: "checkbox", checked });
  const run = make("select", {}, new Option("now", 0), new Option("before", 1));
  const metric = make("select"), only = make("select"), brightness = make("input", { type: "range", min: 1, max: 20, value: 6 });
  const each = checkbox(false), splits = checkbox(true), servers = checkbox(false);
  const canvas = make("canvas", { tabIndex: 0, role: "img" });
  canvas.setAttribute("aria-label", "Heatmap: key ranges from top to bottom, commits from left to right. The arrow keys move through it.");
  const legend = make("p", { className: "legend" }), said = make("p", { className: "small" }), tip = make("div", { className: "tip", hidden: true });
  said.setAttribute("aria-live", "polite");
  host.classList.add("picture");
  host.replaceChildren(
    make("div", { className: "tools" },
      make("label", { hidden: runs.length < 2 }, "Run", run), make("label", {}, "Metric", metric), make("label", {}, "Table or index", only),
      make("label", {}, "Brightness", brightness), make("label", {}, each, "each on its own scale"), make("label", {}, splits, "splits"),
      make("label", {}, servers, "servers")),
    canvas, legend, said, tip);

  let data = runs[0], lines = [], cursor = null, tall = 4;

  // Each run has its own choices; what was chosen stays chosen where it exists.
  function offer() {
    const wanted = [metric.value, only.selectedIndex > 0 ? only.selectedOptions[0].text : ""];
    metric.replaceChildren(...data.metrics.map(name => new Option(name)));
    only.replaceChildren(new Option("all", ""), ...data.bands.map((band, b) => new Option(`${band.name} (${band.kind})`, b)));
    if (data.metrics.includes(wanted[0])) metric.value = wanted[0];
    for (const option of only.options) if (option.text === wanted[1]) only.value = option.value;
  }
  function choose() {
    lines = [];
    data.bands.forEach((band, b) => {
      if (only.value !== "" && Number(only.value) !== b) return;
      lines.push({ b, r: -1 });
      band.starts.forEach((_, r) => lines.push({ b, r }));
    });
  }
  // A row of simulated figures has fewer columns than the picture: one for each minute.
  function at(row, column) { return row && row.length ? row[Math.floor(column * row.length / data.columns)] : 0; }
  function value(line, column) { return at((data.bands[line.b].cells[metric.value] || [])[line.r], column); }
  function simulated() { return metric.value.includes("(simulated)"); }
  function most(bands) {
    if (simulated()) return 100;
    let found = 1;
    for (const band of bands) for (const row of band.cells[metric.value] || []) for (const n of row) if (n > found) found = n;
    return found;
  }
  function colour(part) {
    const place = Math.min(1, part) * (STEPS.length - 1), low = Math.min(STEPS.length - 2, Math.floor(place)), rest = place - low;
    return `rgb(${STEPS[low].map((c, k) => Math.round(c + rest * (STEPS[low + 1][k] - c))).join(",")})`;
  }
  function ofServer(number) { return `hsl(${Math.round(number * 360 / Math.max(1, data.nodes))} 70% 60%)`; }
  function height(line) { return line.r < 0 ? HEAD * line.texts.length : tall; }
  // The words of a heading in as many lines as the picture needs for them.
  function wrapped(pen, text, width) {
    const texts = [""];
    for (const word of text.split(" ")) {
      const longer = `${texts.at(-1)} ${word}`.trim();
      if (texts.at(-1) && pen.measureText(longer).width > width) texts.push(word);
      else texts[texts.length - 1] = longer;
    }
    return texts;
  }

  function draw() {
    choose();
    const width = canvas.clientWidth || 800, rows = lines.filter(line => line.r >= 0).length;
    tall = Math.max(3, Math.min(24, Math.floor(CELLS_HEIGHT / Math.max(1, rows))));
    const pen = canvas.getContext("2d"), font = "14px " + getComputedStyle(host).fontFamily;
    pen.font = font;
    for (const line of lines) {
      const band = data.bands[line.b];
      if (line.r < 0) line.texts = wrapped(pen, `${band.name} (${band.kind}): ${band.pattern}`, width - 12);
    }
    canvas.width = width;
    canvas.height = lines.reduce((sum, line) => sum + height(line) + (line.r < 0 ? GAP : 0), 0);
    canvas.style.height = canvas.height + "px";
    const wide = width / data.columns, bright = brightness.value / 6;
    const all = most(data.bands), own = data.bands.map(band => each.checked ? most([band]) : all);
    let y = 0;
    pen.font = font; pen.textBaseline = "middle";
    for (const line of lines) {
      line.y = y;
      if (line.r < 0) {
        pen.fillStyle = "#dcdce6";
        line.texts.forEach((text, place) => pen.fillText(text, 6, y + HEAD * place + HEAD / 2));
      } else {
        for (let column = 0; column < data.columns; column++) {
          const n = value(line, column);
          pen.fillStyle = colour(n ? 0.15 + 0.85 * bright * n / own[line.b] : 0);
          pen.fillRect(Math.floor(column * wide), y, Math.ceil(wide), tall);
        }
      }
      y += height(line) + (line.r < 0 ? GAP : 0);
    }
    if (splits.checked) drawSplits(pen, width);
    if (servers.checked) drawServers(pen, width);
    if (cursor && lines[cursor.line]) {
      const line = lines[cursor.line];
      pen.strokeStyle = "#4af"; pen.lineWidth = 2;
      pen.strokeRect(Math.floor(cursor.column * wide), line.y, Math.max(4, Math.ceil(wide)), height(line));
    }
    describe(own);
  }
  function drawSplits(pen, width) {
    for (const line of lines) {
      if (line.r < 1) continue;
      const band = data.bands[line.b], before = band.splits[line.r - 1] || [], here = band.splits[line.r] || [];
      pen.fillStyle = "#5fe0c0";
      here.forEach((split, minute) => {
        if (split !== before[minute]) pen.fillRect(minute * width / here.length, line.y, width / here.length, 1);
      });
      if (band.boundaries.includes(line.r)) { pen.fillStyle = "#fff"; pen.fillRect(0, line.y - 1, width, 2); }
    }
  }
  function drawServers(pen, width) {
    for (const line of lines) {
      const row = data.bands[line.b].servers[line.r] || [];
      row.forEach((server, minute) => {
        pen.fillStyle = ofServer(server);
        pen.fillRect(minute * width / row.length, line.y, Math.max(3, STRIP * width / 1600), tall);
      });
    }
  }
  function describe(own) {
    const scale = simulated() ? "White is a server that is full." : each.checked
      ? "White is the busiest cell of each table or index: colours of two of them cannot be compared."
      : `White is the busiest cell (${metric.value}: ${Math.max(1, ...own)}). Where there is little load, a small part of it looks hot.`;
    const drawn = [scale];
    if (splits.checked) drawn.push("White lines are boundaries of the database, green lines boundaries of the simulation.");
    if (servers.checked) drawn.push("The colour at the beginning of each minute is the server's.");
    legend.textContent = drawn.join(" ");
  }

  function words(line, column) {
    const band = data.bands[line.b];
    if (line.r < 0) return `${band.name}: ${band.pattern}`;
    const first = column * data.commits_per_column + 1, next = band.starts[line.r + 1] || "<end>";
    const parts = [`${band.starts[line.r]} to ${next}, from commit ${first}: ${value(line, column)} ${metric.value}`];
    if ((band.splits[line.r] || []).length) {
      parts.push(`simulated: split ${at(band.splits[line.r], column) + 1} on server ${at(band.servers[line.r], column) + 1} of ${data.nodes}`);
    }
    return parts.concat(band.sources).join("\n");
  }
  function placeOf(event) {
    const box = canvas.getBoundingClientRect(), y = event.clientY - box.top;
    const column = Math.floor((event.clientX - box.left) / box.width * data.columns);
    return { line: lines.findLastIndex(line => line.y <= y), column: Math.min(data.columns - 1, Math.max(0, column)) };
  }
  function moveTo(place) {
    cursor = place;
    draw();
    said.textContent = words(lines[cursor.line], cursor.column);
  }
  canvas.addEventListener("mousemove", event => {
    const { line, column } = placeOf(event);
    if (line < 0) return;
    tip.textContent = words(lines[line], column); tip.hidden = false;
    tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
  });
  canvas.addEventListener("mouseleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", event => { const found = placeOf(event); if (found.line >= 0) moveTo(found); });
  canvas.addEventListener("keydown", event => {
    if (event.key === "Escape") { tip.hidden = true; cursor = null; said.textContent = ""; draw(); return; }
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-10, 0], PageDown: [10, 0],
      Home: [0, -data.columns], End: [0, data.columns] }[event.key];
    if (!step || !lines.length) return;
    event.preventDefault();
    const from = cursor || { line: 1, column: 0 };
    moveTo({ line: Math.max(0, Math.min(lines.length - 1, from.line + step[0])), column: Math.max(0, Math.min(data.columns - 1, from.column + step[1])) });
  });
  run.addEventListener("input", () => { data = runs[run.value]; cursor = null; offer(); draw(); });
  for (const control of [metric, only, brightness, each, splits, servers]) control.addEventListener("input", () => { cursor = null; draw(); });
  new ResizeObserver(draw).observe(host);
  offer();
  draw();
}
