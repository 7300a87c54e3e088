// SPDX-License-Identifier: Apache-2.0
//
// The list of mismatches: order, pages, keys, and the pane beside it that shows the one that is open. Which one that is
// says the address (#m17), so that it can be passed on and the Back button closes it.

const kRowsOnPage = 100;
const kColumns = [
  ["id", "#"], ["status", "status"], ["verdict", "verdict"], ["suspect", "suspect"], ["operation", "operation"],
  ["case", "case"], ["hits", "hits"], ["last", "last seen"]
];
const kLargestFirst = ["hits", "last"];  // of these columns, the first click wants the largest

function listRow(row, open) {
  const cells = {
    id: h("a", {href: `#m${row.id}`, tabindex: "-1"}, `#${row.id}`),
    status: badge(row.status),
    verdict: row.verdict,
    suspect: h("code", {}, row.suspect),
    operation: row.operation,
    case: h("code", {}, row.case),
    hits: count(row.hits),
    last: time(row.last),
  };
  const click = (event) => {
    if (event.target.closest("a") || String(getSelection()) !== "")
      return;  // the link does the same; text is being selected
    open(row);
  };
  return h(
      "tr", {"data-id": row.id, onclick: click},
      kColumns.map(([name]) => h("td", {class: `col-${name}`, title: name === "case" ? row.case : null}, cells[name])));
}

class MismatchList {
  constructor(section, rows) {
    this.section = section;
    this.rows = this.shown = rows;
    this.sort = {column: "", down: false};  // "": by importance, as the page has them
    this.current = 0;                       // which of `shown` the keys move from
    this.opened = null;                     // a row
    this.drawn = null;                      // what fillDetail() says of it
    this.filters = new Filters(rows, () => this.choose());
    this.makeParts();
    section.append(this.missing, ...this.remarks(), this.layout());
    document.addEventListener("keydown", (event) => this.press(event));
    window.addEventListener("hashchange", () => this.followAddress());
    window.addEventListener("resize", () => this.redraw());
    this.choose();
  }

  makeParts() {
    this.order =
        h("select", {
          id: "order",
          "aria-label": "Order",
          onchange: () => this.sortBy(this.order.value, kLargestFirst.includes(this.order.value))
        },
          h("option", {value: ""}, "by importance"),
          kColumns.map(([name, title]) => h("option", {value: name}, `by ${title}`)));
    const turn = (name) =>
        this.sortBy(name, this.sort.column === name ? !this.sort.down : kLargestFirst.includes(name));
    this.head =
        h("tr", {},
          kColumns.map(
              ([name, title]) =>
                  h("th", {scope: "col", class: `col-${name}`},
                    h("button", {type: "button", onclick: () => turn(name)}, title))));
    this.total = h("output", {id: "shown"});
    this.body = h("tbody");
    this.pages = h("nav", {class: "pages", "aria-label": "Pages of the list"});
    this.pane = h("article", {id: "detail", hidden: true, "aria-label": "The opened mismatch"});
    this.missing = h("p", {class: "notice", id: "missing", hidden: true});
  }

  remarks() {
    const left = plural(facts.left_out, "less important mismatch is", "less important mismatches are");
    return [
      this.rows.length === 0 &&
          h("p", {class: "empty"}, facts.campaigns.length > 0 ? "None: no implementation was caught." : "None."),
      facts.left_out > 0 &&
          h("p", {class: "notice"}, `${left} not in this page, which is limited to 10 MB: `,
            h("code", {}, command("list mismatches"))),
    ].filter(Boolean);
  }

  layout() {
    const keys = [[["j", "k"], "move"], [["Enter"], "open"], [["/"], "search"], [["Esc"], "close"]];
    const {search, selects, clear} = this.filters;
    return h(
        "div", {class: "mismatches", hidden: this.rows.length === 0},
        h("div", {class: "list"},
          h("form", {class: "filters", role: "search", onsubmit: (event) => event.preventDefault()}, search,
            Object.values(selects), this.order, clear, this.total),
          h("div", {class: "rows"},
            h("table", {}, h("caption", {class: "unseen"}, "Mismatches"), h("thead", {}, this.head), this.body)),
          this.pages,
          h("p", {class: "keys muted small"},
            keys.map(([names, does]) => [names.map((name) => [h("kbd", {}, name), " "]), does, " "]))),
        this.pane);
  }

