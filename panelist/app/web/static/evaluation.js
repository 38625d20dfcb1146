// The page that calibrates review scores.
import { $, plural, showOutcome, takeFiles } from "./dom.js";
import { askJson, save, showAbout } from "./api.js";
import { calibrationView } from "./calibration-view.js";

let file = null;

const query = () => new URLSearchParams({
  accept: $("#accept").value || "0.25", target: $("#target").value, lower_is_better: $("#lower").checked,
});

async function calibrate() {
  if (!file) return;
  await showOutcome("Calibrating …", async () => {
    const found = await askJson("POST", `calibration?${query()}`, { body: file, type: "text/csv" });
    $("#result").replaceChildren(...calibrationView(found, { report }));
    return `${plural(found.papers.length, "paper")} calibrated, ${found.grey_zone.length} in the grey zone`;
  });
}

const report = () => save("POST", `calibration/report?${query()}`, { body: file, type: "text/csv" });

function take(chosen, name) {
  file = chosen;
  $("#file-name").textContent = name;
  $("#file-help").textContent = "Change a setting below, or choose another file.";
  calibrate();
}

takeFiles($("#drop"), $("#file"), ([one]) => take(one, one.name));
$("#choose").addEventListener("click", () => $("#file").click());
$("#sample").addEventListener("click", async () => take(await (await fetch("/static/sample-reviews.csv")).blob(), "Invented reviews"));
$("#settings").addEventListener("change", calibrate);
$("#settings").addEventListener("submit", (event) => { event.preventDefault(); calibrate(); });
showAbout();
