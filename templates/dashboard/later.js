// What the page carries packed: read once the table stands, so that nobody waits for what is not yet seen.

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), (each) => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const unpackedText = async (id) => new TextDecoder().decode(await unpacked(id));

function run(source) {
  const script = document.createElement("script");
  script.textContent = source;
  document.head.append(script);
}

const whole = () => new Promise((resolve) => {
  if (document.readyState !== "loading") resolve();
  else document.addEventListener("DOMContentLoaded", resolve, { once: true });
});

// After the next picture, which a page in the background never draws.
const painted = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 500);
});

let hasLater = false;
let laterRead;
const later = new Promise((resolve) => { laterRead = resolve; });

// Calls of a part that is not there yet wait for it.
const soon = (call) => (hasLater ? call() : later.then(call));

async function readLater() {
  await whole();
  const [data, source] = await Promise.all([unpackedText("later"), unpackedText("later-script")]);
  const { cards, ...rest } = JSON.parse(data);
  Object.assign(DATA, rest);
  MODELS.forEach((model, place) => { model.card = cards[place]; });
  run(source);
  hasLater = true;
  laterRead();
}
