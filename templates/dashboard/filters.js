// Which models are shown. Conditions add up; a blank fact fulfils none that asks for it.

const FILTERS = ["q", "min", "max", "from", "to", "family", "organisation", "licence", "features"];
let rows = MODELS;
let keysShown = new Set();

// Finds the rows anew; the table asks isShown of each.
function filterRows() {
  rows = filtered();
  keysShown = new Set(rows.map(({ key }) => key));
}

const isShown = (model) => keysShown.has(model.key);

function filtered() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const [least, most] = [amount(state.min), amount(state.max)];
  return MODELS.filter((model) =>
    words.every((word) => textOf(model).includes(word))
    && (least === null || (model.size !== null && model.size >= least))
    && (most === null || (model.size !== null && model.size <= most))
    && (!state.from || (model.release_date && firstDay(model.release_date) >= state.from))
    && (!state.to || (model.release_date && lastDay(model.release_date) <= state.to))
    && (!state.family || model.family === state.family)
    && (!state.organisation || model.organisation === state.organisation)
    && (!state.licence || model.licence === state.licence)
    && state.features.every((feature) => model.features.includes(feature)));
}

const firstDay = (stated) => (stated.length > 7 ? stated : `${stated}-01`);
const lastDay = (stated) => (stated.length > 7 ? stated : `${stated}-31`);

function field(label, control) {
  return h("label", { class: `field field-${control.name}` }, h("span", {}, label), control);
}

function input(name, attributes) {
  const control = h("input", { name, autocomplete: "off", ...attributes });
  control.addEventListener("input", () => {
    const wrong = (name === "min" || name === "max") && Number.isNaN(amount(control.value));
    control.setAttribute("aria-invalid", String(wrong));
    if (wrong) say(`Not a size: got '${control.value}', want a number such as 7B. Correct it.`);
    else change({ [name]: control.value });
  });
  return control;
}

const CHOICES = ["family", "organisation", "licence"];

function choice(name) {
  return h("select", { name, onchange: (event) => change({ [name]: event.target.value }) }, h("option", { value: "" }, "any"));
}

// What nobody sees before the table stands: some 200 words, and calendars.
function fillChoices() {
  for (const name of ["from", "to"]) byId("filter-form").elements[name].type = "date";
  for (const name of CHOICES) {
    const counts = new Map();
    for (const model of MODELS) if (model[name]) counts.set(model[name], (counts.get(model[name]) || 0) + 1);
    const sorted = [...counts].sort(([one], [other]) => alphabetic(one, other));
    byId("filter-form").elements[name].append(...sorted.map(([value, n]) => new Option(`${value} (${n})`, value)));
  }
  showFilters();
}

function buildFilters() {
  byId("filter-form").append(
    field("Search", input("q", { type: "search", placeholder: "name, family, organisation, repository" })),
    field("At least", input("min", { placeholder: "7B", inputmode: "text" })),
    field("At most", input("max", { placeholder: "70B", inputmode: "text" })),
    field("Released from", input("from")),
    field("until", input("to")),
    field("Family", choice("family")),
    field("Organisation", choice("organisation")),
    field("Licence", choice("licence")),
    button("Clear", () => change(Object.fromEntries(FILTERS.map((name) => [name, START[name]]))), { id: "clear" }),
  );
  byId("filter-form").addEventListener("submit", (event) => event.preventDefault());
  byId("features").append(...DATA.features.map((feature) =>
    button(feature, () => toggleFeature(feature), { class: "chip", "data-feature": feature })));
  if (NARROW) byId("filters").open = false;
}

function toggleFeature(feature) {
  const on = state.features.includes(feature);
  change({ features: on ? state.features.filter((each) => each !== feature) : [...state.features, feature] });
}

function showFilters() {
  for (const control of byId("filter-form").elements) {
    if (control.name && control.value !== state[control.name] && control.getAttribute("aria-invalid") !== "true") {
      control.value = state[control.name];
    }
  }
  for (const chip of byId("features").children) {
    chip.setAttribute("aria-pressed", String(state.features.includes(chip.dataset.feature)));
  }
  const n = FILTERS.filter((name) => state[name].length).length;
  byId("filter-count").textContent = n ? `${n} set` : "";
  byId("clear").disabled = n === 0;
}

const median = (numbers) => {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

function showTiles() {
  const counted = rows.filter((model) => model.total !== null);
  const compared = counted.filter((model) => model.difference !== null);
  const agreed = (...statuses) => compared.filter((model) => statuses.includes(model.status)).length;
  const [exact, rounded, explained] = [agreed("exact"), agreed("rounds to it"), agreed("explained")];
  const largest = rows.reduce((most, model) => (most && (most.size || 0) >= (model.size || 0) ? most : model), null);
  const experts = counted.filter((model) => model.features.includes("experts"));
  const tiles = [
    ["Models", grouped(rows.length), rows.length === MODELS.length ? "the whole catalog" : `of ${MODELS.length}`],
    ["Counted exactly", grouped(counted.length), rows.length > counted.length ? `${rows.length - counted.length} without published dimensions` : rows.length ? "all of them" : ""],
    ["As their publisher states", compared.length ? `${exact + rounded} of ${compared.length}` : "–",
      compared.length ? `${exact} exact, ${rounded} rounded; ${explained} explained, ${compared.length - exact - rounded - explained} different` : "no statement to compare"],
    ["Median size", counted.length ? short(median(counted.map((model) => model.total))) : "–", "parameters"],
    ["Largest", largest && largest.size ? short(largest.size) : "–", largest ? largest.name : ""],
    ["With experts", counted.length ? percent(experts.length / counted.length) : "–", `${experts.length} models`],
  ];
  byId("tiles").replaceChildren(...tiles.map(([label, value, note]) => h("li", { class: "tile" },
    h("span", { class: "label" }, label), h("span", { class: "value" }, value), h("span", { class: "note" }, note))));
}
