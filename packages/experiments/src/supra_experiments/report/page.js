// Sorting, filtering, the theme and the settings of a run. Without any of it the page still reads.
"use strict";
(() => {
  const all = (selector, inside = document) => Array.from(inside.querySelectorAll(selector));
  const one = (selector) => document.querySelector(selector);

  // ── sorting: a click on a header, or Enter on it: up, down, and back to the order as it came ─────────
  const STATES = { none: "ascending", ascending: "descending", descending: "none" };
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function sorter(table) {
    const body = table.tBodies[0];
    const original = Array.from(body.rows);
    const headers = all("thead th", table);

    function sort(header) {
      const column = headers.indexOf(header);
      const state = STATES[header.getAttribute("aria-sort") || "none"];
      for (const other of headers) other.setAttribute("aria-sort", "none");
      header.setAttribute("aria-sort", state);
      const rows = original.slice();
      if (state !== "none") {
        const sign = state === "ascending" ? 1 : -1;
        const numeric = header.classList.contains("n");
        const keys = new Map(rows.map((row) => [row, keyOf(row.cells[column], numeric)]));
        rows.sort((a, b) => compare(keys.get(a), keys.get(b), sign));
      }
      body.append(...rows);
    }

    for (const header of headers) {
      const button = header.querySelector("button");
      if (button) button.addEventListener("click", () => sort(header));
    }
  }

  function keyOf(cell, numeric) {
    if (!numeric) return cell.textContent.trim();
    return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
  }

  // What has no number stands at the end, whichever way the others go.
  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" ? a - b : collator.compare(a, b));
  }

  // ── filters: one bar for all tables; a row that has nothing to do with a filter passes it ────────────
  const form = one("#filters");
  const KEYS = ["dataset", "model", "features", "pe"];

  function filter() {
    const chosen = KEYS.map((key) => [key, form.elements[key].value]).filter(([, value]) => value);
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const yardsticks = form.elements.unlearned.checked;
    let shown = 0;
    let total = 0;
    for (const table of all("table.data")) {
      let left = 0;
      for (const row of table.tBodies[0].rows) {
        const visible = passes(row, chosen, yardsticks) && words.every((word) => haystack(row).includes(word));
        row.hidden = !visible;
        left += visible;
      }
      total += table.tBodies[0].rows.length;
      shown += left;
      const nothing = table.closest(".scroll").querySelector(".nothing");
      nothing.hidden = left > 0;
    }
    form.elements.shown.value = shown === total ? `${total} rows` : `${shown} of ${total} rows`;
  }

  function passes(row, chosen, yardsticks) {
    const unlearned = row.classList.contains("unlearned");
    if (unlearned && !yardsticks) return false;
    return chosen.every(([key, value]) => {
      const own = row.dataset[key];
      if (own === undefined || own === value) return true;
      // Scores without learning stay beside the model that was chosen, to measure it by.
      return unlearned && key === "model";
    });
  }

  const haystacks = new WeakMap();
  function haystack(row) {
    let text = haystacks.get(row);
    if (text === undefined) {
      text = row.textContent;
      if (row.dataset.run !== undefined) text += " " + JSON.stringify(settingsOf(row.dataset.run));
      text = text.toLowerCase();
      haystacks.set(row, text);
    }
    return text;
  }

  // ── the settings of a run: what all runs share is kept once ──────────────────────────────────────────
  let data = null;
  function settingsOf(digest) {
    data ??= JSON.parse(one("#run-data").textContent);
    const run = data.runs[digest];
    const outcome = Object.fromEntries(data.names.map((name, place) => [name, run.outcome[place]]));
    return { ...run, outcome, versions: data.versions[run.versions] };
  }

  function list(values) {
    const dl = document.createElement("dl");
    for (const [name, value] of Object.entries(values)) {
      const term = document.createElement("dt");
      const description = document.createElement("dd");
      term.textContent = name.replaceAll("_", " ");
      description.textContent = value ?? "–";
      dl.append(term, description);
    }
    return dl;
  }

  function show(digest, title) {
    const run = settingsOf(digest);
    const body = one("#run-body");
    body.replaceChildren();
    const parts = [
      ["Settings of its own", run.settings],
      ["Outcome", run.outcome],
      ["Encoding", run.encoding],
      ["Settings that all runs share", data.common],
      ["Versions", run.versions],
    ];
    for (const [name, values] of parts) {
      if (!Object.keys(values).length) continue;
      const heading = document.createElement("h3");
      heading.textContent = name;
      body.append(heading, list(values));
    }
    one("#run-title").textContent = title;
    const dialog = one("#run-dialog");
    dialog.showModal();
    dialog.scrollTop = 0;
  }

  // ── the theme: the system's, or the one chosen here ──────────────────────────────────────────────────
  const THEMES = { auto: "light", light: "dark", dark: "auto" };
  function theme(name) {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    one("#theme").textContent = `Theme: ${name}`;
    try {
      localStorage.setItem("supra-theme", name);
    } catch {
      // A page from a file may not be allowed to remember.
    }
  }

  function remembered() {
    try {
      const name = localStorage.getItem("supra-theme");
      return name in THEMES ? name : "auto";
    } catch {
      return "auto";
    }
  }

  // ── put together ─────────────────────────────────────────────────────────────────────────────────────
  all("table.data").forEach(sorter);
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.closest(".filters").hidden = false;
  filter();

  one("#theme").hidden = false;
  one("#theme").addEventListener("click", () => theme(THEMES[document.documentElement.dataset.theme || "auto"]));
  theme(remembered());

  const runs = one("#runs-table");
  if (runs) {
    runs.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-show]");
      if (button) show(button.closest("tr").dataset.run, button.getAttribute("aria-label"));
    });
    one("#run-dialog").addEventListener("click", (event) => {
      if (event.target === event.currentTarget) event.currentTarget.close();
    });
  }
})();
