// The settings of an assignment as plain controls; what a method does not have, and what nothing is known of, is hidden.
import { el, field } from "./dom.js";

const METHODS = {
  fair: "fair: raise the lowest paper sum",
  total: "total: the greatest total score",
  leximin: "leximin: raise paper after paper",
  envy: "envy: papers pick in turn",
  random: "random: no pair above a cap",
  perturbed: "perturbed: spread, keep the quality",
};
const CERTAIN = ["fair", "total", "leximin", "envy"];
export const DRAWN = ["random", "perturbed"];
const APART = { institution: ["institution", "the same institution"], region: ["country", "the same region"], coauthors: ["authored", "who wrote a submission together"] };

/**
 * The controls.
 * `roles`: of the committee; `about`: what is known of reviewers (null: anything may be); `bids`: whether there are any.
 * Returns the form, `settings()` as the API takes them, and `fill(settings)`.
 */
export function assignmentControls({ roles = ["reviewer"], about = null, bids = false } = {}) {
  const one = roles.length === 1;
  const known = (name) => about === null || about.includes(name);
  const controls = {};
  const shown = [];

  const number = (id, label, value, { min = 0, max, step = null, help = null, methods = null } = {}) => {
    controls[id] = el("input", { id, type: "number", min, max, step, value });
    const box = field(label, controls[id], help);
    shown.push([box, methods]);
    return box;
  };
  const tick = (id, label, methods = null) => {
    controls[id] = el("input", { id, type: "checkbox" });
    const box = el("label", { class: "check" }, controls[id], ` ${label}`);
    shown.push([box, methods]);
    return box;
  };
  const byRole = (id, label, short, value, max) => roles.map((role, at) => number(at ? `${id}-${at}` : id, one ? label : `${short}: ${role}`, at && id === "demand" ? 0 : value, { max }));

  controls.method = el("select", { id: "method" }, Object.entries(METHODS).map(([value, text]) => el("option", { value }, text)));
  const apart = Object.entries(APART).filter(([, [column]]) => known(column));
  const form = el("form", { class: "settings", "aria-label": "Settings" },
    byRole("demand", "Reviews per paper", "Per paper", 3, 100),
    byRole("most", "Most per reviewer", "At most", 6, 1000),
    field("Method", controls.method, null, "long"),
    number("cap", "Greatest probability", 0.5, { min: 0.01, max: 1, step: "any", help: "of a pair", methods: DRAWN }),
    number("quality", "Quality to keep", 0.9, { min: 0.01, max: 1, step: "any", help: "of the greatest total", methods: ["perturbed"] }),
    number("seed", "Seed", 0, { max: 4294967295, help: "of the draw", methods: DRAWN }),
    el("details", { class: "more wide" }, el("summary", {}, "Least loads, seniors, who is kept apart, and more"), el("div", { class: "settings" },
      byRole("least", "Least per reviewer", "At least", 0, 1000),
      known("seniority") ? number("senior", "Seniors per paper", 0, { max: 100, help: "at least", methods: CERTAIN }) : null,
      bids ? number("bid_weight", "Weight of bids", 1, { max: 1000, step: "any", help: "scores count 1" }) : null,
      apart.map(([kind, [, text]]) => tick(`apart-${kind}`, `Keep apart: ${text}`, CERTAIN)),
      known("authored") ? tick("no_cycles", "No mutual reviews", CERTAIN) : null,
      tick("only_scored", "Only pairs with a score"),
      tick("allow_short", "Papers may lack reviews, evenly", CERTAIN))));

  const has = (methods) => methods === null || methods.includes(controls.method.value);
  const show = () => { for (const [box, methods] of shown) box.hidden = !has(methods); };
  const roleNumbers = (id) => {
    const values = roles.map((_, at) => Number(controls[at ? `${id}-${at}` : id].value));
    return one ? values[0] : Object.fromEntries(roles.map((role, at) => [role, values[at]]));
  };
  const kept = {}; // what has no control of its own: raised quotas, lowered demands

  function settings() {
    const asked = { ...kept, method: controls.method.value, demand: roleNumbers("demand"), most: roleNumbers("most"), least: roleNumbers("least") };
    if (has(DRAWN)) Object.assign(asked, { cap: Number(controls.cap.value), seed: Number(controls.seed.value) });
    if (has(["perturbed"])) asked.quality = Number(controls.quality.value);
    if (controls.bid_weight) asked.bid_weight = Number(controls.bid_weight.value);
    asked.only_scored = controls.only_scored.checked;
    if (has(CERTAIN)) {
      if (controls.senior) asked.senior = Number(controls.senior.value);
      if (controls.no_cycles) asked.no_cycles = controls.no_cycles.checked;
      asked.apart = apart.map(([kind]) => kind).filter((kind) => controls[`apart-${kind}`].checked);
      asked.allow_short = controls.allow_short.checked;
    }
    return asked;
  }

  function fill(values) {
    for (const id of ["demand", "most", "least"]) {
      roles.forEach((role, at) => {
        const value = typeof values[id] === "object" ? values[id][role] : values[id];
        if (value !== undefined) controls[at ? `${id}-${at}` : id].value = value;
      });
    }
    for (const id of ["method", "cap", "quality", "seed", "senior", "bid_weight"]) if (controls[id] && values[id] !== null && values[id] !== undefined) controls[id].value = values[id];
    for (const id of ["no_cycles", "only_scored", "allow_short"]) if (controls[id]) controls[id].checked = Boolean(values[id]);
    for (const [kind] of apart) controls[`apart-${kind}`].checked = (values.apart ?? []).includes(kind);
    for (const id of ["quota_floor", "demand_ceiling"]) if (values[id] !== undefined) kept[id] = values[id];
    show();
  }

  controls.method.addEventListener("change", show);
  show();
  return { form, settings, fill };
}

/** Settings in a few words. */
export function inWords(settings) {
  const numbers = (value) => (typeof value === "object" ? Object.entries(value).map(([role, n]) => `${n} (${role})`).join(", ") : value);
  const drawn = DRAWN.includes(settings.method);
  return [settings.method, `${numbers(settings.demand)} per paper`, `at most ${numbers(settings.most)}`,
    typeof settings.least === "number" && settings.least > 0 ? `at least ${settings.least}` : null,
    drawn && settings.cap !== null ? `cap ${settings.cap}` : null, drawn ? `seed ${settings.seed ?? 0}` : null,
    settings.senior ? `${settings.senior} senior` : null, settings.apart?.length ? `apart: ${settings.apart.join(", ")}` : null,
    settings.no_cycles ? "no mutual reviews" : null, settings.only_scored ? "only scored pairs" : null, settings.allow_short ? "may lack reviews" : null,
    settings.quota_floor ? `quotas raised to ${settings.quota_floor}` : null].filter(Boolean).join(" · ");
}
