// What Python means where JavaScript means something else, for functions that sizebook.dashboard.translating prints.
// TABLES holds their data, as sizebook.dashboard.translating.program lays them down.

const KINDS = {};
const REVIVED = new Map();
const refused = (message) => new Refused(message);
const unknown_key = (what, got, known, where, lists, also) =>
  refused(`unknown ${what}: got '${got}', want ${where || offered([...known], lists, also)}`);

// Data ----------------------------------------------------------------------------------------------------------------

// Tuples are arrays, so what a dictionary or set knows them by is their text.
const keyOf = (key) => (Array.isArray(key) ? JSON.stringify(key) : key);

class Dict {
  constructor() { this.of = new Map(); }
  set(key, value) { this.of.set(keyOf(key), [key, value]); return this; }
  has(key) { return this.of.has(keyOf(key)); }
  get(key) { return this.of.get(keyOf(key))[1]; }
}

function revive(plain) {
  if (Array.isArray(plain)) return plain.map(revive);
  if (plain === null || typeof plain !== "object") return plain;
  if (plain.kind === "dict") return py_dict(plain.of.map(([key, value]) => [revive(key), revive(value)]));
  if (plain.kind === "set") return py_set(plain.of.map(revive));
  if (plain.kind === "weak") return new WeakMap();
  if (plain.kind === "refused") throw refused(plain.of[0]);
  return placed(KINDS[plain.kind], plain.of.map(revive));
}

function kept(name, plain) {
  if (!REVIVED.has(name)) REVIVED.set(name, revive(plain()));
  return REVIVED.get(name);
}

const held = (name) => kept(name, () => TABLES[name]);

function tabulated(name, key) {
  const rows = TABLES[name];
  if (!Object.hasOwn(rows, key)) throw refused(`not on this page: got '${key}', want one of its own. Paste the call into a workbook instead.`);
  return kept(`${name} ${key}`, () => rows[key]);
}

// Instances -----------------------------------------------------------------------------------------------------------

function placed(cls, values) {
  return made(cls, values.map((value, place) => [cls.fields[place], value]));
}

function made(cls, pairs) {
  const given = { ...cls.defaults(), ...Object.fromEntries(pairs) };
  const instance = new cls();
  for (const name of cls.fields) {
    if (given[name] === undefined) throw new TypeError(`no ${name} for ${cls.name}`);
    instance[name] = given[name];
  }
  if (Object.keys(given).length > cls.fields.length) throw new TypeError(`no such field of ${cls.name}: ${Object.keys(given)}`);
  return instance;
}

const replaced = (instance, pairs) => made(instance.constructor, [...instance.constructor.fields.map((name) => [name, instance[name]]), ...pairs]);
const fields_of = (cls) => cls.fields.map((name) => ({ name }));
const py_isinstance = (value, cls) => value instanceof cls;
const py_hasattr = (value, name) => value !== null && typeof value === "object" && name in value;

function py_getattr(value, name, otherwise) {
  if (py_hasattr(value, name)) return value[name];
  if (otherwise === undefined) throw new TypeError(`no attribute ${name}`);
  return otherwise;
}

// Truth, equality and arithmetic --------------------------------------------------------------------------------------

function truth(value) {
  if (value instanceof Dict) return value.of.size > 0;
  return Array.isArray(value) ? value.length > 0 : typeof value === "object" ? value !== null : Boolean(value);
}

const either = (value, other) => (truth(value) ? value : other());
const both = (value, other) => (truth(value) ? other() : value);
const plain = (value) => (typeof value === "boolean" ? Number(value) : keyOf(value));
const equal = (one, other) => plain(one) === plain(other);
const plus = (one, other) => (Array.isArray(one) ? [...one, ...other] : one + other);
const repeated = (list, times) => Array.from({ length: times }, () => list).flat();
const shifted = (number, bits) => number * 2 ** bits;

function divided(one, other) {
  if (Number(other) === 0) throw refused("division by zero: got 0 to divide by, want another number. Correct the arguments.");
  return one / other;
}

// As CPython divides doubles, so that a quotient is not rounded up first.
function whole(one, other) {
  divided(one, other);
  const rest = one % other;
  let quotient = (one - rest) / other;
  if (rest !== 0 && rest < 0 !== other < 0) quotient -= 1;
  const found = Math.floor(quotient);
  return quotient - found > 0.5 ? found + 1 : found;
}

const modulo = (one, other) => one - other * whole(one, other);

function power(base, exponent) {
  if (Number(base) === 0 && exponent < 0) divided(1, 0);
  return base ** exponent;
}

function merged(one, other) {
  if (one instanceof Dict) return py_dict([...method_items(one), ...method_items(other)]);
  return Number(one) | Number(other);
}

