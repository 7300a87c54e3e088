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
