// All plots of the pages, in the colours of the page, light or dark; what they show is also said in words.
import { $, html, plural, svg } from "./dom.js";

// A small plot of one solution, two of which share a scale; and a large one with axes on all sides.
const SMALL = { width: 220, height: 90, foot: 30 };
const LARGE = { width: 520, height: 300, left: 60, right: 14, top: 10, bottom: 46 };

export const short = (value) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
const text = (x, y, words, anchor, more = {}) => svg("text", { x, y, "text-anchor": anchor, ...more }, words);

const figure = (label, [width, height], shapes, caption) => html`
  <figure class="plot">
    ${svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, shapes)}
    <figcaption>${caption}</figcaption>
  </figure>`;

/** Values from the lowest to the highest; `top` is the upper end of the scale. */
export function curve(values, top, name) {
  const { width, height, foot } = SMALL;
  const x = (index) => (values.length > 1 ? (index * width) / (values.length - 1) : 0);
  const y = (value) => height - (Math.max(value, 0) / (top || 1)) * (height - 6);
  const line = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const [lowest, middle, highest] = [values[0], values[Math.floor(values.length / 2)], values.at(-1)].map((value) =>
    short(value ?? 0),
  );
  return figure(
    `${name} from the lowest to the highest paper: ${lowest}, middle ${middle}, ${highest}`,
    [width, height + foot],
    [
      svg("line", { class: "axis", x1: 0, y1: height, x2: width, y2: height }),
      svg("polygon", { class: "area", points: `0,${height} ${line} ${width},${height}` }),
      svg("polyline", { class: "line", points: line }),
      svg("circle", { class: "dot", cx: 3, cy: y(values[0] ?? 0), r: 3.5 }),
      text(4, height + 13, `lowest ${lowest}`, "start"),
      text(width, height + 13, `highest ${highest}`, "end"),
      text(width / 2, height + 27, "papers, from the lowest", "middle"),
    ],
    name,
  );
}

/** How many reviewers have which load; those at their quota have the accent. */
export function loads(counts, full, top, most) {
  const { width, height, foot } = SMALL;
  const step = width / (most + 1);
  const tall = (count) => (count / (top || 1)) * (height - 6);
  const column = (kind, load, count) =>
    svg("rect", {
      class: kind,
      x: (load * step + 1).toFixed(1),
      y: (height - tall(count)).toFixed(1),
      width: Math.max(step - 2, 1).toFixed(1),
      height: tall(count).toFixed(1),
    });
  const every = Math.ceil((most + 1) / 12);
  const marks = Array.from({ length: Math.floor(most / every) + 1 }, (_, index) => index * every);
  const shapes = [
    svg("line", { class: "axis", x1: 0, y1: height, x2: width, y2: height }),
    counts.map((count, load) => [column("column", load, count), column("column full", load, full[load] ?? 0)]),
    marks.map((load) => text(load * step + step / 2, height + 13, String(load), "middle")),
    text(width / 2, height + 27, "papers of a reviewer", "middle"),
  ];
  const words = counts
    .map((count, load) => `${count} with ${load}`)
    .filter((_, load) => counts[load] > 0)
    .join(", ");
  const label = `Reviewers by load: ${words}`;
  return figure(label, [width, height + foot], shapes, "Loads of reviewers, full ones in colour");
}

/** The distance of ticks in a range: 1, 2 or 5 times a power of ten, for three to six ticks. */
function step([least, greatest]) {
  const rough = (greatest - least || 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.999);
}

/** Round values within a range; counts begin with their least value. */
function ticks({ range: [least, greatest], counts }) {
  const wide = Math.max(counts ? 1 : 0, step([least, greatest]));
  const from = Math.ceil(least / wide - 1e-9);
  const length = Math.floor(greatest / wide + 1e-9) - from + 1;
  const round = Array.from({ length }, (_, index) => (from + index) * wide);
  return counts && round[0] !== least ? [least, ...round.filter((value) => value - least > wide / 2)] : round;
}

