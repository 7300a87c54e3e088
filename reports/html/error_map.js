// SPDX-License-Identifier: Apache-2.0
//
// Where in an output the errors lie: one slice of it as a heat map of the errors, of what was expected and of what
// came. Elements are in row-major order: [n, c, spatial...], [first, second, kernel...] of weights, or [c].

/** What a certificate has to draw, or null. Values may be with the map or beside it. */
function mapOf(certificate) {
  const map = isObject(certificate) ? certificate.map : null;
  if (!isObject(map) || !Array.isArray(map.dims) || typeof map.wrong !== "string" || map.dims.length === 0) return null;
  if (!map.dims.every((dim) => Number.isInteger(dim) && dim > 0)) return null;
  if (map.dims.reduce((product, dim) => product * dim, 1) !== map.wrong.length) return null;
  const values = isObject(certificate.values) ? certificate.values : {};
  const fits = (list) => Array.isArray(list) && list.length === map.wrong.length;
  const whole = fits(values.got) && fits(values.expected);
  return {
    role: asText(map.role),
    dims: map.dims,
    wrong: map.wrong,
    got: whole ? values.got : null,
    expected: whole ? values.expected : null
  };
}

function dimensionNames(role, length) {
  if (length === 1) return ["c"];
  const weights = role.endsWith("wei") || role.endsWith("weights");
  const spatial = length > 2 ? [..."dhw"].slice(5 - length) : [];
  return [...(weights ? ["first", "second"] : ["n", "c"]), ...spatial.map((name) => (weights ? `k${name}` : name))];
}

/** The strides of row-major order. */
const stridesOf = (dims) => dims.map((unused, at) => dims.slice(at + 1).reduce((product, dim) => product * dim, 1));

/** The pictures of a map: title, scale in words, paint, text of a cell. */
function picturesOf(map) {
  const errors = errorScale(map);
  const flag = {title: "Wrong elements", words: "", paint: errors.paint, text: null};
  if (!map.got) return [flag];
  const values = valueScale(map);
  return [
    {
      title: "Error |got − expected|",
      words: errors.words,
      paint: errors.paint,
      text: (at) => (map.wrong[at] === "x" ? cellText(errorAt(map, at)) : "")
    },
    {
      title: "Expected",
      words: values.words,
      paint: values.paint(map.expected),
      text: (at) => cellText(map.expected[at])
    },
    {title: "Got", words: values.words, paint: values.paint(map.got), text: (at) => cellText(map.got[at])},
  ];
}

/** The figure, or null where the certificate has no map. */
function errorMap(certificate) {
  const map = mapOf(certificate);
  return map ? new ErrorMap(map) : null;
}

/** The last two dimensions are the picture, each one before them has a slider. */
class ErrorMap {
  constructor(map) {
    this.map = map;
    this.names = dimensionNames(map.role, map.dims.length);
    this.strides = stridesOf(map.dims);
    this.leading = Math.max(0, map.dims.length - 2);
    this.columns = map.dims.at(-1);
    this.rows = map.dims.length > 1 ? map.dims.at(-2) : 1;
    const first = Math.max(0, map.wrong.indexOf("x"));  // the slice to begin with
    this.position = map.dims.map((dim, at) => Math.floor(first / this.strides[at]) % dim);
    this.readout = h("output", {class: "readout", "aria-live": "polite"});
    this.views = picturesOf(map).map((picture) => ({...picture, canvas: this.makeCanvas()}));
    this.element = this.makeFigure();
  }

  makeCanvas() {
    const canvas = h("canvas", {tabindex: "0", role: "img"});
    const point = (event) =>
        this.moveTo(Math.floor(event.offsetY / canvas.cell), Math.floor(event.offsetX / canvas.cell));
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("keydown", (event) => {
      const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
      if (!step) return;
      event.preventDefault();  // neither the page nor the list moves
      event.stopPropagation();
      const [row, column] = this.cursor();
      this.moveTo(row + step[0], column + step[1]);
    });
    return canvas;
  }

  makeFigure() {
    const sliders = this.position.slice(0, this.leading).map((at, dim) => this.makeSlider(dim)).filter(Boolean);
    const pictures = this.views.map(
        ({title, words, canvas}) =>
            h("div", {class: "picture"}, h("p", {}, h("strong", {}, title), h("span", {class: "muted"}, words)),
              h("div", {class: "frame"}, canvas)));
    const axes =
        this.rows > 1 ? `rows ${this.names.at(-2)}, columns ${this.names.at(-1)}` : `columns ${this.names.at(-1)}`;
    return h(
        "figure", {class: "map"}, sliders.length > 0 && h("div", {class: "sliders"}, sliders),
        h("div", {class: "pictures"}, pictures), h("figcaption", {}, this.readout, h("span", {class: "muted"}, axes)));
  }

  /** A slider over one leading dimension, or null if there is nothing to slide over. */
  makeSlider(dim) {
    const {map, position, strides} = this, name = this.names[dim];
    if (map.dims[dim] === 1) return null;
    const words = {n: "batch n", c: "channel c", d: "depth d", kd: "depth kd"}[name] ?? name;
    const isHere = (element) => Math.floor(element / strides[dim]) % map.dims[dim] === position[dim];
    const shown = h("output", {});
    const show = () => {
      const wrong = [...map.wrong].filter((flag, element) => flag === "x" && isHere(element)).length;
      shown.textContent = `${position[dim]} of 0–${map.dims[dim] - 1}, ${count(wrong)} wrong`;
    };
    const input = h(
        "input", {type: "range", min: 0, max: map.dims[dim] - 1, step: 1, "aria-label": words, "data-dimension": name});
    input.addEventListener("input", () => {
      position[dim] = Number(input.value);
      show();
      this.render();
    });
    input.value = position[dim];
    show();
    return h("label", {}, h("span", {}, words), input, shown);
  }

  /** The number of an element of the picture. */
  index(row, column) {
    const slice = this.position.slice(0, this.leading).reduce((sum, at, dim) => sum + at * this.strides[dim], 0);
    return slice + row * this.columns + column;
  }

  cursor() {
    return [this.rows > 1 ? this.position.at(-2) : 0, this.position.at(-1)];
  }

  moveTo(row, column) {
    const within = (value, end) => Math.max(0, Math.min(end - 1, value));
    if (this.rows > 1) this.position[this.position.length - 2] = within(row, this.rows);
    this.position[this.position.length - 1] = within(column, this.columns);
    this.render();
  }

  /** Needs a width: to be called when the figure is in the page, and again when that changes. */
  render() {
    const {map, rows, columns} = this;
    const index = (row, column) => this.index(row, column), marked = (at) => map.wrong[at] === "x";
    for (const {canvas, paint, text, title} of this.views) {
      canvas.cell = paintMap(canvas, {rows, columns, index, paint, text, marked, cursor: this.cursor()});
      canvas.setAttribute("aria-label", `${title}, ${rows} by ${columns} elements; arrow keys move over them`);
    }
    const at = index(...this.cursor());
    const values = map.got ? `: got ${asText(map.got[at])}, expected ${asText(map.expected[at])}` : "";
    this.readout.textContent = `${map.role}[${this.position.join(", ")}] ${marked(at) ? "wrong" : "right"}${values}`;
  }
}

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
