// The settings of an assignment as plain controls; what a method does not take, and what nothing is known of, is hidden.
// Defaults, limits and what each method takes come from the API.
import { el, field, plural } from "./dom.js";

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
  const room = el("p", { id: "room", class: "help wide", role: "status" });
  const controls = {};
  const shown = [];
  const hideable = (box, name) => {
    shown.push([box, name]);
    return box;
  }; // where the method does not take it

  const number = (id, label, { name = id, value = defaults[name], step = null, help = null } = {}) => {
    const { min = 0.01, max } = limits[name]; // a limit that is not reached itself is 0
    controls[id] = el("input", { id, type: "number", min, max, step, value: value ?? "" });
    return hideable(field(label, controls[id], help), name);
  };
  const tick = (id, label, name = id) => {
    controls[id] = el("input", { id, type: "checkbox", checked: defaults[name] === true });
    return hideable(el("label", { class: "check" }, controls[id], ` ${label}`), name);
  };
  const byRole = (name, label, short) =>
    roles.map((role, at) =>
      number(at ? `${name}-${at}` : name, single ? label : `${short}: ${role}`, {
        name,
        value: at && name === "demand" ? 0 : defaults[name],
      }),
    );

  controls.method = el(
    "select",
    { id: "method" },
    methods.map(({ name }) => el("option", { value: name, selected: name === defaults.method }, WORDS[name] ?? name)),
  );
  const apart = Object.entries(APART).filter(([, [column]]) => about.includes(column));
  const form = el(
    "form",
    { class: "settings", "aria-label": "Settings" },
    byRole("demand", "Reviews per paper", "Per paper"),
    byRole("most", "Most per reviewer", "At most"),
    room,
    levels.length ? tick("by_level", `One level after the other: ${levels.join(", ")}`) : null,
    field("Method", controls.method, null, "long"),
    number("cap", "Greatest probability", { step: "any", help: "of a pair; empty: 1" }),
    number("quality", "Quality to keep", { step: "any", help: "of the greatest total" }),
    number("seed", "Seed", { help: "of the draw" }),
    el(
      "details",
      { class: "more wide" },
      el("summary", {}, "Least loads, seniors, who is kept apart, and more"),
      el(
        "div",
        { class: "settings" },
        byRole("least", "Least per reviewer", "At least"),
        about.includes("seniority") ? number("senior", "Seniors per paper", { help: "at least" }) : null,
        levels.length
          ? number("together", "Gather papers under few chairs", {
              step: "any",
              help: "what a further chair over a person costs, in scores",
            })
          : null,
        bids ? number("bid_weight", "Weight of bids", { step: "any", help: "scores count 1" }) : null,
        apart.map(([kind, [, text]]) => tick(`apart-${kind}`, `Keep apart: ${text}`, "apart")),
        about.includes("authored") ? tick("no_cycles", "No mutual reviews") : null,
        tick("possible", "Allow possible conflicts of interest"),
        tick("allow_unscored", "Pairs without a score, as a last resort"),
        tick("allow_short", "Papers may lack reviews, evenly"),
        Object.entries(RAISED).map(([id, [label, help]]) => number(id, label, { help })),
      ),
    ),
  );

  const takes = (name) => {
    const takers = methods.filter((method) => method.takes.includes(name)).map((method) => method.name);
    return !takers.length || takers.includes(controls.method.value);
  };
  /** What papers need and people can give, by role; who asks for too much is told which load would do. */
  function count() {
    const lines = roles
      .map((role, at) => {
        const given = rooms[role];
        const [demand, most] = ["demand", "most"].map((id) => Number(controls[at ? `${id}-${at}` : id].value));
        if (!given || !(given.papers * demand + given.demands)) return null;
        const need = given.papers * demand + given.demands;
        const give = given.people * most + given.quotas;
        const number = (value) => value.toLocaleString("en");
        const people = [
          given.people ? `${plural(given.people, "person", "people")} × ${most}` : null,
          given.limited ? `${number(given.quotas)} by ${plural(given.limited, "quota")}` : null,
        ]
          .filter(Boolean)
          .join(" + ");
        const least = given.people ? Math.ceil((need - given.quotas) / given.people) : 0;
        const lack = least ? `at least ${least} each` : "ask for fewer, or raise quotas";
        const enough = give < need ? `of ${number(need)} reviews needed: ${lack}` : `for ${number(need)} reviews`;
        return [give < need, `${single ? "" : `${role}: `}${people} = ${number(give)} ${enough}.`];
      })
      .filter(Boolean);
    room.className = lines.some(([short]) => short) ? "problem wide" : "help wide";
    room.textContent = lines.map(([, words]) => words).join(" ");
  }
  const show = () => {
    count();
    for (const [box, name] of shown) box.hidden = !takes(name);
  };
  const roleNumbers = (id) => {
    const values = roles.map((_, at) => Number(controls[at ? `${id}-${at}` : id].value));
    return single ? values[0] : Object.fromEntries(roles.map((role, at) => [role, values[at]]));
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
    for (const id of ["demand", "most", "least"]) {
      roles.forEach((role, at) => {
        const value = typeof values[id] === "object" ? values[id][role] : values[id];
        if (value !== undefined) controls[at ? `${id}-${at}` : id].value = value;
      });
    }
    for (const id of ["method", ...NUMBERS])
      if (controls[id] && values[id] !== null && values[id] !== undefined) controls[id].value = values[id];
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
          .map(([role, n]) => `${n} (${role})`)
          .join(", ")
      : value;
  return [
    settings.method,
    `${numbers(settings.demand)} per paper`,
    `at most ${numbers(settings.most)}`,
    typeof settings.least === "number" && settings.least > 0 ? `at least ${settings.least}` : null,
    settings.levels?.length ? "level after level" : null,
    settings.cap ? `cap ${settings.cap}` : null,
    settings.seed ? `seed ${settings.seed}` : null,
    settings.senior ? `${settings.senior} senior` : null,
    settings.apart?.length ? `apart: ${settings.apart.join(", ")}` : null,
    settings.no_cycles ? "no mutual reviews" : null,
    settings.allow_unscored ? "pairs without a score" : null,
    settings.possible === "allow" ? "possible conflicts allowed" : null,
    settings.allow_short ? "may lack reviews" : null,
    settings.quota_floor ? `quotas raised to ${settings.quota_floor}` : null,
  ]
    .filter(Boolean)
    .join(" · ");
}
