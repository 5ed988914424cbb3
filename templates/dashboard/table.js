// The table: Tabulator with our columns, sorted and filtered by the state.

let table = null;
const WIDTHS = { text: 120, count: 104, number: 104, date: 104, share: 92 };
const WIDE = { total: NARROW ? 84 : 150, release_date: NARROW ? 96 : 104, licence: 150, attention: 150, hardware: 150, d_model: 92, n_layers: 76, n_heads: 76, n_kv_heads: 88 };

// Blanks last whichever way; sizes as texts ("70.6B") by their number.
function sorter(column) {
  const of = column.name === "published_total" ? (value) => amount(String(value)) : (value) => value;
  return (one, other, _a, _b, _c, direction) => {
    if (one === null || other === null) return (one === other ? 0 : one === null ? 1 : -1) * (direction === "asc" ? 1 : -1);
    const [a, b] = [of(one), of(other)];
    if (typeof a === "number") return a - b;
    return column.kind === "date" ? (a < b ? -1 : Number(a > b)) : alphabetic(a, b);
  };
}

function cell(column) {
  return (shown) => {
    const value = shown.getValue();
    if (column.name === "difference" && value !== null) {
      return `<span class="status-${shown.getData().status.split(" ")[0]}">${cellText(column, value)}</span>`;
    }
    const text = cellText(column, value);
    return typeof value === "string" ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;") : text;
  };
}

function nameCell(shown) {
  const model = shown.getData();
  return h("div", { class: "model" }, badge(model),
    h("button", { type: "button", class: "name", tabindex: "-1", "data-key": model.key }, model.name));
}

function columnOf(column) {
  const figure = column.kind !== "text" && column.kind !== "date";
  return {
    field: column.name,
    title: column.title,
    headerTooltip: `${column.meaning}${column.unit && column.kind !== "share" ? `, ${column.unit}` : ""}`,
    width: WIDE[column.name] || Math.max(WIDTHS[column.kind], column.title.length * 7.4 + 34),
    hozAlign: figure || column.name === "published_total" ? "right" : "left",
    headerHozAlign: figure || column.name === "published_total" ? "right" : "left",
    cssClass: figure ? "figure" : "",
    headerSortStartingDir: figure || column.kind === "date" ? "desc" : "asc",
    sorter: sorter(column),
    formatter: cell(column),
  };
}

const sortOf = () => [{ column: state.sort.replace(/^-/, ""), dir: state.sort.startsWith("-") ? "desc" : "asc" }];

const FIRST = {
  field: "name", title: "Model", width: NARROW ? 172 : 230, cssClass: "held", formatter: nameCell, sorter: sorter({ name: "name" }),
};
// Only columns that are shown, in the order of the page: cells that nobody sees would cost as much as others.
const columnsShown = () => [FIRST, ...COLUMNS.filter(({ name }) => state.columns.includes(name)).map(columnOf)];

// Every column states its width: nothing is measured to find it.
Tabulator.extendModule("layout", "modes", { stated: () => {} });

// As high as the style has it (page.css).
const ROW_HEIGHT = 38;

// Heights of heading, body and rows stand in the style: each time that Tabulator measures one, all is laid out anew.
function measureNothing() {
  table.columnManager.verticalAlignHeaders = () => {};
  table.rowManager.adjustTableSize = () => false;
  table.eventBus.subscribe("row-init", (row) => {
    row.calcHeight = () => { row.outerHeight = ROW_HEIGHT; };
    row.setCellHeight = () => { row.heightInitialized = true; };
  });
}

// Tabulator waits a turn before it draws, so that listeners can be bound; ours are bound in this one.
function drawAtOnce() {
  const draw = table._create.bind(table);
  table._create = () => {};
  draw();
}

function buildTable() {
  table = new Tabulator("#table", {
    data: MODELS,
    index: "key",
    columns: columnsShown(),
    height: NARROW ? "70vh" : "calc(100vh - 330px)",
    rowHeight: ROW_HEIGHT,
    renderVerticalBuffer: 152,
    layout: "stated",
    initialSort: sortOf(),
    initialFilter: isShown,
    placeholder: "No model fulfils every condition. Loosen one.",
    headerSortElement: '<span class="arrow" aria-hidden="true"></span>',
  });
  table.on("dataSorted", (sorters) => {
    const [by] = sorters;
    if (by && by.field) change({ sort: `${by.dir === "desc" ? "-" : ""}${by.field}` });
  });
  table.on("renderComplete", afterRender);
  table.on("tableBuilt", () => nameParts());
  byId("table").addEventListener("keydown", onKey);
  byId("table").addEventListener("mouseover", onHover);
  byId("table").addEventListener("mouseleave", hoverOut);
  byId("table").addEventListener("focusin", onFocus);
  byId("table").addEventListener("focusout", hoverOut);
  byId("table").addEventListener("click", (event) => {
    const named = event.target.closest("button.name");
    if (named) change({ model: named.dataset.key });
  });
  measureNothing();
  drawAtOnce();
}