/** A frame with labelled axes: `draw(x, y)` gets the scales and returns shapes. */
function framed(label, caption, across, upwards, draw) {
  const { width, height, left, right, top, bottom } = LARGE;
  const scale =
    ([least, greatest], from, to) =>
    (value) =>
      from + ((value - least) / (greatest - least || 1)) * (to - from);
  const x = scale(across.range, left, width - right);
  const y = scale(upwards.range, height - bottom, top);
  const words = (value, { range, counts }) => {
    if (counts || value === 0) return Math.abs(value).toLocaleString("en"); // never “-0”
    return value.toFixed(Math.max(0, -Math.floor(Math.log10(step(range)) + 1e-9)));
  };
  return figure(
    label,
    [width, height],
    [
      ticks(upwards).map((value) => [
        svg("line", { class: "axis", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        text(left - 6, y(value) + 4, words(value, upwards), "end"),
      ]),
      ticks(across).map((value) => text(x(value), height - bottom + 17, words(value, across), "middle")),
      text((left + width - right) / 2, height - 6, across.name, "middle"),
      text(0, 0, upwards.name, "middle", { transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)` }),
      draw(x, y),
    ],
    caption,
  );
}

const reach = (values) => [Math.min(...values), Math.max(...values)];
/** Thousands of dots as one shape. */
const dots = (points, kind) =>
  svg("path", { class: `dots ${kind}`, d: points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("") });

/** What calibration changed, how sure acceptance is, and who is harsh or mild. */
export function calibrationPlots({ papers, reviewers, grey_zone: zone }) {
  const grey = new Set(zone);
  const both = reach(papers.flatMap((paper) => [paper.raw_mean, paper.score]));
  const ranked = [...papers].sort((one, other) => one.rank - other.rank);
  const inside = ranked.map((paper, index) => (grey.has(paper.paper) ? index + 1 : 0)).filter(Boolean);
  const biased = [...reviewers]
    .sort((one, other) => one.bias - other.bias)
    .map(({ bias, bias_sd: spread }) => ({ bias, low: bias - 2 * spread, high: bias + 2 * spread }));
  const last = Math.max(biased.length, 2);
  const own = (points) => dots(points, "own");
  return [
    framed(
      "Raw mean against calibrated score of each paper",
      "Above the line: papers of harsh reviewers; below: of mild ones.",
      { name: "raw mean score", range: both },
      { name: "calibrated score", range: both },
      (x, y) => [
        svg("line", { class: "line", x1: x(both[0]), y1: y(both[0]), x2: x(both[1]), y2: y(both[1]) }),
        own(papers.map((paper) => [x(paper.raw_mean), y(paper.score)])),
      ],
    ),
    framed(
      `How sure acceptance is: ${plural(grey.size, "paper")} not decided`,
      "Papers inside the shaded zone are not decided by the scores.",
      { name: "rank of the paper", range: [1, Math.max(papers.length, 2)], counts: true },
      { name: "probability of acceptance", range: [0, 1] },
      (x, y) => {
        const [left, right] = [x(inside[0]), x(inside.at(-1))];
        return [
          inside.length > 0 &&
            svg("rect", { class: "area", x: left - 1, width: right - left + 2, y: y(1), height: y(0) - y(1) }),
          own(ranked.map((paper, index) => [x(index + 1), y(paper.p_accept)])),
        ];
      },
    ),
    framed(
      "Offset of each reviewer with its 95% interval",
      "How far each reviewer’s scores lie above (+) or below (−) those of others on the same papers, with 95% intervals.",
      { name: "reviewers, the harshest first", range: [1, last], counts: true },
      { name: "offset in points", range: reach([0, ...biased.flatMap(({ low, high }) => [low, high])]) },
      (x, y) => {
        const interval = ({ low, high }, index) =>
          `M${x(index + 1).toFixed(1)} ${y(low).toFixed(1)}V${y(high).toFixed(1)}`;
        return [
          svg("line", { class: "line", x1: x(1), x2: x(last), y1: y(0), y2: y(0) }),
          svg("path", { class: "interval", d: biased.map(interval).join("") }),
          own(biased.map(({ bias }, index) => [x(index + 1), y(bias)])),
        ];
      },
    ),
  ];
}

/** Bars by year, between the first and the last one; several series of {year, papers} stand side by side, and `most` is the count of the highest bar. */
export function bars(series, [first, last], most, label, name = "") {
  const [room, gap, height] = [10, 0.2, 30];
  const full = room * (last - first + 1);
  const width = (room * (1 - gap)) / series.length;
  return svg(
    "svg",
    { viewBox: `0 0 ${full} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label, class: name },
    svg("line", { x1: 0, x2: full, y1: height - 0.5, y2: height - 0.5, "vector-effect": "non-scaling-stroke" }),
    series.map((counts, number) =>
      counts.map(({ year, papers }) => {
        const tall = (height - 2) * (papers / Math.max(most, 1));
        return svg("rect", {
          x: room * (year - first) + (room * gap) / 2 + number * width,
          y: height - tall,
          width,
          height: tall,
          class: number ? "other" : "own",
        });
      }),
    ),
  );
}

/** The first and the last year, below the bars. */
export const yearAxis = ([first, last], attributes = {}) =>
  html`<div class="axis" ...${attributes}><span>${first}</span><span>${last}</span></div>`;

export const span = (...lists) => {
  const years = lists.flat().map(({ year }) => year);
  return years.length ? reach(years) : null;
};

/** “2011–2019”, or one year. */
export const spanText = (list) => {
  const years = span(list);
  return years ? [...new Set(years)].join("–") : "year unknown";
};

/** Three scores of each submission, however many there are, as a figure; a click calls `open(paper)`, `note` says which one is pointed at. */
export function scorePlot(data, open, note, title) {
  const { papers, threshold } = data;
  const series = ["tenth", "third", "best"];
  const values = series.flatMap((name) => data[name]).filter((value) => value !== null);
  const range = values.reduce(
    ([least, greatest], value) => [Math.min(least, value), Math.max(greatest, value)],
    [threshold, threshold],
  );
  const last = Math.max(papers.length, 2);
  const name = `${plural(papers.length, "submission")}, by the score of the third best reviewer`;
  const plot = framed(
    "Scores of each submission’s best, third and tenth best reviewer",
    note,
    { name, range: [1, last], counts: true },
    { name: "score", range },
    (x, y) => [
      svg("line", { class: "threshold", x1: x(1), x2: x(last), y1: y(threshold), y2: y(threshold) }),
      series.map((kind) =>
        dots(
          data[kind].flatMap((value, index) => (value === null ? [] : [[x(index + 1), y(value)]])),
          kind,
        ),
      ),
    ],
  );
  const picture = plot.firstChild;
  const nearest = (event) => {
    const { left, width } = picture.getBoundingClientRect();
    const share =
      (((event.clientX - left) / width) * LARGE.width - LARGE.left) / (LARGE.width - LARGE.left - LARGE.right);
    return Math.max(0, Math.min(papers.length - 1, Math.round(share * (last - 1))));
  };
  const pointed = $("#pointed", plot);
  picture.addEventListener("pointermove", (event) => {
    const index = nearest(event);
    pointed.textContent = `${title(papers[index])}: third best ${data.third[index]?.toFixed(3) ?? "none"}`;
  });
  picture.addEventListener("click", (event) => open(papers[nearest(event)]));
  return plot;
}
