// One screen: a model on some GPUs with some users. Every figure is that of the function which it names, and so the plan's.

const FIT_START = { model: "llama-3.1-70b", gpu: "h100-sxm", gpus: "4", context: "8192", answer: "500", users: "16", format: "" };
const FIT_FIELDS = [
  ["model", "Model"], ["gpu", "GPU"], ["gpus", "GPUs"], ["context", "Context, tokens"], ["answer", "Answer, tokens"],
  ["users", "Users at once"], ["format", "Weights"],
];
const GIB = 2 ** 30;
const TRIED_GPUS = [1, 2, 4, 8, 16, 32, 64];

const fitAsked = () => named(Object.entries({ ...FIT_START, ...Object.fromEntries(new URLSearchParams(state.fit)) }));

// The value of a call. Errors: its refusal.
function called(name, given) {
  const { value, band, problem } = evaluated(name, given);
  if (problem) throw new Refused(problem);
  return { value, band };
}

const figure = (name, given) => called(name, given).value;

// GPUs of a node share each layer, nodes take layers one after another.
function layoutOf(asked, gpus) {
  const node = figure("GPU_SPEC", { gpu: asked.gpu, field: "gpus_per_node" });
  const tp = Math.min(gpus, node);
  if (gpus % tp) throw new Refused(`nodes not full: got ${gpus} GPUs, want at most ${node} or a multiple. Change GPUs.`);
  return { model: asked.model, gpu: asked.gpu, tp, pp: gpus / tp, weight_dtype: asked.format };
}

function memoryOf(asked, layout) {
  const tokens = amount(asked.context) + amount(asked.answer);
  const physical = evaluated("GPU_SPEC", { gpu: asked.gpu, field: "usable_memory_bytes" }).value
    || figure("GPU_SPEC", { gpu: asked.gpu, field: "memory_bytes" });
  const weights = figure("SERVING_WEIGHT_BYTES", layout);
  const left = figure("CACHE_BYTES_AVAILABLE", layout);
  const used = figure("KV_CACHE_BYTES_PER_GPU", { ...layout, context_tokens: tokens }) * amount(asked.users);
  const most = left > 0 ? figure("MAX_CONCURRENCY", { ...layout, context_tokens: tokens }) : 0;
  return { tokens, physical, weights, left, used, most, fits: left > 0 && most >= amount(asked.users) };
}

