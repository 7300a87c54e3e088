// SPDX-License-Identifier: Apache-2.0
//
// What was found, by cause, and the one sentence that says how it went.

/** A verdict, with its plain sentence as a tooltip. */
const verdictWord = (verdict) => h("span", {title: facts.meanings[verdict]}, verdict);

const headline = ({word, reason}) =>
    h("p", {class: `headline is-${word.toLowerCase()}`}, h("strong", {}, word), ` ${reason}`);

const rowLinks = (ids) => ids.slice(0, 6).flatMap(
    (id, i) => [i > 0 && " ", h("a", {href: `#m${id}`, onclick: () => byId("mismatches").scrollIntoView()}, `#${id}`)]);

function causeRow(cause) {
  const more = cause.mismatches.length - 6;
  return h(
      "tr", {}, h("td", {}, badge(cause.status)), h("td", {}, cause.blame), h("td", {}, cause.suspects),
      h("td", {}, cause.title, cause.name && h("span", {class: "muted small"}, ` ${cause.name}`)),
      h("td", {}, verdictWord(cause.verdict)),
      h("td", {}, cause.shows_if ? h("code", {}, cause.shows_if) : h("span", {class: "muted"}, "not known")),
      h("td", {class: "number"}, count(cause.hits)),
      h("td", {}, rowLinks(cause.mismatches), more > 0 && ` and ${count(more)} more`));
}

function causes(section) {
  if (facts.causes.length === 0) {
    section.append(h("p", {class: "muted"}, "None."));
    return;
  }
  const titles = ["status", "blame", "suspects", "cause", "verdict", "shows if", "hits", "mismatches"];
  section.append(
      h("div", {class: "wide-table"},
        h("table", {class: "causes"}, h("thead", {}, h("tr", {}, titles.map((title) => h("th", {scope: "col"}, title)))),
          h("tbody", {}, facts.causes.map(causeRow)))));
  if (facts.causes_left_out > 0)
    section.append(h("p", {class: "muted"}, `${plural(facts.causes_left_out, "cause")} more: convict list causes`));
}
