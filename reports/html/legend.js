// SPDX-License-Identifier: Apache-2.0
//
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