// What Tabulator leaves to say: a label, and headings that the keyboard reaches. The names in the rows scroll the body.
function nameParts() {
  const grid = byId("table");
  grid.setAttribute("aria-label", "Models");
  grid.querySelector(".tabulator-tableholder").removeAttribute("tabindex");
  grid.querySelectorAll(".tabulator-col").forEach((heading, place) => { heading.tabIndex = place ? -1 : 0; });
}

function onHeading(event, heading) {
  if (event.key === "Enter" || event.key === " ") heading.click();
  else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    const next = event.key === "ArrowRight" ? heading.nextElementSibling : heading.previousElementSibling;
    if (!next || !next.matches(".tabulator-col")) return;
    heading.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  } else return;
  event.preventDefault();
}

// One row is reached by Tab, the others from there by the arrow keys.
function afterRender() {
  const names = byId("table").querySelectorAll("button.name");
  const current = byId("table").querySelector('button.name[tabindex="0"]');
  if (!current && names.length) names[0].tabIndex = 0;
  markCompared();
}

function onFocus(event) {
  const named = event.target.closest("button.name");
  if (!named) return;
  byId("table").querySelectorAll('button.name[tabindex="0"]').forEach((each) => { each.tabIndex = -1; });
  named.tabIndex = 0;
}

function onHover(event) {
  const place = event.target.closest(".model");
  if (!place) return hoverOut();
  return hoverOver(MODEL[place.querySelector("button").dataset.key], place);
}

async function onKey(event) {
  const named = event.target.closest("button.name");
  const heading = event.target.closest(".tabulator-col");
  if (heading) onHeading(event, heading);
  if (!named) return;
  const key = named.dataset.key;
  if (event.key === "c") toggleCompared(key);
  else if (event.key === "f") copyCount(MODEL[key]);
  else if (["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) {
    event.preventDefault();
    const active = table.getRows("active").map((row) => row.getData().key);
    const at = active.indexOf(key);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: active.length - 1 }[event.key];
    await focusRow(active[Math.min(Math.max(next, 0), active.length - 1)]);
  }
}

async function focusRow(key) {
  const row = table.getRow(key);
  await table.scrollToRow(row, "nearest", false).catch(() => {});
  // A row far away is drawn only once the scrolling has been noticed, and then drawn again.
  for (let frame = 0; frame < 12; frame += 1) {
    const named = row.getElement().querySelector("button.name");
    if (named && named.isConnected) named.focus();
    await new Promise(requestAnimationFrame);
    if (frame > 2 && document.activeElement === named) return;
  }
}

function markCompared() {
  for (const named of byId("table").querySelectorAll("button.name")) {
    named.closest(".tabulator-row").classList.toggle("compared-row", state.compare.includes(named.dataset.key));
  }
}

function showColumns() {
  if (state.sort !== "name" && !state.columns.includes(state.sort.replace(/^-/, ""))) change({ sort: "name" });
  table.setColumns(columnsShown());
  nameParts();
  table.setSort(sortOf());
}

function chooseColumns() {
  const dialog = byId("columns");
  const box = (column) => h("label", { title: column.meaning },
    h("input", { type: "checkbox", value: column.name, checked: state.columns.includes(column.name) }), column.title,
    h("span", { class: "muted" }, column.meaning));
  const chosen = () => [...dialog.querySelectorAll("input:checked")].map(({ value }) => value);
  dialog.replaceChildren(
    h("div", { class: "panel-tools" },
      button("All", () => { dialog.querySelectorAll("input").forEach((each) => { each.checked = true; }); change({ columns: chosen() }); }),
      button("As at first", () => { change({ columns: DEFAULT_COLUMNS }); chooseColumns(); }),
      button("Close", () => dialog.close(), { class: "close" })),
    h("h2", { id: "columns-title" }, "Columns"),
    h("div", { class: "boxes", onchange: () => change({ columns: chosen() }) }, COLUMNS.map(box)));
  if (!dialog.open) dialog.showModal();
}

function buildTools() {
  byId("table-tools").append(
    button("Columns", chooseColumns, { id: "choose-columns" }),
    button("CSV", exportCsv, { id: "export-csv", title: "Export these rows and columns as CSV" }),
    button("Excel", exportXlsx, { id: "export-xlsx", title: "Export these rows and columns as an Excel workbook" }),
    h("label", { class: "inline" }, "Formulas with ", h("select", { name: "separator", onchange: (event) => change({ separator: event.target.value }) },
      h("option", { value: "," }, "commas"), h("option", { value: ";", selected: state.separator === ";" }, "semicolons"))));
}
