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
