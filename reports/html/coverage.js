// SPDX-License-Identifier: Apache-2.0
//
// How many of the reachable combinations of two features each profile has shown, and how near results came to their
// bounds.

/** One cell: shade by share, hatched if the profile can show nothing here. */
function matrixCell(seen, reachable, name) {
  const share = reachable ? seen / reachable : 0;
  const shade = reachable === 0 ? "none" : seen === reachable ? "full" : String(Math.min(4, Math.floor(share * 5)));
  const words =
      reachable === 0 ? `${name}: nothing can be reached` : `${name}: ${seen} of ${reachable} (${percent(share)})`;
  return h("td", {class: `shade-${shade}`, title: words}, h("span", {class: "unseen"}, words));
}

/** The lower triangle: a row for each feature, a column for each one before it. */
function matrix({profile, features, cells}) {
  const share = new Map(cells.map(([first, second, seen, reachable]) => [`${first},${second}`, [seen, reachable]]));
  const head =
      h("tr", {}, h("td", {}), features.slice(0, -1).map((name) => h("th", {scope: "col"}, h("span", {}, name))));
  const rows = features.slice(1).map(
      (name, at) => h(
          "tr", {}, h("th", {scope: "row"}, name),
          features.slice(0, at + 1).map(
              (other, column) => matrixCell(...(share.get(`${column},${at + 1}`) ?? [0, 0]), `${other} and ${name}`))));
  const legend = h("p", {class: "legend muted"}, "of the reachable combinations seen: ", [
    ["0", "below 20 %"], ["1", "20 %"], ["2", "40 %"], ["3", "60 %"], ["4", "80 %"], ["full", "all"],
    ["none", "none reachable"]
  ].map(([shade, words]) => h("span", {}, h("i", {class: `swatch shade-${shade}`}), words)));
  return h(
      "div", {},
      h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": `2-way coverage of profile ${profile}`},
        h("table", {class: "matrix"}, h("caption", {class: "unseen"}, `2-way coverage of profile ${profile}`),
          h("thead", {}, head), h("tbody", {}, rows))),
      legend);
}

/** Pairs of features with the smallest shares. */
function emptiestPairs({features, cells}) {
  const inWords = ([first, second, seen, reachable]) =>
      [`${features[first]} and ${features[second]}`, `${seen} of ${reachable}`, percent(seen / reachable)];
  const share = ([, , seen, reachable]) => seen / reachable;
  const open = cells.filter(([, , seen, reachable]) => seen < reachable);
  return open.sort((a, b) => share(a) - share(b) || b[3] - a[3]).slice(0, 10).map(inWords);
}

function profileCoverage(profile) {
  const pairs = emptiestPairs(profile);
  const expected = `The next case shows about ${brief(profile.expected_unseen)} combinations never seen; `;
  const chance = `the chance that it shows any is at most ${brief(profile.chance_of_unseen)}.`;
  return h(
      "div", {}, h("p", {}, expected + chance), profile.cells.length > 0 && matrix(profile),
      h("div", {class: "columns"},
        pairs.length > 0 &&
            h("div", {}, h("h3", {}, "Emptiest pairs of features"),
              table("Emptiest pairs of features", ["features", "seen", "share"], pairs, [1, 2])),
        profile.emptiest.length > 0 &&
            h("div", {}, h("h3", {}, "Never seen"),
              h("ul", {class: "plain"},
                profile.emptiest.slice(0, 20).map((name) => h("li", {}, h("code", {}, name)))))));
}

/** What the targets of the last campaign were judged on, and what not. */
function judgedTargets(section) {
  const last = facts.campaigns[0], rows = asList(last?.targets);
  if (rows.length === 0) return;
  section.append(
      h("h3", {}, `Judged in campaign ${last.id}`),
      table(
          "Cases and pairs of features; levels that targets never accepted, or that fewer than ten judged cases had",
          ["target", "judged cases", "pairs of features", "never accepted", "fewer than 10 cases"],
          rows.map(({target, judged, pairs, never, hardly}) =>
                       [target, count(judged), `${count(asList(pairs)[0])} of ${count(asList(pairs)[1])}`,
                        never || "–", hardly || "–"]),
          [1, 2]));
}

function coverage(section) {
  judgedTargets(section);
  if (facts.profiles.length === 0) {
    section.append(h("p", {class: "muted"}, "No coverage has been recorded."));
    return;
  }
  const share = ([seen, reachable]) => (reachable ? seen / reachable : 0);
  const inWords = (pair) => `${percent(share(pair))} of ${count(pair[1])}`;
  section.append(table(
      "Coverage of each profile", ["profile", "judged cases", "combinations of two features", "of three"],
      facts.profiles.map((one) => [one.profile, count(one.cases), inWords(one.pairs), inWords(one.triples)]),
      [1, 2, 3]));
  const place = h("div", {id: "profile"});
  const show = (at) => place.replaceChildren(profileCoverage(facts.profiles[at]));
  const choice =
      h("select", {id: "profile-choice", onchange: (event) => show(event.target.selectedIndex)},
        facts.profiles.map((one) => h("option", {}, one.profile)));
  section.append(h("p", {class: "choice"}, h("label", {"for": "profile-choice"}, "Profile "), choice), place);
  show(0);
}

const superscript = (number) =>
    String(number).replace(/[-\d]/g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(sign)]);

/** Bin i holds ratios of [2^(i - 32), 2^(i - 31)); the first one also all below, the last one also all above. */
const binName = (bin, bins) => (bin === 0 ? `< 2${superscript(1 - bins)}` : `2${superscript(bin - bins)}`);

function precision(section) {
  const names = Object.keys(facts.ratios).filter((name) => facts.ratios[name].some((number) => number > 0));
  if (names.length === 0) {
    section.append(h("p", {class: "muted"}, "No result has been held against a bound."));
    return;
  }
  const sum = (counts) => counts.reduce((all, one) => all + one, 0);
  const bins = facts.ratios[names[0]].length;
  const last = (counts) => counts.findLastIndex((number) => number > 0);
  const labels = Array.from({length: bins}, (unused, bin) => binName(bin, bins));
  const series = names.map((label) => {
    const total = sum(facts.ratios[label]);
    const points = facts.ratios[label].map((number) => 100 * number / total);
    return {label, points, stepped: "middle", pointRadius: 0};
  });
  const configure = () => {
    const config = lineChart(series, {}, {title: "% of its cases"});
    config.data.labels = labels;
    config.options.plugins.legend.display = true;
    config.options.scales.x = {
      type: "category",
      title: {display: true, text: "largest error / bound, at least"},
      ticks: {maxRotation: 0, autoSkipPadding: 16}
    };
    return config;
  };
  section.append(chartFigure(
      "Largest error / bound of each case",
      "share of the cases judged by a bound, by powers of two; the last bin also has what is beyond the bound",
      configure));
  section.append(table(
      "Error and bound in numbers", ["implementation", "cases", "largest ratio seen, at least", "cases in that bin"],
      names.map(
          (name) =>
              [h("code", {}, name), count(sum(facts.ratios[name])), binName(last(facts.ratios[name]), bins),
               count(facts.ratios[name][last(facts.ratios[name])])]),
      [1, 2, 3]));
}
