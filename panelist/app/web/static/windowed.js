// A long list of which only the visible rows are in the page. Rows have one height; data come in slices from the server.
//
// The list is a grid that holds the focus: arrows, page keys, Home and End move the active row, Enter opens it. A screen
// reader learns the number of rows and the position of each from aria-rowcount and aria-rowindex.
import { el, html } from "./dom.js";

const SLICE = 50;
const BEYOND = 12; // rows above and below the window that are there already
let lists = 0;

/**
 * Fill `root` with a list: `label` says to screen readers what it is, `head` names its columns, `cells(row, position)` are texts or elements.
 * `rows` are all of them where they are here already, else `load(offset, limit, signal)` answers {total, rows}.
 * `open(row, position)` is called when a row is chosen; rows are `height` pixels high; `empty` is said where there are none.
 * A list that is `inPage` scrolls with the page, all others in a box of their own.
 */
export function windowed(
  root,
  {
    label,
    head,
    rows: all = [],
    load = async (offset, limit) => ({ total: all.length, rows: all.slice(offset, offset + limit) }),
    cells,
    open = null,
    height = 44,
    inPage = false,
    empty = () => "Nothing to show.",
  },
) {
  const name = `window-${(lists += 1)}`;
  const body = el("div", { class: "window-body", role: "rowgroup" });
  const note = el("p", { class: "window-note help", role: "status" });
  const grid = html`
    <div class=${inPage ? "window in-page" : "window"} role="grid" tabindex="0" aria-label=${label} aria-rowcount="-1">
      <div class="window-head" role="rowgroup">
        <div class="window-row" role="row" aria-rowindex="1">${head.map((text) => html`<span role="columnheader">${text}</span>`)}</div>
      </div>
      ${body}
    </div>`;
  root.replaceChildren(grid, note);

  let slices = new Map();
  let total = null;
  let active = 0;
  let abort = new AbortController();
  let drawing = 0;
  let drawn = new Map();

  const rowAt = (position) => slices.get(Math.floor(position / SLICE))?.rows?.[position % SLICE];

  async function fetchSlice(number) {
    if (slices.has(number)) return;
    const begun = abort; // another one after a reset
    slices.set(number, {});
    try {
      const answer = await load(number * SLICE, SLICE, abort.signal);
      if (begun !== abort) return;
      slices.set(number, answer);
      total = answer.total;
      active = Math.max(0, Math.min(active, total - 1));
      body.style.height = `${total * height}px`;
      grid.setAttribute("aria-rowcount", String(total + 1));
      note.textContent = total ? "" : empty();
      draw();
    } catch (problem) {
      if (begun !== abort || problem.name === "AbortError") return;
      slices.delete(number);
      note.textContent = problem.message;
    }
  }

  function draw() {
    drawing = 0;
    if (total === null) return;
    const [top, tall] = inPage
      ? [Math.max(0, -body.getBoundingClientRect().top), innerHeight]
      : [grid.scrollTop, grid.clientHeight];
    const first = Math.max(0, Math.floor(top / height) - BEYOND);
    const last = Math.min(total, Math.floor(top / height) + Math.ceil(tall / height) + BEYOND);
    const before = drawn;
    drawn = new Map();
    for (let position = first; position < last; position += 1) {
      const row = rowAt(position);
      if (row === undefined) fetchSlice(Math.floor(position / SLICE));
      const old = before.get(position);
      drawn.set(position, old && old.row === row ? old : { row, line: element(row, position) });
    }
    place([...drawn.values()].map(({ line }) => line));
    drawn.forEach(({ line }, position) => line.setAttribute("aria-selected", String(position === active)));
    grid.setAttribute("aria-activedescendant", total ? `${name}-${active}` : "");
  }

  // Rows that stay are not touched: a row that was replaced between press and release of a finger would not be opened.
  function place(rows) {
    const remaining = new Set(rows);
    [...body.children].filter((row) => !remaining.has(row)).forEach((row) => row.remove());
    rows.forEach((row, number) => {
      if (body.children[number] !== row) body.insertBefore(row, body.children[number] ?? null);
    });
  }

  function element(row, position) {
    const line = html`
      <div class=${open ? "window-row can-open" : "window-row"} role="row" id="${name}-${position}" aria-rowindex=${position + 2}>
        ${row === undefined ? html`<span role="gridcell">…</span>` : cells(row, position).map((cell) => html`<span role="gridcell">${cell}</span>`)}
      </div>`;
    line.onclick = () => {
      active = position;
      draw();
      openActive();
    };
    line.style.top = `${position * height}px`;
    line.style.height = `${height}px`;
    return line;
  }

  const later = () => {
    drawing ||= requestAnimationFrame(draw);
  };

  function openActive() {
    const row = rowAt(active);
    if (open && row !== undefined) open(row, active);
  }

  function move(position) {
    if (!total) return;
    active = Math.max(0, Math.min(total - 1, position));
    const top = active * height;
    const seen = grid.clientHeight - body.offsetTop - height;
    if (inPage) {
      const above = body.getBoundingClientRect().top + top - body.offsetTop; // the head stays above the rows
      const below = body.getBoundingClientRect().top + top + height - innerHeight;
      if (above < 0 || below > 0) scrollBy(0, above < 0 ? above : below);
    } else grid.scrollTop = Math.max(top - seen, Math.min(top, grid.scrollTop));
    draw();
  }

  (inPage ? window : grid).addEventListener("scroll", later, { passive: true });
  grid.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(((inPage ? innerHeight : grid.clientHeight) - body.offsetTop) / height) - 1);
    const steps = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: (total ?? 1) - 1,
    };
    if (event.key in steps) {
      event.preventDefault();
      move(steps[event.key]);
    } else if (event.key === "Enter" && event.target === grid) {
      event.preventDefault();
      openActive();
    }
  });
  new ResizeObserver(later).observe(grid);

  /** Load everything again, from the top: another order, another search. */
  function reset() {
    abort.abort();
    abort = new AbortController();
    slices = new Map();
    active = 0;
    grid.scrollTop = 0;
    return fetchSlice(0);
  }

  return { reset };
}
