// The functions: found by any word, their calls built for the reader's locale, closed forms worked out at once.

// A value as a cell takes it: texts in quotation marks, decimals by the locale's sign.
function literal(value, separator) {
  if (isBlank(value)) return "";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (Array.isArray(value)) {
    const [column, row] = separator === ";" ? ["\\", ";"] : [",", ";"];
    return `{${value.map((line) => [line].flat().map((each) => literal(each, separator)).join(column)).join(row)}}`;
  }
  if (typeof value === "number") return separator === ";" ? String(value).replace(".", ",") : String(value);
  return `"${value.replaceAll('"', '""')}"`;
}

function typed(argument, text) {
  if (isBlank(text)) return null;
  const word = text.trim();
  if (argument.kind === "flag") return /^(true|yes|1)$/i.test(word) ? true : /^(false|no|0)$/i.test(word) ? false : word;
  if ((argument.kind === "integer" || argument.kind === "number") && !Number.isNaN(amount(word))) return amount(word);
  return word;
}

// A function of many arguments takes those after the first blank as one text: "tp=8; weight_dtype=fp8".
const MOST_PLACES = 8;

function callText(entry, values, separator) {
  const given = entry.arguments.map(({ name }) => (isBlank(values[name]) ? null : values[name]));
  const blank = given.indexOf(null);
  const later = blank < 0 ? [] : entry.arguments.filter(({ name }, place) => place > blank && given[place] !== null);
  const words = given.map((each) => literal(each, separator));
  if (given.length > MOST_PLACES && later.length && !later.some(({ name }) => Array.isArray(values[name]))) {
    const options = later.map(({ name }) => `${name}=${literal(values[name], ",").replaceAll('"', "")}`);
    words.splice(blank, words.length, `"${options.join("; ")}"`);
  }
  while (words.length && words.at(-1) === "") words.pop();
  return `=${entry.name}(${words.join(separator)})`;
}

const argumentsGiven = () => named([...new URLSearchParams(state.args)]);

// Words that say nothing of what is asked.
const FILLING = new Set(["a", "an", "the", "of", "for", "to", "in", "per", "how", "many", "much", "what", "which", "is", "do", "does", "i", "my", "need"]);
const SHORTEST_STEM = 4; // train of training

const isPart = (part, word) => part === word || (Math.min(part.length, word.length) >= SHORTEST_STEM && (word.startsWith(part) || part.startsWith(word)));

// How far from a function's name a word is found, 0 for a part of the name; undefined where it is not.
function distanceOf(entry, word) {
  const texts = [entry.name.toLowerCase(), `${entry.category} ${entry.summary}`, entry.arguments.map(({ name }) => name).join(" "), entry.arguments.map(({ meaning }) => meaning).join(" ")];
  if (entry.name.toLowerCase().split("_").some((part) => isPart(part, word))) return 0;
  const found = texts.findIndex((text) => text.toLowerCase().includes(word));
  return found < 0 ? undefined : found + 1;
}

// The words of a search: a model's name asks for what takes a model, and a word that no function has is left out.
function wordsSought() {
  const typed = state.find.toLowerCase().split(/\s+/).filter((word) => word && !FILLING.has(word));
  const isKnown = (word) => FUNCTIONS.some((entry) => distanceOf(entry, word) !== undefined);
  return typed.map((word) => (!isKnown(word) && MODELS.some((model) => textOf(model).includes(word)) ? "model" : word)).filter(isKnown);
}

