// Small pictures of counts by year, as SVG made of elements: what they show is also said in words.
import { svg } from "../dom.js";

const GAP = 0.2; // of a bar's room

/**
 * Bars by year; several series stand side by side.
 * @param {{year: number, papers: number}[][]} series
 * @param {number} first the first year of the picture @param {number} last the last one
 * @param {number} most the count of the highest bar
 */
export function bars(series, first, last, most, label, name = "") {
  const room = 10;
  const height = 30;
  const picture = svg("svg", {
    viewBox: `0 0 ${room * (last - first + 1)} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label, class: name,
  });
  picture.append(svg("line", { x1: 0, x2: room * (last - first + 1), y1: height - 0.5, y2: height - 0.5, "vector-effect": "non-scaling-stroke" }));
  const width = (room * (1 - GAP)) / series.length;
  series.forEach((one, number) => {
    for (const { year, papers } of one) {
      const tall = (height - 2) * (papers / Math.max(most, 1));
      picture.append(svg("rect", {
        x: room * (year - first) + room * GAP / 2 + number * width, y: height - tall, width, height: tall, class: number ? "other" : "own",
      }));
    }
  });
  return picture;
}

export const span = (...lists) => {
  const years = lists.flat().map(({ year }) => year);
  return years.length ? [Math.min(...years), Math.max(...years)] : null;
};

/** “2011–2019”, or one year. */
export const spanText = (years) => {
  const found = span(years);
  if (!found) return "year unknown";
  return found[0] === found[1] ? `${found[0]}` : `${found[0]}–${found[1]}`;
};
