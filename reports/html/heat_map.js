// SPDX-License-Identifier: Apache-2.0
//
// Numbers as colours, and cells on a canvas: what error maps are painted with. A map is {role, dims, wrong, got,
// expected} of mapOf().

const kWidestCell = 44, kTallestMap = 300;

/** Red, green and blue of "#rrggbb". */
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

function mix(from, to, share) {
  const [a, b] = [channels(colour(from)), channels(colour(to))];
  return `rgb(${a.map((value, at) => Math.round(value + (b[at] - value) * share)).join(",")})`;
}

const toNumber = (value) => (typeof value === "number" ? value : NaN);

/** Without values, 1 stands for any error. */
function errorAt(map, at) {
  if (!map.got) return map.wrong[at] === "x" ? 1 : 0;
  return Math.abs(toNumber(map.got[at]) - toNumber(map.expected[at]));
}

/** How to paint errors: by their logarithm where they span more than two decades. */
function errorScale(map) {
  const all = [...map.wrong].map((flag, at) => (flag === "x" ? errorAt(map, at) : 0));
  const errors = all.filter((error) => error > 0 && isFinite(error));
  const least = errors.reduce((a, b) => Math.min(a, b), Infinity), most = errors.reduce((a, b) => Math.max(a, b), 0);
  const logarithmic = most / least > 100;
  const share = (error) => {
    if (!(most > least)) return 1;
    return logarithmic ? Math.log(error / least) / Math.log(most / least) : (error - least) / (most - least);
  };
  const paint = (at) => {
    if (map.wrong[at] !== "x") return colour("map-right");
    const error = errorAt(map, at);
    if (!isFinite(error)) return colour("map-odd");
    return mix("map-error-low", "map-error", Math.max(0, Math.min(1, share(error))));
  };
  const range = least === most ? brief(most) : `${brief(least)} to ${brief(most)}`;
  return {paint, words: errors.length === 0 ? "" : range + (logarithmic ? ", by logarithm" : "")};
}

/** Both pictures of values share one scale, symmetric around 0. */
function valueScale(map) {
  const sizes = [...map.got, ...map.expected].filter(isNumber).map(Math.abs);
  const most = sizes.reduce((a, b) => Math.max(a, b), 0) || 1;
  const paint = (list) => (at) => {
    if (!isNumber(list[at])) return colour("map-odd");
    const share = list[at] / most;
    return mix("map-zero", share < 0 ? "map-negative" : "map-positive", Math.abs(share));
  };
  return {paint, words: `−${brief(most)} to ${brief(most)}`};
}

/** The smallest text that still tells values apart at a glance. */
function cellText(value) {
  if (!isNumber(value)) return typeof value === "string" ? value : "nan";
  const text = String(Number(value.toPrecision(3)));
  return text.length <= 6 ? text : value.toExponential(0);
}

/** Draws rows x columns cells; `index(row, column)` numbers them. */
function paintMap(canvas, {rows, columns, index, paint, text, marked, cursor}) {
  const room = canvas.parentElement.clientWidth || 300;
  const size = Math.max(4, Math.floor(Math.min(kWidestCell, room / columns, Math.max(kTallestMap / rows, 4))));
  const scale = window.devicePixelRatio || 1;
  canvas.width = columns * size * scale;
  canvas.height = rows * size * scale;
  canvas.style.width = `${columns * size}px`;
  canvas.style.height = `${rows * size}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.font = `${size < 36 ? 10 : 11}px ${colour("mono")}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const gap = size >= 8 ? 1 : 0;
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const at = index(row, column), x = column * size, y = row * size;
      const fill = paint(at);
      context.fillStyle = fill;
      context.fillRect(x, y, size - gap, size - gap);
      if (size >= 28 && text) {
        context.fillStyle = isDark(fill) ? "#fff" : "#000";
        context.fillText(text(at), x + size / 2, y + size / 2, size - 3);
      }
      if (marked(at) && size >= 8) outline(context, x, y, size - gap, colour("map-error"), 1);
      if (cursor && cursor[0] === row && cursor[1] === column) outline(context, x, y, size - gap, colour("text"), 2);
    }
  return size;
}

function outline(context, x, y, size, style, width) {
  context.strokeStyle = style;
  context.lineWidth = width;
  context.strokeRect(x + width / 2, y + width / 2, size - width, size - width);
}

/** Whether white is the better ink. Fill styles are "rgb(r,g,b)" or "#rrggbb". */
function isDark(fill) {
  const [red, green, blue] = fill.startsWith("#") ? channels(fill) : fill.match(/\d+/g).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue < 140;
}
