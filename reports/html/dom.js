// SPDX-License-Identifier: Apache-2.0
//
// Elements, numbers and words. Every text goes into the page as text: nothing here or elsewhere parses HTML.

/** An element. Attributes `on...` are listeners; null and false leave an attribute or a child out. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
      ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const byId = (id) => document.getElementById(id);

/** Says something to those who listen to the page rather than look at it. */
function announce(text) {
  byId("announcement").textContent = text;
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const asList = (value) => (Array.isArray(value) ? value : []);
const asText = (value) => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));

/** 1,234,567 */
const count = (value) => (isNumber(value) ? value.toLocaleString("en-US") : "–");

/** A number of any size in few digits; words such as "nan" as they are. */
function brief(value) {
  if (!isNumber(value)) return typeof value === "string" ? value : "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e6 ? String(Number(value.toPrecision(5))) :
                                      Number(value.toPrecision(4)).toExponential();
}

/** A share of 0 to 1; 100 % is said of all only. */
const percent = (share) => (isNumber(share) ? `${(Math.floor(share * 1000) / 10).toFixed(1)} %` : "–");

const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** "1 h 02 min" */
function duration(seconds) {
  if (!isNumber(seconds)) return "–";
  if (seconds < 60) return `${Number(seconds.toPrecision(3))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** "2026-11-21 02:13" of ISO 8601, whole in the title. */
const time = (text) => h("time", {title: text}, asText(text).replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, ""));

/** One word of a shell. */
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A `convict` command on the database of this page. */
function command(words) {
  return `convict ${words}${facts.database === "convict.db" ? "" : ` --db ${shellWord(facts.database)}`}`;
}

async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // not allowed, or a page from plain HTTP
    const area = h("textarea", {class: "unseen", readonly: true});
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (!copied) throw new Error("not copied");
  }
}

/** A button that copies a text and says so. `what` completes "Copy ...". */
function copyButton(what, text, label = `Copy ${what}`) {
  const button = h("button", {type: "button", class: "copy", "aria-label": `Copy ${what}`}, label);
  button.addEventListener("click", async () => {
    let outcome = "Copied";
    try {
      await writeClipboard(text);
    } catch {
      outcome = "Not allowed here";
    }
    button.textContent = outcome;
    announce(`${outcome}: ${what}`);
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

/** A line to copy. */
const codeLine = (what, text) => h("div", {class: "codeline"}, h("code", {}, text), copyButton(what, text, "Copy"));

/** A table in a frame that scrolls by itself. Cells are texts or elements; `numeric` has the columns of numbers. */
function table(caption, columns, rows, numeric = []) {
  const side = (at) => (numeric.includes(at) ? "number" : null);
  return h(
      "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      h("table", {}, h("caption", {class: "unseen"}, caption),
        h("thead", {}, h("tr", {}, columns.map((name, at) => h("th", {scope: "col", class: side(at)}, name)))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, at) => h("td", {class: side(at)}, cell)))))));
}

/** Terms and what is said about them; pairs without anything to say are left out. */
const definitions = (pairs) =>
    h("dl", {class: "facts"},
      pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined)
          .map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
