// What is shown: filters, order, columns, view, theme. It lives in the address behind #, so that a link restores it.

const NARROW = window.matchMedia("(max-width: 640px)").matches;
const MOST_COMPARED = 6;
const VIEWS = ["fit", "models", "charts", "compare", "calculator", "market"];
const DEFAULT_COLUMNS = COLUMNS.filter((column) => (NARROW ? column.narrow : column.shown)).map(({ name }) => name);
const START = {
  view: "models", q: "", min: "", max: "", from: "", to: "", family: "", organisation: "", licence: "", features: [],
  sort: "-release_date", columns: DEFAULT_COLUMNS, compare: [], model: "", theme: "", separator: ",",
  fit: "", fn: "PARAMS_MHA", args: "d_model=4096", find: "",
};
const LISTS = ["features", "columns", "compare"];
// A list in a link: its items parted by ~, which an own model's name may hold too.
const joined = (items) => items.map((item) => item.replaceAll("%", "%25").replaceAll("~", "%7E")).join("~");
const parted = (text) => text.split("~").filter(Boolean).map((item) => item.replaceAll("%7E", "~").replaceAll("%25", "%"));
const state = { ...START };

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(START)) {
    if (!given.has(name)) state[name] = START[name];
    else state[name] = LISTS.includes(name) ? parted(given.get(name)) : given.get(name);
  }
  if (!location.hash.slice(1)) state.view = VIEWS[0]; // a link says what it shows, if only which model or order
  forgotten = [];
  sayForgotten(forgetUnknown());
  if (hasLater) nameCall();
}

let forgotten = [];

// A link is read in two parts; the second message holds what the first said.
function sayForgotten(unknown) {
  forgotten.push(...unknown);
  if (unknown.length) say(`The link names what this page does not know: ${forgotten.join(", ")}. Left out.`);
}

// Keeps what this page knows of a link, which may come from another version; returns the rest.
function forgetUnknown() {
  const known = {
    columns: (name) => name in COLUMN, compare: (key) => key in MODEL, features: (name) => DATA.features.includes(name),
  };
  const unknown = [];
  for (const name of LISTS) {
    unknown.push(...state[name].filter((each) => !known[name](each)));
    state[name] = state[name].filter(known[name]);
  }
  const held = (name) => (value) => !value || MODELS.some((model) => model[name] === value);
  const isDay = (value) => !value || (/^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)));
  const isSize = (value) => !Number.isNaN(amount(value));
  const single = {
    view: (view) => VIEWS.includes(view), model: (key) => !key || key in MODEL, min: isSize, max: isSize, from: isDay, to: isDay,
    family: held("family"), organisation: held("organisation"), licence: held("licence"),
    sort: (sort) => sort === "name" || sort.replace(/^-/, "") in COLUMN || sort === "-name",
    theme: (theme) => ["", "light", "dark"].includes(theme), separator: (sign) => [",", ";"].includes(sign),
  };
  for (const [name, isKnown] of Object.entries(single)) {
    if (isKnown(state[name])) continue;
    unknown.push(state[name]);
    state[name] = START[name];
  }
  const by = state.sort.replace(/^-/, "");
  if (by !== "name" && !state.columns.includes(by)) state.columns = [...state.columns, by];
  return unknown;
}

function writeState() {
  const given = new URLSearchParams();
  for (const [name, start] of Object.entries(START)) {
    const value = LISTS.includes(name) ? joined(state[name]) : state[name];
    if (value !== (LISTS.includes(name) ? joined(start) : start)) given.set(name, value);
  }
  const hash = given.toString() || `view=${START.view}`;
  if (location.hash.slice(1) !== hash) history.replaceState(null, "", `#${hash}`);
}

const listeners = [];
const onChange = (listener) => listeners.push(listener);

// Changes the state, then the address and whatever listens; listeners get the names that changed.
function change(values) {
  const changed = new Set(Object.keys(values).filter((name) => state[name] !== values[name]));
  if (!changed.size) return;
  Object.assign(state, values);
  writeState();
  for (const listener of listeners) listener(changed);
}
