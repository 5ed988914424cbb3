// What the page knows (sizebook.dashboard.contents), models as objects of their columns' values.
// The table needs the first part alone; the second, packed, is read once the table stands.

const DATA = JSON.parse(byId("first").textContent);
const COLUMNS = DATA.columns;
const COLUMN = named(COLUMNS.map((column) => [column.name, column]));
const MODELS = DATA.models.key.of.map(() => ({}));
for (const [name, { words, of }] of Object.entries(DATA.models)) {
  of.forEach((value, place) => { MODELS[place][name] = words ? words[value] : value; });
}
for (const row of MODELS) row.kind = row.own ? "own model" : row.features.includes("experts") ? "experts" : "dense";
const MODEL = named(MODELS.map((model) => [model.key, model]));

// Letters, digits and points alone: people part the words of a name as they like.
const squashed = (text) => text.toLowerCase().replace(/[^\p{L}\d.]/gu, "");

// What a search looks through; nobody waits for it before the first.
function textOf(row) {
  row.text = row.text || [row.name, row.key, row.organisation, row.family, row.weights, squashed(row.name)].join(" ").toLowerCase();
  return row.text;
}

// The Excel formula of a column for a model; "" where none gives it. Other locales part arguments by semicolons.
function formulaOf(column, model, separator) {
  if (!column.formula || !model.asks) return "";
  const parted = separator === ";" ? semicolons(column.formula) : column.formula;
  return parted.replaceAll("{model}", model.asks.replaceAll('"', '""'));
}

function semicolons(formula) {
  return formula.split(/("[^"]*")/).map((part, place) => (place % 2 ? part : part.replaceAll(",", ";"))).join("");
}

// Organisations carry a monogram, for their logos are not ours to hand on; the colour is theirs alone by its place.
const ORGANISATIONS = [...new Set(MODELS.map((model) => model.organisation).filter(Boolean))].sort();

function badge(model) {
  const name = model.organisation || model.name;
  const words = name.split(/[\s,.-]+/).filter(Boolean);
  const monogram = words.length > 1 ? words[0][0] + words[1][0] : name.slice(0, 2);
  const hue = (ORGANISATIONS.indexOf(model.organisation) * 137) % 360;
  return h("span", { class: "badge", style: `--hue:${hue}`, "aria-hidden": "true" }, monogram);
}