  /** Works out which rows are shown and in what order, and shows them. */
  choose() {
    this.shown = this.filters.apply(this.rows);
    const {column, down} = this.sort;
    if (column) this.shown.sort((a, b) => (down ? -1 : 1) * compare(a[column], b[column]) || a.id - b.id);
    this.current = Math.max(0, this.shown.indexOf(this.opened));
    this.show();
  }

  sortBy(column, down) {
    this.sort = {column, down};
    this.order.value = column;
    this.choose();
  }

  /** The page of the list that has the current row. */
  show() {
    const {shown, rows} = this;
    const first = this.pageOf(this.current) * kRowsOnPage, end = Math.min(first + kRowsOnPage, shown.length);
    this.body.replaceChildren(...shown.slice(first, end).map((row) => listRow(row, (one) => this.open(one))));
    if (shown.length === 0)
      this.body.append(h("tr", {}, h("td", {colspan: kColumns.length}, "No mismatch is like that.")));
    const all = plural(rows.length, "mismatch", "mismatches");
    this.total.textContent = shown.length === rows.length ? all : `${count(shown.length)} of ${count(rows.length)}`;
    const turn = (label, at) =>
        h("button", {type: "button", disabled: at < 0 || at >= shown.length, onclick: () => this.goTo(at)}, label);
    const where = h("span", {}, `${count(first + 1)}–${count(end)} of ${count(shown.length)}`);
    const turns = [turn("‹ Previous", first - kRowsOnPage), where, turn("Next ›", first + kRowsOnPage)];
    this.pages.replaceChildren(...(shown.length > kRowsOnPage ? turns : []));
    const order = this.sort.down ? "descending" : "ascending";
    for (const [at, [name]] of kColumns.entries())
      this.head.children[at].setAttribute("aria-sort", this.sort.column === name ? order : "none");
    this.mark();
  }

  pageOf(at) {
    return Math.floor(at / kRowsOnPage);
  }

  /** Shows in the list which row is current, and which is open. */
  mark() {
    for (const line of this.body.children) {
      const isCurrent = line === this.line();
      if (isCurrent)
        line.setAttribute("aria-current", "true");
      else
        line.removeAttribute("aria-current");
      line.querySelector("a")?.setAttribute("tabindex", isCurrent ? "0" : "-1");
      line.classList.toggle("opened", line.dataset.id === String(this.opened?.id));
    }
  }

  /** The line of the current row. */
  line() {
    return this.body.children[this.current % kRowsOnPage];
  }

  focusLine() {
    this.line()?.querySelector("a")?.focus({preventScroll: true});
  }

  goTo(at) {
    const page = this.pageOf(this.current);
    this.current = Math.max(0, Math.min(this.shown.length - 1, at));
    if (this.pageOf(this.current) === page)
      this.mark();
    else
      this.show();
    this.line()?.scrollIntoView({block: "nearest"});
  }

  open(row) {
    location.hash = `m${row.id}`;
  }

  close() {
    if (!this.opened) return;
    history.replaceState(null, "", location.pathname + location.search);
    this.followAddress();
    this.focusLine();
  }