// Functions and methods of the language -------------------------------------------------------------------------------

const py_list = (values) => (values instanceof Dict ? method_keys(values) : typeof values === "string" ? [...values] : values);
const py_tuple = (values = []) => [...py_list(values)];
const py_iter = py_list;
const py_dict = (pairs = []) => py_list(pairs).reduce((found, [key, value]) => found.set(key, value), new Dict());
const py_set = (values = []) => py_list(values).reduce((found, value) => found.set(value, true), new Dict());
const py_len = (values) => py_list(values).length;
const py_bool = truth;
const py_int = (value) => Math.trunc(Number(value));
const py_float = (value) => Number(value);
const py_abs = (value) => Math.abs(value);
const py_any = (values) => py_list(values).some(truth);
const py_sum = (values, start = 0) => py_list(values).reduce(plus, start);
const py_next = (values, otherwise) => {
  if (values.length) return values[0];
  if (otherwise === undefined) throw new TypeError("nothing left to take");
  return otherwise;
};

function py_range(first, end, step = 1) {
  const [from, to] = end === undefined ? [0, first] : [first, end];
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, place) => from + place * step);
}

// Of one list or of several values, by a key where one is named.
function extreme(given, better) {
  const named = typeof given.at(-1) === "object" && !Array.isArray(given.at(-1)) && !(given.at(-1) instanceof Dict) ? given.at(-1) : {};
  const values = Object.keys(named).length ? given.slice(0, -1) : given;
  const list = values.length === 1 ? py_list(values[0]) : values;
  if (!list.length && named.default !== undefined) return named.default;
  if (!list.length) throw new TypeError("nothing to compare");
  const key = named.key || ((value) => value);
  return list.reduce((best, value) => (better(key(value), key(best)) ? value : best));
}

const py_max = (...given) => extreme(given, (one, other) => one > other);
const py_min = (...given) => extreme(given, (one, other) => one < other);

function contains(where, value) {
  if (where instanceof Dict) return where.has(value);
  return typeof where === "string" ? where.includes(value) : where.some((each) => equal(each, value));
}

function item(where, key) {
  if (where instanceof Dict) {
    if (!where.has(key)) throw new TypeError(`no key ${keyOf(key)}`);
    return where.get(key);
  }
  if (where.at(key) === undefined) throw new TypeError(`no place ${key}`);
  return where.at(key);
}

function set_item(where, key, value) {
  if (where instanceof Dict || where instanceof WeakMap) where.set(key, value);
  else where[key] = value;
}

function method_get(where, key, otherwise = null) {
  if (where instanceof WeakMap) return where.get(key) ?? otherwise;
  return where.has(key) ? where.get(key) : otherwise;
}

const method_items = (where) => [...where.of.values()];
const method_keys = (where) => method_items(where).map(([key]) => key);
const method_values = (where) => method_items(where).map(([, value]) => value);
const method_append = (list, value) => { list.push(value); return null; };
const method_join = (between, texts) => py_list(texts).join(between);
const method_startswith = (text, start) => [start].flat().some((each) => text.startsWith(each));
const method_endswith = (text, end) => [end].flat().some((each) => text.endsWith(each));
const method_format = (text, ...values) => { let place = 0; return text.replaceAll("{}", () => formatted(values[place++], "")); };
const method_lower = (text) => text.toLowerCase();
const method_casefold = method_lower;

const math_ceil = Math.ceil;
const math_gcd = (...numbers) => numbers.reduce((one, other) => { while (other) [one, other] = [other, one % other]; return Math.abs(one); }, 0);

// The format g: so many digits, no zeros at their end, and a power of ten beyond them or below 0.0001.
function general(value, digits) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const shorter = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const [mantissa, power] = value.toExponential(digits - 1).split("e").map((part, at) => (at ? Number(part) : part));
  if (power >= -4 && power < digits) return shorter(value.toFixed(digits - 1 - power));
  return `${shorter(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

// A value as a text has it, by the formats that messages use: none, .1f, g and commas between thousands.
function formatted(value, form) {
  if (value === null) return "None";
  if (typeof value === "boolean" && form === "") return value ? "True" : "False";
  if (form === "") return String(value);
  const [, digits] = form.match(/^(?:\.(\d+))?g$/) || [null, null];
  if (digits !== null) return general(Number(value), Number(digits || 6));
  const [, commas, places] = form.match(/^(,?)(?:\.(\d+)f)?$/) || [];
  if (commas === undefined) throw new TypeError(`no format ${form}`);
  const text = places === undefined ? String(value) : Number(value).toFixed(Number(places));
  return commas ? text.replace(/\B(?=(\d{3})+(?!\d))/g, ",") : text;
}
