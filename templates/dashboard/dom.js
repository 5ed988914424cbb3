"use strict";
// Elements made of plain calls: texts are always set as text, so that a model's name is never taken for markup.

// An object of names that come from outside: "constructor" is in it only where it was put.
function named(pairs) {
  const found = Object.create(null);
  for (const [name, value] of pairs) found[name] = value;
  return found;
}

const byId = (id) => document.getElementById(id);

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function button(label, onclick, attributes) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

function link(address, label) {
  const safe = /^https?:\/\//.test(address);
  return safe ? h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, label || address) : address;
}

const mode = () => document.documentElement.dataset.theme;

let saidUntil = 0;

function say(message) {
  const said = byId("said");
  said.textContent = message;
  said.classList.add("there");
  clearTimeout(saidUntil);
  saidUntil = setTimeout(() => said.classList.remove("there"), 2600);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page opened from a file may not use the clipboard directly.
    const area = h("textarea", { class: "away", "aria-hidden": "true" });
    area.value = text;
    (document.querySelector("dialog[open]") || document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  document.body.dataset.copied = text;
  say(`Copied ${what}: ${text.length > 90 ? `${text.slice(0, 90)}…` : text}`);
}

function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
