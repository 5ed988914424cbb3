// Calls of functions in the browser: arguments as cells are read, closed forms from their one formula (CLOSED), serving
// estimates from the Python that is their definition (ESTIMATED). An entry has value(...arguments in order, the names
// stated), and maybe blanks, holds and band.

const CALCULATOR = DATA.calculator;
const FUNCTIONS = CALCULATOR.functions.map((each) => ({
  ...each, arguments: each.arguments.map((place) => CALCULATOR.arguments[place]),
}));
const FUNCTION = named(FUNCTIONS.map((each) => [each.name, each]));
const LARGEST_COUNT = 1e18;

class Refused extends Error {}

const MOST_NAMES = 5;

// What is wanted where one of some names belongs, as sizebook.core.hints writes it where none is like the word.
function offered(known, lists = "docs/functions.md", also = "") {
  const more = known.length - MOST_NAMES;
  const others = more > 0 ? ` and ${more} others` : "";
  return `one of ${known.slice(0, MOST_NAMES).join(", ")}${others}${also}. ${more > 0 ? `${lists} lists them.` : "Choose one of them."}`;
}

const choicesOf = (argument) => (argument.choices === undefined ? [] : CALCULATOR.choices[argument.choices]);

function readNumber(argument, given) {
  const number = typeof given === "number" ? given : amount(String(given));
  if (number === null || Number.isNaN(number)) {
    throw new Refused(`${argument.name} is not a number: got '${given}', want a number (${argument.meaning}). `
      + "Type digits, or a number with M, B or T for 10^6, 10^9 or 10^12.");
  }
  const holds = { "at least": (n) => number >= n, above: (n) => number > n, "at most": (n) => number <= n, below: (n) => number < n };
  const bounds = Object.entries(argument.bounds);
  if (!Number.isFinite(number) || !bounds.every(([word, bound]) => holds[word](bound))) {
    const wanted = bounds.map(([word, bound]) => `${word} ${bound}`).join(" and ") || "a number that a cell can hold";
    throw new Refused(`${argument.name} is out of range: got ${number}, want ${wanted} (${argument.meaning}). Correct the number.`);
  }
  return number;
}

function readInteger(argument, given) {
  const number = readNumber(argument, given);
  if (Math.abs(number) > LARGEST_COUNT) {
    throw new Refused(`${argument.name} is too large: got ${number}, want at most 1e+18 (${argument.meaning}). Correct the number.`);
  }
  if (!Number.isInteger(number)) {
    throw new Refused(`${argument.name} is not whole: got ${number}, want a whole number (${argument.meaning}). Round it to a whole number.`);
  }
  return number;
}

function readFlag(argument, given) {
  const word = String(given).trim().toUpperCase();
  if (["TRUE", "YES", "1"].includes(word)) return 1;
  if (["FALSE", "NO", "0"].includes(word)) return 0;
  throw new Refused(`${argument.name} is not a flag: got '${given}', want TRUE or FALSE (${argument.meaning}). Type TRUE or FALSE.`);
}

function readChoice(argument, given) {
  const word = String(given).trim().toLowerCase();
  const found = choicesOf(argument).find((each) => each.toLowerCase() === ((argument.means || {})[word] || word));
  if (found !== undefined) return found;
  throw new Refused(`unknown ${argument.name}: got '${given}', want ${offered(choicesOf(argument))}`);
}


// Models whose names have all words that somebody typed, those first that begin with them, of these the newest.
function likelyModels(text) {
  const words = text.toLowerCase().split(/[\s/_-]+/).filter(Boolean);
  const begins = ({ asks }) => (squashed(asks).startsWith(squashed(text)) ? 0 : asks.startsWith(words[0]) ? 1 : 2);
  return MODELS.filter((model) => model.asks && words.every((word) => textOf(model).includes(word)))
    .sort((one, other) => begins(one) - begins(other)).slice(0, MOST_NAMES).map(({ asks }) => asks);
}

