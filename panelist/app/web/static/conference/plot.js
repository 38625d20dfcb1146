// A dot plot on a canvas: three scores of each submission, however many there are.
import { plural } from "../dom.js";

const SERIES = ["tenth", "third", "best"];
const PADDING = { left: 46, right: 12, top: 12, bottom: 22 };

/** Draw, and call `open(paper)` for a click on a submission. */
export function drawPlot(canvas, data, open, note) {
  const values = SERIES.flatMap((name) => data[name]).filter((value) => value !== null);
  const least = values.reduce((a, b) => Math.min(a, b), data.threshold);
  const greatest = values.reduce((a, b) => Math.max(a, b), data.threshold);
  const span = greatest - least || 1;
  const digits = Math.max(0, 1 - Math.floor(Math.log10(span))); // so that neighbouring ticks differ
  let pointed = -1;

  const area = () => ({ width: canvas.clientWidth - PADDING.left - PADDING.right, height: canvas.clientHeight - PADDING.top - PADDING.bottom });
  const x = (position, width) => PADDING.left + (data.papers.length > 1 ? position / (data.papers.length - 1) : 0.5) * width;
  const y = (value, height) => PADDING.top + (1 - (value - least) / span) * height;

  function draw() {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const { width, height } = area();
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = colour("soft");
    context.strokeStyle = colour("line");
    for (let tick = 0; tick <= 4; tick += 1) {
      const value = least + (span * tick) / 4;
      context.fillText(value.toFixed(digits), 4, y(value, height) + 4);
      line(context, PADDING.left, y(value, height), PADDING.left + width);
    }
    context.fillText(plural(data.papers.length, "submission"), PADDING.left, canvas.clientHeight - 6);
    context.strokeStyle = colour("warn");
    line(context, PADDING.left, y(data.threshold, height), PADDING.left + width);
    const radius = data.papers.length > 800 ? 1 : data.papers.length > 200 ? 2 : 3;
    for (const name of SERIES) {
      context.fillStyle = colour(`plot-${name}`);
      data[name].forEach((value, position) => {
        if (value === null) return;
        const size = position === pointed ? radius + 2 : radius;
        context.fillRect(x(position, width) - size, y(value, height) - size, 2 * size, 2 * size);
      });
    }
  }

  function line(context, from, height, to) {
    context.beginPath();
    context.moveTo(from, Math.round(height) + 0.5);
    context.lineTo(to, Math.round(height) + 0.5);
    context.stroke();
  }

  const nearest = (event) => {
    const share = (event.offsetX - PADDING.left) / area().width;
    return Math.max(0, Math.min(data.papers.length - 1, Math.round(share * (data.papers.length - 1))));
  };
  canvas.onpointermove = (event) => {
    const position = nearest(event);
    if (position === pointed) return;
    pointed = position;
    const third = data.third[position];
    note.textContent = `${data.papers[position]}: third best ${third === null ? "none" : third.toFixed(3)}`;
    requestAnimationFrame(draw);
  };
  canvas.onclick = (event) => open(data.papers[nearest(event)]);
  canvas.redraw?.disconnect();
  canvas.redraw = new ResizeObserver(draw);
  canvas.redraw.observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
}
