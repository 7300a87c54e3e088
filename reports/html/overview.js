// SPDX-License-Identifier: Apache-2.0
//
// What there is at a glance: counts, campaigns, how fast they were and how coverage grew, and what ran.

const kStatuses = ["new", "known", "reported", "fixed", "wontfix", "gone"];

const badge = (status) => h("span", {class: `badge ${kStatuses.includes(status) ? `is-${status}` : ""}`}, status);

const tile = (value, label, kind = "") =>
    h("div", {class: `tile ${kind}`}, h("strong", {}, value), h("span", {}, label));

/** A button that fills in a filter of the list. */
const filterTile = (status, number) =>
    h("button", {type: "button", class: number > 0 ? `tile is-${status}` : "tile", onclick: () => list.showOnly({status})},
      h("strong", {}, count(number)), h("span", {}, status));

/** How many mismatches there are of each name, longest bar first. */
function bars(title, column, pairs) {
  const most = Math.max(1, ...pairs.map(([, number]) => number));
  const shown = pairs.slice(0, 8);
  const rest = pairs.slice(8).reduce((sum, [, number]) => sum + number, 0);
  return h(
      "div", {class: "bars"}, h("h3", {}, title), h("ul", {}, shown.map(([name, number]) => {
        const bar = h("i");
        bar.style.width = `${100 * number / most}%`;
        return h(
            "li", {}, h("button", {type: "button", onclick: () => list.showOnly({[column]: name})}, name),
            h("span", {class: "track"}, bar), h("span", {class: "number"}, count(number)));
      })),
      rest > 0 && h("p", {class: "muted"}, `and ${count(rest)} in ${plural(pairs.length - 8, "other")}`));
}

/** The chance that the next case has a new signature, at most. */
const likeliest = ({hit_once, chance_of_new, cases}) => (hit_once > 0 ? chance_of_new : 1 / cases);

function overview(section) {
  const {signatures} = facts;
  for (const note of facts.notes) section.append(h("p", {class: "notice"}, `Note: ${note}`));
  if (facts.campaigns.length === 0 && facts.total === 0) {
    section.append(
        h("div", {class: "empty"}, h("p", {}, h("strong", {}, "Nothing has been recorded yet.")),
          h("p", {}, "A campaign fills the database, and this page with it:"),
          codeLine("the command", command("fuzz --time 60s"))));
    return;
  }
  const numbers = Object.fromEntries(facts.statuses);
  section.append(headline(facts.headline));
  section.append(
      h("div", {class: "tiles"},
        kStatuses.filter((status) => status === "new" || numbers[status])
            .map((status) => filterTile(status, numbers[status] ?? 0)),
        tile(count(signatures.cases), "cases"),
        tile(count(facts.campaign_count), facts.campaign_count === 1 ? "campaign" : "campaigns"),
        tile(
            signatures.cases === 0 ? "–" : `≤ 1 in ${count(Math.round(1 / likeliest(signatures)))}`,
            "chance that the next case shows a new signature", "wide")));
  if (facts.total > 0)
    section.append(
        h("div", {class: "columns"}, bars("Verdicts", "verdict", facts.verdicts),
          bars("Suspects", "suspect", facts.suspects)));
}

/** Cases per second between moments, at the end of each interval. */
function speeds(progress) {
  const points = [];
  let last = [0, 0];
  for (const moment of progress) {
    if (moment[0] > last[0]) points.push({x: moment[0], y: Math.max(0, moment[1] - last[1]) / (moment[0] - last[0])});
    last = moment;
  }
  return points;
}

function speedInWords({id, progress}) {
  const [seconds, cases] = progress.at(-1);
  const speed = seconds > 0 ? `, ${count(Math.round(cases / seconds))} a second on average` : "";
  return `campaign ${id}: ${count(cases)} cases in ${duration(seconds)}${speed}`;
}

const speedChart = ({progress}) => lineChart(
    [{label: "cases per second", points: speeds(progress)}], {title: "seconds"}, {title: "cases per second"});

function growthInWords({id, profile, progress}) {
  const [, , pairs, triples] = progress.at(-1);
  const seen = `${count(pairs)} combinations of two features, ${count(triples)} of three`;
  return `campaign ${id}, profile ${profile}: ${seen}`;
}

