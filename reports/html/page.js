// SPDX-License-Identifier: Apache-2.0
//
// Puts the page together, last of all scripts.

/** Characters that nobody sees, or that turn the order of others around. */
const kUnseen = /[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g;
const visible = (text) => text.replace(kUnseen, "\ufffd");

/** For JSON.parse: no text and no name has such a character. */
function onlyVisible(unused, value) {
  if (typeof value === "string") return visible(value);
  if (!isObject(value)) return value;
  for (const name of Object.keys(value).filter((one) => visible(one) !== one)) {
    value[visible(name)] = value[name];
    delete value[name];
  }
  return value;
}

const facts = JSON.parse(byId("facts").textContent, onlyVisible);
let list;

/** Light or dark: what the system says, until somebody presses the button. */
const theme = {
  system: matchMedia("(prefers-color-scheme: dark)"),
  stored() {
    try {
      return localStorage.getItem("convict-theme");
    } catch {  // a page from a disk may have no storage
      return null;
    }
  },
  now: () => document.documentElement.dataset.theme,
  set(name) {
    document.documentElement.dataset.theme = name;
    const other = name === "dark" ? "light" : "dark";
    byId("theme").textContent = name === "dark" ? "☀ light" : "☾ dark";
    byId("theme").setAttribute("aria-label", `Switch to the ${other} theme`);
    redrawCharts();
    list?.redraw();
  },
  start() {
    theme.set(theme.stored() ?? (theme.system.matches ? "dark" : "light"));
    theme.system.addEventListener("change", () => theme.stored() ?? theme.set(theme.system.matches ? "dark" : "light"));
    byId("theme").addEventListener("click", () => {
      theme.set(theme.now() === "dark" ? "light" : "dark");
      try {
        localStorage.setItem("convict-theme", theme.now());
      } catch {  // then it lasts as long as the page
      }
    });
    let before;
    window.addEventListener("beforeprint", () => {
      before = theme.now();
      theme.set("light");
      drawAllCharts();
    });
    window.addEventListener("afterprint", () => theme.set(before));
  },
};

function start() {
  theme.start();
  document.title = `convict report: ${facts.database}`;
  byId("origin").append(
      h("code", {}, facts.database), facts.written ? ` · ${facts.written}` : "",
      facts.version ? ` · convict ${facts.version}` : "");
  const titles = {
    overview: "Overview",
    causes: "Causes",
    mismatches: "Mismatches",
    progress: "Campaigns",
    coverage: "Coverage",
    precision: "Error",
    detection: "Detection",
    environment: "Environment"
  };
  byId("sections").append(...Object.entries(titles).map(([id, title]) => h("a", {href: `#${id}`}, title)));
  overview(byId("overview"));
  causes(byId("causes"));
  list = new MismatchList(byId("mismatches"), facts.mismatches);
  campaigns(byId("progress"));
  coverage(byId("coverage"));
  precision(byId("precision"));
  detection(byId("detection"));
  environment(byId("environment"));
  list.followAddress();
  if (/^#m\d+$/.test(location.hash)) byId("mismatches").scrollIntoView();
}

start();
