// Accelerators and prices, sorted and searched like the models.

const tables = {};

function marketTable(name, title) {
  const { heads, rows: lines } = DATA.market[name];
  const place = h("div", { id: `table-${name}` });
  const search = h("input", { type: "search", name: `find-${name}`, placeholder: "h100, aws, reserved …" });
  byId("view-market").append(h("h2", {}, title), h("label", { class: "field field-q" }, h("span", {}, "Search"), search), place);
  const drawn = new Tabulator(place, {
    data: lines.map(([key, values, source], id) => ({
      id, key, source, text: [key, ...values].join(" ").toLowerCase(), ...Object.fromEntries(heads.map(([field], at) => [field, values[at]])),
    })),
    columns: heads.map(([field, head, isNumber], at) => ({
      field, title: head, width: at === 0 ? (NARROW ? 150 : 210) : Math.max(120, head.length * 7.2 + 30),
      hozAlign: isNumber ? "right" : "left", headerHozAlign: isNumber ? "right" : "left", cssClass: at === 0 ? "held" : isNumber ? "figure" : "",
      sorter: sorter({ name: field }), formatter: (shown) => (typeof shown.getValue() === "number" ? digits(shown.getValue(), 4) : shown.getValue() || ""),
      tooltip: (_event, shown) => shown.getData().source,
    })),
    height: 420, rowHeight: 38, layout: "fitDataStretch", renderVerticalBuffer: 152,
    headerSortElement: '<span class="arrow" aria-hidden="true"></span>', placeholder: "Nothing has all these words.",
  });
  drawn.on("tableBuilt", () => {
    place.setAttribute("aria-label", title);
    place.removeAttribute("aria-owns");
    place.querySelectorAll(".tabulator-col").forEach((heading, at) => { heading.tabIndex = at ? -1 : 0; });
    // Its rows hold nothing to focus, so the body itself is what the keyboard scrolls.
    place.querySelector(".tabulator-tableholder").setAttribute("role", "rowgroup");
    place.querySelector(".tabulator-table").setAttribute("role", "presentation");
  });
  place.addEventListener("keydown", (event) => {
    const heading = event.target.closest(".tabulator-col");
    if (heading) onHeading(event, heading);
  });
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    drawn.setFilter((row) => words.every((word) => row.text.includes(word)));
  });
  tables[name] = drawn;
}

function buildMarket() {
  marketTable("gpus", "Accelerators: dense peaks, memory, links, price");
  marketTable("prices", "Prices, as providers listed them on the day");
}
