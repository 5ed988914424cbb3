// Puts the parts together and keeps them in step with the state.

const NAMES = { fit: "Does it fit?", models: "Models", charts: "Charts", compare: "Compare", calculator: "Calculator", market: "GPUs and prices" };

// A view is built when it is first shown: the table is what a reader waits for.
const built = new Set();
const BUILDERS = {
  models: () => {}, charts: () => buildCharts(), compare: showCompared, fit: () => buildFit(), calculator: () => buildCalculator(), market: () => buildMarket(),
};

function buildViews() {
  byId("views").append(...VIEWS.map((view) => button(NAMES[view], () => change({ view }), { "data-view": view })));
}

function showView() {
  for (const tab of byId("views").children) {
    const here = tab.dataset.view === state.view;
    tab.setAttribute("aria-current", here ? "page" : "false");
    byId(`view-${tab.dataset.view}`).hidden = !here;
    if (tab.dataset.view === "compare") tab.textContent = state.compare.length ? `Compare (${state.compare.length})` : "Compare";
  }
  if (hasLater && !built.has(state.view)) {
    built.add(state.view);
    BUILDERS[state.view]();
  }
  const catalog = state.view === "models" || state.view === "charts";
  byId("filters").hidden = byId("tiles").hidden = !catalog;
}

function showTheme() {
  const dark = state.theme ? state.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  byId("theme").textContent = dark ? "Light" : "Dark";
}

function showRows() {
  filterRows();
  table.refreshFilter();
  showCounts();
}

// What is said of the rows that are shown.
function showCounts() {
  byId("shown").textContent = rows.length === MODELS.length
    ? `${rows.length} models` : `${rows.length} of ${MODELS.length} models`;
  showFilters();
  showTiles();
}

onChange((changed) => {
  const has = (...names) => names.some((name) => changed.has(name));
  if (has(...FILTERS)) showRows();
  if (has("theme")) showTheme();
  if (has("columns")) showColumns();
  if (has("compare")) { if (built.has("compare")) showCompared(); markCompared(); if (state.model) panel(MODEL[state.model]); }
  if (has("view", "compare")) showView();
  if (has("view")) { hoverOut(); if (state.view === "models") table.redraw(); }
  if (has("model")) showPanel();
  if (has("fit") && built.has("fit")) showFit();
  if (has("find", "fn", "args", "separator") && built.has("calculator")) followCalculator(has);
  if (has("view", "theme", ...FILTERS)) soon(() => showCharts());
});

function restore() {
  const before = { ...state };
  readState();
  document.querySelector('[name="separator"]').value = state.separator;
  const changed = new Set(Object.keys(state).filter((name) => String(before[name]) !== String(state[name])));
  if (changed.has("sort")) table.setSort(sortOf());
  for (const listener of listeners) listener(changed);
}

function start() {
  readState();
  buildViews();
  buildFilters();
  buildTools();
  showTheme();
  filterRows();
  showCounts();
  buildTable();
  table.on("tableBuilt", async () => {
    performance.mark("first-table");
    document.body.dataset.table = "yes";
    await painted();
    fillChoices();
    await readLater();
    nameCall();
    showView();
    await showCharts();
    document.body.dataset.ready = "yes";
  });
  showView();
  showPanel();
  byId("read").textContent = DATA.read;
  byId("theme").addEventListener("click", () => change({ theme: mode() === "dark" ? "light" : "dark" }));
  byId("link").addEventListener("click", () => copy(location.href, "link"));
  byId("panel").addEventListener("close", () => change({ model: "" }));
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }
  window.addEventListener("hashchange", restore);
}

start();
