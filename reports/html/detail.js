// SPDX-License-Identifier: Apache-2.0
//
// One mismatch, opened: the case and what to do with it, the evidence, where the errors lie, when it fails, who saw it.

const kExportNames = [["pytorch", "PyTorch"], ["onednn", "oneDNN"], ["benchdnn", "benchdnn"], ["cpp", "C++"]];

/** A link that somebody wrote: followed only if it leads to the web. */
function safeLink(text) {
  const isWeb = /^https?:\/\//i.test(text);
  return isWeb ? h("a", {href: text, rel: "noopener noreferrer"}, text) : text;
}

function exportsOf({id}, exports) {
  const known = isObject(exports) ? exports : {};
  const rows = kExportNames.map(([key, name]) => {
    const one = known[key];
    if (typeof one === "string")
      return h(
          "li", {}, copyButton(`the ${name} reproducer`, one, name),
          h("details", {}, h("summary", {}, plural(one.split("\n").length - 1, "line")), h("pre", {}, one)));
    const why = isObject(one) ? asText(one.unsuited) : `not in this page: ${command(`export ${id} --to ${key}`)}`;
    return h(
        "li", {}, h("button", {type: "button", class: "copy", disabled: true}, name),
        h("span", {class: "muted why"}, why));
  });
  return h("ul", {class: "exports"}, rows);
}

function caseOf(row) {
  const detail = row.detail ?? {};
  const repro = detail.repro || command(`repro ${row.id}`);
  return [
    h("p", {class: "muted small"}, row.shrunk ? "Shrunk case" : "Case, as it was found"),
    codeLine("the case", row.case),
    detail.found && detail.found !== row.case &&
        h("details", {}, h("summary", {}, "found as"), codeLine("the case as it was found", detail.found)),
    h("p", {class: "muted small"}, "Reproduce"), codeLine("the command", repro), exportsOf(row, detail.exports)
  ];
}

function sightings({sightings, more_sightings: more}) {
  const list = asList(sightings);
  if (list.length === 0) return null;
  return [
    h("h4", {}, "Seen by"),
    table(
        "Sightings", ["campaign", "hits", "profile", "seed", "first", "last"],
        list.map(
            (one) =>
                [String(one.campaign), count(one.hits), one.profile, h("code", {}, one.seed), time(one.first),
                 time(one.last)]),
        [0, 1]),
    more > 0 && h("p", {class: "muted"}, `and ${plural(more, "more campaign")}`)
  ];
}

function triage(row) {
  const detail = row.detail ?? {};
  const note = detail.note || row.note || "";
  return definitions([
    ["status", row.triage ?? row.status], ["triaged", detail.triaged ?? ""],
    ["link", row.link ? safeLink(row.link) : ""], ["note", note && h("span", {class: "prose"}, note)],
    ["hits", count(row.hits)], ["seen", [time(row.first), " to ", time(row.last)]],
    ["signature", detail.signature ? h("code", {}, detail.signature) : ""]
  ]);
}

function missingDetail(row) {
  return h(
      "div", {class: "notice"},
      h("p", {},
        "This page has no details of this mismatch: it is limited to 10 MB, and more important ones come first."),
      codeLine("the command that shows it", command(`show ${row.id}`)));
}

/** Fills the pane. The map can be drawn only in the page, so this returns what draws it. */
function fillDetail(pane, row, close) {
  const certificate = row.detail?.certificate;
  const map = row.detail ? errorMap(certificate) : null;
  const title =
      h("h3", {tabindex: "-1"}, h("a", {href: `#m${row.id}`}, `#${row.id}`), " ", h("code", {}, row.suspect),
        ` ${row.verdict}`);
  pane.replaceChildren(
      h("div", {class: "pane-head"}, title, badge(row.status),
        h("button", {type: "button", class: "quiet close", "aria-label": "Close", title: "Escape", onclick: close},
          "×")),
      h("div", {class: "pane-body"},
        h("p", {class: "muted small"},
          [row.operation || "?", `blame: ${row.blame}`, kBlames[row.blame]].filter(Boolean).join(" · ")),
        h("p", {class: "meaning"}, facts.meanings[row.verdict] ?? ""),
        row.detail && accusation(certificate), caseOf(row),
        row.detail ? [h("h4", {}, "When it fails"), explanationInWords(row.predicate, row.detail.explanation)] :
                     missingDetail(row),
        (map || row.geography) &&
            [h("h4", {}, "Where"), row.geography && h("p", {}, row.geography), map && map.element],
        row.detail && [h("h4", {}, "Certificate"), certificateInWords(certificate), sightings(row.detail)],
        h("h4", {}, "Triage"), triage(row)));
  return {title, redraw: () => map?.render()};
}

// The evidence in words (docs/background/certificates.md has the keys), and on which cases the mismatch shows.

const word = (value) => (typeof value === "number" ? brief(value) : asText(value));
const withHex =
    (value, hex) => [h("code", {}, word(value)), hex !== undefined && h("span", {class: "muted"}, ` ${asText(hex)}`)];

