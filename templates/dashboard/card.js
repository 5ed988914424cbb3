// The card of a model: a short one where the pointer rests, the whole in a panel.

const DIMENSIONS = ["n_layers", "d_model", "n_heads", "n_kv_heads", "d_head", "d_ff", "vocabulary", "context_length"];

function head(model, id) {
  const said = [model.organisation, model.release_date, model.licence].filter(Boolean).join(" · ");
  return h("div", { class: "card-head" }, badge(model), h("div", {}, h("h2", { id }, model.name), h("p", {}, said)));
}

function dimensions(model) {
  const known = DIMENSIONS.filter((name) => model[name] !== null);
  if (!known.length) return h("p", { class: "muted" }, "Its dimensions are not published.");
  return h("dl", { class: "dims" }, known.map((name) =>
    h("div", {}, h("dt", {}, COLUMN[name].title), h("dd", {}, grouped(model[name])))));
}

function activation(model) {
  if (!model.activation) return null;
  const formula = model.card.activation_formula;
  return h("p", { class: "activation" }, `${model.activation}`, formula ? h("code", {}, formula) : null);
}

function parts(model, whole) {
  const found = model.card.parts;
  if (!found) return null;
  const lines = whole ? found : [...found].sort((one, other) => other[1] - one[1]).slice(0, 4);
  const rest = found.length - lines.length;
  const shown = lines.map(([label, n, share, derivation]) => h("tr", {},
    h("th", { scope: "row" }, label),
    h("td", { class: "bar-cell" }, h("span", { class: "share", style: `width:${Math.max(share * 100, 0.5)}%` })),
    h("td", { class: "figure" }, whole ? grouped(n) : percent(share)),
    whole ? h("td", { class: "derivation" }, derivation.replaceAll("*", "×")) : null));
  const total = h("tr", { class: "total" }, h("th", { scope: "row" }, rest ? `Total, ${rest} more parts` : "Total"),
    h("td", {}), h("td", { class: "figure" }, grouped(model.total)), whole ? h("td", {}) : null);
  return h("table", { class: "parts" }, h("tbody", {}, shown, total));
}

function comparison(model) {
  const { stated, computed, off, scope, explanation } = model.card;
  if (!stated) return h("p", { class: "muted" }, "Its publisher states no count.");
  const difference = off === undefined ? "" : ` Difference ${off > 0 ? "+" : off < 0 ? "−" : ""}${grouped(Math.abs(off))}`
    + (off ? ` (${signed(model.difference)})` : "");
  return h("p", {}, h("span", { class: `status status-${model.status.split(" ")[0]}` }, model.status), " ",
    `Published ${stated}${scope ? `, ${scope}` : ""}`, computed === undefined ? "." : `; computed ${grouped(computed)}.`,
    difference ? `${difference}.` : "", explanation ? ` ${explanation}` : "");
}

// Where its paper stands, in words: the short card cannot be clicked.
function paper(model) {
  const address = model.card.link;
  return address ? h("p", { class: "muted paper" }, `Paper or page: ${address.replace(/^https?:\/\/(www\.)?/, "")}`) : null;
}

function shortCard(model) {
  return [head(model), dimensions(model), activation(model), parts(model, false), comparison(model), paper(model)];
}

function section(title, ...content) {
  return content.some((each) => each) ? h("section", {}, h("h3", {}, title), ...content) : null;
}

function facts(model) {
  const left = COLUMNS.filter(({ name }) => !DIMENSIONS.includes(name) && model[name] !== null && model[name] !== "");
  return h("table", { class: "facts" }, h("tbody", {}, left.map((column) => {
    const formula = formulaOf(column, model, state.separator);
    const value = model[column.name];
    return h("tr", {}, h("th", { scope: "row" }, column.title),
      h("td", { class: typeof value === "number" ? "figure" : "" },
        `${column.kind === "count" ? grouped(value) : cellText(column, value)} ${column.kind === "share" ? "" : column.unit}`),
      h("td", {}, formula ? copyFormula(column, model) : null));
  })));
}

function copyFormula(column, model) {
  return button("Copy formula", () => copy(formulaOf(column, model, state.separator), "formula"),
    { class: "small", "aria-label": `Copy formula of ${column.title}, ${model.name}` });
}

function origin(model) {
  const { link: address, source, retrieved, hf_id: repositories, note } = model.card;
  const names = (repositories || "").split(";").filter(Boolean);
  return [
    address ? h("p", {}, "Paper or page: ", link(address)) : null,
    names.length ? h("p", {}, "Weights: ", names.map((name, place) =>
      [place ? ", " : "", link(`https://huggingface.co/${name}`, name)])) : null,
    source ? h("p", { class: "muted" }, `Source: ${source}${retrieved ? `; read ${retrieved}` : ""}`) : null,
    note ? h("p", { class: "muted" }, note) : null,
  ];
}

function panel(model) {
  const { beside, notes } = model.card;
  const added = Object.entries(beside || {}).map(([name, n]) => `${grouped(n)} in ${name}`);
  byId("panel").replaceChildren(
    h("div", { class: "panel-tools" },
      button(state.compare.includes(model.key) ? "In comparison" : "Compare", () => toggleCompared(model.key)),
      model.asks ? button("Copy count as formula", () => copyCount(model)) : null,
      button("Close", () => change({ model: "" }), { class: "close" })),
    head(model, "panel-title"),
    h("div", { class: "panel-body", tabindex: "0", role: "group", "aria-label": `Facts about ${model.name}` },
      section("Dimensions", dimensions(model), activation(model),
        model.features.length ? h("p", { class: "muted" }, model.features.join(" · ")) : null),
      section("How its count is derived", parts(model, true),
        added.length ? h("p", { class: "muted" }, `Stored beside it: ${added.join(", ")}.`) : null,
        ...(notes || []).map((note) => h("p", { class: "muted" }, `Note: ${note}.`))),
      section("Published against computed", comparison(model)),
      section("Facts", facts(model)),
      section("Where this comes from", ...origin(model))));
}

function copyCount(model) {
  if (!model.asks) return say(`No formula gives ${model.name}: its row names no config.`);
  return copy(formulaOf(COLUMN.total, model, state.separator), "formula");
}

function showPanel() {
  if (!hasLater) return state.model && later.then(showPanel);
  const dialog = byId("panel");
  const model = MODEL[state.model];
  if (!model) return dialog.close();
  panel(model);
  if (!dialog.open) dialog.showModal();
  return undefined;
}

let hoverTimer = 0;

function hoverOver(model, anchor) {
  clearTimeout(hoverTimer);
  if (!hasLater) return;
  hoverTimer = setTimeout(() => {
    const card = byId("hover");
    card.replaceChildren(...shortCard(model).filter(Boolean));
    card.hidden = false;
    const place = anchor.getBoundingClientRect();
    const left = Math.min(place.right + 12, window.innerWidth - card.offsetWidth - 12);
    const top = Math.min(place.top - 8, window.innerHeight - card.offsetHeight - 12);
    card.style.left = `${Math.max(8, left)}px`;
    card.style.top = `${Math.max(8, top)}px`;
  }, 180);
}

function hoverOut() {
  clearTimeout(hoverTimer);
  byId("hover").hidden = true;
}
