// Texts whose contrast to their ground is below 4.5, the least of WCAG 2 AA; large ones need less.
const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; }
  return [255, 255, 255, 1]; };
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !e.getClientRects().length || e.closest('.visually-hidden, .skip, :disabled, script')) continue;
  const style = getComputedStyle(e);
  if (style.visibility === 'hidden' || parseFloat(style.fontSize) >= 24) continue;
  const [a, b] = [light(parse(style.color)), light(ground(e))].sort((x, y) => y - x);
  const ratio = (a + .05) / (b + .05);
  if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${walker.currentNode.data.trim().slice(0, 40)}`);
}
return found;
