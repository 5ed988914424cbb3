// Up to six models beside each other, what differs in bold.

function toggleCompared(key) {
  const chosen = state.compare.includes(key);
  if (!chosen && state.compare.length === MOST_COMPARED) {
    return say(`Six models are compared already; take one out before ${MODEL[key].name}.`);
  }
  change({ compare: chosen ? state.compare.filter((each) => each !== key) : [...state.compare, key] });
  return say(chosen ? `${MODEL[key].name} left the comparison.` : `${MODEL[key].name} joined the comparison.`);
}

function comparedRow(column, models) {
  const values = models.map((model) => model[column.name]);
  if (values.every((value) => value === null || value === "")) return null;
  const differs = new Set(values.map(String)).size > 1;
  const largest = Math.max(...values.filter((value) => typeof value === "number" && value > 0), 0);
  const drawn = column.kind === "count" || column.kind === "number";
  return h("tr", { class: differs ? "differs" : "same" },
    h("th", { scope: "row", title: column.meaning }, column.title, column.unit && column.kind !== "share"
      ? h("span", { class: "unit" }, column.unit) : null),
    values.map((value) => h("td", { class: drawn ? "figure" : "" },
      value === null ? h("span", { class: "muted" }, "–") : column.kind === "count" ? grouped(value) : cellText(column, value),
      drawn && value > 0 && differs ? h("span", { class: "share", style: `width:${(value / largest) * 100}%` }) : null)));
}

function showCompared() {
  const models = state.compare.map((key) => MODEL[key]);
  const place = byId("view-compare");
  if (!models.length) {
    place.replaceChildren(h("div", { class: "empty" }, h("h2", {}, "Nothing to compare yet"),
      h("p", {}, "Choose up to six models: press c on a row of the table, or Compare on a card."),
      chooser(models)));
    return;
  }
  const heads = models.map((model) => h("th", { scope: "col" }, badge(model),
    button(model.name, () => change({ model: model.key }), { class: "name" }),
    button("Remove", () => toggleCompared(model.key), { class: "small", "aria-label": `Remove ${model.name}` })));
  const lines = COLUMNS.map((column) => comparedRow(column, models)).filter(Boolean);
  place.replaceChildren(chooser(models),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Comparison of models" },
      h("table", { class: "compared" }, h("thead", {}, h("tr", {}, h("td", {}), heads)), h("tbody", {}, lines,
        h("tr", {}, h("th", { scope: "row" }, "Features"), models.map((model) => h("td", {}, model.features.join(", "))))))));
}

function chooser(models) {
  const list = h("datalist", { id: "all-models" }, MODELS.map((model) => h("option", { value: model.key }, model.name)));
  const add = (event) => {
    const asked = event.target.value.trim().toLowerCase();
    if (!asked) return;
    const model = MODELS.find(({ key, name }) => key.toLowerCase() === asked || name.toLowerCase() === asked);
    if (!model) say(`No model of this page: got '${asked}', want a name or key of the list. Choose one.`);
    else if (state.compare.includes(model.key)) say(`${model.name} is in the comparison already.`);
    else toggleCompared(model.key);
  };
  return h("p", { class: "chooser" }, h("label", {}, `Add a model (${models.length} of ${MOST_COMPARED}) `,
    h("input", { list: "all-models", name: "add", placeholder: "llama-3.1-8b", onchange: add })), list);
}