/** "3.1e-4, 12.4 times what is allowed" */
function errorInWords({got, exact, bound}) {
  if (!isNumber(got) || !isNumber(exact)) return "not a number";
  const error = Math.abs(got - exact);
  return isNumber(bound) && bound > 0 ?
      `${brief(error)}, ${brief(Number((error / bound).toPrecision(3)))} times what is allowed` :
      brief(error);
}

function elementInWords(c) {
  const allowed = c.bound === 0 ? `none (${asText(c.bound_name)})` : `${word(c.bound)} (${asText(c.bound_name)})`;
  return definitions([
    ["got", withHex(c.got, c.got_hex)], ["exact", withHex(c.exact, c.exact_hex)], ["error", errorInWords(c)],
    ["allowed error", allowed], ["terms n", word(c.terms)], ["magnitude S", word(c.magnitude)],
    ["elements", `${word(c.wrong_elements)} wrong, ${word(c.unwritten_elements)} unwritten of ${word(c.elements)}`]
  ]);
}

/** What is wrong, in one line, or null: "dst[0,0,7,0] is 0, exact is 3". */
function accusation(c) {
  if (!isObject(c) || !("got" in c)) return null;
  const other = "exact" in c ? [", exact is ", c.exact] : [", expected ", c.expected];
  return h(
      "p", {class: "accusation"}, "relation" in c && `relation ${asText(c.relation)}: `,
      h("code", {}, `${asText(c.role)}${asText(c.at)}`), " is ", h("strong", {class: "got"}, word(c.got)), other[0],
      h("strong", {}, word(other[1])));
}

const kTold = [
  ["relation", "relation"], ["explained_by", "explained by"], ["read", "read instead"],
  ["text", "text"], ["overrun", "wrote outside"], ["signal", "signal"], ["exit_code", "exit code"],
  ["address_class", "touched"], ["evidence", "evidence"]
];

function witnesses(list) {
  if (!isObject(list) || Object.keys(list).length === 0) return null;
  const kind = (says) => (says === "agrees" ? "good" : says.startsWith("differs") ? "bad" : "muted");
  return table(
      "What the others did on this case", ["witness", "on the same case"],
      Object.entries(list).map(
          ([name, says]) => [h("code", {}, name), h("span", {class: kind(asText(says))}, asText(says))]));
}

/** Everything but the map. */
function certificateInWords(c) {
  if (!isObject(c) || Object.keys(c).length === 0) return [h("p", {class: "muted"}, "There is no certificate.")];
  const parts = [];
  if ("exact" in c) parts.push(elementInWords(c));
  const told = kTold.filter(([key]) => key in c).map(([key, term]) => [term, word(c[key])]);
  if ("role" in c && !("exact" in c)) told.push(["operand", asText(c.role)]);
  if (told.length > 0) parts.push(definitions(told));
  if (c.output_tail) parts.push(h("p", {}, "Last words of the process:"), h("pre", {}, asText(c.output_tail).trim()));
  parts.push(witnesses(c.witnesses));
  const {map, values, ...rest} = c;
  parts.push(h(
      "details", {}, h("summary", {}, "the certificate as it is stored"), h("pre", {}, JSON.stringify(rest, null, 2))));
  return parts;
}

/** The failure predicate with its examples and exceptions. */
function explanationInWords(predicate, explanation) {
  const e = isObject(explanation) ? explanation : {};
  if (Object.keys(e).length === 0 && !predicate)
    return [h(
        "p", {class: "muted"}, "Not explained yet: ", h("code", {}, "convict explain"), " shrinks and explains it.")];
  if (e.reproduced === false) return [h("p", {}, asText(e.text) || "It did not fail again, alone in a fresh process.")];
  const parts = [];
  if (predicate) parts.push(h("p", {class: "predicate"}, "fails iff ", h("code", {}, predicate)));
  const conditions = asList(e.conditions).filter((one) => isObject(one) && one.passes);
  if (conditions.length > 0)
    parts.push(
        h("ul", {class: "conditions"},
          conditions.map(
              ({condition, passes}) =>
                  h("li", {}, "without ", h("code", {}, asText(condition)),
                    ", this passes:", codeLine("a passing case", asText(passes))))));
  const exceptions = asList(e.exceptions).filter(isObject);
  if (exceptions.length > 0)
    parts.push(
        h("p", {}, `${plural(e.unexplained ?? exceptions.length, "sample")} it does not explain:`),
        table(
            "Exceptions", ["case", "in truth"],
            exceptions.map((one) => [h("code", {}, asText(one.case)), one.fails ? "fails" : "passes"])));
  const environment = isObject(e.environment) ? e.environment : {};
  parts.push(definitions([
    ["learnt from", isNumber(e.samples) ? plural(e.samples, "sample") : ""],
    ["runs", isNumber(e.shrink_runs) ? `${count(e.shrink_runs)} to shrink, ${count(e.explain_runs)} to explain` : ""],
    [
      "alone",
      environment.alone === undefined ? "" :
          environment.alone           ? "fails alone in a fresh process" :
                                        "does not fail alone in a fresh process"
    ],
    ["instructions", environment.oldest_isa ? `fails from ${asText(environment.oldest_isa)} on` : ""]
  ]));
  return parts;
}
