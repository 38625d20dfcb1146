// The settings of an assignment as plain controls; what a method does not take, and what nothing is known of, is hidden.
// Defaults, limits and what each method takes come from the API.
import { dotted, el, field, html, options, plural } from "./dom.js";

const WORDS = {
  fair: "fair: raise the lowest paper sum",
  total: "total: the greatest total score",
  leximin: "fairest: raise paper after paper",
  envy: "in turn: papers pick one after the other",
  random: "lottery: no pair above a cap",
  perturbed: "lottery that keeps the quality",
};
const RAISED = {
  quota_floor: ["Quotas of their own, at least", "raised to it; 0: as in the file"],
  demand_ceiling: ["Demands of their own, at most", "lowered to it"],
};
const NUMBERS = ["cap", "quality", "seed", "senior", "bid_weight", "together", ...Object.keys(RAISED)];
const TICKS = ["no_cycles", "allow_unscored", "allow_short", "by_level"];
const APART = {
  institution: ["institution", "the same institution"],
  region: ["country", "the same region"],
  coauthors: ["authored", "who wrote a submission together"],
};

/**
 * The form, `settings()` as the API takes them, and `fill(settings)`.
 * `options` are those of the API; `roles`: of the committee; `about`: what is known of reviewers; `bids`: whether there are any.
 */
