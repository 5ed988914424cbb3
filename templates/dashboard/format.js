// How numbers are written: exact counts in groups of three, others with three digits and a letter.

const THIN = "\u2009";
const LETTERS = [[1e15, "P"], [1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]];

function grouped(number) {
  const [whole, decimals] = String(number).split(".");
  const parted = whole.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
  return decimals ? `${parted}.${decimals}` : parted;
}

function digits(number, n) {
  const rounded = Number(number.toPrecision(n));
  return Math.abs(rounded) >= 1e-4 ? grouped(rounded) : String(rounded);
}

const RAISED = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];

// A number beyond the letters, as people of FLOPs write it: 8.4 × 10²².
function powered(number) {
  const exponent = Math.floor(Math.log10(Math.abs(number)));
  const power = [...String(exponent)].map((digit) => RAISED[digit]).join("");
  return `${digits(number / 10 ** exponent, 3)}${THIN}×${THIN}10${power}`;
}

function short(number) {
  if (Math.abs(number) >= 1e18) return powered(number);
  for (const [size, letter] of LETTERS) {
    if (Math.abs(number) >= size * 0.9995) return `${digits(number / size, 3)}${letter === "k" ? `${THIN}k` : letter}`;
  }
  return digits(number, 3);
}

const percent = (share) => `${digits(share * 100, 3)}%`;

function signed(share) {
  if (share === 0) return "0";
  if (Math.abs(share) < 0.00005) return "<0.01%";
  const text = digits(Math.abs(share * 100), 2);
  return `${share < 0 ? "−" : "+"}${text}%`;
}

// Columns that the table shows in short, on a phone the count too; card, comparison and exports have every digit.
const SHORT = new Set(["training_tokens", "active", "gpu_hours", ...(window.matchMedia("(max-width: 640px)").matches ? ["total"] : [])]);

function cellText(column, value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (column.kind === "share") return signed(value);
  if (SHORT.has(column.name)) return short(value);
  return column.kind === "count" ? grouped(value) : digits(value, 4);
}

// Words in the reader's order. Made when first asked for, because it takes as long as drawing the table.
let collator = null;

function alphabetic(one, other) {
  collator = collator || new Intl.Collator();
  return collator.compare(String(one), String(other));
}

// "7B", "1.5e9", "70 bn" -> a number; null for a blank, NaN for what a cell refuses too: commas, and k, which may be 1024.
const NUMBER = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)[ \u00a0\u2009\u202f]?([a-z]*)$/i;

function amount(text) {
  const plain = text.trim();
  if (!plain) return null;
  const match = NUMBER.exec(plain);
  const scale = match && (match[2] ? DATA.scales[match[2].toUpperCase()] : 1);
  return scale ? Number(match[1]) * scale : NaN;
}
