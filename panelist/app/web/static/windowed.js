// A long list: only the rows in sight are in the page, and their data come in slices from the server.
import { el } from "./dom.js";

const SLICE = 100; // rows asked for at once
const BEYOND = 10; // rows kept above and below those in sight
const TALLEST = 8_000_000; // pixels: browsers draw nothing beyond some thirty million

/**
 * A table with rows of one height, as an element with `reload()`.
 * `load(offset, limit)` answers `{ total, rows }`; `row(data, index)` the cells as elements or texts; `head` the columns' names.
 */
export function windowed({ label, head, load, row, height = 48, empty = "There is nothing to show." }) {
  const body = el("tbody");
  const above = el("tr", { "aria-hidden": "true", class: "space" }, el("td", { colspan: head.length }));
  const below = above.cloneNode(true);
  const table = el("table", {}, el("thead", {}, el("tr", { "aria-rowindex": 1 }, head.map((name) => (name ? el("th", { scope: "col" }, name) : el("td"))))), body);
  const box = el("div", { class: "windowed", tabindex: "0", role: "region", "aria-label": label }, table);
  const nothing = el("p", { class: "help", hidden: true }, empty);
  const root = el("div", {}, box, nothing);
  let slices = new Map();
  let total = 0;
  let round = 0;
  let drawn = "";

  const space = (element, pixels) => { element.firstChild.style.height = `${pixels}px`; element.hidden = pixels <= 0; };

  function range() {
    const inSight = Math.ceil(box.clientHeight / height) + 1;
    const whole = total * height;
    // A list that is taller than browsers can draw is scrolled in proportion.
    const tall = Math.min(whole, TALLEST);
    const share = tall > box.clientHeight ? box.scrollTop / (tall - box.clientHeight) : 0;
    const first = whole > TALLEST ? Math.round(share * Math.max(total - inSight + 1, 0)) : Math.floor(box.scrollTop / height);
    const from = Math.max(first - BEYOND, 0);
    const to = Math.min(first + inSight + BEYOND, total);
    const top = whole > TALLEST ? Math.min(Math.max(box.scrollTop - (first - from) * height, 0), tall - (to - from) * height) : from * height;
    return { from, to, top, bottom: Math.max(tall - top - (to - from) * height, 0) };
  }

  async function fetchSlice(at, mine) {
    if (slices.has(at)) return;
    slices.set(at, null);
    try {
      const found = await load(at * SLICE, SLICE);
      if (mine !== round) return;
      slices.set(at, found.rows);
      if (found.total !== total) total = found.total;
      draw(true);
    } catch (problem) {
      if (mine !== round) return;
      slices.delete(at);
      nothing.textContent = problem.message;
      nothing.hidden = false;
    }
  }

  function draw(force = false) {
    table.setAttribute("aria-rowcount", total + 1);
    nothing.hidden = total > 0;
    box.hidden = total === 0;
    const { from, to, top, bottom } = range();
    const wanted = `${from} ${to} ${top}`;
    if (!force && wanted === drawn) return;
    drawn = wanted;
    for (let at = Math.floor(from / SLICE); at <= Math.floor(Math.max(to - 1, 0) / SLICE); at += 1) fetchSlice(at, round);
    const focused = body.contains(document.activeElement) ? [document.activeElement.closest("tr")?.getAttribute("aria-rowindex"), [...document.activeElement.closest("tr").querySelectorAll("button, a")].indexOf(document.activeElement)] : null;
    const rows = [];
    for (let at = from; at < to; at += 1) {
      const data = slices.get(Math.floor(at / SLICE))?.[at % SLICE];
      const cells = data === undefined ? [el("td", { colspan: head.length, class: "help" }, "…")] : row(data, at).map((cell) => el("td", {}, cell));
      const line = el("tr", { "aria-rowindex": at + 2 }, cells);
      line.style.height = `${height}px`;
      rows.push(line);
    }
    space(above, top);
    space(below, bottom);
    body.replaceChildren(above, ...rows, below);
    if (focused) body.querySelector(`tr[aria-rowindex="${focused[0]}"]`)?.querySelectorAll("button, a")[focused[1]]?.focus({ preventScroll: true });
  }

  async function reload() {
    round += 1;
    slices = new Map();
    drawn = "";
    const first = Math.floor(box.scrollTop / height / SLICE);
    await fetchSlice(total ? first : 0, round);
  }

  box.addEventListener("scroll", () => requestAnimationFrame(() => draw()));
  new ResizeObserver(() => draw()).observe(box);
  root.reload = reload;
  reload();
  return root;
}
