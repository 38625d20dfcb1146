// Small plots of a solution, drawn as SVG in the colours of the page; two solutions share one scale.
import { el, svg } from "../dom.js";

const WIDTH = 220;
const HEIGHT = 90;
const FOOT = 16;

function plot(label, shapes, caption) {
  return el("figure", { class: "plot" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + FOOT}`, role: "img", "aria-label": label }, ...shapes),
    el("figcaption", {}, caption));
}

/** Values from the lowest to the highest; `top` is the upper end of the scale. */
export function curve(values, top, name) {
  const x = (at) => (values.length > 1 ? (at * WIDTH) / (values.length - 1) : 0);
  const y = (value) => HEIGHT - (Math.max(value, 0) / (top || 1)) * (HEIGHT - 6);
  const line = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const middle = values[Math.floor(values.length / 2)] ?? 0;
  const label = `${name} from the lowest to the highest paper: ${short(values[0] ?? 0)}, middle ${short(middle)}, ${short(values.at(-1) ?? 0)}`;
  return plot(label, [
    svg("line", { class: "axis", x1: 0, y1: HEIGHT, x2: WIDTH, y2: HEIGHT }),
    svg("polygon", { class: "area", points: `0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}` }),
    svg("polyline", { class: "line", points: line }),
    svg("circle", { class: "dot", cx: 3, cy: y(values[0] ?? 0), r: 3.5 }),
    text(4, HEIGHT + 13, `lowest ${short(values[0] ?? 0)}`, "start"), text(WIDTH, HEIGHT + 13, `highest ${short(values.at(-1) ?? 0)}`, "end"),
  ], name);
}

/** How many reviewers have which load; those at their quota have the accent. */
export function bars(counts, full, top, most) {
  const step = WIDTH / (most + 1);
  const height = (count) => (count / (top || 1)) * (HEIGHT - 6);
  const shapes = [svg("line", { class: "axis", x1: 0, y1: HEIGHT, x2: WIDTH, y2: HEIGHT })];
  counts.forEach((count, load) => {
    for (const [kind, value] of [["column", count], ["column full", full[load] ?? 0]]) {
      shapes.push(svg("rect", { class: kind, x: (load * step + 1).toFixed(1), y: (HEIGHT - height(value)).toFixed(1), width: Math.max(step - 2, 1).toFixed(1), height: height(value).toFixed(1) }));
    }
  });
  const every = Math.ceil((most + 1) / 12);
  for (let load = 0; load <= most; load += every) shapes.push(text(load * step + step / 2, HEIGHT + 13, String(load), "middle"));
  const told = counts.map((count, load) => `${count} with ${load}`).filter((_, load) => counts[load] > 0).join(", ");
  return plot(`Reviewers by load: ${told}`, shapes, "Loads of reviewers, full ones in colour");
}

const text = (x, y, words, anchor) => svg("text", { x, y, "text-anchor": anchor }, words);

export const short = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3));
