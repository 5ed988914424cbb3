// Charts of the rows that are shown. Vega is read only when the first chart is.

const views = new Map();
let vega = null;

// Its names are its own: what it hands out it puts on the window.
function readVega() {
  vega = vega || unpackedText("vega").then((source) => run(`(() => {${source}\n})();`));
  return vega;
}

const known = (name) => rows.filter((model) => model[name] !== null && model[name] > 0);
const within = (numbers, share) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * share)];

// What each chart says of the rows that it draws.
const MESSAGES = {
  size: () => {
    const last = known("size").sort((one, other) => other.size - one.size)[0];
    return `The largest is ${last.name} with ${short(last.size)} parameters`;
  },
  ratio: () => {
    const found = known("ff_ratio").map((model) => model.ff_ratio);
    return `Half of them lie between ${digits(within(found, 0.25), 2)} and ${digits(within(found, 0.75), 2)} times the width`;
  },
  heads: () => {
    const found = known("d_head");
    const counts = new Map();
    for (const { d_head: width } of found) counts.set(width, (counts.get(width) || 0) + 1);
    const [width, n] = [...counts].sort((one, other) => other[1] - one[1])[0];
    return `${percent(n / found.length)} have heads ${width} wide`;
  },
  tokens: () => {
    const found = known("tokens_per_parameter").map((model) => model.tokens_per_parameter);
    return `The median saw ${digits(median(found), 2)} tokens a parameter; Chinchilla's rule is 20`;
  },
  cache: () => {
    const found = known("cache_per_token").map((model) => model.cache_per_token);
    return `A token costs ${digits(median(found) / 1000, 2)} kB of cache at the median`;
  },
  active: () => {
    const found = known("active").filter((model) => model.active < model.total);
    if (!found.length) return "Every token visits every parameter";
    const least = found.sort((one, other) => one.active / one.total - other.active / other.total)[0];
    return `A token visits ${percent(least.active / least.total)} of ${least.name}, the least of ${found.length} with experts`;
  },
};

// The columns that a chart draws, from its specification, and the rows that have them all.
function drawnBy(specification) {
  const { x, y } = specification.layer.at(-1).encoding;
  const log = [x, y].filter((axis) => axis.type === "quantitative").map((axis) => axis.field);
  return rows.filter((model) => [x, y].every((axis) => model[axis.field] !== null) && log.every((name) => model[name] > 0))
    .map((model) => ({ key: model.key, name: model.name, kind: model.kind, [x.field]: model[x.field], [y.field]: model[y.field] }));
}

const styled = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The page's own colours and face, so that light, dark and charts cannot part ways.
function chartLook() {
  const [muted, hairline] = [styled("--muted"), styled("--hairline")];
  return {
    font: "Inter",
    background: null,
    view: { stroke: null },
    rule: { color: muted },
    line: { color: muted },
    range: { category: [styled("--dense"), styled("--experts"), styled("--own")] },
    axis: {
      labelColor: muted, titleColor: muted, labelFontSize: 11, titleFontSize: 11, titleFontWeight: 400, titlePadding: 6,
      gridColor: hairline, gridWidth: 0.6, domainColor: hairline, ticks: false, labelPadding: 6, labelOverlap: true,
    },
  };
}

async function drawChart(chart) {
  const figure = byId(`chart-${chart.name}`);
  const values = drawnBy(chart.specification);
  const left = rows.length - values.length;
  const message = values.length ? MESSAGES[chart.name]() : "No model here has both figures";
  figure.querySelector(".message").textContent = message;
  figure.querySelector(".drawing").setAttribute("aria-label", `${chart.topic}: ${message}`);
  figure.querySelector(".left-out").textContent = `${values.length} models drawn${left ? `, ${left} without both figures` : ""}`;
  const drawn = views.get(chart.name);
  if (drawn && drawn.mode === mode()) {
    await drawn.view.data("rows", values).runAsync();
    return;
  }
  if (drawn) drawn.view.finalize();
  const specification = { ...chart.specification, config: chartLook(), datasets: { rows: values } };
  const made = await vegaEmbed(figure.querySelector(".drawing"), specification, { actions: false, renderer: "svg", tooltip: { theme: mode() } });
  // The message says what the chart shows; its marks one by one would say nothing.
  figure.querySelector("svg").setAttribute("aria-hidden", "true");
  made.view.addEventListener("click", (event, item) => item && item.datum && item.datum.key && change({ model: item.datum.key }));
  views.set(chart.name, { view: made.view, mode: mode() });
}

function buildCharts() {
  const colours = { dense: "●", experts: "◆", "own model": "■" };
  const kinds = Object.keys(colours).filter((kind) => MODELS.some((model) => model.kind === kind));
  const legend = h("p", { class: "legend" }, kinds.map((kind) =>
    h("span", { class: `kind-${kind.split(" ")[0]}` }, h("i", { "aria-hidden": "true" }, colours[kind]), ` ${kind}`)));
  byId("charts").before(legend);
  byId("charts").append(...DATA.charts.map((chart) => h("figure", { id: `chart-${chart.name}` },
    h("figcaption", {}, h("span", { class: "topic" }, chart.topic), h("strong", { class: "message" })),
    h("div", { class: "drawing", role: "img", "aria-label": chart.topic }), h("p", { class: "left-out" }))));
}

async function showCharts() {
  if (state.view !== "charts") return;
  await readVega();
  for (const chart of DATA.charts) await drawChart(chart);
  byId("charts").dataset.drawn = String(rows.length);
}
