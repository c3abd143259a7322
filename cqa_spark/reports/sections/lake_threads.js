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

/* A post as it was written; the night that wrote the shard has sanitised its HTML. */
function post(tag, html) {
  const made = element(tag, "post");
  made.dir = "auto";
  made.innerHTML = html;
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
const unseparated = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}/gu;

/* The threads that may have a word in their titles: by pairs of characters where a script separates no words, else by
   the word itself and then by its beginning. */
async function threadsWith(word) {
  const runs = word.match(unseparated) ?? [];
  const pairs = runs.flatMap((run) => { const letters = [...run]; return letters.slice(1).map((letter, place) => letters[place] + letter); });
  if (pairs.length) {
    const entries = await Promise.all(pairs.map(entry));
    return entries.every(Boolean) ? entries.reduce((one, other) => (one.number <= other.number ? one : other)) : null;
  }
  const letters = [...word];
  const beginning = letters.length < 3 ? null : await entry(`${letters.slice(0, 3).join("")}*`);
  const whole = await entry(word);
  if (!beginning || !whole) return beginning ?? whole;
  const threads = [...new Map([...whole.threads, ...beginning.threads])];
  return { number: beginning.number, threads };
}

const has = (title, word) => (word.match(unseparated) ? title.toLowerCase().includes(word) : split(title).some((part) => part.startsWith(word)));

const list = (threads, text) => element("ul", "", ...threads.map(([id, title]) => element("li", "", link({ words: text, thread: id }, title || id))));

/* Each of the following three gives a sentence, and what stands below it. */
async function search(text) {
  const wanted = [...new Set(split(text))];
  const entries = await Promise.all(wanted.map(threadsWith));
  const missing = wanted.filter((_, place) => !entries[place]);
  const rarest = entries.filter(Boolean).sort((one, other) => one.number - other.number)[0];
  const threads = missing.length || !rarest ? [] : rarest.threads.filter(([, title]) => wanted.every((word) => has(title, word)));
  if (await entry(`#${text}`)) threads.unshift([text, `thread ${text}`]);
  let sentence = threads.length || !missing.length ? `${threads.length} ${threads.length === 1 ? "thread" : "threads"}` : `No title has: ${missing.join(", ")}`;
  if (rarest && rarest.number > rarest.threads.length) sentence += `, of the newest ${rarest.threads.length} of ${rarest.number} with the rarest word`;
  return [sentence, list(threads, text)];
}

async function newest() {
  const address = `${site.selectedOptions[0].dataset.folder}/newest.js`;
  if (!shards.has(address)) shards.set(address, load(address));
  const { threads } = (await shards.get(address))[""];
  return [threads.length ? "The newest threads. Choose one to see its ranking, or search." : "Search, and choose a thread to see its ranking.", list(threads, "")];
}

function candidate(ranked, place) {
  const tag = element("p", "tag", element("b", "", String(place + 1)), ...attribution(ranked, ranked.id), element("span", "", `score ${ranked.score.toPrecision(4)}`), ...(ranked.accepted ? [element("b", "", "accepted")] : []));
  const item = element("li", "", tag, ...(ranked.title ? [element("p", "subject", link({ thread: ranked.id }, ranked.title))] : []), post("div", ranked.html));
  if (ranked.reason) item.append(element("p", "reasons", ranked.reason));
  return item;
}

async function thread(id) {
  const found = await entry(`#${id}`);
  if (!found) throw new Error(`${site.value} has no thread ${id}`);
  const shown = found.candidates.length;
  let sentence = `Thread ${id}, in the order of ${found.order}${shown < found.number ? `: the first ${shown} of ${found.number}` : ""}`;
  const texts = [found, ...found.candidates];
  if (texts.some((text) => text.address) && !texts.some((text) => text.author)) sentence += ". The names of the authors are not stored; the linked posts show them.";
  return [sentence, element("h3", "", forum(found.title || id)), element("p", "tag", ...attribution(found, id)), post("blockquote", found.html), element("ol", "candidates", ...found.candidates.map(candidate))];
}

let latest = 0;

/* What the address names; what comes after a newer address is not shown. */
async function show() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (state.has("site")) site.value = state.get("site");
  const number = ++latest;
  const text = (words.value = (state.get("words") ?? "").trim());
  let shown;
  try {
    if (site.selectedIndex < 0) {
      if (!state.has("site")) return;
      throw new Error(`no site ${state.get("site")}`);
    }
    shown = state.has("thread") ? await thread(state.get("thread")) : await (text ? search(text) : newest());
  } catch (error) {
    shown = [error.message];
  }
  if (number !== latest) return;
  [note.textContent] = shown;
  answer.replaceChildren(...shown.slice(1));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = new URLSearchParams({ site: site.value, words: words.value.trim() });
});
site.addEventListener("change", () => { location.hash = new URLSearchParams({ site: site.value }); });
window.addEventListener("hashchange", show);
show();