// Functions that people mean by the words, then those that have all of them: first whose summary says the phrase, whose
// names say the words.
function listed() {
  const typed = state.find.trim().toLowerCase();
  if (!typed) return [...FUNCTIONS].sort((one, other) => one.category.localeCompare(other.category) || one.name.localeCompare(other.name));
  const words = wordsSought();
  const meant = CALCULATOR.words[squashed(typed)] || CALCULATOR.words[words.join("")] || [];
  const far = named(FUNCTIONS.map((entry) => [entry.name, words.map((word) => distanceOf(entry, word))]));
  const says = named(FUNCTIONS.map((entry) => [entry.name, words.length > 1 && entry.summary.toLowerCase().includes(typed) ? 0 : 1]));
  const distance = ({ name, rows }) => (meant.includes(name) ? meant.indexOf(name) - meant.length : says[name] * far[name].reduce((sum, each) => sum + each, rows ? 0.5 : 0));
  const found = FUNCTIONS.filter(({ name }) => meant.includes(name) || (words.length && !far[name].includes(undefined)));
  return found.sort((one, other) => distance(one) - distance(other) || one.arguments.length - other.arguments.length || one.name.localeCompare(other.name));
}

function showFunctions() {
  const found = listed();
  const items = [];
  let category = "";
  for (const each of found) {
    if (!state.find.trim() && each.category !== category) items.push(h("h2", {}, (category = each.category)));
    items.push(button(each.name, () => choose(each.name), { "aria-current": each.name === state.fn ? "true" : "false", title: each.summary }));
  }
  byId("function-list").replaceChildren(...(items.length ? items : [h("p", { class: "muted" }, "No function has all these words.")]));
  byId("function-count").textContent = `${found.length} of ${FUNCTIONS.length} functions`;
}

function choose(name) {
  const entry = FUNCTION[name];
  change({ fn: name, args: new URLSearchParams(exampleTexts(entry)).toString() });
}

// The example's arguments as a reader would type them, ranges left out.
function exampleTexts(entry) {
  const texts = Object.entries(entry.example).filter(([, value]) => !Array.isArray(value) && value !== null);
  return Object.fromEntries(texts.map(([name, value]) => [name, typeof value === "boolean" ? (value ? "TRUE" : "FALSE") : String(value)]));
}

function argumentRow(argument, given) {
  const choices = argument.kind === "flag" ? ["TRUE", "FALSE"] : wordsOf(argument);
  const value = given[argument.name] || "";
  const fallback = argument.required ? "required" : argument.default === null ? "blank" : String(argument.default).replace(/^(true|false)$/, (word) => word.toUpperCase());
  const id = `argument-${argument.name}`;
  const control = h("input", { id, name: argument.name, value, placeholder: fallback, autocomplete: "off", list: choices.length ? `${id}-choices` : null });
  control.addEventListener("input", () => {
    const texts = { ...argumentsGiven(), [argument.name]: control.value };
    change({ args: new URLSearchParams(Object.entries(texts).filter(([, text]) => text.trim())).toString() });
  });
  return h("div", { class: "argument" }, h("label", { for: id }, argument.name), control,
    h("span", { class: "muted" }, `${argument.meaning}${argument.unit ? `, ${argument.unit}` : ""}`),
    choices.length ? h("datalist", { id: `${id}-choices` }, choices.map((each) => h("option", { value: each }))) : null);
}

function showFunction() {
  const entry = FUNCTION[state.fn];
  const given = argumentsGiven();
  byId("function").replaceChildren(...[
    h("h2", {}, entry.name), h("p", {}, entry.summary),
    entry.description ? h("p", { class: "muted" }, entry.description) : null,
    h("div", { id: "arguments" }, entry.arguments.map((argument) => argumentRow(argument, given))),
    h("div", { class: "call" }, h("code", { id: "call" }),
      button("Copy", () => copy(byId("call").textContent, "formula"), { id: "copy-call" })),
    h("div", { id: "result", role: "status" }),
    h("p", { class: "muted" }, `Source: ${entry.source}`)].filter(Boolean));
  showResult();
}

function showResult() {
  const entry = FUNCTION[state.fn];
  const given = argumentsGiven();
  const values = Object.fromEntries(entry.arguments.map((each) => [each.name, typed(each, given[each.name] || "")]));
  byId("call").textContent = callText(entry, values, state.separator);
  byId("result").replaceChildren(...(entryOf(entry.name) ? worked(entry, given) : unworked(entry)));
}