// A model by its key, name or repository, however its words are parted; a key goes before another's name.
function readText(argument, given) {
  const text = String(given).trim();
  if (!argument.name.endsWith("model")) return text;
  const stored = ({ weights }) => (weights || "").split(";").flatMap((repository) => [repository, repository.split("/").at(-1)]);
  const bears = [({ asks }) => [asks], ({ name }) => [name], stored];
  const found = bears.map((names) => MODELS.find((model) => model.asks && names(model).map(squashed).includes(squashed(text)))).find(Boolean);
  if (found || argument.name !== "model") return found ? found.asks : text;
  const likely = likelyModels(text).map((each) => `'${each}'`);
  const hint = likely.length ? `Did you mean ${[likely.slice(0, -1).join(", "), likely.at(-1)].filter(Boolean).join(" or ")}?` : "The list of the field has them.";
  throw new Refused(`unknown model: got '${text}', want one of this page. ${hint}`);
}

const READ = { text: readText, integer: readInteger, number: readNumber, flag: readFlag, choice: readChoice };
const isBlank = (given) => given === null || given === undefined || String(given).trim() === "";

function readArgument(argument, given) {
  if (!isBlank(given)) return READ[argument.kind](argument, given);
  if (argument.required) throw new Refused(`${argument.name} is blank: got nothing, want a value (${argument.meaning}). Fill the field.`);
  return typeof argument.default === "boolean" ? Number(argument.default) : argument.default;
}

const MODELS_ASKED = MODELS.map(({ asks }) => asks).filter(Boolean);
const wordsOf = (argument) => (argument.name === "model" ? MODELS_ASKED : choicesOf(argument));

// The value of a function that is looked up (sizebook.dashboard.look_ups): its words turn the faster the later they stand.
function lookedUp(entry, given) {
  const { axes, values } = DATA.looked[entry.name];
  let place = 0;
  entry.arguments.forEach((argument, at) => {
    const word = given[at];
    if (!axes.includes(argument.name)) {
      if (!isBlank(word)) throw new Refused(`not in the page: got ${argument.name} '${word}', want it blank. Use 'sizebook call ${entry.name}'.`);
      return;
    }
    const words = wordsOf(argument);
    const found = words.findIndex((each) => each.toLowerCase() === String(word).toLowerCase());
    if (found < 0) throw new Refused(`unknown ${argument.name}: got '${word}', want ${offered(words, "The list of the field")}`);
    place = place * words.length + found;
  });
  if (values[place] !== null) return values[place];
  throw new Refused(`not known: got ${given.filter((word) => !isBlank(word)).join(", ")}, want what the tables hold. Choose another.`);
}

const entryOf = (name) => CLOSED[name] || ESTIMATED[name]
  || (name in DATA.looked ? { value: (...given) => lookedUp(FUNCTION[name], given.slice(0, FUNCTION[name].arguments.length)) } : undefined);

// The value of a call, arguments by name as they were typed: { value, bound, band } or { problem }.
function evaluated(name, given) {
  const entry = FUNCTION[name];
  const { value, band, holds, blanks = {} } = entryOf(name);
  try {
    const bound = Object.fromEntries(entry.arguments.map((each) => [each.name, readArgument(each, given[each.name])]));
    const values = () => entry.arguments.map((each) => bound[each.name]);
    for (const [blank, standsFor] of Object.entries(blanks)) if (bound[blank] === null) bound[blank] = standsFor(...values());
    if (holds && !holds(...values())) {
      throw new Refused(`condition not met: got ${substituted(entry.holds, bound)}, want ${entry.holds}. Correct the arguments.`);
    }
    const stated = Object.keys(bound).filter((each) => !isBlank(given[each]));
    const found = presentable(entry, value(...values(), stated));
    return { value: found, bound, band: band ? band(...values(), stated) : null };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message };
    throw error;
  }
}

function presentable(entry, value) {
  if (typeof value === "string") return value;
  const wanted = entry.negative ? "a number that a cell can hold" : `at least 0 (${entry.meaning})`;
  if (Number.isFinite(value) && (value >= 0 || entry.negative)) return value;
  throw new Refused(`result out of range: got ${value} from ${entry.name}, want ${wanted}. Correct the arguments.`);
}

// A formula with the numbers of a call for its names.
function substituted(formula, bound) {
  return formula.replace(/"[^"]*"|[a-z_][a-z0-9_]*/gi, (word) => (word in bound ? String(bound[word]) : word));
}
