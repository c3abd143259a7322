"use strict";
const [form, site, words, note, answer] = ["find", "site", "words", "note", "answer"].map((id) => document.getElementById(id));
const shards = new Map();

/* The checksum of zlib, which tells the shard of a key. */
function crc32(text) {
  let rest = -1;
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return ~rest >>> 0;
}

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/* A shard is a script, because browsers read no other files from a folder. */
function load(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(unpacked(script.shard));
    script.onerror = () => reject(new Error(`${address} cannot be read`));
    document.head.append(script);
  });
}

async function entry(key) {
  const { folder, shards: number } = site.selectedOptions[0].dataset;
  const address = `${folder}/${crc32(key) % number}.js`;
  if (!shards.has(address)) shards.set(address, load(address));
  const entries = await shards.get(address);
  return Object.hasOwn(entries, key) ? entries[key] : null;
}

function element(tag, kind, ...children) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.append(...children);
  return made;
}

/* Text from the input, isolated from the writing direction of the page. */
function forum(text) {
  const made = element("bdi", "", text);
  made.dir = "auto";
  return made;
}

function link(state, text) {
  const made = element("a", "", forum(text));
  made.href = `#${new URLSearchParams({ site: site.value, ...state })}`;
  return made;
}

/* What CC BY-SA asks of everybody who passes a text on: author, address and licence. */
function attribution({ author, address, licence }, name) {
  const post = element(address ? "a" : "span", "", forum(address ? address.replace("https://", "") : name));
  if (address) post.href = address;
  return [post, ...(author ? [element("span", "", forum(author))] : []), ...(licence ? [element("span", "", licence)] : [])];
}

const split = (text) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

async function search(text) {
  const wanted = [...new Set(split(text))];
  const entries = await Promise.all(wanted.map(entry));
  const missing = wanted.filter((_, place) => !entries[place]);
  const rarest = entries.filter(Boolean).sort((one, other) => one.number - other.number)[0];
  const threads = missing.length || !rarest ? [] : rarest.threads.filter(([, title]) => wanted.every((word) => split(title).includes(word)));
  if (await entry(`#${text}`)) threads.unshift([text, `thread ${text}`]);
  note.textContent = threads.length || !missing.length ? `${threads.length} ${threads.length === 1 ? "thread" : "threads"}` : `No title has: ${missing.join(", ")}`;
  if (rarest && rarest.number > rarest.threads.length) note.textContent += `, of the newest ${rarest.threads.length} of ${rarest.number} with the rarest word`;
  return [element("ul", "", ...threads.map(([id, title]) => element("li", "", link({ words: text, thread: id }, title))))];
}

function candidate(found, place) {
  const tag = element("p", "tag", element("b", "", String(place + 1)), ...attribution(found, found.id), element("span", "", `score ${found.score.toPrecision(4)}`), ...(found.accepted ? [element("b", "", "accepted")] : []));
  const item = element("li", "", tag, element("p", "said", ...(found.title ? [link({ thread: found.id }, found.title)] : []), forum(found.text)));
  if (found.reason) item.append(element("p", "reasons", found.reason));
  return item;
}

async function thread(id) {
  const found = await entry(`#${id}`);
  if (!found) throw new Error(`${site.value} has no thread ${id}`);
  const shown = found.candidates.length;
  note.textContent = `Thread ${id}, in the order of ${found.order}${shown < found.number ? `: the first ${shown} of ${found.number}` : ""}`;
  const texts = [found, ...found.candidates];
  if (texts.some((text) => text.address) && !texts.some((text) => text.author)) note.textContent += ". The names of the authors are not stored; the linked posts show them.";
  return [element("h3", "", forum(found.title || id)), element("p", "tag", ...attribution(found, id)), element("blockquote", "", forum(found.text)), element("ol", "candidates", ...found.candidates.map(candidate))];
}

async function show() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (!state.has("site")) return;
  site.value = state.get("site");
  const text = (words.value = (state.get("words") ?? "").trim());
  try {
    if (site.selectedIndex < 0) throw new Error(`no site ${state.get("site")}`);
    const parts = state.has("thread") ? await thread(state.get("thread")) : await search(text);
    answer.replaceChildren(...parts);
  } catch (error) {
    answer.replaceChildren();
    note.textContent = error.message;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = new URLSearchParams({ site: site.value, words: words.value.trim() });
});
window.addEventListener("hashchange", show);
show();
