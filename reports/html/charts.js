// SPDX-License-Identifier: Apache-2.0
//
// What all charts have in common. A chart is made when it comes into view, and again when the theme changes.

const charts = [];  // {canvas, configure, chart}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const seriesColour = (at) => colour(`series-${at % 8}`);
const seriesDash = (at) => (at < 8 ? [] : [6, 3]);

function draw(entry) {
  entry.chart?.destroy();
  Chart.defaults.color = colour("muted");
  Chart.defaults.borderColor = colour("line");
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  entry.chart = new Chart(entry.canvas, entry.configure());
}

/** Draws what has been drawn again, in the colours of now. */
function redrawCharts() {
  for (const entry of charts)
    if (entry.chart) draw(entry);
}

/** Draws everything, seen or not: for printing. */
function drawAllCharts() {
  for (const entry of charts)
    if (!entry.chart) draw(entry);
}

const onView = new IntersectionObserver((entries) => {
  for (const {isIntersecting, target} of entries) {
    if (!isIntersecting) continue;
    onView.unobserve(target);
    const entry = charts.find((one) => one.canvas === target);
    if (entry && !entry.chart) draw(entry);
  }
}, {rootMargin: "200px"});

/** A figure with a chart; `summary` says in words what it shows. `configure` returns what Chart.js wants. */
function chartFigure(title, summary, configure) {
  const canvas = h("canvas", {role: "img", "aria-label": `${title}. ${summary}`});
  charts.push({canvas, configure, chart: null});
  onView.observe(canvas);
  return h(
      "figure", {class: "chart"}, h("figcaption", {}, h("strong", {}, title), h("span", {class: "muted"}, summary)),
      h("div", {class: "canvas"}, canvas));
}

/** The figure's chart takes other data. */
function updateChart(figure, summary) {
  figure.querySelector("figcaption span").textContent = summary;
  const entry = charts.find((one) => figure.contains(one.canvas));
  entry.canvas.setAttribute("aria-label", summary);
  if (entry.chart) draw(entry);
}

/** Lines over numbers. Series: {label, points: [{x, y}], dash, stepped}. Axes: {title, type, max, ticks}. */
function lineChart(series, xAxis, yAxis) {
  const axis = ({title, ...rest}) => ({title: {display: true, text: title}, beginAtZero: true, ...rest});
  return {
    type: "line",
    data: {
      datasets: series.map(({label, points, ...rest}, at) => ({
                             label,
                             data: points,
                             borderColor: seriesColour(at),
                             backgroundColor: seriesColour(at),
                             borderWidth: 2,
                             borderDash: seriesDash(at),
                             pointRadius: points.length > 40 ? 0 : 2,
                             tension: 0,
                             ...rest
                           })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: {mode: "nearest", axis: "x", intersect: false},
      plugins: {legend: {display: series.length > 1, labels: {boxWidth: 14, boxHeight: 2}}},
      scales: {x: {type: "linear", ...axis(xAxis)}, y: {min: 0, ...axis(yAxis)}},
    },
  };
}