export function assignmentControls(
  { defaults, limits, methods },
  { roles, about, bids, room: rooms = {}, levels = [] },
) {
  const single = roles.length === 1;
  const room = html`<p id="room" class="help wide" role="status"></p>`;
  const controls = {};
  const shown = []; // what is hidden where the method does not take it
  const hideable = (box, name) => {
    shown.push([box, name]);
    return box;
  };
  const idOf = (name, index) => (index ? `${name}-${index}` : name);

  const number = (id, label, { name = id, value = defaults[name], step = null, help = null } = {}) => {
    const { min = 0.01, max } = limits[name]; // a limit that is not reached itself is 0
    controls[id] = el("input", { id, type: "number", min, max, step, value: value ?? "" });
    return hideable(field(label, controls[id], help), name);
  };
  const tick = (id, label, name = id) => {
    controls[id] = el("input", { id, type: "checkbox", checked: defaults[name] === true });
    return hideable(html`<label class="check">${controls[id]} ${label}</label>`, name);
  };
  const byRole = (name, label, short) =>
    roles.map((role, index) => {
      const value = index && name === "demand" ? 0 : defaults[name];
      return number(idOf(name, index), single ? label : `${short}: ${role}`, { name, value });
    });

  const names = methods.map(({ name }) => [name, WORDS[name] ?? name]);
  controls.method = html`<select id="method">${options(names, defaults.method)}</select>`;
  const apart = Object.entries(APART).filter(([, [column]]) => about.includes(column));
  const together = { step: "any", help: "what a further chair over a person costs, in scores" };
  const form = html`
    <form class="settings" aria-label="Settings">
      ${byRole("demand", "Reviews per paper", "Per paper")}${byRole("most", "Most per reviewer", "At most")}${room}
      ${levels.length > 0 && tick("by_level", `One level after the other: ${levels.join(", ")}`)}
      ${field("Method", controls.method, null, "long")}
      ${number("cap", "Greatest probability", { step: "any", help: "of a pair; empty: 1" })}
      ${number("quality", "Quality to keep", { step: "any", help: "of the greatest total" })}
      ${number("seed", "Seed", { help: "of the draw" })}
      <details class="more wide">
        <summary>Least loads, seniors, who is kept apart, and more</summary>
        <div class="settings">
          ${byRole("least", "Least per reviewer", "At least")}
          ${about.includes("seniority") && number("senior", "Seniors per paper", { help: "at least" })}
          ${levels.length > 0 && number("together", "Gather papers under few chairs", together)}
          ${bids && number("bid_weight", "Weight of bids", { step: "any", help: "scores count 1" })}
          ${apart.map(([kind, [, text]]) => tick(`apart-${kind}`, `Keep apart: ${text}`, "apart"))}
          ${about.includes("authored") && tick("no_cycles", "No mutual reviews")}
          ${tick("possible", "Allow possible conflicts of interest")}
          ${tick("allow_unscored", "Pairs without a score, as a last resort")}
          ${tick("allow_short", "Papers may lack reviews, evenly")}
          ${Object.entries(RAISED).map(([id, [label, help]]) => number(id, label, { help }))}
        </div>
      </details>
    </form>`;

  const takes = (name) => {
    const takers = methods.filter((method) => method.takes.includes(name)).map((method) => method.name);
    return !takers.length || takers.includes(controls.method.value);
  };
  /** What papers of a role need and its people can give; who asks for too much is told which load would do. */
  function balance(role, index) {
    const { papers, demands, people, quotas, limited } = rooms[role] ?? { papers: 0, demands: 0 };
    const [demand, most] = ["demand", "most"].map((name) => Number(controls[idOf(name, index)].value));
    const need = papers * demand + demands;
    if (!need) return [];
    const give = people * most + quotas;
    const short = give < need;
    const number = (value) => value.toLocaleString("en");
    const sources = [
      people && `${plural(people, "person", "people")} × ${most}`,
      limited && `${number(quotas)} by ${plural(limited, "quota")}`,
    ];
    const least = people ? Math.ceil((need - quotas) / people) : 0;
    const lack = least ? `at least ${least} each` : "ask for fewer, or raise quotas";
    const enough = short ? `of ${number(need)} reviews needed: ${lack}` : `for ${number(need)} reviews`;
    const sum = `${sources.filter(Boolean).join(" + ")} = ${number(give)}`;
    return [{ short, words: `${single ? "" : `${role}: `}${sum} ${enough}.` }];
  }
  function count() {
    const lines = roles.flatMap(balance);
    room.className = lines.some(({ short }) => short) ? "problem wide" : "help wide";
    room.textContent = lines.map(({ words }) => words).join(" ");
  }
  const show = () => {
    count();
    for (const [box, name] of shown) box.hidden = !takes(name);
  };
  const roleNumbers = (name) => {
    const values = roles.map((role, index) => [role, Number(controls[idOf(name, index)].value)]);
    return single ? values[0][1] : Object.fromEntries(values);
  };
  function settings() {
    const values = {
      method: controls.method.value,
      demand: roleNumbers("demand"),
      most: roleNumbers("most"),
      least: roleNumbers("least"),
    };
    for (const id of NUMBERS) if (controls[id]?.value && takes(id)) values[id] = Number(controls[id].value);
    for (const id of TICKS) if (controls[id] && takes(id)) values[id] = controls[id].checked;
    if (values.by_level) values.levels = levels.filter((role) => values.demand[role]);
    if (!values.levels?.[1]) {
      delete values.levels;
      delete values.together;
    }
    delete values.by_level;
    values.possible = controls.possible.checked ? "allow" : "avoid";
    if (takes("apart")) values.apart = apart.map(([kind]) => kind).filter((kind) => controls[`apart-${kind}`].checked);
    return values;
  }

  function fill(values) {
    const set = (id, value) => {
      if (controls[id] && (value ?? null) !== null) controls[id].value = value;
    };
    for (const name of ["demand", "most", "least"])
      roles.forEach((role, index) => {
        set(idOf(name, index), typeof values[name] === "object" ? values[name][role] : values[name]);
      });
    for (const id of ["method", ...NUMBERS]) set(id, values[id]);
    for (const id of TICKS)
      if (controls[id]) controls[id].checked = Boolean(values[id === "by_level" ? "levels" : id]?.length ?? values[id]);
    controls.possible.checked = values.possible === "allow";
    for (const [kind] of apart) controls[`apart-${kind}`].checked = (values.apart ?? []).includes(kind);
    if (Object.keys(RAISED).some((id) => values[id] !== undefined && values[id] !== defaults[id]))
      form.querySelector("details").open = true; // a cure that sticks is seen
    show();
  }

  form.addEventListener("input", count);
  controls.method.addEventListener("change", () => {
    const { suggests } = methods.find(({ name }) => name === controls.method.value);
    controls.cap.value = suggests.cap ?? defaults.cap ?? "";
    show();
  });
  show();
  return { form, settings, fill };
}

/** Settings in a few words. */
export function inWords(settings) {
  const numbers = (value) =>
    typeof value === "object"
      ? Object.entries(value)
          .map(([role, count]) => `${count} (${role})`)
          .join(", ")
      : value;
  return dotted(
    settings.method,
    `${numbers(settings.demand)} per paper`,
    `at most ${numbers(settings.most)}`,
    typeof settings.least === "number" && settings.least > 0 && `at least ${settings.least}`,
    settings.levels?.length && "level after level",
    settings.cap && `cap ${settings.cap}`,
    settings.seed && `seed ${settings.seed}`,
    settings.senior && `${settings.senior} senior`,
    settings.apart?.length && `apart: ${settings.apart.join(", ")}`,
    settings.no_cycles && "no mutual reviews",
    settings.allow_unscored && "pairs without a score",
    settings.possible === "allow" && "possible conflicts allowed",
    settings.allow_short && "may lack reviews",
    settings.quota_floor && `quotas raised to ${settings.quota_floor}`,
  );
}
