// SPDX-License-Identifier: Apache-2.0
//
// How well planted faults were found, by this tool and by what it was compared with: the document of `convict score
// --format json`. Anything may be absent.

const finished = (runs) => asList(runs).filter((run) => isObject(run) && typeof run.detected === "boolean");
const allRuns = (method) => asList(method.mutants).flatMap((mutant) => finished(mutant.runs));

/** The methods of a score, this tool first. */
function methodsOf(score) {
  const baselines = isObject(score.baselines) ? Object.entries(score.baselines) : [];
  return [{name: "ladder", ...score}, ...baselines.map(([name, method]) => ({name, ...method}))];
}

/** The share of runs that have detected nothing yet, in percent: as it was stored, or counted. */
function survival(method, stored, unit, ofRun) {
  const points = asList(method[stored]).filter((one) => isNumber(one[unit]) && isNumber(one.undetected));
  if (points.length > 0) return points.map((one) => ({x: one[unit], y: 100 * one.undetected}));
  const runs = allRuns(method);
  const detections =
      runs.filter((run) => run.detected && isNumber(run[ofRun])).map((run) => run[ofRun]).sort((a, b) => a - b);
  return detections.map((at, rank) => ({x: at, y: 100 * (1 - (rank + 1) / runs.length)}));
}

/** The middle one; nothing where that is a run that detected nothing. */
function median(values, total) {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  return sorted[Math.ceil(total / 2) - 1];
}

function detectedShare(entry, runs) {
  if (isNumber(entry.detected_share)) return entry.detected_share;
  return runs.length > 0 ? runs.filter((run) => run.detected).length / runs.length : undefined;
}

function methodRow(method) {
  const runs = allRuns(method);
  const shares = asList(method.mutants).filter(isObject).map((one) => detectedShare(one, finished(one.runs)));
  const found = (every) => shares.filter((share) => (every ? share === 1 : share > 0)).length;
  const detections = runs.filter((run) => run.detected).map((run) => run.cases);
  return [
    asText(method.name), percent(detectedShare(method, runs)), count(asList(method.mutants).length),
    count(method.found_by_all ?? found(true)), count(method.found_by_some ?? found(false)),
    count(method.median_cases ?? median(detections, runs.length)),
    isNumber(method.control_cases) ? `${count(method.false_alarms)} / ${count(method.control_cases)}` : "–"
  ];
}

function mutantRow(mutant) {
  const runs = finished(mutant.runs);
  const detections = runs.filter((run) => run.detected).map((run) => run.cases);
  return [
    h("code", {title: asText(mutant.description)}, asText(mutant.name)), percent(detectedShare(mutant, runs)),
    count(mutant.median_cases ?? median(detections, runs.length)), asText(mutant.verdict ?? "–"),
    asText(mutant.description)
  ];
}

function survivalChart(methods, unit, stored, key, ofRun) {
  const series =
      methods
          .map((method) => ({label: asText(method.name), points: survival(method, stored, key, ofRun), stepped: false}))
          .filter(({points}) => points.length > 0);
  if (series.length === 0) return null;
  return chartFigure(
      `Not detected after so many ${unit}`, "share of the runs; the lower, the sooner planted faults are found",
      () => lineChart(
          series, {title: unit, type: "logarithmic", beginAtZero: false}, {title: "% of the runs", max: 100}));
}

function detection(section) {
  const methods = isObject(facts.score) ? methodsOf(facts.score) : [];
  if (methods.length === 0) {
    section.append(
        h("p", {class: "muted"}, "No score has been kept. ", h("code", {}, command("score --plugin MUTANTS.so")),
          " measures which planted faults are found."));
    return;
  }
  section.append(table(
      "Methods",
      [
        "method", "runs that detect", "mutants", "found, all seeds", "found, some seed", "median cases",
        "false alarms / cases"
      ],
      methods.map(methodRow), [1, 2, 3, 4, 5, 6]));
  section.append(
      h("div", {class: "columns"}, survivalChart(methods, "cases", "survival", "cases", "cases"),
        survivalChart(methods, "CPU seconds", "survival_seconds", "seconds", "cpu_seconds")));
  const mutants = asList(methods[0].mutants).filter(isObject);
  if (mutants.length > 0)
    section.append(
        h("details", {}, h("summary", {}, `${plural(mutants.length, "mutant")}, by ${asText(methods[0].name)}`),
          table(
              "Mutants", ["mutant", "detected", "median cases", "usual verdict", "fault"], mutants.map(mutantRow),
              [1, 2])));
}