/** In percent of what the profile can reach, where that is known. */
function growthChart({profile, progress}) {
  const known = facts.profiles.find((one) => one.profile === profile);
  const points = (column, share) =>
      progress.map((moment) => ({x: moment[0], y: share ? 100 * moment[column] / share[1] : moment[column]}));
  const series = [
    {label: "two features", points: points(2, known?.pairs)},
    {label: "three features", points: points(3, known?.triples)}
  ];
  return lineChart(
      series, {title: "seconds"}, known ? {title: "% of the reachable", max: 100} : {title: "combinations"});
}

/** The charts of one campaign at a time, the last one first. */
function progressCharts(campaigns) {
  let chosen = campaigns[0];
  const speed = chartFigure("Cases per second", speedInWords(chosen), () => speedChart(chosen));
  const growth = chartFigure("Coverage growth", growthInWords(chosen), () => growthChart(chosen));
  const choose = (event) => {
    chosen = campaigns[event.target.selectedIndex];
    updateChart(speed, speedInWords(chosen));
    updateChart(growth, growthInWords(chosen));
  };
  const names = campaigns.map(({id, profile, seed}) => h("option", {}, `${id}: ${profile}, seed ${seed}`));
  const choice = h("select", {id: "campaign-choice", onchange: choose}, names);
  return [
    h("p", {class: "choice"}, h("label", {"for": "campaign-choice"}, "Campaign "), choice),
    h("div", {class: "columns"}, speed, growth)
  ];
}

function campaigns(section) {
  if (facts.campaigns.length === 0) {
    section.append(h("p", {class: "muted"}, "No campaign has run."));
    return;
  }
  const withProgress = facts.campaigns.filter((one) => asList(one.progress).length > 0);
  if (withProgress.length > 0) section.append(...progressCharts(withProgress));
  const row = ({id, state, profile, seed, counts, started, version, isa}) =>
      [String(id), state, profile, h("code", {}, seed), ...facts.counters.map(([key]) => count(counts[key])),
       duration(counts.seconds),
       counts.seconds > 0 ? count(Math.round(counts.cases / counts.seconds)) : "–", time(started),
       [version, isa].filter(Boolean).join(", ")];
  const columns = [
    "id", "state", "profile", "seed", ...facts.counters.map(([, title]) => title), "ran", "cases / s", "started",
    "convict, ISA"
  ];
  const isNumber = (at) => at === 0 || (at > columns.indexOf("seed") && at < columns.indexOf("started"));
  const most = 12, numbers = [...columns.keys()].filter(isNumber);
  section.append(table("Campaigns, the last one first", columns, facts.campaigns.slice(0, most).map(row), numbers));
  if (facts.campaigns.length > most)
    section.append(
        h("details", {}, h("summary", {}, `${count(facts.campaigns.length - most)} older campaigns`),
          table("Older campaigns", columns, facts.campaigns.slice(most).map(row), numbers)));
}

/** Versions that ran, and in which campaigns: one row for each version of each library. */
function environment(section) {
  const ran = new Map(), last = facts.campaigns.filter(({libraries}) => Object.keys(libraries).length > 0);
  for (const {id, libraries} of last)
    for (const [name, version] of Object.entries(libraries)) {
      const key = `${name}\n${version}`;
      ran.set(key, {name, version, ids: [...(ran.get(key)?.ids ?? []), id]});
    }
  section.append(definitions([
    ["convict", facts.version], ["instruction set of the machine that wrote this page", facts.isa],
    ["database", h("code", {}, facts.database)], ["written", facts.written], ["charts", "Chart.js, MIT licence"]
  ]));
  if (ran.size === 0) return;
  const rows = [...ran.values()].sort((a, b) => compare(a.name, b.name) || b.ids[0] - a.ids[0]);
  const most = 8;  // campaigns to name
  const inWords = (ids) => ids.slice(0, most).join(", ") + (ids.length > most ? ` and ${ids.length - most} more` : "");
  section.append(table(
      "Implementations that ran", ["implementation", "version", `in campaigns, of the last ${last.length}`],
      rows.map(({name, version, ids}) => [h("code", {}, name), version, inWords(ids)])));
}