  /** Opens what the address names, or closes. */
  followAddress() {
    const id = location.hash.match(/^#m(\d+)$/)?.[1];
    const row = id && this.rows.find((one) => String(one.id) === id);
    this.missing.hidden = !id || Boolean(row);
    this.missing.textContent = id ? `This page has no mismatch #${id}: ${command(`show ${id}`)}` : "";
    if (row) {
      this.fillPane(row);
      this.drawn.title.focus({preventScroll: true});
      return;
    }
    this.opened = null;
    this.pane.hidden = true;
    document.body.classList.remove("reading");
    this.mark();
  }

  fillPane(row) {
    this.opened = row;
    if (!this.shown.includes(row)) this.filters.set({});
    this.pane.hidden = false;
    this.pane.scrollTop = 0;
    document.body.classList.add("reading");
    this.drawn = fillDetail(this.pane, row, () => this.close());
    this.drawn.redraw();
    this.goTo(this.shown.indexOf(row));
    announce(`Mismatch ${row.id}, ${row.suspect}, ${row.verdict}`);
  }

  redraw() {
    if (this.opened) this.drawn.redraw();
  }

  /** One row on; with a mismatch open, that one is shown instead. */
  step(by) {
    const begun = this.body.contains(document.activeElement) || this.opened;
    this.goTo(this.current + (begun ? by : 0));
    if (this.opened) {
      history.replaceState(null, "", `#m${this.shown[this.current].id}`);
      this.fillPane(this.shown[this.current]);
    }
    this.focusLine();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || this.rows.length === 0) return;
    if (event.key === "Escape") return this.escape(event.target);
    if (event.target.matches("input, select, textarea")) return;
    const inList = this.body.contains(document.activeElement);
    const by = {j: 1, k: -1, ...(inList && {ArrowDown: 1, ArrowUp: -1})}[event.key];
    if (event.key === "/")
      this.filters.search.focus();
    else if (by && this.shown.length > 0)
      this.step(by);
    else if (event.key === "Enter" && !event.target.closest("a, button, summary") && this.shown.length > 0)
      this.open(this.shown[this.current]);
    else
      return;
    event.preventDefault();
  }

  /** Leaves what is innermost: a search, a field, the open mismatch. */
  escape(target) {
    const {search} = this.filters;
    if (target === search && search.value !== "") {
      search.value = "";
      this.choose();
    } else if (target.matches("input, select, textarea"))
      target.blur();
    else
      this.close();
  }

  /** Shows those with these values, and brings them into view. */
  showOnly(values) {
    this.filters.set(values);
    this.section.scrollIntoView();
  }
}

// Which mismatches the list shows: a search, and one value each of some columns.

const kFilters = ["status", "verdict", "suspect", "operation"];

/** What a search looks at, in lower case; worked out once. */
function searchText(row) {
  row.text ??=
      [
        `#${row.id}`, row.status, row.suspect, row.verdict, row.blame, row.operation, row.case, row.predicate,
        row.geography, row.link, row.note, row.detail?.signature
      ].filter(Boolean)
          .join("\n")
          .toLowerCase();
  return row.text;
}

/** Numbers by size, texts by their letters. */
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return asText(a) < asText(b) ? -1 : asText(a) > asText(b) ? 1 : 0;
}

class Filters {
  /** `changed` is called when somebody changes them. */
  constructor(rows, changed) {
    this.changed = changed;
    this.search = h("input", {
      type: "search",
      id: "search",
      placeholder: "Search cases, predicates, notes",
      "aria-label": "Search",
      title: "/",
      oninput: changed
    });
    this.selects = Object.fromEntries(kFilters.map((name) => [name, this.makeSelect(name, rows)]));
    this.clear = h("button", {type: "button", class: "quiet", hidden: true, onclick: () => this.set({})}, "Clear");
  }

  makeSelect(name, rows) {
    const numbers = new Map();
    for (const row of rows) numbers.set(row[name], (numbers.get(row[name]) ?? 0) + 1);
    const rank = (value) => (name === "status" ? kStatuses.indexOf(value) : value);
    const options = [...numbers].sort(([a], [b]) => compare(rank(a), rank(b)));
    return h(
        "select", {id: `filter-${name}`, "aria-label": name, onchange: this.changed},
        h("option", {value: ""}, `any ${name}`),
        options.map(([value, number]) => h("option", {value}, `${value} (${number})`)));
  }

  /** Exactly these: {status: "new"}. */
  set(values) {
    this.search.value = "";
    for (const name of kFilters) this.selects[name].value = values[name] ?? "";
    this.changed();
  }

  apply(rows) {
    const search = this.search.value.trim().toLowerCase();
    const chosen = kFilters.map((name) => [name, this.selects[name].value]).filter(([, value]) => value !== "");
    this.clear.hidden = search === "" && chosen.length === 0;
    return rows.filter(
        (row) => chosen.every(([name, value]) => row[name] === value) &&
            (search === "" || searchText(row).includes(search)));
  }
}
