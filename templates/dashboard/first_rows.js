// The rows that fit the window, drawn before Tabulator is read and replaced by its own: what a reader waits for.

// Columns are described for Tabulator alone (table.js): order and cells are asked of the same functions.
function inOrder(columns) {
  const [{ column: by, dir }] = sortOf();
  const { sorter: order } = columns.find(({ field: name }) => name === by);
  return [...rows].sort((one, other) => {
    const [a, b] = dir === "asc" ? [one, other] : [other, one];
    return order(a[by], b[by], null, null, null, dir);
  });
}

function firstHeading(column) {
  const title = h("div", { class: "tabulator-col-title" }, column.title);
  const [{ column: by, dir }] = sortOf();
  const sorted = by === column.field ? { asc: "ascending", desc: "descending" }[dir] : null;
  return h("div", { class: `tabulator-col tabulator-sortable ${classOf(column)}`, style: placed(column, column.headerHozAlign), "aria-sort": sorted },
    h("div", { class: "tabulator-col-content" }, title,
      h("div", { class: "tabulator-col-sorter" }, h("span", { class: "arrow" }))));
}

function firstCell(column, model) {
  const cell = h("div", { class: `tabulator-cell ${classOf(column)}`, style: `${placed(column, column.hozAlign)};height:${ROW_HEIGHT}px` });
  const content = column.formatter({ getData: () => model });
  if (typeof content === "string") cell.innerHTML = content;
  else cell.append(content);
  return cell;
}

const placed = (column, align) => `width:${column.width}px;text-align:${align || "left"}`;
const classOf = (column) => (column.frozen ? "tabulator-frozen tabulator-frozen-left" : column.cssClass);

function drawFirstRows() {
  const columns = columnsShown();
  const seen = inOrder(columns).slice(0, Math.ceil(window.innerHeight / ROW_HEIGHT));
  const grid = byId("table");
  grid.className = "tabulator";
  grid.style.height = HEIGHT;
  grid.replaceChildren(
    h("div", { class: "tabulator-header" }, h("div", { class: "tabulator-headers" }, columns.map(firstHeading))),
    h("div", { class: "tabulator-tableholder" }, h("div", { class: "tabulator-table" },
      seen.map((model) => h("div", { class: "tabulator-row" }, columns.map((column) => firstCell(column, model)))))));
}
