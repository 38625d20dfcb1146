// A table that begins with some rows and shows the others on request; very many as a windowed list.
import { el } from "./dom.js";
import { windowed } from "./windowed.js";

const SHOWN = 25;
const MOST = 200;

/** `cells(row)` are texts, or cells of their own. */
export function sheet(title, head, rows, cells) {
  const body = el("tbody");
  const fill = (count) => body.replaceChildren(...rows.slice(0, count).map((row) =>
    el("tr", {}, cells(row).map((cell) => (cell instanceof Element ? cell : el("td", {}, String(cell)))))));
  fill(SHOWN);
  const table = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    el("table", {}, el("caption", {}, title), el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))), body));
  const showAll = (event) => {
    event.target.remove();
    if (rows.length <= MOST) fill(rows.length);
    else table.replaceWith(el("h3", {}, title), whole(title, head, rows, cells));
  };
  const more = rows.length > SHOWN ? el("button", { type: "button", class: "link", onclick: showAll }, `Show all ${rows.length.toLocaleString("en")}`) : null;
  return el("div", {}, table, more);
}

function whole(title, head, rows, cells) {
  const box = el("div", { class: "of-sheet" });
  box.style.setProperty("--columns", `minmax(9rem, 2fr) repeat(${head.length - 1}, minmax(4.5rem, 1fr))`);
  const load = async (offset, limit) => ({ total: rows.length, rows: rows.slice(offset, offset + limit) });
  const inside = (cell) => (cell instanceof Element ? [...cell.childNodes] : String(cell));
  windowed(box, { label: title, head, load, cells: (row) => cells(row).map(inside) }).reset();
  return box;
}
