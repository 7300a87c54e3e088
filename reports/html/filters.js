// SPDX-License-Identifier: Apache-2.0
//
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
