// Sorting, filtering, the address of a view, CSV, the theme and the settings of a run. Without any of it the page still reads.
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
      header.querySelector("button").addEventListener("click", () => sort(header));
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
  const fields = all("select, input", form);
  const valueOf = (field) => (field.type === "checkbox" ? (field.checked ? "" : "no") : field.value);

  function filter() {
    const chosen = fields.filter((field) => field.matches("select") && field.value);
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    let total = 0;
    for (const table of all("table.data")) {
      const rows = Array.from(table.tBodies[0].rows);
      for (const row of rows) {
        row.hidden = !(passes(row, chosen) && words.every((word) => haystack(row).includes(word)));
      }
      const left = rows.filter((row) => !row.hidden).length;
      total += rows.length;
      shown += left;
      table.closest(".scroll").querySelector(".nothing").hidden = left > 0;
      one(`[data-csv="${table.id}"]`).textContent = left === rows.length ? "CSV" : `CSV, ${left} of ${rows.length} rows`;
    }
    form.elements.shown.value = shown === total ? `${total} rows` : `${shown} of ${total} rows`;
  }

  function passes(row, chosen) {
    const unlearned = row.classList.contains("unlearned");
    if (unlearned && !form.elements.unlearned.checked) return false;
    return chosen.every(({ name, value }) => {
      const own = row.dataset[name];
      if (own === undefined || own === value) return true;
      // Scores without learning stay beside the model that was chosen, to measure it by.
      return unlearned && name === "model";
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

  // ── the address: a place on the page and the filters, `#cells?dataset=dblp`, so that a view can be sent ─
  function address() {
    const [place, query = ""] = location.hash.slice(1).split("?");
    return [place, new URLSearchParams(query)];
  }

  function remember(place) {
    const chosen = fields.map((field) => [field.name, valueOf(field)]).filter(([, value]) => value);
    const query = chosen.length ? "?" + new URLSearchParams(chosen) : "";
    return `#${place}${query}`;
  }

  function restore() {
    const [place, query] = address();
    for (const field of fields) {
      const value = query.get(field.name) ?? "";
      if (field.type === "checkbox") field.checked = value !== "no";
      else field.value = value;
      if (field.matches("select") && field.selectedIndex < 0) field.value = ""; // a name that is not here
    }
    filter();
    go(place);
  }

  function go(place) {
    const target = place && document.getElementById(place);
    if (!target) return;
    for (let each = target; each; each = each.parentElement) {
      if (each.matches("details")) each.open = true;
    }
    (target.closest(".table") ?? target).scrollIntoView();
  }

  // ── CSV: the rows that are shown, in the order in which they are ─────────────────────────────────────
  function csv(table) {
    const headers = all("thead th", table).map((header) => ({
      name: header.textContent.trim(),
      numeric: header.classList.contains("n"),
      more: header.dataset.more?.split("\t") ?? [],
    }));
    const lines = [headers.flatMap(({ name, more }) => [name, ...more.map((each) => `${name}, ${each}`)])];
    for (const row of Array.from(table.tBodies[0].rows).filter((each) => !each.hidden)) {
      lines.push(headers.flatMap(({ numeric, more }, column) => {
        const cell = row.cells[column];
        const numbers = cell.dataset.more?.split("\t") ?? [];
        const text = cell.textContent.trim();
        return [numeric ? cell.dataset.v ?? "" : text === "–" ? "" : text, ...more.map((_, i) => numbers[i] ?? "")];
      }));
    }
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");
  }

  function save(table) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv(table)], { type: "text/csv" }));
    link.download = `${table.id}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
  function filtered() {
    filter();
    history.replaceState(null, "", remember(address()[0]));
  }

  all("table.data").forEach(sorter);
  form.addEventListener("input", filtered);
  form.addEventListener("reset", () => setTimeout(filtered));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", restore);
  form.closest(".filters").hidden = false;

  for (const link of all('main a[href^="#"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const place = link.getAttribute("href").slice(1);
      history.pushState(null, "", remember(place));
      go(place);
    });
  }
  for (const button of all("[data-csv]")) {
    button.hidden = false;
    button.addEventListener("click", () => save(document.getElementById(button.dataset.csv)));
  }
  restore();

  one("#theme").hidden = false;
  one("#theme").addEventListener("click", () => theme(THEMES[document.documentElement.dataset.theme || "auto"]));
  theme(remembered());

  one("#runs-table").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-show]");
    if (button) show(button.closest("tr").dataset.run, button.getAttribute("aria-label"));
  });
  one("#run-dialog").addEventListener("click", (event) => {
    if (event.target === event.currentTarget) event.currentTarget.close();
  });
})();
