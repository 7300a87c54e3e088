// SPDX-License-Identifier: Apache-2.0
//
// What was found, by cause, and the one sentence that says how it went.

/** A verdict, with its plain sentence as a tooltip. */
const verdictWord = (verdict) => h("span", {title: facts.meanings[verdict]}, verdict);

const headline = ({word, reason}) =>
    h("p", {class: `headline is-${word.toLowerCase()}`}, h("strong", {}, word), ` ${reason}`);

const rowLinks = (ids) => ids.slice(0, 6).flatMap(
    (id, i) => [i > 0 && " ", h("a", {href: `#m${id}`, onclick: () => byId("mismatches").scrollIntoView()}, `#${id}`)]);

/** Alternatives one below the other, under what they share. */
function condition(text) {
  if (!text) return h("span", {class: "muted"}, "not known");
  const alternatives = text.split(", or ").map((one) => one.split(" and "));
  const shared = alternatives[0].filter((part) => alternatives.every((one) => one.includes(part)));
  const rests = alternatives.map((one) => one.filter((part) => !shared.includes(part)).join(" and ")).filter(Boolean);
  if (rests.length < 2) return h("code", {}, text);
  return [
    shared.length > 0 && h("code", {}, shared.join(" and ")),
    h("ul", {class: "alternatives"}, rests.map((rest) => h("li", {}, h("code", {}, rest))))
  ];
}

function causeRow(cause) {
  const more = cause.mismatches.length - 6;
  return h(
      "tr", {}, h("td", {}, badge(cause.status)), h("td", {}, cause.blame),
      h("td", {}, cause.suspects.split(", ").map((suspect) => h("div", {}, suspect))),
      h("td", {}, cause.title, cause.name && h("span", {class: "muted small"}, ` ${cause.name}`)),
      h("td", {}, verdictWord(cause.verdict)),
      h("td", {}, condition(cause.shows_if)),
      h("td", {class: "number"}, count(cause.hits)),
      h("td", {}, rowLinks(cause.mismatches), more > 0 && ` and ${count(more)} more`));
}

function causes(section) {
  if (facts.causes.length === 0) {
    section.append(h("p", {class: "muted"}, "None."));
    return;
  }
  section.append(legend());
  const titles = ["status", "blame", "suspects", "cause", "verdict", "shows if", "hits", "mismatches"];
  section.append(
      h("div", {class: "wide-table"},
        h("table", {class: "causes"}, h("thead", {}, h("tr", {}, titles.map((title) => h("th", {scope: "col"}, title)))),
          h("tbody", {}, facts.causes.map(causeRow)))));
  if (facts.causes_left_out > 0)
    section.append(h("p", {class: "muted"}, `${plural(facts.causes_left_out, "cause")} more: convict list causes`));
}

// What the words of this page mean, where they are read first.

const kWords = [
  ["target", "an implementation on trial"],
  ["oracle", "a witness: another implementation that computed the same cases; the exact reference decides"],
  ["suspect", "the implementation whose result differs from the exact reference: a target or an oracle"],
  ["shows if", "on which cases it fails, learnt from cases nearby"],
  ["hits", "judged cases that showed it"]
];

const kBlames = {
  target: "the target is wrong",
  oracle: "the oracle is wrong, and the target is not",
  reference: "all implementations contradict the reference, so that this may be a bug of convict",
  nobody: "it did not come back, and no implementation could be shown to have caused it"
};

const kStatusWords = {
  new: "not triaged yet; of a target, it fails the campaign",
  known: "triaged as known, or described by a file of known causes",
  reported: "told to the authors",
  fixed: "should not be seen any more; if it is, it fails the campaign",
  wontfix: "stays as it is",
  gone: "was not seen any more when it was tried again"
};

const rowsOf = (words, there) => Object.entries(words).filter(([word]) => there.includes(word));

/** Words that this page has. */
function legend() {
  const blames = facts.causes.map(({blame}) => blame), verdicts = facts.verdicts.map(([verdict]) => verdict);
  return h(
      "details", {id: "legend"}, h("summary", {}, "What the words mean"), definitions(kWords),
      h("h3", {}, "Blame: whose bug it is"), definitions(rowsOf(kBlames, blames)),
      h("h3", {}, "Verdict: what the suspect did"), definitions(rowsOf(facts.meanings, verdicts)),
      h("h3", {}, "Status"), definitions(rowsOf(kStatusWords, facts.statuses.map(([status]) => status))));
}