function worked(entry, given) {
  const { value, bound, band, problem } = evaluated(entry.name, given);
  if (problem) return [h("p", { class: "problem" }, problem)];
  if (typeof value === "string") return [h("p", { class: "answer" }, h("strong", {}, value)), h("p", { class: "muted" }, entry.meaning)];
  const shown = (number) => (Number.isInteger(number) ? grouped(number) : digits(number, entry.formula ? 12 : 4));
  return [
    h("p", { class: "answer" }, h("strong", {}, shown(value)), ` ${entry.unit}`, Math.abs(value) >= 1e4 ? h("span", { class: "muted" }, ` ${short(value)}`) : null),
    h("dl", { class: "explained" }, entry.formula ? formulaLines(entry, bound) : null, bandLines(entry, value, band, shown),
      h("dt", {}, "Result"), h("dd", {}, entry.meaning)),
  ];
}

const formulaLines = (entry, bound) => [
  h("dt", {}, "Formula"), h("dd", {}, h("code", {}, entry.formula)),
  h("dt", {}, "Numbers"), h("dd", {}, h("code", {}, substituted(entry.formula, bound))),
];

// How far measurements lay from an estimate, or why nobody knows; exact counts have neither.
function bandLines(entry, value, band, shown) {
  if (!band && !entry.no_band) return null;
  const said = band ? `${shown(value * band[0])} to ${shown(value * band[1])} ${entry.unit} for eight of ten measurements: ${band[2]}` : entry.no_band;
  return [h("dt", {}, band ? "Band" : "No band"), h("dd", { id: "band" }, said)];
}

function unworked(entry) {
  const example = callText(entry, entry.example, state.separator);
  return [
    h("p", { class: "muted" }, "This needs a model's layers, a search or a file, which the page does not hold. Paste the call into Excel or "
      + `LibreOffice, or run: sizebook call ${entry.name} …`),
    h("dl", { class: "explained" }, h("dt", {}, "Example"), h("dd", {}, h("code", {}, example)),
      h("dt", {}, "gives"), h("dd", {}, exampleValue(entry)), h("dt", {}, "Result"), h("dd", {}, `${entry.meaning}${entry.unit ? `, ${entry.unit}` : ""}`)),
  ];
}

function exampleValue(entry) {
  if (!Array.isArray(entry.value)) return h("code", {}, typeof entry.value === "number" ? grouped(entry.value) : String(entry.value));
  const lines = entry.value.map((line) => h("tr", {}, [line].flat().map((each) => h("td", {}, each === null ? "" : String(each)))));
  const left = entry.rows - entry.value.length;
  return [h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Example" }, h("table", {}, h("tbody", {}, lines))),
    left > 0 ? h("p", { class: "muted" }, `and ${left} more rows`) : ""];
}

// What a link asks for, once the functions are there: an unknown one is left out, one without arguments shows its example.
function nameCall() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!(state.fn in FUNCTION)) {
    sayForgotten([state.fn]);
    Object.assign(state, { fn: START.fn, args: START.args });
  } else if (given.has("fn") && !given.has("args")) state.args = new URLSearchParams(exampleTexts(FUNCTION[state.fn])).toString();
}

function followCalculator(has) {
  if (has("find", "fn")) showFunctions();
  if (has("fn")) showFunction();
  else if (has("args", "separator")) showResult();
}

function buildCalculator() {
  const search = h("input", { type: "search", name: "find", placeholder: "cache, training days, GPU price …", oninput: (event) => change({ find: event.target.value }) });
  byId("view-calculator").append(h("div", { class: "calculator" },
    h("div", { class: "finder" }, h("label", { class: "field" }, h("span", {}, "Find a function"), search),
      h("p", { id: "function-count", class: "muted", role: "status" }), h("div", { id: "function-list", role: "group", "aria-label": "Functions" })),
    h("article", { id: "function", "aria-label": "The function" })));
  search.value = state.find;
  showFunctions();
  showFunction();
}