// The fewest GPUs of those tried that hold the users; undefined where none does.
const enough = (asked) => TRIED_GPUS.find((gpus) => {
  try {
    return memoryOf(asked, layoutOf(asked, gpus)).fits;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
});

function fitFigures(asked) {
  const gpus = amount(asked.gpus);
  const layout = layoutOf(asked, gpus);
  const memory = memoryOf(asked, layout);
  if (!memory.fits) return { layout, memory, enough: enough(asked) };
  const load = { ...layout, input_tokens: asked.context, output_tokens: asked.answer, concurrency: asked.users };
  const speed = Object.fromEntries(["TTFT_SECONDS", "TPOT_SECONDS", "REQUEST_SECONDS", "TOKENS_PER_SECOND"].map((name) => [name, called(name, load)]));
  const { value: price } = evaluated("PRICE_USD_PER_GPU_HOUR", { gpu: asked.gpu });
  const cost = price === undefined ? null : {
    price, hour: price * gpus, month: figure("SERVING_COST_USD_PER_MONTH", { gpus, usd_per_gpu_hour: price }),
    million: figure("USD_PER_MTOK", { gpus, usd_per_gpu_hour: price, tokens_per_second: speed.TOKENS_PER_SECOND.value, utilized: 1 }),
  };
  return { layout, memory, speed, cost };
}

const gib = (bytes) => `${digits(bytes / GIB, 3)} GiB`;
const usd = (amountOf) => `$${amountOf >= 1000 ? grouped(Math.round(amountOf)) : amountOf.toFixed(2)}`;
const lasting = (seconds) => (seconds < 1 ? `${digits(seconds * 1000, 3)} ms` : `${digits(seconds, 3)} s`);

function memoryBar({ physical, weights, left, used }) {
  const free = Math.max(left - used, 0);
  const parts = [
    ["weights", "Weights", weights], ["users", "Cache of the users", used], ["free", "Free for more users", free],
    ["engine", "Engine, driver, kept free", physical - weights - left],
  ];
  const whole = Math.max(parts.reduce((sum, [, , bytes]) => sum + bytes, 0), physical);
  const said = parts.map(([, label, bytes]) => `${label} ${gib(bytes)}`).join(", ");
  return h("div", {},
    h("div", { class: "memory", role: "img", "aria-label": `Memory of one GPU, ${gib(physical)}: ${said}` },
      parts.map(([kind, , bytes]) => h("span", { class: `part-${kind}`, style: `width:${(100 * bytes) / whole}%` })),
      whole > physical ? h("i", { style: `left:${(100 * physical) / whole}%` }) : null),
    h("ul", { class: "memory-parts" }, parts.map(([kind, label, bytes]) => h("li", { class: `part-${kind}` }, h("i", { "aria-hidden": "true" }), `${label} `, h("b", {}, gib(bytes)))),
      h("li", {}, "One GPU has ", h("b", {}, gib(physical)))));
}

const bandText = (name, { value, band }) => (band ? `${lasting(value * band[0])} to ${lasting(value * band[1])} for eight of ten measurements` : FUNCTION[name].no_band || "");

const fitTile = (label, value, note) => h("li", { class: "tile" }, h("span", { class: "label" }, label), h("span", { class: "value" }, value), h("span", { class: "note" }, note));

function speedTiles({ TTFT_SECONDS, TPOT_SECONDS, REQUEST_SECONDS, TOKENS_PER_SECOND }) {
  return [
    fitTile("First token after", lasting(TTFT_SECONDS.value), bandText("TTFT_SECONDS", TTFT_SECONDS)),
    fitTile("Each user reads", `${digits(1 / TPOT_SECONDS.value, 3)} tokens/s`, `a token in ${lasting(TPOT_SECONDS.value)}; ${bandText("TPOT_SECONDS", TPOT_SECONDS)}`),
    fitTile("Whole answer after", lasting(REQUEST_SECONDS.value), "first token and all others"),
    fitTile("All users together", `${digits(TOKENS_PER_SECOND.value, 4)} tokens/s`, "tokens of answers"),
  ];
}

function costTiles(asked, cost) {
  if (!cost) return [fitTile("Cost", "–", "no provider lists this GPU")];
  const [low, high] = ["p10", "p90"].map((price_quantile) => evaluated("PRICE_USD_PER_GPU_HOUR", { gpu: asked.gpu, price_quantile }).value);
  return [
    fitTile("An hour", usd(cost.hour), `${asked.gpus} × ${usd(cost.price)}, the median on demand; ${usd(low)} to ${usd(high)} from the 10th to the 90th percentile`),
    fitTile("A month", usd(cost.month), "of 730 hours"),
    fitTile("A million tokens of answers", usd(cost.million), "at this load, all hours of it"),
  ];
}

function verdict(asked, { layout, memory, enough: gpus }) {
  const tried = [layout.tp > 1 ? `tensor parallel ${layout.tp}` : "", layout.pp > 1 ? `${layout.pp} stages` : ""].filter(Boolean).join(", ");
  const where = `${asked.gpus} × ${asked.gpu}${tried ? ` (${tried})` : ""}`;
  const each = `${grouped(memory.tokens)} tokens each`;
  if (memory.fits) return [`Yes: ${where} holds ${grouped(amount(asked.users))} users of ${each}, and room for ${grouped(memory.most)}.`, null];
  const why = memory.left <= 0 ? `the weights need ${gib(-memory.left)} more on each GPU` : `the cache has room for ${grouped(memory.most)} users of ${each}`;
  const remedy = gpus === undefined ? null : button(`Take ${gpus} GPUs`, () => ask({ gpus: String(gpus) }), { id: "enough" });
  return [`No: on ${where} ${why}.`, remedy];
}

function showFit() {
  const asked = fitAsked();
  const place = byId("fit-found");
  for (const [name] of FIT_FIELDS) if (document.activeElement !== byId(`fit-${name}`)) byId(`fit-${name}`).value = asked[name];
  try {
    for (const name of ["gpus", "context", "answer", "users"]) {
      if (!(amount(asked[name]) >= 1)) throw new Refused(`${name} is not a number: got '${asked[name]}', want 1 or more. Type digits.`);
    }
    const found = fitFigures(asked);
    const [said, remedy] = verdict(asked, found);
    place.replaceChildren(...[
      h("p", { id: "verdict", class: found.memory.fits ? "fits" : "fits-not" }, said), remedy, memoryBar(found.memory),
      found.speed ? h("ul", { class: "tiles" }, speedTiles(found.speed)) : null, found.speed ? h("ul", { class: "tiles" }, costTiles(asked, found.cost)) : null,
    ].filter(Boolean));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    place.replaceChildren(h("p", { class: "problem" }, error.message));
  }
}

const ask = (values) => change({ fit: new URLSearchParams({ ...fitAsked(), ...values }).toString() });

function fitField(name, label) {
  const id = `fit-${name}`;
  const onInput = (event) => ask({ [name]: event.target.value });
  const options = (words) => words.map(([value, said]) => h("option", { value }, said));
  const gpus = () => choicesOf(FUNCTION.GPU_SPEC.arguments.find((each) => each.name === "gpu")).map((key) => [key, key]);
  const formats = () => [["", "as published"], ...choicesOf(FUNCTION.TPOT_SECONDS.arguments.find((each) => each.name === "weight_dtype")).map((key) => [key, key])];
  if (name === "gpu" || name === "format") return h("label", { class: "field" }, h("span", {}, label), h("select", { id, onchange: onInput }, options(name === "gpu" ? gpus() : formats())));
  const list = name === "model" ? h("datalist", { id: "fit-models" }, MODELS_ASKED.map((value) => h("option", { value }))) : null;
  return h("label", { class: `field${name === "model" ? " field-q" : ""}` }, h("span", {}, label),
    h("input", { id, list: list ? "fit-models" : null, inputmode: list ? null : "numeric", autocomplete: "off", oninput: onInput }), list);
}

function buildFit() {
  byId("view-fit").append(
    h("form", { class: "fit-form", "aria-label": "What is asked", onsubmit: (event) => event.preventDefault() }, FIT_FIELDS.map(([name, label]) => fitField(name, label))),
    h("div", { id: "fit-found", role: "status" }),
    h("p", { class: "hint" }, "The functions of sizebook: SERVING_WEIGHT_BYTES, CACHE_BYTES_AVAILABLE, MAX_CONCURRENCY, TTFT_SECONDS, TPOT_SECONDS, PRICE_USD_PER_GPU_HOUR. ",
      "A plan of traffic by the month, with replicas and reserves: sizebook plan serve."));
  showFit();
}
